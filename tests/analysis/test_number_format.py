"""Numbers as readers see them."""

import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis.stats import Estimate


def estimated(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half, half / 2, 100)


def test_a_number_has_the_digits_its_interval_bears() -> None:
    assert fmt.with_interval(estimated(12.3456, 0.5), "points") == "12.3 (11.8 to 12.8)"
    assert fmt.with_interval(estimated(12.3456, 5), "points") == "12 (7 to 17)"
    assert fmt.with_interval(estimated(12.3456, 0.15), "points") == "12.35 (12.20 to 12.50)"
    assert fmt.with_interval(estimated(1234.5, 50), "points") == "1,234 (1,184 to 1,284)"


def test_shares_are_in_per_cent_and_their_differences_in_points_of_them() -> None:
    assert fmt.with_interval(estimated(0.2723, 0.0015), "share") == "27.23\u00a0% (27.08 to 27.38)"
    assert fmt.value(estimated(-0.0123, 0.004), fmt.difference_unit("share")) == "−1.2\u00a0pp"
    assert fmt.value(estimated(0.5, 0.2), "points", signed=True) == "+0.5"


def test_a_number_in_a_title_is_rounded_for_a_sentence() -> None:
    assert fmt.short(estimated(6.353, 0.006), "minutes") == "6.4"
    assert fmt.short(estimated(0.0353, 0.0006), "points") == "0.04"
    assert fmt.short(estimated(1234.5, 50), "points") == "1,234"
    assert fmt.short(estimated(0.26432, 0.0005), "share") == "26.4\u00a0%"


def test_a_number_without_spread_has_one_decimal() -> None:
    assert fmt.value(estimated(0.0, 0.0), "points") == "0.0"
    assert fmt.with_interval(estimated(1.0, np.inf), "points") == "1.0 (no interval)"


def test_what_never_varies_has_no_interval() -> None:
    assert fmt.with_interval(estimated(1.0, 0.0), "share") == "100\u00a0%"
    assert fmt.with_interval(estimated(60.0, 0.0), "turns") == "60"
    assert fmt.with_interval(estimated(0.5, 0.0), "points") == "0.5 (0.5 to 0.5)"


def test_p_values_are_never_nothing() -> None:
    assert fmt.p_value(0.0) == "< 0.0001"
    assert fmt.p_value(0.0123) == "0.012"
    assert fmt.p_value(0.5) == "0.50"


def test_games_needed_are_rough() -> None:
    assert fmt.games(123_456, 123_456) == "about 130,000 games"
    assert fmt.games(7.2, 22.1) == "about 8 to 23 games"
    assert fmt.games(5.0, 1e11) == "more than ten billion games"


def test_whole_per_cent_have_a_proper_minus_and_no_negative_zero() -> None:
    assert [fmt.percent(share) for share in (0.184, -0.03, -0.004)] == ["18\u00a0%", "−3\u00a0%", "0\u00a0%"]
