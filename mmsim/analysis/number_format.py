"""Format numbers and lists for readers: shares in per cent, differences with a sign, only digits that the interval
supports."""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

from mmsim.analysis.stats import Estimate

_LEADING_ONE = 1.95  # a half width below this keeps a second digit
_MAX_DECIMALS = 4
_MANY_GAMES = 10**10


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


def title(name: str) -> str:
    """A metric's or group's name as words."""
    return name.replace("_", " ")


def label(metric: str, group: str) -> str:
    return f"{title(metric)}: {title(group)}" if group else title(metric)


def join_words(words: Sequence[str], last: str = " and ") -> str:
    """A list in a sentence: a, b and c."""
    return last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
