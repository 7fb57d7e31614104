"""Rules G8, G9 and D1-D5: where a line may run and end."""

import pytest

from mmsim.metromania.rules.lattice import Vertex, is_frame, lattice, step
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import IllegalMove, apply, legal_moves
from tests.metromania.positions import (
    BLUE,
    ORANGE,
    RED,
    around,
    choices,
    dig,
    kinds_of_moves,
    lay,
    make_city,
    new_game,
    play,
    position,
    put_stations,
    reachable,
    to_play,
    with_knobs,
)

PLAIN = make_city(3)
MIXED = make_city(3, frame="S.E")  # a start and an end on every side


def going_west(game: Game) -> Game:
    """Orange to dig on from (1, 1), having come west along row 1."""
    lay(game, ORANGE, (0, 0), (1, 1))
    return game


def neighbours(vertex: Vertex) -> set[Vertex]:
    return {step(vertex, direction) for direction in range(6)}


# --- tunnels and lines ---------------------------------------------------------------------------------------


@pytest.mark.rule("G8")
def test_an_edge_has_room_for_two_lines_one_in_each_cell() -> None:
    game = position(PLAIN)
    north, south = (-1, 1, "U"), (-1, 0, "D")  # the cells on both sides of the edge (0, 1) - (-1, 1)
    lay(game, ORANGE, (0, 0), (-2, 1), via=[north])
    lay(game, BLUE, (1, 0), (0, 3), (0, 1))
    lay(game, RED, (5, 2), (1, -1), (0, 0), (0, 1), via=[(0, 0, "U")])
    put_stations(game, (0, 1))
    assert (-1, 1) in reachable(to_play(game, RED))
    to_play(game, BLUE)
    assert [move.cell for move in choices(game, "dig", to=(-1, 1))] == [south]
    play(game, "dig", to=(-1, 1))
    assert (-1, 1) not in reachable(to_play(game, RED))


@pytest.mark.rule("G8", "D1")
def test_a_tunnel_takes_its_cell_for_all_three_edges() -> None:
    game = going_west(position(PLAIN))
    assert {m.cell for m in choices(game, "dig", to=(0, 1))} == {(0, 1, "U"), (0, 0, "D")}
    game.tunnels[(0, 1, "U")] = (BLUE, 0)  # along (0, 1) - (0, 2), an edge Orange does not touch
    assert {m.cell for m in choices(game, "dig", to=(0, 1))} == {(0, 0, "D")}
    assert {m.cell for m in choices(game, "dig", to=(0, 2))} == {(0, 1, "D")}


@pytest.mark.rule("G8", "B1")
def test_a_start_leads_from_the_portal_to_one_of_the_two_base_vertices() -> None:
    game = new_game(PLAIN)
    starts = choices(game, "start", cell=("F", 1, 0))
    assert {move.to for move in starts} == {(0, 3), (-1, 3)}
    play(game, "start", cell=("F", 1, 0), to=(-1, 3))
    assert game.lines[ORANGE][0].path == [(-1, 4), (-1, 3)]


@pytest.mark.rule("G8", "D4")
def test_no_tunnel_runs_along_the_base_of_a_frame_cell() -> None:
    game = position(make_city(3, frame="SSS EEE ... ... ... ..."))
    lay(game, ORANGE, (0, 2), (0, 3))
    along_the_border = [move for move in legal_moves(game) if move.to == (-1, 3)]
    assert [(move.kind, move.cell) for move in along_the_border] == [("dig", (-1, 2, "D"))]
    assert [move.to for move in choices(game, "end")] == [(-1, 4)]


@pytest.mark.rule("G9")
def test_a_line_is_the_path_of_its_tunnels_from_the_portal() -> None:
    game = new_game(PLAIN)
    play(game, "start", cell=("F", 0, 0), to=(2, 1))
    dig(game, (1, 1), (0, 2))
    line = game.lines[ORANGE][0]
    assert line.path == [(3, 1), (2, 1), (1, 1), (0, 2)]
    assert line.terminus == (0, 2)
    assert line.tunnels == 3
    assert set(game.tunnels.values()) == {(ORANGE, 0)}
    assert len(game.tunnels) == 3


@pytest.mark.rule("G9")
def test_a_line_is_dug_on_from_its_terminus_and_never_branches() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-1, 1))
    put_stations(game, (1, 1))  # a sharp turn would be open here, but the line has gone on
    assert reachable(game) <= neighbours((-1, 1))
    assert all((-1, 1) in lattice(3).corners[move.cell] for move in choices(game, "dig") if move.cell)


# --- D1: cells -----------------------------------------------------------------------------------------------


@pytest.mark.rule("D1")
@pytest.mark.parametrize("kind", ["L", "P"])
def test_no_tunnel_in_lake_or_park(kind: str) -> None:
    game = going_west(position(make_city(3, {(0, 1, "U"): kind})))
    assert {m.cell for m in choices(game, "dig")} == {(0, 1, "D"), (0, 0, "D"), (1, 0, "U")}


@pytest.mark.rule("D1")
def test_a_line_may_run_along_the_shore_of_a_lake() -> None:
    game = going_west(position(make_city(3, {(0, 1, "U"): "L"})))
    assert (0, 1) in reachable(game)
    assert (0, 2) in reachable(game)


@pytest.mark.rule("D1", "S6")
def test_a_line_has_eighteen_tunnels() -> None:
    game = position(make_city(5))
    lay(game, ORANGE, (0, 1), (-2, 2), (-2, 0), (3, 0), (3, -3))  # sharp turns at (-2, 0) and (3, 0)
    line = game.lines[ORANGE][0]
    assert line.tunnels == 16
    put_stations(game, (-2, 0), (3, 0))
    dig(game, (3, -4), (3, -5))
    assert line.tunnels == game.rules.tunnels_per_line == 18
    assert reachable(game) == set()


@pytest.mark.rule("D1")
def test_fewer_tunnels_a_line_when_the_ruleset_says_so() -> None:
    game = going_west(position(PLAIN, tunnels_per_line=3))
    dig(game, (0, 1))
    assert reachable(game) == set()


# --- D2, D3: angles and loops --------------------------------------------------------------------------------


@pytest.mark.rule("D2")
def test_a_line_goes_straight_on_or_bends_by_one_direction() -> None:
    game = going_west(position(PLAIN))
    assert reachable(game) == {(0, 1), (0, 2), (1, 0)}


@pytest.mark.rule("D2")
def test_the_first_tunnel_gives_the_direction_of_the_second() -> None:
    game = new_game(PLAIN)
    play(game, "start", cell=("F", 1, 0), to=(0, 3))  # direction 5
    assert reachable(game) == {(1, 2), (0, 2)}  # 5 and 4; direction 0 leaves the city
    game = new_game(PLAIN)
    play(game, "start", cell=("F", 1, 0), to=(-1, 3))  # direction 4
    assert reachable(game) == {(0, 2), (-1, 2), (-2, 3)}  # 5, 4 and 3


@pytest.mark.rule("D2")
def test_line_may_turn_sharply_at_a_station() -> None:
    game = going_west(position(PLAIN))
    put_stations(game, (1, 1))
    assert reachable(game) == neighbours((1, 1)) - {(2, 1)}


@pytest.mark.rule("D2")
def test_a_station_elsewhere_on_the_line_opens_no_sharp_turn() -> None:
    game = going_west(position(PLAIN))
    put_stations(game, (2, 1))
    assert reachable(game) == {(0, 1), (0, 2), (1, 0)}


@pytest.mark.rule("D2")
def test_a_station_made_by_this_very_tunnel_opens_the_next_turn() -> None:
    game = going_west(position(PLAIN))
    lay(game, BLUE, (1, 0), (0, 3), (0, -3), via=[(-1, 1, "D"), (-1, 0, "D")])  # column 0
    (met,) = dig(game, (0, 1))
    assert met.stations == ((0, 1),)
    assert reachable(game) == neighbours((0, 1)) - {(1, 1)}


@pytest.mark.rule("D3")
def test_a_line_makes_no_loop() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))
    assert reachable(game) == {(2, 0)}  # neither (1, 1) nor (0, 1), where it has been


@pytest.mark.rule("D3")
def test_a_line_does_not_double_back_even_at_a_station() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))
    put_stations(game, (0, -1), (0, 1))
    assert reachable(game) == neighbours((0, -1)) - {(-1, 0)}


# --- D4: ending a line ---------------------------------------------------------------------------------------


@pytest.mark.rule("D4")
def test_a_line_ends_at_the_portal_of_a_free_end() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-3, 1))
    play(game, "end", cell=("F", 2, 2))
    line = game.lines[ORANGE][0]
    assert line.ended
    assert line.end_side == 2
    assert line.terminus == (-4, 1)
    assert game.tunnels[("F", 2, 2)] == (ORANGE, 0)


@pytest.mark.rule("D4")
def test_an_ended_line_is_not_dug_on() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-4, 1))
    assert kinds_of_moves(game) == {"start"}


@pytest.mark.rule("D4")
def test_a_taken_end_is_closed() -> None:
    game = position(PLAIN)
    lay(game, ORANGE, (0, 0), (-3, 1))
    game.tunnels[("F", 2, 2)] = (BLUE, 0)
    assert {move.cell for move in choices(game, "end")} == {("F", 2, 1)}


@pytest.mark.rule("D4")
@pytest.mark.parametrize("arrow", ["S", "."])
def test_a_line_never_digs_into_a_frame_cell_that_is_no_end(arrow: str) -> None:
    sides = ["SSS", "SSS", arrow * 3, "EEE", "EEE", "SSS"]
    game = position(make_city(3, frame=" ".join(sides)))
    lay(game, ORANGE, (0, 0), (-3, 1))
    assert reachable(game) == {(-3, 0)}
    assert not any(is_frame(move.cell) for move in choices(game, "dig") if move.cell)


@pytest.mark.rule("D4")
@pytest.mark.parametrize(("end_side", "may_end"), [(0, False), (1, False), (2, True), (5, False)])
def test_a_line_does_not_end_on_its_start_side_or_next_to_it(end_side: int, may_end: bool) -> None:
    """From side 0 to a border vertex of another side whose cells are all ends."""
    frame = ["SEE", "EEE", "EEE", "EEE", "EEE", "EEE"]
    game = position(make_city(3, frame=" ".join(frame)))
    waypoints: dict[int, tuple[Vertex, ...]] = {
        0: ((2, 1), (1, 2)),
        1: ((1, 1), (-1, 3)),
        2: ((-3, 1),),
        5: ((2, 1), (2, 0), (3, -1)),
    }
    lay(game, ORANGE, (0, 0), *waypoints[end_side])
    put_stations(game, game.lines[ORANGE][0].terminus)  # no angle is in the way
    assert bool(choices(game, "end")) is may_end


def far_ends_full(overflow: bool, free_far_end: bool = False) -> Game:
    """Orange, from side 0, stands at an end of side 1; the ends of sides 2, 3 and 4 are taken (or one is left)."""
    game = position(MIXED, end_overflow=overflow)
    lay(game, ORANGE, (0, 0), (1, 1), (-1, 3), (-2, 3))
    for side in (2, 3) if free_far_end else (2, 3, 4):
        game.tunnels[("F", side, 2)] = (BLUE, 0)
    return game


@pytest.mark.rule("D4")
def test_with_the_far_ends_taken_a_line_may_end_anywhere() -> None:
    game = far_ends_full(overflow=True)
    play(game, "end", cell=("F", 1, 2))
    assert game.lines[ORANGE][0].end_side == 1


@pytest.mark.rule("D4")
def test_one_free_far_end_keeps_the_near_ones_closed() -> None:
    assert choices(far_ends_full(overflow=True, free_far_end=True), "end") == []


@pytest.mark.rule("D4")
def test_without_end_overflow_the_near_ends_stay_closed() -> None:
    assert choices(far_ends_full(overflow=False), "end") == []


# --- D5: the supply ------------------------------------------------------------------------------------------


def supply_of(game: Game, left: int) -> Game:
    """The position with a number of stations left in the supply."""
    return with_knobs(game, stations=len(game.stations) + left)


def about_to_meet() -> Game:
    """Orange at (1, 1) before Blue's column 0, which has a station at its top."""
    game = going_west(position(PLAIN))
    lay(game, BLUE, (1, 0), (0, 3), (0, -3))
    put_stations(game, (0, 3))
    return game


@pytest.mark.rule("D5")
def test_a_tunnel_that_needs_a_station_is_illegal_with_none_left() -> None:
    assert reachable(supply_of(about_to_meet(), 1)) == {(0, 1), (0, 2), (1, 0)}
    assert reachable(supply_of(about_to_meet(), 0)) == {(1, 0)}


@pytest.mark.rule("D5", "ST4")
def test_an_existing_station_is_joined_with_an_empty_supply() -> None:
    game = about_to_meet()
    put_stations(game, (0, 1))
    assert reachable(supply_of(game, 0)) == {(0, 1), (1, 0)}


def about_to_split_and_meet() -> Game:
    """Orange ran beside Blue to (-1, 1), where Blue turned down; Red waits at (-2, 1)."""
    game = position(PLAIN)
    lay(game, BLUE, (0, 0), (-1, 1), (-1, -2))
    lay(game, ORANGE, (1, 0), (0, 3), (0, 1), (-1, 1))
    lay(game, RED, (1, 2), (-3, 2), (-2, 1))
    put_stations(game, (0, 1))
    return game


@pytest.mark.rule("D5")
def test_two_stations_needed_with_one_left_is_illegal() -> None:
    split_and_meet, split, stay_alongside = (-2, 1), (-2, 2), (-1, 0)
    game = about_to_split_and_meet()
    assert reachable(supply_of(game, 2)) == {split_and_meet, split, stay_alongside}
    assert reachable(supply_of(game, 1)) == {split, stay_alongside}
    assert reachable(supply_of(game, 0)) == {stay_alongside}


@pytest.mark.rule("D5")
def test_a_start_that_needs_a_station_is_illegal_with_none_left() -> None:
    game = position(MIXED)
    lay(game, BLUE, (2, 0), (-3, 3), (-1, 3))
    put_stations(game, (-3, 3))
    onto_blue = {"cell": ("F", 1, 0), "to": (-1, 3)}
    assert choices(supply_of(game, 1), "start", **onto_blue)
    assert not choices(supply_of(game, 0), "start", **onto_blue)
    assert choices(supply_of(game, 0), "start", cell=("F", 1, 0), to=(0, 3))


@pytest.mark.rule("D5", "D4")
def test_an_end_that_splits_needs_a_station_too() -> None:
    game = position(PLAIN)
    lay(game, BLUE, (0, 0), (-3, 1), (-3, 0))
    lay(game, ORANGE, (0, 1), (-2, 2), (-2, 1), (-3, 1))
    put_stations(game, (-2, 1))
    assert choices(supply_of(game, 1), "end")
    assert choices(supply_of(game, 0), "end") == []


@pytest.mark.rule("D1", "D2", "D3")
def test_apply_refuses_what_is_not_legal_and_changes_nothing() -> None:
    game = going_west(position(make_city(3, dict.fromkeys(around(3, (0, 1)), "L"))))
    before = dict(game.tunnels)
    with pytest.raises(IllegalMove):
        apply(game, Move("dig", 0, (0, 0, "D"), (0, 1)))
    assert game.tunnels == before
    assert game.lines[ORANGE][0].terminus == (1, 1)
    assert game.history == []
