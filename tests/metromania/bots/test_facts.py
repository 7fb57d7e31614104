"""What bots work out is what happens: scores if the game were over, and every fact by which a turn is weighed.

A bot's turns are played on the readable engine. The plans of a company's two lines are weighed one by one, each on the
position as it is, so they are played one by one too; only the trips are those of the whole turn. What is an estimate by
its nature (chances, distances, what others need) is not compared; `docs/explanation/bots.md` says what plans leave out.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import cycle, pairwise
from typing import Any

import numpy as np
import pytest

from mmsim.core.game import IllegalMove
from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metromania.bots import entry_points
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.thinking.memory import DEPTH
from mmsim.metromania.bots.thinking.trip_cache import score_trips
from mmsim.metromania.bots.turn_weights import FEATURES
from mmsim.metromania.engine.moves import MOVE_KINDS, PASS, START, decode_move
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import apply, legal_moves, open_ways, set_up
from mmsim.metromania.rules.reference_scoring import TRIPS, Network, kept_points, result, run_trip, stations_of
from tests.metromania.positions import after
from tests.properties.strategies import TWO_PLAYER_MODES, offered

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
    "allies",
    "partner",
    "close",
)
OF_OTHERS = ("allies", "partner", "close")  # facts that a hidden hand makes a guess
OPEN = [  # every edition and mode, with open hands: all facts can be worked out
    ("print+loyal", 4, "roomy"),
    ("en1,hands=open", 4, "compact"),
    ("nl+loyal", 3, "open"),
    ("v2+loyal", 3, "roomy"),
    ("v2+no-corruption,hands=open", 4, "compact"),
    ("en1+regular,hands=open", 2, "roomy"),
    ("nl+advanced,hands=open", 2, "compact"),
    ("print+advanced,hands=open", 2, "grand"),
]
HIDDEN = [("print", 4, "roomy"), ("v2+hidden", 4, "compact"), ("nl", 3, "open"), ("en1+advanced", 2, "roomy")]


def games(rules: str, players: int, board: str, bots: str, count: int) -> Iterator[tuple[Position, Game]]:
    """Games at their first decision in both engines."""
    prepared = METROMANIA.prepare(Variant(rules, players, board, bots, seed=17))
    for number in range(count):
        yield Position(prepared, number), set_up(prepared.board_set, prepared.rules, Seed(17, number))


def decisions(position: Position, game: Game, every: int) -> Iterator[Any]:
    """Play a game in both engines; at some decisions, what its bot had in mind when it chose."""
    count = 0
    while not position.over:
        move = position.bot_move()
        if has_weighed(position):
            count += 1
            if count % every == 0:
                yield thoughts(position)
        position.apply(move)
        apply(game, move)


def has_weighed(position: Position) -> bool:
    """Whether the bot has weighed turns for this very decision."""
    s = position._memory.positions.view(np.ndarray)[0]
    in_mind = s["plan_turn"] == s["turn"] and s["plan_dug"] == s["dug"]
    return bool(in_mind and s["choices"] > 1 and s["bonus_line"] < 0)


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
def test_the_standing_a_bot_works_out_is_the_score_if_the_game_were_over(rules: str, players: int, board: str) -> None:
    seen = 0
    for position, game in games(rules, players, board, "planner", 2):
        for thought in decisions(position, game, 3):
            trips = trip_scores(game)
            assert [int(points) for points in thought.trips_before[: len(trips)]] == trips
            standing = [kept_points(game, seat) + points for seat, points in enumerate(trips)]
            assert [int(points) for points in thought.standing[: len(trips)]] == standing
            seen += any(trips)
    assert seen > 5


@pytest.mark.rule("TT3", "TT4", "TT5", "TT6")
@pytest.mark.parametrize("edition", TWO_PLAYER_MODES)
def test_a_bot_values_a_finished_game_as_its_score_sheet(edition: str) -> None:
    different = set()
    variants = [(rules, players) for rules, players in offered() if rules.startswith(edition)]
    for (rules, players), board in zip(variants, cycle(board_file.shipped_names()), strict=False):
        ((position, game),) = games(rules, players, board, "greedy", 1)
        play_out(position, game)
        thought, setting, sheet = thoughts(position), position.prepared.setting, result(game)
        # in plain Python, or compiled if this process compiles
        score_trips(
            position._memory.positions[0], setting.board[0], setting.rules[0], position._memory.network[0], thought
        )
        of_trips = [score - kept for score, kept in zip(sheet.scores, sheet.kept_points, strict=True)]
        assert [int(points) for points in thought.trip_points[: len(of_trips)]] == of_trips, (rules, players, board)
        different |= set(of_trips)
    assert len(different) > 8


# --- turns -----------------------------------------------------------------------------------------------------


def planned_moves(thought: Any, first: int) -> list[int]:
    return [int(code) for code in thought.turn_code[DEPTH * first : DEPTH * first + int(thought.turn_length[first])]]


def move_of(position: Position, game: Game, code: int) -> Move:
    """A move of a plan, in the position that the reference engine has reached."""
    kind, number, what, extra = decode_move(code)
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


def played(position: Position, game: Game, codes: tuple[int, ...]) -> list[Game] | None:
    """The positions between some moves of the company in turn; None if a trigger stops the turn before (P4)."""
    steps = [game]
    for code in codes:
        if steps[-1].over or steps[-1].turn != game.turn:
            return None
        steps.append(after(steps[-1], move_of(position, steps[-1], code)))  # which it must be allowed to play
    return steps


def outcomes(position: Position, game: Game, codes: tuple[int, ...]) -> list[dict[str, float]]:
    """The possible facts of some moves: one set, or one for every place of a bonus station (I3)."""
    steps = played(position, game, codes)
    if steps is None:
        return []
    ways = [steps]
    if steps[-1].bonus_line is not None:
        ways += [[*steps, after(steps[-1], move)] for move in legal_moves(steps[-1]) if move.kind == "bonus"]
    return [facts(way) for way in ways]


def facts(steps: list[Game]) -> dict[str, float]:
    """The facts of some moves of the company in turn, by the positions between them."""
    before, then = steps[0], steps[-1]
    seat = before.seat
    new = then.stations[len(before.stations) :]
    own_letters = {marker.letter for marker in before.dealt[seat]}
    served = [marker for marker in then.placed if is_served(then, marker) and not is_served(before, marker)]
    counted = dict.fromkeys(FACTS, 0.0)
    counted["points"] = then.points[seat] - before.points[seat]
    counted["stations"] = len(new)
    counted["tunnels"] = sum(line.tunnels for line in then.lines[seat]) - sum(
        line.tunnels for line in before.lines[seat]
    )
    counted["marker"] = len(then.placed) - len(before.placed)
    counted["meets"] = sum(lines_at(then, vertex) - 1 for vertex in new)
    for marker in served:
        owner = then.placed[marker][0]
        counted[
            "served" if owner == seat else "served_partner" if marker.letter in own_letters else "served_other"
        ] += 1
    counted["joins"] = len(network(then, seat)) - len(network(before, seat))
    for letter in "PL":
        cells = [cell for cell, kind in before.city.kind.items() if kind == letter]
        counted["park_lake"] += bool(stations_of(then, cells)) and not stations_of(before, cells)
    for earlier, later in pairwise(steps):
        joined = {company for company, _ in network(later, seat) - network(earlier, seat)}
        counted["allies"] += sum(holder_of_partner(before, marker) in joined for marker in before.dealt[seat])
        on_network = {company for company, _ in network(later, seat)}
        counted["partner"] += sum(
            holder_of_partner(before, marker) in on_network for marker in later.placed.keys() - earlier.placed
        )
    if sum(line.ended for line in before.lines[seat]) == 1 and all(line.ended for line in then.lines[seat]):
        counted["close"] = lead(before)
    return counted


def lead(game: Game) -> int:
    """By how many points the company in turn would be ahead of the best of other players if the game were over."""
    players, trips = game.rules.seat_player, trip_scores(game)
    standing = [kept_points(game, seat) + points for seat, points in enumerate(trips)]
    return standing[game.seat] - max(
        points for seat, points in enumerate(standing) if players[seat] != players[game.seat]
    )


def holder_of_partner(game: Game, marker: Marker) -> int:
    """The company to which the other marker of the same letter was dealt."""
    return next(
        seat
        for seat, hand in enumerate(game.dealt)
        for other in hand
        if other.letter == marker.letter and other != marker
    )


def network(game: Game, company: int) -> set[tuple[int, int]]:
    """The lines that those of a company are connected with, themselves too."""
    at = {
        vertex: {(seat, number) for seat, number, line in game.all_lines() if vertex in line.path}
        for vertex in game.stations
    }
    found = {(company, 0), (company, 1)}
    while more := set().union(*(lines for lines in at.values() if lines & found)) - found:
        found |= more
    return found


def is_served(game: Game, marker: Marker) -> bool:
    return marker in game.placed and bool(stations_of(game, [game.placed[marker][1]]))


def lines_at(game: Game, vertex: Vertex) -> int:
    return sum(vertex in line.path for _, _, line in game.all_lines())


def weighed_decisions(rules: str, players: int, board: str) -> Iterator[tuple[Position, Game, Any]]:
    """Some decisions of a planner that tries out all it can: the game in both engines, and its thoughts."""
    for position, game in games(rules, players, board, "planner:trials=64", 2):
        for thought in decisions(position, game, 4):
            yield position, game, thought


def turns(thought: Any, every: int) -> Iterator[tuple[int, list[int]]]:
    """Turns that were weighed: the number of the first move, and all moves."""
    for first in range(0, int(thought.firsts), every):
        codes = planned_moves(thought, first)
        if codes[0] != PASS:
            yield first, codes


@pytest.mark.rule("ST1", "ST2", "ST5", "D5", "M1", "I1")
@pytest.mark.parametrize(("rules", "players", "board"), [*OPEN, *HIDDEN])
def test_the_features_of_a_turn_are_what_happens_when_it_is_played(rules: str, players: int, board: str) -> None:
    compared = 0
    known = FACTS if (rules, players, board) in OPEN else tuple(fact for fact in FACTS if fact not in OF_OTHERS)
    for position, game, thought in weighed_decisions(rules, players, board):
        come = cache(partial(outcomes, position, game))  # of a plan that is part of several turns
        for first, codes in turns(thought, 3):
            entry_points.explain_turn(position._memory, position.prepared.setting, 0, first)
            amounts = dict(zip(FEATURES, thought.amount.tolist(), strict=True))
            one, other = (come(tuple(code for code in codes if decode_move(code)[1] == number)) for number in range(2))
            sums = [{fact: a[fact] + b[fact] for fact in known} for a in one for b in other]
            assert not sums or {fact: amounts[fact] for fact in known} in sums, (codes, first)
            compared += len(sums) > 0
    assert compared > 30


def come_to(position: Position, game: Game, codes: tuple[int, ...]) -> Game:
    """The position after some moves, as far as they go: the plans of both lines may be in each other's way."""
    then = game
    for code in codes:
        if then.turn != game.turn or then.over:
            break
        try:
            then = after(then, move_of(position, then, code))
        except IllegalMove:
            break
    return then


@pytest.mark.rule("TT1", "TT3", "TT4", "TT5", "TT6")
@pytest.mark.parametrize(("rules", "players", "board"), [*OPEN, *HIDDEN])
def test_the_trips_that_a_bot_sees_after_a_turn_are_those_of_the_score_sheet(
    rules: str, players: int, board: str
) -> None:
    changed = 0
    hands_are_seen = (rules, players, board) in OPEN
    for position, game, thought in weighed_decisions(rules, players, board):
        before, come = trip_scores(game), cache(partial(come_to, position, game))
        for first, codes in turns(thought, 1):
            if not thought.tried[first]:
                continue
            then = come(tuple(codes))
            gains = [points - earlier for points, earlier in zip(trip_scores(then), before, strict=True)]
            assert thought.turn_own[first] == gains[game.seat], codes
            if hands_are_seen:
                assert thought.turn_rival[first] == gains[int(thought.rival)], codes
            changed += any(gains)
    assert changed > 5


# --- what others need ------------------------------------------------------------------------------------------


def line_ends(game: Game, seat: int) -> set[int]:
    """D4: the frame cells in which a company may end a line now, as compiled code numbers them."""
    grid = game.city.lattice
    return {
        grid.cells.index(cell)
        for number in range(2)
        for _, cell in open_ways(game, seat, number)
        if cell in grid.frame_cells
    }


@pytest.mark.parametrize(("rules", "players", "board"), [("print+loyal", 4, "compact"), ("v2+regular", 2, "roomy")])
def test_others_need_an_end_only_where_they_may_end_a_line(rules: str, players: int, board: str) -> None:
    needed_ends = 0
    for position, game in games(rules, players, board, "planner:block=1,opening=3", 6):
        for thought in decisions(position, game, 1):
            grid, others = game.city.lattice, [seat for seat in range(game.rules.companies) if seat != game.seat]
            needed = {cell for cell in range(len(grid.city_cells), len(grid.cells)) if thought.need[cell] > 0}
            assert needed <= set().union(*(line_ends(game, seat) for seat in others))
            needed_ends += len(needed)
    assert needed_ends > 3
