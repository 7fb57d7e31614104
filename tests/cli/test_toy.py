"""Commands assume nothing of a game: the toy has two players, bots of its own, no boards and no rules page."""

import re
import tomllib
from pathlib import Path

import pytest

from mmsim import cli, games
from mmsim.cli import experiments, records, rules
from tests.cli.runner import complaint, output

USAGE = 2
FEW = ("--workers", 1, "--games", 30)


@pytest.fixture(autouse=True)
def toy_is_installed(toy_game: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (games, experiments, records, rules):
        monkeypatch.setattr(module, "GAMES", (*games.GAMES, "toy"))


def test_why_asks_the_strongest_level_of_the_game() -> None:
    text = output("why", "dice", "--only", "first_holds", *FEW)
    assert "(30 games each, 95 %)" in " ".join(text.split())
    assert text.splitlines()[-1] == "This is how bold plays; --level asks players of another level."


def test_a_new_experiment_is_for_the_players_and_bots_of_the_game() -> None:
    text = output("experiments", "new", "mine", "--game", "toy", "--out", "-")
    settings = tomllib.loads(text)
    assert (settings["players"], settings["levels"]) == (2, "all")
    assert 'bots = ["bold", "uniform"]' in text
    assert "boards" not in settings


def test_rules_without_a_page_are_not_explained_by_those_of_another_game() -> None:
    assert "mmsim rules explain" not in output("rules", "show", "dice")
    assert "mmsim rules explain" not in output("rules", "diff", "dice", "dice,hold=2")
    says = "did you mean 'G1' of metromania? (known: metromania: G1-G10,"
    assert says in complaint(USAGE, "rules", "explain", "R1")
    assert complaint(USAGE, "rules", "explain", "R1", "--game", "toy") == (
        "unknown rule 'R1'; toy has no rules page to look in"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--rules", "dice"),
        ("run", "--rules", "dice", "--out", "run", *FEW),
        ("compare", "dice", "dice,hold=2", *FEW),
        ("sweep", "dice", "--vary", "hold=2,3", *FEW),
        ("why", "dice", *FEW),
        ("ladder", "--game", "toy", *FEW),
    ],
    ids=lambda words: str(words[0]),
)
def test_a_board_is_refused_by_a_game_that_has_none(
    words: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    says = "toy has no board sets, so there is no board 'xx'; drop --board"
    assert complaint(USAGE, *words, "--board", "xx") == says
    assert list(tmp_path.iterdir()) == []


def test_no_command_speaks_of_what_only_some_games_have() -> None:
    words = re.compile(r"layouts and deals|score track|\bcompanies\b")
    sources = Path(str(cli.__file__)).parent.glob("*.py")
    assert [path.name for path in sources if words.search(path.read_text(encoding="utf-8"))] == []
