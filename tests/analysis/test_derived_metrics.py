"""Tests of seats: any change, and more or less even, on simulated runs with known answers."""

import numpy as np
import pytest

from benchmarks.seat_test_power import Case, rejections, simulate
from mmsim.analysis.derived_metrics import any_change_p_value, evenness_change, seat_imbalance
from mmsim.analysis.level_verdict import Verdict
from mmsim.analysis.tables import RunTables
from tests.analysis.one_level import compare_one, estimate_one

UNEVEN, EVEN = (33.0, 27.0, 22.0, 18.0), (25.0,) * 4


def simulated(before: tuple[float, ...], after: tuple[float, ...], games: int, seed: int = 1):  # type: ignore[no-untyped-def]
    return simulate(Case("", before, after, 0.5, (games,)), games, np.random.default_rng(seed))


@pytest.mark.parametrize(
    "shares",
    [EVEN, UNEVEN, (50.0, 50.0), (34.0, 33.0, 33.0), (17.0, 17.0, 17.0, 17.0, 16.0, 16.0)],
    ids=["even", "uneven", "two players", "three players", "six players"],
)
def test_variants_that_are_the_same_are_told_apart_once_in_twenty_times(shares: tuple[float, ...]) -> None:
    found = rejections(Case("", shares, shares, 0.5, ()), 1000, 0.05, runs=1500, seed=3)
    assert all(0.035 <= share <= 0.065 for share in found[1:])  # 0.05, and three standard errors


def test_the_tests_find_what_the_imbalance_does_not() -> None:
    case = Case("planner", (26.8, 28.3, 23.9, 21.0), (23.4, 26.3, 25.6, 24.7), 0.85, ())
    imbalance, evenness, any_seat = rejections(case, 1000, 0.05 / 48, runs=200)
    assert imbalance < 0.05 < 0.35 < evenness < any_seat


def test_a_variant_that_takes_the_unevenness_away_changes_by_all_of_it() -> None:
    shares = simulated(UNEVEN, EVEN, 1_000_000)
    assert (change := evenness_change(shares, 0, 1)) is not None
    before = seat_imbalance(shares).estimate(0, 0).value
    assert change[0].value == pytest.approx(-before, abs=0.001)
    assert change[0].low < -before < change[0].high
    assert not change[1]


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (EVEN, Verdict.BETTER),
        ((41.0, 29.0, 19.0, 11.0), Verdict.WORSE),
        (UNEVEN, Verdict.EQUAL),
        (UNEVEN[::-1], Verdict.EQUAL),  # turned round, and as uneven as before
        ((20.0, 23.0, 27.0, 30.0), Verdict.REARRANGED),  # turned round for the most part
        ((27.0, 18.0, 33.0, 22.0), Verdict.REARRANGED),  # as uneven, in another way
    ],
)
def test_what_is_said_about_evenness(after: tuple[float, ...], verdict: Verdict) -> None:
    (comparison,) = compare_one([seat_imbalance(simulated(UNEVEN, after, 400_000))])
    assert comparison.verdict is verdict


def test_a_variant_of_an_even_game_is_found_less_even() -> None:
    (comparison,) = compare_one([seat_imbalance(simulated(EVEN, UNEVEN, 4_000))])
    assert comparison.verdict is Verdict.WORSE


def test_seats_are_one_test_of_their_family() -> None:
    shares = simulated(UNEVEN, (31.0, 27.0, 22.0, 20.0), 20_000)
    seats = compare_one([shares])
    assert len({seat.p_any for seat in seats}) == 1
    assert seats[0].p_any == pytest.approx(any_change_p_value(shares, 0, 1))
    assert [seat.verdict for seat in seats][::3] == [Verdict.LOWER, Verdict.HIGHER]
    assert all(seat.p_adjusted >= seat.p_any for seat in seats if seat.p_any is not None)


def test_the_halves_of_a_run_make_up_its_win_shares(run: RunTables) -> None:
    (shares,) = estimate_one(run, ["win_share"])
    first, second = shares.halves
    assert (first.deals + second.deals == shares.deals).all()
    assert np.allclose((first.means + second.means) / 2, shares.means)
    assert evenness_change(shares, 0, 1) is not None
