"""What the README shows is what a reader can do."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.runner import run

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SHELL = [line for block in re.findall(r"```sh\n(.*?)```", README, re.S) for line in block.splitlines()]
COMMANDS = [line.removeprefix("mmsim ") for line in SHELL if line.startswith("mmsim ")]
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)


def test_the_readme_shows_commands_and_python() -> None:
    assert len(COMMANDS) >= 5
    assert len(PYTHON) == 1


def test_every_command_of_the_readme_runs_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        outcome = run(*shlex.split(command.replace("--games 2000", "--games 20"), comments=True))
        assert outcome.exit_code == 0, (command, outcome.output)
        assert outcome.stdout


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(PYTHON[0].replace("100_000", "2_000"), {})
    printed = capsys.readouterr().out
    assert "win_share" in printed
    share = float(printed.rpartition("lines ended:")[2])
    assert share == pytest.approx(0.0837, abs=0.01)  # the figure the README quotes


def test_the_first_commands_are_the_two_that_do_everything() -> None:
    assert [line.split("#")[0].strip() for line in SHELL[:2]] == ["make demo", "make test"]
