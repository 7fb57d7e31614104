"""Board files: what they are warned of, because a game on such a board would be a poor one."""

import re

import pytest

from mmsim.metromania.rules.board_file import Problem, parse
from tests.metromania.board_text import GOOD, with_line, with_lines


def warnings(text: str) -> list[Problem]:
    board_set, found = parse(text, "mine")
    assert board_set is not None
    assert not any(problem.is_error for problem in found)
    return found


# All of piece 2 is lake but for its corners and the one cell that touches no side of the piece.
MOAT = ["   C", "  LLL", " LL{}LL", ".LLLLL."]


def moated(cell: str) -> str:
    """Piece 2 with a moat around a cell, piece 3 with a park."""
    lines = [row.format(cell) for row in MOAT]
    return with_lines(18, 21, *lines, text=with_line(30, "...P..."))


def test_a_spot_no_line_can_reach_is_warned_of() -> None:
    (found,) = warnings(moated("C"))
    assert found.line == 20
    assert found.text == ("piece 2, row 2, cell 3: no line can reach this commercial spot (lake and park enclose it)")


def test_a_dead_cell_is_warned_of() -> None:
    text = with_line(29, "..R..", text=with_line(11, "..E..", text=moated(".")))
    found = [problem for problem in warnings(text) if "piece 2" in problem.text]
    assert [(problem.line, problem.text) for problem in found] == [
        (20, "piece 2, row 2, cell 3 is a dead cell: no line can reach it (lake and park enclose it)")
    ]


def test_one_gap_in_the_moat_is_enough() -> None:
    assert warnings(with_line(19, "  L.L", text=moated("C"))) == []


SPOTLESS = re.sub("[RCE](?=\\.*$)", ".", GOOD, flags=re.M)


@pytest.mark.rule("S1")
def test_a_board_without_a_spot_is_warned_of() -> None:
    (found,) = warnings(SPOTLESS)
    assert found.line == 6
    assert found.text == "there is no spot, so no marker can be placed and the trips A to F are always impossible"


@pytest.mark.rule("S1")
def test_a_kind_with_fewer_spots_than_markers_is_warned_of() -> None:
    text = with_line(9, ".", text=with_line(18, ".", text=with_line(27, "C")))
    few, unequal = warnings(text)
    assert (few.line, few.text) == (
        6,
        "too few spots for the four markers of each kind: only 3 residential, 3 entertainment",
    )
    assert unequal.text.startswith("the kinds of spots differ in number: 3 residential, 4 commercial")


def test_kinds_that_are_not_equally_many_are_warned_of() -> None:
    (found,) = warnings(with_line(12, "..C...."))
    assert found.line == 6
    assert found.text == ("the kinds of spots differ in number: 4 residential, 5 commercial, 4 entertainment")


@pytest.mark.parametrize(("cell", "missing"), [("L", "park"), ("P", "lake")])
def test_lake_without_park_or_park_without_lake_is_warned_of(cell: str, missing: str) -> None:
    (found,) = warnings(with_line(12, f"...{cell}..."))
    assert found.line == 6
    assert found.text == f"there is no {missing}, so the park-lake trip is always impossible"


def test_lake_with_park_is_not_warned_of() -> None:
    assert warnings(with_line(12, "..L.P..")) == []


@pytest.mark.parametrize(
    ("frame", "texts"),
    [
        ("SE.E", ["only 6 start arrows for the eight lines of four companies"]),
        ("SES.", ["only 6 end arrows for the eight lines of four companies"]),
        ("S..E", ["only 6 start arrows", "only 6 end arrows"]),
    ],
)
def test_too_few_arrows_for_eight_lines_are_warned_of(frame: str, texts: list[str]) -> None:
    found = warnings(with_line(4, f'frame = "{frame}"'))
    assert [problem.line for problem in found] == [4] * len(texts)
    assert all(problem.text.startswith(text) for problem, text in zip(found, texts, strict=True))


def test_seven_arrows_are_one_too_few() -> None:
    (found,) = warnings(with_line(4, 'frame = ["SESE", "SESE", "SESE", ".ESE", "....", "...."]'))
    assert found.text == "only 7 start arrows for the eight lines of four companies"


def test_eight_arrows_of_each_are_enough() -> None:
    assert warnings(with_line(4, 'frame = ["SESE", "SESE", "SESE", "SESE", "....", "...."]')) == []


def test_warnings_come_in_the_order_of_the_file() -> None:
    text = with_line(4, 'frame = "S..E"', text=with_line(30, ".......", text=moated("E")))
    assert [problem.line for problem in warnings(text)] == [4, 4, 6, 6, 6, 20]
