"""Bots that do without an element of the game never use it, unless the rules leave them nothing else."""

from collections.abc import Iterator

import pytest

from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metromania.bots import BOTS, find_bot
from mmsim.metromania.bots.position import Position
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.position import DECLINE, Move

METROMANIA = Metromania()
GAMES = range(6)


def decisions(bots: str, rules: str = "print") -> Iterator[tuple[Position, Move]]:
    """Every decision of seat 0 in some games, before it is played."""
    prepared = METROMANIA.prepare(Variant(rules, 4, bots=bots, seed=5))
    for game in GAMES:
        position = METROMANIA.new_game(prepared, game)
        while not position.over:
            move = position.bot_move()
            if position.seat == 0:
                yield position, move
            position.apply(move)


def is_used(position: Position, move: Move, element: str) -> bool:
    """Whether a move is one that a bot without an element would not make."""
    if element == "bonus":
        return move.kind == "bonus"
    if element == "intermediate":
        return move.kind == "station"
    if element == "second_line":
        return move.kind == "start" and move.line == 1
    assert element == "others_lines"
    if move.marker is None or move.cell is None:
        return False
    view = position.view(position.seat)
    corners = set(position.city.lattice.corners[move.cell])
    return any(corners & set(path) for path in view.paths[2:])


@pytest.mark.parametrize("bot", ["planner", "expert"])
@pytest.mark.parametrize("element", ["bonus", "intermediate", "second_line", "others_lines"])
def test_an_element_that_a_bot_does_without_is_used_only_where_nothing_else_is_legal(bot: str, element: str) -> None:
    used, usable = 0, 0
    for position, move in decisions(f"{bot}:without={element},planner,planner,planner"):
        others = [other for other in position.legal_moves() if not is_used(position, other, element)]
        used += is_used(position, move, element) and bool(others) and others != [DECLINE]
        usable += len(others) < len(position.legal_moves())
    assert usable > 0
    assert used == 0


@pytest.mark.parametrize("element", ["bonus", "second_line", "others_lines"])
def test_the_same_bot_with_the_element_uses_it(element: str) -> None:
    assert any(is_used(position, move, element) for position, move in decisions("planner"))


def taken(bots: str) -> float:
    """How much the cells that seat 0 takes are needed by others, as its bot sees it."""
    total = 0.0
    for position, _ in decisions(bots):
        if position.view(0).dug == 0 and len(position.legal_moves()) > 1:
            position.bot_move()
            total += sum(reason.features.get("block", 0.0) / -1000 for reason in position.explain()[:1])
    return total


def test_a_bot_that_does_not_block_takes_hardly_a_cell_that_others_need() -> None:
    assert 0 <= taken("planner:without=blocking,planner,planner,planner") < 1
    assert taken("planner:block=-0.001,planner,planner,planner") * 1e6 > 1


def test_without_them_open_hands_are_as_good_as_hidden() -> None:
    rows = {
        rules: METROMANIA.play_games(METROMANIA.prepare(Variant(rules, 4, bots=bots, seed=5)), 0, 20)
        for rules, bots in (("print+loyal", "planner:without=open_hands"), ("print", "planner"))
    }
    assert all((rows["print+loyal"][table] == rows["print"][table]).all() for table in rows["print"])


def test_elements_are_spelled_in_the_name_of_a_bot() -> None:
    assert find_bot("planner:without=open_hands+bonus,block=2").spec == "planner:without=bonus+open_hands,block=2"
    assert find_bot("expert:without=blocking").description["without"] == ["blocking"]
    assert "without" not in find_bot("planner").description


def test_an_unknown_element_or_a_bot_that_has_none_is_refused() -> None:
    with pytest.raises(
        UsageError, match="unknown element that bot planner can do without 'bonuses'; did you mean 'bonus'"
    ):
        find_bot("planner:without=bonuses")
    with pytest.raises(UsageError, match="without"):
        find_bot("search:without=bonus")
    assert not BOTS["uniform"].elements
