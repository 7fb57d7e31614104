"""The chance to win: a mean of playouts that knows what lies open, and no hidden hand."""

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metromania.bots.position import Position
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.deal import valid_deals

METROMANIA = Metromania()


def first_chances(rules: str, deal: int, playouts: int) -> list[list[float]]:
    """Shares of the win before the first turn of the same game with a deal of one's choice."""
    prepared = METROMANIA.prepare(Variant(rules, 4, bots="planner", seed=3))
    position = Position(prepared, 1, hands=valid_deals(prepared.rules)[deal])
    wins = np.zeros((playouts, 4))
    position.sample_wins(wins)
    return [[float(share) for share in row] for row in wins]


def test_chances_are_the_same_whatever_hidden_hands_hold() -> None:
    assert first_chances("print", 5, 8) == first_chances("print", 700, 8)


def test_chances_look_at_open_hands() -> None:
    assert first_chances("print+loyal", 5, 8) != first_chances("print+loyal", 700, 8)


@pytest.mark.parametrize(("rules", "players"), [("print", 4), ("print", 2), ("v2+hidden", 3)])
def test_chances_of_a_record_go_from_the_deal_to_its_result(rules: str, players: int) -> None:
    record = METROMANIA.record(METROMANIA.prepare(Variant(rules, players, bots="planner", seed=4)), 2)
    chances = METROMANIA.win_chances(record, 6)
    assert chances.shape == (record["moves"][-1]["turn"] + 1, players)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert [player for player in range(players) if chances[-1, player] > 0] == record["result"]["winners"]
    assert (METROMANIA.win_chances(record, 6) == chances).all()
    assert len(set(chances[:, 0])) > 3
