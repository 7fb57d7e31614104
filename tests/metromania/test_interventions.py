"""An intervention changes one thing, and everything else stays as it was."""

import numpy as np
import pytest

from mmsim.core.game import GameRows
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metromania.game import Metromania
from mmsim.metromania.interventions import INTERVENTIONS

METROMANIA = Metromania()
COUNT = 60


def played(*interventions: str, rules: str = "print", first: int = 0, count: int = COUNT) -> GameRows:
    variant = Variant(rules, 4, "compact", bots="greedy", seed=4, interventions=interventions)
    return METROMANIA.play_games(METROMANIA.prepare(variant), first, count)


def hands(rows: GameRows) -> list[list[int]]:
    """The hands of every game, in order."""
    return [sorted(of_game.tolist()) for of_game in rows["seats"]["hand"].reshape(-1, 4)]


@pytest.mark.parametrize("name", INTERVENTIONS)
def test_layouts_and_hands_are_those_of_the_games_as_played(name: str) -> None:
    usual, changed = played(), played(name)
    assert (changed["games"]["layout"] == usual["games"]["layout"]).all()
    assert hands(changed) == hands(usual)
    assert (changed["games"]["status"] == 0).all()
    assert (changed["games"]["turns"] != usual["games"]["turns"]).any()


@pytest.mark.parametrize("name", INTERVENTIONS)
def test_a_changed_game_is_the_same_alone_and_among_others(name: str) -> None:
    together, alone = played(name), played(name, first=7, count=1)
    for table, rows in alone.items():
        assert (rows == together[table].reshape(COUNT, -1)[7].ravel()).all()


def test_a_game_that_is_only_finished_is_the_game_as_played() -> None:
    """With one hand for everybody to be shuffled there is nothing to change."""
    usual, changed = (played(*names, rules="print+no-corruption") for names in ((), ("shuffled_hands",)))
    same = (changed["seats"]["hand"] == usual["seats"]["hand"]).reshape(COUNT, 4).all(axis=1)
    assert 0 < same.sum() < COUNT // 4
    for table, rows in usual.items():
        each, others = rows.reshape(COUNT, -1)[same], changed[table].reshape(COUNT, -1)[same]
        assert (each == others).all()


def test_with_shuffled_hands_every_seat_has_every_hand_in_turn() -> None:
    dealt = played("shuffled_hands", rules="print+no-corruption")["seats"]["hand"].reshape(-1, 4)
    assert [len(np.unique(dealt[:, seat])) for seat in range(4)] == [4] * 4


def test_random_starts_are_all_over_the_frame() -> None:
    def places(rows: GameRows) -> int:
        first = rows["lines"][rows["lines"]["line"] == 0]
        return len(np.unique(10 * first["start_side"] + first["start_cell"]))

    assert places(played("random_starts")) >= places(played())
    starts = played("random_starts")["lines"].reshape(COUNT, 8)[:, 0]
    assert len(np.unique(starts["start_side"])) == 6


def test_exchanged_openings_are_those_of_another_seat_of_the_game_as_played() -> None:
    usual = played()["seats"]["opening"].reshape(-1, 4)
    changed = played("exchanged_openings")["seats"]["opening"].reshape(-1, 4)
    first = changed[:, 0]  # nothing that another company has built is in its way
    from_others = [opening in row[1:] for opening, row in zip(first, usual, strict=True)]
    assert np.mean(from_others) > 0.8
    assert np.mean(first == usual[:, 0]) < 0.2


def test_two_interventions_at_once_change_both() -> None:
    both = played("random_starts", "shuffled_hands")
    assert hands(both) == hands(played())
    assert (both["seats"]["hand"] != played("random_starts")["seats"]["hand"]).any()


def test_an_unknown_intervention_and_a_record_of_a_changed_game_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown intervention 'random_start'; did you mean 'random_starts'"):
        METROMANIA.prepare(Variant("print", interventions=("random_start",)))
    changed = METROMANIA.prepare(Variant("print", interventions=("random_starts",)))
    with pytest.raises(UsageError, match="a game with random_starts is played as a whole"):
        METROMANIA.record(changed, 0)


def test_a_start_can_be_forced_for_some_seats_only() -> None:
    usual, every = (played(*names)["lines"].reshape(COUNT, 8) for names in ((), ("random_starts",)))
    for seats, forced in (("1", [0]), ("3", [2]), ("1+4", [0, 3])):
        lines = played(f"random_starts@{seats}")["lines"].reshape(COUNT, 8)
        first = lines[:, ::2]
        same_side = (first["start_side"] == usual[:, ::2]["start_side"]).mean(axis=0)
        assert all(same_side[seat] < 0.5 for seat in forced)
        assert all(same_side[seat] == 1 for seat in range(min(forced)))
    assert (every[:, 0]["start_side"] == played("random_starts@1")["lines"].reshape(COUNT, 8)[:, 0]["start_side"]).all()


@pytest.mark.parametrize("name", ["random_starts@5", "random_starts@0", "random_starts@", "shuffled_hands@1"])
def test_an_intervention_for_seats_that_do_not_exist_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="does not name seats 1 to 4 of an intervention by seat"):
        METROMANIA.prepare(Variant("print", 4, interventions=(name,)))
