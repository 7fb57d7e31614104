"""What rulesets, seats and metrics are called in texts for people."""

import pytest

from mmsim.analysis.wording import edition_title, ruleset_titles, seat_title, wording
from mmsim.core.common_metrics import WORDS
from mmsim.games import GAMES, find_shell, find_statistics


@pytest.mark.parametrize(
    ("rules", "titles"),
    [
        (["print", "print+loyal"], ["the 2006 rules", "open hands (Loyal)"]),
        (["print+loyal"], ["the 2006 rules with open hands (Loyal)"]),
        (
            ["print+no-corruption", "print+no-corruption,marker_set=standard"],
            ["the 2006 rules with fixed hands (No Corruption)", "the corrected table"],
        ),
        (["en1", "v2"], ["the first English rules", "the version 2.0 rules"]),
        (
            ["print,change_minutes=1", "print,change_minutes=2"],
            ["changes of 1 minute", "changes of 2 minutes"],
        ),
        (["print,dig=2", "print,dig=4"], ["2 tunnels a turn", "4 tunnels a turn"]),
        (["print", "mine/fair.toml"], ["the 2006 rules", "fair"]),
        (["a/fair.toml", "b/fair.toml"], ["a/fair.toml", "b/fair.toml"]),  # titles must tell them apart
    ],
)
def test_rulesets_are_called_what_they_are(rules: list[str], titles: list[str]) -> None:
    assert ruleset_titles("metromania", rules) == titles


def test_rulesets_of_one_edition_share_its_title() -> None:
    assert edition_title("metromania", ["print", "print+loyal"]) == "the 2006 rules"
    assert edition_title("metromania", ["print", "v2"]) == ""


def test_the_last_seat_is_called_last_unless_there_are_two() -> None:
    assert [seat_title(seat, 4) for seat in ("1st", "2nd", "4th")] == ["first", "second", "last"]
    assert seat_title("2nd", 2) == "second"


def test_metrics_without_words_of_their_own_are_called_by_their_names() -> None:
    assert wording("metromania", "win_share", "4th", 4).lower == "the last seat wins less"
    assert wording("metromania", "stations_left").higher == "stations left is higher"


@pytest.mark.parametrize("game", GAMES)
def test_what_an_experiment_asks_about_has_words_of_its_own(game: str) -> None:
    statistics, shell = find_statistics(game), find_shell(game)
    assert {*statistics.primary_metrics} <= {*WORDS, *statistics.words}
    knobs = {name: knob.choices or ("true", "false") * knob.is_switch for name, knob in shell.knobs.items()}
    settings = {f"{name}={value}" for name, values in knobs.items() for value in values}
    known = {*shell.editions, *shell.modifiers, *settings}
    assert {title for title in shell.titles if not title.endswith("=")} <= known
    assert {title[:-1] for title in shell.titles if title.endswith("=")} <= {*shell.knobs}
