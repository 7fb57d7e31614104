"""S7: bots know what their players may know. Hidden hands are exchanged behind their backs; they must not notice."""

from collections.abc import Iterator

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metromania.bots import BOTS
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.bots.position import Position, View
from mmsim.metromania.bots.thinking.memory import VIEW
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.deal import Hands, valid_deals
from mmsim.metromania.rules.position import Move

METROMANIA = Metromania()
ALL_BOTS = [
    *(name for name in BOTS if "search" not in name),
    *("search:playouts=12", "search:playouts=12,rounds=1", "deepsearch:playouts=8"),
]
HIDDEN = [("print", 4), ("v2+hidden", 3)]  # with two players everybody can work out what the other holds


def guests(prepared: MetromaniaVariant, game: int, moves: list[Move], hands: Hands | None) -> Position | None:
    """A game up to a decision with other hands dealt; None if those would have changed the play."""
    position = Position(prepared, game, hands=hands)
    for move in moves:
        if position.over or move not in position.legal_moves():
            return None
        position.apply(move)
    return None if position.over else position


def other_deals(position: Position, rng: np.random.Generator, most: int) -> Iterator[Hands]:
    """Deals that agree with all that the company in turn may see."""
    seat_player, seat = position.rules.seat_player, position.seat
    placed = position.view(seat).placed
    deals = valid_deals(position.rules)
    found = 0
    for which in rng.permutation(len(deals)):
        hands = deals[which]
        agrees = all(
            set(hands[other]) == set(position.dealt[other])
            if seat_player[other] == seat_player[seat]
            else {marker for marker, (owner, _) in placed.items() if owner == other} <= set(hands[other])
            for other in range(len(hands))
        )
        if agrees and hands != position.dealt:
            yield hands
            found += 1
            if found == most:
                return


def decisions(prepared: MetromaniaVariant, games: range, every: int) -> Iterator[tuple[int, list[Move]]]:
    """Some decisions of some games: the moves that lead to them."""
    for game in games:
        position, moves = Position(prepared, game), list[Move]()
        while not position.over:
            if len(moves) % every == game % every and len(position.legal_moves()) > 1:
                yield game, list(moves)
            move = position.bot_move()
            position.apply(move)
            moves.append(move)


def choices(prepared: MetromaniaVariant, spec: str, games: range, every: int, most: int) -> Iterator[tuple[Move, Move]]:
    """What a bot chooses, and what it chooses when hands it cannot know of are others."""
    rng = np.random.default_rng(5)
    rules = prepared.rules
    thinking = METROMANIA.prepare(Variant(rules.name, rules.players, bots=spec, seed=prepared.seed))
    for game, moves in decisions(prepared, games, every):
        truth = guests(thinking, game, moves, None)
        assert truth is not None
        chosen = truth.bot_move()
        for hands in other_deals(truth, rng, most):
            guessed = guests(thinking, game, moves, hands)
            if guessed is not None:
                yield chosen, guessed.bot_move()


@pytest.mark.rule("S7")
@pytest.mark.parametrize("spec", ALL_BOTS)
@pytest.mark.parametrize(("rules", "players"), HIDDEN)
def test_hidden_hands_change_no_choice(rules: str, players: int, spec: str) -> None:
    prepared = METROMANIA.prepare(Variant(rules, players, bots="planner", seed=11))
    pairs = list(choices(prepared, spec, range(2), 17, 2))
    assert len(pairs) > 5
    assert all(one == other for one, other in pairs)


@pytest.mark.rule("S7")
@pytest.mark.parametrize("spec", ["planner", "networker"])
def test_open_hands_change_choices_of_bots_that_reason_about_hands(spec: str) -> None:
    prepared = METROMANIA.prepare(Variant("print+loyal", 4, bots="planner", seed=11))
    assert any(one != other for one, other in choices(prepared, spec, range(12), 7, 4))


@pytest.mark.rule("S7")
def test_the_memory_a_bot_is_given_is_the_same_whatever_others_hold() -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots="planner", seed=3))
    rng, seen = np.random.default_rng(1), 0
    for game, moves in decisions(prepared, range(2), 9):
        truth = guests(prepared, game, moves, None)
        assert truth is not None
        truth.bot_move()
        for hands in other_deals(truth, rng, 2):
            guessed = guests(prepared, game, moves, hands)
            if guessed is not None:
                guessed.bot_move()
                assert guessed._memory.positions[VIEW].tobytes() == truth._memory.positions[VIEW].tobytes()
                assert guessed._memory.streams[VIEW].tobytes() == truth._memory.streams[VIEW].tobytes()
                seen += 1
    assert seen > 10


@pytest.mark.rule("S7")
def test_a_bot_in_python_sees_the_same_view_whatever_others_hold() -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots="planner", seed=4))
    rng, seen = np.random.default_rng(1), 0

    def view_of(position: Position) -> dict[str, object]:
        view: View = position.view(position.seat)
        return {name: value for name, value in vars(view).items() if name != "draws"}

    for game, moves in decisions(prepared, range(2), 9):
        truth = guests(prepared, game, moves, None)
        assert truth is not None
        for hands in other_deals(truth, rng, 2):
            guessed = guests(prepared, game, moves, hands)
            if guessed is not None:
                assert view_of(guessed) == view_of(truth)
                seen += 1
    assert seen > 10


def test_search_keeps_a_clear_head_when_no_deal_explains_the_hands() -> None:
    prepared = METROMANIA.prepare(Variant("print", 4, bots="search:playouts=8", seed=2))
    left = valid_deals(prepared.rules)[0]
    odd = (left[0], left[0], left[2], left[3])  # two companies with the same markers
    position = Position(prepared, 0, hands=odd)
    assert position.bot_move() in position.legal_moves()
