"""What has been built, on top of the city: lines, stations and markers (rules G8, G9, M1, ST1)."""

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from mmsim.drawing.board_canvas import BoardCanvas, mean
from mmsim.drawing.canvas import Point, Stroke
from mmsim.drawing.style import INK, PAPER
from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.lattice import Cell, Vertex, position
from mmsim.metromania.rules.position import Game, Line
from mmsim.metromania.rules.reference_scoring import Trip
from mmsim.metromania.shell.draw_city import cell_name, triangle
from mmsim.metromania.shell.draw_palette import COMPANY, KIND_INK, ROUTE

_WIDTH = 0.115  # of a line
_SHIFT = 0.088  # G8: how far a tunnel runs inside its cell
_BEND = 0.24  # how far before and after a vertex a line bends
_BADGE = 0.165
_STATION = 0.17


def draw_game(sheet: BoardCanvas, city: City, game: Game) -> None:
    """What has been built; in an animation everything appears with the move that built it."""
    moves = BuildingMoves(game)
    for seat, number, line in game.all_lines():
        if line.started:
            cells = _cells_of(game, (seat, number))
            if sheet.animated:
                _animate_line(sheet, city, line, cells, (seat, number), moves)
            else:
                track = whole_line(city, line.path, cells, line.ended)
                draw_company_line([(sheet, track)], seat, number, f"line-{seat}-{number}")
                _draw_start(sheet, line.path, COMPANY[seat], f"{seat}-{number}")
                if line.ended:
                    _draw_end(sheet, line.path, COMPANY[seat], f"{seat}-{number}")
    for vertex in game.stations:
        visible = sheet.during(moves.stations[vertex]) if sheet.animated else sheet
        draw_station(visible, position(vertex), f"station-{vertex[0]}_{vertex[1]}")
    for marker, (seat, cell) in game.placed.items():
        visible = sheet.during(moves.tunnels[cell]) if sheet.animated else sheet
        _draw_marker(visible, city, game, marker.letter, marker.kind, seat, cell)


def _cells_of(game: Game, line_id: tuple[int, int]) -> list[Cell]:
    """The cells of a line in the order in which it was dug."""
    return [cell for cell, owner in game.tunnels.items() if owner == line_id]


class BuildingMoves:
    """The move, counted from 1, that built each tunnel and station."""

    def __init__(self, game: Game) -> None:
        numbered = list(enumerate(game.history, 1))
        self.tunnels = {played.move.cell: i for i, played in numbered if played.move.cell is not None}
        self.stations = {vertex: i for i, played in numbered for vertex in played.stations}


def _animate_line(
    sheet: BoardCanvas, city: City, line: Line, cells: list[Cell], line_id: tuple[int, int], moves: BuildingMoves
) -> None:
    """A line tunnel by tunnel, each appearing with the move that dug it; its tip stays until the next."""
    seat, number = line_id
    dug = [moves.tunnels[cell] for cell in cells]
    strokes: list[tuple[BoardCanvas, Stroke]] = []
    for i, tunnel in enumerate(tunnel_strokes(city, line.path, cells)):
        last = i + 1 == len(dug)
        strokes.append((sheet.during(dug[i]), tunnel.stroke))
        end = tip(tunnel, line.path[i + 1], last and line.ended)
        strokes.append((sheet.during(dug[i], None if last else dug[i + 1]), end.stroke))
    draw_company_line(strokes, seat, number)
    _draw_start(sheet.during(dug[0]), line.path, COMPANY[seat], "")
    if line.ended:
        _draw_end(sheet.during(dug[-1]), line.path, COMPANY[seat], "")


# --- the marks, also shown in the legend -----------------------------------------------------------------


def draw_company_line(
    strokes: list[tuple[BoardCanvas, Stroke]], seat: int, number: int, gid: str | None = None
) -> None:
    """S6: line 0 solid, line 1 striped, both on a white seam that separates them from their surroundings."""
    for sheet, track in strokes:
        sheet.shape([track], edge=PAPER, width=_WIDTH + 0.045)
    for sheet, track in strokes:
        sheet.shape([track], edge=COMPANY[seat], width=_WIDTH, gid=gid)
    for sheet, track in strokes:
        if number == 1:
            sheet.shape([track], edge=PAPER, width=0.4 * _WIDTH, dashes=(0.13, 0.12))


def draw_station(sheet: BoardCanvas, at: Point, gid: str | None = None) -> None:
    sheet.disc(at, _STATION, PAPER, INK, 0.06, gid)


def draw_badge(sheet: BoardCanvas, at: Point, letter: str, colour: str, gid: str | None = None) -> None:
    sheet.disc(at, _BADGE, PAPER, colour, 0.045, gid)
    sheet.text(at, letter, 0.22, INK, "bold")


def _draw_marker(sheet: BoardCanvas, city: City, game: Game, letter: str, kind: str, seat: int, cell: Cell) -> None:
    """A badge in the middle of the spot; the spot's own letter gives way to the corner away from the tunnel."""
    centre = mean(triangle(city, cell))
    line = game.lines[seat][game.tunnels[cell][1]]
    digs = _cells_of(game, game.tunnels[cell])
    edge = line.path[digs.index(cell) : digs.index(cell) + 2]
    apex = next(position(corner) for corner in city.lattice.corners[cell] if corner not in edge)
    aside = (centre[0] + 0.5 * (apex[0] - centre[0]), centre[1] + 0.5 * (apex[1] - centre[1]))
    sheet.text(aside, kind, 0.17, KIND_INK[kind], "bold")
    draw_badge(sheet, centre, letter, COMPANY[seat], f"marker-{letter}-{kind}-{cell_name(cell)}")


def _draw_start(sheet: BoardCanvas, path: list[Vertex], colour: str, name: str) -> None:
    """A knob where a line starts."""
    sheet.disc(position(path[0]), 0.12, colour, PAPER, 0.035, f"start-{name}")


def _draw_end(sheet: BoardCanvas, path: list[Vertex], colour: str, name: str) -> None:
    """A buffer stop where a line has ended."""
    (ax, ay), (bx, by) = position(path[-2]), position(path[-1])
    across = (0.17 * (ay - by), 0.17 * (bx - ax))
    bar = [[(bx - across[0], by - across[1]), (bx + across[0], by + across[1])]]
    sheet.strokes(bar, PAPER, _WIDTH + 0.045)
    sheet.strokes(bar, colour, _WIDTH, f"end-{name}")


# --- trips -----------------------------------------------------------------------------------------------


def draw_routes(sheet: BoardCanvas, game: Game, trip: Trip) -> None:
    """TT3: the sections on a fastest route of a trip, and where it begins and ends."""
    for section in trip.used:
        path = game.lines[section.start.seat][section.start.line].path
        first, last = sorted((path.index(section.start.station), path.index(section.end.station)))
        sheet.strokes([[position(vertex) for vertex in path[first : last + 1]]], ROUTE, 0.42)
    for marker, (_, cell) in game.placed.items():
        if marker.letter == trip.name:
            sheet.area([triangle(game.city, cell)], ROUTE, ROUTE, 0.12)


# --- the course of a line --------------------------------------------------------------------------------


class TunnelStroke(NamedTuple):
    """A part of the course of a line, and where it heads."""

    stroke: Stroke
    ahead: Point


def whole_line(city: City, path: list[Vertex], cells: list[Cell], ended: bool) -> Stroke:
    """A line from its portal to its terminus: along each edge inside the tunnel's cell, bending at the vertices."""
    tunnels = list(tunnel_strokes(city, path, cells))
    tunnels.append(tip(tunnels[-1], path[-1], ended))
    points = [tunnels[0].stroke.points[0], *(point for tunnel in tunnels for point in tunnel.stroke.points[1:])]
    return Stroke(points, "".join(tunnel.stroke.steps for tunnel in tunnels))


def tunnel_strokes(city: City, path: list[Vertex], cells: list[Cell]) -> Iterator[TunnelStroke]:
    """The tunnels of a line one by one, each starting where the one before ends."""
    tracks = [_Straight(city, *ends) for ends in zip(path, path[1:], cells, strict=False)]
    at, ahead = position(path[0]), tracks[0].direction
    for track in tracks:
        points = [at, *_bend(at, ahead, track.begin, track.direction), track.finish]
        at, ahead = track.finish, track.direction
        yield TunnelStroke(Stroke(points, "CCCL"), ahead)


def tip(last: TunnelStroke, terminus: Vertex, ended: bool) -> TunnelStroke:
    """What follows the last tunnel: the bend to the portal of a line that has ended, else a stub towards its vertex."""
    at, ahead = last.stroke.points[-1], last.ahead
    if ended:
        points = [at, *_bend(at, ahead, position(terminus), ahead)]
        return TunnelStroke(Stroke(points, "CCC"), ahead)
    stub = (at[0] + 0.8 * _BEND * ahead[0], at[1] + 0.8 * _BEND * ahead[1])
    return TunnelStroke(Stroke([at, stub], "L"), ahead)


class _Straight:
    """The straight middle of a tunnel."""

    def __init__(self, city: City, u: Vertex, w: Vertex, cell: Cell) -> None:
        (ux, uy), (wx, wy) = position(u), position(w)
        cx, cy = mean(triangle(city, cell))
        self.direction = dx, dy = wx - ux, wy - uy
        inwards = (cx - (ux + wx) / 2, cy - (uy + wy) / 2)
        share = _SHIFT / hypot(*inwards)
        sx, sy = share * inwards[0], share * inwards[1]
        self.begin: Point = (ux + sx + _BEND * dx, uy + sy + _BEND * dy)
        self.finish: Point = (wx + sx - _BEND * dx, wy + sy - _BEND * dy)


def _bend(a: Point, a_way: Point, b: Point, b_way: Point) -> list[Point]:
    """A curve that leaves `a` in one direction and reaches `b` in another, as three Bezier points."""
    reach = 0.45 * hypot(b[0] - a[0], b[1] - a[1])
    return [
        (a[0] + reach * a_way[0], a[1] + reach * a_way[1]),
        (b[0] - reach * b_way[0], b[1] - reach * b_way[1]),
        b,
    ]
