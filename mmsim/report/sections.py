"""What a section of a report is, and the sections on players, seats, scores and bots and on what the game declares.

A function returns None if the run has nothing to show in its section.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from mmsim.analysis import wording as fmt
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, equal_groups_p_value, leading_group, leading_groups
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.ratings import ELO
from mmsim.analysis.stats import holm
from mmsim.analysis.wording import join_words
from mmsim.core.common_metrics import SCORES_SECTION
from mmsim.core.metrics import ChartPlan, SectionPlan
from mmsim.games import find_shell
from mmsim.report import chart_style, charts
from mmsim.report.charts import Chart, Panel, Row
from mmsim.report.report_data import ReportData
from mmsim.report.sentences import MAX_NAMED, RunWords, capitalise, fill_template, seats_title, varies, with_reference

RULES = "rules"  # the heading of a column of rule ids
MAX_SERIES = 6  # a chart with more is not readable
MAX_SUBPLOTS = 4  # variants side by side; more are rows
MAX_ROWS = 24  # variants in one chart
DOTS_NOTE = "Dots are means, lines 95 % intervals."


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
    if WIN_SHARE not in data.estimates or len(data.names) > MAX_ROWS:
        return None
    return seats_by_level_chart(data) if len(data.names) <= MAX_SUBPLOTS else _seats_by_variant_chart(data)


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
    title = seats_title(RunWords(data))
    return panel_chart("seats-by-variant", title, note, panels, data.names, [level.name for level, _ in levels], 4)


def panel_chart(
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
    marks = f"{DOTS_NOTE} Dashed: a fair share; shaded: near enough to it." if fair else marks_note(data)
    rows = charts.rows_of(shares, {group: f"{group} player" for group in shares.groups})
    note = f"Share of games won, by playing order. {marks}"
    return charts.dot_chart("seats", _win_share_title(data), note, rows, data.names, "share", fair)


def _win_share_title(data: ReportData) -> str:
    """Which seat wins most at the level that is shown, if one is shown to, for the title of a chart."""
    shares = data.estimates[WIN_SHARE]
    if equal_groups_p_value(shares, 0) >= ALPHA:
        fair = _fair_share(shares).partition(" would")[0]
        return with_reference(data, f"no player wins measurably more than a fair {fair}")
    best = leading_group(shares, 0, ALPHA)
    if best is None:
        return with_reference(data, f"players do not win equally often; {_fair_share(shares)}")
    text = f"the {shares.groups[best]} player wins {fmt.short(shares.estimate(0, best), 'share')} of games"
    return with_reference(data, f"{text}; {_fair_share(shares)}")


def _fair_share(shares: Estimates) -> str:
    players = sum(shares.known(0, g) for g in range(len(shares.groups)))
    return f"{100 / players:.3g}\u00a0% would be fair"


def seats_by_level_chart(data: ReportData) -> Chart:
    """Which seat wins, at every level."""
    levels, seats = data.by_level(WIN_SHARE), data.estimates[WIN_SHARE].groups
    values = [[estimates.by_group(v) for _, estimates in levels] for v in range(len(data.names))]
    by_level = " and level of play" if len(levels) > 1 else ""
    note = f"Share of games won, by playing order{by_level}, with 95 % intervals. Dashed: a fair share."
    draw = partial(charts.draw_seats_by_level, values, seats, [level.name for level, _ in levels], data.names)
    return Chart("seats-by-level", seats_title(RunWords(data)), note, draw)


def marks_note(data: ReportData) -> str:
    return DOTS_NOTE + (f" Shaded: near enough to {data.names[0]}." if len(data.names) > 1 else "")


def estimates_table(data: ReportData, caption: str, metrics: Sequence[str]) -> Table:
    """The estimates of some metrics, one column per variant."""
    rows = []
    for estimates in (data.estimates[name] for name in metrics if name in data.estimates):
        measure = estimates.measure
        unit = {"share": "%", "share difference": "pp", "share distance": "pp"}.get(measure.unit, measure.unit)
        for g, group in enumerate(estimates.groups):
            cells = [estimate_cell(estimates, v, g) for v in range(len(estimates.variants))]
            rows.append([fmt.label(measure.name, group), unit, *cells])
    return Table(caption, ["metric", "unit", *data.names], rows, words=2)


def estimate_cell(estimates: Estimates, variant: int, group: int = 0) -> str:
    estimate = estimates.get(variant, group)
    return fmt.with_interval(estimate, estimates.measure.unit) if estimate else "–"


def seats(data: ReportData) -> Section | None:
    scores = data.estimates.get("seat_score")
    if scores is None or SEAT_IMBALANCE.name not in data.estimates:
        return None
    rows, unit = charts.rows_of(scores, {group: f"{group} player" for group in scores.groups}), scores.measure.unit
    note = f"{capitalise(unit)} per seat, by playing order. {marks_note(data)}"
    score_chart = charts.dot_chart("seat-scores", _seat_scores_title(data), note, rows, data.names, unit)
    shown = [_win_share_chart(data)] if len(data.levels) > 1 else []
    metrics = [WIN_SHARE, "first_seat_advantage", SEAT_IMBALANCE.name, "seat_score", "shared_wins"]
    return Section(
        "seats",
        "Seats",
        _imbalance_title(data),
        [_seat_tests(data)],
        [_imbalance_chart(data), *shown, score_chart],
        [estimates_table(data, "Seats in numbers", metrics)],
    )


def _imbalance_chart(data: ReportData) -> Chart:
    note = f"Root mean square distance of win shares from a fair share; 0 is perfectly even. {marks_note(data)}"
    estimates = data.estimates[SEAT_IMBALANCE.name]
    return charts.variant_chart("seat-imbalance", _imbalance_title(data), note, estimates, data.names)


def _imbalance_title(data: ReportData) -> str:
    """How far win shares are from fair, variant by variant."""
    estimates = data.estimates[SEAT_IMBALANCE.name]
    values = [fmt.short(estimates.estimate(v, 0), estimates.measure.unit) for v in range(len(estimates.variants))]
    uneven = sum(
        p < ALPHA for p in holm([equal_groups_p_value(data.estimates[WIN_SHARE], v) for v in range(len(values))])
    )
    if not uneven:
        return "Win shares are not measurably uneven"
    if len(values) == 1:
        return f"Win shares lie {values[0]} from fair"
    if len(values) > MAX_NAMED:
        return f"Win shares are measurably uneven in {uneven} of {len(values)} variants"
    named = [f"{value} ({name})" for value, name in zip(values, data.names, strict=True)]
    return f"Win shares lie {join_words(named)} from fair"


def _seat_tests(data: ReportData) -> str:
    """The test of equal win shares, variant by variant."""
    shares = data.estimates[WIN_SHARE]
    p_values = [f"{name}: p\u00a0{_equals(equal_groups_p_value(shares, v))}" for v, name in enumerate(data.names)]
    text = f"How often would equal seats show win shares as uneven as these{data.level_clause}?"
    return f"{text} {'; '.join(p_values)}."


def _equals(p: float) -> str:
    text = fmt.p_value(p)
    return (text if text.startswith("<") else f"= {text}").replace(" ", "\u00a0")


def _seat_scores_title(data: ReportData) -> str:
    """Which seats score most, if the games show it."""
    scores = data.estimates["seat_score"]
    if equal_groups_p_value(scores, 0) >= ALPHA:
        return with_reference(data, "scores do not measurably depend on the playing order")
    best = leading_groups(scores, 0, ALPHA)
    if len(best) == sum(scores.known(0, g) for g in range(len(scores.groups))):
        return with_reference(data, "scores depend on the playing order")
    unit, names = scores.measure.unit, join_words([scores.groups[g] for g in sorted(best)], " or ")
    values = join_words([fmt.short(scores.estimate(0, g), "") for g in sorted(best)])
    return with_reference(data, f"the {names} player scores most, {values} {unit}")


def declared_section(data: ReportData, plan: SectionPlan) -> Section | None:
    """A section that the game declares."""
    title = fill_template(data, plan.title)
    if not title:
        return None
    planned = [chart for chart_plan in plan.charts if (chart := _declared_chart(data, chart_plan)) is not None]
    text = [f"{text}."] if (text := fill_template(data, plan.text)) else []
    table = estimates_table(data, f"{plan.label} in numbers", plan.metrics)
    extra = _score_charts(data) if plan.id == SCORES_SECTION.id else []
    return Section(plan.id, plan.label, title, text, [*extra, *planned], [table])


def _declared_chart(data: ReportData, plan: ChartPlan) -> Chart | None:
    """A chart that the game declares, of the numbers that vary; None if none does."""
    shown = [(estimates, label) for name, label in plan.metrics.items() if (estimates := varying(data, name))]
    title = fill_template(data, plan.title)
    if not shown or not title:
        return None
    note = f"{plan.note} {marks_note(data)}".strip()
    estimates = shown[0][0]
    if estimates.groups == ("",) and not shown[0][1]:
        return charts.variant_chart(plan.name, title, note, estimates, data.names)
    rows = [row for estimates, label in shown for row in charts.rows_of(estimates, {"": label} if label else None)]
    return charts.dot_chart(plan.name, title, note, rows, data.names, estimates.measure.unit)


def varying(data: ReportData, name: str) -> Estimates | None:
    estimates = data.estimates.get(name)
    return estimates if estimates is not None and varies(estimates) else None


def _score_charts(data: ReportData) -> list[Chart]:
    chart_list = []
    if (parts := varying(data, "score_parts")) and len(parts.groups) > 1:
        unit = parts.measure.unit
        note = f"Mean {unit} per seat; lost {unit} are left of zero. Diamond: the score, with its 95 % interval."
        names = [fmt.title(group) for group in parts.groups]
        scores = [data.estimates["score"].estimate(v, 0) for v in range(len(data.names))]
        draw = partial(charts.draw_stacked_score, parts.means, names, scores, data.names, unit)
        chart_list.append(Chart("score-parts", _score_parts_title(data), note, draw))
    if score := varying(data, "score"):
        draw = partial(charts.draw_distribution, data.scores, data.names, score.measure.unit)
        title = _score_spread_title(data)
        chart_list.append(Chart("scores", title, "Share of seats, by score.", draw, len(data.names)))
    return chart_list


def _score_parts_title(data: ReportData) -> str:
    parts = data.estimates["score_parts"]
    known = [(parts.estimate(0, g), group) for g, group in enumerate(parts.groups) if parts.known(0, g)]
    shown = [f"{fmt.short(part, '', signed=True)} {fmt.title(group)}" for part, group in known if part.value]
    return with_reference(data, f"{parts.measure.unit} come from {', '.join(shown) or 'nothing'}")


def _score_spread_title(data: ReportData) -> str:
    """The quartiles of all scores."""
    values, shares = data.scores[0]
    low, middle, high = (
        values[min(int((shares.cumsum() < part).sum()), len(values) - 1)] for part in (0.25, 0.5, 0.75)
    )
    unit = data.estimates["score"].measure.unit
    text = f"half of all seats score {low:.0f} to {high:.0f} {unit}, the middle one {middle:.0f}".replace("-", "−")
    return with_reference(data, text)


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
    title = _players_title(data, int(sum(counts.values())))
    table = Table("Players", columns, rows, words=2, folded=False)
    return Section("players", "Players", title, text, [], [table], folded=False)


def _players_title(data: ReportData, games: int) -> str:
    levels = [level.name for level, _ in data.by_level(WIN_SHARE)] or [level.level.name for level in data.levels]
    if len(levels) == 1:
        return f"{games:,} games by {levels[0]}"
    return f"{games:,} games at {len(levels)} levels of play, from {levels[0]} to {levels[-1]}"


def bots(data: ReportData) -> Section | None:
    if not data.ratings:
        return None
    order = [rating.bot for rating in next(iter(data.ratings.values())).bots]
    by_variant = [{rating.bot: rating.strength for rating in ratings.bots} for ratings in data.ratings.values()]
    rows = [Row(bot, [strengths.get(bot) for strengths in by_variant]) for bot in order]
    title = _bots_title(data)
    note = f"Log-strength by Plackett and Luce; 1 is {ELO:.0f} Elo, 0 the average bot. {DOTS_NOTE}"
    chart = charts.dot_chart("bots", title, note, rows, data.names, "log-strength")
    table = estimates_table(data, "Bots in numbers", ["bot_win_share", "bot_score", "skill_gradient"])
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


def _bots_title(data: ReportData) -> str:
    """Which bot is the strongest, if the games show it."""
    ratings = next(iter(data.ratings.values()))
    top, *others = ratings.bots
    told_apart = {gap.weaker: gap for gap in ratings.gaps if gap.stronger == top.bot and gap.is_significant}
    rivals = [rating.bot for rating in others if rating.bot not in told_apart]
    if not told_apart:
        return "The games do not tell the bots apart"
    if rivals:
        names = join_words([top.bot, *rivals], " or ")
        text = f"the strongest bot is {names}; {len(told_apart)} of {len(ratings.bots)} are shown to be weaker"
    else:
        weakest = told_apart[others[-1].bot]
        elo = fmt.with_half_width(weakest.difference.scaled(ELO), "").removeprefix("+")
        text = f"{top.bot} is {elo} Elo above {weakest.weaker}"
        text += " and ahead of every other bot" if len(others) > 1 else ""
    return with_reference(data, text) if len(data.names) > 1 else text  # names of bots keep their case
