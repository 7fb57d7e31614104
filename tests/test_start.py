"""What commands must not import or compile before they do their work."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmsim.core.variant import Variant
from mmsim.games import find_game
from tests.cli.commands import commands, groups
from tests.runs import write_run

ROOT = Path(__file__).parent.parent
HELP = [" ".join((*words, "--help")) for words in (*groups(), *commands())]
LISTING = ["rules list", "rules show print", "rules show metro", "boards list", "bots list"]
READING = [
    "runs list",
    "check runs/small --sample 0",
    "export runs/small --table games --out games.csv",
    "record runs/small --number 3 --variant v2-4p --out game.json",
    "compare runs/small",
    "report runs/small --out page",
]
_MAIN = """
import json, sys
before, results = {*sys.modules}, {}
from typer.main import get_command
from mmsim.cli.commands import app
main = get_command(app)
for words in json.loads(sys.argv[1]):
    try:
        main(words.split())
    except SystemExit as end:
        results[words] = [end.code, sorted({name.split(".")[0] for name in {*sys.modules} - before})]
    before = {*sys.modules}
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The packages that each command imports, run one after another in a new process that must not compile anything."""
    folder = tmp_path_factory.mktemp("start")
    write_run(folder / "runs" / "small", ["print", "v2"], games=40, part_games=40, bots="uniform")
    cache, words = folder / "empty-cache", json.dumps([*HELP, *LISTING, *READING])
    env = {**os.environ, "MMSIM_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT), "MMSIM_JIT": "1", "MMSIM_LINK": "1"}
    process = subprocess.run(
        [sys.executable, "-c", _MAIN, words], capture_output=True, text=True, cwd=folder, env=env, check=False
    )
    assert process.returncode == 0, process.stderr
    assert not cache.exists()
    assert (folder / "page" / "report.html").read_text(encoding="utf-8").count("data:image/svg") == 3
    results = json.loads(process.stdout.splitlines()[-1])
    assert {words: code for words, (code, _) in results.items() if code} == {}
    return {words: set(packages) for words, (_, packages) in results.items()}


def test_the_list_of_commands_needs_no_slow_library(imported: dict[str, set[str]]) -> None:
    for words in HELP[: len(groups())]:
        assert not {"numba", "numpy", "polars", "scipy", "matplotlib"} & imported[words], words


def test_help_of_every_command_does_without_compiler_scipy_and_matplotlib(imported: dict[str, set[str]]) -> None:
    assert len(HELP) > 20
    for words in HELP:
        assert not {"numba", "llvmlite", "scipy", "matplotlib"} & imported[words], words


@pytest.mark.parametrize("words", [*LISTING, *READING])
def test_listing_and_reading_does_not_import_the_compiler(words: str, imported: dict[str, set[str]]) -> None:
    assert not {"numba", "llvmlite"} & imported[words]


def test_imports_are_detected(imported: dict[str, set[str]]) -> None:
    assert "polars" in set.union(*(imported[words] for words in READING))


@pytest.mark.parametrize("seats", ["fixed", "rotate"])
@pytest.mark.parametrize("rules", ["print", "en1+advanced", "metro", "metro+central+companies"])
def test_a_record_is_the_same_from_both_engines(rules: str, seats: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("metro" if rules.startswith("metro") else "metromania")
    prepared = game.prepare(Variant(rules, 2, seats=seats))
    by_reference = [game.record(prepared, number) for number in (0, 1, 3)]
    monkeypatch.setattr(sys.modules[type(game).__module__], "BOTS", {"uniform": None})  # now the core plays
    assert [game.record(prepared, number) for number in (0, 1, 3)] == by_reference
