"""What has been built, on top of the city: lines, stations and markers (rules G8, G9, M1, ST1)."""

from math import hypot

from matplotlib.path import Path as Outline

from mmsim.drawing.palette import INK, PAPER
from mmsim.drawing.sheet import Point, Sheet, mean
from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.lattice import Cell, Vertex, position
from mmsim.metromania.rules.position import Game
from mmsim.metromania.shell.draw_city import cell_name, triangle
from mmsim.metromania.shell.draw_palette import COMPANY, KIND_INK

_WIDTH = 0.115  # of a line
_SHIFT = 0.088  # G8: how far a tunnel runs inside its cell
_BEND = 0.24  # how far before and after a vertex a line bends
_BADGE = 0.165
_STATION = 0.17


def draw_game(sheet: Sheet, city: City, game: Game) -> None:
    for seat, number, line in game.all_lines():
        if line.started:
            # The cells of a line come in the order in which it was dug.
            cells = [cell for cell, owner in game.tunnels.items() if owner == (seat, number)]
            track = line_outline(city, line.path, cells, line.ended)
            draw_track(sheet, track, seat, number, f"line-{seat}-{number}")
            _draw_caps(sheet, line.path, COMPANY[seat], line.ended, f"{seat}-{number}")
    for vertex in game.stations:
        draw_station(sheet, position(vertex), f"station-{vertex[0]}_{vertex[1]}")
    for marker, (seat, cell) in game.placed.items():
        _draw_marker(sheet, city, game, marker.letter, marker.kind, seat, cell)


# --- the marks, also shown in the legend -----------------------------------------------------------------


def draw_track(sheet: Sheet, track: Outline, seat: int, number: int, gid: str | None = None) -> None:
    """S6: line 0 solid, line 1 striped, both on a white seam that parts them from what lies beside them."""
    sheet.shape(track, edge=PAPER, width=_WIDTH + 0.045)
    sheet.shape(track, edge=COMPANY[seat], width=_WIDTH, gid=gid)
    if number == 1:
        sheet.shape(track, edge=PAPER, width=0.4 * _WIDTH, dashes=(0.13, 0.12))


def draw_station(sheet: Sheet, at: Point, gid: str | None = None) -> None:
    sheet.disc(at, _STATION, PAPER, INK, 0.06, gid)


def draw_badge(sheet: Sheet, at: Point, letter: str, colour: str, gid: str | None = None) -> None:
    sheet.disc(at, _BADGE, PAPER, colour, 0.045, gid)
    sheet.letters(at, letter, 0.22, INK, "bold")


def _draw_marker(sheet: Sheet, city: City, game: Game, letter: str, kind: str, seat: int, cell: Cell) -> None:
    """A badge in the middle of the spot; the spot's own letter gives way to the corner away from the tunnel."""
    centre = mean(triangle(city, cell))
    line = game.lines[seat][game.tunnels[cell][1]]
    digs = [c for c, owner in game.tunnels.items() if owner == game.tunnels[cell]]
    edge = line.path[digs.index(cell) : digs.index(cell) + 2]
    apex = next(position(corner) for corner in city.lattice.corners[cell] if corner not in edge)
    aside = (centre[0] + 0.5 * (apex[0] - centre[0]), centre[1] + 0.5 * (apex[1] - centre[1]))
    sheet.letters(aside, kind, 0.17, KIND_INK[kind], "bold")
    draw_badge(sheet, centre, letter, COMPANY[seat], f"marker-{letter}-{kind}-{cell_name(cell)}")


def _draw_caps(sheet: Sheet, path: list[Vertex], colour: str, ended: bool, name: str) -> None:
    """A knob where a line starts, a buffer stop where it has ended."""
    sheet.disc(position(path[0]), 0.12, colour, PAPER, 0.035, f"start-{name}")
    if ended:
        (ax, ay), (bx, by) = position(path[-2]), position(path[-1])
        across = (0.17 * (ay - by), 0.17 * (bx - ax))
        bar = [[(bx - across[0], by - across[1]), (bx + across[0], by + across[1])]]
        sheet.strokes(bar, PAPER, _WIDTH + 0.045)
        sheet.strokes(bar, colour, _WIDTH, f"end-{name}")


# --- the course of a line --------------------------------------------------------------------------------


def line_outline(city: City, path: list[Vertex], cells: list[Cell], ended: bool) -> Outline:
    """A line from its portal to its terminus: along each edge inside the tunnel's cell, bending at the vertices."""
    tracks = [_Straight(city, *ends) for ends in zip(path, path[1:], cells, strict=False)]
    points: list[Point] = [position(path[0])]
    codes = [Outline.MOVETO]
    ahead = tracks[0].direction
    for track in tracks:
        points += _bend(points[-1], ahead, track.begin, track.direction)
        points.append(track.finish)
        codes += [Outline.CURVE4] * 3 + [Outline.LINETO]
        ahead = track.direction
    if ended:
        points += _bend(points[-1], ahead, position(path[-1]), ahead)
        codes += [Outline.CURVE4] * 3
    else:
        x, y = points[-1]
        points.append((x + 0.8 * _BEND * ahead[0], y + 0.8 * _BEND * ahead[1]))
        codes.append(Outline.LINETO)
    return Outline(points, codes)


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
