"""Ladders: ratings that fit the counted shares, and ratings that do not."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.ladder import rate_ladder
from mmsim.contests.ladder import LadderGames, Lineup

PLAYERS, DEALS = 4, 400


def played(
    chance: dict[tuple[str, str], float], seed: int = 1, beaten: dict[str, tuple[int, int]] | None = None
) -> LadderGames:
    """Games in which one bot beats three of another with these chances, four games per deal.

    `beaten` says for a bot between which places it ends where it does not win.
    """
    dice = np.random.default_rng(seed)
    frames = []
    lineups = [Lineup(*pair) for pair in chance]
    games = PLAYERS * DEALS
    for number, lineup in enumerate(lineups):
        won = dice.random(games) < chance[lineup.bot, lineup.others]
        low, high = (beaten or {}).get(lineup.bot, (2, PLAYERS))
        order = np.argsort(dice.random((games, PLAYERS - 1)), axis=1)  # of the others
        place = np.where(won, 1, dice.integers(low, high + 1, games))
        ranks = np.zeros((games, PLAYERS), np.int64)
        ranks[:, 0] = place
        left = np.array([[rank for rank in range(1, PLAYERS + 1) if rank != own] for own in place])
        ranks[:, 1:] = np.take_along_axis(left, order, axis=1)
        game = np.repeat(np.arange(games), PLAYERS)
        frames.append(
            pl.DataFrame(
                {
                    "lineup": number,
                    "game": game,
                    "deal": game // PLAYERS,
                    "player": np.tile(np.arange(PLAYERS), games),
                    "bot": np.tile(np.array([lineup.bot, *[lineup.others] * (PLAYERS - 1)]), games),
                    "rank": ranks.ravel(),
                    "win_share": (ranks.ravel() == 1).astype(float),
                }
            )
        )
    return LadderGames(PLAYERS, lineups, pl.concat(frames), games, 0)


def by_strength(strengths: dict[str, float]) -> dict[tuple[str, str], float]:
    """The chances of Luce's rule."""
    return {
        (one, other): 1 / (1 + 3 * np.exp(strengths[other] - strengths[one]))
        for one, other in permutations(strengths, 2)
    }


def test_ratings_fit_games_of_their_own_model() -> None:
    fit = rate_ladder(played(by_strength({"a": 0.0, "b": 0.7, "c": -0.5}))).fit
    assert fit is not None
    assert fit.fits
    assert fit.lineups == 6


def test_ratings_do_not_fit_bots_that_beat_each_other_in_a_ring() -> None:
    chance = dict.fromkeys(permutations("abc", 2), 0.15)
    for pair in ("ab", "bc", "ca"):
        chance[pair[0], pair[1]] = 0.4
    fit = rate_ladder(played(chance)).fit
    assert fit is not None
    assert fit.p_value < 1e-6
    assert fit.outside == 6


@pytest.mark.parametrize("seed", [3, 4])
def test_two_bots_with_two_line_ups_have_one_thing_to_be_tested(seed: int) -> None:
    fair = rate_ladder(played(by_strength({"a": 0.0, "b": 0.3}), seed)).fit
    odd = rate_ladder(played({("a", "b"): 0.4, ("b", "a"): 0.4}, seed)).fit
    assert fair is not None
    assert odd is not None
    assert fair.fits
    assert not odd.fits


def test_ratings_that_go_by_places_do_not_agree_with_a_bot_that_wins_or_ends_last() -> None:
    chance = by_strength({"daring": 0.25, "steady": 0.0})
    usual = rate_ladder(played(by_strength({"daring": 0.0, "steady": 0.0}))).fit
    daring = rate_ladder(played(chance, beaten={"daring": (4, 4), "steady": (2, 2)})).fit
    assert usual is not None
    assert daring is not None
    assert usual.fits
    assert usual.agrees
    assert daring.fits  # some ratings would fit the wins
    assert daring.outside == 2
    assert not daring.agrees
