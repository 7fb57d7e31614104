"""What rulesets, metrics, seats and levels are called in texts for people."""

from collections.abc import Sequence
from pathlib import Path

from mmsim.analysis import number_format as fmt
from mmsim.batch.experiment import ON_BOARD
from mmsim.core.common_metrics import WORDS
from mmsim.core.metrics import ORDINALS, Wording
from mmsim.core.shell import Shell
from mmsim.core.variant import VariantDescription, board_label
from mmsim.games import find_shell, find_statistics

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")


def ruleset_titles(game: str, rules: Sequence[str]) -> list[str]:
    """The titles of rulesets, without what all of them share; their specs if two titles would be the same."""
    shell = find_shell(game)
    parts = [_parts(spec) for spec in rules]
    shared = [part for part in parts[0] if all(part in others for others in parts)] if len(parts) > 1 else []
    titles = []
    for own in parts:
        left = [part for part in own if part not in shared] or own
        titles.append(
            " with ".join(filter(None, (_title(shell, left[0]), fmt.join_words([_title(shell, x) for x in left[1:]]))))
        )
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
    return _title(find_shell(game), editions.pop()) if len(editions) == 1 else ""


def _parts(spec: str) -> list[str]:
    """The edition, modifiers and settings of a spec; the name of a file is one part."""
    if spec.endswith(".toml"):
        return [Path(spec).stem]
    head, *settings = spec.split(",")
    return [*head.split("+"), *settings]


def _title(shell: Shell, part: str) -> str:
    name, equals, value = part.partition("=")
    if part in shell.titles or not equals:
        return shell.titles.get(part, part)
    template = shell.titles.get(name + equals, f"{fmt.title(name)} {{}}")
    return template.format(value).replace("1 minutes", "1 minute") if value == "1" else template.format(value)


def seat_title(seat: str, players: int) -> str:
    """A seat by its place in the playing order; the last one is called last."""
    place = ORDINALS.index(seat)
    return "last" if place == players - 1 > 1 else SEATS[place]


def wording(game: str, metric: str, group: str = "", players: int = 0) -> Wording:
    """A metric, or one of its groups, as players would say it."""
    if group in ORDINALS and players:
        group = seat_title(group, players)
    if words := {**WORDS, **find_statistics(game).words}.get(metric):
        return words.of(fmt.title(group))
    label = fmt.label(metric, group)
    return Wording(label, f"{label} is higher", f"{label} is lower")
