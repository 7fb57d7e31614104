"""The sections on the games themselves: openings, heat maps of where they end, layouts, situations that the rules leave
open, and remarkable games."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mmsim.analysis import wording as fmt
from mmsim.analysis.atlas import Atlas, shipped_atlas
from mmsim.analysis.derived_metrics import leading_estimates
from mmsim.analysis.heat_maps import difference_maps, heat_maps, spoken_name
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.openings import Opening, SeatBook, kinds_by_frequency
from mmsim.analysis.stats import holm, two_sided_p
from mmsim.analysis.tables import RunTables
from mmsim.analysis.wording import join_words
from mmsim.batch.side_tables import end_positions_of, games_counted, read_win_chances, win_chances_of
from mmsim.core.game import EstimatesWinChances
from mmsim.core.shell import DrawsPictures, HeatMaps, ReplaysRecords, SupportsHeatMaps
from mmsim.core.variant import VariantDescription
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell
from mmsim.report import charts
from mmsim.report.charts import Chart, Row
from mmsim.report.report_data import ReportData, shown_path
from mmsim.report.sections import DOTS_NOTE, RULES, Picture, Section, Table, estimate_cell, estimates_table, marks_note
from mmsim.report.sentences import capitalise, with_reference

_COLUMNS = ("variant", "level", "seat", "most usual", "share", "wins then", "wins", "entropy in bits")
_WORD_COLUMNS = 4
_MAX_KINDS = 2  # named as the most usual opening; more cannot be separated
_MAX_CANDIDATES = 3  # candidates for a superlative; more are counted, not named
_MAX_LISTED_LAYOUTS = 12  # rows in a table of layouts
_MAX_LAYOUTS = 2000  # of more layouts an even sample is looked up
_MAP_TITLE, _DIFFERENCE_TITLE = "Where things lie", "What lies elsewhere"  # of heat maps


def openings(data: ReportData) -> Section | None:
    """What seats open with, in every view that the game has, and heat maps if `mmsim heat` has sampled games."""
    if not data.openings:
        return None
    views = {book.by: book.text for book in data.openings}
    tables = [
        Table(f"Most usual by {view}: {text}", _COLUMNS, rows, _WORD_COLUMNS)
        for view, text in views.items()
        if (rows := _rows(data, view))
    ]
    folder = shlex.quote(shown_path(data.run.folder))
    text = [
        "How often a seat wins after an opening does not prove that the opening makes it win: “mmsim why” exchanges "
        f"openings between seats. All openings: “mmsim openings {folder}”."
    ]
    pictures = heat_pictures(data.run)
    drawn, levels = sum(picture.title.startswith(_MAP_TITLE) for picture in pictures), len(data.run.by_level)
    if not pictures:
        text.append(
            f"“mmsim heat {folder} --out heat.svg” draws what lies where; a report written after that has the maps."
        )
    elif drawn < levels:
        text.append(f"Maps are of {drawn} of {levels} levels; “mmsim heat {folder} --level LEVEL” adds others.")
    chart = _openings_chart(data)
    return Section("openings", "Openings", _openings_title(data), text, [chart] if chart else [], tables, pictures)


def _rows(data: ReportData, view: str) -> list[list[str]]:
    """The most usual opening of every seat: one row per variant, level and seat."""
    return [
        [
            data.name_of(book.variant),
            book.level,
            str(book.seat + 1),
            _named_usual(book),
            fmt.with_interval(usual.share, "share"),
            fmt.with_interval(usual.wins, "share"),
            fmt.percent(book.wins),
            f"{book.entropy:.2f}",
        ]
        for book in data.openings
        if book.by == view
        for usual in book.openings[:1]
    ]


def _named_usual(book: SeatBook) -> str:
    """The most frequent opening, with a rival that is not shown to be less frequent."""
    first, *rivals = [opening.kind for opening in _usual_openings(book)]
    if not rivals:
        return first
    return f"{first} or {rivals[0]}" if len(rivals) == 1 else f"{first} or {len(rivals)} others"


def _openings_title(data: ReportData) -> str:
    """What the first seat that has a choice opens with, at the level that is shown."""
    books = _reference_books(data)
    shown = [book for book in books if book.level == data.shown.level.name] or books
    book = next((book for book in shown if not _is_forced(book, books)), shown[0])
    usual, seat = _usual_openings(book), f"seat {book.seat + 1}"
    if len(usual) > _MAX_KINDS:
        return with_reference(data, f"{seat} has no opening that is clearly more frequent than others")
    named = [f"“{opening.kind}” ({fmt.percent(opening.share.value)})" for opening in usual]
    return with_reference(data, f"{seat} most often opens with {join_words(named, ' or ')}")


def _usual_openings(book: SeatBook) -> list[Opening]:
    """The most frequent opening of a seat, and those that are not shown to be less frequent."""
    leading = leading_estimates([opening.share for opening in book.openings], ALPHA)
    return [book.openings[i] for i in leading]


def _reference_books(data: ReportData) -> list[SeatBook]:
    """The books of the reference by the game's first view, at every level."""
    view, variant = data.openings[0].by, data.run.variants[0].name
    return [
        book
        for book in data.openings
        if book.by == view and book.variant == variant and book.level in [level.level.name for level in data.levels]
    ]


def _is_forced(book: SeatBook, books: Sequence[SeatBook]) -> bool:
    """True if a seat has one kind of opening, which no other seat has: it has no choice."""
    kinds = {opening.kind for opening in book.openings}
    return len(kinds) == 1 and not any(rival.find(*kinds) for rival in books if rival.seat != book.seat)


def _openings_chart(data: ReportData) -> Chart | None:
    """How often every seat plays its most usual opening of the reference: one row per seat and level."""
    rows = []
    books = _reference_books(data)
    by_key = {(book.by, book.variant, book.level, book.seat): book for book in data.openings}
    for book in books:
        if _is_forced(book, books):
            continue
        kind = kinds_by_frequency([book])[0]
        same_seat = [by_key.get((book.by, variant.name, book.level, book.seat)) for variant in data.run.variants]
        usual = [same.find(kind) if same else None for same in same_seat]
        label = f"{book.level}, seat {book.seat + 1}: {kind}"
        rows.append(Row(label, [opening.share if opening else None for opening in usual]))
    if not rows:
        return None
    note = f"Share of games; sorted by {books[0].text}. {DOTS_NOTE}"
    return charts.dot_chart("openings", _openings_title(data), note, rows, data.names, "share")


# --- heat maps -------------------------------------------------------------------------------------------------------


def heat_pictures(run: RunTables) -> list[Picture]:
    """Where things are at the end of games of the reference, and the difference to the first other variant, for every
    level whose games `mmsim heat` has sampled; on the first board if there are several."""
    return [picture for level in run.by_level for picture in _level_maps(run, level.by_board[0])]


def _level_maps(run: RunTables, level: RunTables) -> list[Picture]:
    shell, reference = find_shell(run.experiment.game), level.variants[0]
    games = games_counted(run.folder, reference.name)
    counts = end_positions_of(run.folder, reference.name) if games else None
    if counts is None or not isinstance(shell, SupportsHeatMaps):
        return []
    seats = sorted({place.seat for place in counts})
    name, whose = spoken_name(reference.name), f": {level.level.name}" if run.of_levels else ""

    def picture(title: str, text: str, options: Sequence[str], maps: HeatMaps) -> Picture:
        words = ["mmsim", "heat", shown_path(run.folder), *options, "--games", str(games), "--out", "heat.svg"]
        draw = partial(_draw_maps, run.experiment.game, reference, maps)
        return Picture(f"{title}{whose}", text, shlex.join(words), draw)

    text = f"At the end of {games:,} games, by seat ({name})."
    maps = heat_maps(name, counts, games, seats, shell.heat_map_note)
    pictures = [picture(_MAP_TITLE, text, ["--variant", reference.name], maps)]
    for variant in level.variants[1:]:
        if (other_counts := end_positions_of(run.folder, variant.name, games)) is not None:
            names = (name, spoken_name(variant.name))
            maps = difference_maps(names, (counts, other_counts), games, seats, shell.heat_map_note)
            text = f"{names[1]} less {names[0]}, {games:,} games of each."
            options = ["--variant", variant.name, "--against", reference.name]
            return [*pictures, picture(_DIFFERENCE_TITLE, text, options, maps)]
    return pictures


def _draw_maps(game: str, variant: VariantDescription, maps: HeatMaps) -> bytes:
    shell = find_shell(game)
    assert isinstance(shell, SupportsHeatMaps)
    return shell.heat_maps(variant, maps)(".svg")


# --- layouts and rule gaps -------------------------------------------------------------------------------------------


def layouts(data: ReportData) -> Section | None:
    estimates = data.estimates.get("layout_share")
    if estimates is None:
        return None
    played = "; ".join(
        f"{name}: {games:,} games on {layouts:,} layouts"
        for name, (layouts, games) in sorted((data.name_of(name), counts) for name, counts in data.layouts.items())
    )
    title, unit = _layouts_title(data), estimates.measure.unit
    note = f"Share of the variance between games that lies between layouts. {marks_note(data)}"
    chart = charts.dot_chart("layouts", title, note, charts.rows_of(estimates), data.names, unit)
    whose = f" ({data.shown.level.name} level)" if len(data.levels) > 1 else ""
    text = [f"{played}{whose}.", _layout_spread(data)]
    if any(variant.games_per_deal > 1 for variant in data.run.variants):
        text.append("With rotated seats games on one layout share their deal: the effect of a layout includes both.")
    table = estimates_table(data, "Boards in numbers", ["layout_share", "layout_spread"])
    asked = len(data.names) == 1 and "layout_share" in data.run.experiment.metrics
    return Section("boards", "Boards", title, text, [chart], [table], folded=not asked)


def _layouts_title(data: ReportData) -> str:
    """What layouts are shown to matter for, and for what most, if the games show that."""
    estimates, layouts = data.estimates["layout_share"], _shared_by_layout(data)
    shares = [(estimates.estimate(0, g), fmt.title(group)) for g, group in enumerate(estimates.groups)]
    adjusted = holm([two_sided_p(share.value, share.se, max(share.deals - 1, 1)) for share, _ in shares])
    certain = [pair for pair, p in zip(shares, adjusted, strict=True) if pair[0].low > 0 and p < ALPHA]
    if not certain:
        return with_reference(data, f"these games do not tell what {layouts} matter for")
    first = leading_estimates([share for share, _ in certain], ALPHA)
    if len(first) > _MAX_CANDIDATES:
        return with_reference(data, f"{layouts} matter for {len(certain)} of {len(shares)} outcomes")
    named = [f"{certain[i][1]} ({fmt.short(certain[i][0], 'share')} of the variance)" for i in first]
    most = " most" if len(certain) > 1 else ""
    return with_reference(data, f"{layouts} matter{most} for {join_words(named, ' or ')}")


def _shared_by_layout(data: ReportData) -> str:
    """What games on one layout have in common; with rotated seats that is the deal too."""
    shared = any(variant.games_per_deal > 1 for variant in data.run.variants)
    return "layouts with their deals" if shared else "layouts"


def _layout_spread(data: ReportData) -> str:
    """How far players' chances depend on the layout, variant by variant."""
    estimates = data.estimates["layout_spread"]
    known = [(estimates.estimate(v, 0), name) for v, name in enumerate(data.names) if estimates.known(v, 0)]
    values = [
        fmt.with_interval(spread, estimates.measure.unit) + (f" under {name}" if len(data.names) > 1 else "")
        for spread, name in known
    ]
    layouts = _shared_by_layout(data)
    text = f"a player's chance to win varies between {layouts} with a standard deviation of {join_words(values)}"
    if all(spread.low > 0 for spread, _ in known):
        return f"Who wins depends on the layout too: {text}."
    return f"These games do not show for sure how far who wins depends on the layout: {text}."


def on_the_atlas(data: ReportData) -> Section | None:
    """How even the layouts are that were played, among all layouts of their board."""
    run = data.run
    default = find_shell(run.experiment.game).default_board
    names = {(variant.board_name or default or "").partition(":")[0] for variant in run.variants}
    atlas = shipped_atlas(run.experiment.game, names.pop()) if len(names) == 1 else None
    games = run.tables["games"]
    if atlas is None or "layout" not in games.collect_schema():
        return None
    codes = games.select(pl.col("layout").cast(pl.String).drop_nulls().unique().sort()).collect()["layout"].to_list()
    rows = _atlas_rows(atlas, codes[:: -(-len(codes) // _MAX_LAYOUTS)])
    if not rows:
        return None
    level = atlas.best_level
    uneven, of_all = 100 * atlas.unevenness(level), atlas.levels[level]
    played = uneven[rows]
    if len(rows) == 1:
        share = 100 * float((uneven > played[0]).mean())
        title = f"This layout is more even than {share:.0f} % of all {len(uneven):,}"
    else:
        title = (
            f"The layouts of this run have {played.mean():.1f} points of unevenness on average, all "
            f"{len(uneven):,} have {uneven.mean():.1f}"
        )
    text = [
        f"By the atlas of {atlas.plan.board} ({atlas.plan.rules}, {atlas.plan.players} players, {of_all} level): "
        f"{100 * float(np.mean(atlas.unfair(level)[rows])):.0f} % of them are shown to be unfair."
    ]
    tables = [_atlas_table(atlas, rows, level)] if len(rows) <= _MAX_LISTED_LAYOUTS else []
    return Section("atlas", "Atlas", title, text, [], tables, folded=len(rows) > _MAX_LISTED_LAYOUTS)


def _atlas_rows(atlas: Atlas, codes: list[str]) -> list[int]:
    """The rows of the atlas that have these layouts, each once; empty if they are layouts of other pieces."""
    try:
        rows = (atlas.row_of(code) for code in codes)
        return list(dict.fromkeys(row for row in rows if row is not None))
    except UsageError:
        return []


def _atlas_table(atlas: Atlas, rows: list[int], level: int) -> Table:
    columns = ["layout", "unevenness (points)", *(f"seat {seat + 1} (%)" for seat in range(atlas.players))]
    uneven, shares = 100 * atlas.unevenness(level), 100 * atlas.seat_shares(level)
    cells = [[atlas.code(row), f"{uneven[row]:.1f}", *(f"{share:.0f}" for share in shares[row])] for row in rows]
    return Table("The layouts on the atlas", columns, cells, folded=False)


def rule_gaps(data: ReportData) -> Section | None:
    if not data.gaps:
        return None
    rows, never = [], []
    for gap, estimates in data.gaps:
        if estimates.means.any():
            shares = [estimate_cell(estimates, v) for v in range(len(estimates.variants))]
            rows.append([gap.situation, gap.reading, gap.rules, *shares])
        else:
            never.append(f"{gap.situation[:1].lower()}{gap.situation[1:]}".removesuffix("."))
    text = ["Situations that the rule books leave open or settle differently, and how often they came up."]
    text += [f"Never: {'; '.join(never)}."] if never else []
    columns = ["situation", "how it is read here", RULES, *data.names]
    tables = [Table("Share of games in which it came up", columns, rows, words=3, folded=False)] if rows else []
    return Section("gaps", "Rule gaps", _gaps_title(data), text, [], tables)


def _gaps_title(data: ReportData) -> str:
    """Which open questions came up most often with the reference, if the games show it."""
    shares = [estimates.estimate(0, 0) for _, estimates in data.gaps]
    came_up = sum(share.value > 0 for share in shares)
    if not came_up:
        return with_reference(data, "no open question came up")
    first = leading_estimates(shares, ALPHA)
    if len(first) > _MAX_CANDIDATES:
        return with_reference(data, f"{came_up} of {len(shares)} open questions came up")
    named = [f"“{fmt.title(data.gaps[g][0].name)}” ({fmt.short(shares[g], 'share')} of games)" for g in first]
    return with_reference(data, f"the open question that came up most often is {join_words(named, ' or ')}")


# --- remarkable games ------------------------------------------------------------------------------------------------


def remarkable_games(data: ReportData) -> Section | None:
    """Games worth a look, drawn from their records if the run has them."""
    if not data.remarkable_games:
        return None
    name, playouts = data.run.experiment.game, _playouts(data.run)
    shell, pictures, has_chances = find_shell(name), [], True
    for game in data.remarkable_games:
        remarkable, variant, record = game.remarkable, game.variant.name, game.record
        draw = partial(_draw_end, name, record) if record and isinstance(shell, DrawsPictures) else None
        replay = None
        if record and isinstance(shell, ReplaysRecords):
            known = win_chances_of(data.run.folder, variant, remarkable.game)
            has_chances = has_chances and bool(known or playouts)
            title = capitalise(f"{remarkable.kind} game")
            replay = partial(_make_replay_page, name, record, known, playouts, title)
        caption = f"{capitalise(remarkable.text)} ({data.name_of(variant)}, game {remarkable.game:,})."
        pictures.append(Picture(f"The {remarkable.kind} game", caption, game.command, draw, replay))
    folder, first = shlex.quote(shown_path(data.run.folder)), data.run.cells[0].name
    text = [f"Any game of the run, step by step: “mmsim replay {folder} --variant {shlex.quote(first)} --number 0”."]
    if not all(game.record for game in data.remarkable_games):
        text.append(
            "Games whose records this run does not have are not drawn; "
            f"“mmsim resume {folder}” writes those of a whole run."
        )
    elif not has_chances and isinstance(find_game(name), EstimatesWinChances):
        text.append(f"After “mmsim chances {folder}” the pages of these games show who was likely to win, too.")
    return Section("remarkable-games", "Games", "Games worth a look", text, [], [], pictures)


def _playouts(run: RunTables) -> int:
    """How many playouts the chances to win of a run were estimated with; 0 if they were not.

    Estimating takes compiled code, which a report does not load unless the run shows that somebody wants it.
    """
    table = read_win_chances(run.folder)
    return 0 if table is None or table.is_empty() else int(table["playouts"].cast(pl.Int64).max())  # type: ignore[arg-type]


def _draw_end(game: str, record: dict[str, Any]) -> bytes:
    shell = find_shell(game)
    assert isinstance(shell, DrawsPictures)
    return shell.picture(record)


def _make_replay_page(
    name: str, record: dict[str, Any], chances: Sequence[Sequence[float]], playouts: int, title: str
) -> bytes:
    """The page to step through a game, with chances to win: those of the run, or estimated now by playouts."""
    shell, game = find_shell(name), find_game(name)
    assert isinstance(shell, ReplaysRecords)
    from mmsim.report.replay_page import page  # only what draws imports the drawing code

    if not chances and playouts and isinstance(game, EstimatesWinChances):
        chances = game.win_chances(record, playouts).tolist()
    return page(replace(shell.replay(record), chances=chances), title, "../report.html").encode()
