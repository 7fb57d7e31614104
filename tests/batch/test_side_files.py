"""Files beside the tables of a run: a number of them is used only if the file is as it was written."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from mmsim.batch import journal
from mmsim.batch.check import CheckProgress, check
from mmsim.batch.journal import SideFile
from mmsim.batch.manifest import write_manifest
from mmsim.batch.remarkable import kept_record
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.batch.side_files import (
    SCHEMAS,
    check_side_files,
    read_side_file,
    read_side_table,
    write_side_file,
    write_side_table,
)
from mmsim.batch.side_tables import read_win_chances
from mmsim.errors import MmsimError
from mmsim.tables.frames import parquet_bytes
from tests.cli.runner import run
from tests.runs import write_run

CHANCES, ENDS, WHY = "win_chances.parquet", "end_positions.parquet", "why.json"
NAMES = (CHANCES, ENDS, WHY)
pytestmark = pytest.mark.usefixtures("empty_charts")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with every file that a command makes beside its tables."""
    folder = tmp_path_factory.mktemp("side") / "run"
    write_run(folder, ["metro", "metro+free"], games=12, part_games=6, game="metro", players=2, bots="uniform")
    for words in (
        ("chances", folder, "--games", 2, "--playouts", 2, "--workers", 1),
        ("heat", folder, "--games", 2, "--workers", 1, "--out", folder.parent / "heat.svg"),
        ("why", folder, "--games", 8, "--only", "hand=2", "--workers", 1),
    ):
        result = run(*words)
        assert result.exit_code == 0, result.stderr
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def sign(folder: Path, name: str, content: bytes) -> None:
    """Put other content into a file, and have the journal agree, as whoever can write to the folder can."""
    journal.append_side_file(folder / "parts.jsonl", SideFile(name, len(content), hashlib.sha256(content).hexdigest()))
    (folder / name).write_bytes(content)


def problems(folder: Path) -> list[str]:
    return list(check(Run(folder), 0, CheckProgress()))


def test_a_run_with_all_files_is_whole(folder: Path, tmp_path: Path) -> None:
    assert problems(folder) == []
    assert all(read_side_file(folder, name) for name in NAMES)
    assert run("report", folder, "--out", tmp_path / "report").exit_code == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *((name, ("check", "RUN", "--sample", 0)) for name in NAMES),
        *((name, ("report", "RUN", "--out", "report")) for name in (*NAMES, "records/closest.json")),
        (CHANCES, ("compare", "RUN")),
        (CHANCES, ("chances", "RUN", "--games", 2, "--playouts", 2)),
        (CHANCES, ("replay", "RUN", "--number", 0, "--variant", "metro-2p", "--out", "page.html")),
        (ENDS, ("heat", "RUN", "--games", 2, "--out", "heat.svg")),
    ],
)
def test_one_wrong_bit_is_one_sentence(
    folder: Path, name: str, words: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flip(folder / name)
    result = run(*(folder if word == "RUN" else word for word in words))
    assert result.exit_code == 1
    text = result.stderr.splitlines()[-1]
    assert f"{folder / name} does not match its checksum in the {'manifest' if '/' in name else 'journal'}; " in text
    mend = {CHANCES: "delete it and make it again: mmsim chances ", ENDS: "delete it and make it again: mmsim heat "}
    assert mend.get(name, "make it again: mmsim ") in text


def test_every_byte_of_a_file_counts(folder: Path) -> None:
    for name in NAMES:
        content = (folder / name).read_bytes()
        for at in range(0, len(content), max(1, len(content) // 20)):
            (folder / name).write_bytes(content[:at] + bytes([content[at] ^ 64]) + content[at + 1 :])
            with pytest.raises(MmsimError, match="does not match its checksum in the journal"):
                read_side_file(folder, name)
        (folder / name).write_bytes(content)
        assert read_side_file(folder, name) == content


def test_the_file_of_another_run_is_refused(made: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "other", ["metro"], games=6, part_games=6, game="metro", players=2, bots="uniform")
    for name in NAMES:
        assert read_side_file(other, name) is None
        shutil.copy(made / name, other / name)
    assert len(problems(other)) == 3
    with pytest.raises(MmsimError, match="does not match its checksum in the journal"):
        read_win_chances(other)


def test_what_is_no_regular_file_is_refused(folder: Path) -> None:
    (folder / CHANCES).unlink()
    (folder / CHANCES).mkdir()
    (folder / WHY).unlink()
    (folder / WHY).symlink_to("/dev/zero")
    assert [problem.split("; ")[0].removeprefix(f"{folder}/") for problem in check_side_files(folder)] == [
        "win_chances.parquet cannot be read: it is not a regular file",
        "why.json cannot be read: it is not a regular file",
    ]


def test_a_damaged_file_is_made_again_as_the_sentence_says(folder: Path) -> None:
    before = (folder / CHANCES).read_bytes()
    flip(folder / CHANCES)
    (folder / CHANCES).unlink()
    assert run("chances", folder, "--games", 2, "--playouts", 2, "--workers", 1).exit_code == 0
    assert (folder / CHANCES).read_bytes() == before
    flip(folder / WHY)
    assert run("why", folder, "--games", 8, "--only", "hand=2", "--workers", 1).exit_code == 0
    assert problems(folder) == []
    flip(folder / "records" / "closest.json")
    Session(Run(folder), 1).carry_out()
    assert problems(folder) == []


def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(folder: Path) -> None:
    old = read_side_file(folder, WHY)
    journal.append_side_file(folder / "parts.jsonl", SideFile(WHY, 2, hashlib.sha256(b"[]").hexdigest()))
    assert read_side_file(folder, WHY) == old
    (folder / WHY).write_bytes(b"[]")
    assert read_side_file(folder, WHY) == b"[]"


def test_resuming_a_run_keeps_what_the_journal_says_of_them(folder: Path) -> None:
    (folder / "seats" / "part-000001.parquet").unlink()
    Session(Run(folder), 1).carry_out()
    assert problems(folder) == []
    write_side_file(folder, WHY, b"[]")
    assert [entry.name for entry in Run(folder).side_files()] == [*NAMES, WHY]


def test_a_run_that_is_being_written_is_left_alone(folder: Path) -> None:
    with Run(folder).writing(), pytest.raises(MmsimError, match="is being written by process"):
        write_side_file(folder, WHY, b"[]")
    assert problems(folder) == []
    with Run(folder).writing():
        result = run("heat", folder, "--games", 3, "--workers", 1, "--out", folder.parent / "heat.svg")
    assert result.exit_code == 1
    assert result.stderr.endswith(f"{folder} is being written by another process; wait for it or stop it first\n")


# --- a right checksum under wrong content ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "columns", "says"),
    [
        (CHANCES, {"chance": pl.lit(1.5)}, "it has a chance that cannot be"),
        (CHANCES, {"chance": pl.lit(float("nan"))}, "it has a chance that cannot be"),
        (CHANCES, {"chance": pl.lit(None, pl.Float64)}, "it lacks values"),
        (CHANCES, {"variant": pl.lit("chess")}, "it has a variant that cannot be"),
        (CHANCES, {"game": pl.col("game") - 1}, "it has a game that cannot be"),
        (CHANCES, {"game": pl.col("game") * 0}, "it does not have every player after every turn of its games"),
        (CHANCES, {"player": pl.col("player") + 1}, "it does not have every player"),
        (CHANCES, {"turn": pl.col("turn") + 1}, "it does not have every player"),
        (CHANCES, {"playouts": pl.col("playouts") * 0}, "it has a number of playouts that cannot be"),
        (CHANCES, {"turn": pl.col("turn").cast(pl.Int64)}, "it has a column turn of the type Int64 instead of Int16"),
        (
            CHANCES,
            {"more": pl.lit(1)},
            "it has the columns variant, game, turn, player, chance, playouts, more instead",
        ),
        (ENDS, {"count": pl.col("games") + 1}, "it has a count that cannot be"),
        (ENDS, {"seat": pl.lit(7, pl.Int8)}, "it has a seat that cannot be"),
        (ENDS, {"games": pl.col("games") * 1000}, "it has a number of games that cannot be"),
        (ENDS, {"place": pl.lit(None, pl.String)}, "it lacks values"),
    ],
)
def test_a_table_that_cannot_be_of_the_run_is_refused(
    folder: Path, name: str, columns: dict[str, pl.Expr], says: str
) -> None:
    table = read_side_table(folder, name)
    assert table is not None
    sign(folder, name, parquet_bytes(table.with_columns(**columns)))
    with pytest.raises(MmsimError, match=f"{name} is not a table of this run: {says}"):
        read_side_table(folder, name)
    assert len(problems(folder)) == 1


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"noise" * 100])
def test_what_is_no_table_is_refused(folder: Path, content: bytes) -> None:
    for name in SCHEMAS:
        sign(folder, name, content)
        with pytest.raises(MmsimError, match=f"{name} is not a table of this run: it cannot be read as Parquet: "):
            read_side_table(folder, name)


def test_more_rows_than_there_can_be_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_side_table(folder, CHANCES)
    assert table is not None
    monkeypatch.setattr("mmsim.batch.side_files._MAX_ROWS", 10)
    monkeypatch.setattr(pl, "read_parquet", None)
    with pytest.raises(MmsimError, match=f"it has {len(table)} rows instead of at most 9"):
        read_side_table(folder, CHANCES)


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"variant": 3}]', b"[" * 10_000, b'[{"variant": ' + b"9" * 5000])
def test_what_is_no_answer_is_refused(folder: Path, content: bytes, tmp_path: Path) -> None:
    sign(folder, WHY, content)
    result = run("report", folder, "--out", tmp_path / "report")
    says = result.stderr.splitlines()[-1]
    assert result.exit_code == 1
    assert says.startswith(f"mmsim: error: {folder / WHY} is not an answer: ")
    assert says.endswith(f"; make it again: mmsim why {folder}")


def test_a_record_of_another_game_is_refused(folder: Path) -> None:
    run = Run(folder)
    entry = run.finished.records[0]
    record = json.loads((folder / entry.file).read_bytes())
    record["result"]["scores"][0] += 1
    content = json.dumps(record).encode()
    (folder / entry.file).write_bytes(content)
    kept = [
        msgspec.structs.replace(entry, sha256=hashlib.sha256(content).hexdigest()) if other is entry else other
        for other in run.finished.records
    ]
    write_manifest(
        folder, msgspec.structs.replace(run.manifest, finished=msgspec.structs.replace(run.finished, records=kept))
    )
    with pytest.raises(MmsimError, match="is not the record of its game: "):
        kept_record(folder, entry.variant, entry.game)


def test_a_table_is_written_with_its_columns_in_order(folder: Path) -> None:
    table = read_side_table(folder, ENDS)
    assert table is not None
    write_side_table(folder, ENDS, table.select(reversed(table.columns)))
    assert table.equals(read_side_table(folder, ENDS))
