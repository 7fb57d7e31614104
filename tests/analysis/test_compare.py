"""Comparisons: paired differences, p-values and verdicts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from mmsim.analysis.compare import (
    Comparison,
    LevelEstimates,
    all_games_identical,
    compare,
    comparison_table,
)
from mmsim.analysis.derived_metrics import equal_groups_p_value, seat_imbalance
from mmsim.analysis.estimates import Estimates, Measure, estimate_metrics
from mmsim.analysis.level_verdict import Verdict
from mmsim.analysis.run_metrics import estimate_run, find_metric, with_tolerances
from mmsim.analysis.tables import RunTables, open_run
from mmsim.batch.experiment import Experiment
from mmsim.errors import UsageError
from tests.analysis.one_level import ONLY, compare_one, estimate_one
from tests.descriptions import described
from tests.runs import write_run


def made_run(seed: int, games: int, effect: float = 0.0, games_per_deal: int = 1, design: str = "paired") -> RunTables:
    """A run of two variants whose margins share the effect of the deal."""
    rng = np.random.default_rng(seed)
    deal = np.repeat(rng.normal(0, 3, games // games_per_deal), games_per_deal)
    frames = [
        pl.DataFrame({"game": np.arange(games), "margin": deal + rng.normal(shift, 1, games)}).select(
            pl.lit(name).alias("variant"), pl.lit("finished").alias("status"), "game", "margin"
        )
        for name, shift in (("a", 0.0), ("b", effect))
    ]
    variants = tuple(described(name, ("x",) * max(2, games_per_deal), rotate=games_per_deal > 1) for name in "ab")
    return RunTables(
        Experiment("made", ("a", "b"), design=design, games=games), variants, {"games": pl.concat(frames).lazy()}
    )


def margin(run: RunTables) -> Comparison:
    (one,) = compare_one(estimate_one(run, ["margin"]))
    return one


def test_paired_difference_is_that_of_a_paired_t_test() -> None:
    run = made_run(1, 200, 0.2)
    one = margin(run)
    games = run.tables["games"].collect()
    a, b = (games.filter(pl.col("variant") == name)["margin"].to_numpy() for name in "ab")
    theirs = scipy_stats.ttest_rel(b, a)
    assert one.p_value == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval()
    assert (one.difference.low, one.difference.high) == pytest.approx((interval.low, interval.high))
    assert one.variance_saved == pytest.approx(1 - np.var(b - a, ddof=1) / (np.var(a, ddof=1) + np.var(b, ddof=1)))
    assert one.variance_saved > 0.8


def test_an_independent_design_is_compared_by_welch() -> None:
    run = made_run(1, 200, 0.2, design="independent")
    one = margin(run)
    games = run.tables["games"].collect()
    a, b = (games.filter(pl.col("variant") == name)["margin"].to_numpy() for name in "ab")
    theirs = scipy_stats.ttest_ind(b, a, equal_var=False)
    assert one.p_value == pytest.approx(theirs.pvalue)
    assert one.variance_saved == 0


def test_games_of_one_deal_are_one_observation() -> None:
    one = margin(made_run(2, 400, 0.2, games_per_deal=4))
    assert one.difference.deals == 100
    assert one.before.se == pytest.approx(3 / np.sqrt(100), rel=0.2)  # not 3 / sqrt(400)


def test_a_partial_run_is_paired_where_both_have_played() -> None:
    run = made_run(3, 200, 0.2)
    fewer = run.tables["games"].filter((pl.col("variant") == "a") | (pl.col("game") < 150))
    one = margin(replace(run, tables={"games": fewer}))
    assert one.after.deals == 150
    assert one.variance_saved > 0.5


def test_verdicts_in_words() -> None:
    assert margin(made_run(4, 2000, 2.0)).verdict is Verdict.WORSE  # a wider margin is worse
    assert margin(made_run(4, 2000, -2.0)).verdict is Verdict.BETTER
    assert margin(made_run(4, 2000, 0.0)).verdict is Verdict.EQUAL
    unsure = margin(made_run(4, 30, 0.3))
    assert unsure.verdict is Verdict.UNSURE
    neutral = Measure("length", "How long?", "turns", 0.1)
    estimates = replace(estimate_one(made_run(4, 2000, 2.0), ["margin"])[0], measure=neutral)
    assert compare_one([estimates])[0].verdict is Verdict.HIGHER


def test_the_games_it_asks_for_are_enough() -> None:
    needed = margin(made_run(4, 60, 1.2)).games_needed
    assert needed is not None
    assert margin(made_run(5, int(4 * needed[1]), 1.2)).verdict is Verdict.WORSE


def test_games_that_are_the_same_in_every_move(run: RunTables, tmp_path: Path) -> None:
    """The set of markers matters to No Corruption only."""
    folder = write_run(
        tmp_path / "same", ["print", "print,marker_set=standard"], games=60, part_games=60, bots="greedy"
    )
    alike = [one for one in compare(estimate_run(open_run(folder))) if one.paired]
    assert all_games_identical(alike)
    assert all("the same in every game" in one.verdict_text for one in alike)
    other = [one for one in compare(estimate_run(run)) if one.variant == "print+no-corruption-4p"]
    assert not all_games_identical(other)


def test_a_few_equal_games_do_not_show_equality() -> None:
    """Nothing has differed in 100 games; that a hundredth of them does is still well possible."""
    few, many = (replace(_same(deals), family=1) for deals in (100, 400))
    assert few.p_equal == pytest.approx(0.99**100)
    assert replace(few, p_equal_adjusted=few.p_equal).verdict is Verdict.UNSURE
    assert few.games_needed == pytest.approx((298.1, 298.1), abs=0.1)  # three hundred: the rule of three
    assert replace(many, p_equal_adjusted=many.p_equal).verdict is Verdict.EQUAL


def test_games_that_never_vary_show_nothing_until_there_are_many() -> None:
    """Two games with two points each in either variant are not equal yet, nor are two with three points higher."""
    for value, few, many in ((2.0, Verdict.UNSURE, Verdict.EQUAL), (3.0, Verdict.UNSURE, Verdict.HIGHER)):
        assert _constant(2.0, value, 2).verdict is few
        assert (_constant(2.0, value, 2).games_needed or (0, 0))[0] > 2
        assert _constant(2.0, value, 400).verdict is many
    assert _constant(2.0, 3.0, 5).games_needed == pytest.approx((1 + np.log2(20),) * 2)


def _constant(before: float, after: float, deals: int) -> Comparison:
    size = np.full((2, 1), float(deals))
    means = np.array([[before], [after]])
    measure = Measure("lead_changes", "?", "changes", 0.1)
    return compare_one([Estimates(measure, ("a", "b"), ("",), means, size, size, np.zeros((2, 1, 2, 1)), True)])[0]


def test_a_number_without_a_standard_error_differs_from_nothing() -> None:
    size = np.full((2, 1), 100.0)
    cov = np.diag([np.inf, 1e-4]).reshape(2, 1, 2, 1)
    measure = Measure("layout_share", "?", "share", 0.02)
    (one,) = compare_one([Estimates(measure, ("a", "b"), ("",), np.array([[0.0], [0.4]]), size, size, cov, False)])
    assert one.verdict is Verdict.UNSURE
    assert one.games_needed is None
    assert one.row()["se"] is None


def _same(deals: int) -> Comparison:
    size = np.full((2, 1), float(deals))
    nothing = Estimates(
        Measure("deadlock", "?", "share", 0.01), ("a", "b"), ("",), 0 * size, size, size, np.zeros((2, 1, 2, 1)), True
    )
    return compare_one([nothing])[0]


def test_a_single_variant_has_nothing_to_be_compared_with(run: RunTables) -> None:
    alone = replace(run, variants=run.variants[:1])
    with pytest.raises(UsageError, match="nothing to compare"):
        compare(estimate_run(alone, ["margin"]))


def test_the_reference_may_be_chosen(run: RunTables) -> None:
    comparisons = compare(estimate_run(run, ["margin"]), "print+loyal-4p")
    assert {one.reference for one in comparisons} == {"print+loyal-4p"}
    assert compare(estimate_run(run, ["margin"]), "print+loyal") == comparisons  # a beginning will do
    with pytest.raises(UsageError, match="unknown variant 'nl'"):
        compare(estimate_run(run, ["margin"]), "nl")


def test_tolerances_may_be_stated(run: RunTables) -> None:
    found = estimate_run(run, ["margin"])
    strict, loose = (compare(with_tolerances(found, {"margin": value}))[1].levels[0] for value in (0.01, 9))
    assert strict.verdict is Verdict.UNSURE
    assert loose.verdict is Verdict.EQUAL
    with pytest.raises(UsageError, match="above 0"):
        with_tolerances(found, {"margin": 0})
    with pytest.raises(UsageError, match="unknown metric 'turns'"):
        with_tolerances(found, {"turns": 1})


def test_a_table_of_comparisons_has_a_row_each(run: RunTables) -> None:
    comparisons = compare(estimate_run(run, ["margin", "end_reason"]))
    table = comparison_table(comparisons)
    assert table.height == len(comparisons) == 2 * 5
    assert table["p_adjusted"].max() <= 1


def win_shares(shares: list[list[float]], games: int) -> Estimates:
    """Win shares of independent games, with their multinomial covariance."""
    means = np.array(shares)
    count, players = means.shape
    cov = np.zeros((count, players, count, players))
    for v in range(count):
        cov[v, :, v, :] = (np.diag(means[v]) - np.outer(means[v], means[v])) / games
    size = np.full((count, players), float(games))
    measure = Measure("win_share", "?", "share", 0.01)
    return Estimates(measure, tuple("ab"[:count]), ("1st", "2nd", "3rd", "4th"), means, size, size, cov, False)


def test_seat_imbalance_is_the_root_mean_square_from_a_fair_share() -> None:
    estimates = seat_imbalance(win_shares([[0.31, 0.25, 0.23, 0.21]], 10_000_000))
    assert estimates.means[0, 0] == pytest.approx(np.sqrt((0.06**2 + 0.02**2 + 0.04**2) / 4), abs=1e-4)


def test_the_tolerance_of_the_imbalance_is_that_of_one_seat_off_by_its_tolerance() -> None:
    apart = 0.01 * np.array([1, -1 / 3, -1 / 3, -1 / 3])
    shares = win_shares([(0.25 + apart).tolist()], 10**9)
    imbalance = seat_imbalance(shares)
    assert imbalance.measure.tolerance == pytest.approx(0.01 / 3**0.5)
    assert imbalance.estimate(0, 0).value == pytest.approx(imbalance.measure.tolerance, rel=1e-3)
    level = LevelEstimates(ONLY, [shares, imbalance])
    (stated,) = with_tolerances([level], {shares.measure.name: 3 * shares.measure.tolerance})
    assert stated.metrics[1].measure.tolerance == pytest.approx(3 * imbalance.measure.tolerance)


def test_even_seats_have_no_imbalance_and_pass_the_test_of_equality(run: RunTables) -> None:
    rng = np.random.default_rng(11)
    inside, p_values = 0, []
    for _ in range(500):
        wins = rng.multinomial(2000, [0.25] * 4) / 2000
        shares = win_shares([wins.tolist()], 2000)
        inside += seat_imbalance(shares).estimate(0, 0).low == 0
        p_values.append(equal_groups_p_value(shares, 0))
    assert inside / 500 > 0.93
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.001
    assert 0 <= equal_groups_p_value(estimate_metrics(run, [find_metric("metromania", "win_share")])[0], 0) <= 1


@pytest.mark.slow
def test_interval_of_seat_imbalance_has_its_nominal_coverage() -> None:
    rng = np.random.default_rng(12)
    chances = np.array([0.29, 0.26, 0.24, 0.21])
    truth = np.sqrt(((chances - 0.25) ** 2).mean())
    inside = 0
    for _ in range(4000):
        estimated = seat_imbalance(win_shares([(rng.multinomial(5000, chances) / 5000).tolist()], 5000)).estimate(0, 0)
        inside += estimated.low <= truth <= estimated.high
    assert 0.94 < inside / 4000 < 0.96


@pytest.mark.slow
def test_paired_intervals_have_their_nominal_coverage() -> None:
    inside = 0
    for seed in range(6000):
        one = margin(made_run(seed, 120, 0.3, games_per_deal=2))
        inside += one.difference.low <= 0.3 <= one.difference.high
    assert 0.94 < inside / 6000 < 0.96
