"""What bots work out is what happens: a finished game is worth its score sheet, a tile does what it was weighed by.

The expectations of open lines are replaced by random numbers, one for every place where a line may wait, so that a line
believed to wait elsewhere, or to have passed more or fewer tiles, is noticed.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest

from mmsim.compiled.decorators import ix
from mmsim.metro.bots.thinking import evaluation, move_values, view
from mmsim.metro.bots.thinking.evaluation import expect
from mmsim.metro.bots.thinking.memory import EXPECTED, THOUGHTS
from mmsim.metro.engine.moves import EXCHANGE, WAGON, decode_move
from mmsim.metro.engine.state import ENTRIES, cell_number, new_record
from mmsim.metro.rules.board import CENTRE, CENTRE_STOPS, DEPARTURE, STATIONS, STOP_AT, beyond, opposite
from mmsim.metro.rules.position import Game, Move
from mmsim.metro.rules.reference import apply, carry_out, legal_moves
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.rulesets import ruleset
from mmsim.metro.rules.tiles import CODES, NUMBER, exit_side, turned
from tests.metro.twins import SPECS, Twins

OTHERS = 0.75  # what a point of the others counts
PLAYERS = {spec: 2 + i % 4 for i, spec in enumerate(SPECS)}  # every number of them, under one spec or another
PLAYERS["metro"] = 6


def games(spec: str, count: int, seed: int) -> Iterator[Twins]:
    """Games at their first decision in both engines."""
    for number in range(count):
        yield Twins(ruleset(spec, PLAYERS[spec]), seed, number)


def play(twins: Twins, rng: Random, every: int) -> Iterator[list[Move]]:
    """Any moves to the end; at some decisions the legal ones, before one of them is played."""
    while not twins.game.over:
        if (
            rng.randrange(every) == 0 and twins.game.drawn is None
        ):  # a drawn tile must be placed: nothing else is weighed
            yield legal_moves(twins.game)
        move = rng.choice(twins.core.legal_moves())
        twins.core.apply(move)
        carry_out(twins.game, move)


def after(game: Game, move: Move) -> Game:
    """The position after a move, as a game of its own; without the history before."""
    shared = (game.rules, game.deal, *game.arrivals.values())  # which no move changes
    then = deepcopy(game, {id(part): part for part in shared} | {id(game.history): []})
    apply(then, move)
    return then


@cache
def expecting_nothing() -> Any:
    """The thoughts of a bot that has begun to expect; only how unseen tracks run, which no test needs, is left out."""
    thoughts = new_record(THOUGHTS)
    expect(Twins(ruleset("metro", 2), 1, 1).core.prepared.setting.board[0], thoughts[0], 3.0)
    return thoughts


def any_expectations(twins: Twins, rng: Random) -> Any:
    """The thoughts of a bot that expects anything of open lines."""
    s, setting = twins.core._s, twins.core.prepared.setting
    t = expecting_nothing().copy()[0]
    view.count_unseen(s, setting.board[0], t, s.seat)
    t.expected[: EXPECTED * ENTRIES] = [rng.random() for _ in range(EXPECTED * ENTRIES)]
    evaluation.weigh_owners(s, setting.rules[0], t, s.seat, 1.0, OTHERS)
    return t


def line_values(game: Game, t: Any) -> dict[int, float]:
    """What every line is worth to its owner: its points, or what is expected where it waits."""
    values = {}
    for stop in game.owner:
        if stop in game.arrivals:
            values[stop] = float(game.arrivals[stop].points)
        else:
            node, tiles = waits_at(game, stop)
            values[stop] = float(evaluation.expected_points(t, stop - 1, node, tiles))
    return values


def waits_at(game: Game, line: int) -> tuple[int, int]:
    """The node where an open line waits, as the fast core numbers them, and the tiles it has passed."""
    (cell, side), tiles = DEPARTURE[line], 0
    while cell in game.board:
        tiles += cell not in CENTRE or game.rules.central_points
        side = exit_side(game.board[cell], side)
        assert (cell, side) not in STOP_AT or beyond(cell, side) in game.board
        cell, side = beyond(cell, side), opposite(side)
    return 4 * cell_number(cell) + side, tiles


def number_points(game: Game, seat: int) -> int:
    """X18: what a player's station numbers have brought."""
    if not game.rules.numbers:
        return 0
    arrivals = [arrival for arrival in game.arrivals.values() if arrival.to in game.deal.numbers[seat]]
    return sum(arrival.points * (2 if arrival.line > STATIONS else 1) for arrival in arrivals)


def value_of(game: Game, t: Any, seat: int) -> float:
    """What a position is worth to a player by what every owner's points are worth to it."""
    lines = line_values(game, t)
    return sum(t.stake[game.owner[stop]] * value for stop, value in lines.items()) + number_points(game, seat)


# --- the end ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("X11", "X12", "X15", "X18")
@pytest.mark.parametrize("spec", SPECS)
def test_a_bot_values_a_finished_game_as_its_score_sheet(spec: str) -> None:
    rng = Random(spec)
    for twins in games(spec, 2, 5):
        for _ in play(twins, rng, 1000):
            pass
        sheet, t = result(twins.game), any_expectations(twins, rng)
        s, setting = twins.core._s, twins.core.prepared.setting
        for seat in range(twins.game.rules.players):
            if twins.game.rules.companies:
                move_values.expect_company_values(s, setting.board[0], t)
                assert t.profit.tolist() == sheet.profits
                assert t.value.tolist() == sheet.values
            else:
                evaluation.weigh_owners(s, setting.rules[0], t, seat, 1.0, 0.0)
                value = evaluation.position_value(s, setting.board[0], setting.rules[0], t, seat)
                assert value == sheet.line_points[seat] + sheet.number_points[seat]


# --- moves -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("X2", "X6", "X11", "X16", "X17", "X18")
@pytest.mark.parametrize("spec", SPECS)
def test_what_a_tile_is_weighed_by_is_what_comes_of_it(spec: str) -> None:
    rng, compared, arrived = Random(spec), 0, 0
    for twins in games(spec, 3, 6):
        for moves in play(twins, rng, 12):
            game, s, setting = twins.game, twins.core._s, twins.core.prepared.setting
            b, r, t = setting.board[0], setting.rules[0], any_expectations(twins, rng)
            before = value_of(game, t, game.seat)
            assert evaluation.position_value(s, b, r, t, game.seat) == pytest.approx(before)
            move_values.weigh_cells(s, b, r, t)
            places = [move for move in moves if move.kind == "place"]
            for move in rng.sample(places, min(4, len(places))):
                assert move.tile is not None
                assert move.turns is not None
                assert move.cell is not None
                then = after(game, move)
                arrived += len(then.history[-1].arrivals)
                change = value_of(then, t, game.seat) - before
                kind, cell = NUMBER[turned(move.tile, move.turns)], cell_number(move.cell)
                assert move_values.placement_value(s, b, r, t, kind, cell) == pytest.approx(change)
                assert move_values.weighed_value(s, b, r, t, kind, cell) == pytest.approx(change)
                compared += 1
    assert compared > 20
    assert arrived > 5


@pytest.mark.rule("X16")
@pytest.mark.parametrize("spec", [spec for spec in SPECS if "stations" in spec])
def test_what_a_wagon_is_weighed_by_is_what_comes_of_it(spec: str) -> None:
    rng, compared = Random(spec), 0
    for twins in games(spec, 3, 7):
        for moves in play(twins, rng, 6):
            game, s, setting = twins.game, twins.core._s, twins.core.prepared.setting
            t = any_expectations(twins, rng)
            code, value = move_values.best_wagon(s, setting.board[0], setting.rules[0], t, 1.0)
            wagons = [move for move in moves if move.kind == "wagon"]
            assert (code >= 0) == bool(wagons)
            before = value_of(game, t, game.seat)
            values = {move: value_of(after(game, move), t, game.seat) - before for move in wagons}
            if wagons:
                kind, _, _, where = decode_move(int(code))
                assert kind == WAGON
                best = max(values, key=values.__getitem__)
                assert value == pytest.approx(values[best])
                assert best.edge == CENTRE_STOPS[where]
                compared += 1
    assert compared > 5


@pytest.mark.rule("X15")
def test_an_exchange_is_weighed_by_the_share_that_is_taken() -> None:
    rng, compared = Random(8), 0
    for twins in games("metro+companies", 6, 8):
        for moves in play(twins, rng, 4):
            game, s, setting = twins.game, twins.core._s, twins.core.prepared.setting
            t = any_expectations(twins, rng)
            code, value = move_values.best_exchange(s, setting.board[0], t, 1.0)
            exchanges = [move for move in moves if move.kind == "exchange"]
            assert (code >= 0) == bool(exchanges)
            if not exchanges:
                continue
            kind, i, take, _ = decode_move(int(code))
            assert kind == EXCHANGE
            move = exchanges[2 * [move.share for move in exchanges[::2]].index(10 * (i + 1)) + take]
            own, got = game.shares[game.seat][i], after(game, move).shares[game.seat][i]
            tenths = sum(j + 1 for j, company in enumerate(game.shares[game.seat]) if company == got)
            assert value == pytest.approx((i + 1) * (t.value[got] + 0.2 * tenths - t.value[own]))
            compared += 1
    assert compared > 10


# --- what is not seen ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_the_tiles_that_a_bot_has_not_seen_are_those_in_the_supply_and_in_other_hands(spec: str) -> None:
    rng = Random(spec)
    for twins in games(spec, 1, 9):
        for _ in play(twins, rng, 6):
            game, t = twins.game, any_expectations(twins, rng)
            hidden = Counter(game.supply)
            for seat, hand in enumerate(game.hands):
                if seat != game.seat:
                    hidden.update(hand)
            assert {code: int(t.unseen[ix(kind)]) for kind, code in enumerate(CODES) if t.unseen[ix(kind)]} == hidden
