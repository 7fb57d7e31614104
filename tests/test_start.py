"""What commands import and compile before they do their work, and what they do not."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.game import Variant
from mmsim.games import find_game
from tests.cli.commands import commands, groups

ROOT = Path(__file__).parent.parent
_MAIN = """
import json, sys
from mmsim.cli.commands import app
try:
    app(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(json.dumps([code, [name for name in ("numba", "llvmlite", "numpy", "polars") if name in sys.modules]]))
"""


def run(words: list[str], folder: Path) -> tuple[Any, list[str]]:
    """The exit code of a command, and which slow libraries it imported; nothing is compiled for it."""
    cache = folder / "empty-cache"
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "MMSIM_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT), "MMSIM_JIT": "1", "MMSIM_LINK": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not cache.exists()
    code, slow = json.loads(done.stdout.splitlines()[-1])
    return code, slow


def test_help_of_every_command_needs_no_slow_library(tmp_path: Path) -> None:
    program = "import sys\nfrom mmsim.cli.commands import app\n"
    program += f"for words in {[*groups(), *commands()]!r}:\n    try:\n        app([*words, '--help'])\n"
    program += "    except SystemExit as end:\n        assert not end.code, words\n"
    program += "print([name for name in ('numba', 'numpy', 'polars', 'scipy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert len(commands()) > 20


@pytest.mark.parametrize("words", ["rules list", "rules show print", "rules show metro", "boards list", "bots list"])
def test_what_only_tells_compiles_nothing_and_does_not_import_the_compiler(words: str, tmp_path: Path) -> None:
    code, slow = run(words.split(), tmp_path)
    assert code == 0
    assert not {"numba", "llvmlite"} & set(slow)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of uniform bots."""
    folder = tmp_path_factory.mktemp("played")
    words = [
        "run",
        "--rules",
        "print",
        "--rules",
        "v2",
        "--bots",
        "uniform",
        "--games",
        "40",
        "--out",
        "runs/small",
        "--quiet",
        "--workers",
        "1",
    ]
    subprocess.run(
        [sys.executable, "-m", "mmsim", *words], cwd=folder, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return folder


@pytest.mark.parametrize(
    "words",
    [
        *("report runs/small --out page", "compare runs/small", "check runs/small --sample 0", "runs list"),
        *(
            "export runs/small --table games --out games.csv",
            "record runs/small --number 3 --variant v2-4p --out game.json",
        ),
    ],
)
def test_what_only_reads_a_run_compiles_nothing_and_does_not_import_the_compiler(words: str, played: Path) -> None:
    code, slow = run(words.split(), played)
    assert code == 0
    assert not {"numba", "llvmlite"} & set(slow)


@pytest.mark.parametrize("seats", ["fixed", "rotate"])
@pytest.mark.parametrize("rules", ["print", "en1+advanced", "metro", "metro+central+companies"])
def test_a_record_is_the_same_whichever_engine_plays_it(
    rules: str, seats: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game("metro" if rules.startswith("metro") else "metromania")
    prepared = game.prepare(Variant(rules, 2, seats=seats))
    by_reference = [game.record(prepared, number) for number in (0, 1, 3)]
    monkeypatch.setattr(sys.modules[type(game).__module__], "BOTS", {"uniform": None})  # now the core plays
    assert [game.record(prepared, number) for number in (0, 1, 3)] == by_reference
