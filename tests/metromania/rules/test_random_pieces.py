"""Rule G10: random pieces agree with what is known of the box."""

from collections import Counter
from itertools import combinations

import pytest

from mmsim.errors import UsageError
from mmsim.metromania.rules.board import SPOTS, BoardSet
from mmsim.metromania.rules.board_file import check, load, parse, to_toml
from mmsim.metromania.rules.lattice import Cell
from mmsim.metromania.rules.random_pieces import draw_pieces

SEEDS = range(60)


def pieces_of(board_set: BoardSet) -> list[dict[Cell, str]]:
    """Every piece lying unturned in sector 0."""
    cells = board_set.lattice.districts[0]
    return [dict(zip(cells, "".join(rows), strict=True)) for rows in board_set.pieces]


@pytest.mark.rule("G10")
def test_random_pieces_agree_with_what_is_known_of_the_box() -> None:
    for seed in SEEDS:
        drawn = load(f"random:{seed}")
        pieces = [Counter(piece.values()) for piece in pieces_of(drawn)]
        assert [piece.total() for piece in pieces] == [25] * 6
        assert [drawn.count(kind) for kind in SPOTS] == [6, 6, 6]
        assert {sum(piece[kind] for kind in SPOTS) for piece in pieces} <= {2, 3, 4}
        for kind in "LP":
            assert next(piece[kind] for piece in pieces if piece[kind]) in range(3, 9)
            assert sum(piece[kind] > 0 for piece in pieces) == 1
        assert len({*drawn.frame}) == 1
        assert drawn.frame[0].count("S") in (2, 3)
        assert drawn.frame[0].count("E") in (2, 3)


@pytest.mark.rule("G10")
def test_on_a_random_piece_no_two_spots_share_a_side_and_two_of_a_kind_not_even_a_corner() -> None:
    for seed in SEEDS:
        drawn = load(f"random:{seed}")
        corners = drawn.lattice.corners
        for piece in pieces_of(drawn):
            spots = [cell for cell, kind in piece.items() if kind in SPOTS]
            for one, other in combinations(spots, 2):
                shared = len({*corners[one]} & {*corners[other]})
                assert shared < (1 if piece[one] == piece[other] else 2)


@pytest.mark.rule("G10")
def test_a_random_lake_and_park_are_one_stretch_each() -> None:
    for seed in SEEDS:
        drawn = load(f"random:{seed}")
        corners = drawn.lattice.corners
        for kind in "LP":
            cells = [cell for piece in pieces_of(drawn) for cell, now in piece.items() if now == kind]
            joined = {cells[0]}
            for _ in cells:
                joined |= {cell for cell in cells if any(len({*corners[cell]} & {*corners[j]}) == 2 for j in joined)}
            assert joined == {*cells}


def test_boards_check_has_nothing_to_say_about_random_pieces() -> None:
    for seed in SEEDS:
        board_set, problems = check(f"random:{seed}")
        assert board_set == load(f"random:{seed}")
        assert problems == []


def test_a_seed_draws_the_same_pieces_everywhere_and_another_seed_others() -> None:
    first = load("random:1")
    assert (first.name, first.frame[0]) == ("random:1", "SSE.E")
    assert first.pieces[1] == (".", "..E", "C....", "...LLC.", "...E.L...")
    assert len({load(f"random:{seed}").pieces for seed in SEEDS}) == len(SEEDS)


def test_every_pattern_of_arrows_turns_up() -> None:
    patterns = {load(f"random:{seed}").frame[0] for seed in range(400)}
    assert len(patterns) == 50  # 30 with two of each, 10 with three starts, 10 with three ends


@pytest.mark.parametrize("name", ["compact", "grand", "open", "roomy"])
def test_pieces_can_be_drawn_with_the_numbers_of_another_set(name: str) -> None:
    like = load(name)
    drawn = draw_pieces(like, 5, "mine")
    assert (drawn.name, drawn.side) == ("mine", like.side)
    assert [drawn.count(kind) for kind in SPOTS] == [like.count(kind) for kind in SPOTS]
    assert [drawn.count(kind) > 0 for kind in "LP"] == [like.count(kind) > 0 for kind in "LP"]


def test_a_set_too_crowded_to_draw_pieces_like_it_is_refused() -> None:
    crowded = BoardSet("crowded", 3, (("R", "RRR", "CCEEE"),) * 6, ("S.E",) * 6)
    with pytest.raises(UsageError, match="it has too many spots for its size"):
        draw_pieces(crowded, 1, "mine")


@pytest.mark.parametrize("name", ["random:", "random:x", "random:-1", "random:1.5", f"random:{2**64}", "random:²"])
def test_a_name_that_is_no_seed_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="write random:SEED with a whole number below 2\\^64"):
        load(name)


@pytest.mark.parametrize("name", ["box", "open", "random:3"])
def test_a_set_written_as_a_file_reads_back(name: str) -> None:
    board_set, problems = parse(to_toml(load(name)), "")
    assert board_set == load(name)
    assert problems == []
