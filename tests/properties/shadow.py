"""A second set of books: what has been built, kept from the moves alone and checked against the rules and the game."""

from collections import defaultdict

from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.lattice import Cell, Vertex, direction_of, is_frame
from mmsim.metromania.rules.position import TUNNELS, Game, PlayedMove

LineId = tuple[int, int]
Edge = frozenset[Vertex]


class Shadow:
    """Follows a game move by move; every assertion names the rule it stands for."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.paths: dict[LineId, list[Vertex]] = {}
        self.start_cell: dict[LineId, Cell] = {}
        self.cells: dict[Cell, LineId] = {}
        self.on_edge: dict[Edge, set[LineId]] = defaultdict(set)
        self.stations: list[Vertex] = []
        self.placed: dict[Marker, Cell] = {}
        self.points = [0] * game.rules.companies

    def follow(self, played: PlayedMove) -> None:
        """Enter a move just played and check it, then that the game's own books agree."""
        move = played.move
        if move.kind in TUNNELS:
            assert move.line is not None
            self._tunnel(played, (played.seat, move.line))
        elif move.at is not None:
            assert move.line is not None
            self._extra_station(played, (played.seat, move.line))
        self.stations += played.stations
        self.points[played.seat] += played.points
        self._agree()

    def _tunnel(self, played: PlayedMove, line: LineId) -> None:
        move, net, kind = played.move, self.game.city.lattice, self.game.city.kind
        assert move.cell is not None
        assert move.to is not None
        cell, w = move.cell, move.to
        if move.kind == "start":
            assert is_frame(cell), "B1"
            assert line not in self.paths, "B1"
            if line[1] == 1:
                first = self.start_cell[line[0], 0]
                self._arrow(cell, "S", first, self.game.rules.start_overflow)
            self.start_cell[line] = cell
            self.paths[line] = [net.corners[cell][2]]
        path = self.paths[line]
        u, edge = path[-1], frozenset((path[-1], w))
        assert cell not in self.cells, "D1: one tunnel a cell"
        assert {u, w} <= set(net.corners[cell]), "D1: along an edge of its cell"
        assert kind[cell] not in "LP", "D1: never in a lake or park"
        assert w not in path, "D3: a line never touches itself"
        assert is_frame(cell) == (move.kind != "dig"), "D4: frame cells only start and end lines"
        if move.kind == "end":
            assert w == net.corners[cell][2], "D4"
            self._arrow(cell, "E", self.start_cell[line], self.game.rules.end_overflow)
        if len(path) > 1 and u not in self.stations:
            assert (direction_of(u, w) - direction_of(path[-2], u)) % 6 in (0, 1, 5), "D2"
        assert self._stations_due(line, u, w) == list(played.stations), "ST1, ST2, ST4, ST6"
        self._marker(played)
        self.cells[cell] = line
        self.on_edge[edge].add(line)
        path.append(w)
        assert len(self.on_edge[edge]) <= 2, "G8: two lines an edge"
        assert len(path) - 1 <= self.game.rules.tunnels_per_line, "D1"

    def _arrow(self, cell: Cell, arrow: str, start: Cell, overflow: bool) -> None:
        """B2, D4: an arrow two or three sides away from the start, any only when those are all taken."""
        kind = self.game.city.kind
        assert kind[cell] == arrow

        def is_far(other: Cell) -> bool:
            return (int(other[1]) - int(start[1])) % 6 in (2, 3, 4)

        frame = self.game.city.lattice.frame_cells
        free_far = [c for c in frame if kind[c] == arrow and is_far(c) and c not in self.cells]
        assert is_far(cell) or (overflow and not free_far), "B2, D4"

    def _stations_due(self, line: LineId, u: Vertex, w: Vertex) -> list[Vertex]:
        """Section 6 again, told by edges instead of paths."""
        here, path = frozenset((u, w)), self.paths[line]
        others = [other for other in self.paths if other != line]
        due = []
        if len(path) > 1:
            before = frozenset((path[-2], u))
            for other in self.on_edge[before] - {line}:
                away = {edge for edge, lines in self.on_edge.items() if u in edge and other in lines}
                if away - {before, here}:
                    due.append(u)
                    break
        if any(w in self.paths[other] and other not in self.on_edge[here] for other in others):
            due.append(w)
        return [vertex for vertex in due if vertex not in self.stations]

    def _marker(self, played: PlayedMove) -> None:
        kind, corners = self.game.city.kind, self.game.city.lattice.corners
        marker, cell = played.move.marker, played.move.cell
        assert cell is not None
        is_spot = not is_frame(cell) and kind[cell] in "RCE"
        assert is_spot == (marker is not None), "M1: a marker on every spot dug, and only there"
        if marker is None:
            return
        assert marker.kind == kind[cell], "M1"
        assert marker in self.game.dealt[played.seat], "M1: one of its own"
        assert marker not in self.placed
        for other, there in self.placed.items():
            touch = set(corners[cell]) & set(corners[there])
            assert not (touch and other.letter == marker.letter), "M2: same letters never touch"
        self.placed[marker] = cell

    def _extra_station(self, played: PlayedMove, line: LineId) -> None:
        at, path = played.move.at, self.paths[line]
        assert at not in self.stations, "I1, I3: no second station on a vertex"
        assert at in path[1:-1] or played.move.kind == "station"
        if played.move.kind == "station":
            last = max(i for i, vertex in enumerate(path) if vertex in self.stations)
            assert at in path[1:last], "I1: between two stations of the line, or its start and one"
        assert list(played.stations) == [at]

    def _agree(self) -> None:
        game, net = self.game, self.game.city.lattice
        assert game.stations == self.stations
        assert len(self.stations) == len(set(self.stations)), "ST4"
        assert game.supply >= 0, "D5"
        assert len(game.stations) + game.supply == game.rules.stations
        assert not set(self.stations) & set(net.portals), "ST4: portals never carry a station"
        assert game.points == self.points
        assert game.tunnels == self.cells
        assert {(seat, number): line.path for seat, number, line in game.all_lines() if line.started} == self.paths
        assert {marker: cell for marker, (_, cell) in game.placed.items()} == self.placed
        held = [marker for hand in game.hands for marker in hand]
        assert sorted(held + list(self.placed)) == sorted(marker for hand in game.dealt for marker in hand)
