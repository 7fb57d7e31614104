"""The sections on how variants differ: in what was asked, in everything, on every board, and with retrained nets."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import inf

import numpy as np

from mmsim.analysis import decision
from mmsim.analysis import wording as fmt
from mmsim.analysis.across_boards import comparison_by_board
from mmsim.analysis.compare import ComparisonOverLevels, all_games_identical
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.level_verdict import Shape, Top, Verdict
from mmsim.analysis.retrained import NO_CHANGE, retraining_result
from mmsim.analysis.stats import Estimate
from mmsim.analysis.wording import join_words
from mmsim.core.knobs import spelled
from mmsim.core.levels import Level
from mmsim.errors import MmsimError
from mmsim.games import find_shell
from mmsim.report import charts
from mmsim.report.charts import Chart, Panel, Row
from mmsim.report.report_data import ReportData
from mmsim.report.sections import (
    DOTS_NOTE,
    MAX_ROWS,
    MAX_SERIES,
    MAX_SUBPLOTS,
    RULES,
    Section,
    Table,
    panel_chart,
    slug,
    varying,
)
from mmsim.report.sentences import in_tolerances, on_every_board, value_and_unit

_ONLY_IN_TABLES = ("layout_share", "layout_spread", "seat_score", "bot_score")  # compared, but drawn elsewhere
_EXPLORATORY = " (exploratory)"  # after a metric that was not asked about before the games were played


# --- what was asked about ---------------------------------------------------------------------------------------------


def differences(data: ReportData) -> Section | None:
    """The paired differences in what was asked: one subplot per metric, with the band within tolerance."""
    asked = data.primary or [
        comparison for comparison in data.comparisons if comparison.measure.name == SEAT_IMBALANCE.name
    ]
    others, levels = data.run.variants[1:], [level.level for level in data.levels]
    if not asked or len(others) > MAX_ROWS:
        return None
    by_metric: dict[tuple[str, str], dict[str, ComparisonOverLevels]] = {}
    for comparison in asked:
        by_metric.setdefault((comparison.measure.name, comparison.group), {})[comparison.variant] = comparison
    by_variant = len(others) > MAX_SUBPLOTS - 1 or len(levels) == 1  # rows are variants, not levels
    panels = []
    for (name, group), same in by_metric.items():
        cells = [[_difference_at(same.get(variant.name), level) for variant in others] for level in levels]
        rows = [*map(list, zip(*cells, strict=True))] if by_variant else cells
        measure = next(iter(same.values())).measure
        unit = fmt.difference_unit(measure.unit)
        panels.append(Panel(data.label(name, group), measure.question, rows, unit, 0.0, measure.tolerance))
    names, level_names = data.names[1:], [level.name for level in levels]
    rows_and_series = (names, level_names) if by_variant else (level_names, names)
    note = f"Each variant less {data.names[0]}, on the same deals. " if data.run.paired else ""
    note += f"{DOTS_NOTE} Shaded: within tolerance of no difference. Point at a heading for its definition."
    title = _differences_title(asked)
    chart = panel_chart("differences", title, note, panels, *rows_and_series, 4)
    label = f"Differences from {data.names[0]}"
    return Section("differences", label, title, _settled_text(data), [chart], folded=False)


def _difference_at(comparison: ComparisonOverLevels | None, level: Level) -> Estimate | None:
    shown = comparison.at(level.name) if comparison else None
    return shown.difference if shown else None


def _differences_title(asked: Sequence[ComparisonOverLevels]) -> str:
    """How many of the differences that were asked about are significant, are within tolerance, or need more games."""
    shown = sum(comparison.is_different for comparison in asked)
    same = sum(comparison.verdict.shape is Shape.SAME and not comparison.verdict.is_open for comparison in asked)
    if not shown:
        text = "No significant difference in what was asked"
        return f"{text}; {_are(same)} within tolerance, of {len(asked)}" if same else f"{text}: not enough games"
    unsure = len(asked) - shown - same
    counts = [f", {_are(same)} within tolerance"] * bool(same)
    counts += [f", {_verb(unsure, 'need')} more games"] * bool(unsure)
    return f"Of {len(asked)} differences asked about, {_are(shown)} significant{''.join(counts)}"


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def _verb(count: int, verb: str) -> str:
    return f"{count} {verb}{'s' * (count == 1)}"


def _settled_text(data: ReportData) -> list[str]:
    """How many of the significant differences hold at every level, and whether the strongest levels agree."""
    apart = [comparison for comparison in data.primary if comparison.is_different]
    if len(data.levels) < 2 or not apart:
        return []
    every = sum(comparison.verdict.holds_everywhere for comparison in apart)
    settled = sum(comparison.verdict.top is Top.SETTLED for comparison in apart)

    def count(number: int) -> str:
        return "all" if number == len(apart) else str(number) if number else "none"

    verb = "holds" if every < 2 else "hold"
    agree = "the two strongest levels, bots of different make, agree within tolerance"
    text = f"Of the significant differences, {count(every)} {verb} at every level"
    return [f"{text}; for {count(settled)} of them {agree}."]


# --- everything -------------------------------------------------------------------------------------------------------


def variants(data: ReportData) -> Section | None:
    if not data.comparisons:
        return None
    chart_list, tables, text = [], [], []
    for number, variant in enumerate(data.run.variants[1:], 1):
        compared = data.comparisons_of(variant.name)
        if len(data.names) <= MAX_SERIES and not all_games_identical(compared):
            chart_list.append(_variant_chart(data, number, compared))
        if compared:
            tables.append(_comparison_table(f"{data.names[number]} against {data.names[0]}", compared))
        text.append(f"Against {data.names[0]}, {_variant_verdict(data, variant.name)}.")
    tables += [*_decision_table(data), *_rules_table(data)]
    text += [f"Played until it was decided: {decided}."] if (decided := decision.sentence(data.run)) else []
    return Section("variants", "Variants", _variants_title(data), text, chart_list, tables)


def _variants_title(data: ReportData) -> str:
    apart = sum(comparison.is_different for comparison in data.comparisons)
    unsure = sum(comparison.verdict.is_open for comparison in data.comparisons)
    every = sum(comparison.verdict.holds_everywhere for comparison in data.comparisons)
    if apart:
        where = f"; {_verb(every, 'hold')} at every level" if len(data.levels) > 1 else ""
        verb = "is" if apart == 1 else "are"
        return f"{apart} of {len(data.comparisons)} differences {verb} larger than chance{where}"
    if unsure:
        verb = "needs" if unsure == 1 else "need"
        return f"No difference stands out, but {unsure} of {len(data.comparisons)} {verb} more games to be sure"
    return "No difference matters: all are within tolerance"


def _variant_verdict(data: ReportData, variant: str) -> str:
    """One variant against the reference in everything that was asked."""
    name = data.name_of(variant)
    if all_games_identical(data.comparisons_of(variant)):
        return f"{name} comes out the same in every game"
    compared = [comparison for comparison in data.primary if comparison.variant == variant]
    shapes = [comparison.verdict.shape for comparison in compared]
    apart = [comparison for comparison in compared if comparison.is_different]
    several = len(data.levels) > 1
    every = sum(comparison.verdict.holds_everywhere for comparison in compared)
    same, unsure = shapes.count(Shape.SAME), shapes.count(Shape.UNSURE)
    counts = [
        (every, f"differs in {every} of {len(compared)} metrics{' at every level' * several}"),
        (len(apart) - every, f"differs at some levels in {len(apart) - every} of {len(compared)} metrics"),
        (same, f"is equal within tolerance in {same}"),
        (unsure, f"needs more games in {unsure}"),
    ]
    said = [text for count, text in counts if count]
    text = f"{name} {join_words(said)}" if apart else f"{name} has no significant difference: it {join_words(said)}"
    return f"{text}; for example {_in_metric(_most_telling(apart))}" if apart else text


def _most_telling(comparisons: Sequence[ComparisonOverLevels]) -> ComparisonOverLevels:
    """A difference that holds at every level if there is one, and is large in tolerances."""
    return max(comparisons, key=lambda comparison: (comparison.verdict.holds_everywhere, in_tolerances(comparison)))


def _in_metric(comparison: ComparisonOverLevels) -> str:
    """The metric of a comparison, its difference at the level where that is large, and where it holds."""
    unit, largest = fmt.difference_unit(comparison.measure.unit), comparison.largest
    shown = largest.difference
    text = f"{value_and_unit(shown, unit, signed=True)}, {fmt.interval(shown, unit, signed=True)}"
    where = f" at {largest.level.name} level; {comparison.verdict_text}" if len(comparison.levels) > 1 else ""
    return f"{fmt.label(comparison.measure.name, comparison.group)} ({text}{where})"


def _variant_chart(data: ReportData, number: int, compared: Sequence[ComparisonOverLevels]) -> Chart:
    """The differences of one variant at the level that is shown, except those that are drawn elsewhere or never
    happened."""
    at_level = [comparison.at(data.shown.level.name) for comparison in compared]
    shown = [
        comparison
        for comparison in filter(None, at_level)
        if comparison.measure.name not in _ONLY_IN_TABLES
        and varying(data, comparison.measure.name) is not None
        and (comparison.before.value or comparison.after.value)
    ]
    drawn = {comparison.measure.name for comparison in shown}
    note = (
        "Lines are 95 % intervals; every metric is measured in its own tolerance, which the table states. Differences "
        "beyond the scale are drawn at its edge."
    )
    names = dict.fromkeys(comparison.measure.name for comparison in compared)
    if hidden := [fmt.title(name) for name in names if name not in drawn]:
        note += f" In the table only: {', '.join(hidden)}."
    title = _variant_title(data, data.run.variants[number].name)
    draw = partial(charts.draw_forest, [charts.forest_row(comparison) for comparison in shown])
    return Chart(f"variant-{number}", title, note, draw)


def _variant_title(data: ReportData, variant: str) -> str:
    """One variant's verdicts at the level that is shown, counted."""
    verdicts = [
        shown.verdict for comparison in data.comparisons_of(variant) if (shown := comparison.at(data.shown.level.name))
    ]
    equal, unsure = verdicts.count(Verdict.EQUAL), verdicts.count(Verdict.UNSURE)
    apart = len(verdicts) - equal - unsure
    counts = [f"{apart} of {len(verdicts)} differ{'s' * (apart == 1)}", f"{_are(equal)} equal within tolerance"]
    counts += [f"{_verb(unsure, 'need')} more games"] if unsure else []
    return f"{data.name_of(variant)}{data.level_clause}: {', '.join(counts)}"


def _decision_table(data: ReportData) -> list[Table]:
    """The confidence sequence at the last look of a run that was played until something was decided."""
    decided = data.run.decision
    if decided is None:
        return []
    unit = fmt.difference_unit(decided.unit)
    rows = []
    for interval in decided.sequence:
        low = -inf if interval.low is None else interval.low
        high = inf if interval.high is None else interval.high
        difference = fmt.with_interval(Estimate(interval.difference, low, high, 0.0, 0), unit, signed=True)
        verdict = next(side for side, levels in decision.sides(decided).items() if interval.level in levels)
        rows.append([interval.level, fmt.label(decided.metric, interval.group), verdict, difference])
    variant, reference = data.name_of(decided.variant), data.name_of(decided.reference)
    caption = f"Confidence sequence of {variant} against {reference}: it holds however often one looked"
    return [Table(caption, ["level", "metric", "decided", "difference"], rows, words=3, folded=False)]


def _rules_table(data: ReportData) -> list[Table]:
    """Every knob in which two variants differ, with the ids of its rules."""
    run = data.run
    shell = find_shell(run.experiment.game)
    try:
        explained = [
            shell.explain(
                str(run.folder / variant.rules) if variant.rules.endswith(".toml") else variant.rules, variant.players
            )
            for variant in run.variants
        ]
    except MmsimError:  # rules of an older version, which this one does not know
        return []
    rows = []
    for name, knob in shell.knobs.items():
        values = [spelled(ruleset.knobs[name]) for ruleset in explained]
        if len({*values}) > 1:
            rows.append([name, knob.text, knob.rules, *values])
    columns = ["knob", "meaning", RULES, *data.names]
    return [Table("What differs in the rules", columns, rows, words=3)] if rows else []


def _comparison_table(caption: str, compared: Sequence[ComparisonOverLevels]) -> Table:
    """The verdict of every metric, and the difference at every level."""
    levels = list(dict.fromkeys(shown.level for comparison in compared for shown in comparison.levels))
    rows = []
    for comparison in compared:
        unit, scale = fmt.difference_unit(comparison.measure.unit), fmt.scale_of(comparison.measure.unit)
        by_level = {shown.level: fmt.with_half_width(shown.difference, unit) for shown in comparison.levels}
        label = fmt.label(comparison.measure.name, comparison.group) + ("" if comparison.primary else _EXPLORATORY)
        needed = f" ({comparison.games_text})" if comparison.games_text else ""
        cells = [by_level.get(level, "–") for level in levels]
        rows.append([label, f"{comparison.verdict_text}{needed}", *cells, f"{comparison.measure.tolerance * scale:g}"])
    headings = [level.name for level in levels] if len(levels) > 1 else ["difference"]
    verdicts = [_verdict_class(comparison) for comparison in compared]
    return Table(caption, ["metric", "verdict", *headings, "tolerance"], rows, verdicts=verdicts)


def _verdict_class(comparison: ComparisonOverLevels) -> str:
    """The verdict as the name of a colour."""
    match comparison.verdict.shape:
        case Shape.SAME:
            return "equal"
        case Shape.UNSURE:
            return "unsure"
        case Shape.REVERSES | Shape.MIXED:
            return "depends"
    return comparison.largest.verdict.name.lower()


# --- boards -----------------------------------------------------------------------------------------------------------


def board_by_board(data: ReportData) -> Section | None:
    """Whether what was found on average over boards holds on every one of them, at the level that is shown."""
    if not data.board_comparisons:
        return None
    sentences = on_every_board(data)
    chart_list, rows = [], []
    for over_levels in data.primary:
        comparison = over_levels.at(data.shown.level.name)
        if comparison is None:
            continue
        same = comparison_by_board(comparison, data.board_comparisons)
        unit = fmt.difference_unit(comparison.measure.unit)
        label = fmt.label(comparison.measure.name, comparison.group)
        if comparison.measure.name == SEAT_IMBALANCE.name:
            title = f"{data.name_of(comparison.variant)} against {data.names[0]}, {label}, board by board"
            chart_rows = [Row(board, [difference]) for board, difference in same.differences.items()]
            chart_rows.append(Row("on average", [comparison.difference]))
            name = slug(f"boards-{data.name_of(comparison.variant)}-{label}")
            chart_list.append(charts.dot_chart(name, title, DOTS_NOTE, chart_rows, ["difference"], unit, 0.0))
        low, high = (
            fmt.value(Estimate(end, end, end, comparison.difference.se, 2), unit, signed=True) for end in same.range
        )
        count = len(same.differences)
        signs = Counter(float(np.sign(difference.value)) for difference in same.differences.values())
        direction = "all" if same.direction else f"{max(signs.values())} of {count}"
        rows.append(
            [
                data.name_of(comparison.variant),
                label,
                fmt.with_interval(comparison.difference, unit, signed=True),
                f"{low} to {high}",
                direction,
                f"{len(same.significant)} of {count}",
            ]
        )
    columns = ["variant", "metric", "on average", "lowest and highest", "boards with the same sign", "significant on"]
    caption = f"Every difference on every board{data.level_clause}"
    tables = [Table(caption, columns, rows, words=2)] if rows else []
    title = (sentences or ["The same on every board?"])[-1].removesuffix(".")
    boards = f"Boards: {', '.join(data.board_comparisons)}. Differences are averages over them."
    return Section("every-board", "Board by board", title, [*sentences[:-1], boards], chart_list, tables)


# --- retrained nets ---------------------------------------------------------------------------------------------------


def retrained(data: ReportData) -> Section | None:
    """Only of a run with `--retrain`."""
    result = retraining_result(data)
    if result is None:
        return None
    if not result.gained:
        title = "No variant's players gained by retraining"
    elif result.changed is None:
        title = "Retrained nets win more games"
    elif result.changed:
        title = f"Retrained nets change {len(result.changed)} verdict{'s' * (len(result.changed) > 1)}"
    else:
        title = NO_CHANGE.removesuffix(".")
    return Section("retrained", "Retrained", title, result.sentences)
