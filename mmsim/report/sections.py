"""The sections of a report, one function each; what a run cannot tell has no section."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mmsim.analysis import words
from mmsim.analysis.compare import Comparison, Verdict
from mmsim.analysis.fairness import SOURCE
from mmsim.analysis.panel import Panel
from mmsim.analysis.surprises import Surprise
from mmsim.core.errors import MmsimError
from mmsim.core.game import Draws
from mmsim.games import find_game
from mmsim.report import figures, sentences
from mmsim.report.evidence import Evidence
from mmsim.report.figures import Chart

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
    return [section for make in makers if (section := make(evidence)) is not None]


def headline_chart(evidence: Evidence) -> Chart | None:
    """The one chart of the first screen."""
    shares = evidence.panels.get(SOURCE)
    if shares is None:
        return None
    players = max(variant.players for variant in evidence.run.variants)
    labels = {group: f"{group} player" for group in shares.groups}
    note = f"Share of games won, by playing order. {_DOTS} Dashed: a fair share."
    rows = figures.rows_of(shares, labels)
    title = sentences.seats_title(evidence)
    return figures.dots("seats", title, note, rows, evidence.names, "share", 1 / players)


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
    return {"share": "%", "share difference": "pp"}.get(unit, unit)


def seats(evidence: Evidence) -> Section | None:
    advantage = evidence.panels.get("seat_score")
    imbalance = evidence.panels.get("seat_imbalance")
    if advantage is None or imbalance is None:
        return None
    rows = figures.rows_of(advantage, {group: f"{group} player" for group in advantage.groups})
    chart = figures.dots(
        "seat-scores",
        "Points by playing order",
        f"Points of each player's first company. {_DOTS}",
        rows,
        evidence.names,
        "points",
    )
    uneven = [figures.Row(name, [imbalance.estimate(v, 0)]) for v, name in enumerate(evidence.names)]
    how_uneven = figures.dots(
        "seat-imbalance",
        "How uneven the seats are",
        f"Root mean square distance of win shares from a fair share; 0 is perfectly even. {_DOTS}",
        uneven,
        ["all players"],
        "share difference",
    )
    table = _panel_table(
        evidence, "Seats in numbers", [SOURCE, "first_seat_advantage", "seat_imbalance", "seat_score", "shared_wins"]
    )
    text = [sentences.fairness(evidence)]
    return Section("seats", "Seats", sentences.seats_title(evidence), text, [how_uneven, chart], [table])


def scores(evidence: Evidence) -> Section | None:
    parts, score = evidence.panels.get("score_parts"), evidence.panels.get("score")
    if score is None:
        return None
    charts = []
    title = "How many points companies score"
    if parts is not None:
        title = sentences.score_title(evidence)
        note = "Mean points a company; lost points lie left of zero. Diamond: the score, with its 95 % interval."
        heading = "Where a company's points come from"
        charts.append(figures.stacked_score("score-parts", heading, note, parts, score, evidence.names))
    note = "Share of companies at every score."
    charts.append(
        figures.distribution("scores", "How scores are spread", note, evidence.scores, evidence.names, "points")
    )
    table = _panel_table(evidence, "Scores in numbers", ["score", "score_parts", "points_forgone", "margin", "spread"])
    return Section("scores", "Scores", title, [], charts, [table])


def drama(evidence: Evidence) -> Section | None:
    names = ["lead_changes", "decided", "comeback", "decided_at_scoring", "margin", "turns"]
    shares = [evidence.panels[name] for name in names[1:4] if name in evidence.panels]
    if not shares:
        return None
    labels = {
        "decided": "building over when the lead is taken for good",
        "comeback": "winner takes the lead in the second half",
        "decided_at_scoring": "only the scoring decides",
    }
    rows = [row for panel in shares for row in figures.rows_of(panel, {"": labels[panel.measure.name]})]
    chart = figures.dots("drama", "When games are decided", _DOTS, rows, evidence.names, "share")
    table = _panel_table(evidence, "Drama in numbers", names)
    return Section("drama", "Drama", sentences.drama_title(evidence), [sentences.drama(evidence)], [chart], [table])


def _shares_section(
    evidence: Evidence, name: str, label: str, metric: str, title: str, heading: str, others: Sequence[str]
) -> Section | None:
    panel = evidence.panels.get(metric)
    if panel is None:
        return None
    chart = figures.dots(name, heading, _DOTS, figures.rows_of(panel), evidence.names, panel.measure.unit)
    table = _panel_table(evidence, f"{label} in numbers", [metric, *others])
    return Section(name, label, title, [], [chart], [table])


def ends(evidence: Evidence) -> Section | None:
    if "end_reason" not in evidence.panels:
        return None
    return _shares_section(
        evidence,
        "ends",
        "Ends",
        "end_reason",
        sentences.ends_title(evidence),
        "Why games end",
        ["turns", "tunnels", "stations_left"],
    )


def trips(evidence: Evidence) -> Section | None:
    if "trips_possible" not in evidence.panels:
        return None
    others = ["trip_minutes", "trip_companies", "park_lake_possible", "park_lake_minutes", "markers_placed"]
    heading = "Why trips are impossible"
    table = ["trips_possible", *others]
    return _shares_section(evidence, "trips", "Trips", "fault", sentences.trips_title(evidence), heading, table)


def lines(evidence: Evidence) -> Section | None:
    if "line_fates" not in evidence.panels:
        return None
    others = ["lines_blocked", "line_tunnels", "line_stations"]
    heading = "What becomes of lines"
    return _shares_section(evidence, "lines", "Lines", "line_fates", sentences.lines_title(evidence), heading, others)


def variants(evidence: Evidence) -> Section | None:
    if not evidence.comparisons:
        return None
    charts, tables, text = [], [], []
    for number, variant in enumerate(evidence.run.variants[1:], 1):
        compared = evidence.against(variant.name)
        name = evidence.names[number]
        shown = [one for one in compared if one.measure.name not in ("layout_share", "seat_score", "bot_score")]
        note = "Lines are 95 % intervals; every metric is measured in its own tolerance, which the table states."
        title = f"{name} against {evidence.names[0]}"
        charts.append(figures.forest(f"variant-{number}", title, note, shown))
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
            f"{100 * one.saved:.0f} %",
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
        text = [f"Every company is played by {names[0]}, so nothing is told of bots against each other."]
        return Section("bots", "Bots", f"All seats are played by {names[0]}", text)
    rated = evidence.ratings
    order = [rating.bot for rating in next(iter(rated.values())).bots]
    by_variant = [{rating.bot: rating.strength for rating in told.bots} for told in rated.values()]
    rows = [figures.Row(bot, [strengths.get(bot) for strengths in by_variant]) for bot in order]
    note = f"Log-strength by Plackett and Luce; 1 is {400 / 2.302585:.0f} Elo, 0 the average bot. {_DOTS}"
    chart = figures.dots("bots", "How strong the bots are", note, rows, evidence.names, "log-strength")
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
    chart = figures.dots(
        "layouts", "Variance between layouts", _DOTS, figures.rows_of(panel), evidence.names, panel.measure.unit
    )
    table = _panel_table(evidence, "Boards in numbers", ["layout_share"])
    return Section("boards", "Boards", sentences.boards_title(panel), [f"{told}."], [chart], [table])


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
    often = max(evidence.gaps, key=lambda one: float(one[1].means[0, 0]))
    title = f"The most frequent open question came up in {words.value(often[1].estimate(0, 0), 'share')} of games"
    text = ["Situations that the rule books leave open or settle differently, and how often they came up."]
    if evidence.uncounted:
        text.append(f"Not counted by this game: {', '.join(words.title(gap.name) for gap in evidence.uncounted)}.")
    return Section("gaps", "Rule gaps", title, text, [], [table])


def _share(panel: Panel, variant: int) -> str:
    return words.with_interval(panel.estimate(variant, 0), "share") if panel.known(variant, 0) else "–"
