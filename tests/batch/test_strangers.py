"""A run's folder from a stranger, or from a disk that flips bits: nothing of it is run, nothing outside is touched, and
what is wrong with it is said in a sentence."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from msgspec.structs import replace

from mmsim.analysis.tables import open_run
from mmsim.batch import run
from mmsim.batch.check import CheckProgress, check, replay_record
from mmsim.batch.experiment import from_mapping
from mmsim.batch.export import export
from mmsim.batch.journal import rewrite
from mmsim.batch.manifest import runs_in
from mmsim.batch.run import Run
from mmsim.batch.run_folder import remove_run
from mmsim.batch.session import Session
from mmsim.errors import MmsimError, UsageError
from mmsim.tables.frames import games_digest, row_digest
from tests.batch.helpers import expected, tables_of, toy
from tests.runs import change_manifest

pytestmark = pytest.mark.usefixtures("toy_game")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run of three parts."""
    with pytest.MonkeyPatch.context() as patch:
        from mmsim import games
        from mmsim.batch import experiment, pool
        from tests.batch import helpers

        patch.setitem(games._PACKAGES, "toy", "tests.toy")
        patch.setattr(experiment, "GAMES", (*games.GAMES, "toy"))
        patch.setattr(pool, "serve", helpers.serve)
        run = Run.create(tmp_path_factory.mktemp("played") / "run", toy(games=180))
        Session(run, 1).carry_out()
    return run.folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    return Path(shutil.copytree(played, tmp_path / "run"))


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


# --- bots in Python ------------------------------------------------------------------------------------------------


@pytest.fixture
def with_bot(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A run with a bot in Python, the bot's file, and a file that grows by a letter whenever that is imported."""
    trace, file = tmp_path / "trace", tmp_path / "mine.py"
    file.write_text(
        f"open({str(trace)!r}, 'a').write('x')\n\n\nclass Mine:\n    name = 'bold'\n\n"
        "    def choose(self, view, moves):\n        return moves[0]\n"
    )
    run = Run.create(tmp_path / "run", toy(games=120, bots=f"{file}:Mine"))
    Session(run, 1).carry_out()
    return run.folder, file, trace


def test_reading_a_run_never_imports_its_bots(with_bot: tuple[Path, Path, Path], tmp_path: Path) -> None:
    folder, _, trace = with_bot
    before = trace.read_text()
    run = Run(folder)
    assert list(check(run, 0, CheckProgress())) == []
    assert export(run, "seats", tmp_path / "seats.csv") == 360
    assert open_run(folder).games_of("dice-3p") == 120
    assert [Run(run_folder).summary()["state"] for run_folder in runs_in(tmp_path)] == ["finished"]
    assert trace.read_text() == before


@pytest.mark.parametrize(
    "asks",
    [
        lambda run: list(check(run, 1, CheckProgress())),
        lambda run: replay_record(run, 0, 3),
        lambda run: Session(run, 1).carry_out(),
    ],
)
def test_playing_a_run_again_asks_where_its_bots_are(
    with_bot: tuple[Path, Path, Path], asks: Callable[[Run], object]
) -> None:
    folder, _, trace = with_bot
    before = trace.read_text()
    with pytest.raises(
        UsageError, match=r"say where its file mine.py is: --bots-from PATH \(as it was: .*/bots/1-mine.py.txt"
    ):
        asks(Run(folder))
    assert trace.read_text() == before


def test_with_its_bots_a_run_is_checked_and_resumed(with_bot: tuple[Path, Path, Path]) -> None:
    folder, file, _ = with_bot
    tables = tables_of(Run(folder))
    (folder / "seats" / "part-000001.parquet").unlink()
    assert Session(Run(folder, file.parent), 1).carry_out().done_before == 60
    assert tables_of(Run(folder)) == tables
    assert (folder / "bots" / "1-mine.py.txt").read_bytes() == file.read_bytes()
    (source,) = Run(folder).manifest.bots
    assert source.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_another_source_of_a_bot_is_refused(with_bot: tuple[Path, Path, Path]) -> None:
    folder, file, trace = with_bot
    before = trace.read_text()
    file.write_text(file.read_text() + "# better\n")
    with pytest.raises(MmsimError, match="mine.py is not the bot of .*/run, whose source is kept in "):
        Session(Run(folder, file), 1).carry_out()
    assert trace.read_text() == before


def test_a_bot_that_a_manifest_names_and_does_not_know_is_refused(folder: Path, tmp_path: Path) -> None:
    gift = folder / "helper.py"
    gift.write_text("raise SystemExit('imported')")
    change_manifest(folder, experiment={**manifest_of(folder)["experiment"], "bots": f"{gift}:Uniform"})
    for where in (None, folder):
        with pytest.raises(MmsimError, match="does not say what its bot .*helper.py was"):
            Session(Run(folder, where), 1).carry_out()


# --- names that are paths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../x", "/etc/x", "..", "", "a\nb", "a\x1b[2J", "x" * 300, "a\\b"])
def test_an_experiment_is_not_called_like_a_path(name: str) -> None:
    with pytest.raises(UsageError, match="the experiment's name .* cannot be the name of a file: "):
        from_mapping({"name": name, "game": "toy", "variants": ["dice"]})


def test_a_writer_of_a_run_follows_no_link(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    for name in ("lock", "run.log", "parts.jsonl"):
        other.write_text("dear")
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(other)
        with pytest.raises(MmsimError, match=f"{name} is a link; a run is written to in its own folder only"):
            Session(Run(folder), 1).carry_out()
        assert other.read_text() == "dear"
        (folder / name).unlink()
    elsewhere = tmp_path / "elsewhere"
    (folder / "records").rename(elsewhere)
    (folder / "records").symlink_to(elsewhere)
    with pytest.raises(MmsimError, match="records is a link"):
        Session(Run(folder), 1).carry_out()


@pytest.mark.parametrize("name", ["lock", "run.log", "parts.jsonl"])
def test_a_writer_of_a_run_leaves_a_file_with_another_name_alone(folder: Path, tmp_path: Path, name: str) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("dear")
    (folder / name).unlink(missing_ok=True)
    os.link(other, folder / name)
    with pytest.raises(MmsimError, match=f"{name} is a hard link, so the file has another name too; a run is written"):
        Session(Run(folder), 1).carry_out()
    assert other.read_text() == "dear"


def test_resume_removes_what_its_writers_left_and_nothing_else(folder: Path) -> None:
    own = [
        folder / name
        for name in ("games/.part-000001.parquet.77.tmp", ".manifest.json.5.tmp", "records/.longest.json.5.tmp")
    ]
    others = [folder / name for name in (".notes.5.tmp", "games/.mine.tmp", "games/.part-000001.parquet.x.tmp")]
    for path in (*own, *others):
        path.write_text("left")
    Session(Run(folder), 1).carry_out()
    assert not [path for path in own if path.exists()]
    assert all(path.exists() for path in others)


def test_only_what_belongs_to_a_run_is_removed_with_it(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "part-000000.parquet").write_text("mine")
    shutil.rmtree(folder / "seats")
    (folder / "seats").symlink_to(elsewhere)
    (folder / "notes.txt").write_text("mine")
    (folder / "games" / "mine.parquet").write_text("mine")
    left = remove_run(folder, ["games", "seats"])
    assert [path.name for path in left] == ["games", "notes.txt", "seats"]
    assert [path.name for path in (folder / "games").iterdir()] == ["mine.parquet"]
    assert (elsewhere / "part-000000.parquet").read_text() == "mine"


def test_a_run_is_removed_without_a_trace(folder: Path) -> None:
    assert remove_run(folder, ["games", "seats"]) == []
    assert not folder.exists()


# --- the manifest --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("games", 60_000_000_000_000, "would make 1,000,000,000,000 parts, and a run has at most 10,000,000"),
        ("games", 6e13, "Expected `int`, got `float`"),
        ("games", "180", "Expected `int`, got `str`"),
        ("games", -1, "Expected `int` >= 0"),
        ("more", 1, "unknown field `more`"),
        ("variants", [], "length >= 1"),
        ("variants", [{"name": "x"}], "missing required field"),
        ("tables", {"../x": {}}, "matching regex"),
        ("tables", {"games": {}, "seats": {}, "records": {}}, "is inconsistent"),
        ("finished", {"at": 3}, "Expected `str`, got `int`"),
        ("finished", True, "got `bool`"),
        ("until", {"metric": "turns", "half_width": 0}, "Expected `float` > 0"),
        ("rows_per_game", [{"games": 1}], "is inconsistent"),
        ("machine", [], "Expected `object`, got `array`"),
        ("bots", [{"named": "x.py", "kept": "bots/../../x.txt", "sha256": "0" * 64}], "matching regex"),
        ("experiment.name", "/elsewhere/victim", "contains a slash or backslash"),
        ("experiment.variants", ["config.toml"], "'config.toml' is not kept in the run"),
        ("experiment.variants", ["inputs/../x.toml"], "cannot be the name of a file"),
        ("experiment.variants", ["inputs/a/b/../../x.toml"], "is not kept in the run"),
        ("experiment.boards", ["../roomy"], "contains a slash or backslash"),
        ("experiment.game", "chess", "unknown game 'chess'"),
        ("experiment.part_games", 0, "too small"),
        ("experiment.seed", 2**70, "is too large"),
        ("experiment.seed", [[[]]], "is not a whole number"),
        ("experiment.colour", "red", "unknown key 'colour'"),
        ("experiment.seats", "rotate", "does not belong to its experiment"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused_with_a_sentence(folder: Path, key: str, value: Any, says: str) -> None:
    manifest = manifest_of(folder)
    outer, _, inner = key.partition(".")
    change_manifest(folder, **{outer: {**manifest[outer], inner: value} if inner else value})
    with pytest.raises(MmsimError, match="manifest.json is damaged: ") as raised:
        Run(folder)
    assert says in str(raised.value)
    assert raised.value.exit_code == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "truncated"),
        (b"null", "Expected `object`"),
        (b'{"format": ' + b"[" * 100_000, "recursion"),
        (b'{"format": "mmsim-run/9"}', "it is not of the format mmsim-run/8"),
        (b'{"format": "\xff"}', "utf-8"),
        (b'{"format": "mmsim-run/8", "games": ' + b"9" * 5000 + b"}", "out of range"),
    ],
)
def test_a_manifest_that_is_none_is_refused_with_a_sentence(folder: Path, content: bytes, says: str) -> None:
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(MmsimError, match="manifest.json is damaged: ") as raised:
        Run(folder)
    assert says in str(raised.value)


def test_any_change_of_a_manifest_is_noticed(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"rules_version": 1', b'"rules_version": 2', 1))
    with pytest.raises(MmsimError, match="its checksum is wrong: it was changed after it was written"):
        Run(folder)


def test_what_never_ends_is_not_read(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    with pytest.raises(MmsimError, match="cannot read .*manifest.json: it is not a regular file"):
        Run(folder)


# --- tables and journal --------------------------------------------------------------------------------------------


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def test_a_flipped_bit_is_noticed_wherever_tables_are_read(folder: Path, tmp_path: Path) -> None:
    flip(folder / "seats" / "part-000001.parquet")
    says = f"part-000001.parquet does not match its checksum in the journal; .*mmsim resume {folder} --deep"
    for reader in (
        lambda: export(Run(folder), "seats", tmp_path / "seats.csv"),
        lambda: Run(folder).seats,
        lambda: open_run(folder),
        lambda: replay_record(Run(folder), 0, 70),
    ):
        with pytest.raises(MmsimError, match=says):
            reader()
    assert not (tmp_path / "seats.csv").exists()
    assert Run(folder).games.collect().height == 180  # the other table is whole


@pytest.mark.parametrize("which", ["sha256", "digest"])
def test_a_changed_digit_in_the_journal_is_found_by_check_and_mended_by_resume(folder: Path, which: str) -> None:
    path = folder / "parts.jsonl"
    text, digest = path.read_text(), Run(folder).finished.digest
    at = text.index(f'"{which}":"') + len(which) + 5
    path.write_text(text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :])
    assert any("is damaged: its checksum is wrong" in problem for problem in check(Run(folder), 0, CheckProgress()))
    Session(Run(folder), 1).carry_out()
    assert list(check(Run(folder), 2, CheckProgress())) == []
    assert Run(folder).finished.digest == digest
    assert tables_of(Run(folder)) == expected(toy(games=180))


def test_rows_that_the_journal_does_not_tell_of_are_found_though_the_file_is_whole(folder: Path) -> None:
    from tests.runs import change_part

    run = Run(folder)
    change_part(folder, "seats", 1, score=pl.col("score") + 1)
    problems = list(check(Run(folder), 0, CheckProgress()))
    assert problems == [f"{folder}/manifest.json does not match the totals of its parts: mmsim resume {folder}"]
    assert run.finished.digest != Run(folder).totals().digest


def test_the_digest_is_that_of_rows_whatever_file_they_are_in(folder: Path, tmp_path: Path) -> None:
    for table in ("games", "seats"):
        frame = pl.read_parquet(folder / table / "part-000000.parquet")
        digest = row_digest(frame)
        other = tmp_path / "other.parquet"
        frame.write_parquet(other, compression="uncompressed", row_group_size=7)
        assert row_digest(pl.read_parquet(other)) == digest
        assert row_digest(frame[::-1]) != digest
        about = Run(folder).manifest.variants[0]
        for changed in ({"name": "other"}, {"bots": [{"bot": "other"}]}):
            assert games_digest(frame, replace(about, **changed)) != games_digest(frame, about)


def test_files_of_a_known_size_and_time_are_not_hashed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Session(Run(folder), 1).carry_out()  # a copy has other times
    hashed = []
    digest = hashlib.file_digest

    def counted(file: Any, name: str) -> Any:
        hashed.append(file.name)
        return digest(file, name)

    monkeypatch.setattr(run.hashlib, "file_digest", counted)
    Session(Run(folder), 1).carry_out()
    assert hashed == []
    Session(Run(folder), 1, deep=True).carry_out()
    assert len(hashed) == 6


def test_a_damage_that_keeps_size_and_time_is_mended_by_a_deep_resume(folder: Path) -> None:
    path = folder / "seats" / "part-000001.parquet"
    Session(Run(folder), 1).carry_out()
    times = path.stat()
    flip(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert Session(Run(folder), 1).carry_out().done_before == 180
    assert Session(Run(folder), 1, deep=True).carry_out().done_before == 120
    assert list(check(Run(folder), 0, CheckProgress())) == []


# --- more than there can be ------------------------------------------------------------------------------------------


def sign_part(folder: Path, table: str, part: int, frame: pl.DataFrame) -> None:
    """Put other rows into a part, with a journal that agrees about its bytes but not about its rows."""
    path = folder / table / f"part-{part:06d}.parquet"
    frame.write_parquet(path)
    data, entries = path.read_bytes(), []
    for entry in Run(folder).journal_entries():
        if entry.part == part:
            file = replace(entry.tables[table], bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            entry = replace(entry, tables={**entry.tables, table: file})
        entries.append(entry)
    rewrite(folder / "parts.jsonl", entries)


def test_a_part_that_claims_more_rows_is_refused_before_any_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "seats" / "part-000001.parquet"
    row = pl.read_parquet(path).head(1)
    sign_part(folder, "seats", 1, row.select(pl.all().repeat_by(1_000_000).explode()))
    assert path.stat().st_size < 20_000
    read = pl.read_parquet

    def guarded(source: Any, **options: Any) -> pl.DataFrame:
        assert source != path, "it was read"
        return read(source, **options)

    monkeypatch.setattr(pl, "read_parquet", guarded)
    says = f"{path} has 1000000 rows instead of 180"
    for reader in (
        lambda: export(Run(folder), "seats", tmp_path / "seats.csv"),
        lambda: open_run(folder),
        lambda: replay_record(Run(folder), 0, 70),
    ):
        with pytest.raises(MmsimError, match=f"^{says}; play it again: mmsim resume {folder} --deep$"):
            reader()
    assert next(check(Run(folder), 0, CheckProgress())) == says


def test_a_part_with_other_columns_is_refused(folder: Path) -> None:
    path = folder / "seats" / "part-000001.parquet"
    sign_part(folder, "seats", 1, pl.read_parquet(path).rename({"score": "points"}))
    assert any("part-000001.parquet has the columns " in problem for problem in check(Run(folder), 0, CheckProgress()))
    with pytest.raises(MmsimError, match="part-000001.parquet has the columns "):
        replay_record(Run(folder), 0, 70)


@pytest.mark.parametrize("different", [True, False])
def test_a_manifest_with_more_players_than_can_be_rotated_is_refused(folder: Path, different: bool) -> None:
    manifest = manifest_of(folder)
    (variant,) = manifest["variants"]
    variant |= {"seats": "rotate", "players": 11, "seat_player": [*range(11)]}
    variant["bots"] = [{"bot": f"uniform:x={number * different}"} for number in range(11)]
    experiment = {**manifest["experiment"], "seats": "rotate", "part_games": 66}
    change_manifest(folder, variants=[variant], experiment=experiment)
    if different:
        with pytest.raises(MmsimError, match="seats rotate among at most 9 players with different bots, not 11"):
            Run(folder)
    else:
        assert Run(folder).manifest.variants[0].seating_cycle == 11


def test_a_manifest_with_parts_too_large_to_be_read_is_refused(folder: Path) -> None:
    experiment = {**manifest_of(folder)["experiment"], "part_games": 10**6}
    change_manifest(folder, games=10**9, experiment=experiment, rows_per_game=[{"games": 1, "seats": 10**5}])
    with pytest.raises(MmsimError, match="a part of 1,000,000 games would have [0-9,]+ values in a table"):
        Run(folder)


def test_an_experiment_with_more_variants_than_its_manifest_is_not_laid_out(folder: Path) -> None:
    experiment = manifest_of(folder)["experiment"]
    many = [f"dice,sides={number}" for number in range(3000)]
    change_manifest(folder, experiment={**experiment, "variants": many, "boards": [f"b{n}" for n in range(3000)]})
    with pytest.raises(MmsimError, match="its variants are not those of its experiment"):
        Run(folder)


def test_a_part_with_the_right_rows_that_unpacks_to_too_much_is_refused(folder: Path) -> None:
    path = folder / "seats" / "part-000001.parquet"
    rows = pl.read_parquet(path)
    sign_part(folder, "seats", 1, rows.with_columns(bot=pl.lit("x" * 10_000_000)))
    assert path.stat().st_size < 20_000
    says = "part-000001.parquet unpacks to "
    with pytest.raises(MmsimError, match=says):
        open_run(folder)
    assert any(says in problem for problem in check(Run(folder), 0, CheckProgress()))
