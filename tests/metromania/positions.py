"""A kit for hand-made positions: small cities, games in the middle, lines laid without playing them.

A line is laid through waypoints: `lay(game, RED, (0, 0), (0, 1), (0, -1))` starts at frame cell 0 of side 0, runs
straight to (0, 1), turns there and stops at (0, -1). The kit lays tunnels only; stations and markers are put down
by the test, where a reader should see them.

Finding one's way in a city of side 3: `r` counts the rows upwards, from (-3, 3) ... (0, 3) along side 1 at the top
over (-3, 0) ... (3, 0) in the middle to (0, -3) ... (3, -3) along side 4; direction 3 goes west along a row. Where `q`
stays the same is a column; it leans to the right going up, and direction 4 goes down it. Sides count from the
upper right (0) counter-clockwise: 1 top, 2 upper left, 3 lower left, 4 bottom, 5 lower right. A start on side 0 leads
straight west into row 1, 2 or 3, a start on side 1 straight down column -1, -2 or -3.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mmsim.metromania.rules.board import BoardSet, City, Layout
from mmsim.metromania.rules.deal import MARKER_SETS, NO_CORRUPTION, Hands, Marker, markers
from mmsim.metromania.rules.lattice import DIRECTIONS, Cell, Vertex, is_frame, lattice, step
from mmsim.metromania.rules.position import Game, Line, Move, PlayedMove, copy_of
from mmsim.metromania.rules.reference import apply, legal_moves
from mmsim.metromania.rules.reference_scoring import Result, Trip, result
from mmsim.metromania.rules.rulesets import Ruleset, parse

ORANGE, BLUE, RED, GREEN = range(4)  # the seats, coloured as in the books' examples

# Unless a test says otherwise every company holds its No Corruption hand (S5), two players the columns (S3).
DEFAULT_HANDS: dict[int, Hands] = {
    2: MARKER_SETS["standard"],
    3: NO_CORRUPTION[3, "standard"],
    4: NO_CORRUPTION[4, "standard"],
}


# --- cities ------------------------------------------------------------------------------------------------


def make_city(side: int, kinds: Mapping[Any, str] | None = None, frame: str = "") -> City:
    """A blank city with some cells of another kind.

    `frame` is one side's arrows for all six sides, or six of them; without it sides 0, 1 and 5 are all starts and
    sides 2, 3 and 4 all ends.
    """
    arrows = tuple(frame.split()) or tuple(arrow * side for arrow in "SSEEES")
    if len(arrows) == 1:
        arrows *= 6
    given = dict(kinds or {})
    pieces = []
    for district in lattice(side).districts:
        drawn = "".join(given.pop(cell, ".") for cell in district)
        pieces.append(tuple(drawn[row * row : (row + 1) ** 2] for row in range(side)))
    assert not given, f"not cells of a city of side {side}: {list(given)}"
    board_set = BoardSet("hand-made", side, tuple(pieces), arrows)
    return board_set.city(Layout((1, 2, 3, 4, 5, 6), (0,) * 6))


def draw_city(drawing: str, frame: str = "") -> City:
    """A city from its rows of cells, north up; a row of the northern half starts and ends with a cell pointing up."""
    rows = drawing.split()
    side = len(rows) // 2
    kinds: dict[Cell, str] = {}
    for r, row in zip(range(side - 1, -side - 1, -1), rows, strict=True):
        cells = sorted((c for c in lattice(side).city_cells if c[1] == r), key=lambda c: (c[0], c[2] == "D"))
        kinds.update(zip(cells, row, strict=True))
    return make_city(side, kinds, frame)


def around(side: int, vertex: Vertex, *but: Cell) -> list[Cell]:
    """The city cells with a corner at a vertex, but for some."""
    return [cell for cell in lattice(side).cells_at[vertex] if cell not in but]


# --- games -------------------------------------------------------------------------------------------------


def make_rules(players: int = 4, spec: str = "print", **knobs: Any) -> Ruleset:
    return parse(spec).with_overrides(knobs).resolve(players)


def new_game(city: City, players: int = 4, hands: Iterable[str] = (), spec: str = "print", **knobs: Any) -> Game:
    """The beginning of a game; `hands` are texts like `A R, B C`, an empty text an empty hand."""
    rules = make_rules(players, spec, **knobs)
    dealt = tuple(markers(hand) if hand else () for hand in hands) or DEFAULT_HANDS[rules.companies]
    return Game(city, rules, dealt)


def position(city: City, players: int = 4, hands: Iterable[str] = (), spec: str = "print", **knobs: Any) -> Game:
    """A game in which every company has had its first turn, with nothing built yet and seat 0 to play."""
    game = new_game(city, players, hands, spec, **knobs)
    game.turns_taken = [1] * game.rules.companies
    game.turn = game.rules.companies + 1
    return game


def to_play(game: Game, seat: int) -> Game:
    """Begin a turn of a seat."""
    game.seat, game.dug, game.markers_laid = seat, 0, 0
    return game


def with_knobs(game: Game, **knobs: Any) -> Game:
    """The same position under other knobs."""
    game.rules = replace(game.rules, **knobs)
    return game


# --- building without turns --------------------------------------------------------------------------------


def lay(game: Game, seat: int, start: tuple[int, int], *waypoints: Vertex, via: Iterable[Cell] = ()) -> Line:
    """Lay the next line of a company from a frame cell (side, index) straight from waypoint to waypoint.

    A tunnel runs in one of the `via` cells where it can, else in a free blank cell, the one on its left first.
    A line laid to the portal of an end is ended.
    """
    net, wanted = game.city.lattice, set(via)
    number, line = next((i, line) for i, line in enumerate(game.lines[seat]) if not line.started)
    portal = net.portal(*start)
    path = [portal]
    for waypoint in waypoints:
        path += _straight(path[-1], waypoint)
    for u, w in pairwise(path):
        cells = [cell for there, cell in net.ways_out[u] if there == w and cell not in game.tunnels]
        blank = "S" if u == portal else "E" if w in net.portals else "."
        fitting = [c for c in cells if c in wanted] or [c for c in cells if game.city.kind[c] == blank]
        assert fitting, f"no free cell for a tunnel from {u} to {w}"
        game.tunnels[fitting[0]] = (seat, number)
        wanted.discard(fitting[0])
        if is_frame(fitting[0]) and u != portal:
            line.end_side = int(fitting[0][1])
    assert not wanted, f"the line does not pass {wanted}"
    assert len(set(path)) == len(path) <= game.rules.tunnels_per_line + 1
    line.path, line.start_side = path, start[0]
    return line


def _straight(u: Vertex, w: Vertex) -> list[Vertex]:
    """The vertices after u on the straight way to w."""
    for direction in range(len(DIRECTIONS)):
        for times in range(1, 40):
            if step(u, direction, times) == w:
                return [step(u, direction, i) for i in range(1, times + 1)]
    raise AssertionError(f"{u} and {w} are not on a straight line")


def put_stations(game: Game, *vertices: Vertex) -> None:
    assert not set(vertices) & set(game.stations)
    game.stations += vertices
    assert game.supply >= 0


def mark(game: Game, marker: str, cell: Cell) -> None:
    """Put a marker (`A R`) of the company whose tunnel runs in a spot on it."""
    (put,) = markers(marker)
    seat, _ = game.tunnels[cell]
    assert game.city.kind[cell] == put.kind
    game.hands[seat].remove(put)
    game.placed[put] = (seat, cell)


# --- playing and asking ------------------------------------------------------------------------------------


def choices(game: Game, kind: str, **wanted: Any) -> list[Move]:
    """The legal moves of a kind with the wanted fields; a marker may be given as `A R`."""
    marker = wanted.get("marker")
    if isinstance(marker, str):
        wanted["marker"] = Marker(*marker.split())
    return [
        move
        for move in legal_moves(game)
        if move.kind == kind and all(getattr(move, name) == value for name, value in wanted.items())
    ]


def play(game: Game, kind: str, **wanted: Any) -> PlayedMove:
    """Play the first legal move of a kind with the wanted fields."""
    moves = choices(game, kind, **wanted)
    assert moves, f"no legal {kind} {wanted} for seat {game.seat}; legal: {legal_moves(game)}"
    return apply(game, moves[0])


def dig(game: Game, *vertices: Vertex, line: int = 0) -> list[PlayedMove]:
    """Dig a line on from vertex to vertex, in whichever cell comes first."""
    return [play(game, "dig", line=line, to=vertex) for vertex in vertices]


def play_on(game: Game, seat: int | None = None) -> list[PlayedMove]:
    """Play first legal moves to the end of the building phase, or for as long as it is a seat's turn."""
    turn, played = game.turn, []
    while not game.over and (seat is None or (game.seat, game.turn) == (seat, turn)):
        played.append(apply(game, legal_moves(game)[0]))
        assert len(played) < 300, "no end in sight"
    return played


def after(game: Game, move: Move) -> Game:
    """The position after a legal move, as a game of its own; without the history before."""
    then = copy_of(game)
    then.turns_taken = [*game.turns_taken]  # which no move changes unless it ends the turn
    apply(then, move)
    return then


def reachable(game: Game, line: int = 0) -> set[Vertex]:
    """Where the next tunnel of a line may lead."""
    return {m.to for m in legal_moves(game) if m.kind in ("dig", "end") and m.line == line and m.to is not None}


def kinds_of_moves(game: Game) -> set[str]:
    return {move.kind for move in legal_moves(game)}


def final(game: Game) -> Result:
    """The result of a game whose building phase ends here."""
    game.over, game.end_reason = True, game.end_reason or "lines"
    return result(game)


def trip(game: Game, name: str) -> Trip:
    """How one test trip goes in a position."""
    return next(trip for trip in final(game).trips if trip.name == name)
