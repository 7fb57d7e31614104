"""Rules X1-X7: tiles, cells, stops and wagons."""

from collections import Counter

import pytest

from mmsim.metro.rules.board import (
    CELLS,
    CENTRE,
    CENTRE_STOPS,
    COMPANY_WAGONS,
    DEPARTURE,
    EDGE_CELLS,
    NEIGHBOURS,
    STATIONS,
    STOP_AT,
    WAGONS,
    beyond,
    opposite,
    outer_sides,
    wagon_table,
)
from mmsim.metro.rules.rulesets import ruleset
from mmsim.metro.rules.tiles import CODES, COUNTS, SIDES, TILES, exit_side, turned, ways_to_lie


@pytest.mark.rule("X1")
def test_the_board_has_sixty_cells_around_four_of_the_centre() -> None:
    assert len(CELLS) == len(set(CELLS)) == 60
    assert not set(CELLS) & {(3, 3), (3, 4), (4, 3), (4, 4)}
    assert set(CELLS) | set(CENTRE) == {(row, column) for row in range(8) for column in range(8)}
    assert len(EDGE_CELLS) == 28


@pytest.mark.rule("X1")
def test_cells_beside_the_centre_have_it_for_no_neighbour() -> None:
    assert set(NEIGHBOURS[2, 3]) == {(1, 3), (2, 2), (2, 4)}
    assert set(NEIGHBOURS[0, 0]) == {(0, 1), (1, 0)}


@pytest.mark.rule("X2")
def test_a_side_leads_to_the_opposite_side_of_the_next_cell() -> None:
    for cell in CELLS:
        for side in SIDES:
            assert beyond(beyond(cell, side), opposite(side)) == cell
    assert beyond((5, 5), 0) == (4, 5)
    assert beyond((5, 5), 1) == (5, 6)


@pytest.mark.rule("X3")
@pytest.mark.parametrize(
    ("letter", "out"), [("a", [2, 3, 0, 1]), ("b", [1, 2, 3, 0]), ("c", [3, 0, 1, 2]), ("d", [0, 1, 2, 3])]
)
def test_letters_say_by_which_side_a_track_leaves(letter: str, out: list[int]) -> None:
    assert [exit_side(letter * 4, side) for side in SIDES] == out


@pytest.mark.rule("X4")
def test_there_are_sixty_tiles_and_one_of_every_possible_kind() -> None:
    assert len(TILES) == 60
    assert sorted(COUNTS.values()) == [2] * 17 + [3] * 2 + [4] * 5
    ways = {tuple(exit_side(code, side) for side in SIDES) for code in CODES}
    assert len(ways) == 24
    assert all(sorted(way) == [0, 1, 2, 3] for way in ways)


@pytest.mark.rule("X4", "X13")
@pytest.mark.parametrize("turns", SIDES)
def test_the_tiles_are_the_same_after_a_quarter_turn(turns: int) -> None:
    assert Counter(turned(tile, turns) for tile in TILES) == Counter(TILES)


@pytest.mark.rule("X13")
def test_a_quarter_turn_takes_every_track_one_side_on() -> None:
    for code in CODES:
        for turns in SIDES:
            for side in SIDES:
                there = exit_side(turned(code, turns), (side + turns) % 4)
                assert there == (exit_side(code, side) + turns) % 4


@pytest.mark.rule("X13")
def test_turns_that_change_nothing_are_not_offered() -> None:
    assert ways_to_lie("aaaa", "free") == (0,)
    assert ways_to_lie("bcbc", "free") == (0, 1)
    assert ways_to_lie("aacb", "free") == (0, 1, 2, 3)
    assert ways_to_lie("aacb", "fixed") == (0,)


@pytest.mark.rule("X5")
def test_stations_run_anticlockwise_from_the_top_right_corner() -> None:
    corners = {1: (0, 7), 8: (0, 0), 9: (0, 0), 16: (7, 0), 17: (7, 0), 24: (7, 7), 25: (7, 7), 32: (0, 7)}
    assert {stop: DEPARTURE[stop][0] for stop in corners} == corners
    assert [DEPARTURE[stop][1] for stop in (1, 9, 17, 25)] == [0, 3, 2, 1]
    assert len(STOP_AT) == 40
    for stop in range(1, STATIONS + 1):
        cell, side = DEPARTURE[stop]
        assert beyond(cell, side) not in CELLS
        assert side in outer_sides(cell)


@pytest.mark.rule("X6")
def test_the_centre_has_eight_edges() -> None:
    cells = [DEPARTURE[stop][0] for stop in CENTRE_STOPS]
    assert cells == [(2, 3), (2, 4), (5, 3), (5, 4), (3, 2), (4, 2), (3, 5), (4, 5)]
    assert all(beyond(*DEPARTURE[stop]) in CENTRE for stop in CENTRE_STOPS)


@pytest.mark.rule("X7")
@pytest.mark.parametrize(
    ("players", "each", "nobody"), [(2, 16, ()), (3, 10, (16, 17)), (4, 8, ()), (5, 6, (16, 17)), (6, 5, (16, 17))]
)
def test_wagons_are_shared_out_evenly(players: int, each: int, nobody: tuple[int, ...]) -> None:
    wagons = [stop for stops in WAGONS[players] for stop in stops]
    assert [len(stops) for stops in WAGONS[players]] == [each] * players
    assert len(set(wagons)) == len(wagons)
    assert set(range(1, 33)) - set(wagons) == set(nobody)


@pytest.mark.rule("X7")
def test_the_misprint_for_three_players_is_corrected() -> None:
    assert 28 in WAGONS[3][0]
    assert sum(12 in stops for stops in WAGONS[3]) == 1


@pytest.mark.rule("X15")
def test_every_company_has_a_wagon_on_every_side() -> None:
    assert sorted(stop for stops in COMPANY_WAGONS for stop in stops) == list(range(1, 33))
    for stops in COMPANY_WAGONS:
        assert sorted((stop - 1) // 8 for stop in stops) == [0, 1, 2, 3]


@pytest.mark.rule("X20")
def test_wagons_are_moved_on_by_columns_of_the_table() -> None:
    table = WAGONS[5]
    assert wagon_table(ruleset("metro", 5)) == table
    assert wagon_table(ruleset("metro,wagon_shift=2", 5)) == (*table[2:], *table[:2])
    assert wagon_table(ruleset("metro,wagon_shift=5", 5)) == table
    assert wagon_table(ruleset("metro+companies,wagon_shift=2", 5)) == COMPANY_WAGONS
