"""What the pages on batches show is what a reader can do."""

import re
import shlex
from pathlib import Path

import pytest

from mmsim.batch import experiment as experiments
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from tests.batch.helpers import ROOT, toy
from tests.cli.runner import run

PAGES = [(ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8") for name in ("runs.md", "cluster.md")]
SHELL = [line for page in PAGES for block in re.findall(r"```sh\n(.*?)```", page, re.S) for line in block.splitlines()]
COMMANDS = sorted({match[0] for line in SHELL if (match := re.search(r"\bmmsim (?!\[).*", line.split("#")[0]))})


@pytest.mark.usefixtures("toy_game")
def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    Session(Run.create(Path("runs/loyal"), toy()), 1).carry_out()
    blocks = re.findall(r"```python\n(.*?)```", PAGES[0], re.S)
    assert len(blocks) == 3
    printed = []
    for block in blocks:
        exec(block, {})
        printed.append(capsys.readouterr().out)
    assert "win_share" in printed[0]
    in_polars, in_duckdb = (re.findall(r"dice-3p\D+(\d)\D+(\d\.\d{4})", text) for text in printed[1:])
    assert [seat for seat, _ in in_polars] == ["0", "1", "2"]
    assert in_polars == in_duckdb


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_on_the_page_exists(command: str) -> None:
    words = shlex.split(command)[1:]
    name = words[:2] if words[0] == "runs" else words[:1]
    printed = run(*name, "--help", columns=200, TERM="dumb")
    assert printed.exit_code == 0, printed.output
    for option in (word for word in words if word.startswith("--")):
        assert re.search(rf"{option}\b", printed.stdout), option


def test_the_experiment_of_the_page_can_be_read(tmp_path: Path) -> None:
    (printed,) = re.findall(r"```toml\n(.*?)```", PAGES[0], re.S)
    (tmp_path / "mine.toml").write_text(printed)
    (tmp_path / "house.toml").write_text('base = "print"\n')
    asked = experiments.read(tmp_path / "mine.toml")
    assert asked.bots == "planner,greedy,greedy,greedy"
    assert asked.variants[2] == str(tmp_path / "house.toml")
