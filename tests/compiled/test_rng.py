"""The compiled streams draw what `rng.Stream` draws, and streams of different purposes or games are independent."""

from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, kstest

from mmsim.core.rng import Purpose, Stream
from mmsim.metromania.engine.state import new_record
from mmsim.metromania.rules.board import LAYOUTS
from tests.with_numba import driver, with_numba

(streams,) = with_numba("mmsim.compiled.rng")
PURPOSES = (Purpose.LAYOUT, Purpose.DEAL, Purpose.INTERVENTIONS, *(Purpose.BOT + seat for seat in range(4)))
MASTERS = (0, 1, 2006, 2**32, 2**63 + 12345, 2**64 - 1)
GAMES = (0, 1, 77, 2**32 - 1, 2**32 + 3, 2**63 - 1)
RECORD = streams.streams_dtype(len(PURPOSES) - 1)
HEAD, STREAM, BLOCK, USED, WORDS = 4, 36, 1, 2, 4  # the record, as the module describes it
BLOCKS = 8  # in the buffer


@driver
def draw_words(record: Any, master: Any, games: Any, purposes: Any, out: Any) -> None:
    """out[game, purpose, i]: all streams of a game in turn, one word of each after the other."""
    s = record[0]
    for g in range(games.size):
        streams.set_seed(s, master, games[g])
        for k in range(purposes.size):
            streams.open_stream(s, k, purposes[k])
        for i in range(out.shape[2]):
            for k in range(purposes.size):
                out[g, k, i] = streams.next_word(s, k)


@driver
def draw_numbers(record: Any, master: Any, game: Any, purpose: Any, bounds: Any, out: Any) -> None:
    s = record[0]
    streams.set_seed(s, master, game)
    streams.open_stream(s, 0, purpose)
    for i in range(bounds.size):
        out[i] = streams.draw_below(s, 0, bounds[i])


@driver
def draw_one_more(record: Any, bound: Any, out: Any) -> None:
    """A number and then a word from a record as it is."""
    s = record[0]
    out[0] = streams.draw_below(s, 0, bound)
    out[1] = streams.next_word(s, 0)


def words(master: int, games: Any, purposes: Any, count: int) -> NDArray[np.uint64]:
    out = np.zeros((len(games), len(purposes), count), np.uint64)
    as_numbers = np.array([int(purpose) for purpose in purposes])
    draw_words(new_record(RECORD), np.uint64(master), np.array(games, np.int64), as_numbers, out)
    return out


# --- the same draws --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("master", MASTERS)
def test_every_word_is_that_of_the_readable_stream(master: int) -> None:
    got = words(master, GAMES, PURPOSES, 71)
    for g, game in enumerate(GAMES):
        for k, purpose in enumerate(PURPOSES):
            stream = Stream(master, purpose, game)
            assert got[g, k].tolist() == [stream.word() for _ in range(71)]


def test_a_stream_does_not_depend_on_how_much_the_others_draw() -> None:
    alone = words(5, [9], [Purpose.DEAL], 50)[0, 0]
    for others in ([Purpose.LAYOUT], PURPOSES[2:], PURPOSES[3:]):
        assert words(5, [9], [*others, Purpose.DEAL], 50)[0, -1].tolist() == alone.tolist()


def test_a_stream_opened_again_starts_over() -> None:
    again = words(5, [9, 9, 8, 9], [Purpose.DEAL], 7)
    assert again[0].tolist() == again[1].tolist() == again[3].tolist() != again[2].tolist()


BOUNDS = [
    *range(1, 300),
    2784,
    LAYOUTS,
    *(2**k + d for k in (16, 24, 31) for d in (-1, 0, 1)),
    3 * 2**30,
    2**32 - 1,
    2**32,
]


@pytest.mark.parametrize("master", MASTERS)
def test_every_number_is_that_of_the_readable_stream(master: int) -> None:
    bounds = np.array(BOUNDS * 3, np.int64)
    out = np.zeros(bounds.size, np.int64)
    for game in GAMES[:4]:
        draw_numbers(new_record(RECORD), np.uint64(master), np.int64(game), np.int64(Purpose.BOT), bounds, out)
        stream = Stream(master, Purpose.BOT, game)
        assert out.tolist() == [stream.below(n) for n in bounds.tolist()]


def test_numbers_are_the_same_where_many_words_are_rejected() -> None:
    bounds = np.full(5000, 2**31 + 1, np.int64)  # nearly half of all words
    out = np.zeros(bounds.size, np.int64)
    record = new_record(RECORD)
    draw_numbers(record, np.uint64(3), np.int64(4), np.int64(5), bounds, out)
    stream = Stream(3, 5, 4)
    assert out.tolist() == [stream.below(2**31 + 1) for _ in range(bounds.size)]
    assert int(record[0].words[HEAD + BLOCK]) > 1.8 * bounds.size / 4


def after_these_words(script: list[int], n: int) -> list[int]:
    """`draw_below(n)` and the word after it, from a stream whose last buffered words are set beforehand."""
    record = new_record(RECORD)
    state = record[0].words
    first = 4 * BLOCKS - len(script)
    state[HEAD + USED] = first
    for i, word in enumerate(script, first):
        state[HEAD + WORDS + i] = word
    out = np.zeros(2, np.int64)
    draw_one_more(record, np.int64(n), out)
    return [int(value) for value in out]


NEXT = Stream(0, 0).word()  # the first word after those in the buffer


@pytest.mark.parametrize(
    ("script", "n", "got"),
    [
        ([0, 715827883, 2**31, 2**30], 6, [1, NEXT]),  # three rejected: 6 * word mod 2**32 < 2**32 mod 6 = 4
        ([1431655766, 77], 6, [2, 77]),  # 6 * word = 2 * 2**32 + 4: the smallest remainder that is still fair
        ([0, 77], 8, [0, 77]),  # a power of two rejects nothing
        ([0, 77], 1, [0, 77]),
        ([2**32 - 1, 77], 2**32 - 1, [2**32 - 2, 77]),
    ],
)
def test_a_word_is_rejected_exactly_where_it_would_be_unfair(script: list[int], n: int, got: list[int]) -> None:
    assert after_these_words(script, n) == got


def test_a_word_may_be_rejected_at_the_end_of_the_buffer() -> None:
    stream = Stream(0, 0)
    assert after_these_words([2**31], 6) == [stream.below(6), stream.word()]


# --- independence ----------------------------------------------------------------------------------------------


def correlations(draws: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The correlation of every two rows, as standard normal scores."""
    count = draws.shape[1]
    rows, columns = np.triu_indices(draws.shape[0], 1)
    return np.asarray(np.corrcoef(draws.astype(np.float64))[rows, columns] * sqrt(count))


def pair_p_value(one: NDArray[np.uint64], other: NDArray[np.uint64], bits: int) -> float:
    """Chi-square of the top bits of two series against all pairs being equally likely."""
    cells = 1 << 2 * bits
    shift = np.uint64(32 - bits)
    seen = np.bincount(((one >> shift) << np.uint64(bits) | other >> shift).astype(np.int64), minlength=cells)
    expected = one.size / cells
    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), cells - 1))


def check_independence(games: int, count: int, bits: int) -> None:
    numbers = [0, 1, 2, 3, *(2**32 + g for g in range(games - 4))]
    drawn = words(2006, numbers, PURPOSES, count).reshape(-1, count)
    scores = correlations(drawn)
    assert np.abs(scores).max() < 6
    assert abs((scores**2).mean() - 1) < 0.05
    p_values = [pair_p_value(drawn[a], drawn[b], bits) for a, b in combinations(range(len(drawn)), 2)]
    assert min(p_values) > 1e-3 / len(p_values)
    assert kstest(p_values, "uniform").pvalue > 1e-3


def check_openings(games: int, bits: int) -> None:
    """The first words of a game, over many games: of one purpose and the next, of one game and the next."""
    first = words(77, range(games), PURPOSES, 2)
    p_values = [pair_p_value(first[:, a, 0], first[:, b, 0], bits) for a, b in combinations(range(len(PURPOSES)), 2)]
    for k in range(len(PURPOSES)):
        p_values += [pair_p_value(first[:-1, k, 0], first[1:, k, 0], bits), pair_p_value(*first[:, k].T, bits)]
    assert min(p_values) > 1e-3 / len(p_values)
    assert kstest(p_values, "uniform").pvalue > 1e-3


def test_streams_of_different_purposes_and_games_are_independent() -> None:
    check_independence(games=8, count=3000, bits=3)


def test_the_first_draws_of_games_are_independent() -> None:
    check_openings(games=20_000, bits=4)


@pytest.mark.slow
def test_many_long_streams_are_independent() -> None:
    check_independence(games=60, count=100_000, bits=5)


@pytest.mark.slow
def test_the_first_draws_of_a_million_games_are_independent() -> None:
    check_openings(games=1_000_000, bits=6)
