"""No command runs a file of the current folder, which may have come in an archive together with a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.compiled import execution_mode, startup
from tests.cli.commands import commands

ROOT = Path(__file__).parent.parent
PLANTED = ("multiprocessing", "numba", "polars", "json")
COMMANDS = """
demo --games 100 --workers 2
play --rules metro --bots uniform --seed 1 --record game.json
play --rules metro --bots ./mine.py:Mine --seed 1 --isolate
replay game.json --out page.html --playouts 0
draw game.json --out picture.png
verify game.json --replay
run own.toml --games 40 --workers 2 --out theirs
resume theirs --workers 2
check theirs --sample 1
record theirs --number 3 --variant metro-2p --out other.json
export theirs --table games --out games.csv
runs list .
runs show theirs
experiments list
experiments show own.toml
experiments new fresh --game metro
cluster certificates tls
compare theirs
report theirs --out report
sweep metro --vary hand=1,2 --players 2 --bots uniform --games 20 --workers 2
design metro --goal score>=9 --vary hand=1,2 --players 2 --levels uniform --games 120 --proof-games 120 --workers 2
why metro --players 2 --bots uniform --games 8 --only hand=2 --workers 2
openings theirs
heat theirs --games 4 --out heat.svg --workers 2
atlas run --cities 2 --games-per-city 2 --levels beginner --workers 2 --out every-city --quiet
atlas report
chances theirs --games 2 --playouts 2 --workers 2
ladder --game metro --bots uniform,greedy --players 2 --games 8 --workers 2
rules list
rules show metro
rules diff metro metro+central
rules explain X8
boards list
boards show box
boards generate box
boards check box
boards new fresh-board
bots list
bots levels
metrics
bots show uniform
bots train --game metro --players 2 --games 240 --decision-games 40 --epochs 1 --final-games 4 --out net.json
bench --game metro --bots uniform --repeats 1
runs rm theirs --yes
"""
EXPERIMENT = 'name = "own"\ngame = "metro"\nvariants = ["metro", "metro+central"]\nplayers = 2\nbots = "uniform"\n'
BOT = "class Mine:\n    def choose(self, view, moves):\n        return moves[0]\n"
# As the installed script starts: its own folder is in the path, the current one is not.
ONE_AFTER_THE_OTHER = """
import sys, traceback
from mmsim.cli.app import main
codes = {}
for line in sys.argv[1].strip().splitlines():
    sys.argv[1:] = line.split()
    try:
        main()
    except SystemExit as end:
        codes[line] = end.code
print("codes", codes)
"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with files named like modules; each leaves a trace when it is run."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    plant(folder, *PLANTED)
    (folder / "own.toml").write_text(EXPERIMENT)
    (folder / "mine.py").write_text(BOT)
    return folder


def plant(folder: Path, *modules: str) -> None:
    trace = str(folder.parent / "trace")
    for name in modules:
        (folder / f"{name}.py").write_text(f"open({trace!r}, 'a').write('{name} ')\nraise SystemExit(9)\n")


def executed(folder: Path) -> str:
    """The planted files that were run."""
    trace = folder.parent / "trace"
    return trace.read_text() if trace.exists() else ""


def python(*words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    env |= {"PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *words], cwd=folder, env=env, text=True, capture_output=True, check=False)


def test_no_command_runs_a_file_of_the_current_folder(planted: Path) -> None:
    ended = python("-P", "-c", ONE_AFTER_THE_OTHER, COMMANDS, folder=planted)
    assert executed(planted) == ""
    assert ended.stdout.splitlines()[-1:] == [f"codes {dict.fromkeys(COMMANDS.strip().splitlines(), 0)}"], ended.stderr


def test_every_command_is_tried() -> None:
    tried = {tuple(line.split()) for line in COMMANDS.strip().splitlines()}
    assert [words for words in commands() if not any(line[: len(words)] == words for line in tried)] == []


def test_python_m_runs_no_file_of_the_current_folder_either(planted: Path) -> None:
    imported_first = python("-P", "-c", "import runpy, sys; print(*sys.modules)", folder=planted).stdout.split()
    plant(planted, *sys.stdlib_module_names - {*imported_first})  # those are Python's own, before anything of ours
    for words in ("play --rules metro --bots uniform", "run own.toml --games 40 --workers 2", "report runs/own"):
        ended = python("-m", "mmsim", *words.split(), folder=planted)
        assert executed(planted) == "", words
        assert ended.returncode == 0, ended.stderr


@pytest.mark.skipif(execution_mode.current() != execution_mode.LIBRARY, reason="no library is built here")
def test_compiling_runs_no_file_of_the_current_folder(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(planted)
    (planted / "built").mkdir()

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):  # it has begun to compile
        startup._run_build("metro", planted / "built", stop, planted)
    assert executed(planted) == ""


def test_a_python_program_that_uses_mmsim_has_safe_workers_too(planted: Path) -> None:
    (planted.parent / "program.py").write_text(
        "import json, mmsim\n"
        "if __name__ == '__main__':\n"
        "    run = mmsim.run(['metro'], 'run', players=2, bots='uniform', games=40, workers=2)\n"
        "    mmsim.write_report(run, 'report')\n"
        "    print(json.__file__)\n"
    )
    ended = python(str(planted.parent / "program.py"), folder=planted)
    assert executed(planted) == ""
    assert ended.returncode == 0, ended.stderr
    assert Path(ended.stdout.strip()) == Path(json.__file__)
