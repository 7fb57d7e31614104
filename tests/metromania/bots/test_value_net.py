"""The value net and the features of the board that it is given."""

from typing import Any

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.bots.thinking.board_features import feature_count, mirrored_features
from mmsim.metromania.bots.thinking.input_layout import VALUE_INPUTS
from mmsim.metromania.engine.state import NOWHERE
from mmsim.metromania.game import Metromania
from mmsim.metromania.rules.lattice import lattice

METROMANIA = Metromania()


def positions_of(variant: Variant, games: int = 3) -> tuple[MetromaniaVariant, Any, list[Any]]:
    """Positions of some games, and the features of each."""
    prepared = METROMANIA.prepare(variant)
    rows, features = METROMANIA.training_positions(prepared, 0, games)
    return prepared, rows, np.split(features, np.cumsum(rows["features"])[:-1])


@pytest.mark.parametrize("board", [None, "compact", "random:3"])
def test_the_features_of_a_position_are_different_and_belong_to_its_board(board: str | None) -> None:
    prepared, rows, features = positions_of(Variant("print", 4, board, "planner", seed=3))
    count = feature_count(prepared.board_set.side)
    assert len(METROMANIA.mirrored_features(prepared)) == count
    assert len(rows) > 10
    for held in features:
        assert len({*held.tolist()}) == len(held) > 20
        assert held.max() < count


def test_features_say_what_lies_where_seen_from_the_first_start() -> None:
    """Worked out again from the record of the position, with coordinates instead of tables."""
    from mmsim.metromania.bots import entry_points
    from mmsim.metromania.bots.position import Position
    from mmsim.metromania.bots.thinking import board_features

    prepared = METROMANIA.prepare(Variant("print", 4, bots="planner", seed=8))
    position = Position(prepared, 0)
    grid, b, r = prepared.board_set.lattice, prepared.setting.board[0], prepared.setting.rules[0]
    if entry_points.play_games.function.__class__.__name__ != "function":
        pytest.skip("compiled functions are not called one by one")
    for _ in range(60):
        position.apply(position.bot_move())
    s, t = position._memory.positions[0], position._memory.thoughts[0]
    seat = int(s.seat)
    board_features.list_features(s, b, r, t, np.int64(seat))
    turns = -int(s.start_side[2 * seat]) % 6
    vertices = grid.turned_vertices(turns)
    edges, cells = grid.moved_edges(vertices), grid.moved_cells(vertices)
    expected = set()
    for edge, lines in enumerate(s.lines_along[: len(grid.edges)].tolist()):
        for place in range(4):
            if lines >> 2 * ((seat + place) % 4) & 3:
                expected.add(place * len(edges) + edges[edge])
    first = 4 * len(edges) + 8 * len(vertices) + 5 * len(grid.city_vertices)
    for marker, cell in enumerate(s.marker_cell.tolist()):
        if cell != NOWHERE:
            own = seat in (s.marker_holder[marker], s.marker_holder[marker ^ 1])
            expected.add(first + (2 * ((s.marker_holder[marker] - seat) % 4) + own) * len(cells) + cells[cell])
    held = {*t.feature[: t.features].tolist()}
    assert {feature for feature in held if feature < 4 * len(edges)} == {
        feature for feature in expected if feature < 4 * len(edges)
    }
    assert expected <= held


@pytest.mark.parametrize("side", [3, 5])
def test_a_mirror_image_of_a_mirror_image_is_the_board_itself(side: int) -> None:
    mirrored = mirrored_features(side)
    assert len(mirrored) == feature_count(side)
    assert np.array_equal(mirrored[mirrored], np.arange(len(mirrored)))
    assert not np.array_equal(mirrored, np.arange(len(mirrored)))


@pytest.mark.parametrize("side", [3, 6])
def test_turning_and_mirroring_move_the_city_onto_itself(side: int) -> None:
    grid = lattice(side)
    for moved in (*(grid.turned_vertices(turns) for turns in range(6)), grid.mirrored_vertices):
        assert sorted(moved) == [*range(len(grid.vertices))]
        assert sorted(grid.moved_edges(moved)) == [*range(len(grid.edges))]
        assert sorted(grid.moved_cells(moved)) == [*range(len(grid.city_cells))]
    for turns in range(6):
        assert (
            grid.turned_vertices(turns)[grid.vertex_id[grid.portal(1, 2)]]
            == grid.vertex_id[grid.portal((1 + turns) % 6, 2)]
        )


def test_a_position_is_described_for_the_company_in_turn_and_for_the_one_before() -> None:
    _, rows, _ = positions_of(Variant("print", 4, bots="planner", seed=5), games=8)
    in_turn, moved = rows[::2], rows[1::2]
    assert (in_turn["inputs"][:, VALUE_INPUTS - 1] == 1).all()
    assert (moved["inputs"][:, VALUE_INPUTS - 1] == 0).all()
    assert np.array_equal((in_turn["seat"] - 1) % 4, moved["seat"])
    assert 0 < (rows["result"] > 0.5).mean() < 0.6


def test_positions_of_experts_are_judged_again_two_rounds_later() -> None:
    """A position is judged as the net judges the one it leads to, or by the result if the game ends before that."""
    prepared, rows, features = positions_of(Variant("print", 4, bots="expert", seed=6), games=40)
    net = EXPERT.nets.value_for(feature_count(prepared.board_set.side))
    assert net is not None
    values = net.values(rows["inputs"].astype(float), features)
    found = {(*key,): value for *key, value in zip(rows["game"], rows["seat"], rows["turn"], values, strict=True)}
    later = [found.get((row["game"], row["seat"], row["turn"] + 8)) for row in rows]
    pairs = np.array(
        [(judged, value) for judged, value in zip(rows["judged"], later, strict=True) if value is not None]
    )
    assert len(pairs) > 50
    assert np.allclose(pairs[:, 0], pairs[:, 1], atol=1e-4)
    last = max(rows["turn"][rows["game"] == 0])
    ended = (rows["game"] == 0) & (rows["turn"] == last)
    assert np.array_equal(rows["judged"][ended], rows["result"][ended])
    judged, results = rows["judged"], rows["result"]
    assert np.corrcoef(judged, results)[0, 1] > np.corrcoef(values, results)[0, 1] + 0.1


def test_positions_of_bots_without_nets_are_judged_by_the_result() -> None:
    _, rows, _ = positions_of(Variant("print", 4, bots="expert,planner,expert,expert", seed=6))
    assert np.array_equal(rows["judged"], rows["result"])


def test_the_value_net_agrees_with_how_games_end() -> None:
    _, rows, features = positions_of(Variant("print", 4, "random:950", "planner", seed=5), games=150)
    nets = EXPERT.nets
    assert nets.value is not None
    assert nets.board_value is not None
    for net in (nets.value, nets.board_value):
        assert np.corrcoef(net.values(rows["inputs"].astype(float), features), rows["result"])[0, 1] > 0.35


@pytest.mark.parametrize("board", ["compact", "roomy", "grand", "box"])
@pytest.mark.parametrize(("rules", "players"), [("print", 4), ("v2", 3), ("en1+advanced", 2)])
def test_search_with_a_value_net_plays_on_boards_of_any_side(board: str, rules: str, players: int) -> None:
    """On a side that its net was not trained for it goes by the net without features."""
    bots = "search:turns=2,playouts=2,rounds=1"
    prepared = METROMANIA.prepare(Variant(rules, players, board, bots, seed=4))
    value = EXPERT.nets.value_for(feature_count(prepared.board_set.side))
    assert value is (EXPERT.nets.board_value if prepared.board_set.side == 5 else EXPERT.nets.value)
    record = METROMANIA.record(prepared, 0)
    METROMANIA.verify(record)
