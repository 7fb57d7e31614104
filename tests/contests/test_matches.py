"""Matches on real workers: any number of them plays the same games, and one that dies is replaced."""

import os
import signal

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from mmsim.batch import pool
from mmsim.batch.session import Status
from mmsim.contests.matches import Match, MatchRunner, Tables
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError

pytestmark = pytest.mark.usefixtures("toy_game")
MATCHES = [Match(Variant("dice", 3, seed=seed, seats="rotate"), 30, 60, 3) for seed in (1, 2)]


def seats_of(tables: list[Tables]) -> pl.DataFrame:
    return pl.concat([match["seats"] for match in tables])


def test_a_worker_that_dies_in_a_contest_is_replaced_and_its_games_are_played_again() -> None:
    seen: list[tuple[int, int]] = []
    killed: list[int] = []

    def kill_the_first(status: Status) -> None:
        seen.append((status.done, status.games))
        for child in pool.multiprocessing.active_children():
            if not killed and child.name == "worker-1":
                killed.append(child.pid or 0)
                os.kill(killed[0], signal.SIGKILL)

    with MatchRunner("toy", 1, kill_the_first) as runner:
        again = runner.play(MATCHES)
        assert {child.name for child in pool.multiprocessing.active_children()} == {"worker-2"}
    assert killed
    assert seen[-1] == (120, 120)
    with MatchRunner("toy", 2, lambda status: None) as runner:
        assert_frame_equal(seats_of(runner.play(MATCHES)), seats_of(again))


def test_a_contest_that_kills_its_worker_every_time_stops_with_the_game_that_does_it() -> None:
    match = Match(Variant("killed", 3, seats="rotate"), 60, 60, 3)
    with (
        MatchRunner("toy", 1, lambda status: None) as runner,
        pytest.raises(MmsimError, match="at game 77 of killed with"),
    ):
        runner.play([match])


def test_parts_of_a_match_hold_whole_deals() -> None:
    match = Match(Variant("dice", 3, seats="rotate"), 30, 63, 3)
    assert [*match.parts()] == [(30, 15), (45, 15), (60, 15), (75, 15), (90, 3)]
