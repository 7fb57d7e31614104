"""Measuring speed: a contender plays as many games as fit into its turn."""

import time

from mmsim.system import timing


def test_a_slow_contender_plays_fewer_games_and_a_fast_one_all() -> None:
    def slow(first: int, count: int) -> int:
        until = time.process_time() + 0.02 * count
        while time.process_time() < until:
            pass
        return count

    assert 5 <= timing.fit_to_turn("core", "thinks", slow, 1000).games <= 30
    assert timing.fit_to_turn("core", "quick", lambda first, count: count, 1000).games == 1000


def test_speeds_are_measured_in_turns() -> None:
    order = []

    def player(name: str) -> timing.PlayGames:
        def play(first: int, count: int) -> int:
            order.append((name, first, count))
            return 7 * count

        return play

    contenders = [timing.Contender("core", name, player(name), 10) for name in "ab"]
    speeds = timing.measure(contenders, 2, lambda done: None)
    assert order[2:] == [("a", 0, 10), ("b", 0, 10), ("a", 10, 10), ("b", 10, 10)]
    assert [speed.decisions_per_game for speed in speeds] == [7, 7]
