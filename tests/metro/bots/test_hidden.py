"""Bots and views know nothing of the supply, of other hands, shares and numbers; what is guessed fits what is known."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from mmsim.core.variant import Variant
from mmsim.metro.bots import BOTS, entry_points
from mmsim.metro.bots.playable_variant import prepare
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.thinking import view
from mmsim.metro.bots.thinking.memory import SAMPLE, VIEW
from mmsim.metro.engine.state import HAND, SHARES, UNKNOWN
from mmsim.metro.rules.deal import number_colours
from mmsim.metro.rules.rulesets import COMPANIES, ruleset
from mmsim.metro.rules.tiles import CODES, TILES
from tests.with_numba import driver, with_numba

VARIANTS = (("metro", 4), ("metro+hand3+free", 3), ("metro+companies+stations", 5), ("metro+central+numbers", 4))


def thinking(bot: str) -> str:
    return "search:playouts=24,width=4" if bot == "search" else bot


def position(spec: str, players: int, bots: str, seed: int, moves: int) -> Position:
    """A game after some random moves."""
    game = Position(prepare(ruleset(spec, players), Variant(spec, players, bots=bots, seed=seed)))
    rng = Random(seed)
    for _ in range(moves):
        game.apply(rng.choice(game.legal_moves()))
    return game


def permute_hidden(s: Any, players: int, seat: int, rng: Random) -> None:
    """Exchange what a seat cannot know: tiles, shares, numbers; everything public stays as it is."""
    places = [(s.supply, i) for i in range(len(TILES)) if i >= s.next]
    places += [(s.hand, HAND * other + i) for other in range(players) if other != seat for i in range(s.held[other])]
    _permute(places, rng)
    for i in range(len(TILES)):
        if i < s.next:
            s.supply[i] = rng.randrange(len(CODES))  # what has been drawn is past
    for i in range(SHARES):
        _permute_shares(s, players, seat, i, rng)
    held = [bin(int(s.numbers[other])).count("1") for other in range(players)]
    if any(held):
        for stations in number_colours().values():
            _permute_numbers(s, players, seat, stations, rng)


def _permute(places: list[tuple[Any, int]], rng: Random) -> None:
    values = [int(field[i]) for field, i in places]
    rng.shuffle(values)
    for (field, i), value in zip(places, values, strict=True):
        field[i] = value


def _permute_shares(s: Any, players: int, seat: int, i: int, rng: Random) -> None:
    places = [(s.share, SHARES * other + i) for other in range(players)]
    places += [(s.pile, COMPANIES * i + j) for j in range(s.pile_size[i])]
    knows = s.knows[COMPANIES * i : COMPANIES * (i + 1)]
    hidden = [(field, at) for field, at in places if not int(knows[field[at]]) >> seat & 1]
    who_knows = [int(knows[field[at]]) for field, at in hidden]  # of a place, whatever lies there
    _permute(hidden, rng)
    for (field, at), seats in zip(hidden, who_knows, strict=True):
        knows[field[at]] = seats


def _permute_numbers(s: Any, players: int, seat: int, stations: tuple[int, ...], rng: Random) -> None:
    bits = [1 << (station - 1) for station in stations]
    holder = {bit: next((p for p in range(players) if int(s.numbers[p]) & bit), None) for bit in bits}
    others = [bit for bit in bits if holder[bit] != seat]
    owners = [holder[bit] for bit in others]
    rng.shuffle(owners)
    for p in range(players):
        if p != seat:
            s.numbers[p] = np.uint64(int(s.numbers[p]) & ~sum(bits))
    for bit, owner in zip(others, owners, strict=True):
        if owner is not None:
            s.numbers[owner] |= np.uint64(bit)


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(("spec", "players"), VARIANTS)
def test_what_is_hidden_changes_no_choice_and_no_view(spec: str, players: int, bot: str) -> None:
    rng = Random(f"{spec} {bot}")
    changed = 0
    for seed in range(4):
        here = position(spec, players, thinking(bot), seed, moves=rng.randrange(45))
        seat, streams = here.seat, here._memory.streams.copy()
        view, move, state = here.view(seat), here.bot_move(), here._memory.positions[0].copy()
        for _ in range(3):
            here._memory.positions[0] = state
            permute_hidden(here._memory.positions[0], players, seat, rng)
            changed += here._memory.positions[0].tobytes() != state.tobytes()
            here._memory.streams[:] = streams
            assert here.view(seat) == view
            assert here.bot_move() == move
    assert changed >= 10  # there was something to hide


def test_a_view_of_another_seat_shows_nothing_of_the_hand_in_turn() -> None:
    here = position("metro+hand2", 3, "uniform", 3, moves=8)
    other = (here.seat + 1) % 3
    view = here.view(other)
    entry_points.show(here._memory, here.prepared.setting, other)
    v = here._memory.positions[VIEW]
    assert set(v.hand[HAND * here.seat : HAND * here.seat + HAND]) == {UNKNOWN}
    assert not v.where.any()
    assert set(v.supply) == {UNKNOWN}
    assert len(view.hand) == 2


def test_a_share_that_was_taken_openly_is_known_until_it_is_gone() -> None:
    here = position("metro+companies", 3, "uniform", 1, moves=0)
    taken = here.view(1).open_shares[2]
    own = here.view(0).shares[0][2]
    here.apply(next(m for m in here.legal_moves() if (m.kind, m.share, m.take) == ("exchange", 30, "open")))
    assert here.view(2).shares[0] == (None, None, taken, None)
    assert here.view(1).piles[2][-1] is None
    assert here.view(0).piles[2][-1] == own  # a player who puts a share under the pile remembers it
    assert all(company is None for company in here.view(0).piles[2][:-1])


# --- guessing --------------------------------------------------------------------------------------------------


def guessing(view: Any) -> Any:
    """A function that guesses once what a seat cannot know, with the functions of a module `view`."""

    def guess_once(positions: Any, board: Any, rules: Any, thoughts: Any, streams: Any, seat: Any) -> None:
        positions[VIEW] = positions[0]
        view.hide(positions[VIEW], rules[0], seat)
        view.count_unseen(positions[VIEW], board[0], thoughts[0], seat)
        positions[SAMPLE] = positions[VIEW]
        view.determinize(positions[SAMPLE], board[0], rules[0], thoughts[0], streams[0], 1 + seat, seat)

    return guess_once


guess = guessing(view)  # in plain Python, or compiled if this process compiles


@pytest.mark.parametrize(("spec", "players"), VARIANTS)
def test_what_is_guessed_fits_what_is_known_and_every_guess_is_another(spec: str, players: int) -> None:
    here = position(spec, players, "uniform", 5, moves=20)
    p, seat, memory = here.prepared, here.seat, here._memory
    supplies = set()
    for _ in range(20):
        guess(memory.positions, p.setting.board, p.setting.rules, memory.thoughts, memory.streams, np.int64(seat))
        real, seen, sample = (here._memory.positions[i] for i in (0, VIEW, SAMPLE))
        for field in ("hand", "share", "pile"):
            known = [(a, b) for a, b in zip(getattr(seen, field), getattr(sample, field), strict=True) if a != UNKNOWN]
            assert all(a == b for a, b in known)
        assert unseen(sample, players, seat) == unseen(real, players, seat)
        if here.rules.companies:
            for i in range(SHARES):
                assert shares(sample, players, i) == shares(real, players, i)
        if here.rules.numbers:
            assert sample.numbers[seat] == real.numbers[seat]
            assert [bin(int(n)).count("1") for n in sample.numbers] == [bin(int(n)).count("1") for n in real.numbers]
            assert not int(np.bitwise_and.reduce(sample.numbers[:players]))
        supplies.add(sample.supply.tobytes())
    assert len(supplies) == 20


def unseen(s: Any, players: int, seat: int) -> Counter[int]:
    tiles = Counter(int(kind) for kind in s.supply[int(s.next) :])
    for other in range(players):
        if other != seat:
            tiles.update(int(kind) for kind in s.hand[HAND * other : HAND * other + int(s.held[other])])
    return tiles


def shares(s: Any, players: int, i: int) -> list[int]:
    held = [int(s.share[SHARES * seat + i]) for seat in range(players)]
    return sorted(held + [int(company) for company in s.pile[COMPANIES * i : COMPANIES * i + int(s.pile_size[i])]])


def check_what_is_next(guess: Any, games: int) -> None:
    """Every hidden tile is equally likely to be the next of a supply that is guessed."""
    here = position("metro", 2, "uniform", 9, moves=30)
    p, seat, memory = here.prepared, here.seat, here._memory
    pool = unseen(here._memory.positions[0], 2, seat)
    seen: Counter[int] = Counter()
    for _ in range(games):
        guess(memory.positions, p.setting.board, p.setting.rules, memory.thoughts, memory.streams, np.int64(seat))
        seen[int(here._memory.positions[SAMPLE].supply[int(here._memory.positions[0].next)])] += 1
    expected = {kind: games * count / pool.total() for kind, count in pool.items()}
    chi2 = sum((seen[kind] - e) ** 2 / e for kind, e in expected.items())
    assert set(seen) == set(pool)
    assert chi2 < 2.5 * len(pool)  # far beyond the 99.9 % point for this many kinds


def test_every_hidden_tile_is_equally_likely_to_be_next() -> None:
    check_what_is_next(guess, 400)


@pytest.mark.slow
def test_in_thousands_of_guesses_every_hidden_tile_is_equally_likely_to_be_next() -> None:
    (compiled,) = with_numba("mmsim.metro.bots.thinking.view")
    check_what_is_next(driver(guessing(compiled)), 20_000)
