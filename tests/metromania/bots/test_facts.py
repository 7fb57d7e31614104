"""What bots reckon is what happens: scores as the game stands, and every fact by which a turn is weighed.

A bot's turns are played on the readable engine. The plans of a company's two lines are weighed one by one, each on the
position as it is, so they are played one by one too; only the trips are those of the whole turn.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from mmsim.core.game import Variant
from mmsim.metromania.bots import border
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.thinking.evaluation import reckon_trips
from mmsim.metromania.bots.thinking.memory import DEPTH, FEATURES
from mmsim.metromania.engine.moves import MOVE_KINDS, PASS, START, take_apart
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.play import Seed, set_up
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import apply, legal_moves
from mmsim.metromania.rules.reference_scoring import TRIPS, Network, kept_points, result, run_trip, stations_of

METROMANIA = Metromania()
FACTS = (
    "points",
    "stations",
    "tunnels",
    "marker",
    "meets",
    "served",
    "served_partner",
    "served_other",
    "park_lake",
    "joins",
)
OPEN = [  # every edition and mode, with open hands: all can be reckoned
    ("print+loyal", 4, "classic"),
    ("en1,hands=open", 4, "compact"),
    ("nl+loyal", 3, "open"),
    ("v2+loyal", 3, "classic"),
    ("v2+no-corruption,hands=open", 4, "compact"),
    ("en1+regular,hands=open", 2, "classic"),
    ("nl+advanced,hands=open", 2, "compact"),
    ("print+advanced,hands=open", 2, "grand"),
]
FINISHED = [
    (edition + modifier, players, board)
    for edition, modifiers in {
        "en1": ("", "+loyal", "+hidden", "+no-corruption", "+regular", "+advanced"),
        "print": ("", "+loyal", "+hidden", "+no-corruption", "+advanced"),
        "nl": ("", "+loyal", "+hidden", "+no-corruption", "+regular", "+advanced"),
        "v2": ("", "+loyal", "+hidden", "+no-corruption", "+regular"),
    }.items()
    for modifier in modifiers
    for players, board in [(2, "classic"), (2, "open")] * (modifier in ("+regular", "+advanced"))
    or [(4, "classic"), (4 if modifier else 3, "compact"), (4, "grand")]
]


def games(rules: str, players: int, board: str, bots: str, count: int) -> Iterator[tuple[Position, Game]]:
    """Games at their first decision in both engines."""
    prepared = METROMANIA.prepare(Variant(rules, players, board, bots, seed=17))
    for number in range(count):
        yield Position(prepared, number), set_up(prepared.board_set, prepared.rules, Seed(17, number))


def decisions(position: Position, game: Game, every: int) -> Iterator[Any]:
    """Play a game in both engines; at some decisions, what its bot had in mind when it chose."""
    count = 0
    while not position.over:
        bot, move = position.bots[position.seat], position.bot_move()
        if bot.name != "search" and position.explain():
            count += 1
            if count % every == 0:
                yield thoughts(position)
        position.apply(move)
        apply(game, move)


def play_out(position: Position, game: Game) -> None:
    """Play a game to its end in both engines."""
    while not position.over:
        move = position.bot_move()
        position.apply(move)
        apply(game, move)


def thoughts(position: Position) -> Any:
    return position._memory.thoughts[0]


def trip_scores(game: Game) -> list[int]:
    """What the trips would bring every company if the game were over."""
    network = Network(game)
    trips = [run_trip(game, network, name) for name in TRIPS]
    return [sum(trip.scores[seat] for trip in trips) for seat in range(game.rules.companies)]


# --- scores ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("L1", "TT3", "TT4", "TT5", "TT6")
@pytest.mark.parametrize(("rules", "players", "board"), OPEN)
def test_the_standing_that_a_bot_reckons_is_the_score_if_the_game_were_over(
    rules: str, players: int, board: str
) -> None:
    seen = 0
    for position, game in games(rules, players, board, "planner", 2):
        for mind in decisions(position, game, 3):
            trips = trip_scores(game)
            assert [int(points) for points in mind.trips_before[: len(trips)]] == trips
            standing = [kept_points(game, seat) + points for seat, points in enumerate(trips)]
            assert [int(points) for points in mind.standing[: len(trips)]] == standing
            seen += any(trips)
    assert seen > 5


@pytest.mark.rule("TT3", "TT4", "TT5", "TT6")
@pytest.mark.parametrize(("rules", "players", "board"), FINISHED)
def test_what_a_bot_reckons_of_a_finished_game_is_its_score_sheet(rules: str, players: int, board: str) -> None:
    different = set()
    for position, game in games(rules, players, board, "greedy", 4):
        play_out(position, game)
        mind, setting, sheet = thoughts(position), position.prepared.setting, result(game)
        # in plain Python, or compiled if this process compiles
        reckon_trips(position._memory.state[0], setting.board[0], setting.rules[0], position._memory.network[0], mind)
        of_trips = [score - kept for score, kept in zip(sheet.scores, sheet.kept_points, strict=True)]
        assert [int(points) for points in mind.trip_points[: len(of_trips)]] == of_trips
        different |= set(of_trips)
    assert len(different) > 2


# --- turns -----------------------------------------------------------------------------------------------------


def planned_moves(mind: Any, first: int) -> list[int]:
    return [int(code) for code in mind.turn_code[DEPTH * first : DEPTH * first + int(mind.turn_length[first])]]


def move_of(position: Position, game: Game, code: int) -> Move:
    """A move of a plan where the reference engine has come to."""
    kind, number, what, extra = take_apart(code)
    grid, name = game.city.lattice, MOVE_KINDS[kind]
    if name == "station":
        return Move(name, number, at=game.lines[game.seat][number].path[what])
    if kind == START:
        cell = grid.frame_cells[what]
        return Move(name, number, cell, grid.corners[cell][extra])
    u = grid.vertex_id[game.lines[game.seat][number].terminus]
    to = grid.vertices[grid.neighbours[u, what >> 1]]
    marker = position._marker(game.seat, extra - 1) if extra else None
    return Move(name, number, grid.cells[grid.slot_cells[u, what]], to, marker)


def played(position: Position, game: Game, codes: list[int]) -> Game | None:
    """The position after some moves of the company in turn; None if a trigger stops the turn before (P4)."""
    after = deepcopy(game)
    for code in codes:
        if after.over or after.turn != game.turn:
            return None
        apply(after, move_of(position, after, code))  # which it must be allowed to play
    return after


def outcomes(position: Position, game: Game, codes: list[int]) -> list[dict[str, float]]:
    """What may come of some moves: one thing, or as many as there are places for a bonus station (I3)."""
    after = played(position, game, codes)
    if after is None:
        return []
    found = [facts(game, after)]
    if after.bonus_line is not None:
        for move in legal_moves(after):
            if move.kind == "bonus":
                with_bonus = deepcopy(after)
                apply(with_bonus, move)
                found.append(facts(game, with_bonus))
    return found


def facts(before: Game, after: Game) -> dict[str, float]:
    """What has come of some moves of the company in turn."""
    after.seat = seat = before.seat  # its turn may be over
    new = after.stations[len(before.stations) :]
    own_letters = {marker.letter for marker in before.dealt[seat]}
    served = [marker for marker in after.placed if is_served(after, marker) and not is_served(before, marker)]
    found = dict.fromkeys(FACTS, 0.0)
    found["points"] = after.points[seat] - before.points[seat]
    found["stations"] = len(new)
    found["tunnels"] = sum(line.tunnels for line in after.lines[seat]) - sum(
        line.tunnels for line in before.lines[seat]
    )
    found["marker"] = len(after.placed) - len(before.placed)
    found["meets"] = sum(lines_at(after, vertex) - 1 for vertex in new)
    for marker in served:
        owner = after.placed[marker][0]
        found["served" if owner == seat else "served_partner" if marker.letter in own_letters else "served_other"] += 1
    found["joins"] = len(network(after)) - len(network(before))
    for letter in "PL":
        cells = [cell for cell, kind in before.city.kind.items() if kind == letter]
        found["park_lake"] += bool(stations_of(after, cells)) and not stations_of(before, cells)
    return found


def network(game: Game) -> set[tuple[int, int]]:
    """The lines that those of the company in turn are connected with, themselves too."""
    at = {
        vertex: {(seat, number) for seat, number, line in game.all_lines() if vertex in line.path}
        for vertex in game.stations
    }
    found = {(game.seat, 0), (game.seat, 1)}
    while more := set().union(*(lines for lines in at.values() if lines & found)) - found:
        found |= more
    return found


def is_served(game: Game, marker: Any) -> bool:
    return marker in game.placed and bool(stations_of(game, [game.placed[marker][1]]))


def lines_at(game: Game, vertex: Vertex) -> int:
    return sum(vertex in line.path for _, _, line in game.all_lines())


@pytest.mark.rule("ST1", "ST2", "ST5", "D5", "M1", "I1")
@pytest.mark.parametrize(("rules", "players", "board"), OPEN)
def test_what_a_turn_is_weighed_by_is_what_comes_of_it(rules: str, players: int, board: str) -> None:
    compared = 0
    for position, game in games(rules, players, board, "planner:trials=64", 2):
        for mind in decisions(position, game, 4):
            for first in range(0, int(mind.firsts), 3):
                codes = planned_moves(mind, first)
                if codes[0] == PASS:
                    continue
                border.explain_turn(position._memory, position.prepared.setting, 0, first)
                told = dict(zip(FEATURES, mind.amount.tolist(), strict=True))
                lines = ([code for code in codes if take_apart(code)[1] == number] for number in range(2))
                one, other = (outcomes(position, game, of_line) for of_line in lines)
                sums = [{fact: a[fact] + b[fact] for fact in FACTS} for a in one for b in other]
                assert not sums or {fact: told[fact] for fact in FACTS} in sums, (codes, first)
                compared += len(sums) > 0
    assert compared > 30
