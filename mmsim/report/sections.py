"""The sections of a report, one function each; what a run cannot tell has no section."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from mmsim.analysis import words
from mmsim.analysis.compare import Comparison, Verdict, same_games
from mmsim.analysis.fairness import SOURCE
from mmsim.analysis.panel import Panel
from mmsim.analysis.surprises import Surprise
from mmsim.core.errors import MmsimError
from mmsim.core.game import Draws
from mmsim.games import find_game
from mmsim.report import figures, sentences
from mmsim.report.evidence import Evidence
from mmsim.report.figures import Chart

_MOST_SERIES = 6  # more in one chart are not told apart
_DOTS = "Dots are means, lines 95 % intervals."


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
    """A remarkable game: what it is, how to see it again, and how it ended."""

    title: str
    text: str
    command: str
    image: str  # a data address; empty if it cannot be drawn


@dataclass(frozen=True)
class Section:
    """A part of the report; its title says what was found."""

    id: str
    label: str
    title: str
    text: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = field(default=())


def sections(evidence: Evidence) -> list[Section]:
    """All sections this run has something to say in, in reading order."""
    makers: tuple[Callable[[Evidence], Section | None], ...] = (
        seats,
        scores,
        drama,
        ends,
        trips,
        lines,
        variants,
        bots,
        boards,
        surprises,
        rule_gaps,
    )
    made = [section for make in makers if (section := make(evidence)) is not None]
    return [replace(part, charts=[one for one in part.charts if one.series <= _MOST_SERIES]) for part in made]


def headline_chart(evidence: Evidence) -> Chart | None:
    """The one chart of the first screen."""
    shares = evidence.panels.get(SOURCE)
    if shares is None:
        return None
    if len(evidence.names) > _MOST_SERIES:
        return _imbalance_chart(evidence)
    players = {variant.players for variant in evidence.run.variants}
    fair = 1 / players.pop() if len(players) == 1 else None
    labels = {group: f"{group} player" for group in shares.groups}
    note = f"Share of games won, by playing order. {_DOTS}{' Dashed: a fair share.' if fair else ''}"
    rows = figures.rows_of(shares, labels)
    title = sentences.seats_title(evidence)
    return figures.dots("seats", title, note, rows, evidence.names, "share", fair)


def _panel_table(evidence: Evidence, caption: str, names: Sequence[str]) -> Table:
    """The estimates of some metrics, a column for every variant."""
    rows = []
    for panel in (evidence.panels[name] for name in names if name in evidence.panels):
        for g, group in enumerate(panel.groups):
            cells = [
                words.with_interval(panel.estimate(v, g), panel.measure.unit) if panel.known(v, g) else "–"
                for v in range(len(panel.variants))
            ]
            rows.append([words.label(panel.measure.name, group), _unit(panel.measure.unit), *cells])
    return Table(caption, ["metric", "unit", *evidence.names], rows, words=2)


def _unit(unit: str) -> str:
    return {"share": "%", "share difference": "pp", "share distance": "pp"}.get(unit, unit)


def seats(evidence: Evidence) -> Section | None:
    points = evidence.panels.get("seat_score")
    if points is None or "seat_imbalance" not in evidence.panels:
        return None
    rows = figures.rows_of(points, {group: f"{group} player" for group in points.groups})
    note = f"Points of a seat, by its player's place in the playing order. {_DOTS}"
    scored = figures.dots("seat-scores", sentences.seat_scores_title(evidence), note, rows, evidence.names, "points")
    table = _panel_table(
        evidence, "Seats in numbers", [SOURCE, "first_seat_advantage", "seat_imbalance", "seat_score", "shared_wins"]
    )
    text = [sentences.seat_tests(evidence)]
    return Section(
        "seats", "Seats", sentences.seats_title(evidence), text, [_imbalance_chart(evidence), scored], [table]
    )


def _imbalance_chart(evidence: Evidence) -> Chart:
    note = "Root mean square distance of win shares from a fair share; 0 is perfectly even."
    return _by_variant(evidence, "seat_imbalance", sentences.imbalance_title(evidence), note)


def scores(evidence: Evidence) -> Section | None:
    parts, score = evidence.panels.get("score_parts"), evidence.panels.get("score")
    if score is None:
        return None
    charts = []
    if parts is not None:
        note = "Mean points a seat; lost points lie left of zero. Diamond: the score, with its 95 % interval."
        title = sentences.parts_title(evidence)
        charts.append(figures.stacked_score("score-parts", title, note, parts, score, evidence.names))
    note = "Share of seats at every score."
    title = sentences.spread_title(evidence)
    charts.append(figures.distribution("scores", title, note, evidence.scores, evidence.names, "points"))
    table = _panel_table(evidence, "Scores in numbers", ["score", "score_parts", "points_forgone", "margin", "spread"])
    return Section("scores", "Scores", sentences.score_title(evidence), [], charts, [table])


def drama(evidence: Evidence) -> Section | None:
    names = ["lead_changes", "decided", "comeback", "decided_at_scoring", "decided_turn", "margin", "turns"]
    shares = [evidence.panels[name] for name in names[1:4] if name in evidence.panels]
    if not shares or "lead_changes" not in evidence.panels:
        return None
    labels = {
        "decided": "game over when the lead is taken for good",
        "comeback": "winner takes the lead in the second half",
        "decided_at_scoring": "only the scoring decides",
    }
    rows = [row for panel in shares for row in figures.rows_of(panel, {"": labels[panel.measure.name]})]
    charts = [
        figures.dots("decided", sentences.decided_title(evidence), _DOTS, rows, evidence.names, "share"),
        _by_variant(evidence, "lead_changes", sentences.lead_title(evidence), "Changes of the lead in a game."),
    ]
    table = _panel_table(evidence, "Drama in numbers", names)
    return Section("drama", "Drama", sentences.late_title(evidence), [], charts, [table])


def _by_variant(evidence: Evidence, metric: str, title: str, note: str) -> Chart:
    name = metric.replace("_", "-")
    return figures.by_variant(name, title, f"{note} {_DOTS}", evidence.panels[metric], evidence.names)


def _shares(evidence: Evidence, name: str, metric: str, title: str, note: str) -> Chart:
    panel = evidence.panels[metric]
    return figures.dots(name, title, f"{note} {_DOTS}", figures.rows_of(panel), evidence.names, panel.measure.unit)


def ends(evidence: Evidence) -> Section | None:
    if "end_reason" not in evidence.panels:
        return None
    charts = [_shares(evidence, "ends", "end_reason", sentences.ends_title(evidence), "Share of games.")]
    if "turns" in evidence.panels:
        charts.append(_by_variant(evidence, "turns", sentences.length_title(evidence), "Turns of a game."))
    table = _panel_table(evidence, "Ends in numbers", ["end_reason", "turns", "coverage", "stations_left"])
    return Section("ends", "Ends", sentences.ends_title(evidence), [sentences.ends(evidence)], charts, [table])


def trips(evidence: Evidence) -> Section | None:
    possible = [evidence.panels[name] for name in ("trips_possible", "park_lake_possible") if name in evidence.panels]
    if not possible or "fault" not in evidence.panels:
        return None
    labels = {"trips_possible": "test trips", "park_lake_possible": "park to lake"}
    rows = [row for panel in possible for row in figures.rows_of(panel, {"": labels[panel.measure.name]})]
    note = f"Share of trips that are possible. {_DOTS}"
    failing = sentences.reason_title(evidence, "fault", "of trips fail by")
    charts = [
        figures.dots("trips-possible", sentences.trips_title(evidence), note, rows, evidence.names, "share"),
        _shares(evidence, "faults", "fault", failing, "Share of all trips, by worst fault."),
    ]
    names = ["trips_possible", "trip_minutes", "trip_companies", "fault"]
    table = _panel_table(
        evidence, "Trips in numbers", [*names, "park_lake_possible", "park_lake_minutes", "markers_placed"]
    )
    return Section("trips", "Trips", sentences.trips_title(evidence), [], charts, [table])


def lines(evidence: Evidence) -> Section | None:
    names = ["line_fates", "block_reason", "lines_ended", "lines_blocked", "lines_to_centre", "longest_line"]
    names += ["line_tunnels", "line_tiles", "line_stations"]
    table = _panel_table(evidence, "Lines in numbers", names)
    if "line_fates" not in evidence.panels:
        if "lines_ended" not in evidence.panels:
            return None
        title = sentences.lines_ended_title(evidence)
        chart = _by_variant(evidence, "lines_ended", title, "Lines of a game that reached an end.")
        return Section("lines", "Lines", title, [], [chart], [table])
    charts = [_shares(evidence, "lines", "line_fates", sentences.lines_title(evidence), "Share of lines.")]
    if "block_reason" in evidence.panels:
        title = sentences.reason_title(evidence, "block_reason", "of lines are blocked by")
        note = "Share of all lines, by what they lacked to go on."
        charts.append(_shares(evidence, "blocked", "block_reason", title, note))
    if "line_tunnels" in evidence.panels:
        note = "Tunnels of a line that ended."
        charts.append(_by_variant(evidence, "line_tunnels", sentences.line_length_title(evidence), note))
    return Section("lines", "Lines", sentences.lines_title(evidence), [], charts, [table])


def variants(evidence: Evidence) -> Section | None:
    if not evidence.comparisons:
        return None
    charts, tables, text = [], [], []
    for number, variant in enumerate(evidence.run.variants[1:], 1):
        compared = evidence.against(variant.name)
        name = evidence.names[number]
        shown = [one for one in compared if one.measure.name not in ("layout_share", "seat_score", "bot_score")]
        note = (
            "Lines are 95 % intervals; every metric is measured in its own tolerance, which the table states. What "
            "lies beyond the scale is drawn at its edge."
        )
        if hidden := dict.fromkeys(words.title(one.measure.name) for one in compared if one not in shown):
            note += f" In the table only: {', '.join(hidden)}."
        title = f"{name} against {evidence.names[0]}"
        heading = sentences.variant_title(evidence, variant.name)
        if len(evidence.names) <= _MOST_SERIES and not same_games(compared):
            charts.append(figures.forest(f"variant-{number}", heading, note, shown))
        tables.append(_comparison_table(title, compared))
        text.append(f"Against {evidence.names[0]}, {sentences.verdict_of(evidence, variant.name)}.")
    return Section("variants", "Variants", sentences.variants_title(evidence), text, charts, tables)


def _comparison_table(caption: str, compared: Sequence[Comparison]) -> Table:
    rows = [
        [
            words.label(one.measure.name, one.group),
            _unit(one.measure.unit),
            words.value(one.before, one.measure.unit),
            words.value(one.after, one.measure.unit),
            words.with_interval(one.difference, words.difference_unit(one.measure.unit), signed=True),
            words.p_value(one.p_adjusted),
            f"{one.measure.tolerance * (100 if one.measure.unit.startswith('share') else 1):g}",
            words.percent(one.saved),
            one.in_words,
        ]
        for one in compared
    ]
    columns = ["metric", "unit", "before", "after", "difference", "p (Holm)", "tolerance", "variance saved", "verdict"]
    return Table(caption, columns, rows, words=2, verdicts=[_css(one.verdict) for one in compared])


def _css(verdict: Verdict) -> str:
    return verdict.name.lower()


def bots(evidence: Evidence) -> Section | None:
    if not evidence.ratings:
        names = sorted({bot for variant in evidence.run.variants for bot in variant.bots})
        text = [f"Every seat is played by {names[0]}, so nothing is told of bots against each other."]
        return Section("bots", "Bots", f"All seats are played by {names[0]}", text)
    rated = evidence.ratings
    order = [rating.bot for rating in next(iter(rated.values())).bots]
    by_variant = [{rating.bot: rating.strength for rating in told.bots} for told in rated.values()]
    rows = [figures.Row(bot, [strengths.get(bot) for strengths in by_variant]) for bot in order]
    note = f"Log-strength by Plackett and Luce; 1 is {400 / 2.302585:.0f} Elo, 0 the average bot. {_DOTS}"
    chart = figures.dots("bots", sentences.bots_title(evidence), note, rows, evidence.names, "log-strength")
    table = _panel_table(evidence, "Bots in numbers", ["bot_win_share", "bot_score", "skill_gradient"])
    gaps = [
        [
            evidence.name_of(name),
            f"{gap.stronger} – {gap.weaker}",
            words.with_interval(gap.difference, "", signed=True),
            words.p_value(gap.p_adjusted),
            "told apart" if gap.apart else "not told apart",
        ]
        for name, told in rated.items()
        for gap in told.gaps
    ]
    pairs = Table("Every pair of bots", ["variant", "pair", "log-strength", "p (Holm)", "verdict"], gaps, words=2)
    return Section("bots", "Bots", sentences.bots_title(evidence), [], [chart], [table, pairs])


def boards(evidence: Evidence) -> Section | None:
    if not evidence.layouts:
        return None
    told = "; ".join(
        f"{evidence.name_of(name)}: {games:,} games on {layouts:,} layouts"
        for name, (layouts, games) in sorted(evidence.layouts.items(), key=lambda item: evidence.name_of(item[0]))
    )
    panel = evidence.panels.get("layout_share")
    if panel is None:
        text = [f"Too few layouts were played more than once to tell how much they matter ({told})."]
        return Section("boards", "Boards", "How much the layout matters cannot be told from this run", text)
    note = f"Share of the variance between games that lies between layouts. {_DOTS}"
    chart = figures.dots(
        "layouts", sentences.boards_title(evidence), note, figures.rows_of(panel), evidence.names, panel.measure.unit
    )
    table = _panel_table(evidence, "Boards in numbers", ["layout_share"])
    return Section("boards", "Boards", sentences.boards_title(evidence), [f"{told}."], [chart], [table])


def surprises(evidence: Evidence) -> Section | None:
    if not evidence.surprises:
        return None
    pictures = [
        Picture(
            f"The {one.kind} game",
            f"{_capital(one.told)} ({evidence.name_of(one.variant.name)}, game {one.game:,}).",
            one.command,
            _drawn(one),
        )
        for one in evidence.surprises
    ]
    return Section("surprises", "Surprises", "Games worth a look", [], [], [], pictures)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _drawn(one: Surprise) -> str:
    """The end of a game as a data address; empty where its game, board or bots are not at hand any more."""
    try:
        game = find_game(str(one.variant.about["game"]))
        if not isinstance(game, Draws):
            return ""
        picture = game.picture(game.record(game.prepare(one.again), one.game))
    except MmsimError:
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


def rule_gaps(evidence: Evidence) -> Section | None:
    if not evidence.gaps:
        return None
    rows = [
        [gap.situation, gap.reading, *(_share(panel, v) for v in range(len(panel.variants)))]
        for gap, panel in evidence.gaps
    ]
    table = Table(
        "Share of games in which it came up",
        ["situation", "how it is read here", *evidence.names],
        rows,
        words=2,
        folded=False,
    )
    title = sentences.gaps_title(evidence)
    text = ["Situations that the rule books leave open or settle differently, and how often they came up."]
    return Section("gaps", "Rule gaps", title, text, [], [table])


def _share(panel: Panel, variant: int) -> str:
    return words.with_interval(panel.estimate(variant, 0), "share") if panel.known(variant, 0) else "–"
