"""Plackett-Luce ratings: known values, a naive twin, deals, and bots that always win or never meet."""

import time
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.ratings import ELO, rate
from mmsim.errors import MmsimError


def ranked(games: list[list[tuple[str, int]]], deals: list[int] | None = None) -> pl.DataFrame:
    rows = [(number, bot, rank) for number, game in enumerate(games) for bot, rank in game]
    frame = pl.DataFrame(rows, schema=["game", "bot", "rank"], orient="row")
    if deals is None:
        return frame
    return frame.with_columns(deal=pl.col("game").replace_strict(dict(enumerate(deals))))


def simulated(strengths: dict[str, float], games: int, seats: int = 4, seed: int = 1) -> pl.DataFrame:
    """Games of the model itself: the order of exponential waiting times at rates of the strengths."""
    rng = np.random.default_rng(seed)
    names = list(strengths)
    who = rng.integers(len(names), size=(games, seats))
    waits = rng.exponential(1 / np.exp(np.asarray(list(strengths.values())))[who])
    ranks = waits.argsort(axis=1).argsort(axis=1) + 1
    return pl.DataFrame(
        {
            "game": np.repeat(np.arange(games), seats),
            "bot": np.asarray(names)[who.ravel()],
            "rank": ranks.ravel(),
        }
    )


def hunters_mm(games: list[list[str]], rounds: int = 300) -> dict[str, float]:
    """The MM algorithm of Hunter 2004 as written there, without pseudo-games: log-strengths, their mean 0."""
    names = sorted({bot for game in games for bot in game})
    gamma = dict.fromkeys(names, 1.0)
    wins = {bot: sum(bot in game[:-1] for game in games) for bot in names}
    for _ in range(rounds):
        drawn = dict.fromkeys(names, 0.0)
        for game in games:
            for stage in range(len(game) - 1):
                for bot in game[stage:]:
                    drawn[bot] += 1 / sum(gamma[other] for other in game[stage:])
        gamma = {bot: wins[bot] / drawn[bot] for bot in names}
    logs = {bot: np.log(value) for bot, value in gamma.items()}
    return {bot: value - np.mean(list(logs.values())) for bot, value in logs.items()}


def test_two_bots_at_three_to_one_are_log_three_apart() -> None:
    games = [[("a", 1), ("b", 2)]] * 7500 + [[("a", 2), ("b", 1)]] * 2500
    result = rate(ranked(games))
    assert [rating.bot for rating in result.bots] == ["a", "b"]
    gap = result.gaps[0].difference
    assert gap.value == pytest.approx(np.log(3), abs=1e-3)
    assert gap.se == pytest.approx(1 / np.sqrt(10_000 * 0.75 * 0.25), rel=1e-2)  # of a logit
    assert result.bots[0].elo.value == pytest.approx(gap.value / 2 * ELO)


def test_strengths_agree_with_hunters_algorithm() -> None:
    frame = simulated({"a": 0.8, "b": 0.0, "c": -0.5, "d": -0.3}, 200, seats=3, seed=3)
    frame = frame.filter(pl.col("bot").n_unique().over("game") == 3)
    orders = [game.sort("rank")["bot"].to_list() for game in frame.partition_by("game", maintain_order=True)]
    expected = hunters_mm(orders)
    for rating in rate(frame).bots:
        assert rating.strength.value == pytest.approx(expected[rating.bot], abs=0.03)  # the pseudo-game


def test_a_shared_win_is_half_a_win() -> None:
    shared = ranked([[("a", 1), ("b", 1)]] * 10)
    halves = ranked([[("a", 1), ("b", 2)]] * 5 + [[("a", 2), ("b", 1)]] * 5)
    for frame in (shared, halves):
        assert rate(frame).gaps[0].difference.value == pytest.approx(0, abs=1e-9)
        assert not rate(frame).gaps[0].is_significant


def test_one_against_three_of_a_kind() -> None:
    """A bot thrice as strong as each of three equals wins half of its games, and is rated so."""
    rng = np.random.default_rng(8)
    ranks = rng.exponential([1 / 3, 1, 1, 1], size=(20_000, 4)).argsort(axis=1).argsort(axis=1) + 1
    result = rate(ranked([list(zip("abbb", row, strict=True)) for row in ranks.tolist()]))
    assert (ranks[:, 0] == 1).mean() == pytest.approx(0.5, abs=0.01)
    assert result.gaps[0].difference.low < np.log(3) < result.gaps[0].difference.high


def test_games_repeated_in_a_deal_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(5)
    games = [[("a", 1), ("b", 2)] if won else [("a", 2), ("b", 1)] for won in rng.random(400) < 0.6]
    once = rate(ranked(games)).gaps[0].difference
    twice = rate(ranked(games * 2, list(range(400)) * 2)).gaps[0].difference
    unaware = rate(ranked(games * 2)).gaps[0].difference
    assert twice.se == pytest.approx(once.se, rel=0.01)
    assert unaware.se == pytest.approx(once.se / np.sqrt(2), rel=0.01)


def test_a_bot_that_always_wins_has_a_finite_rating_and_a_wide_interval() -> None:
    games = [[("best", 1), ("b", 2), ("c", 3)]] * 20 + [[("best", 1), ("c", 2), ("b", 3)]] * 20
    best = rate(ranked(games)).bots[0]
    assert best.bot == "best"
    assert np.isfinite(best.elo.value)
    assert best.elo.high - best.elo.low > 200
    assert all(gap.is_significant for gap in rate(ranked(games)).gaps if gap.stronger == "best")


def test_bots_that_never_met_are_a_sentence() -> None:
    games = [[("a", 1), ("b", 2)], [("c", 1), ("d", 2)]]
    with pytest.raises(MmsimError, match="no game links the bots a, b with c, d"):
        rate(ranked(games))


def test_no_games_are_a_sentence() -> None:
    with pytest.raises(MmsimError, match="no ranked games"):
        rate(pl.DataFrame(schema={"game": pl.Int64, "bot": pl.String, "rank": pl.Int64}))


def test_a_hundred_thousand_games_take_seconds() -> None:
    frame = simulated({"a": 0.5, "b": 0.2, "c": 0.0, "d": -0.2, "e": -0.5}, 100_000)
    before = time.process_time()
    result = rate(frame)
    assert time.process_time() - before < 20
    assert [rating.bot for rating in result.bots] == ["a", "b", "c", "d", "e"]
    assert all(gap.is_significant for gap in result.gaps)
    for better, worse in pairwise(result.bots):
        assert better.elo.low > worse.elo.high


@pytest.mark.slow
def test_intervals_of_differences_have_their_nominal_coverage() -> None:
    truth = {"a": 0.6, "b": 0.0, "c": -0.6}
    inside = 0
    for seed in range(1500):
        for gap in rate(simulated(truth, 300, seats=3, seed=seed)).gaps:
            inside += gap.difference.low <= truth[gap.stronger] - truth[gap.weaker] <= gap.difference.high
    assert 0.94 < inside / 4500 < 0.96
