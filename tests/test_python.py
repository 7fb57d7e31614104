"""The names that `import mmsim` gives: all there, lazy, documented, and a notebook that goes through them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import mmsim
from tests.runs import write_run

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
NOTEBOOK = ROOT / "docs" / "examples" / "fairness.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> mmsim.Run:
    folder = tmp_path_factory.mktemp("runs") / "loyal"
    return mmsim.read(write_run(folder, ["print", "print+loyal"], games=40, part_games=40))


def test_a_dozen_names_are_there_and_documented() -> None:
    assert len(mmsim.__all__) == 12
    for name in mmsim.__all__:
        assert getattr(mmsim, name) is not None
    assert {*mmsim.__all__} <= {*dir(mmsim)}
    assert {*re.findall(r"^## (\w+)", REFERENCE, re.MULTILINE)} == {*mmsim.__all__}


def test_help_shows_every_public_name_with_its_docstring() -> None:
    program = "import mmsim; help(mmsim)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    for name in mmsim.__all__:
        assert re.search(rf"\b{name}\b", shown), name
    assert "Play an experiment (an `Experiment`, a name or a file) or a list of rulesets into a folder." in shown
    assert "A run on disk" in shown


def test_a_run_describes_itself_in_one_line(made: mmsim.Run) -> None:
    assert re.fullmatch(r"Run\('.*loyal', finished: print-4p, print\+loyal-4p; \w+; 40 games of each\)", repr(made))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'load'"):
        mmsim.load  # noqa: B018


def test_importing_mmsim_imports_nothing_slow() -> None:
    program = "import sys, mmsim; mmsim.__version__; dir(mmsim)\n"
    program += "print([name for name in ('numpy', 'polars', 'numba', 'typer') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("parts", [{}, {"part_games": 4}])
def test_a_run_is_played_once_and_then_read(tmp_path: Path, parts: dict[str, int]) -> None:
    first = mmsim.run(["print"], tmp_path / "run", workers=1, bots="uniform", games=8, seed=3, **parts)
    assert first.seats.select(pl.len()).collect().item() == 32
    played = first.manifest.finished
    again = mmsim.run(["print"], tmp_path / "run", workers=1, bots="uniform", games=8, seed=3, **parts)
    assert again.manifest.finished == played
    with pytest.raises(mmsim.MmsimError, match="holds a run of another experiment; choose another folder"):
        mmsim.run(["print"], tmp_path / "run", workers=1, bots="uniform", games=8, seed=4, **parts)


def test_numbers_and_differences_are_frames(made: mmsim.Run) -> None:
    measured = mmsim.measure(made, ["margin"])
    assert measured["variant"].to_list() == ["print-4p", "print+loyal-4p"]
    compared = mmsim.compare(made, reference="print+loyal", metrics=["margin"])
    assert compared["variant"].to_list() == ["print-4p"]
    assert compared["reference"].to_list() == ["print+loyal-4p"]


def test_a_game_of_a_run_is_written_down(made: mmsim.Run) -> None:
    record = mmsim.record(made, 3, "print+loyal")
    assert record["seed"]["game"] == 3
    assert record["seed"]["variant"] == "print+loyal-4p"


def test_a_setting_that_is_unknown_is_named(tmp_path: Path) -> None:
    settings: Any = {"game_s": 5}
    with pytest.raises(mmsim.MmsimError, match="unknown key 'game_s'; did you mean 'games'"):
        mmsim.run(["print"], tmp_path / "run", **settings)


@pytest.mark.usefixtures("empty_charts")
def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block.replace("games=400", "games=40"), space)
    printed = capsys.readouterr().out
    assert "win_share" in printed
    assert "seat_imbalance" in printed
    assert printed.endswith("reports/loyal/report.html\n")


@pytest.mark.usefixtures("empty_charts")
def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell by cell in one namespace, as a kernel does it; fewer games, no kernel to be installed."""
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 7
    assert all(cell["outputs"] == [] for cell in cells)
    space: dict[str, Any] = {}
    for cell in cells:
        exec(compile(cell["source"].replace("games=400", "games=16"), cell["id"], "exec"), space)
    assert (tmp_path / "reports" / "notebook" / "report.html").is_file()
    assert space["differences"].height == 6
    used = "\n".join(cell["source"] for cell in cells)
    assert {name for name in mmsim.__all__ if f"mmsim.{name}" in used} >= {"run", "measure", "compare", "record"}
