"""Failures that used to be internal errors: one sentence, nothing before or after it, and the right exit code."""

import json
import os
import shutil
import subprocess
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from mmsim.metromania import bots
from mmsim.system.processes import StoppablePool
from tests.cli.runner import complaint, output, run
from tests.cli.test_environment import COMMAND, mmsim
from tests.faults import mounts
from tests.runs import change_manifest, change_part, write_run

USAGE, FAILURE = 2, 1
NET = Path(bots.__file__).parent / "weights" / "nets.json"
needs_mounts = pytest.mark.skipif(not mounts.possible(), reason="nothing can be mounted here")


@pytest.fixture
def toy_run(tmp_path: Path, toy_game: None) -> Path:
    return write_run(tmp_path / "run", ["dice"], games=60, part_games=30, players=3, game="toy", bots="uniform")


@pytest.fixture(scope="module")
def metro_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that processes without the toy game can read."""
    folder = tmp_path_factory.mktemp("metro") / "run"
    return write_run(folder, ["metro"], games=12, part_games=12, players=3, game="metro", bots="uniform")


# --- nets -----------------------------------------------------------------------------------------------------------


def changed_net(**changes: Any) -> str:
    """The shipped nets, with other values in the net that chooses turns."""
    nets = json.loads(NET.read_text(encoding="utf-8"))
    return json.dumps({**nets, "choice": {**nets["choice"], **changes}})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"inputs": 3}, "inputs = 3 is not a JSON object, every value a list like [0.5, -1.0]"),
        ({"inputs": [[1]]}, "inputs = [[1]] is not a JSON object"),
        ({"bias": [[1]]}, "bias[0] = [1] is not a number"),
        ({"constant": 10**400}, "constant = 1000"),
        ({"constant": 1e39}, "have a number that is not finite, or larger than 1e+09"),
    ],
)
def test_a_net_that_is_none_is_refused(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    file = tmp_path / "net.json"
    file.write_text(changed_net(**changes))
    assert says in complaint(USAGE, "play", "--bots", f"expert:weights={file}")


@pytest.mark.parametrize(("key", "value"), [("about", 3), ("choice", [[1]]), ("value", 3), ("board_value", "x")])
def test_a_file_that_holds_no_nets_is_refused(tmp_path: Path, key: str, value: Any) -> None:
    file = tmp_path / "net.json"
    file.write_text(json.dumps({**json.loads(NET.read_text(encoding="utf-8")), key: value}))
    assert "is not a JSON object" in complaint(USAGE, "play", "--bots", f"expert:weights={file}")


def test_a_number_of_5000_digits_in_a_net_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "net.json"
    file.write_text(changed_net(constant="here").replace('"here"', "9" * 5000))
    assert "is not valid JSON" in complaint(USAGE, "play", "--bots", f"expert:weights={file}")


def test_a_net_is_not_fitted_to_too_few_positions(tmp_path: Path) -> None:
    words = ("--rules", "print", "--players", 4, "--board", "box", "--games", 1, "--workers", 1, "--quiet")
    result = run("bots", "train", *words, "--out", tmp_path / "nets.json")
    assert result.exit_code == USAGE
    assert result.stderr.splitlines()[-1] == (  # the core may have been compiled before
        "mmsim: error: 1 games gave only 48 positions to learn from; play more games"
    )


# --- long and odd names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("play --bots {}.py:Bot", USAGE),
        ("play --bots {}.py:Bot --isolate", USAGE),
        ("play --bots uniform:{}=3", USAGE),
        ("play --rules {}", USAGE),
        ("play --rules print,{}=1", USAGE),
        ("play --rules print,dig={}", USAGE),
        ("play --seed {}", USAGE),
        ("play --board {}", USAGE),
        ("play --{}", USAGE),
        ("{}", USAGE),
        ("boards show {}", USAGE),
        ("bots show {}", USAGE),
        ("experiments show {}", USAGE),
        ("runs show {}", FAILURE),
        ("verify {}", USAGE),
    ],
)
def test_what_is_typed_is_quoted_in_part_only(words: str, code: int) -> None:
    for long in ("x" * 5000, "1" * 3000, "x y" * 1500):
        text = complaint(code, *(word.format(long) for word in words.split()))
        assert long[:20] in text
        assert long[:300] not in text
        assert len(text) < 1100


def test_a_folder_whose_name_is_not_utf_8_is_refused(toy_run: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(toy_run) + b"\xff"))
    toy_run.rename(odd)
    for words in (("check", odd), ("report", odd), ("openings", odd), ("resume", odd), ("runs", "rm", odd)):
        assert complaint(USAGE, *words).endswith(r"run\udcff is not valid UTF-8; rename it")
    words = ("run", "--rules", "dice", "--game", "toy", "--bots", "uniform", "--games", 6, "--out", f"{odd}-2")
    assert complaint(USAGE, *words).endswith(r"run\udcff-2 is not valid UTF-8; choose another")


def test_directions_of_writing_are_escaped_in_json(toy_run: Path) -> None:
    experiment = json.loads((toy_run / "manifest.json").read_text())["experiment"]
    change_manifest(toy_run, experiment={**experiment, "question": "a \u202e b"})
    assert r"a \u202e b" in output("runs", "show", toy_run, "--json")


# --- runs that do not fit together ----------------------------------------------------------------------------------


def test_tables_by_other_bots_than_the_manifest_names_are_refused(metro_run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(metro_run, tmp_path / "run")
    variants = json.loads((folder / "manifest.json").read_text())["variants"]
    variants[0]["bots"] = [{"bot": name} for name in ("uniform", "greedy", "planner")]
    change_manifest(folder, variants=variants)
    result = mmsim("report", folder, "--out", tmp_path / "report", "--quiet")
    assert result.returncode == FAILURE
    assert result.stderr.splitlines()[-1] == (
        "mmsim: error: the tables are of games by uniform alone, but the manifest names other bots"
    )


def test_a_database_of_odd_parts_is_refused(toy_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    change_part(toy_run, "games", 1, game=pl.lit("one"))
    text = complaint(FAILURE, "export", toy_run, "--table", "games", "--out", tmp_path / "x.duckdb")
    assert text.startswith(f"cannot write {tmp_path / 'x.duckdb'}: ")
    assert not (tmp_path / "x.duckdb").exists()


# --- processes and descriptors --------------------------------------------------------------------------------------


def _die(_: int) -> None:
    os.kill(os.getpid(), 9)


def test_a_killed_process_is_reported_in_a_sentence() -> None:
    from mmsim.errors import MmsimError

    with pytest.raises(MmsimError, match="^a worker process was killed") as failure, StoppablePool(2, "spawn") as pool:
        pool.submit(_die, 1).result()
    assert isinstance(failure.value.__cause__, BrokenProcessPool)


@pytest.mark.parametrize("words", ["rules list", "report {run}", "check {run}", "run --rules print --games 1"])
def test_too_few_open_files_are_named_as_the_cause(words: str, metro_run: Path) -> None:
    shell = f'ulimit -n 8; exec "$@" {words.format(run=metro_run)}'
    result = subprocess.run(["sh", "-c", shell, "sh", *COMMAND], capture_output=True, text=True)
    assert result.returncode == FAILURE
    assert result.stderr == "mmsim: error: only 8 open files are allowed here (ulimit -n); mmsim needs 64\n"


# --- disks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["rules list", "--help", "--version", "runs show {run} --json", "boards show box"])
def test_a_full_disk_under_stdout_is_reported_in_a_sentence(words: str, metro_run: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*COMMAND, *words.format(run=metro_run).split()], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == FAILURE
    assert result.stderr == "mmsim: error: cannot write to standard output: No space left on device\n"


def test_a_full_disk_under_stderr_leaves_the_exit_code() -> None:
    with open("/dev/full", "w") as full:
        assert subprocess.run([*COMMAND, "rules", "show", "nothing"], stderr=full).returncode == USAGE


@needs_mounts
def test_a_workbook_on_a_full_disk_is_one_sentence(metro_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    command = [*COMMAND, "export", metro_run, "--out", tmp_path / "x.xlsx"]
    result = mounts.run(mounts.tiny(tmp_path, 16), command)
    assert result.returncode == FAILURE
    assert result.stderr == f"mmsim: error: cannot write {tmp_path / 'x.xlsx'}: No space left on device\n"


@needs_mounts
@pytest.mark.parametrize(("ending", "code"), [("xlsx", 0), ("duckdb", FAILURE)])
def test_a_full_disk_for_temporary_files_is_one_sentence(
    metro_run: Path, tmp_path: Path, ending: str, code: int
) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "disk").mkdir()
    command = [*COMMAND, "export", metro_run, "--out", tmp_path / f"x.{ending}"]
    env = {**os.environ, "TMPDIR": str(tmp_path / "disk")}
    result = mounts.run(mounts.tiny(tmp_path / "disk", 16), command, env=env)
    assert result.returncode == code
    assert len(result.stderr.splitlines()) == 1
    if code:
        assert result.stderr.startswith(f"mmsim: error: cannot write {tmp_path / f'x.{ending}'}: ")
        assert "No space left on device" in result.stderr


@needs_mounts
def test_a_run_in_a_read_only_folder_is_not_deleted(metro_run: Path) -> None:
    folder = metro_run.parent
    result = mounts.run(mounts.changed(folder, "ro"), [*COMMAND, "runs", "rm", metro_run, "--yes"])
    assert result.returncode == FAILURE
    assert result.stderr == f"mmsim: error: cannot delete {metro_run}: Read-only file system\n"


def test_a_long_line_of_a_board_is_quoted_in_part_only(board_text: str, tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    start = board_text.index("[[piece]]")
    row = board_text.index("\n", board_text.index("cells", start)) + 1
    board.write_text(board_text[:row] + "9" * 5000 + board_text[row:])
    result = run("boards", "check", board)
    assert result.exit_code == FAILURE
    assert "9" * 100 in result.stderr
    assert "9" * 300 not in result.stderr


# --- nothing before the sentence --------------------------------------------------------------------------------------


def test_no_warning_about_a_run_comes_before_an_error(tmp_path: Path) -> None:
    options = {"games": 30, "asked": 60, "part_games": 30, "players": 3, "game": "metro", "bots": "uniform"}
    folder = write_run(tmp_path / "run", ["metro"], **options)
    (tmp_path / "file").write_text("in the way")
    assert "WARNING: " in run("report", folder, "--out", tmp_path / "page").stderr
    assert "cannot write" in complaint(FAILURE, "report", folder, "--quiet", "--out", tmp_path / "file")


def test_no_warning_about_a_run_comes_before_a_wrong_name(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", ["print"], games=30, asked=60, part_games=30, bots="uniform")
    assert "WARNING: " in run("openings", folder).stderr
    assert "unknown variant" in complaint(USAGE, "openings", folder, "--variant", "nothing")


def test_no_remark_comes_before_an_error(tmp_path: Path) -> None:
    words = ("compare", "print", "print+hidden", "--levels", "beginner", "--levels", "casual", "--games", 24)
    (tmp_path / "file").write_text("in the way")
    played = run(*words, "--workers", 1, "--metric", "score")
    assert "games of each of 2 variants: " in played.stderr
    assert "cannot write" in complaint(FAILURE, *words, "--out", tmp_path / "file" / "run")
