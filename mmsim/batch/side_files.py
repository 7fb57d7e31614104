"""Files beside the tables of a run, made by commands that look further into some of its games.

Each has a checksum in the journal, and is used only if it matches. The checksum is written first: whenever a writer is
killed, the file is one that the journal knows, the old one or the new one.
"""

import hashlib
from pathlib import Path

import polars as pl

from mmsim.batch import journal
from mmsim.batch.journal import JOURNAL, SideFile
from mmsim.batch.manifest import END_POSITIONS_FILE, SIDE_FILES, WHY, WIN_CHANCES_FILE
from mmsim.batch.run import Run
from mmsim.errors import MmsimError
from mmsim.system.files import read_bytes, write_atomically
from mmsim.tables.frames import parquet_bytes
from mmsim.tables.parquet_files import read_checked, type_names

SCHEMAS = {
    WIN_CHANCES_FILE: {
        "variant": pl.String(),
        "game": pl.Int64(),
        "turn": pl.Int16(),
        "player": pl.Int8(),
        "chance": pl.Float64(),
        "playouts": pl.Int32(),
    },
    END_POSITIONS_FILE: {
        "variant": pl.String(),
        "games": pl.Int64(),
        "what": pl.String(),
        "seat": pl.Int8(),
        "place": pl.String(),
        "count": pl.Int64(),
    },
}
_MAX_ROWS = 20_000_000
_MAX_BYTES = 1 << 28
_MEND = {
    WIN_CHANCES_FILE: "delete it and make it again: mmsim chances {run}",
    END_POSITIONS_FILE: "delete it and make it again: mmsim heat {run} --out FILE",
    WHY: "make it again: mmsim why {run}",
}


def write_side_file(folder: Path, name: str, content: bytes) -> None:
    """Write a file beside the tables of a run, with its checksum; refused while somebody else writes to the run."""
    run = Run(folder)
    with run.writing():
        entry = SideFile(name, len(content), hashlib.sha256(content).hexdigest())
        journal.append_side_file(folder / JOURNAL, entry)
        write_atomically(folder / name, content)


def write_side_table(folder: Path, name: str, table: pl.DataFrame) -> None:
    write_side_file(folder, name, parquet_bytes(table.select(*SCHEMAS[name])))


def read_side_file(folder: Path, name: str) -> bytes | None:
    """The content of a file beside the tables of a run, or None if it was never made; an error if it is damaged."""
    try:
        content = read_bytes(folder / name, _MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise damaged(folder, name, f"cannot be read: {error.strerror or error}") from error
    checksum = hashlib.sha256(content).hexdigest()
    if not any(entry.sha256 == checksum for entry in Run(folder).side_files() if entry.name == name):
        raise damaged(folder, name, "does not match its checksum in the journal")
    return content


def read_side_table(folder: Path, name: str) -> pl.DataFrame | None:
    """A table beside the tables of a run, or None if it was never made; an error if it cannot be of this run."""
    content = read_side_file(folder, name)
    if content is None:
        return None
    try:
        table = read_checked(content, type_names(SCHEMAS[name]), range(_MAX_ROWS))
        check = _check_win_chances if name == WIN_CHANCES_FILE else _check_end_positions
        check(Run(folder), table)
    except MmsimError as error:
        raise damaged(folder, name, f"is not a table of this run: it {error}") from error
    return table


def damaged(folder: Path, name: str, problem: str) -> MmsimError:
    """The error about a file that cannot be used, with the command that makes it again."""
    return MmsimError(f"{folder / name} {problem}; {_MEND[name].format(run=folder)}")


def check_side_files(folder: Path) -> list[str]:
    """A sentence for every file beside the tables that cannot be used."""
    problems = []
    for name in SIDE_FILES:
        try:
            read_side_table(folder, name) if name in SCHEMAS else read_side_file(folder, name)
        except MmsimError as error:
            problems.append(str(error))
    return problems


# --- what cannot be ----------------------------------------------------------------------------------------------


def _check_win_chances(run: Run, table: pl.DataFrame) -> None:
    _check_values(
        (pl.col("variant").is_in(run.variant_names), "a variant"),
        (pl.col("game").is_between(0, run.games_per_variant - 1), "a game"),
        (pl.col("turn") >= 0, "a turn"),
        (pl.col("chance").is_between(0, 1), "a chance"),
        (pl.col("playouts") > 0, "a number of playouts"),
        table=table,
    )
    games = table.group_by("variant", "game").agg(
        pl.struct("turn", "player").n_unique().alias("different"),
        pl.len().alias("rows"),
        (pl.col("turn").max().cast(pl.Int64) + 1).alias("turns"),
        pl.col("player").min().alias("first"),
        (pl.col("player").max().cast(pl.Int64) + 1).alias("players"),
        pl.col("playouts").n_unique().alias("kinds"),
    )
    players = {description.name: description.players for description in run.manifest.variants}
    expected = pl.col("variant").replace_strict(players, return_dtype=pl.Int64)
    is_whole = (
        (pl.col("rows") == pl.col("different"))
        & (pl.col("rows") == pl.col("turns") * pl.col("players"))
        & (pl.col("players") == expected)
        & (pl.col("first") == 0)
        & (pl.col("kinds") == 1)
    )
    if not games.select(is_whole.all()).item():
        raise MmsimError("does not have every player after every turn of its games")


def _check_end_positions(run: Run, table: pl.DataFrame) -> None:
    seats = max(len(description.seat_player) for description in run.manifest.variants)
    _check_values(
        (pl.col("variant").is_in(run.variant_names), "a variant"),
        (pl.col("games").is_between(1, run.games_per_variant), "a number of games"),
        (pl.col("count").is_between(1, pl.col("games")), "a count"),
        (pl.col("games") == pl.col("games").first().over("variant"), "a number of games"),
        (pl.col("seat").is_between(0, seats - 1), "a seat"),
        table=table,
    )


def _check_values(*rules: tuple[pl.Expr, str], table: pl.DataFrame) -> None:
    """MmsimError if a value is missing or breaks a rule, which comes with a name for the value."""
    if table.null_count().sum_horizontal().sum():
        raise MmsimError("lacks values")
    for rule, name in rules:
        if not table.select(rule.all()).item():
            raise MmsimError(f"has {name} that cannot be")
