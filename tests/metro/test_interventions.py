"""An intervention changes one thing, and everything else stays as it was."""

import numpy as np
import pytest

from mmsim.core.game import GameRows
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metro.game import Metro
from mmsim.metro.interventions import INTERVENTIONS

METRO = Metro()
COUNT = 40


def played(*interventions: str, rules: str = "metro+central+numbers") -> GameRows:
    variant = Variant(rules, 4, bots="greedy", seed=4, interventions=interventions)
    return METRO.play_games(METRO.prepare(variant), 0, COUNT)


@pytest.mark.parametrize("name", INTERVENTIONS)
def test_centres_and_hands_are_those_of_the_games_as_played(name: str) -> None:
    usual, changed = played(), played(name)
    assert (changed["games"]["layout"] == usual["games"]["layout"]).all()
    assert (np.sort(changed["seats"]["hand"].reshape(-1, 4)) == np.sort(usual["seats"]["hand"].reshape(-1, 4))).all()
    assert (changed["games"]["status"] == 0).all()
    assert (changed["seats"]["score"] != usual["seats"]["score"]).any()


def test_with_shuffled_wagons_lines_belong_to_other_players() -> None:
    usual, changed = (played(*names)["lines"]["seat"].reshape(COUNT, -1) for names in ((), ("shuffled_wagons",)))
    pairs = [
        sorted({*zip(one.tolist(), other.tolist(), strict=True)}) for one, other in zip(usual, changed, strict=True)
    ]
    assert all(len(of_game) == len({*usual[0].tolist()}) for of_game in pairs)  # one new owner for every old one
    assert len({tuple(of_game) for of_game in pairs}) > 10


def test_hands_that_are_shuffled_into_the_same_order_change_nothing() -> None:
    usual, changed = played(), played("shuffled_hands")
    same = (changed["seats"]["hand"] == usual["seats"]["hand"]).reshape(COUNT, 4).all(axis=1)
    assert same.any()
    for table, rows in usual.items():
        assert (rows.reshape(COUNT, -1)[same] == changed[table].reshape(COUNT, -1)[same]).all()


def test_with_companies_no_wagon_is_a_players_own() -> None:
    assert "shuffled_wagons" not in METRO.interventions(METRO.prepare(Variant("metro+companies")))
    with pytest.raises(UsageError, match="unknown intervention 'shuffled_wagons'"):
        METRO.prepare(Variant("metro+companies", interventions=("shuffled_wagons",)))


def test_a_first_turn_can_be_forced_for_one_player_only() -> None:
    usual, forced = played(), played("random_first_turns@2")
    first = [rows["seats"]["opening"].reshape(COUNT, -1) for rows in (usual, forced)]
    same = (first[0] == first[1]).mean(axis=0)
    assert same[0] == 1
    assert same[1] < 0.5
