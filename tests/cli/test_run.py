"""`mmsim run` and its sisters, as they are typed."""

import json
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from mmsim.batch.run import Run
from mmsim.cli.interrupts import raise_on_signals
from tests.cli.runner import complaint, output, run
from tests.runs import write_run

USAGE, FAILURE = 2, 1
FLAGS = ("run", "--rules", "print", "--rules", "print+loyal", "--players", 4, "--bots", "uniform", "--games", 180)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A run, and what its command printed on stdout and stderr."""
    folder = tmp_path_factory.mktemp("runs") / "loyal"
    result = run(*FLAGS, "--seed", 7, "--part-games", 60, "--workers", 2, "--out", folder, "--json-progress")
    assert result.exit_code == 0, result.output
    return folder, result.stdout, result.stderr


@pytest.fixture
def folder(played: tuple[Path, str, str], tmp_path: Path) -> Path:
    """A copy of the run, to change."""
    return Path(shutil.copytree(played[0], tmp_path / "loyal"))


def test_a_run_prints_its_size_its_digest_and_who_wins(played: tuple[Path, str, str]) -> None:
    folder, out, _ = played
    finished = Run(folder).manifest.finished
    assert f"{folder}: 360 of 360 games, " in out
    assert "7,200 rows in 6 parts, " in out
    assert f"digest {finished.digest}" in out
    assert "Not known: " in out  # uniform plays as if hands were hidden
    assert "cannot use what is different" in " ".join(out.split())


def test_progress_as_json_ends_with_all_games_and_the_shares_of_the_tables(played: tuple[Path, str, str]) -> None:
    folder, _, err = played
    last = json.loads(err.splitlines()[-1])
    assert (last["done"], last["games"], last["bot_errors"]) == (360, 360, 0)
    stored = Run(folder).seats.filter(pl.col("variant") == "print-4p", pl.col("seat") == 2).collect()
    assert last["win_shares"]["print-4p"][2]["mean"] == pytest.approx(stored["win_share"].mean())


def test_an_experiment_file_is_played_with_what_the_command_line_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('variants = ["v2"]\ngames = 1000\nbots = ["uniform"]\nplayers = 3\nseed = 4\n')
    assert output("run", "mine.toml", "--games", 60, "--seats", "rotate", "--workers", 1, "--quiet") == ""
    new = Run(tmp_path / "runs" / "mine")
    assert new.variant_names == ["v2-3p"]
    assert (new.games_per_variant, new.experiment.seed, new.experiment.seats) == (60, 4, "rotate")
    assert "mine" in output("runs", "list")
    out = output("run", "runs/mine", "--more", 30, "--workers", 1)
    assert "90 of 90 games" in out
    assert json.loads(output("runs", "list", "--json"))[0]["games"] == 90


def test_until_says_before_and_after_how_well_it_is_known(tmp_path: Path) -> None:
    words = (
        "run",
        "--rules",
        "print",
        "--bots",
        "uniform",
        "--until",
        "win_share±3%",
        "--part-games",
        3000,
        "--workers",
        1,
    )
    result = run(*words, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("win_share±0.03 will take about 3,000 games per variant and ")
    assert "win_share is known to ±0.0" in result.stdout
    assert Run(tmp_path / "run").games_per_variant == 3000


def test_check_and_resume_find_nothing_to_do(folder: Path) -> None:
    assert output("check", folder, "--sample", 3) == (
        f"{folder}: ok, 6 parts, 3 games replayed with the reference engine\n"
    )
    assert "360 of 360 games" in output("resume", folder)


def test_check_fails_on_a_damaged_run(folder: Path) -> None:
    (folder / "trips" / "part-000001.parquet").unlink()
    result = run("check", folder, "--sample", 0)
    assert result.exit_code == FAILURE
    assert result.stderr == f"mmsim: error: {folder}/trips/part-000001.parquet is missing\n"
    assert result.stdout.startswith(f"{folder}: 1 problem in 6 parts")


def test_the_record_of_any_game_passes_verify(played: tuple[Path, str, str], tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    words = ("record", played[0], "--number", 61, "--variant", "print+loyal-4p", "--out", file)
    assert output(*words) == ""
    assert output("verify", file).startswith(f"{file}:1: ok, ")
    answer = json.loads(file.read_text())
    assert answer["seed"] == {"master": 7, "variant": "print+loyal-4p", "game": 61}


def test_runs_are_listed_shown_and_removed(folder: Path) -> None:
    listed = output("runs", "list", folder.parent)
    assert "finished" in listed
    assert "6 of 6" in listed
    shown = output("runs", "show", folder)
    assert "variants   print-4p, print+loyal-4p" in shown
    assert "rows       games 360, seats 1,440, trips 2,520, lines 2,880" in shown
    assert json.loads(output("runs", "show", folder, "--json"))["games"] == 180
    assert run("runs", "rm", folder, stdin="n\n").exit_code == 0
    assert folder.exists()
    output("runs", "rm", folder, "--yes")
    assert not folder.exists()
    assert output("runs", "list", folder.parent) == f"no runs in {folder.parent}\n"


def test_one_bad_run_does_not_hide_the_others(folder: Path) -> None:
    broken = folder.parent / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    listed = run("runs", "list", folder.parent)
    assert listed.exit_code == 1
    assert "6 of 6" in listed.stdout
    assert f"mmsim: error: {broken / 'manifest.json'} is damaged: " in listed.stderr


def test_a_run_being_written_is_not_removed(folder: Path) -> None:
    with Run(folder).writing():
        assert "is being written; stop its writer first" in complaint(USAGE, "runs", "rm", folder, "--yes")
        assert "is being written by process" in complaint(FAILURE, "resume", folder, "--quiet")
    assert folder.exists()


def test_a_table_is_exported_to_a_file(played: tuple[Path, str, str], tmp_path: Path) -> None:
    path = tmp_path / "seats.csv"
    result = run("export", played[0], "--table", "seats", "--out", path)
    assert (result.exit_code, result.stderr) == (0, f"1,440 rows -> {path}\n")
    assert pl.read_csv(path).height == 1440


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run", "say what to play (EXPERIMENT, --rules or --game) and where to put it (--out runs/NAME)"),
        ("run --rules print", "say where to put the run: --out runs/NAME"),
        ("run --out x", "say what to play: an experiment, a ruleset with --rules or a game with --game"),
        ("run municipalty-4p", "unknown experiment 'municipalty-4p'; did you mean 'municipality-4p'?"),
        ("run --rules prnt --out x", "unknown edition 'prnt'; did you mean 'print'?"),
        ("run --rules print --bots unifrm --out x", "unknown bot 'unifrm'; did you mean 'uniform'?"),
        ("run --rules print --board rommy --out x", "unknown board set 'rommy'; did you mean 'roomy'?"),
        ("run --rules print --design pared --out x", "unknown design 'pared'; did you mean 'paired'?"),
        ("run --rules print --seats roate --out x", "unknown seating 'roate'; did you mean 'rotate'?"),
        (
            "run --rules print --until win_shar±1% --out x",
            "unknown metric 'win_shar'; did you mean 'win_share' or 'bot_win_share'?",
        ),
        ("run --rules print --until win_share --out x", "'win_share' is not of the form METRIC±WIDTH"),
        ("run --rules print --games 0 --out x", "Invalid value for '--games'"),
        ("run --more 5", "--more needs one run to extend: mmsim run RUN --more GAMES"),
        ("run x --more 5 --seed 3", "--more keeps everything else as it is; drop --seed"),
        ("run x --more 5", "there is no run x (mmsim runs list [FOLDER] names those there are)"),
        ("resume nowhere", "there is no run nowhere (mmsim runs list [FOLDER] names those there are)"),
        ("check nowhere", "there is no run nowhere (mmsim runs list [FOLDER] names those there are)"),
        ("runs show nowhere", "there is no run nowhere (mmsim runs list [FOLDER] names those there are)"),
        ("runs rm nowhere --yes", "there is no run nowhere (mmsim runs list [FOLDER] names those there are)"),
        (
            "record nowhere --number 3 --out x",
            "there is no run nowhere (mmsim runs list [FOLDER] names those there are)",
        ),
        ("export nowhere --table seats", "there is no run nowhere (mmsim runs list [FOLDER] names those there are)"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint(USAGE, *words.split()).startswith(says)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_run_is_not_played_into(folder: Path) -> None:
    text = complaint(USAGE, *FLAGS, "--out", folder)
    assert text.startswith(f"{folder} already holds a run; continue it (mmsim resume {folder})")


def test_a_game_or_table_that_is_not_there_is_said(played: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, out = played[0], tmp_path / "x"
    assert "say which with --variant" in complaint(USAGE, "record", folder, "--number", 1, "--out", out)
    text = complaint(USAGE, "record", folder, "--number", 999, "--variant", "print-4p", "--out", out)
    assert text == f"{folder} has the games 0 to 179, not 999"
    assert "did you mean 'seats'" in complaint(USAGE, "export", folder, "--table", "seat", "--out", "-")
    assert "must end in .csv" in complaint(USAGE, "export", folder, "--table", "seats", "--out", out)


def test_a_signal_that_was_dropped_stops_the_run_at_the_next_look() -> None:
    before = signal.getsignal(signal.SIGINT)
    with raise_on_signals() as raise_if_received:
        raise_if_received()
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            raise_if_received()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_is_found_by_its_name_in_the_folder_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "runs" / "mine", ("print", "print+loyal"), games=4, part_games=4)
    assert "runs/mine" in output("check", "mine", "--sample", 1)
    assert "compared with the 2006 rules" in output("compare", "mine")
    assert "the closest game" in output("replay", "mine")
