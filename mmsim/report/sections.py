"""The sections of a report, one function each; what a run cannot tell has no section."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from mmsim.analysis import number_format as fmt
from mmsim.analysis import sequential
from mmsim.analysis import why as whys
from mmsim.analysis.compare import Comparison, Verdict, same_games
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE
from mmsim.analysis.stats import Estimate
from mmsim.core.common_metrics import SCORES_SECTION
from mmsim.core.knobs import spelled
from mmsim.core.metrics import ChartPlan, SectionPlan
from mmsim.errors import MmsimError
from mmsim.games import find_shell, find_statistics
from mmsim.report import figures, openings_section, panel_section, sentences
from mmsim.report import sentence_templates as declared_sentences
from mmsim.report import why_section as reasons
from mmsim.report.charts import Chart, Row
from mmsim.report.page_model import Picture, Section, Table
from mmsim.report.remarkable_games import remarkable_games
from mmsim.report.report_data import Evidence

RULES = "rules"  # the heading of a column of rule ids
_MOST_SERIES = 6  # more in one chart are not told apart
EXPLORATORY = " (exploratory)"  # behind a metric that was not asked about before the games were played
_DOTS = "Dots are means, lines 95 % intervals."


def sections(evidence: Evidence) -> list[Section]:
    """All sections this run has something to say in, in reading order."""
    plans = find_statistics(evidence.run.experiment.game).sections
    makers: tuple[Callable[[Evidence], Section | None], ...] = (
        seats,
        *(partial(declared, plan=plan) for plan in plans),
        opening_book,
        why,
        variants,
        panel,
        bots,
        boards,
        remarkable_games,
        rule_gaps,
    )
    made = [section for make in makers if (section := make(evidence)) is not None]
    return [replace(part, charts=[one for one in part.charts if one.series <= _MOST_SERIES]) for part in made]


def headline_chart(evidence: Evidence) -> Chart | None:
    """The one chart of the first screen: which seat wins, of a panel for every kind of players."""
    if SOURCE not in evidence.estimates:
        return None
    if len(evidence.names) > _MOST_SERIES:
        return _imbalance_chart(evidence)
    return panel_section.seats_chart(evidence) or _shares_chart(evidence)


def _shares_chart(evidence: Evidence) -> Chart:
    """Which seat wins; of a panel on the mean."""
    shares = evidence.estimates[SOURCE]
    numbers = {variant.players for variant in evidence.run.variants}
    fair = 1 / numbers.pop() if len(numbers) == 1 else None
    labels = {group: f"{group} player" for group in shares.groups}
    note = f"Share of games won, by playing order. {_marks(evidence)}"
    if fair:
        note = f"Share of games won, by playing order. {_DOTS} Dashed: a fair share; shaded: near enough to it."
    rows = figures.rows_of(shares, labels)
    title = sentences.seats_title(evidence)
    return figures.dots("seats", title, note, rows, evidence.names, "share", fair)


def _marks(evidence: Evidence) -> str:
    """What dots, lines and shades of a chart are."""
    near = f" Shaded: near enough to {evidence.names[0]}." if len(evidence.names) > 1 else ""
    return _DOTS + near


def _estimates_table(evidence: Evidence, caption: str, names: Sequence[str]) -> Table:
    """The estimates of some metrics, a column for every variant."""
    rows = []
    for estimates in (evidence.estimates[name] for name in names if name in evidence.estimates):
        for g, group in enumerate(estimates.groups):
            cells = [
                fmt.with_interval(estimates.estimate(v, g), estimates.measure.unit) if estimates.known(v, g) else "–"
                for v in range(len(estimates.variants))
            ]
            rows.append([fmt.label(estimates.measure.name, group), _unit(estimates.measure.unit), *cells])
    return Table(caption, ["metric", "unit", *evidence.names], rows, words=2)


def _unit(unit: str) -> str:
    return {"share": "%", "share difference": "pp", "share distance": "pp"}.get(unit, unit)


def seats(evidence: Evidence) -> Section | None:
    points = evidence.estimates.get("seat_score")
    if points is None or "seat_imbalance" not in evidence.estimates:
        return None
    rows = figures.rows_of(points, {group: f"{group} player" for group in points.groups})
    note = f"Points of a seat, by its player's place in the playing order. {_marks(evidence)}"
    scored = figures.dots("seat-scores", sentences.seat_scores_title(evidence), note, rows, evidence.names, "points")
    table = _estimates_table(
        evidence, "Seats in numbers", [SOURCE, "first_seat_advantage", "seat_imbalance", "seat_score", "shared_wins"]
    )
    text = [sentences.seat_tests(evidence)]
    on_the_mean = [_shares_chart(evidence)] if len(evidence.estimates[SOURCE].members) > 1 else []
    charts = [_imbalance_chart(evidence), *on_the_mean, scored]
    return Section("seats", "Seats", sentences.imbalance_title(evidence), text, charts, [table])


def _imbalance_chart(evidence: Evidence) -> Chart:
    note = f"Root mean square distance of win shares from a fair share; 0 is perfectly even. {_marks(evidence)}"
    estimates = evidence.estimates[SEAT_IMBALANCE.name]
    return figures.by_variant("seat-imbalance", sentences.imbalance_title(evidence), note, estimates, evidence.names)


def declared(evidence: Evidence, plan: SectionPlan) -> Section | None:
    """A section that the game declares."""
    title = declared_sentences.fill(evidence, plan.title)
    if not title:
        return None
    charts = [chart for one in plan.charts if (chart := _declared_chart(evidence, one)) is not None]
    text = [f"{text}."] if (text := declared_sentences.fill(evidence, plan.text)) else []
    table = _estimates_table(evidence, f"{plan.label} in numbers", plan.metrics)
    extra = _score_charts(evidence) if plan.id == SCORES_SECTION.id else []
    return Section(plan.id, plan.label, title, text, [*extra, *charts], [table])


def _declared_chart(evidence: Evidence, plan: ChartPlan) -> Chart | None:
    """A chart that the game declares, of those numbers that are not always the same; None if all are."""
    shown = [(estimates, label) for name, label in plan.metrics.items() if (estimates := _varying(evidence, name))]
    title = declared_sentences.fill(evidence, plan.title)
    if not shown or not title:
        return None
    note = f"{plan.note} {_marks(evidence)}".strip()
    estimates = shown[0][0]
    if estimates.groups == ("",) and not shown[0][1]:
        return figures.by_variant(plan.name, title, note, estimates, evidence.names)
    rows = [row for estimates, label in shown for row in figures.rows_of(estimates, {"": label} if label else None)]
    return figures.dots(plan.name, title, note, rows, evidence.names, estimates.measure.unit)


def _varying(evidence: Evidence, name: str) -> Estimates | None:
    estimates = evidence.estimates.get(name)
    return estimates if estimates is not None and declared_sentences.varies(estimates) else None


def _score_charts(evidence: Evidence) -> list[Chart]:
    """What scores are made of, and how they are spread."""
    charts = []
    if (parts := _varying(evidence, "score_parts")) and len(parts.groups) > 1:
        note = "Mean points a seat; lost points lie left of zero. Diamond: the score, with its 95 % interval."
        title, score = sentences.parts_title(evidence), evidence.estimates["score"]
        charts.append(figures.stacked_score("score-parts", title, note, parts, score, evidence.names))
    if _varying(evidence, "score"):
        note, title = "Share of seats, by score.", sentences.spread_title(evidence)
        charts.append(figures.distribution("scores", title, note, evidence.scores, evidence.names, "points"))
    return charts


def variants(evidence: Evidence) -> Section | None:
    if not evidence.comparisons:
        return None
    charts, tables, text = [], [], []
    for number, variant in enumerate(evidence.run.variants[1:], 1):
        compared = evidence.against(variant.name)
        name = evidence.names[number]
        shown_elsewhere = ("layout_share", "layout_spread", "seat_score", "bot_score")
        shown = [
            one
            for one in compared
            if one.measure.name not in shown_elsewhere
            and _varying(evidence, one.measure.name) is not None
            and (one.before.value or one.after.value)  # what never happened is no difference
        ]
        drawn = {one.measure.name for one in shown}
        note = (
            "Lines are 95 % intervals; every metric is measured in its own tolerance, which the table states. What "
            "lies beyond the scale is drawn at its edge."
        )
        if hidden := dict.fromkeys(fmt.title(one.measure.name) for one in compared if one.measure.name not in drawn):
            note += f" In the table only: {', '.join(hidden)}."
        title = f"{name} against {evidence.names[0]}"
        heading = sentences.variant_title(evidence, variant.name)
        if len(evidence.names) <= _MOST_SERIES and not same_games(compared):
            charts.append(figures.forest(f"variant-{number}", heading, note, shown))
        tables.append(_comparison_table(title, compared))
        text.append(f"Against {evidence.names[0]}, {sentences.verdict_of(evidence, variant.name)}.")
    tables += [*_decided(evidence), *_rules_that_differ(evidence)]
    text += [f"Played until it was decided: {decided}."] if (decided := sequential.sentence(evidence.run)) else []
    return Section("variants", "Variants", sentences.variants_title(evidence), text, charts, tables)


def _decided(evidence: Evidence) -> list[Table]:
    """The confidence sequence at the last look of a run that was played until something was decided."""
    decision = evidence.run.decision
    if decision is None:
        return []
    unit = fmt.difference_unit(decision.unit)
    sides = {"different": decision.apart, "equal within tolerance": decision.equal, "not decided": decision.undecided}
    rows = []
    for one in decision.sequence:
        low, high = (-inf if one.low is None else one.low), (inf if one.high is None else one.high)
        difference = fmt.with_interval(Estimate(one.difference, low, high, 0.0, 0), unit, signed=True)
        verdict = next(side for side, players in sides.items() if one.player in players)
        rows.append([one.player, fmt.label(decision.metric, one.group), verdict, difference])
    variant, reference = evidence.name_of(decision.variant), evidence.name_of(decision.reference)
    caption = f"Confidence sequence of {variant} against {reference}: it holds however often one looked"
    return [Table(caption, ["players", "metric", "decided", "difference"], rows, words=3, folded=False)]


def panel(evidence: Evidence) -> Section | None:
    """What every kind of players shows of the differences that were found."""
    charts = panel_section.forest_plots(evidence)
    if not charts:
        return None
    text = [f"Asked were {', '.join(one.member.name for one in evidence.run.by_member)}."]
    return Section("players", "Players", panel_section.title(evidence), text, charts)


def opening_book(evidence: Evidence) -> Section | None:
    """What seats open with, sorted in every way that its game knows."""
    if not evidence.openings:
        return None
    views = {book.by: book.text for book in evidence.openings}
    tables = [
        Table(f"Most usual by {name}: {text}", openings_section.COLUMNS, rows, openings_section.WORDS)
        for name, text in views.items()
        if (rows := openings_section.table_rows(evidence, name))
    ]
    text = [
        "How often a seat wins after an opening is no proof that the opening makes it win: “mmsim why” exchanges "
        f"openings between seats. All openings: “mmsim openings {evidence.run.folder.name}”."
    ]
    folder = evidence.run.folder.name
    pictures = [
        Picture(one.title, one.text, shlex.join(["mmsim", "heat", folder, *one.words, "--out", "heat.svg"]), one.draw)
        for one in openings_section.heat_pictures(evidence.run)
    ]
    drawn, asked = (
        len([one for one in pictures if one.title.startswith(openings_section.WHERE)]),
        len(evidence.run.by_member),
    )
    if not pictures:
        text.append(
            f"“mmsim heat {folder} --out heat.svg” draws what lies where; a report written after that has the maps."
        )
    elif drawn < asked:
        text.append(f"Maps are of {drawn} of {asked} kinds of players; “mmsim heat {folder} --member BOT” adds others.")
    chart = openings_section.chart(evidence)
    return Section(
        "openings", "Openings", openings_section.title(evidence), text, [chart] if chart else [], tables, pictures
    )


def why(evidence: Evidence) -> Section | None:
    """What changes of one thing do, where somebody has asked “mmsim why” about the run."""
    found = whys.kept(evidence.run.folder)
    if not found:
        return None
    text, charts, tables = [], [], []
    for number, one in enumerate(found, 1):
        charts.append(reasons.chart(one, f"why-{number}"))
        text += reasons.text(one)
        columns, rows = reasons.changes(one)
        tables.append(
            Table(
                f"{one.variant}: what {fmt.title(one.measure)} becomes",
                columns,
                rows,
                words=columns.index("difference"),
            )
        )
        if both := reasons.together(one):
            caption = f"{one.variant}: the two changes that explain most, alone and together"
            tables.append(Table(caption, *both, folded=False))
    return Section("why", "Why", reasons.title(found[0]), text, charts, tables)


def _rules_that_differ(evidence: Evidence) -> list[Table]:
    """Every knob in which two variants differ, with the ids of its rules."""
    run = evidence.run
    shell = find_shell(run.experiment.game)
    specs = [str(run.folder / one.rules) if one.rules.endswith(".toml") else one.rules for one in run.variants]
    try:
        explained = [shell.explain(spec, one.players) for spec, one in zip(specs, run.variants, strict=True)]
    except MmsimError:  # rules of an older version, which this one does not know
        return []
    rows = []
    for name, knob in shell.knobs.items():
        values = [spelled(one.knobs[name]) for one in explained]
        if len({*values}) > 1:
            rows.append([name, knob.text, knob.rules, *values])
    if not rows:
        return []
    return [Table("What differs in the rules", ["knob", "meaning", RULES, *evidence.names], rows, words=3)]


def _comparison_table(caption: str, compared: Sequence[Comparison]) -> Table:
    rows = [
        [
            fmt.label(one.measure.name, one.group) + ("" if one.asked else EXPLORATORY),
            one.in_words,
            fmt.with_interval(one.difference, fmt.difference_unit(one.measure.unit), signed=True),
            fmt.value(one.before, one.measure.unit),
            fmt.value(one.after, one.measure.unit),
            f"{one.measure.tolerance * (100 if one.measure.unit.startswith('share') else 1):g}",
            fmt.p_value(one.p_adjusted),
            fmt.percent(one.saved),
        ]
        for one in compared
    ]
    columns = ["metric", "verdict", "difference", "before", "after", "tolerance", "p (Holm)", "variance saved"]
    return Table(caption, columns, rows, verdicts=[_css(one.verdict) for one in compared])


def _css(verdict: Verdict) -> str:
    return verdict.name.lower()


def bots(evidence: Evidence) -> Section | None:
    if not evidence.ratings:
        return None
    rated = evidence.ratings
    order = [rating.bot for rating in next(iter(rated.values())).bots]
    by_variant = [{rating.bot: rating.strength for rating in ratings.bots} for ratings in rated.values()]
    rows = [Row(bot, [strengths.get(bot) for strengths in by_variant]) for bot in order]
    note = f"Log-strength by Plackett and Luce; 1 is {400 / 2.302585:.0f} Elo, 0 the average bot. {_DOTS}"
    chart = figures.dots("bots", sentences.bots_title(evidence), note, rows, evidence.names, "log-strength")
    table = _estimates_table(evidence, "Bots in numbers", ["bot_win_share", "bot_score", "skill_gradient"])
    gaps = [
        [
            evidence.name_of(name),
            f"{gap.stronger} – {gap.weaker}",
            fmt.with_interval(gap.difference, "", signed=True),
            fmt.p_value(gap.p_adjusted),
            "told apart" if gap.apart else "not told apart",
        ]
        for name, ratings in rated.items()
        for gap in ratings.gaps
    ]
    pairs = Table("Every pair of bots", ["variant", "pair", "log-strength", "p (Holm)", "verdict"], gaps, words=2)
    return Section("bots", "Bots", sentences.bots_title(evidence), [], [chart], [table, pairs])


def boards(evidence: Evidence) -> Section | None:
    estimates = evidence.estimates.get("layout_share")
    if estimates is None:
        return None
    played = "; ".join(
        f"{evidence.name_of(name)}: {games:,} games on {layouts:,} layouts"
        for name, (layouts, games) in sorted(evidence.layouts.items(), key=lambda item: evidence.name_of(item[0]))
    )
    note = f"Share of the variance between games that lies between layouts. {_marks(evidence)}"
    chart = figures.dots(
        "layouts",
        sentences.boards_title(evidence),
        note,
        figures.rows_of(estimates),
        evidence.names,
        estimates.measure.unit,
    )
    table = _estimates_table(evidence, "Boards in numbers", ["layout_share", "layout_spread"])
    whose = f" (those of {evidence.players[0]})" if evidence.run.panel else ""
    text = [f"{played}{whose}.", sentences.layout_spread(evidence)]
    if any(variant.games_a_deal > 1 for variant in evidence.run.variants):
        text.append("With rotated seats games on one layout share their deal: what is told of layouts is told of both.")
    return Section("boards", "Boards", sentences.boards_title(evidence), text, [chart], [table])


def rule_gaps(evidence: Evidence) -> Section | None:
    if not evidence.gaps:
        return None
    rows, never = [], []
    for gap, estimates in evidence.gaps:
        if estimates.means.any():
            shares = [_share(estimates, v) for v in range(len(estimates.variants))]
            rows.append([gap.situation, gap.reading, gap.rules, *shares])
        else:
            never.append(gap.situation.removesuffix("."))
    text = ["Situations that the rule books leave open or settle differently, and how often they came up."]
    if never:
        text.append(f"Never: {'; '.join(text[:1].lower() + text[1:] for text in never)}.")
    if not rows:
        return Section("gaps", "Rule gaps", sentences.gaps_title(evidence), text)
    table = Table(
        "Share of games in which it came up",
        ["situation", "how it is read here", RULES, *evidence.names],
        rows,
        words=3,
        folded=False,
    )
    return Section("gaps", "Rule gaps", sentences.gaps_title(evidence), text, [], [table])


def _share(estimates: Estimates, variant: int) -> str:
    return fmt.with_interval(estimates.estimate(variant, 0), "share") if estimates.known(variant, 0) else "–"
