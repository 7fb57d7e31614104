"""The section that places the layouts of a run on the atlas of their board, if one comes with mmsim."""

import numpy as np
import polars as pl

from mmsim.analysis.atlas import Atlas, shipped_atlas
from mmsim.errors import UsageError
from mmsim.games import find_shell
from mmsim.report.report_data import ReportData
from mmsim.report.sections import Section, Table

_MAX_ROWS = 12  # layouts that are listed one by one
_MAX_LOOKED_UP = 2000  # of more layouts an even sample is looked up


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
    rows = _rows(atlas, codes[:: -(-len(codes) // _MAX_LOOKED_UP)])
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
    tables = [_table(atlas, rows, level)] if len(rows) <= _MAX_ROWS else []
    return Section("atlas", "Atlas", title, text, [], tables, folded=len(rows) > _MAX_ROWS)


def _rows(atlas: Atlas, codes: list[str]) -> list[int]:
    """The rows of the atlas that have these layouts, each once; empty if they are layouts of other pieces."""
    try:
        rows = (atlas.row_of(code) for code in codes)
        return list(dict.fromkeys(row for row in rows if row is not None))
    except UsageError:
        return []


def _table(atlas: Atlas, rows: list[int], level: int) -> Table:
    columns = ["layout", "unevenness (points)", *(f"seat {seat + 1} (%)" for seat in range(atlas.players))]
    uneven, shares = 100 * atlas.unevenness(level), 100 * atlas.seat_shares(level)
    cells = [[atlas.code(row), f"{uneven[row]:.1f}", *(f"{share:.0f}" for share in shares[row])] for row in rows]
    return Table("The layouts on the atlas", columns, cells, folded=False)
