"""How a ruleset of Metro is named, and what is said of a name that is wrong."""

import pytest

from mmsim.errors import UsageError
from mmsim.games import find_game, game_of_ruleset
from mmsim.metro.rules.rulesets import KNOBS, explain, parse, ruleset


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("metro", "metro"),
        ("metro+hand2+free", "metro+free+hand2"),
        ("metro+numbers+central, numbers_per_colour=2", "metro+central+numbers,numbers_per_colour=2"),
        ("metro,turn_limit=80,hand=3", "metro,hand=3,turn_limit=80"),
        ("metro,central_points=YES", "metro,central_points=true"),
    ],
)
def test_a_name_is_spelled_in_one_way(text: str, name: str) -> None:
    assert parse(text).name == name
    assert parse(name).name == name
    assert ruleset(text, 2).variant == f"{name}-2p"


def test_modifiers_are_sets_of_knobs() -> None:
    assert ruleset("metro+free+hand2").knobs() == ruleset("metro,orientation=free,hand=2").knobs()
    assert ruleset("metro").players == 4


def test_every_knob_tells_where_its_value_comes_from() -> None:
    _, sources = explain(parse("metro+free,hand=2"))
    assert (sources["orientation"], sources["hand"], sources["central"]) == ("modifier free", "set by hand", "default")
    assert set(sources) == set(KNOBS)


@pytest.mark.parametrize(
    ("text", "players", "complaint"),
    [
        ("metron", 4, "unknown edition 'metron'; did you mean 'metro'"),
        ("metro+fre", 4, "unknown modifier 'fre'; did you mean 'free'"),
        ("metro,hands=2", 4, "unknown knob 'hands'; did you mean 'hand'"),
        ("metro,hand=4", 4, "hand=4 is out of range; it takes 1 to 3"),
        ("metro,orientation=any", 4, "it takes fixed | free"),
        ("metro+hand2+hand3", 4, "'hand2' and 'hand3' exclude each other"),
        ("metro,hand", 4, "ruleset 'metro,hand': 'hand' is not of the form knob=value"),
        ("metro,hand=1,hand=2", 4, "sets the knob hand twice"),
        ("metro", 7, "'metro' is for 2 to 6 players, not for 7"),
    ],
)
def test_a_wrong_name_is_told_in_a_sentence(text: str, players: int, complaint: str) -> None:
    with pytest.raises(UsageError) as raised:
        ruleset(text, players)
    assert complaint in str(raised.value)


def test_the_game_of_a_ruleset_is_known_by_its_name() -> None:
    assert game_of_ruleset("metro+free,hand=2") == "metro"
    assert game_of_ruleset("metro") == "metro"
    assert game_of_ruleset("print+loyal") == "metromania"
    assert find_game(game_of_ruleset("metro")).name == "metro"
