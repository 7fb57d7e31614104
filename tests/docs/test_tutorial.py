"""The tutorial: its commands, as they are printed and in their order, in an empty folder, show what the page shows."""

from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.docs.pages import blocks, commands_in

PAGE = "docs/tutorial/first-finding.md"


def squeezed(text: str) -> str:
    """Without line breaks and runs of spaces, which depend on the width of the terminal."""
    return " ".join(text.split())


def test_every_command_of_the_tutorial_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed, shown = "", 0
    for kind, code in blocks(PAGE, "sh", "text"):
        if kind == "sh":
            printed = ""
            for words in commands_in(code):
                outcome = run(*words, columns=80)
                assert outcome.exit_code == 0, (words, outcome.output)
                printed += outcome.stdout
        else:
            shown += 1
            assert squeezed(code) in squeezed(printed)
    assert shown >= 6
    assert Path("first.html").exists()
    assert Path("reports/last-round/report.html").exists()
