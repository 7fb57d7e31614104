"""Playing until a number is known: the decision, its price for looking, and a run that carries it out."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mmsim.batch.manifest import Until
from mmsim.batch.precision import Looks, Precision, deal_tallies
from mmsim.batch.run import Run
from mmsim.batch.session import Session, estimate, extend
from mmsim.batch.tally import ALPHA, quantile
from mmsim.errors import UsageError
from tests.batch.helpers import expected, tables_of, toy

WANTED = Precision("turns", 0.03)


def values(numbers: np.ndarray, variant: str = "a", first: int = 0) -> pl.DataFrame:
    """A measure's answer for one variant and one group."""
    games = pl.Series("game", range(first, first + len(numbers)), pl.UInt64)
    return pl.DataFrame({"variant": variant, "group": "", "game": games, "value": numbers})


@pytest.mark.parametrize(
    ("text", "metric", "half_width"),
    [("win_share±0.5%", "win_share", 0.005), ("score±2", "score", 2.0), ("score +- .25", "score", 0.25)],
)
def test_a_precision_is_read(text: str, metric: str, half_width: float) -> None:
    assert Precision.parse(text, ["win_share", "score"]) == Precision(metric, half_width)


@pytest.mark.parametrize("text", ["win_share", "win_share±", "win_share±0", "±0.5%", "win_share=3", "win_share±x"])
def test_what_is_no_precision_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not of the form METRIC±WIDTH"):
        Precision.parse(text, ["win_share"])


def test_an_unknown_metric_comes_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown metric 'win_shar'; did you mean 'win_share'"):
        Precision.parse("win_shar±1%", ["win_share"])


def test_all_looks_together_spend_no_more_than_one_interval() -> None:
    looks = Looks(WANTED, {"a": 1}, 60, 10**9)
    spent = []
    for look in range(40):
        looks.look = look
        spent.append(looks.alpha)
    assert sum(spent) <= ALPHA
    assert sum(spent) == pytest.approx(ALPHA)
    assert all(quantile(later) > quantile(sooner) for sooner, later in pairwise(spent))


def test_looks_are_whole_blocks_ever_farther_apart_and_stop_when_it_is_known() -> None:
    draws = np.random.default_rng(3)
    looks = Looks(Precision("x", 0.01), {"a": 1}, 600, 10**7)
    games: int | None = looks.first
    seen, at = [], 0
    while games is not None:
        looks.take(values(draws.normal(0, 1, games - at), first=at))
        at = games
        seen.append(at)
        games = looks.decide(at)
    assert looks.known <= 0.01
    assert all(count % 600 == 0 for count in seen)
    assert all(later >= 1.25 * sooner for sooner, later in pairwise(seen))
    assert len(seen) <= 3
    assert at <= 1.3 * (quantile(ALPHA / 2 ** len(seen)) / 0.01) ** 2


def test_a_run_that_may_not_go_on_stops_at_its_limit_and_says_how_well_it_knows() -> None:
    looks = Looks(Precision("x", 0.001), {"a": 1}, 600, 7000)
    looks.take(values(np.random.default_rng(1).normal(0, 1, looks.first)))
    assert looks.decide(looks.first) == 7000
    assert looks.decide(7000) is None
    assert looks.known > 0.001


def test_every_variant_and_group_must_be_known() -> None:
    looks = Looks(Precision("x", 0.1), {"a": 1, "b": 1}, 600, 10**6)
    draws = np.random.default_rng(5)
    looks.take(pl.concat([values(draws.normal(0, 1, 6000)), values(draws.normal(0, 10, 6000), "b")]))
    wanted = looks.decide(6000)
    assert wanted is not None
    assert wanted == pytest.approx(1.05 * (10 * quantile(ALPHA / 4) / 0.1) ** 2, rel=0.05)


def test_games_that_share_a_deal_count_as_one() -> None:
    numbers = np.repeat(np.random.default_rng(2).normal(0, 1, 100), 4)
    (together,) = deal_tallies(values(numbers), {"a": 4}).values()
    (apart,) = deal_tallies(values(numbers), {"a": 1}).values()
    assert (together.count, apart.count) == (100, 400)
    assert together.mean == pytest.approx(apart.mean)
    assert together.half_width() == pytest.approx(2 * apart.half_width(), rel=0.01)


def test_what_is_no_variant_counts_like_the_largest_group() -> None:
    ((key, tally),) = deal_tallies(values(np.arange(8.0), "a - b"), {"a": 1, "b": 4}).items()
    assert (key, tally.count) == (("a - b", ""), 2)


def test_games_without_a_value_are_left_out() -> None:
    frame = values(np.arange(6.0)).with_columns(pl.when(pl.col("game") != 2).then("value").alias("value"))
    (tally,) = deal_tallies(frame, {"a": 2}).values()
    assert (tally.count, tally.mean) == (3, pytest.approx((0.5 + 3 + 4.5) / 3))


def test_the_interval_holds_although_one_looks_repeatedly() -> None:
    """Of 400 runs of a skewed number no more than one in twenty may be wrong."""
    draws, wrong = np.random.default_rng(11), 0
    for _ in range(400):
        looks = Looks(Precision("x", 0.006), {"a": 1}, 500, 10**6)
        at, games = 0, looks.first
        while True:
            looks.take(values((draws.random(games - at) < 0.1).astype(float), first=at))
            at = games
            wanted = looks.decide(at)
            if wanted is None:
                break
            games = wanted
        assert looks.look > 1
        (tally,) = looks.tallies.values()
        wrong += abs(tally.mean - 0.1) > looks.known
    assert wrong <= 20


def turns(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    return tables["games"].select("variant", "game", group=pl.lit(""), value="turns")


@pytest.mark.usefixtures("toy_game")
def test_a_run_until_it_is_known_is_the_same_as_a_run_of_that_many_games(tmp_path: Path) -> None:
    until = Until("turns", 0.06)
    run = Run.create(tmp_path / "run", toy(part_games=600, games=10**6), until)
    foreseen, pace = estimate(run, until, turns)
    status = Session(run, 2, measure=turns).carry_out()
    games = run.games_asked
    assert games % 600 == 0
    assert foreseen.games == pytest.approx(games, rel=0.4)
    assert run.manifest.until.looks == 2
    assert pace > 0
    assert status.done == games
    known = run.manifest.until.known_to
    assert known <= 0.06
    assert status.estimate is not None
    assert status.estimate.half_width == known
    assert tables_of(run) == expected(toy(part_games=600, games=games))
    (run.folder / "games" / "part-000000.parquet").unlink()
    Session(Run(run.folder), 1, measure=turns).carry_out()
    assert Run(run.folder).games_asked == games
    assert Run(run.folder).manifest.until.known_to == known
    extend(run, 600)
    assert (run.games_asked, run.manifest.until) == (games + 600, None)
