"""The reference engine, continued: section 9 of the rules - points kept, the seven trips, the winners."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from mmsim.metromania.rules.deal import LETTERS, Marker
from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import Game

PARK_LAKE = "park_lake"
TRIPS = (*LETTERS, PARK_LAKE)


class Stop(NamedTuple):
    """A line at one of its stations: where a traveller can be."""

    seat: int
    line: int
    station: Vertex


class Section(NamedTuple):
    """The stretch of one line between two consecutive stations (TT3)."""

    start: Stop
    end: Stop
    tunnels: int

    @property
    def seat(self) -> int:
        return self.start.seat


@dataclass
class Trip:
    """The result of one test trip."""

    name: str
    minutes: int | None = None  # None: impossible
    scores: list[int] = field(default_factory=list)
    used: list[Section] = field(default_factory=list)  # on at least one fastest route
    guilty: dict[int, str] = field(default_factory=dict)  # seat -> not_placed, no_station or no_route

    @property
    def involved(self) -> list[int]:
        """The companies with a used section."""
        return sorted({section.seat for section in self.used})


@dataclass
class Result:
    """The end of a game, company by company; `winners` are players."""

    end_reason: str
    station_points: list[int]
    kept_points: list[int]
    trips: list[Trip]
    scores: list[int]
    winners: list[int]


def result(game: Game) -> Result:
    """Score a game whose building phase is over."""
    assert game.over
    assert game.end_reason is not None
    kept = [kept_points(game, seat) for seat in range(game.rules.companies)]
    network = Network(game)
    trips = [run_trip(game, network, name) for name in TRIPS]
    on_top = game.rules.points_by_seat  # H1
    scores = [kept[seat] + on_top[seat] + sum(trip.scores[seat] for trip in trips) for seat in range(len(kept))]
    return Result(game.end_reason, list(game.points), kept, trips, scores, winners(game, scores))


def kept_points(game: Game, seat: int) -> int:
    """L1: all station points with both lines ended, half with one, none with none."""
    points = game.points[seat]
    ended = sum(line.ended for line in game.lines[seat])
    if ended == 1:
        return (points + 1) // 2 if game.rules.half_kept == "ceil" else points // 2
    return points if ended == len(game.lines[seat]) else 0


class Network:
    """TT2: the stops of all lines, the sections between them, and the changes at stations."""

    def __init__(self, game: Game) -> None:
        self.ride, self.change = game.rules.ride_minutes, game.rules.change_minutes
        self.sections: list[Section] = []
        self.stops_at: dict[Vertex, list[Stop]] = defaultdict(list)
        self._next: dict[Stop, list[Stop]] = defaultdict(list)
        for seat, number, line in game.all_lines():
            at = [i for i, vertex in enumerate(line.path) if vertex in game.stations]
            stops = [Stop(seat, number, line.path[i]) for i in at]
            for stop in stops:
                self.stops_at[stop.station].append(stop)
            for i in range(len(stops) - 1):
                self.sections.append(Section(stops[i], stops[i + 1], at[i + 1] - at[i]))
                self._next[stops[i]].append(stops[i + 1])
                self._next[stops[i + 1]].append(stops[i])

    def from_here(self, stop: Stop) -> Iterator[tuple[Stop, int]]:
        """Every stop one ride or one change away, with its minutes."""
        for ahead in self._next[stop]:
            yield ahead, self.ride
        for beside in self.stops_at[stop.station]:
            if beside != stop:
                yield beside, self.change

    def minutes_from(self, stations: set[Vertex]) -> dict[Stop, int]:
        """The fastest time to every stop from any of these stations (Dijkstra); getting on is free."""
        minutes: dict[Stop, int] = {}
        queue = [(0, stop) for station in sorted(stations) for stop in self.stops_at[station]]
        while queue:
            now, stop = heappop(queue)
            if stop in minutes:
                continue
            minutes[stop] = now
            for ahead, more in self.from_here(stop):
                if ahead not in minutes:
                    heappush(queue, (now + more, ahead))
        return minutes

    def fastest(self, start: set[Vertex], goal: set[Vertex]) -> tuple[int | None, list[Section]]:
        """TT3: the fastest time between two sets of stations, and the sections on at least one fastest route."""
        out, back = self.minutes_from(start), self.minutes_from(goal)
        at_goal = [out[stop] for station in goal for stop in self.stops_at[station] if stop in out]
        if not at_goal:
            return None, []
        best = min(at_goal)
        used = [
            section
            for section in self.sections
            for a, b in ((section.start, section.end), (section.end, section.start))
            if a in out and b in back and out[a] + self.ride + back[b] == best
        ]
        return best, used


def run_trip(game: Game, network: Network, name: str) -> Trip:
    """TT1-TT6: one trip, its time and what every company gains or loses by it."""
    trip = Trip(name, scores=[0] * game.rules.companies)
    if name == PARK_LAKE:
        kinds = game.city.kind
        ends = [stations_of(game, [c for c in game.city.lattice.city_cells if kinds[c] == k]) for k in "PL"]
    else:
        pair = sorted(m for hand in game.dealt for m in hand if m.letter == name)
        ends = [stations_of(game, [game.placed[m][1]] if m in game.placed else []) for m in pair]
    trip.minutes, trip.used = network.fastest(ends[0], ends[1])
    if trip.minutes is not None:
        for seat in scoring_companies(game, trip):
            trip.scores[seat] = reward(game, seat, name)
    elif name != PARK_LAKE:
        trip.guilty = guilty_companies(game, pair, ends)
        for seat in penalised_companies(game, trip):
            trip.scores[seat] = -game.rules.penalty
    return trip


def stations_of(game: Game, cells: list[Cell]) -> set[Vertex]:
    """TT1: all stations at a corner of one of these cells."""
    corners = {corner for cell in cells for corner in game.city.lattice.corners[cell]}
    return corners & set(game.stations)


def scoring_companies(game: Game, trip: Trip) -> list[int]:
    """TT3, TT6: the involved companies that score."""
    involved = trip.involved
    if len(involved) < 2 or game.rules.shared_trip == "all":
        return involved
    if game.rules.shared_trip == "none":
        return []
    tunnels = {seat: sum(s.tunnels for s in trip.used if s.seat == seat) for seat in involved}
    most = [seat for seat in involved if tunnels[seat] == max(tunnels.values())]
    return most if len(most) == 1 else []


def reward(game: Game, seat: int, name: str) -> int:
    """TT4: what a scoring company gets for a trip."""
    if name == PARK_LAKE:
        return game.rules.park_lake_points
    placed_one = any(m.letter == name and owner == seat for m, (owner, _) in game.placed.items())
    return game.rules.trip_points + (game.rules.own_marker_bonus if placed_one else 0)


def guilty_companies(game: Game, pair: list[Marker], ends: list[set[Vertex]]) -> dict[int, str]:
    """TT5: who is to blame for an impossible trip, and why."""
    holder = {marker: seat for seat, hand in enumerate(game.dealt) for marker in hand}
    guilty = {}
    for marker, stations in zip(pair, ends, strict=True):
        if marker not in game.placed:
            guilty[holder[marker]] = "not_placed"
        elif not stations:
            guilty[holder[marker]] = "no_station"
    return guilty or {holder[marker]: "no_route" for marker in pair}


def penalised_companies(game: Game, trip: Trip) -> list[int]:
    """TT5, TT6: the guilty companies that lose points, once each."""
    shared = len(trip.guilty) > 1
    return [] if shared and game.rules.shared_fault == "none" else sorted(trip.guilty)


def winners(game: Game, scores: list[int]) -> list[int]:
    """W1: most points, then most lines ended, then most tunnels; else the win is shared."""
    standing: dict[int, tuple[int, int, int]] = {}
    for seat, player in enumerate(game.rules.seat_player):
        points, ended, tunnels = standing.get(player, (0, 0, 0))
        standing[player] = (
            points + scores[seat],
            ended + sum(line.ended for line in game.lines[seat]),
            tunnels + sum(line.tunnels for line in game.lines[seat]),
        )
    return [player for player, stand in standing.items() if stand == max(standing.values())]
