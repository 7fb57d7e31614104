"""The random streams: Philox blocks, their separation, whole numbers without bias, and the seed of a game."""

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from mmsim.core.rng import Purpose, Seed, Stream, philox

ONES = 0xFFFFFFFF
WORDS = st.integers(0, ONES)

# kat_vectors of Random123, the authors' own library: counter, key, block.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


class Scripted(Stream):
    """A stream whose words are written out beforehand."""

    def __init__(self, words: Iterable[int]) -> None:
        super().__init__(0, 0)
        self._script = iter(words)

    def word(self) -> int:
        return next(self._script)


def draws(master: int, purpose: int, game: int = 0, count: int = 12) -> list[int]:
    stream = Stream(master, purpose, game)
    return [stream.word() for _ in range(count)]


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS, ids=["zeros", "ones", "pi"])
def test_philox_gives_the_published_blocks(
    counter: tuple[int, int, int, int], key: tuple[int, int], block: tuple[int, int, int, int]
) -> None:
    assert philox(counter, key) == block


def test_a_stream_hands_out_the_words_of_a_block_in_order() -> None:
    assert draws(0, 0, 0, count=4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def test_key_is_the_seed_and_counter_is_block_purpose_and_game_low_word_first() -> None:
    master, purpose, game = 0x299F31D0_A4093822, 0x85A308D3, 0x03707344_13198A2E
    stream = Stream(master, purpose, game)
    stream._block = 0x243F6A88
    assert tuple(stream.word() for _ in range(4)) == KNOWN_ANSWERS[2][2]


def test_blocks_of_a_stream_do_not_repeat() -> None:
    words = draws(7, Purpose.DEAL, 3, count=4000)
    blocks = {tuple(words[i : i + 4]) for i in range(0, 4000, 4)}
    assert len(blocks) == 1000


@settings(derandomize=True, deadline=None)
@given(master=st.integers(0, 2**64 - 1), purpose=st.integers(0, 20), game=st.integers(0, 2**64 - 1))
def test_a_stream_is_a_pure_function_of_its_three_numbers(master: int, purpose: int, game: int) -> None:
    alone = draws(master, purpose, game)
    stream, other = Stream(master, purpose, game), Stream(master, purpose + 1, game)
    interleaved = []
    for _ in range(12):
        other.word()
        interleaved.append(stream.word())
        other.word()
    assert interleaved == alone


def test_streams_of_different_purposes_differ() -> None:
    purposes = [Purpose.LAYOUT, Purpose.DEAL, Purpose.INTERVENTIONS, *(Purpose.BOT + seat for seat in range(4))]
    assert len({tuple(draws(1, purpose)) for purpose in purposes}) == 7


def test_the_seats_streams_meet_no_other_purpose() -> None:
    seats = {Purpose.BOT + seat for seat in range(4)}
    assert seats.isdisjoint({Purpose.LAYOUT, Purpose.DEAL, Purpose.INTERVENTIONS})


def test_streams_of_different_games_differ_even_past_32_bits() -> None:
    games = [0, 1, 2, 2**31, 2**32, 2**32 + 1, 2**63]
    assert len({tuple(draws(1, Purpose.DEAL, game)) for game in games}) == len(games)


def test_streams_of_different_masters_differ_even_past_32_bits() -> None:
    masters = [0, 1, 2, 2**31, 2**32, 2**32 + 1, 2**63]
    assert len({tuple(draws(master, Purpose.DEAL)) for master in masters}) == len(masters)


def test_game_and_master_are_not_interchangeable() -> None:
    assert draws(3, Purpose.DEAL, 5) != draws(5, Purpose.DEAL, 3)


@settings(derandomize=True, deadline=None)
@given(n=st.integers(1, 2**32), words=st.lists(WORDS, min_size=1, max_size=4))
def test_below_stays_in_range_whatever_the_words(n: int, words: list[int]) -> None:
    # The last word is never rejected: (2**32 - 1) * n leaves 2**32 - n, which is not below 2**32 mod n.
    assert 0 <= Scripted([*words, ONES]).below(n) < n


def test_below_one_is_always_zero_and_uses_one_word() -> None:
    stream = Stream(9, Purpose.DEAL)
    assert [stream.below(1) for _ in range(50)] == [0] * 50
    assert stream.word() == draws(9, Purpose.DEAL, count=51)[50]


def test_below_a_power_of_two_takes_the_top_bits() -> None:
    stream = Stream(4, Purpose.DEAL)
    assert [stream.below(256) for _ in range(40)] == [w >> 24 for w in draws(4, Purpose.DEAL, count=40)]


def test_below_rejects_exactly_the_words_that_would_bias_it() -> None:
    # n = 3 * 2**30: of every four words in a row the first must go, the other three give one value each.
    n = 3 * 2**30
    for start in (0, 400, 2**31, 2**32 - 8):
        stream = Scripted(range(start, start + 8))
        got = [stream.below(n) for _ in range(6)]
        assert got == list(range(start // 4 * 3, start // 4 * 3 + 6))


def test_below_draws_again_until_a_word_is_accepted() -> None:
    # 6 * word mod 2**32 < 2**32 mod 6 = 4 for these three words; the fourth word is kept.
    rejected = [0, 715827883, 2**31]
    assert all(6 * word % 2**32 < 4 for word in rejected)
    stream = Scripted([*rejected, 2**30, 77])
    assert stream.below(6) == 1
    assert stream.word() == 77


def test_below_keeps_a_word_at_the_edge_of_rejection() -> None:
    # 6 * 1431655766 = 2 * 2**32 + 4: the smallest remainder that is still fair.
    stream = Scripted([1431655766, 77])
    assert stream.below(6) == 2
    assert stream.word() == 77


@pytest.mark.parametrize("n", [2, 3, 6, 7, 36])
def test_below_is_uniform(n: int) -> None:
    stream = Stream(2006, Purpose.DEAL, n)
    seen = Counter(stream.below(n) for _ in range(200 * n))
    assert chisquare([seen[value] for value in range(n)]).pvalue > 0.001


def test_below_is_uniform_where_a_quarter_of_the_words_is_rejected() -> None:
    n = 3 * 2**30
    stream = Stream(2006, Purpose.DEAL)
    sixths = Counter(stream.below(n) * 6 // n for _ in range(3000))
    assert chisquare([sixths[part] for part in range(6)]).pvalue > 0.001


def first_numbers(stream: Stream) -> list[int]:
    return [stream.below(1000) for _ in range(5)]


def test_rotated_games_share_a_deal_until_every_player_has_sat_everywhere() -> None:
    deals = [first_numbers(Seed(7, game, rotate=True).deal_stream(Purpose.DEAL, players=3)) for game in range(6)]
    assert deals[0] == deals[1] == deals[2] != deals[3]
    assert deals[3] == deals[4] == deals[5]


def test_without_rotation_every_game_has_its_own_deal() -> None:
    first, second = (first_numbers(Seed(7, game).deal_stream(Purpose.DEAL, players=3)) for game in range(2))
    assert first != second


def test_bots_of_games_that_share_a_deal_draw_differently() -> None:
    streams = [Seed(7, game, rotate=True).bot_draws(seat) for game in range(2) for seat in range(3)]
    assert len({tuple(first_numbers(stream)) for stream in streams}) == len(streams)
