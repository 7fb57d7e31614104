"""Tables of a run as one file for other programs, in the format of its suffix."""

import shutil
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from mmsim.batch.run import Run
from mmsim.errors import MmsimError, UsageError
from mmsim.system.extras import missing_extra
from mmsim.system.files import DASH, open_output, write_output
from mmsim.system.temporary import temporary_folder

if TYPE_CHECKING:
    import polars as pl

_SINKS = {".csv": "sink_csv", ".json": "sink_ndjson", ".parquet": "sink_parquet"}  # methods of Polars, for one table
_SHEETS, _DATABASE = ".xlsx", ".duckdb"  # these hold several tables
SUFFIXES = (*_SINKS, _SHEETS, _DATABASE)
_MAX_SHEET_ROWS = 1_048_575  # below the column names


def export(run: Run, table: str | None, path: Path, on_step: Callable[[str], None] = lambda text: None) -> int:
    """Write one table, or all if the format holds several, and return the number of rows; `-` writes CSV to stdout."""
    kind = ".csv" if path == DASH else path.suffix.lower()
    if kind not in SUFFIXES:
        raise UsageError(
            f"cannot export to '{path}': its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        )
    if table is None and kind in _SINKS:
        raise UsageError(f"a {kind} file holds one table; say which with --table: {', '.join(run.table_names)}")
    import polars as pl  # slow to import, and `mmsim runs list` does without it

    from mmsim.tables.frames import no_formulas

    names = [table] if table else run.table_names
    on_step(f"checking the files of {', '.join(names)}")
    frames = {name: run.table(name) for name in names}
    rows = {name: int(frame.select(pl.len()).collect().item()) for name, frame in frames.items()}
    if kind == _SHEETS:
        _write_sheets(frames, rows, path, on_step)
    elif kind == _DATABASE:
        _write_database(run, rows, path, on_step)
    else:
        on_step(f"writing {rows[names[0]]:,} rows of {names[0]}")
        frame = no_formulas(frames[names[0]]) if kind == ".csv" else frames[names[0]]
        with open_output(path) as file:
            getattr(frame, _SINKS[kind])(file)
    return sum(rows.values())


def _write_sheets(
    frames: "Mapping[str, pl.LazyFrame]", rows: Mapping[str, int], path: Path, on_step: Callable[[str], None]
) -> None:
    """A workbook with one sheet per table, made in memory."""
    for name, count in rows.items():
        if count > _MAX_SHEET_ROWS:
            raise UsageError(
                f"{name} has {count:,} rows and a sheet holds at most {_MAX_SHEET_ROWS:,}; "
                "export .csv, .parquet or .duckdb"
            )
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise missing_extra("workbooks need", "export") from error
    content = BytesIO()
    with Workbook(content, {"strings_to_formulas": False, "strings_to_urls": False, "in_memory": True}) as workbook:
        for name, frame in frames.items():
            on_step(f"writing {rows[name]:,} rows of {name}")
            frame.collect(engine="streaming").write_excel(workbook, name)
        on_step("packing the workbook")
    write_output(path, content.getvalue())


def _write_database(run: Run, rows: Mapping[str, int], path: Path, on_step: Callable[[str], None]) -> None:
    """A DuckDB database; DuckDB reads the tables from the parts of the run itself."""
    try:
        import duckdb
    except ImportError as error:
        raise missing_extra("databases need", "export") from error
    with open_output(path) as file, temporary_folder() as scratch:
        database_file = scratch / "tables.duckdb"
        try:
            with duckdb.connect(database_file) as database:
                for table, count in rows.items():
                    on_step(f"writing {count:,} rows of {table}")
                    parts = [str(run.folder / table / part.file) for part in run.verified_parts(table)]
                    query = f'CREATE TABLE "{table}" AS SELECT * FROM read_parquet($parts)'
                    database.execute(query, {"parts": parts})
        except duckdb.Error as error:
            raise MmsimError(f"cannot write {path}: {str(error).splitlines()[0]}") from error
        with database_file.open("rb") as content:
            shutil.copyfileobj(content, file)
