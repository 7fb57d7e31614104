"""How well a mean is known: sums against NumPy, intervals, and runs that are played until a metric is known."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mmsim.batch.confidence import (
    MIN_DEALS,
    PrecisionLooks,
    Tally,
    next_look,
    quantile,
    seat_shares,
    sequence_half_width,
    tally_deals,
)
from mmsim.batch.manifest import Precision
from mmsim.batch.run import Run
from mmsim.batch.session import Session, extend, forecast_games
from mmsim.errors import UsageError
from tests.batch.helpers import expected, tables_of, toy


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
    assert Tally.of(np.zeros(1000)).sequence_half_width() == pytest.approx(3.69e-3, rel=1e-3)
    assert Tally.of(np.zeros(MIN_DEALS - 1)).sequence_half_width() == float("inf")


def test_win_shares_of_seats_count_games_of_one_deal_once() -> None:
    seats = np.zeros(8, [("seat", np.uint8), ("win_share", np.float32)])
    seats["seat"] = [0, 1] * 4
    seats["win_share"] = [1, 0, 0, 1, 0.5, 0.5, 1, 0]
    first, second = seat_shares({"seats": seats}, games_per_deal=2)
    assert (first.count, first.mean) == (2, 0.625)
    assert (second.count, second.mean) == (2, 0.375)
    assert first.squares == pytest.approx((0.5 - 0.625) ** 2 + (0.75 - 0.625) ** 2)
    assert [tally.count for tally in seat_shares({"seats": seats}, games_per_deal=1)] == [4, 4]


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


def test_looks_are_whole_steps_apart_and_stop_when_the_metric_is_known() -> None:
    draws = np.random.default_rng(3)
    looks = PrecisionLooks(Precision("x", 0.02), {"a": 1}, 600, 10**7)
    games: int | None = looks.first
    seen, at = [], 0
    while games is not None:
        looks.add(values(draws.normal(0, 1, games - at), first=at))
        at = games
        seen.append(at)
        games = looks.look(at)
    assert looks.known_to <= 0.02
    assert all(count % 600 == 0 for count in seen)
    assert all(later > sooner for sooner, later in pairwise(seen))
    assert looks.count == len(seen) <= 4
    assert sequence_half_width(1 / np.sqrt(at / 1.15), at / 1.15, 0.05) > 0.02  # it stopped soon


def test_a_look_comes_where_the_variance_predicts_it_or_after_half_as_many_games_more() -> None:
    assert next_look(600, 600, 10**6) == 1200
    assert next_look(2400, 600, 10**6) == 3600
    assert next_look(600, 60, 10**6, needed=3000) == 3060
    assert next_look(6000, 60, 10**6, needed=6001) == 6300
    assert next_look(600, 600, 10**6, needed=10**9) == 38_400
    assert next_look(600, 600, 1000, needed=10**9) == 1000


def test_a_run_that_may_not_go_on_stops_at_its_limit_and_says_how_well_it_knows() -> None:
    looks = PrecisionLooks(Precision("x", 0.001), {"a": 1}, 600, 7000)
    looks.add(values(np.random.default_rng(1).normal(0, 1, looks.first)))
    assert looks.look(looks.first) == 7000
    assert looks.look(7000) is None
    assert looks.known_to > 0.001


def test_every_variant_and_group_must_be_known() -> None:
    looks = PrecisionLooks(Precision("x", 0.1), {"a": 1, "b": 1}, 600, 10**6)
    draws = np.random.default_rng(5)
    looks.add(pl.concat([values(draws.normal(0, 1, 6000)), values(draws.normal(0, 10, 6000), "b")]))
    games = looks.look(6000)
    assert games is not None
    assert sequence_half_width(10 / np.sqrt(games), games, 0.05) == pytest.approx(0.1, rel=0.05)


def test_games_that_share_a_deal_count_as_one() -> None:
    numbers = np.repeat(np.random.default_rng(2).normal(0, 1, 100), 4)
    (together,) = tally_deals(values(numbers), {"a": 4}).values()
    (apart,) = tally_deals(values(numbers), {"a": 1}).values()
    assert (together.count, apart.count) == (100, 400)
    assert together.mean == pytest.approx(apart.mean)
    assert together.half_width() == pytest.approx(2 * apart.half_width(), rel=0.01)


def test_what_is_no_variant_counts_like_the_largest_group() -> None:
    ((key, tally),) = tally_deals(values(np.arange(8.0), "a - b"), {"a": 1, "b": 4}).items()
    assert (key, tally.count) == (("a - b", ""), 2)


def test_games_without_a_value_are_left_out() -> None:
    frame = values(np.arange(6.0)).with_columns(pl.when(pl.col("game") != 2).then("value").alias("value"))
    (tally,) = tally_deals(frame, {"a": 2}).values()
    assert (tally.count, tally.mean) == (3, pytest.approx((0.5 + 3 + 4.5) / 3))


def test_the_interval_holds_although_one_looks_repeatedly() -> None:
    """Of 400 runs of a skewed number no more than one in twenty may be wrong."""
    draws, wrong = np.random.default_rng(11), 0
    for _ in range(400):
        looks = PrecisionLooks(Precision("x", 0.006), {"a": 1}, 500, 10**6)
        at, games = 0, looks.first
        while True:
            looks.add(values((draws.random(games - at) < 0.1).astype(float), first=at))
            at = games
            wanted = looks.look(at)
            if wanted is None:
                break
            games = wanted
        assert looks.count > 1
        (tally,) = looks.tallies.values()
        wrong += abs(tally.mean - 0.1) > looks.known_to
    assert wrong <= 20


def turns(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    return tables["games"].select("variant", "game", group=pl.lit(""), value="turns")


@pytest.mark.usefixtures("toy_game")
def test_a_run_until_it_is_known_is_the_same_as_a_run_of_that_many_games(tmp_path: Path) -> None:
    until = Precision("turns", 0.06)
    run = Run.create(tmp_path / "run", toy(part_games=600, games=10**6), until)
    foreseen, pace = forecast_games(run, until, turns)
    status = Session(run, 2, metric_values=turns).carry_out()
    games = run.games_per_variant
    assert games % 600 == 0
    assert foreseen.games == pytest.approx(games, rel=0.4)
    assert run.manifest.until.looks == 2
    assert pace > 0
    assert status.done == games
    known = run.manifest.until.known_to
    assert known <= 0.06
    assert status.forecast is not None
    assert status.forecast.half_width == known
    assert tables_of(run) == expected(toy(part_games=600, games=games))
    (run.folder / "games" / "part-000000.parquet").unlink()
    Session(Run(run.folder), 1, metric_values=turns).carry_out()
    assert Run(run.folder).games_per_variant == games
    assert Run(run.folder).manifest.until.known_to == known
    extend(run, 600)
    assert (run.games_per_variant, run.manifest.until) == (games + 600, None)
