"""What a section of a report is, and the sections that are made from metrics, one function each.

A function returns None if the run has nothing to show in its section.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import polars as pl

from mmsim.analysis import decision
from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import ComparisonOverLevels, all_games_identical
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.level_verdict import Shape
from mmsim.analysis.ratings import ELO
from mmsim.analysis.stats import Estimate
from mmsim.core.common_metrics import SCORES_SECTION
from mmsim.core.knobs import spelled
from mmsim.core.levels import Level
from mmsim.core.metrics import ChartPlan, SectionPlan
from mmsim.errors import MmsimError
from mmsim.games import find_shell
from mmsim.report import chart_style, charts, sentences, titles, verdicts
from mmsim.report.charts import Chart, Panel, Row
from mmsim.report.report_data import ReportData
from mmsim.report.run_words import RunWords

RULES = "rules"  # the heading of a column of rule ids
MAX_SERIES = 6  # a chart with more is not readable
_MAX_SUBPLOTS = 4  # variants side by side; more are rows
_MAX_ROWS = 24  # variants in one chart
DOTS_NOTE = "Dots are means, lines 95 % intervals."
_ONLY_IN_TABLES = ("layout_share", "layout_spread", "seat_score", "bot_score")  # compared, but drawn elsewhere


@dataclass(frozen=True)
class Table:
    """A table of texts; the first columns are words, the others numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1  # columns of words at the left
    folded: bool = True
    verdicts: Sequence[str] = ()  # of every row, for its colour


@dataclass(frozen=True)
class Picture:
    """A drawing of a game or of heat maps, and the command that makes it again."""

    title: str
    text: str
    command: str
    draw: Callable[[], bytes] | None  # as SVG; None if it cannot be drawn
    replay: Callable[[], bytes] | None = None  # an HTML page to step through the game

    @property
    def alt_text(self) -> str:
        return f"How {self.title[:1].lower()}{self.title[1:]} ended" if self.replay else f"{self.title}. {self.text}"

    @property
    def file(self) -> str:
        return f"pictures/{slug(self.title)}.svg"

    @property
    def page(self) -> str:
        return f"games/{slug(self.title)}.html"


@dataclass(frozen=True)
class Section:
    """A section of the page; its title states the finding."""

    id: str
    label: str
    title: str
    text: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    folded: bool = True  # False: it is part of the answer


def slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower())


def headline_chart(data: ReportData) -> Chart | None:
    """The chart of the first screen: which seat wins, at every level of play and in every variant."""
    if WIN_SHARE not in data.estimates or len(data.names) > _MAX_ROWS:
        return None
    return seats_by_level_chart(data) if len(data.names) <= _MAX_SUBPLOTS else _seats_by_variant_chart(data)


def _seats_by_variant_chart(data: ReportData) -> Chart:
    """Which seat wins, of many variants: one subplot per seat, one row per variant."""
    levels, seats = data.by_level(WIN_SHARE), data.estimates[WIN_SHARE].groups
    variants = range(len(data.names))
    players = [variant.players for variant in data.run.variants]
    panels = [
        Panel(
            f"{seat} player",
            "",
            [[estimates.get(v, g) for _, estimates in levels] for v in variants],
            "share",
            [1 / players[v] if levels[0][1].known(v, g) else None for v in variants],
            data.estimates[WIN_SHARE].measure.tolerance,
        )
        for g, seat in enumerate(seats)
    ]
    note = f"Share of games won, by playing order. {DOTS_NOTE} Line: a fair share; shaded: near enough to it."
    title = verdicts.seats_title(RunWords(data))
    return _panel_chart("seats-by-variant", title, note, panels, data.names, [level.name for level, _ in levels], 4)


def _panel_chart(
    name: str, title: str, note: str, panels: Sequence[Panel], rows: Sequence[str], series: Sequence[str], columns: int
) -> Chart:
    """A chart over the whole width of the page, with a version for phones."""
    draw = partial(charts.draw_panels, panels, rows, series, chart_style.PAGE_WIDTH_IN, columns)
    narrow = partial(charts.draw_panels, panels, rows, series, chart_style.WIDTH_IN, 2)
    return Chart(name, title, note, draw, draw_narrow=narrow)


def _win_share_chart(data: ReportData) -> Chart:
    """Which seat wins, at the level that is shown."""
    shares = data.estimates[WIN_SHARE]
    players = {variant.players for variant in data.run.variants}
    fair = 1 / players.pop() if len(players) == 1 else None
    marks = f"{DOTS_NOTE} Dashed: a fair share; shaded: near enough to it." if fair else _marks_note(data)
    rows = charts.rows_of(shares, {group: f"{group} player" for group in shares.groups})
    note = f"Share of games won, by playing order. {marks}"
    return charts.dot_chart("seats", sentences.seats_title(data), note, rows, data.names, "share", fair)


def seats_by_level_chart(data: ReportData) -> Chart:
    """Which seat wins, at every level."""
    levels, seats = data.by_level(WIN_SHARE), data.estimates[WIN_SHARE].groups
    values = [[estimates.by_group(v) for _, estimates in levels] for v in range(len(data.names))]
    by_level = " and level of play" if len(levels) > 1 else ""
    note = f"Share of games won, by playing order{by_level}, with 95 % intervals. Dashed: a fair share."
    draw = partial(charts.draw_seats_by_level, values, seats, [level.name for level, _ in levels], data.names)
    return Chart("seats-by-level", verdicts.seats_title(RunWords(data)), note, draw)


def _marks_note(data: ReportData) -> str:
    return DOTS_NOTE + (f" Shaded: near enough to {data.names[0]}." if len(data.names) > 1 else "")


def _estimates_table(data: ReportData, caption: str, metrics: Sequence[str]) -> Table:
    """The estimates of some metrics, one column per variant."""
    rows = []
    for estimates in (data.estimates[name] for name in metrics if name in data.estimates):
        measure = estimates.measure
        unit = {"share": "%", "share difference": "pp", "share distance": "pp"}.get(measure.unit, measure.unit)
        for g, group in enumerate(estimates.groups):
            cells = [_cell(estimates, v, g) for v in range(len(estimates.variants))]
            rows.append([fmt.label(measure.name, group), unit, *cells])
    return Table(caption, ["metric", "unit", *data.names], rows, words=2)


def _cell(estimates: Estimates, variant: int, group: int = 0) -> str:
    estimate = estimates.get(variant, group)
    return fmt.with_interval(estimate, estimates.measure.unit) if estimate else "–"


def seats(data: ReportData) -> Section | None:
    scores = data.estimates.get("seat_score")
    if scores is None or SEAT_IMBALANCE.name not in data.estimates:
        return None
    rows, unit = charts.rows_of(scores, {group: f"{group} player" for group in scores.groups}), scores.measure.unit
    note = f"{sentences.capitalise(unit)} per seat, by playing order. {_marks_note(data)}"
    score_chart = charts.dot_chart("seat-scores", titles.seat_scores_title(data), note, rows, data.names, unit)
    shown = [_win_share_chart(data)] if len(data.levels) > 1 else []
    metrics = [WIN_SHARE, "first_seat_advantage", SEAT_IMBALANCE.name, "seat_score", "shared_wins"]
    return Section(
        "seats",
        "Seats",
        titles.imbalance_title(data),
        [titles.seat_tests(data)],
        [_imbalance_chart(data), *shown, score_chart],
        [_estimates_table(data, "Seats in numbers", metrics)],
    )


def _imbalance_chart(data: ReportData) -> Chart:
    note = f"Root mean square distance of win shares from a fair share; 0 is perfectly even. {_marks_note(data)}"
    estimates = data.estimates[SEAT_IMBALANCE.name]
    return charts.variant_chart("seat-imbalance", titles.imbalance_title(data), note, estimates, data.names)


def declared_section(data: ReportData, plan: SectionPlan) -> Section | None:
    """A section that the game declares."""
    title = sentences.fill_template(data, plan.title)
    if not title:
        return None
    planned = [chart for chart_plan in plan.charts if (chart := _declared_chart(data, chart_plan)) is not None]
    text = [f"{text}."] if (text := sentences.fill_template(data, plan.text)) else []
    table = _estimates_table(data, f"{plan.label} in numbers", plan.metrics)
    extra = _score_charts(data) if plan.id == SCORES_SECTION.id else []
    return Section(plan.id, plan.label, title, text, [*extra, *planned], [table])


def _declared_chart(data: ReportData, plan: ChartPlan) -> Chart | None:
    """A chart that the game declares, of the numbers that vary; None if none does."""
    shown = [(estimates, label) for name, label in plan.metrics.items() if (estimates := _varying(data, name))]
    title = sentences.fill_template(data, plan.title)
    if not shown or not title:
        return None
    note = f"{plan.note} {_marks_note(data)}".strip()
    estimates = shown[0][0]
    if estimates.groups == ("",) and not shown[0][1]:
        return charts.variant_chart(plan.name, title, note, estimates, data.names)
    rows = [row for estimates, label in shown for row in charts.rows_of(estimates, {"": label} if label else None)]
    return charts.dot_chart(plan.name, title, note, rows, data.names, estimates.measure.unit)


def _varying(data: ReportData, name: str) -> Estimates | None:
    estimates = data.estimates.get(name)
    return estimates if estimates is not None and sentences.varies(estimates) else None


def _score_charts(data: ReportData) -> list[Chart]:
    chart_list = []
    if (parts := _varying(data, "score_parts")) and len(parts.groups) > 1:
        unit = parts.measure.unit
        note = f"Mean {unit} per seat; lost {unit} are left of zero. Diamond: the score, with its 95 % interval."
        names = [fmt.title(group) for group in parts.groups]
        scores = [data.estimates["score"].estimate(v, 0) for v in range(len(data.names))]
        draw = partial(charts.draw_stacked_score, parts.means, names, scores, data.names, unit)
        chart_list.append(Chart("score-parts", titles.score_parts_title(data), note, draw))
    if score := _varying(data, "score"):
        draw = partial(charts.draw_distribution, data.scores, data.names, score.measure.unit)
        title = titles.score_spread_title(data)
        chart_list.append(Chart("scores", title, "Share of seats, by score.", draw, len(data.names)))
    return chart_list


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
        text.append(f"Against {data.names[0]}, {sentences.variant_verdict(data, variant.name)}.")
    tables += [*_decision_table(data), *_rules_table(data)]
    text += [f"Played until it was decided: {decided}."] if (decided := decision.sentence(data.run)) else []
    return Section("variants", "Variants", titles.variants_title(data), text, chart_list, tables)


def _variant_chart(data: ReportData, number: int, compared: Sequence[ComparisonOverLevels]) -> Chart:
    """The differences of one variant at the level that is shown, except those that are drawn elsewhere or never
    happened."""
    at_level = [comparison.at(data.shown.level.name) for comparison in compared]
    shown = [
        comparison
        for comparison in filter(None, at_level)
        if comparison.measure.name not in _ONLY_IN_TABLES
        and _varying(data, comparison.measure.name) is not None
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
    title = titles.variant_title(data, data.run.variants[number].name)
    draw = partial(charts.draw_forest, [charts.in_tolerances(comparison) for comparison in shown])
    return Chart(f"variant-{number}", title, note, draw)


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
        label, tolerance = sentences.comparison_label(comparison), f"{comparison.measure.tolerance * scale:g}"
        needed = f" ({comparison.games_text})" if comparison.games_text else ""
        cells = [by_level.get(level, "–") for level in levels]
        rows.append([label, f"{comparison.verdict_text}{needed}", *cells, tolerance])
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


def differences(data: ReportData) -> Section | None:
    """The paired differences in what was asked: one subplot per metric, with the band within tolerance."""
    asked = data.primary or [one for one in data.comparisons if one.measure.name == SEAT_IMBALANCE.name]
    others, levels = data.run.variants[1:], [level.level for level in data.levels]
    if not asked or len(others) > _MAX_ROWS:
        return None
    by_metric: dict[tuple[str, str], dict[str, ComparisonOverLevels]] = {}
    for comparison in asked:
        by_metric.setdefault((comparison.measure.name, comparison.group), {})[comparison.variant] = comparison
    by_variant = len(others) > _MAX_SUBPLOTS - 1 or len(levels) == 1  # rows are variants, not levels
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
    title = titles.differences_title(asked)
    chart = _panel_chart("differences", title, note, panels, *rows_and_series, 4)
    label = f"Differences from {data.names[0]}"
    return Section("differences", label, title, titles.settled_text(data), [chart], folded=False)


def _difference_at(comparison: ComparisonOverLevels | None, level: Level) -> Estimate | None:
    shown = comparison.at(level.name) if comparison else None
    return shown.difference if shown else None


def players(data: ReportData) -> Section:
    """Who played: which levels or bots, how strong they are, and how many games of each variant."""
    run, shell = data.run, find_shell(data.run.experiment.game)
    declared = {level.bots: level for level in shell.levels}
    counts = dict(run.game_counts.group_by("variant").agg(pl.col("games").sum()).iter_rows())
    rows = []
    for level in run.by_level:
        games = [counts.get(cell.name, 0) for board in level.by_board for cell in board.variants]
        known, bots = declared.get(level.level.bots), list(dict.fromkeys(level.variants[0].bot_specs))
        rows.append(
            [
                known.name if known else "none of the ladder",
                ", ".join(bots),
                known.wins if known and known.wins else "–",
                f"{min(games):,}" if min(games) == max(games) else f"{min(games):,} to {max(games):,}",
            ]
        )
    columns = ["level", "bot in every seat", "wins against the level below", "games per variant"]
    if any(len({*cell.bot_specs}) > 1 for cell in run.cells):
        columns[1] = "bots"
    strength = (
        "“Wins against the level below” is the share of games that one bot of a level wins at a table of four, the "
        "others being of the level below; 25 % would be no better."
    )
    text = [strength] if any(row[2] != "–" for row in rows) else []
    title = titles.players_title(data, int(sum(counts.values())))
    table = Table("Players", columns, rows, words=2, folded=False)
    return Section("players", "Players", title, text, [], [table], folded=False)


def bots(data: ReportData) -> Section | None:
    if not data.ratings:
        return None
    order = [rating.bot for rating in next(iter(data.ratings.values())).bots]
    by_variant = [{rating.bot: rating.strength for rating in ratings.bots} for ratings in data.ratings.values()]
    rows = [Row(bot, [strengths.get(bot) for strengths in by_variant]) for bot in order]
    title = titles.bots_title(data)
    note = f"Log-strength by Plackett and Luce; 1 is {ELO:.0f} Elo, 0 the average bot. {DOTS_NOTE}"
    chart = charts.dot_chart("bots", title, note, rows, data.names, "log-strength")
    table = _estimates_table(data, "Bots in numbers", ["bot_win_share", "bot_score", "skill_gradient"])
    gaps = [
        [
            data.name_of(variant),
            f"{gap.stronger} – {gap.weaker}",
            fmt.with_interval(gap.difference, "", signed=True),
            fmt.p_value(gap.p_adjusted),
            "told apart" if gap.is_significant else "not told apart",
        ]
        for variant, ratings in data.ratings.items()
        for gap in ratings.gaps
    ]
    pairs = Table("Every pair of bots", ["variant", "pair", "log-strength", "p (Holm)", "verdict"], gaps, words=2)
    return Section("bots", "Bots", title, [], [chart], [table, pairs])


def boards(data: ReportData) -> Section | None:
    estimates = data.estimates.get("layout_share")
    if estimates is None:
        return None
    played = "; ".join(
        f"{name}: {games:,} games on {layouts:,} layouts"
        for name, (layouts, games) in sorted((data.name_of(name), counts) for name, counts in data.layouts.items())
    )
    title, unit = titles.boards_title(data), estimates.measure.unit
    note = f"Share of the variance between games that lies between layouts. {_marks_note(data)}"
    chart = charts.dot_chart("layouts", title, note, charts.rows_of(estimates), data.names, unit)
    whose = f" ({data.shown.level.name} level)" if len(data.levels) > 1 else ""
    text = [f"{played}{whose}.", titles.layout_spread(data)]
    if any(variant.games_per_deal > 1 for variant in data.run.variants):
        text.append("With rotated seats games on one layout share their deal: the effect of a layout includes both.")
    table = _estimates_table(data, "Boards in numbers", ["layout_share", "layout_spread"])
    asked = len(data.names) == 1 and "layout_share" in data.run.experiment.metrics
    return Section("boards", "Boards", title, text, [chart], [table], folded=not asked)


def rule_gaps(data: ReportData) -> Section | None:
    if not data.gaps:
        return None
    rows, never = [], []
    for gap, estimates in data.gaps:
        if estimates.means.any():
            shares = [_cell(estimates, v) for v in range(len(estimates.variants))]
            rows.append([gap.situation, gap.reading, gap.rules, *shares])
        else:
            never.append(f"{gap.situation[:1].lower()}{gap.situation[1:]}".removesuffix("."))
    text = ["Situations that the rule books leave open or settle differently, and how often they came up."]
    text += [f"Never: {'; '.join(never)}."] if never else []
    columns = ["situation", "how it is read here", RULES, *data.names]
    tables = [Table("Share of games in which it came up", columns, rows, words=3, folded=False)] if rows else []
    return Section("gaps", "Rule gaps", titles.gaps_title(data), text, [], tables)
