"""What holds in every game of Metro."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metro.game import Metro
from mmsim.metro.rules.board import CELLS, CENTRE, STATIONS
from mmsim.metro.rules.deal import Deal
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import play_uniform, trace
from mmsim.metro.rules.rulesets import PLAYERS, ruleset
from mmsim.metro.rules.tiles import CODES, TILES
from tests.metro.twins import SPECS

METRO = Metro()
some = settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.rule("X2", "X6")
@some
@given(st.permutations(TILES))
def test_all_lines_close_on_a_full_board(tiles: list[str]) -> None:
    game = Game(ruleset("metro", 2), Deal(TILES))
    game.board = dict(zip(CELLS, tiles, strict=True))
    ends = [trace(game, stop) for stop in range(1, STATIONS + 1)]
    assert all(to is not None for _, to in ends)
    assert len({to for _, to in ends}) == STATIONS  # no two lines arrive at one place
    passes = Counter(cell for passed, _ in ends for cell in passed)
    assert max(passes.values()) <= 4


@pytest.mark.rule("X2", "X17")
@some
@given(st.permutations(TILES), st.lists(st.sampled_from(CODES), min_size=4, max_size=4))
def test_all_lines_close_at_stations_with_any_central_tiles(tiles: list[str], central: list[str]) -> None:
    game = Game(ruleset("metro+central", 2), Deal(TILES, tuple(central)))
    game.board = dict(zip((*CELLS, *CENTRE), (*tiles, *central), strict=True))
    ends = {trace(game, stop)[1] for stop in range(1, STATIONS + 1)}
    assert ends == set(range(1, STATIONS + 1))


@pytest.mark.rule("X12")
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("spec", SPECS)
def test_in_thousands_of_games_every_line_arrives_once_and_points_add_up(spec: str, players: int) -> None:
    prepared = METRO.prepare(Variant(spec, players, seed=11))
    count = 400
    tables = METRO.play_games(prepared, 0, count)
    games, seats, lines = tables["games"], tables["seats"], tables["lines"]
    assert (games["tiles"][games["status"] == 0] == 60).all()
    lines = lines.reshape(count, -1)
    finished = games["status"] == 0
    arrived = lines["to"][finished]
    departing = lines["ended"][finished]
    assert departing[:, :STATIONS].all()
    for row, ended in zip(arrived, departing, strict=True):
        assert len(set(row[ended])) == ended.sum()
    if prepared.rules.central:
        assert arrived.max() <= STATIONS
    points = lines["points"].sum(axis=1)
    if not prepared.rules.companies:
        assert (points == seats["line_points"].reshape(count, players).sum(axis=1)).all()
    assert np.allclose(seats["win_share"].reshape(count, players).sum(axis=1), 1)
    assert (seats["tiles"].reshape(count, players).sum(axis=1) == games["tiles"]).all()


@pytest.mark.rule("X8")
def test_every_turn_of_the_basic_game_takes_one_tile_from_the_supply() -> None:
    for number in range(20):
        game = play_uniform(ruleset("metro", 3), Seed(1, number))
        assert game.turn == 60
        assert [len(hand) for hand in game.hands] == [0, 0, 0]
