"""What commands print fits on a terminal: no cell is cut, no word is broken, whatever the width."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mmsim import games
from tests.cli.runner import run

_DECORATION = re.compile(r"[\s─━│┃┏┓┗┛┡┩└┘├┤┬┴┼╇┳╭╮╰╯]+")
_VARYING = re.compile(r"[\d,.]+ games/s|/\S*/(?=\w)|mmsim-\S+")


def words_at(columns: int, *words: object) -> Counter[str]:
    """The words a command prints on a screen of this width; none may be cut."""
    printed = run(*words, columns=columns)
    assert printed.exit_code == 0, printed.stderr
    assert "…" not in printed.stdout
    return Counter(filter(None, _DECORATION.split(_VARYING.sub("", printed.stdout))))


def lines_at(columns: int, *words: object) -> list[str]:
    return run(*words, columns=columns).stdout.splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ("compare",),
        ("compare", "--by-level"),
        ("compare", "--all"),
        ("compare", "--metric", "turns", "--metric", "end_reason"),
        ("resume",),  # of a finished run: it prints what `run` prints at the end
    ],
    ids=" ".join,
)
def test_answers_of_a_run_break_between_words_only(run_folder: Path, words: tuple[str, ...]) -> None:
    command, *rest = words
    widest = words_at(200, command, run_folder, *rest)
    for columns in (80, 120):
        assert words_at(columns, command, run_folder, *rest) == widest


def test_an_answer_is_no_wider_than_eighty_columns(run_folder: Path) -> None:
    commands = re.compile(rf"mmsim \w+ .*{re.escape(run_folder.name)}")  # they are pasted, so they are not wrapped
    lines = [line for line in lines_at(80, "compare", run_folder) if not commands.search(line)]
    assert max(map(len, lines)) <= 80


@pytest.mark.usefixtures("empty_charts", "toy_game")
def test_reports_sweeps_and_reasons_break_between_words_only(
    run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(games, "GAMES", (*games.GAMES, "toy"))
    few = ("--games", 40, "--workers", 1, "--quiet")
    for command in (
        ("report", run_folder, "--out", "out", "--force", "--quiet"),
        ("sweep", "dice", "--game", "toy", "--players", 3, "--bots", "uniform", "--vary", "hold=1:3", "--force", *few),
        ("why", "dice", "--players", 3, "--bots", "uniform", *few),
    ):
        widest = words_at(200, *command)
        for columns in (80, 120):
            assert words_at(columns, *command) == widest
