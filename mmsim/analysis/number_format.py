"""Format numbers for readers: shares in per cent, differences with a sign, only digits that the interval supports."""

from math import ceil, floor, isfinite, log10

from mmsim.analysis.stats import Estimate

_LEADING_ONE = 1.95  # a half width below this keeps a second digit
_MAX_DECIMALS = 4


def decimals_of(estimate: Estimate, scale: float = 1.0) -> int:
    """Decimals that half the interval supports: up to its first digit, or the one after a leading 1."""
    half = (estimate.high - estimate.low) / 2 * scale
    if not isfinite(half) or half <= 0:
        return 1
    first = -floor(log10(half))
    return min(_MAX_DECIMALS, max(0, first + (half * 10.0**first < _LEADING_ONE)))


def _scale(unit: str) -> tuple[float, str]:
    if unit == "share":
        return 100.0, "\u00a0%"
    if unit in ("share difference", "share distance"):
        return 100.0, "\u00a0pp"
    return 1.0, ""


def _number(value: float, decimals: int, signed: bool) -> str:
    text = f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}"
    return text.replace("-", "−")


def value(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number alone, with the sign of its unit if it has one."""
    scale, sign = _scale(unit)
    return _number(estimate.value * scale, decimals_of(estimate, scale), signed or unit == "share difference") + sign


def short(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number rounded for a sentence: 6.4 minutes, even if it is known as 6.353."""
    scale, sign = _scale(unit)
    decimals = min(decimals_of(estimate, scale), 1 if abs(estimate.value * scale) >= 1 else 2)
    return _number(estimate.value * scale, decimals, signed or unit == "share difference") + sign


def interval(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The interval alone."""
    scale, _ = _scale(unit)
    decimals, sign = decimals_of(estimate, scale), signed or unit == "share difference"
    if not isfinite(estimate.low) and not isfinite(estimate.high):
        return "no interval"
    return " to ".join(_number(end * scale, decimals, sign) for end in (estimate.low, estimate.high))


def with_interval(estimate: Estimate, unit: str, signed: bool = False) -> str:
    """The number and its interval; alone and without decimals if it never varies."""
    scale, sign = _scale(unit)
    if estimate.low == estimate.value == estimate.high and (estimate.value * scale).is_integer():
        return _number(estimate.value * scale, 0, signed or unit == "share difference") + sign
    return f"{value(estimate, unit, signed)} ({interval(estimate, unit, signed)})"


def with_half_width(estimate: Estimate, unit: str) -> str:
    """A difference and half the width of its interval."""
    scale, sign = _scale(unit)
    half, decimals = (estimate.high - estimate.low) / 2 * scale, decimals_of(estimate, scale)
    if not isfinite(half):
        return value(estimate, unit, signed=True)
    return f"{_number(estimate.value * scale, decimals, True)} ± {_number(half, decimals, False)}{sign}"


def difference_unit(unit: str) -> str:
    """The unit of differences between numbers of a unit."""
    return "share difference" if unit in ("share", "share distance") else unit


def p_value(p: float) -> str:
    """A p-value, never as exactly 0."""
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def games(number: float) -> str:
    """A rough number of games with two significant digits; empty if it is not finite."""
    if not isfinite(number):
        return ""
    if number > 1e10:
        return "more than ten billion"
    step = 10 ** max(0, floor(log10(max(number, 1))) - 1)
    return f"about {ceil(number / step) * step:,}"


def percent(share: float) -> str:
    """A share as whole per cent, with a proper minus."""
    return f"{round(100 * share)}\u00a0%".replace("-", "\u2212")


def title(name: str) -> str:
    """A metric's or group's name as words."""
    return name.replace("_", " ")


def label(metric: str, group: str) -> str:
    """A metric and its group as words."""
    return f"{title(metric)}: {title(group)}" if group else title(metric)
