"""The fast core and the reference engine play the same game, decision by decision."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from unittest.mock import patch

import pytest

from mmsim.core.rng import Seed, Stream
from mmsim.metromania.bots.position import TripResult
from mmsim.metromania.rules import reference
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.position import DECLINE, Game, Move
from mmsim.metromania.rules.reference import is_blocked, legal_moves, start_moves
from mmsim.metromania.rules.rulesets import parse, ruleset
from tests.metromania.positions import make_city
from tests.metromania.twins import CHOOSERS, AnyChooser, Twins, mixed_games, random_rules, shipped

SMALL_SIDES = (3, 3, 4, 4, 5)
SIDES = (3, 4, 5, 6, 7, 8)
HUGE = (12,)


def play_usual(rng: Random, count: int, compare_every: int) -> None:
    """Four players, the box's rules, the box's board: as the game is usually played."""
    rules, board_set = ruleset("print", 4), shipped("box")
    for number in range(count):
        chooser = CHOOSERS[0] if number % 2 else rng.choice(CHOOSERS)
        Twins(board_set, rules, Seed(rng.getrandbits(64), number)).play(chooser, rng, compare_every)


def play_mixed(rng: Random, count: int, sides: tuple[int, ...], compare_every: int) -> None:
    for board_set, rules, seed in mixed_games(rng, count, sides):
        Twins(board_set, rules, seed).play(rng.choice(CHOOSERS), rng, compare_every)


def play_boxes(rng: Random, boxes: range, compare_every: int) -> None:
    """One game on each of many random boxes, under random rules."""
    for seed in boxes:
        twins = Twins(shipped(f"random:{seed}"), random_rules(rng), Seed(rng.getrandbits(64), seed))
        twins.play(rng.choice(CHOOSERS), rng, compare_every)


def test_the_usual_game_is_the_same_in_both_engines() -> None:
    play_usual(Random(0), 12, compare_every=16)


@pytest.mark.parametrize(("sides", "count"), [(SIDES, 30), (HUGE, 2)], ids=["all", "huge"])  # small: below
def test_any_game_is_the_same_in_both_engines(sides: tuple[int, ...], count: int) -> None:
    play_mixed(Random(1000 + len(sides)), count, sides, compare_every=16)


def test_a_game_on_any_random_box_is_the_same_in_both_engines() -> None:
    play_boxes(Random(28), range(10), compare_every=16)


@pytest.mark.rule("T3", "H2")
@pytest.mark.parametrize("first_dig", [1, 5])
def test_the_strict_duty_to_dig_is_the_same_in_a_first_turn_of_another_length(first_dig: int) -> None:
    rng, rules = Random(first_dig), ruleset(f"print,dig_duty=most,first_dig={first_dig}", 4)
    for board_set, _, seed in mixed_games(rng, 12, (3,)):
        Twins(board_set, rules, seed).play(CHOOSERS[0], rng, compare_every=64)


@pytest.mark.slow(minutes=1)
def test_a_game_on_any_of_2000_random_boxes_is_the_same_in_both_engines() -> None:
    play_boxes(Random(28_000), range(2000), compare_every=16)


@pytest.mark.slow(minutes=6)
def test_the_usual_game_is_the_same_in_both_engines_many_times_over() -> None:
    play_usual(Random(1_000_000), 25_000, compare_every=64)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sides", "count"),
    [
        pytest.param(SMALL_SIDES, 49_000, marks=pytest.mark.slow(minutes=10), id="small"),
        pytest.param(SIDES, 25_000, marks=pytest.mark.slow(minutes=6), id="all"),
        pytest.param(HUGE, 1_000, id="huge"),
    ],
)
def test_any_game_is_the_same_in_both_engines_many_times_over(sides: tuple[int, ...], count: int) -> None:
    play_mixed(Random(1_000_000 + len(sides)), count, sides, compare_every=64)


# --- what the games above come across --------------------------------------------------------------------------


@dataclass
class Watching:
    """Chooses as another does and counts what there is to see."""

    chooser: AnyChooser
    seen: Counter[str] = field(default_factory=Counter)

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        if game.supply == 0 and game.bonus_line is None and game.dug == 0:
            rules = game.rules
            starts = {move for move in moves if move.kind == "start"}
            game.rules = replace(rules, stations=60)
            self.seen["start refused for want of a station"] += len(set(start_moves(game, game.seat)) - starts)
            game.rules = rules
        move = self.chooser.choose(game, moves, draws)
        self.seen[move.kind] += 1
        for arrow, side in (("start", game.lines[game.seat][0].start_side), ("end", self._start_side(game, move))):
            if move.kind == arrow and move.cell is not None and side is not None:
                near = (int(move.cell[1]) - side) % 6 in (0, 1, 5)
                self.seen[f"{arrow} on a near side"] += near
        if move.marker is not None:
            kinds = [marker.kind for marker in game.dealt[game.seat]]
            first = game.dealt[game.seat][kinds.index(move.marker.kind)]
            self.seen["second marker of a kind"] += move.marker != first
            self.seen["second marker in a turn"] += game.markers_laid > 0
        return move

    def _start_side(self, game: Game, move: Move) -> int | None:
        return None if move.line is None else game.lines[game.seat][move.line].start_side


def count_trip(seen: Counter[str], trip: TripResult) -> None:
    if trip.minutes is None:
        seen[str(trip.fault)] += 1
        return
    seen["trip of no minutes"] += trip.minutes == 0
    seen["two changes"] += trip.changes > 1
    seen["several companies on a trip"] += len(trip.involved) > 1
    seen["a trip nobody scores"] += len(trip.involved) > 1 and not any(trip.scores)


def test_games_on_small_boards_are_the_same_and_come_across_everything_that_is_rare() -> None:
    rng, seen = Random(27), Counter[str]()
    for number, (board_set, rules, seed) in enumerate(mixed_games(rng, 64, SMALL_SIDES)):
        watching = Watching(CHOOSERS[number % len(CHOOSERS)], seen)
        twins = Twins(board_set, rules, seed)
        outcome = twins.play(watching, rng, compare_every=16)
        seen[outcome.end_reason] += 1
        seen["shared win"] += len(outcome.winners) > 1
        seen["two stations at once"] += any(len(played.stations) == 2 for played in twins.game.history)
        for trip in twins.core.result().trips:
            count_trip(seen, trip)
    expected = {
        *("start", "dig", "end", "bonus", "decline", "station", "pass"),
        *("both_lines", "stations", "lines", "deadlock", "shared win"),
        *("not_placed", "no_station", "no_route", "trip of no minutes", "two changes"),
        *("several companies on a trip", "a trip nobody scores", "two stations at once"),
        *("start refused for want of a station", "start on a near side", "end on a near side"),
        *("second marker of a kind", "second marker in a turn"),
    }
    assert {name for name in expected if not seen[name]} == set()


# --- a trigger between an end and its bonus station ------------------------------------------------------------

# Orange runs west along row 0 to an end. Blue comes round to Orange's line at (-1, 0) and along it to (0, 0), where
# lake, Orange's tunnels and its own line leave it only a sharp turn: blocked, until there is a station.
CITY = make_city(4, {(0, 0, "U"): "L", (0, -1, "U"): "L"})
TURNS: tuple[tuple[Vertex, ...], ...] = (
    ((4, 0), (3, 0), (2, 0)),
    ((3, 1), (2, 1), (1, 1)),
    ((1, 0), (0, 0), (-1, 0)),
    ((0, 1), (-1, 2), (-2, 2)),
    ((-2, 0), (-3, 0), (-4, 0)),
    ((-2, 1), (-1, 0), (0, 0)),
    ((-4, -1),),
)


def until_the_bonus_station(spec: str) -> Twins:
    """Orange has just ended its line, which with Blue's blocked one makes two lines; its bonus station is due."""
    rules = parse(spec).with_overrides({"end_lines": 2}).resolve(2)
    twins = Twins(CITY.board_set, rules, Seed(1), CITY.layout)
    for vertices in TURNS:
        for vertex in vertices:
            moves = legal_moves(twins.game)
            twins.same("legal moves", twins.core.legal_moves(), moves)
            twins.apply([move for move in moves if move.to == vertex][-1])
    assert twins.game.history[-1].move.kind == "end"
    assert twins.game.bonus_line == 0
    assert is_blocked(twins.game, 1, 0)
    return twins


@pytest.mark.rule("P3", "P4")
@pytest.mark.parametrize("spec", ["nl", "en1"])
@pytest.mark.parametrize("at", [(0, 0), (2, 0), None])
def test_a_turn_that_an_end_stops_stays_stopped_whatever_the_bonus_station_does(spec: str, at: Vertex | None) -> None:
    """The condition is met after the end and before its bonus station; one at (0, 0) undoes it, but too late."""
    twins = until_the_bonus_station(spec)
    twins.apply(DECLINE if at is None else Move("bonus", 0, at=at))
    assert is_blocked(twins.game, 1, 0) == (at != (0, 0))
    assert twins.game.end_reason == "lines"
    assert twins.game.over == (spec == "en1")  # nl: the others have a last turn
    assert twins.game.seat == (0 if spec == "en1" else 1)


@pytest.mark.rule("P3", "P4")
@pytest.mark.parametrize("spec", ["v2", "nl,trigger_turn=finish"])
def test_where_the_turn_is_finished_that_moment_does_not_count(spec: str) -> None:
    twins = until_the_bonus_station(spec)
    twins.apply(Move("bonus", 0, at=(0, 0)))
    assert (twins.game.seat, twins.game.end_reason) == (0, None)
    while twins.game.seat == 0:
        twins.apply(legal_moves(twins.game)[0])
    assert twins.game.end_reason is None


def test_a_difference_is_told_with_the_record_that_shows_it() -> None:
    twins = Twins(shipped("box"), ruleset("print", 4), Seed(1, 2))
    with (
        patch.object(reference, "station_value", lambda game, vertex: 7),
        pytest.raises(AssertionError, match="what came of it differs after move") as message,
    ):
        twins.play(CHOOSERS[0], Random(5))
    core, readable, record = str(message.value).splitlines()[1:4]
    assert core.startswith("core: ")
    assert "points=7" in readable
    shown = json.loads(record.removeprefix("record:"))
    assert shown["board"]["layout"] == twins.core.city.layout.code
    assert shown["hands"] == [[str(marker) for marker in hand] for hand in twins.core.dealt]
    assert shown["moves"][-1]["points"] == 7
    assert all(move["points"] == 0 for move in shown["moves"][:-1])
    assert shown["ruleset"]["name"] == "print"
    assert shown["seed"] == {"master": 1, "variant": "print-4p", "game": 2}
