"""`mmsim experiments`: what comes with mmsim is found, and a new one can be played as it is written."""

import json
from pathlib import Path

import pytest

from mmsim.batch.experiment import read_experiment, shipped_experiments
from mmsim.games import GAMES
from tests.cli.runner import complaint, output, run

USAGE = 2


def test_every_shipped_experiment_is_listed_with_its_question() -> None:
    listed = json.loads(output("experiments", "list", "--json"))
    assert [one["name"] for one in listed] == list(shipped_experiments())
    assert all(one["question"].endswith("?") for one in listed)
    text = output("experiments", "list")
    assert all(name in text for name in shipped_experiments())


@pytest.mark.parametrize("game", GAMES)
def test_the_list_can_be_that_of_one_game(game: str) -> None:
    listed = json.loads(output("experiments", "list", "--game", game, "--json"))
    assert {one["game"] for one in listed} == {game}


def test_a_game_that_is_not_in_the_house_is_named() -> None:
    assert complaint(USAGE, "experiments", "list", "--game", "metra").startswith("unknown game 'metra'; did you mean")


def test_what_an_experiment_plays_is_shown() -> None:
    text = output("experiments", "show", "dig-duty-4p")
    assert text.startswith("dig-duty-4p: Does it matter whether")
    assert "rules:     print  print,dig_duty=most\n" in text
    assert "games:     12,000 of each of 2 variants\n" in text
    assert complaint(USAGE, "experiments", "show", "dig-duty").startswith("unknown experiment 'dig-duty'; did you mean")


@pytest.mark.parametrize("game", GAMES)
def test_a_new_experiment_can_be_played_as_it_is(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("experiments", "new", "mine", "--game", game)
    assert result.exit_code == 0
    assert result.stderr == "mine.toml is written\n"
    experiment = read_experiment(Path("mine.toml"))
    assert (experiment.name, experiment.game, len(experiment.variants)) == ("mine", game, 2)
    for rules in experiment.variants:
        assert output("rules", "show", rules, "--players", experiment.players)


def test_a_new_experiment_replaces_nothing_and_goes_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("mine")
    assert complaint(USAGE, "experiments", "new", "mine").startswith("mine.toml exists already")
    assert Path("mine.toml").read_text() == "mine"
    assert complaint(USAGE, "experiments", "new", "../mine").startswith("'../mine' is not a plain name")
    assert "variants = [" in output("experiments", "new", "mine", "--out", "-")
