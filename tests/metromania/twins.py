"""A kit that plays one game twice, in the fast core and in the reference engine, and compares them all the way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.entry_points import Record
from mmsim.core import records
from mmsim.core.rng import Seed, Stream
from mmsim.core.seating import Seating
from mmsim.core.variant import Variant
from mmsim.metromania.bots import seat_bots
from mmsim.metromania.bots.playable_variant import MetromaniaVariant, make_setting
from mmsim.metromania.bots.position import CoreResult, Position, View
from mmsim.metromania.engine import board, state
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import BoardSet, Layout
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import any_move, carry_out, end_cells, legal_moves, set_up
from mmsim.metromania.rules.reference_scoring import PARK_LAKE, Network, Result, Stop, Trip, result, stations_of
from mmsim.metromania.rules.rulesets import KNOBS, DealMode, Ruleset, Value, parse
from mmsim.metromania.shell import record
from tests.properties.strategies import AnyMove, StationsFirst, offered

# --- what is played ------------------------------------------------------------------------------------------

_CELLS = (*("........RRCCEELP",) * 3, "...............RCELP", "....RCELP", ".RCE", "RRCCEEL")  # to be drawn from
_FRAMES = ("S.E", "S....E", "SE", "SSE", "SEE", "SSSSE....")


def random_board(rng: Random, side: int) -> BoardSet:
    """A board set of any cells and arrows at all, with a start and an end somewhere."""
    cells = rng.choice(_CELLS)
    pieces = tuple(tuple("".join(rng.choices(cells, k=2 * row + 1)) for row in range(side)) for _ in range(6))
    alike = rng.random() < 0.5
    arrows = rng.choices(rng.choice(_FRAMES), k=side if alike else 6 * side)
    start, end = rng.sample(range(len(arrows)), 2)
    arrows[start], arrows[end] = "S", "E"
    drawn = "".join(arrows)
    frame = (drawn,) * 6 if alike else tuple(drawn[k * side : (k + 1) * side] for k in range(6))
    return BoardSet("random", side, pieces, frame)


def random_rules(rng: Random) -> Ruleset:
    """Anything an edition offers, with up to six knobs turned, often as far as they go."""
    spec, players = rng.choice(list(offered()))
    names = rng.sample(list(KNOBS), rng.randrange(7))
    return parse(spec).with_overrides({name: random_value(rng, name) for name in names}).resolve(players)


def random_value(rng: Random, name: str) -> Value:
    knob = KNOBS[name]
    if knob.choices:
        return rng.choice(knob.choices)
    if knob.is_switch:
        return rng.random() < 0.5
    if knob.examples:
        return "/".join(str(rng.randint(knob.low, knob.high)) for _ in range(rng.randint(1, 4)))
    if name == "stations" and rng.random() < 0.6:
        return rng.randint(1, 8)  # the supply runs out
    return rng.choice((knob.low, knob.high, rng.randint(knob.low, knob.high)))


@dataclass
class AvoidsEnding:
    """Ends a line only when it must, so that lines grow long, run out of tunnels and block each other."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        return any_move([move for move in moves if move.kind != "end"] or moves, draws)


@dataclass
class LateStarter(StationsFirst):
    """As `StationsFirst`, ranking every move once."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        ranks = [self._rank(game, move) for move in moves]
        best = min(ranks)
        return any_move([move for move, rank in zip(moves, ranks, strict=True) if rank == best], draws)


@dataclass
class HeadsForAnEnd:
    """Ends a line whenever it can and mostly digs towards where it can, so that companies come to end both."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        if ends := [move for move in moves if move.kind == "end"]:
            return any_move(ends, draws)
        digs = [move for move in moves if move.kind == "dig"]
        if not digs or draws.below(4) == 0:
            return any_move(moves, draws)
        return min(digs, key=lambda move: self._distance(game, move))

    def _distance(self, game: Game, move: Move) -> int:
        assert move.to is not None
        q, r = move.to
        corners = game.city.lattice.corners
        portals = (corners[cell][2] for cell in end_cells(game, game.lines[game.seat][move.line or 0]))
        return min((max(abs(x - q), abs(y - r), abs(x + y - q - r)) for x, y in portals), default=0)


class AnyChooser(Protocol):
    """Chooses among the legal moves of a position of the reference engine."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move: ...


CHOOSERS: tuple[AnyChooser, ...] = (AnyMove(), LateStarter(), HeadsForAnEnd(), AvoidsEnding())


class Dice(Stream):
    """A stream of draws from Python's own generator."""

    def __init__(self, rng: Random) -> None:
        super().__init__(0, 0)
        self._rng = rng

    def below(self, n: int) -> int:
        return self._rng.randrange(n)


# --- setting up ----------------------------------------------------------------------------------------------


@cache
def _deal_table(deal: DealMode, seat_player: tuple[int, ...], marker_set: str) -> NDArray[np.uint8]:
    players = max(seat_player) + 1
    return state.deal_table(Ruleset("any", players, deal, seat_player, marker_set=marker_set))


@cache
def shipped(name: str) -> BoardSet:
    return board_file.load(name)


_board_records: dict[BoardSet, state.Record] = {}


def board_record(board_set: BoardSet) -> Record:
    """`board.board_record`, of the last few board sets kept."""
    if board_set not in _board_records:
        if len(_board_records) > 8:
            _board_records.clear()
        _board_records[board_set] = board.board_record(board_set)
    return _board_records[board_set]


def prepared(board_set: BoardSet, rules: Ruleset, master: int) -> MetromaniaVariant:
    """As `game.prepare`, but for what can be kept from one game to the next."""
    seating = Seating(seat_bots(Variant("print").bots, rules.companies), rules.seat_player, rotate=False)
    table = _deal_table(rules.deal, rules.seat_player, rules.marker_set)
    setting = make_setting(board_set, rules, table, seating)
    return MetromaniaVariant(Variant(rules.name, seed=master), rules, seating, setting, board_set, game="metromania")


# --- comparing -----------------------------------------------------------------------------------------------


class Twins:
    """One game in both engines."""

    def __init__(self, board_set: BoardSet, rules: Ruleset, seed: Seed, layout: Layout | None = None) -> None:
        self.seed = seed
        self.core = Position(prepared(board_set, rules, seed.master), seed.game, layout=layout)
        self.game = set_up(board_set, rules, seed, layout)
        self._raw = self.core._memory.positions.view(np.ndarray)[0]
        self.same("layout", self.core.city.layout, self.game.city.layout)
        self.same("hands", self.core.dealt, self.game.dealt)

    def same(self, what: str, core: object, readable: object) -> None:
        """Fail with a record of the game so far if the engines disagree."""
        if core != readable:
            raise AssertionError(
                f"{what} differs after move {len(self.game.history)}, turn {self.game.turn}, seat {self.game.seat}:\n"
                f"core:      {core}\nreference: {readable}\nrecord:    {self.record()}"
            )

    def record(self) -> str:
        """The game up to now, as the reference engine tells it."""
        game = self.game
        unfinished = Result(game.end_reason or "not over", list(game.points), [], [], [], [])
        bots = ["test"] * game.rules.companies
        return records.dumps(record.record_of(game, result(game) if game.over else unfinished, bots, self.seed))

    def play(self, chooser: AnyChooser, rng: Random, compare_every: int = 8) -> Result:
        """Play to the end, comparing every decision; one decision in `compare_every` also by the players' views."""
        dice = Dice(rng)
        while not self.game.over:
            found = legal_moves(self.game)
            self.same("legal moves", self.core.legal_moves(), found)
            if rng.randrange(compare_every) == 0:
                self.compare_view(rng.randrange(self.game.rules.companies))
            move = chooser.choose(self.game, found, dice)
            assert move in found
            self.apply(move)
        self.same("legal moves", self.core.legal_moves(), legal_moves(self.game))
        self.compare_view(0)
        outcome = result(self.game)
        self.compare_results(self.core.result(), outcome)
        return outcome

    def apply(self, move: Move) -> None:
        """Play a legal move in both engines."""
        self.same("what came of it", self.core.apply(move), carry_out(self.game, move))
        self.compare_books()

    def compare_books(self) -> None:
        """Everything that is on the table, and how far the turn has come."""
        core, readable = core_books(self._raw, self.game.rules), reference_books(self.game)
        if core != readable:
            for key in readable:
                self.same(key, core[key], readable[key])

    def compare_view(self, seat: int) -> None:
        view, expected = self.core.view(seat), reference_view(self.game, seat, self.core.view(seat).draws)
        for key, value in expected.__dict__.items():
            self.same(f"{key} in the view of seat {seat}", getattr(view, key), value)

    def compare_results(self, core: CoreResult, readable: Result) -> None:
        for key in ("end_reason", "station_points", "kept_points", "scores", "winners"):
            self.same(key, getattr(core, key), getattr(readable, key))
        network = Network(self.game)
        for mine, trip in zip(core.trips, readable.trips, strict=True):
            expected = {
                "name": trip.name,
                "minutes": trip.minutes,
                "scores": trip.scores,
                "involved": trip.involved,
                "fault": fault(self.game, trip),
                "changes": fewest_changes(self.game, network, trip),
                "sections": len(set(trip.used)),
            }
            self.same(f"trip {trip.name}", mine.__dict__, expected)


def core_books(raw: Any, rules: Ruleset) -> dict[str, Any]:
    companies = rules.companies
    started, ended, tunnels = int(raw["started"]), int(raw["ended"]), raw["tunnels"].tolist()
    lines = range(2 * companies)
    path = raw["path"].tolist()
    reason, last, bonus = int(raw["end_reason"]), int(raw["turns_left"]), int(raw["bonus_line"])
    supply = int(raw["supply"])
    return {
        "turn": int(raw["turn"]),
        "seat": int(raw["seat"]),
        "over": bool(raw["over"]),
        "end reason": None if reason < 0 else state.END_REASONS[reason],
        "supply": supply,
        "dug": int(raw["dug"]),
        "markers laid": int(raw["markers_laid"]),
        "has started": bool(raw["has_started"]),
        "bonus line": None if bonus < 0 else bonus,
        "passes": int(raw["passes"]),
        "last turns": None if last < 0 else last,
        "turns taken": raw["turns_taken"].tolist()[:companies],
        "points": raw["points"].tolist()[:companies],
        "stations": raw["station_at"].tolist()[: rules.stations - supply],
        "paths": [path[64 * i : 64 * i + tunnels[i] + 1] if started >> i & 1 else [] for i in lines],
        "ended": [bool(ended >> i & 1) for i in lines],
        "end sides": raw["end_side"].tolist()[: 2 * companies],
    }


def reference_books(game: Game) -> dict[str, Any]:
    number = game.city.lattice.vertex_id
    lines = [line for pair in game.lines for line in pair]
    return {
        "turn": game.turn,
        "seat": game.seat,
        "over": game.over,
        "end reason": game.end_reason,
        "supply": game.supply,
        "dug": game.dug,
        "markers laid": game.markers_laid,
        "has started": game.has_started,
        "bonus line": game.bonus_line,
        "passes": game.passes,
        "last turns": None if game.last_seats is None else len(game.last_seats) + (not game.over),
        "turns taken": game.turns_taken,
        "points": game.points,
        "stations": [number[v] for v in game.stations],
        "paths": [[number[v] for v in line.path] for line in lines],
        "ended": [line.ended for line in lines],
        "end sides": [-1 if line.end_side is None else line.end_side for line in lines],
    }


def reference_view(game: Game, seat: int, draws: Stream) -> View:
    """S7: what the player behind a seat may know, from the readable engine."""
    lines = [line for pair in game.lines for line in pair]
    hands, players = tuple(tuple(hand) for hand in game.hands), game.rules.seat_player
    return View(
        seat=seat,
        city=game.city,
        rules=game.rules,
        turn=game.turn,
        hand_sizes=tuple(map(len, hands)),
        dug=game.dug,
        hands=tuple(
            hand if game.rules.hands == "open" or players[other] == players[seat] else None
            for other, hand in enumerate(hands)
        ),
        paths=tuple(tuple(line.path) for line in lines),
        ended=tuple(line.ended for line in lines),
        stations=tuple(game.stations),
        supply=game.supply,
        placed=game.placed,
        points=tuple(game.points),
        draws=draws,
    )


# --- trips, told another way ---------------------------------------------------------------------------------


def terminals(game: Game, name: str) -> list[set[Vertex]]:
    """TT1: the stations at the two ends of a trip."""
    if name == PARK_LAKE:
        return [stations_of(game, [cell for cell, kind in game.city.kind.items() if kind == k]) for k in "PL"]
    pair = sorted(marker for hand in game.dealt for marker in hand if marker.letter == name)
    return [stations_of(game, [game.placed[m][1]] if m in game.placed else []) for m in pair]


def fault(game: Game, trip: Trip) -> str | None:
    """TT5: the worst that is wrong with a trip: a marker in the hand, then one without a station, then no route."""
    if trip.minutes is not None:
        return None
    if sum(marker.letter == trip.name for marker in game.placed) < 2 and trip.name != PARK_LAKE:
        return "not_placed"
    return "no_route" if all(terminals(game, trip.name)) else "no_station"


def fewest_changes(game: Game, network: Network, trip: Trip) -> int:
    """The changes on the fastest route with the fewest: a search by minutes, then changes."""
    if not trip.minutes:
        return 0
    start, goal = terminals(game, trip.name)
    queue = [(0, 0, stop) for station in sorted(start) for stop in network.stops_at[station]]
    done: set[Stop] = set()
    while queue:
        minutes, changes, stop = heappop(queue)
        if stop.station in goal:
            assert minutes == trip.minutes
            return changes
        if stop not in done:
            done.add(stop)
            for ahead, more in network.from_here(stop):
                heappush(queue, (minutes + more, changes + (ahead.station == stop.station), ahead))
    raise AssertionError(f"no route for trip {trip.name}")


def mixed_games(rng: Random, count: int, sides: Sequence[int]) -> Iterator[tuple[BoardSet, Ruleset, Seed]]:
    """Games on random boards (now and then a shipped one) under random rules, a few on every board."""
    board_set = random_board(rng, rng.choice(sides))
    for number in range(count):
        if number % 5 == 0:
            shipped_one = rng.random() < 0.25
            names = board_file.shipped_names()
            board_set = shipped(rng.choice(names)) if shipped_one else random_board(rng, rng.choice(sides))
        yield board_set, random_rules(rng), Seed(rng.getrandbits(64), rng.getrandbits(rng.choice((4, 20, 40))))
