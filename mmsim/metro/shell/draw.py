"""A position of Metro as a picture with every line drawn in its owner's colour: `canvas(game)`."""

from collections.abc import Sequence
from itertools import accumulate
from math import hypot

from mmsim.drawing.board_canvas import BoardCanvas
from mmsim.drawing.canvas import Canvas, Point, Stroke
from mmsim.drawing.style import FAINT, INK, PAPER, fitting_size
from mmsim.metro.rules.board import CELLS, CENTRE, COLOURS, DEPARTURE, SIZE, STATIONS, STOPS, Cell, opposite
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import trace
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.tiles import BOTTOM, CODES, LEFT, RIGHT, SIDES, TOP, exit_side
from mmsim.system.safe_text import on_one_line

# The colours of the wagons as the book names them, darkened or lightened to be distinguishable.
OWNER = ("#D9A400", "#0B5FB0", "#D8470A", "#2E8B57", "#8A3FA0", "#1F1F1F", "#C2185B", "#8C8C8C")
TERMINAL_OWNER = (*OWNER[:5], "#707070", *OWNER[6:])  # black is invisible on a dark screen
CELL, CENTRE_FILL, BORDER = "#FDFBF5", "#E9E3D6", "#F6F2E9"
GRID, TRACK, UNOWNED = "#E4DFD3", "#C6BEAE", "#8F887B"  # between cells; a track nobody uses; a line nobody owns

_HALF = SIZE / 2
_FRAME = 0.62  # how far the border with the stations reaches out
_MARGIN = 0.35
_EDGE = _HALF + _FRAME + _MARGIN  # of the sheet
_PORT = 0.16  # X2: how far the two ports of a side lie from its middle
_OUTWARDS: dict[int, Point] = {TOP: (0.0, 1.0), RIGHT: (1.0, 0.0), BOTTOM: (0.0, -1.0), LEFT: (-1.0, 0.0)}
_LINE, _SEAM = 0.085, 0.035
_TEXT = 0.24
_TILES_PER_ROW, _LEGEND_TILE, _LEGEND_ROW = 12, 0.5, 0.9  # of the names of tiles
_LEGEND = _LEGEND_ROW * (len(CODES) // _TILES_PER_ROW)
_ORIGIN: Cell = (0, 0)


def canvas(game: Game) -> Canvas:
    """The board with all tiles and lines."""
    points = result(game).scores if game.over and not game.rules.companies else game.points
    sheet = _sheet_with_caption(
        game, [f"{_owner(game, owner)}: {had}" for owner, had in enumerate(points)], animated=False
    )
    _draw_all(sheet, game)
    text = state_line(game)
    sheet.text((0.0, -_EDGE - 0.2), text, fitting_size(text, _TEXT, 2 * _EDGE - _MARGIN), FAINT, gid="standing")
    return sheet.canvas


def animated_canvas(game: Game, texts: Sequence[str]) -> Canvas:
    """A finished game with all its steps; one caption per step."""
    sheet = _sheet_with_caption(game, [_owner(game, owner) for owner in range(game.rules.owners)], animated=True)
    _draw_all(sheet, game)
    for step, text in enumerate(texts):
        size = fitting_size(text, _TEXT, 2 * _EDGE - _MARGIN)
        sheet.during(step, step + 1).text((0.0, -_EDGE - 0.2), text, size, FAINT)
    return sheet.canvas


def _sheet_with_caption(game: Game, words: Sequence[str], animated: bool) -> BoardCanvas:
    """A sheet with the legend of owners below the space for the board."""
    foot = 0.75 + 0.45 * ((game.rules.owners + 3) // 4)
    sheet = BoardCanvas(-_EDGE, _EDGE, -_EDGE - foot - _LEGEND, _EDGE, animated)
    _draw_tile_names(sheet, -_EDGE - foot)
    size = min(fitting_size(text, _TEXT, 1.85) for text in words)
    for owner, text in enumerate(words):
        at = ((owner % 4 - 1.5) * 2.4 - 0.95, -_EDGE - 0.65 - 0.45 * (owner // 4))
        sheet.disc(at, 0.13, OWNER[owner], INK, 0.015)
        sheet.text((at[0] + 0.22, at[1]), text, size, INK, align="left", gid=f"owner-{owner}")
    return sheet


def _draw_all(sheet: BoardCanvas, game: Game) -> None:
    """The board and everything on it; in an animation each thing appears with the move that laid it."""
    moves = _Moves(game)
    _draw_board(sheet, game)
    for cell, code in game.board.items():
        _draw_tile(moves.then(sheet, moves.tiles.get(cell)), cell, code)
    for stop in range(1, STOPS + 1):
        if stop <= STATIONS or stop in game.owner:
            _draw_line(sheet, game, stop, moves)
    for stop in range(1, STOPS + 1):
        if stop <= STATIONS or not game.rules.central:
            _draw_stop(moves.then(sheet, moves.wagons.get(stop)), game, stop)


def _draw_tile_names(sheet: BoardCanvas, top: float) -> None:
    """X3: the names of all tiles, at the bottom."""
    column_width = 2 * (_EDGE - _MARGIN) / _TILES_PER_ROW
    for i, code in enumerate(CODES):
        row, column = divmod(i, _TILES_PER_ROW)
        x, y = (column + 0.5) * column_width - _EDGE + _MARGIN, top - (row + 0.35) * _LEGEND_ROW
        at = middle(_ORIGIN)
        small = sheet.inset((x - _LEGEND_TILE * at[0], y - _LEGEND_TILE * at[1]), _LEGEND_TILE)
        small.area([square(at, 0.5)], PAPER, GRID, 0.04)
        _draw_tracks(small, _ORIGIN, code, UNOWNED)
        sheet.text((x, y - 0.5 * _LEGEND_TILE - 0.13), code, 0.19, INK, gid=f"name-{code}")


class _Moves:
    """The move, counted from 1, that laid each tile and wagon; those there from the start are missing."""

    def __init__(self, game: Game) -> None:
        numbered = [(i, played.move) for i, played in enumerate(game.history, 1)]
        self.tiles = {move.cell: i for i, move in numbered if move.cell is not None}
        self.wagons = {move.edge: i for i, move in numbered if move.edge is not None}

    def then(self, sheet: BoardCanvas, move: int | None) -> BoardCanvas:
        """The sheet for what a move laid."""
        return sheet if move is None or not sheet.animated else sheet.during(move)


def state_line(game: Game) -> str:
    text = f"{on_one_line(game.rules.name)}, {game.rules.players} players, "
    if game.over and game.rules.companies:
        scores = ", ".join(f"player {seat + 1} {score}" for seat, score in enumerate(result(game).scores))
        return f"over after turn {game.turn}: {scores}; profits of the companies below"
    if game.over:
        return text + f"over after turn {game.turn}, final scores below"
    return text + f"turn {game.turn}, seat {game.seat + 1} to play, {game.tiles_left} tiles left"


# --- places ----------------------------------------------------------------------------------------------


def middle(cell: Cell) -> Point:
    """The middle of a cell; rows run down, the board's middle is the origin."""
    return cell[1] + 0.5 - _HALF, _HALF - cell[0] - 0.5


def port(cell: Cell, side: int, leaving: bool) -> Point:
    """X2: where a line crosses a side; seen from inside the cell it leaves on the right."""
    (x, y), (dx, dy) = middle(cell), _OUTWARDS[side]
    shift = _PORT if leaving else -_PORT
    return x + dx / 2 + dy * shift, y + dy / 2 - dx * shift


def _crossing(cell: Cell, come: int, go: int) -> list[Point]:
    """A track across a tile as a Bezier curve: it enters and leaves at right angles to the sides."""
    a, b = port(cell, come, leaving=False), port(cell, go, leaving=True)
    reach = 0.35 if come == go else 0.5 * hypot(a[0] - b[0], a[1] - b[1])
    (ax, ay), (bx, by) = _OUTWARDS[come], _OUTWARDS[go]
    return [a, (a[0] - reach * ax, a[1] - reach * ay), (b[0] - reach * bx, b[1] - reach * by), b]


def _curve(points: list[list[Point]]) -> Stroke:
    """Crossings one after another as one stroke."""
    vertices = [points[0][0], *(point for crossing in points for point in crossing[1:])]
    return Stroke(vertices, "C" * (len(vertices) - 1))


# --- parts -----------------------------------------------------------------------------------------------


def square(at: Point, half: float) -> list[Point]:
    x, y = at
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def _draw_board(sheet: BoardCanvas, game: Game) -> None:
    sheet.area([square((0.0, 0.0), _HALF + _FRAME)], BORDER, GRID, 0.03)
    sheet.area([square(middle(cell), 0.5) for cell in CELLS], CELL, GRID, 0.02, "cells")
    sheet.area([square((0.0, 0.0), 1.0)], CENTRE_FILL, INK, 0.04, "centre")
    if not game.rules.central:
        sheet.text((0.0, 0.0), "x 2", 0.5, FAINT, "bold")
    for i in range(SIZE):  # rows and columns, as stories and records count them
        x, y = middle((i, i))
        for side in (-1, 1):
            sheet.text((side * (_EDGE - _MARGIN / 2), y), str(i), _TEXT, FAINT, gid=f"row-{i}")
            sheet.text((x, side * (_EDGE - _MARGIN / 2)), str(i), _TEXT, FAINT, gid=f"column-{i}")


def _draw_tile(sheet: BoardCanvas, cell: Cell, code: str) -> None:
    """The bare tracks of a tile; the lines come on top."""
    fill = CENTRE_FILL if cell in CENTRE else PAPER
    sheet.area([square(middle(cell), 0.48)], fill, GRID, 0.02, f"tile-{cell[0]}-{cell[1]}-{code}")
    _draw_tracks(sheet, cell, code, TRACK)


def _draw_tracks(sheet: BoardCanvas, cell: Cell, code: str, colour: str) -> None:
    tracks = [_curve([_crossing(cell, side, exit_side(code, side))]) for side in SIDES]
    sheet.shape(tracks, edge=colour, width=0.06)


def _draw_line(sheet: BoardCanvas, game: Game, stop: int, moves: _Moves) -> None:
    """A line from its stop as far as it runs; lines without an owner are grey."""
    passed, to = trace(game, stop)
    if not passed:
        return
    side = DEPARTURE[stop][1]
    crossings = []
    for cell in passed:
        go = exit_side(game.board[cell], side)
        crossings.append(_crossing(cell, side, go))
        side = opposite(go)
    owned = stop in game.owner
    colour, width = (OWNER[game.owner[stop]], _LINE) if owned else (UNOWNED, _LINE / 2)
    if sheet.animated:
        _animate_line(sheet, passed, crossings, to is None, (colour, width), moves.wagons.get(stop, 0), moves)
        return
    track = _curve(crossings)
    sheet.shape([track], edge=PAPER, width=_LINE + _SEAM)
    sheet.shape([track], edge=colour, width=width, gid=f"line-{stop}")
    if to is None:
        sheet.disc(crossings[-1][-1], 0.075, PAPER, colour, 0.035, f"open-{stop}")


def _animate_line(
    sheet: BoardCanvas,
    passed: Sequence[Cell],
    crossings: Sequence[list[Point]],
    is_open: bool,
    stroke: tuple[str, float],
    wagon: int,
    moves: _Moves,
) -> None:
    """A line crossing by crossing, each appearing with the move that led the line over it."""
    colour, width = stroke
    since = list(accumulate((moves.tiles.get(cell, 0) for cell in passed), max, initial=wagon))[1:]
    tracks = [(sheet.during(first), _curve([crossing])) for first, crossing in zip(since, crossings, strict=True)]
    for then, track in tracks:
        then.shape([track], edge=PAPER, width=_LINE + _SEAM)
    for then, track in tracks:
        then.shape([track], edge=colour, width=width)
    for i, (first, crossing) in enumerate(zip(since, crossings, strict=True)):
        end = since[i + 1] if i + 1 < len(since) else None
        if first != end and (end is not None or is_open):  # the end that the line had then
            sheet.during(first, end).disc(crossing[-1], 0.075, PAPER, colour, 0.035)


def _draw_stop(sheet: BoardCanvas, game: Game, stop: int) -> None:
    """A station with its number, or a wagon in the centre."""
    cell, side = DEPARTURE[stop]
    (x, y), (dx, dy) = middle(cell), _OUTWARDS[side]
    if stop > STATIONS:
        if stop in game.owner:
            at = port(cell, side, leaving=False)
            sheet.disc(
                (at[0] + 0.12 * dx, at[1] + 0.12 * dy), 0.1, OWNER[game.owner[stop]], PAPER, 0.02, f"wagon-{stop}"
            )
        return
    out = 0.5 + _FRAME / 2
    at = (x + out * dx, y + out * dy)
    owned = stop in game.owner
    fill = OWNER[game.owner[stop]] if owned else PAPER
    sheet.disc(at, 0.21, fill, INK, 0.02, f"station-{stop}")
    sheet.text(at, str(stop), 0.2, PAPER if owned else FAINT, "bold")


def _owner(game: Game, owner: int) -> str:
    """A colour, and whose it is."""
    return COLOURS[owner] if game.rules.companies else f"{COLOURS[owner]} (seat {owner + 1})"
