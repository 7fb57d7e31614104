"""How numbers, rulesets, metrics, seats and levels are written in texts for people.

Shares are in per cent, differences have a sign, and numbers only the digits that their interval supports. The fork
server that draws charts loads this module, so it imports Polars, which must not be forked, only when it is needed.
"""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from pathlib import Path
from typing import TYPE_CHECKING

from mmsim.analysis.stats import Estimate
from mmsim.core.shell import Shell
from mmsim.core.variant import ON_BOARD, VariantDescription, board_label
from mmsim.games import find_shell, find_statistics

if TYPE_CHECKING:
    from mmsim.core.metrics import Wording

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")
_LEADING_ONE = 1.95  # a half width below this keeps a second digit
_MAX_DECIMALS = 4
_MANY_GAMES = 10**10


# --- numbers -------------------------------------------------------------------------------------------------------


def decimals_of(estimate: Estimate, unit: str = "") -> int:
    """Decimals that half the interval supports: up to its first digit, or the one after a leading 1."""
    half = (estimate.high - estimate.low) / 2 * scale_of(unit)
    if not isfinite(half) or half <= 0:
        return 1
    first = -floor(log10(half))
    return min(_MAX_DECIMALS, max(0, first + (half * 10.0**first < _LEADING_ONE)))


def scale_of(unit: str) -> float:
    """The factor by which numbers of a unit are shown."""
    return 100.0 if unit.startswith("share") else 1.0


def _sign(unit: str) -> str:
    return {"share": "\u00a0%", "share difference": "\u00a0pp", "share distance": "\u00a0pp"}.get(unit, "")


def _number(value: float, unit: str, decimals: int, signed: bool = False) -> str:
    """A number in its unit, without the sign of the unit."""
    value *= scale_of(unit)
    signed = signed or unit == "share difference"
    return (f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}").replace("-", "−")


def value(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number alone, with the sign of its unit if it has one."""
    return _number(estimate.value, unit, decimals_of(estimate, unit), signed) + _sign(unit)


def short(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number rounded for a sentence: 6.4 minutes, even if it is known as 6.353."""
    decimals = min(decimals_of(estimate, unit), 1 if abs(estimate.value * scale_of(unit)) >= 1 else 2)
    return _number(estimate.value, unit, decimals, signed) + _sign(unit)


def interval(estimate: Estimate, unit: str, signed: bool = False) -> str:
    if not isfinite(estimate.low) and not isfinite(estimate.high):
        return "no interval"
    ends, decimals = (estimate.low, estimate.high), decimals_of(estimate, unit)
    return " to ".join(_number(end, unit, decimals, signed) for end in ends)


def with_interval(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number and its interval; alone and without decimals if it never varies."""
    if estimate.low == estimate.value == estimate.high and (estimate.value * scale_of(unit)).is_integer():
        return _number(estimate.value, unit, 0, signed) + _sign(unit)
    return f"{value(estimate, unit, signed)} ({interval(estimate, unit, signed)})"


def with_half_width(estimate: Estimate, unit: str) -> str:
    """A difference and half the width of its interval."""
    half, decimals = (estimate.high - estimate.low) / 2 * scale_of(unit), decimals_of(estimate, unit)
    if not isfinite(half):
        return value(estimate, unit, signed=True)
    return f"{_number(estimate.value, unit, decimals, True)} ± {half:,.{decimals}f}{_sign(unit)}"


def difference_unit(unit: str) -> str:
    return "share difference" if unit in ("share", "share distance") else unit


def p_value(p: float) -> str:
    """A p-value, never as exactly 0."""
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def games(low: float, high: float) -> str:
    """A rough range of games with two significant digits, or one number if both ends are the same then."""
    ends = list(dict.fromkeys(_rounded_up(number) for number in (low, high)))
    if ends[-1] > _MANY_GAMES:
        return "more than ten billion games"
    return f"about {' to '.join(f'{end:,}' for end in ends)} games"


def _rounded_up(number: float) -> int:
    step: int = 10 ** max(0, floor(log10(max(number, 1))) - 1)
    return ceil(number / step) * step


def duration(seconds: float) -> str:
    """A time in its largest fitting unit: 40 s, 12 min, 3 h, 2 days."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (size == 60 and seconds >= 90):
            return f"{round(seconds / size):,} {unit}"
    return f"{max(1, round(seconds))} s"


def duration_range(low: float, high: float) -> str:
    """Two times as a range, with the unit once if it is the same."""
    first, last = duration(low), duration(high)
    if first == last:
        return last
    number, _, unit = first.partition(" ")
    return f"{number} to {last}" if last.endswith(unit) else f"{first} to {last}"


def percent(share: float) -> str:
    """A share as whole per cent, with a proper minus."""
    return f"{round(100 * share)}\u00a0%".replace("-", "\u2212")


# --- names ---------------------------------------------------------------------------------------------------------


def title(name: str) -> str:
    """A metric's or group's name as words."""
    return name.replace("_", " ")


def label(metric: str, group: str) -> str:
    return f"{title(metric)}: {title(group)}" if group else title(metric)


def join_words(words: Sequence[str], last: str = " and ") -> str:
    """A list in a sentence: a, b and c."""
    return last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def ruleset_titles(game: str, rules: Sequence[str]) -> list[str]:
    """The titles of rulesets, without what all of them share; their specs if two titles would be the same."""
    shell = find_shell(game)
    parts = [_parts(spec) for spec in rules]
    shared = [part for part in parts[0] if all(part in others for others in parts)] if len(parts) > 1 else []
    titles = []
    for own in parts:
        left = [part for part in own if part not in shared] or own
        details = join_words([_part_title(shell, part) for part in left[1:]])
        titles.append(" with ".join(filter(None, (_part_title(shell, left[0]), details))))
    return titles if len({*titles}) == len(titles) else list(rules)


def variant_titles(game: str, variants: Sequence[VariantDescription]) -> list[str]:
    """What every variant is called: by its rules, by its board if only boards differ, or else by its name."""
    rules = [variant.rules for variant in variants]
    different = list(dict.fromkeys(rules))
    boards = [f"the {board_label(variant.board_name)} board" for variant in variants]
    if len(different) == 1 < len(rules) == len({*boards}):
        return boards
    names = short_names([variant.name for variant in variants])
    if not all(rules) or len(different) == 1 < len(rules):
        return names
    named = dict(zip(different, ruleset_titles(game, different), strict=True))
    titles = [named[spec] for spec in rules]
    return titles if len({*titles}) == len(titles) else names


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what all of them share: the number of players at the end, a ruleset before knobs or a board."""
    if len(names) < 2:
        return list(names)
    rules, boards = zip(*(name.rpartition(ON_BOARD)[::2] for name in names), strict=True)
    if all(rules) and len({*rules}) == 1 and len({*boards}) == len(boards):
        return [*boards]
    if all("-" in name for name in names) and len({name.rpartition("-")[2] for name in names}) == 1:
        names = [name.rpartition("-")[0] for name in names]
    parts = [name.split(",") for name in names]
    shared = set(parts[0]).intersection(*parts)
    shorter = [",".join(part for part in words if part not in shared) for words in parts]
    return shorter if all(shorter) else list(names)


def edition_title(game: str, rules: Sequence[str]) -> str:
    """The title of the edition that rulesets share; empty if they have several."""
    editions = {_parts(spec)[0] for spec in rules}
    return _part_title(find_shell(game), editions.pop()) if len(editions) == 1 else ""


def _parts(spec: str) -> list[str]:
    """The edition, modifiers and settings of a spec; the name of a file is one part."""
    if spec.endswith(".toml"):
        return [Path(spec).stem]
    head, *settings = spec.split(",")
    return [*head.split("+"), *settings]


def _part_title(shell: Shell, part: str) -> str:
    name, equals, value = part.partition("=")
    if part in shell.titles or not equals:
        return shell.titles.get(part, part)
    template = shell.titles.get(name + equals, f"{title(name)} {{}}")
    return template.format(value).replace("1 minutes", "1 minute") if value == "1" else template.format(value)


def seat_title(seat: str, players: int) -> str:
    """A seat by its place in the playing order; the last one is called last."""
    from mmsim.core.metrics import ORDINALS

    place = ORDINALS.index(seat)
    return "last" if place == players - 1 > 1 else SEATS[place]


def wording(game: str, metric: str, group: str = "", players: int = 0) -> "Wording":
    """A metric, or one of its groups, as players would say it."""
    from mmsim.core.common_metrics import WORDS
    from mmsim.core.metrics import ORDINALS, Wording

    if group in ORDINALS and players:
        group = seat_title(group, players)
    if words := {**WORDS, **find_statistics(game).words}.get(metric):
        return words.of(title(group))
    name = label(metric, group)
    return Wording(name, f"{name} is higher", f"{name} is lower")
