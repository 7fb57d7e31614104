"""Board sets by name: TOML files that people edit, checked and with problems reported by line, and random ones."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mmsim.errors import UsageError, unknown
from mmsim.metromania.rules.board import (
    CELL_KINDS,
    FRAME_KINDS,
    PIECES,
    SPOTS,
    WATER_AND_GREEN,
    BoardSet,
    Layout,
    Rows,
    unreachable_cells,
)
from mmsim.metromania.rules.lattice import MAX_SIDE, MIN_SIDE, SIDES
from mmsim.metromania.rules.random_pieces import draw_pieces
from mmsim.system.files import data_folder, failing_with, parse_toml, read_bytes

DEFAULT = "box"  # the board set if none is named
_EACH = "each="  # before the number of games on every city
_RANDOM = "random:"  # before the seed of random pieces with the numbers of the default set
_MAX_SEED = 2**64 - 1
_CODE = re.compile("-".join(["[1-6][abc]"] * PIECES))
_KEYS = ("name", "title", "side", "frame", "piece")
_PIECE_KEYS = ("name", "cells")
_LINES_FOR_FOUR_COMPANIES = 8  # four companies start eight lines
_MARKERS_OF_A_KIND = 4  # S1


@dataclass(frozen=True)
class Problem:
    """An error or a warning about a line of a board file."""

    line: int
    text: str
    is_error: bool = True


def shipped_names() -> list[str]:
    """The board sets that come with mmsim."""
    return sorted(path.stem for path in data_folder("boards").glob("*.toml"))


def is_known(name: str) -> bool:
    """True if a name means the same pieces to everybody: a set that comes with mmsim, or random pieces."""
    return name in shipped_names() or random_seed(name) is not None


def random_seed(name: str) -> int | None:
    """The seed of a set of random pieces, written `random:SEED`; None if a name is not of that kind."""
    if not name.startswith(_RANDOM):
        return None
    digits = name.removeprefix(_RANDOM)
    if not (
        digits.isascii() and digits.isdecimal() and len(digits) <= len(str(_MAX_SEED)) and int(digits) <= _MAX_SEED
    ):
        raise UsageError(f"'{name[:40]}' does not name random pieces: write random:SEED with a whole number below 2^64")
    return int(digits)


def find(name_or_path: str) -> Path:
    """The file of a shipped board set, or a path that ends in `.toml`."""
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    if name_or_path not in shipped_names():
        error = unknown("board set", name_or_path, shipped_names())
        raise UsageError(f"{error}; random:SEED draws one, and a path ending in .toml is a file of your own")
    return data_folder("boards") / f"{name_or_path}.toml"


def load(name_or_path: str | None = None) -> BoardSet:
    """A board set by its name, its seed or the path of its file; None means the default.

    `box:1a-4c-2b-6a-3a-5b` is the set with one city, given by any of its rotations, and the code alone that city of the
    default set; `box:each=50` goes through all cities with 50 games on each.
    """
    name, layout = split_layout(name_or_path or DEFAULT)
    board_set = _load_set(name)
    if layout.startswith(_EACH):
        digits = layout.removeprefix(_EACH)
        if not re.fullmatch(r"[1-9]\d{0,8}", digits, re.ASCII):
            raise UsageError(f"'{name_or_path}': write {name}:{_EACH}N with a number of games per city")
        return replace(board_set, games_per_city=int(digits))
    return replace(board_set, layout=board_set.canonical(Layout.from_code(layout))) if layout else board_set


def split_layout(board: str) -> tuple[str, str]:
    """A board set and the layout that is written behind it; empty if there is none."""
    if _CODE.fullmatch(board):
        return DEFAULT, board
    name, colon, layout = board.rpartition(":")
    is_layout = colon and not layout.endswith(".toml") and (layout.find("-") > 0 or layout.startswith(_EACH))
    return (name, layout) if is_layout else (board, "")


def with_layout(board: str | None, layout: str) -> str:
    """The name of a board set with one of its cities, or with `each=N`."""
    name, known = split_layout(board or DEFAULT)
    if known:
        raise UsageError(f"'{board}' has a layout already; drop --layout")
    spec = f"{name}:{layout.strip()}"
    return f"{name}:{city.code}" if (city := load(spec).layout) else spec


def _load_set(name_or_path: str) -> BoardSet:
    if (seed := random_seed(name_or_path)) is not None:
        return draw_pieces(load(), seed, f"{_RANDOM}{seed}")
    path = find(name_or_path)
    board_set, problems = read(path)
    if board_set is None:
        errors = [problem for problem in problems if problem.is_error]
        more = f" ({len(errors) - 1} more: mmsim boards check {name_or_path})" if len(errors) > 1 else ""
        raise UsageError(f"{path}:{errors[0].line}: {errors[0].text}{more}")
    return board_set


def read(path: Path) -> tuple[BoardSet | None, list[Problem]]:
    """The board set of a file (None if it has errors), and its errors and warnings."""
    try:
        with failing_with(f"cannot read board file {path}", UsageError):
            text = read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read board file {path}: it is not UTF-8 text") from error
    return parse(text, path.stem)


def parse(text: str, fallback_name: str) -> tuple[BoardSet | None, list[Problem]]:
    """The board set of a text, as `read`."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        where = re.search(r"at line (\d+)", str(error))
        line = int(where.group(1)) if where else text.count("\n") + 1
        return None, [Problem(line, f"not valid TOML: {error}")]
    source = _Source(text)
    problems = list(_errors(data, source))
    if problems:
        return None, sorted(problems, key=lambda problem: problem.line)
    frame = data["frame"]
    board_set = BoardSet(
        name=data.get("name", fallback_name),
        side=data["side"],
        pieces=tuple(_rows(piece["cells"]) for piece in data["piece"]),
        frame=(frame,) * 6 if isinstance(frame, str) else tuple(frame),
        title=data.get("title", ""),
        piece_names=tuple(piece.get("name", f"Piece {i}") for i, piece in enumerate(data["piece"], 1)),
    )
    return board_set, sorted(_warnings(board_set, source), key=lambda problem: problem.line)


def check(name_or_path: str) -> tuple[BoardSet | None, list[Problem]]:
    """A board set by any of its names (None if it has errors), and its errors and warnings."""
    if random_seed(name_or_path) is None:
        return read(find(name_or_path))
    return parse(to_toml(load(name_or_path)), name_or_path)


def to_toml(board_set: BoardSet) -> str:
    """The text of a board file."""
    arrows = [*dict.fromkeys(board_set.frame)]
    lines = [
        "# A piece is drawn with its city-centre corner on top; row j has 2j+1 cells.",
        "# " + "   ".join(f"{kind} {word}" for kind, word in CELL_KINDS.items()),
        "# The frame runs along each side of the city: S start, E end, . nothing (one string: all six sides alike).",
        f"name = {json.dumps(board_set.name)}",
        f"title = {json.dumps(board_set.title)}",
        f"side = {board_set.side}",
        f"frame = {json.dumps(arrows[0] if len(arrows) == 1 else list(board_set.frame))}",
    ]
    for name, rows in zip(board_set.piece_names, board_set.pieces, strict=True):
        drawing = [" " * (board_set.side - 1 - row) + cells for row, cells in enumerate(rows)]
        lines += ["", "[[piece]]", f"name = {json.dumps(name)}", "cells = '''", *drawing, "'''"]
    return "\n".join(lines) + "\n"


def validate(board_set: BoardSet) -> None:
    """Raise the first error of a board set that did not come from a file, such as a record's."""
    data = {
        "side": board_set.side,
        "frame": list(board_set.frame),
        "piece": [{"cells": "\n".join(rows)} for rows in board_set.pieces],
    }
    for problem in _errors(data, _Source("")):
        raise UsageError(problem.text)


def _rows(cells: str) -> Rows:
    return tuple(row.strip() for row in cells.splitlines() if row.strip())


class _Source:
    """Finds the line of a key, a piece or a row of a piece in a file; 1 if it is missing."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._pieces = [i for i, line in enumerate(self._lines) if re.match(r"\s*\[\[\s*piece\s*\]\]", line)]

    def line_of_key(self, name: str) -> int:
        end = self._pieces[0] if self._pieces else len(self._lines)
        return self._find(name, 0, end)

    def line_of_frame_side(self, side: int) -> int:
        """The line of one side when the frame is a list over several lines."""
        start, seen = self.line_of_key("frame"), 0
        for number in range(start - 1, len(self._lines)):
            seen += len(re.findall(r'"[^"]*"|\'[^\']*\'', self._lines[number]))
            if seen > side:
                return number + 1
        return start

    def line_of_piece(self, index: int) -> int:
        return self._pieces[index] + 1 if 0 <= index < len(self._pieces) else max(1, len(self._lines))

    def line_of_piece_key(self, index: int, name: str) -> int:
        start = self.line_of_piece(index) - 1
        end = self._pieces[index + 1] if index + 1 < len(self._pieces) else len(self._lines)
        return self._find(name, start, end)

    def line_of_row(self, index: int, row: int) -> int:
        start = self.line_of_piece_key(index, "cells")
        row_lines = [
            number
            for number in range(start, len(self._lines) + 1)
            if re.sub(r"^\s*cells\s*=", "", self._lines[number - 1]).strip(" \t'\"")
        ]
        return row_lines[row] if row < len(row_lines) else start

    def _find(self, name: str, start: int, end: int) -> int:
        for i in range(start, end):
            if re.match(rf"\s*({re.escape(name)}\s*=|\[\s*{re.escape(name)}\s*\])", self._lines[i]):
                return i + 1
        return start + 1


def _errors(data: dict[str, Any], source: _Source) -> Iterator[Problem]:
    for key in data:
        if key not in _KEYS:
            yield Problem(source.line_of_key(key), str(unknown("key", key, _KEYS)))
    for key in ("name", "title"):
        if not isinstance(data.get(key, ""), str):
            yield Problem(source.line_of_key(key), f"{key} must be text in quotes")
    side = data.get("side")
    if side is None:
        yield Problem(1, f"the side is missing; add a line like side = 6 ({MIN_SIDE} to {MAX_SIDE})")
    elif not isinstance(side, int) or isinstance(side, bool) or not MIN_SIDE <= side <= MAX_SIDE:
        yield Problem(
            source.line_of_key("side"), f"side is {side!r}; it must be a whole number {MIN_SIDE} to {MAX_SIDE}"
        )
        side = None
    yield from _frame_errors(data.get("frame"), side, source)
    pieces = data.get("piece", [])
    if not isinstance(pieces, list) or not all(isinstance(piece, dict) for piece in pieces):
        yield Problem(source.line_of_key("piece"), "write every piece as a table of its own, headed [[piece]]")
        return
    if len(pieces) != PIECES:
        text = f"there are {len(pieces)} pieces, not six; {_add_or_remove(len(pieces), PIECES)}"
        yield Problem(source.line_of_piece(min(PIECES, len(pieces) - 1)), text)
    for index, piece in enumerate(pieces):
        yield from _piece_errors(index, piece, side, source)
    cells = {cell for piece in pieces for row in _rows(str(piece.get("cells", ""))) for cell in row}
    if cells and cells <= set(WATER_AND_GREEN):
        yield Problem(
            source.line_of_piece(0), "no tunnel could ever be dug: every cell is lake or park; draw some other cells"
        )


def _add_or_remove(count: int, needed: int) -> str:
    return f"add {needed - count}" if count < needed else f"remove {count - needed}"


def _frame_errors(frame: Any, side: int | None, source: _Source) -> Iterator[Problem]:
    if frame is None:
        example = "S.ES.E"[:side].ljust(side or 6, ".")
        yield Problem(1, f'the frame is missing; add a line like frame = "{example}" (or six such strings)')
        return
    sides = [frame] if isinstance(frame, str) else frame
    well_formed = isinstance(sides, list) and all(isinstance(arrows, str) for arrows in sides)
    if not well_formed or (not isinstance(frame, str) and len(sides) != SIDES):
        yield Problem(source.line_of_key("frame"), "the frame must be one string for all sides or a list of six")
        return
    for k, arrows in enumerate(sides):
        where = f"side {k} of the frame" if len(sides) == SIDES else "the frame"
        line = source.line_of_frame_side(k)
        if side is not None and len(arrows) != side:
            yield Problem(
                line, f"{where} has {len(arrows)} cells but needs {side}; {_add_or_remove(len(arrows), side)}"
            )
        for arrow in arrows:
            if arrow not in FRAME_KINDS:
                hint = f"did you mean '{arrow.upper()}'? " if arrow.upper() in FRAME_KINDS else ""
                yield Problem(line, f"{where} has '{arrow}'; {hint}use S (start), E (end) or . (nothing)")
                break
    for arrow in "SE":
        if not any(arrow in arrows for arrows in sides):
            yield Problem(
                source.line_of_key("frame"),
                f"no line could ever {FRAME_KINDS[arrow]}: put at least one {arrow} on the frame",
            )


def _piece_errors(index: int, piece: dict[str, Any], side: int | None, source: _Source) -> Iterator[Problem]:
    number = index + 1
    for key in piece:
        if key not in _PIECE_KEYS:
            yield Problem(
                source.line_of_piece_key(index, key), f"piece {number} has an {unknown('key', key, _PIECE_KEYS)}"
            )
    if not isinstance(piece.get("name", ""), str):
        yield Problem(source.line_of_piece_key(index, "name"), f"the name of piece {number} must be text in quotes")
    cells = piece.get("cells")
    if not isinstance(cells, str):
        yield Problem(
            source.line_of_piece(index),
            f"piece {number} is not drawn; add cells = ''' ... ''' with rows of 1, 3, 5 ... cells",
        )
        return
    rows = _rows(cells)
    if side is not None and len(rows) != side:
        text = f"piece {number} has {len(rows)} rows but needs {side}; {_add_or_remove(len(rows), side)}"
        yield Problem(source.line_of_piece_key(index, "cells"), text)
    for j, row in enumerate(rows):
        where = f"piece {number}, row {j}"
        needed = 2 * j + 1
        if len(row) != needed and (side is None or j < side):
            text = f"{where} ('{row}') has {len(row)} cells but needs {needed}; {_add_or_remove(len(row), needed)}"
            yield Problem(source.line_of_row(index, j), text)
        for letter in row:
            if letter not in CELL_KINDS:
                hint = f"did you mean '{letter.upper()}'? " if letter.upper() in CELL_KINDS else ""
                known = ", ".join(f"{kind} {word}" for kind, word in CELL_KINDS.items())
                yield Problem(
                    source.line_of_row(index, j), f"{where} has an unknown cell '{letter}'; {hint}(known: {known})"
                )
                break


def _warnings(board_set: BoardSet, source: _Source) -> Iterator[Problem]:
    for text in _spot_warnings({CELL_KINDS[kind]: board_set.count(kind) for kind in SPOTS}):
        yield Problem(source.line_of_piece(0), text, is_error=False)
    lake, park = board_set.count("L"), board_set.count("P")
    if bool(lake) != bool(park):
        missing = "park" if lake else "lake"
        text = f"there is no {missing}, so the park-lake trip is always impossible"
        yield Problem(source.line_of_piece(0), text, is_error=False)
    for arrow in "SE":
        if (n := board_set.frame_count(arrow)) < _LINES_FOR_FOUR_COMPANIES:
            text = f"only {n} {FRAME_KINDS[arrow]} arrows for the eight lines of four companies"
            yield Problem(source.line_of_key("frame"), text, is_error=False)
    for index, rows in enumerate(board_set.pieces):
        for row, column in unreachable_cells(rows):
            kind = rows[row][column]
            where = f"piece {index + 1}, row {row}, cell {column + 1}"
            text = (
                f"{where}: no line can reach this {CELL_KINDS[kind]} spot"
                if kind in SPOTS
                else f"{where} is a dead cell: no line can reach it"
            )
            yield Problem(source.line_of_row(index, row), f"{text} (lake and park enclose it)", is_error=False)


def _spot_warnings(counts: dict[str, int]) -> Iterator[str]:
    if not any(counts.values()):
        yield "there is no spot, so no marker can be placed and the trips A to F are always impossible"
        return
    few = [f"{n} {kind}" for kind, n in counts.items() if n < _MARKERS_OF_A_KIND]
    if few:
        yield f"too few spots for the four markers of each kind: only {', '.join(few)}"
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{n} {kind}" for kind, n in counts.items())
        yield f"the kinds of spots differ in number: {listed}"
