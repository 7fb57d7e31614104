"""Board files: what is read from them, and on which line which mistake is reported."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mmsim.errors import UsageError
from mmsim.metromania.rules.board import BoardSet
from mmsim.metromania.rules.board_file import load, parse, read, validate
from tests.metromania.board_text import GOOD, HEAD, PIECE, with_line, with_lines


def problems(text: str) -> list[tuple[int, str]]:
    """Line and text of every error; no board set may come with them."""
    board_set, found = parse(text, "mine")
    assert board_set is None
    assert all(problem.is_error for problem in found)
    return [(problem.line, problem.text) for problem in found]


def only_problem(text: str) -> tuple[int, str]:
    (problem,) = problems(text)
    return problem


def good_board() -> BoardSet:
    board_set, found = parse(GOOD, "mine")
    assert board_set is not None
    assert found == []
    return board_set


# --- reading ----------------------------------------------------------------------------------------------


@pytest.mark.rule("G5", "G7")
def test_a_good_file_becomes_a_board_set() -> None:
    board_set = good_board()
    assert board_set.name == "tiny"
    assert board_set.title == "A tiny city"
    assert board_set.side == 4
    assert board_set.frame == ("SESE",) * 6
    assert board_set.pieces[0] == ("R", "...", "..R..", ".......")
    assert board_set.pieces[5] == ("E", "...", "..E..", ".......")
    assert board_set.piece_names == (
        "Quarter R1",
        "Quarter C2",
        "Quarter E3",
        "Quarter R4",
        "Quarter C5",
        "Quarter E6",
    )


def test_the_template_has_its_pieces_where_the_comment_says() -> None:
    heads = [i for i, line in enumerate(GOOD.splitlines(), 1) if line == "[[piece]]"]
    assert heads == [6, 15, 24, 33, 42, 51]


def test_names_are_optional() -> None:
    text = with_line(7, text=with_line(1, "", text=with_line(2, "")))
    board_set, found = parse(text, "mine")
    assert board_set is not None
    assert found == []
    assert (board_set.name, board_set.title) == ("mine", "")
    assert board_set.piece_names[:2] == ("Piece 1", "Quarter C2")


@pytest.mark.rule("G7")
def test_the_frame_may_differ_from_side_to_side() -> None:
    frame = '["SESE", "ESES", "SE..", "..SE", "S..E", "ES.."]'
    board_set, found = parse(with_line(4, f"frame = {frame}"), "mine")
    assert board_set is not None
    assert found == []
    assert board_set.frame == ("SESE", "ESES", "SE..", "..SE", "S..E", "ES..")


def test_blank_lines_and_indentation_in_a_drawing_do_not_count() -> None:
    board_set, found = parse(with_line(9, "", "          R", ""), "mine")
    assert board_set is not None
    assert found == []
    assert board_set.pieces == good_board().pieces


def test_load_takes_a_name_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(with_line(1, ""), encoding="utf-8")
    assert load(str(path)).name == "mine"
    assert load("roomy").name == "roomy"


# --- errors -----------------------------------------------------------------------------------------------

WRONG = {
    "malformed TOML": (with_line(3, "side = = 4"), 3, ["not valid TOML"]),
    "string never closed": (with_line(58), 58, ["not valid TOML"]),
    "unknown key": (
        with_line(2, 'titel = "T"'),
        2,
        ["unknown key 'titel'", "did you mean 'title'?", "name, title, side, frame, piece"],
    ),
    "unknown key, nothing near": (with_line(2, "xyz = 1"), 2, ["unknown key 'xyz' (known: name, title"]),
    "name is no text": (with_line(1, "name = 7"), 1, ["name must be text in quotes"]),
    "title is no text": (with_line(2, "title = 7"), 2, ["title must be text in quotes"]),
    "side missing": (with_line(3, ""), 1, ["the side is missing", "side = 6", "3 to 12"]),
    "side too small": (with_line(3, "side = 2"), 3, ["side is 2", "whole number 3 to 12"]),
    "side too large": (with_line(3, "side = 13"), 3, ["side is 13", "whole number 3 to 12"]),
    "side a fraction": (with_line(3, "side = 4.0"), 3, ["side is 4.0", "whole number 3 to 12"]),
    "side a word": (with_line(3, 'side = "4"'), 3, ["side is '4'", "whole number 3 to 12"]),
    "side a switch": (with_line(3, "side = true"), 3, ["side is True", "whole number 3 to 12"]),
    "frame missing": (with_line(4, ""), 1, ["the frame is missing", 'frame = "S.ES"', "six such strings"]),
    "frame too short": (with_line(4, 'frame = "SES"'), 4, ["the frame has 3 cells but needs 4; add 1"]),
    "frame too long": (with_line(4, 'frame = "SESE.."'), 4, ["has 6 cells but needs 4; remove 2"]),
    "bad frame letter": (
        with_line(4, 'frame = "SEXE"'),
        4,
        ["the frame has 'X'; use S (start), E (end) or . (nothing)"],
    ),
    "small frame letter": (with_line(4, 'frame = "SEsE"'), 4, ["has 's'; did you mean 'S'? use S (start)"]),
    "frame a number": (with_line(4, "frame = 3"), 4, ["one string for all sides or a list of six"]),
    "frame list of numbers": (with_line(4, "frame = [1, 2, 3, 4, 5, 6]"), 4, ["or a list of six"]),
    "no start": (with_line(4, 'frame = ".E.E"'), 4, ["no line could ever start", "at least one S"]),
    "no end": (with_line(4, 'frame = "S.S."'), 4, ["no line could ever end", "at least one E"]),
    "row too short": (with_line(20, "..C."), 20, ["piece 2, row 2 ('..C.') has 4 cells but needs 5; add 1"]),
    "row too long": (with_line(10, "......"), 10, ["piece 1, row 1", "6 cells but needs 3; remove 3"]),
    "last row too long": (with_line(57, "." * 9), 57, ["piece 6, row 3", "9 cells but needs 7; remove 2"]),
    "too few rows": (with_line(12), 8, ["piece 1 has 3 rows but needs 4; add 1"]),
    "too many rows": (with_line(21, ".......", "..."), 17, ["piece 2 has 5 rows but needs 4; remove 1"]),
    "unknown cell": (
        with_line(29, "..X.."),
        29,
        ["piece 3, row 2 has an unknown cell 'X'; (known: . blank, R residential", "L lake, P park"],
    ),
    "small cell letter": (with_line(11, "..r.."), 11, ["unknown cell 'r'; did you mean 'R'? (known:"]),
    "tab in a row": (with_line(11, "..\t.."), 11, ["piece 1, row 2 has an unknown cell '\t'"]),
    "unknown key of a piece": (
        with_line(16, 'nam = "x"'),
        16,
        ["piece 2 has an unknown key 'nam'; did you mean 'name'? (known: name, cells)"],
    ),
    "piece name is no text": (with_line(25, "name = 3"), 25, ["the name of piece 3 must be text in quotes"]),
    "piece without cells": (
        with_lines(8, 13),
        6,
        ["piece 1 is not drawn; add cells = ''' ... ''' with rows of 1, 3, 5"],
    ),
    "cells a number": (with_lines(17, 22, "cells = 3"), 15, ["piece 2 is not drawn"]),
    "seven pieces": (
        GOOD + PIECE.format(kind="R", number=7),
        60,
        ["there are 7 pieces, not six; remove 1"],
    ),
    "five pieces": (GOOD[: GOOD.rindex("[[piece]]")], 42, ["there are 5 pieces, not six; add 1"]),
    "all lake and park": (
        re.sub(r"^ *[.RCE]+$", lambda row: "L" * len(row[0].strip()), GOOD, flags=re.M).replace("L\n", "P\n", 1),
        6,
        ["no tunnel could ever be dug: every cell is lake or park; draw some other cells"],
    ),
    "pieces not tables": (HEAD + "piece = 3\n", 5, ["a table of its own, headed [[piece]]"]),
}


@pytest.mark.parametrize(("text", "line", "words"), WRONG.values(), ids=WRONG.keys())
def test_mistake_is_reported_on_its_line_with_what_to_do(text: str, line: int, words: list[str]) -> None:
    where, what = only_problem(text)
    assert where == line
    for word in words:
        assert word in what


@pytest.mark.parametrize("sides", [0, 1, 5, 7])
def test_a_list_of_sides_that_is_not_six_is_refused(sides: int) -> None:
    line, what = only_problem(with_line(4, f"frame = {['SESE'] * sides}"))
    assert line == 4
    assert what == "the frame must be one string for all sides or a list of six"


def test_a_file_without_pieces_is_told_to_add_six() -> None:
    line, what = only_problem(HEAD)
    assert 1 <= line <= 4
    assert what == "there are 0 pieces, not six; add 6"


def test_a_single_bracketed_piece_is_reported_on_its_line() -> None:
    line, what = only_problem(with_line(6, "[piece]", text=GOOD[: GOOD.index("[[piece]]", 60)]))
    assert line == 6
    assert "headed [[piece]]" in what


@pytest.mark.rule("G7")
def test_a_mistake_in_one_side_of_the_frame_is_reported_where_that_side_stands() -> None:
    sides = ['"SESE",', '"ESES", "SE..",', '"..SE",', '"S..",', '"ESx.",']
    found = problems(with_line(4, "frame = [", *sides, "]"))
    assert [line for line, _ in found] == [8, 9]
    assert found[0][1] == "side 4 of the frame has 3 cells but needs 4; add 1"
    assert found[1][1].startswith("side 5 of the frame has 'x'; use S (start)")


def test_all_mistakes_are_reported_in_the_order_of_the_file() -> None:
    text = with_line(57, "...", text=with_line(29, "..e..", text=with_line(20, "..C.", text=with_line(2, "x = 1"))))
    text = with_line(4, 'frame = "S.S"', text=text)
    found = problems(text)
    assert [line for line, _ in found] == [2, 4, 4, 20, 29, 57]
    assert [what.split(";")[0] for _, what in found] == [
        "unknown key 'x' (known: name, title, side, frame, piece)",
        "the frame has 3 cells but needs 4",
        "no line could ever end: put at least one E on the frame",
        "piece 2, row 2 ('..C.') has 4 cells but needs 5",
        "piece 3, row 2 has an unknown cell 'e'",
        "piece 6, row 3 ('...') has 3 cells but needs 7",
    ]


def test_the_order_of_the_file_is_kept_when_its_keys_stand_in_an_unusual_order() -> None:
    head = ['frame = "SE"', "side = 4", "title = 3", "nam = 1"]
    assert [line for line, _ in problems(with_lines(1, 4, *head))] == [1, 3, 4]


def test_a_drawing_that_begins_behind_the_quotes_is_counted_right() -> None:
    text = with_lines(8, 9, "cells = '''.", text=with_line(11, "..RR"))
    assert only_problem(text)[0] == 10


def test_rows_are_checked_even_when_the_side_is_unknown() -> None:
    found = problems(with_line(3, "", text=with_line(11, "..R.")))
    assert [line for line, _ in found] == [1, 11]


def test_load_names_file_line_mistake_and_how_many_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(with_line(20, "..C."), encoding="utf-8")
    with pytest.raises(UsageError) as refusal:
        load(str(path))
    assert str(refusal.value) == f"{path}:20: piece 2, row 2 ('..C.') has 4 cells but needs 5; add 1"
    path.write_text(with_line(20, "..C.", text=with_line(2, "x = 1", text=with_line(3, "side = 99"))), "utf-8")
    with pytest.raises(UsageError) as refusal:
        load(str(path))
    assert str(refusal.value).startswith(f"{path}:2: unknown key 'x'")
    assert str(refusal.value).endswith(f"(2 more: mmsim boards check {path})")


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(GOOD.replace("A tiny city", "Citt\u00e0").encode("latin-1"))
    with pytest.raises(UsageError) as refusal:
        read(path)
    assert str(refusal.value) == f"cannot read board file {path}: it is not UTF-8 text"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.toml"
    with pytest.raises(UsageError) as refusal:
        load(str(path))
    assert str(refusal.value) == f"cannot read board file {path}: No such file or directory"


def test_an_unknown_set_is_answered_with_the_nearest_and_how_to_name_a_file() -> None:
    with pytest.raises(UsageError) as refusal:
        load("bx")
    assert str(refusal.value) == (
        "unknown board set 'bx'; did you mean 'box'? (known: box, compact, grand, open, roomy);"
        " random:SEED draws one, and a path ending in .toml is a file of your own"
    )


# --- board sets that come from elsewhere ------------------------------------------------------------------


def test_validate_passes_what_a_file_could_hold() -> None:
    validate(good_board())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"side": 2}, "side is 2"),
        ({"side": 5}, "has 4 cells but needs 5"),
        ({"frame": ("SESE",) * 5}, "a list of six"),
        ({"frame": ("SESE",)}, "a list of six"),
        ({"frame": ("SE??",) * 6}, "has '?'"),
        ({"pieces": ((".", "...", ".....", "......."),) * 5}, "there are 5 pieces"),
        ({"pieces": ()}, "there are 0 pieces"),
        ({"pieces": ((".", "...", "..Q..", "......."),) * 6}, "unknown cell 'Q'"),
    ],
)
def test_validate_refuses_with_the_first_mistake(change: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refusal:
        validate(replace(good_board(), **change))
    assert words in str(refusal.value)
