"""The chance to win: a mean of playouts that knows what lies open, and nothing that is hidden from anybody."""

from random import Random

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metro.bots.position import Position
from mmsim.metro.game import Metro
from tests.metro.bots.test_hidden import VARIANTS, permute_hidden, position

ONLOOKER = 7  # a seat that nobody has: what lies face up has its bit too
METRO = Metro()


def at_the_beginning_of_a_turn(spec: str, players: int) -> Position:
    game = position(spec, players, "uniform", 5, 21)
    while game._s.drawn >= 0:
        game.apply(game.legal_moves()[0])
    return game


@pytest.mark.parametrize(("spec", "players"), VARIANTS)
def test_chances_are_the_same_whatever_is_hidden(spec: str, players: int) -> None:
    game = at_the_beginning_of_a_turn(spec, players)
    before, after = np.zeros((4, players)), np.zeros((4, players))
    game.sample_wins(before)
    permute_hidden(game._s, players, ONLOOKER, Random(3))
    game.sample_wins(after)
    assert (before == after).all()
    assert before.sum(axis=1) == pytest.approx(1)
    assert len({tuple(row) for row in before}) > 1


def test_chances_of_a_record_go_from_the_deal_to_its_result() -> None:
    record = METRO.record(METRO.prepare(Variant("metro", 3, bots="planner", seed=4)), 2)
    chances = METRO.win_chances(record, 6)
    assert chances.shape == (record["moves"][-1]["turn"] + 1, 3)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert [seat for seat in range(3) if chances[-1, seat] > 0] == record["result"]["winners"]
    assert (METRO.win_chances(record, 6) == chances).all()
    assert len(set(chances[:, 0])) > 3
