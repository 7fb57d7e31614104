"""A city or a position as a picture: `canvas(city, game)`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mmsim.drawing.board_canvas import BoardCanvas, mean
from mmsim.drawing.canvas import Canvas, Point, Stroke
from mmsim.drawing.style import FAINT, INK, fitting_size, text_width
from mmsim.metromania.rules.board import CELL_KINDS, FRAME_KINDS, SPOTS, WATER_AND_GREEN, City
from mmsim.metromania.rules.lattice import Cell
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import Trip, result
from mmsim.metromania.shell.draw_city import ROW, draw_arrow, draw_city, draw_landscape, draw_spot, em, frame_corners
from mmsim.metromania.shell.draw_game import (
    BuildingMoves,
    draw_badge,
    draw_company_line,
    draw_game,
    draw_routes,
    draw_station,
)
from mmsim.metromania.shell.draw_palette import COMPANY_NAMES, FRAME_CELL
from mmsim.system.safe_text import on_one_line

_MARGIN = 1.4  # ems around everything
_TEXT = 0.85  # size of running text, in ems
_TEXT_WIDTH = 46  # width of running text, in ems
_SAMPLE = 1.6  # length of a company's lines in the legend, in edges
_ORIGIN: Point = (0.0, 0.0)
_TRIANGLE: list[Point] = [(-0.5, -ROW / 2), (0.5, -ROW / 2), (0.0, ROW / 2)]


def canvas(city: City, game: Game | None = None) -> Canvas:
    """The city, with what has been built if a game is given."""
    sheet, foot = _sheet_with_caption(city, legend(city, game), animated=False, lines=2 if game else 1)
    draw_city(sheet, city, _covered(game) if game else {})
    if game:
        draw_game(sheet, city, game)
        sheet.text(
            (0.0, foot - 1.8 * em(city.lattice.side)),
            state_line(game),
            _TEXT * em(city.lattice.side),
            FAINT,
            gid="standing",
        )
    return sheet.canvas


def animated_canvas(game: Game, trips: Sequence[Trip], texts: Sequence[str]) -> Canvas:
    """A finished game with all its steps: what is built, then the routes of each trip; one caption per step."""
    city, e = game.city, em(game.city.lattice.side)
    sheet, caption = _sheet_with_caption(city, legend(city, game, points=False), animated=True, lines=2)
    draw_city(sheet, city, _covered(game))
    scoring = len(game.history) + 2  # step of the first trip; the step before shows the points kept
    for number, trip in enumerate(trips):
        draw_routes(sheet.during(scoring + number, scoring + number + 1), game, trip)
    draw_game(sheet, city, game)
    for step, text in enumerate(texts):
        size = fitting_size(text, _TEXT * e, _TEXT_WIDTH * e)
        sheet.during(step, step + 1).text((0.0, caption - 1.8 * e), text, size, FAINT)
    return sheet.canvas


def _covered(game: Game) -> dict[Cell, int]:
    """The spots with a marker, and the move that laid it."""
    tunnels = BuildingMoves(game).tunnels
    return {cell: tunnels.get(cell, 0) for _, cell in game.placed.values()}


def _sheet_with_caption(
    city: City, rows: list[list["LegendEntry"]], animated: bool, lines: int
) -> tuple[BoardCanvas, float]:
    """A sheet with caption and legend below the space for the city, and the height of the caption's first line."""
    e = em(city.lattice.side)
    corners = frame_corners(city.lattice.side)
    right, top = max(x for x, _ in corners) + _MARGIN * e, max(y for _, y in corners) + _MARGIN * e
    foot = (3.4 + 1.8 * (lines - 1) + 2.5 * len(rows)) * e
    sheet = BoardCanvas(-right, right, -top - foot, top, animated)
    _draw_caption(sheet, city, -top - 0.5 * e, e)
    for number, row in enumerate(rows):
        y = -top - foot + (_MARGIN + 0.6 + 2.5 * (len(rows) - 1 - number)) * e
        _draw_legend_row(sheet, row, y, e, 2 * right - 2 * _MARGIN * e)
    return sheet, -top - 0.5 * e


# --- caption and legend ----------------------------------------------------------------------------------


def _draw_caption(sheet: BoardCanvas, city: City, y: float, e: float) -> None:
    name, code = on_one_line(city.board_set.name), city.layout.code
    size = fitting_size(name + code, 1.1 * e, 42 * e, "bold")
    gap = 1.1 * size
    # Name and code are two texts side by side, centred together.
    widths = text_width(name, size, "bold"), text_width(code, size)
    left = -(sum(widths) + gap) / 2
    sheet.text((left, y), name, size, INK, "bold", align="left", gid="set-name")
    sheet.text((left + widths[0] + gap, y), code, size, FAINT, align="left", gid="layout-code")


def state_line(game: Game) -> str:
    stations = f"{_count(game.supply, 'station')} left"
    if game.over:
        return f"after turn {game.turn}: the game is over, final scores below, {stations}"
    return f"turn {game.turn}, seat {game.seat + 1} to play, {stations}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class LegendEntry(NamedTuple):
    """An entry of the legend: a mark around the origin of a sheet, its width (in edges), and its text."""

    mark: Callable[[BoardCanvas], None]
    width: float
    text: str


def legend(city: City, game: Game | None, points: bool = True) -> list[list[LegendEntry]]:
    """The rows of the legend: kinds of cells, then what is built, then the companies, with points or without."""
    kinds = [kind for kind in SPOTS + WATER_AND_GREEN if city.board_set.count(kind)]
    rows = [[LegendEntry(partial(_kind_mark, kind), 1.0, CELL_KINDS[kind]) for kind in kinds]]
    rows.append([LegendEntry(partial(_arrow_mark, arrow), 1.0, f"a line {FRAME_KINDS[arrow]}s") for arrow in "SE"])
    if game:
        rows[-1] += [
            LegendEntry(lambda sheet: draw_station(sheet.inset(_ORIGIN, 1.6), _ORIGIN), 0.7, "station"),
            LegendEntry(lambda sheet: draw_badge(sheet.inset(_ORIGIN, 1.8), _ORIGIN, "A", FAINT), 0.7, "marker"),
        ]
        scores = (result(game).scores if game.over else game.points) if points else None
        for_seats = [_company(game, seat) for seat in range(game.rules.companies)]
        if scores:
            for_seats = [f"{name}: {_count(score, 'point')}" for name, score in zip(for_seats, scores, strict=True)]
        rows.append([LegendEntry(partial(_company_mark, seat), _SAMPLE, text) for seat, text in enumerate(for_seats)])
    return [row for row in rows if row]


def _company(game: Game, seat: int) -> str:
    """A company's name and seat, and the player behind it where one plays two."""
    shared = game.rules.players < game.rules.companies
    player = f", player {game.rules.seat_player[seat] + 1}" if shared else ""
    return f"{COMPANY_NAMES[seat]} (seat {seat + 1}{player})"


def _kind_mark(kind: str, sheet: BoardCanvas) -> None:
    if kind in SPOTS:
        draw_spot(sheet, _TRIANGLE, kind)
    else:
        draw_landscape(sheet, [_TRIANGLE], kind)
    sheet.area([_TRIANGLE], "none", FAINT, 0.03)


def _arrow_mark(arrow: str, sheet: BoardCanvas) -> None:
    sheet.area([_TRIANGLE], FRAME_CELL, FAINT, 0.03)
    draw_arrow(sheet, mean(_TRIANGLE), 270 if arrow == "S" else 90, arrow)


def _company_mark(seat: int, sheet: BoardCanvas) -> None:
    """Both lines of a company, the solid one on top."""
    for number, y in enumerate((0.12, -0.12)):
        ends = (-_SAMPLE / 2, y), (_SAMPLE / 2, y)
        draw_company_line([(sheet, Stroke(ends))], seat, number, f"company-{seat}-{number}")


def _draw_legend_row(sheet: BoardCanvas, row: list[LegendEntry], y: float, e: float, width: float) -> None:
    """A row of entries, centred, all smaller if they would not fit."""
    edge, space, gap = 1.7, 0.5, 2.2  # in ems: edge of a mark, gap to its text, gap to the next entry
    widths = [edge * entry.width + space + text_width(entry.text, _TEXT) for entry in row]
    total = sum(widths) + gap * (len(row) - 1)
    scale = min(e, width / total)
    x = -total * scale / 2
    for entry, entry_width in zip(row, widths, strict=True):
        middle = edge * entry.width / 2 * scale
        entry.mark(sheet.inset((x + middle, y), edge * scale))
        sheet.text((x + 2 * middle + space * scale, y), entry.text, _TEXT * scale, INK, align="left")
        x += (entry_width + gap) * scale
