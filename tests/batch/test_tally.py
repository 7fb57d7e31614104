"""Running sums against NumPy, and the interval they give."""

import numpy as np
import pytest

from mmsim.batch.tally import Tally, quantile, seat_shares


def test_merged_tallies_are_those_of_all_values_together() -> None:
    values = np.random.default_rng(1).normal(1e6, 3, 1000)
    merged = Tally()
    for piece in np.split(values, [1, 1, 300, 999]):
        merged.add(Tally.of(piece))
    assert merged.count == 1000
    assert merged.mean == pytest.approx(values.mean(), rel=1e-15)
    assert merged.variance == pytest.approx(values.var(ddof=1), rel=1e-9)


def test_the_interval_is_the_usual_one() -> None:
    tally = Tally.of(np.array([0.0, 1.0] * 200))
    assert tally.half_width() == pytest.approx(1.959964 * 0.5 / 20, rel=2e-3)
    assert quantile(0.05) == pytest.approx(1.959964, abs=1e-6)


def test_one_value_says_nothing_and_equal_values_do_not_say_everything() -> None:
    assert Tally().half_width() == float("inf")
    assert Tally.of(np.array([3.0])).half_width() == float("inf")
    assert Tally.of(np.zeros(1000)).half_width() == pytest.approx(3.69e-3, rel=1e-3)


def test_win_shares_of_seats_count_games_of_one_deal_once() -> None:
    seats = np.zeros(8, [("seat", np.uint8), ("win_share", np.float32)])
    seats["seat"] = [0, 1] * 4
    seats["win_share"] = [1, 0, 0, 1, 0.5, 0.5, 1, 0]
    first, second = seat_shares({"seats": seats}, games_a_deal=2)
    assert (first.count, first.mean) == (2, 0.625)
    assert (second.count, second.mean) == (2, 0.375)
    assert first.squares == pytest.approx((0.5 - 0.625) ** 2 + (0.75 - 0.625) ** 2)
    assert [tally.count for tally in seat_shares({"seats": seats}, games_a_deal=1)] == [4, 4]
