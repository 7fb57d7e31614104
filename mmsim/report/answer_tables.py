"""The differences between variants as tables for a terminal: what matters, level by level, or everything."""

from collections.abc import Sequence
from typing import NamedTuple

from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.level_verdict import Shape, Verdict, players_of
from mmsim.report.sentences import RunWords, in_tolerances

MAX_ROWS = 12
_STRIP = 9  # characters on each side of zero
_STRIP_RANGE = 3.0  # tolerances on each side of zero


class Rows(NamedTuple):
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def what_matters(words: RunWords, chosen: Sequence[ComparisonOverLevels]) -> Rows:
    """At most twelve rows: what was asked about first, then by how many tolerances a difference is large."""
    asked = words.run.experiment.wanted.metric or SEAT_IMBALANCE.name
    seats = [one.group for one in chosen if one.measure.name == WIN_SHARE]
    shown = [one for one in chosen if one.measure.name != WIN_SHARE or one.group in (seats[0], seats[-1])]
    variants = list(dict.fromkeys(one.variant for one in chosen))
    shown.sort(key=lambda one: (one.measure.name != asked, -in_tolerances(one)))
    level = words.data.shown.level.name
    who = f" among {players_of(level)}; verdicts over all levels" if words.several else ""
    title = f"compared with {words.titles[0]}{who}"
    if len(variants) == 1:
        rows = [[_label(words, one), *_before_after(one, level), short_verdict(one)] for one in shown]
        return Rows(title, ("metric", "from → to", "difference", "verdict"), rows[:MAX_ROWS])
    if len(variants) == 2:
        by_metric: dict[tuple[str, str], dict[str, str]] = {}
        for one in shown:
            cell = f"{_before_after(one, level)[1]}  {short_verdict(one)}"
            by_metric.setdefault((one.measure.name, one.group), {})[one.variant] = cell
        first = {(one.measure.name, one.group): _label(words, one) for one in reversed(shown)}
        rows = [[first[key], *(cells.get(variant, "-") for variant in variants)] for key, cells in by_metric.items()]
        return Rows(title, ("metric", *map(words.title, variants)), rows[:MAX_ROWS])
    shown.sort(key=lambda one: (not one.is_different, -in_tolerances(one)))
    rows = [
        [words.title(one.variant), _label(words, one), _before_after(one, level)[1], short_verdict(one)]
        for one in shown
    ]
    return Rows(title, ("variant", "metric", "difference", "verdict"), rows[:MAX_ROWS])


def everything(words: RunWords, chosen: Sequence[ComparisonOverLevels], variant: str) -> Rows:
    """Every difference of one variant at every level."""
    rows = []
    for one in chosen:
        if one.variant == variant:
            for number, at in enumerate(one.levels):
                first = (_label(words, one), short_verdict(one)) if not number else ("", "")
                rows.append([first[0], at.level.name, *_before_after(one, at.level.name), first[1]])
    title = f"{words.title(variant)} compared with {words.titles[0]}"
    return Rows(title, ("metric", "level", "from → to", "difference", "verdict"), rows)


def level_by_level(words: RunWords, chosen: Sequence[ComparisonOverLevels], variant: str) -> Rows:
    """The differences of one variant, one column per level."""
    own = [one for one in chosen if one.variant == variant]
    rows = [
        [_label(words, one), *(_difference(at) if (at := one.at(level)) else "-" for level in words.levels)]
        for one in own
    ]
    return Rows(f"{words.title(variant)} compared with {words.titles[0]}", ("metric", *words.levels), rows)


def strips(words: RunWords, comparison: ComparisonOverLevels) -> list[str]:
    """One line per level: the difference, where it lies against the tolerance, and what it shows."""
    measure = comparison.measure
    name = max(len(level) for level in words.levels)
    differences = {one.level.name: _difference(one) for one in comparison.levels}
    width = max(map(len, differences.values()))
    band = words.size(measure.tolerance, measure.unit)
    lines = [f"{_label(words, comparison)}: {words.title(comparison.variant)} (band: ±{band})"]
    for one in comparison.levels:
        strip = _strip(one.difference.value / measure.tolerance)
        text = _single_verdict(comparison, one)
        lines.append(f"  {one.level.name:{name}}  {differences[one.level.name]:{width}}  {strip}  {text}")
    return [*lines, f"  → {comparison.verdict_text}"]


def _strip(tolerances: float) -> str:
    """Where a difference lies, from minus to plus three tolerances; brackets are one tolerance from zero."""
    cells = ["·"] * (2 * _STRIP + 1)
    inner = round(_STRIP / _STRIP_RANGE)
    cells[_STRIP - inner], cells[_STRIP + inner], cells[_STRIP] = "[", "]", "|"
    place = round(tolerances / _STRIP_RANGE * _STRIP)
    cells[_STRIP + max(-_STRIP, min(_STRIP, place))] = "▪"
    return "".join(cells)


def _label(words: RunWords, comparison: ComparisonOverLevels) -> str:
    unit = comparison.measure.unit
    label, exploratory = words.wording(comparison).label, "" if comparison.primary else ", exploratory"
    return f"{label} ({'%' if unit.startswith('share') else unit}{exploratory})"


def _before_after(comparison: ComparisonOverLevels, level: str) -> tuple[str, str]:
    """The numbers of reference and variant at one level, and their difference; dashes if it is no evidence there."""
    at = comparison.at(level)
    if at is None:
        return "-", "-"
    unit = "share" if at.measure.unit.startswith("share") else at.measure.unit
    before, after = (fmt.short(estimate, unit).replace("\u00a0%", "") for estimate in (at.before, at.after))
    return f"{before} → {after}", _difference(at)


def _difference(at: Comparison) -> str:
    return fmt.with_half_width(at.difference, fmt.difference_unit(at.measure.unit)).replace("\u00a0pp", "")


def short_verdict(comparison: ComparisonOverLevels) -> str:
    """The verdict over all levels in a few words; levels are named unless it holds at all of them."""
    shape, every = comparison.verdict.shape, [one.level.name for one in comparison.levels]
    if shape is Shape.UNSURE:
        return "no change shown"
    if shape is Shape.REVERSES:
        return "reverses"
    if shape is Shape.SAME:
        kinds = {"same": comparison.verdict.levels_with(Verdict.EQUAL)}
    else:
        kinds = {}
        for one in comparison.shown:
            kinds.setdefault(_single_verdict(comparison, one), []).append(one.level.name)
    return "; ".join(kind if levels == every else f"{kind} at {', '.join(levels)}" for kind, levels in kinds.items())


def _single_verdict(comparison: ComparisonOverLevels, at: Comparison) -> str:
    """What one level shows."""
    match at.verdict:
        case Verdict.EQUAL:
            return "same"
        case Verdict.UNSURE:
            return "not enough games"
        case Verdict.REARRANGED:
            return "uneven in another way"
    is_higher = at.difference.value > 0
    if comparison.measure.name == SEAT_IMBALANCE.name:
        return "less even" if is_higher else "more even"
    return "higher" if is_higher else "lower"
