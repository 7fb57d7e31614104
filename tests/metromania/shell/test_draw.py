"""Pictures of cities and positions: what is on them, that they repeat exactly, and the drawing in the terminal."""

import re
from collections import Counter
from io import StringIO
from math import dist
from xml.etree import ElementTree

import pytest
from rich.console import Console

from mmsim.core.rng import Purpose, Stream
from mmsim.drawing.board_canvas import SUFFIXES
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import BoardSet, City, Layout
from mmsim.metromania.rules.deal import deal
from mmsim.metromania.rules.lattice import MAX_SIDE, MIN_SIDE, position
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import apply, legal_moves
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import ruleset
from mmsim.metromania.shell import draw, draw_text
from mmsim.metromania.shell.draw_city import landscapes
from mmsim.metromania.shell.draw_game import whole_line

CODE = "4c-2b-1a-5c-6c-3c"
KINDS = "RCELP"


def city_of(name: str, code: str = CODE) -> City:
    return board_file.load(name).city(Layout.from_code(code))


def set_of_side(side: int) -> BoardSet:
    """A set with a row of spots and a row of lake or park in every piece."""
    spots = ["RCE"[i % 3] for i in range(2 * side - 1)]
    rows = [*("." * (2 * j + 1) for j in range(side - 1)), "".join(spots)]
    pieces = [(*rows[:1], "LPLP.."[k] * 3, *rows[2:]) for k in range(6)]
    return BoardSet(f"side {side}", side, tuple(pieces), (("S.E" * side)[:side],) * 6)


def played(city: City, moves: int | None = None, rules: str = "print") -> Game:
    """A game whose lines run away from their starts, so that some end; markers are placed where they can be."""
    knobs = ruleset(rules)
    game = Game(city, knobs, deal(knobs, Stream(5, Purpose.DEAL, 0)))
    stream = Stream(5, Purpose.BOT, 0)

    def appeal(move: Move) -> float:
        if move.kind != "dig" or move.line is None or move.to is None:
            return 99.0 if move.kind in ("end", "bonus") else 0.0
        return dist(position(game.lines[game.seat][move.line].path[0]), position(move.to)) + 3 * bool(move.marker)

    while not game.over and moves != len(game.history):
        legal = legal_moves(game)
        best = [move for move in legal if appeal(move) == max(map(appeal, legal))]
        apply(game, best[stream.below(len(best))])
    return game


@pytest.fixture(scope="module")
def roomy() -> City:
    return city_of("roomy")


@pytest.fixture(scope="module")
def finished(roomy: City) -> Game:
    return played(roomy)


@pytest.fixture(scope="module")
def city_svg(roomy: City) -> ElementTree.Element:
    return svg_of(roomy)


@pytest.fixture(scope="module")
def game_svg(roomy: City, finished: Game) -> ElementTree.Element:
    return svg_of(roomy, finished)


def svg_of(city: City, game: Game | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(draw.canvas(city, game).to_bytes(".svg"))


def ids(svg: ElementTree.Element, beginning: str) -> list[str]:
    return [e.get("id", "") for e in svg.iter() if e.get("id", "").startswith(beginning)]


def texts(svg: ElementTree.Element) -> list[str]:
    return [(e.text or "").strip() for e in svg.iter() if e.tag.endswith("}text")]


# --- the picture -----------------------------------------------------------------------------------------


def test_vertices_of_the_border_have_the_names_stories_give_them(city_svg: ElementTree.Element) -> None:
    assert {"6,0", "\u22126,6", "0,6", "6,\u22123"} <= set(texts(city_svg))


def test_picture_names_the_set_the_layout_and_every_piece(city_svg: ElementTree.Element) -> None:
    written = texts(city_svg)
    assert {"roomy", CODE} <= set(written)
    for code, name in (("1a", "Old Town"), ("2b", "Lakeside"), ("6c", "Suburbs")):
        assert f"side {CODE.split('-').index(code)}:  {code}  {name}" in written


def test_picture_has_a_letter_in_every_spot_and_one_in_each_lake_and_park(
    city_svg: ElementTree.Element, roomy: City
) -> None:
    letters = Counter(texts(city_svg))
    for kind in "RCE":
        assert len(ids(city_svg, f"spot-{kind}-")) == roomy.board_set.count(kind)
        assert letters[kind] == roomy.board_set.count(kind) + 1  # one more in the legend
    for kind in "LP":
        assert len(ids(city_svg, f"landscape-{kind}-")) == 1
        assert letters[kind] == 2


def test_picture_has_every_arrow_of_the_frame(city_svg: ElementTree.Element, roomy: City) -> None:
    assert len(ids(city_svg, "frame-")) == 6 * roomy.lattice.side
    for arrow in "SE":
        assert len(ids(city_svg, f"arrow-{arrow}-")) == roomy.board_set.frame_count(arrow)


@pytest.mark.parametrize("name", board_file.shipped_names())
def test_every_shipped_set_can_be_drawn(name: str) -> None:
    city = city_of(name)
    assert len(ids(svg_of(city), "spot-")) == sum(city.board_set.count(kind) for kind in "RCE")


@pytest.mark.parametrize("side", [MIN_SIDE, MAX_SIDE])
def test_smallest_and_largest_city_can_be_drawn_with_a_game(side: int) -> None:
    city = set_of_side(side).city(Layout.from_code(CODE))
    game = played(city, moves=30)
    svg = svg_of(city, game)
    assert len(ids(svg, "spot-")) == 6 * (2 * side - 1)
    assert len(ids(svg, "line-")) == sum(line.started for _, _, line in game.all_lines())


def test_position_shows_every_line_station_and_marker_once(game_svg: ElementTree.Element, finished: Game) -> None:
    lines = [line for _, _, line in finished.all_lines()]
    assert finished.stations
    assert finished.placed
    assert any(line.ended for line in lines)
    assert len(ids(game_svg, "line-")) == len(ids(game_svg, "start-")) == sum(line.started for line in lines)
    assert len(ids(game_svg, "end-")) == sum(line.ended for line in lines)
    assert sorted(ids(game_svg, "station-")) == sorted(f"station-{q}_{r}" for q, r in finished.stations)
    assert len(ids(game_svg, "marker-")) == len(finished.placed)
    named = [name for name in ids(game_svg, "") if name]
    assert len(set(named)) == len(named)


def test_marked_spot_keeps_its_letter_beside_the_marker(
    game_svg: ElementTree.Element, roomy: City, finished: Game
) -> None:
    letters = Counter(texts(game_svg))
    markers = Counter(marker.letter for marker in finished.placed)
    for kind in "CE":  # these letters are on markers too
        assert letters[kind] == roomy.board_set.count(kind) + 1 + markers[kind]
    assert letters["R"] == roomy.board_set.count("R") + 1


def test_legend_names_every_company_and_its_final_score(game_svg: ElementTree.Element, finished: Game) -> None:
    written = " ".join(texts(game_svg))
    assert result(finished).scores != finished.points
    for seat, points in enumerate(result(finished).scores):
        assert re.search(rf"\(seat {seat + 1}\): {points} points?", written)


def test_legend_names_the_player_who_has_two_companies(roomy: City) -> None:
    game = played(roomy, moves=1, rules="print+advanced")
    assert "Black (seat 3, player 1): 0 points" in texts(svg_of(roomy, game))


def test_tunnels_along_one_edge_run_on_either_side_of_it(roomy: City) -> None:  # G8
    u, w = (0, 0), (1, 0)
    cells = [cell for to, cell in roomy.lattice.ways_out[u] if to == w]
    heights = [whole_line(roomy, [u, w], [cell], ended=False).points[-1][1] for cell in cells]
    assert heights[0] == pytest.approx(-heights[1])
    assert heights[0] > 0.05


def test_ended_line_reaches_both_portals(roomy: City, finished: Game) -> None:
    for seat, number, line in finished.all_lines():
        if line.ended:
            cells = [cell for cell, owner in finished.tunnels.items() if owner == (seat, number)]
            points = whole_line(roomy, line.path, cells, ended=True).points
            assert tuple(points[0]) == pytest.approx(position(line.path[0]))
            assert tuple(points[-1]) == pytest.approx(position(line.path[-1]))


def test_lake_across_two_pieces_is_one_water_area() -> None:
    pieces = tuple((".", "LLL", ".....") for _ in range(6))
    ring = BoardSet("ring", 3, pieces, ("S.E",) * 6).city(Layout.from_code("1a-2a-3a-4a-5a-6a"))
    assert [len(cells) for cells in landscapes(ring)] == [18]


# --- files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_position_gives_the_same_bytes(suffix: str) -> None:
    city = set_of_side(MIN_SIDE).city(Layout.from_code(CODE))
    game = played(city, moves=20)
    assert len({draw.canvas(city, game).to_bytes(suffix) for _ in range(2)}) == 1


# --- the terminal ----------------------------------------------------------------------------------------


def drawing(city: City) -> list[str]:
    """The lines of the drawing, without what is written below it."""
    return draw_text.terminal(city).plain.split("\n\n")[0].split("\n")


@pytest.mark.parametrize("name", board_file.shipped_names())
def test_terminal_shows_one_letter_a_cell_and_one_arrow_a_portal(name: str) -> None:
    city = city_of(name)
    signs = Counter("".join(drawing(city)))
    for kind in KINDS:
        assert signs[kind] == city.board_set.count(kind)
    assert signs["·"] == city.board_set.count(".")
    assert sum(signs[arrow] for arrow in "△▽◁▷") == city.board_set.frame_count("S")
    assert sum(signs[arrow] for arrow in "▲▼◀▶") == city.board_set.frame_count("E")


@pytest.mark.parametrize("side", [MIN_SIDE, 6, MAX_SIDE])
def test_terminal_drawing_is_two_lines_a_row_of_cells(side: int) -> None:
    lines = drawing(set_of_side(side).city(Layout.from_code(CODE)))
    assert len(lines) == 2 * (2 * side) + 4  # frame and label above and below
    assert max(len(line) for line in lines) <= 2 * (4 * side + 6)


def test_terminal_names_set_layout_and_pieces(roomy: City) -> None:
    plain = draw_text.terminal(roomy).plain
    assert f"roomy  {CODE}" in plain
    for piece in CODE.split("-"):
        assert "\n".join(drawing(roomy)).count(piece) == 1


def test_terminal_prints_the_same_signs_with_and_without_colours(roomy: City) -> None:
    text = draw_text.terminal(roomy)
    coloured, bare = StringIO(), StringIO()
    Console(file=coloured, width=120, force_terminal=True, color_system="truecolor").print(text)
    Console(file=bare, width=120, no_color=True).print(text)
    assert "\x1b[" in coloured.getvalue()
    assert "\x1b[" not in bare.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured.getvalue()) == bare.getvalue()


def test_terminal_of_the_roomy_city_fits_into_80_columns(roomy: City) -> None:
    assert max(len(line) for line in draw_text.terminal(roomy).plain.split("\n")) <= 80


def test_narrow_terminal_keeps_the_lines_of_the_drawing(roomy: City) -> None:
    narrow = StringIO()
    Console(file=narrow, width=30).print(draw_text.terminal(roomy), no_wrap=True, overflow="crop")
    assert len(narrow.getvalue().splitlines()) == len(draw_text.terminal(roomy).plain.splitlines())
