"""Whole random games: what must hold in every position, under every ruleset, on every board."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings

from mmsim.core import records
from mmsim.core.rng import Purpose, Seed, Stream
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.deal import LETTERS, Marker
from mmsim.metromania.rules.position import DECLINE, PASS, TUNNELS, Game, Move, PlayedMove
from mmsim.metromania.rules.reference import IllegalMove, apply, carry_out, legal_moves, play_out, set_up, start_moves
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import ruleset
from mmsim.metromania.shell import record
from tests.metromania.positions import after
from tests.properties.shadow import Shadow
from tests.properties.strategies import Chooser, StationsFirst, choosers, new_games, offered, seeds

random_games = settings(
    deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
many = settings(random_games, max_examples=1000)


def playing(game: Game, chooser: Chooser, seed: Seed) -> Iterator[list[Move]]:
    """Play a game out; before every move its legal moves are given, to look at the position."""
    draws = [seed.stream(Purpose.BOT + seat) for seat in range(game.rules.companies)]
    while not game.over:
        moves = legal_moves(game)
        yield moves
        move = chooser.choose(game, moves, draws[game.seat])
        assert move in moves
        carry_out(game, move)


def most_decisions(game: Game) -> int:
    """No game is longer: every tunnel, station and bonus decision, and all the passes between them."""
    lines = 2 * game.rules.companies
    progress = lines * game.rules.tunnels_per_line + game.rules.stations + lines
    return (progress + 1) * game.rules.companies


def follow_to_the_end(game: Game, chooser: Chooser, seed: Seed) -> None:
    shadow, seen = Shadow(game), 0
    for moves in playing(game, chooser, seed):
        if seen < len(game.history):
            shadow.follow(game.history[-1])
            seen = len(game.history)
        assert moves
        assert len(moves) == len(set(moves))
        assert seen < most_decisions(game)
    shadow.follow(game.history[-1])
    assert legal_moves(game) == []
    event(f"ends by {game.end_reason}")
    event(f"about {len(game.history) // 50 * 50} decisions")


def scores_add_up(game: Game) -> None:
    outcome = result(game)
    rules = game.rules
    for seat in range(rules.companies):
        mine: list[PlayedMove] = [played for played in game.history if played.seat == seat]
        assert outcome.station_points[seat] == sum(played.points for played in mine)
        ended = sum(played.move.kind == "end" for played in mine)
        up = rules.half_kept == "ceil"
        half = (outcome.station_points[seat] + up) // 2
        assert outcome.kept_points[seat] == {0: 0, 1: half, 2: outcome.station_points[seat]}[ended]
        trips = [trip.scores[seat] for trip in outcome.trips]
        assert outcome.scores[seat] == outcome.kept_points[seat] + sum(trips) + rules.points_by_seat[seat]
        both = rules.trip_points + rules.own_marker_bonus
        assert set(trips[:6]) <= {0, rules.trip_points, both, -rules.penalty}
        assert trips[6] in (0, rules.park_lake_points)
    assert [trip.name for trip in outcome.trips] == [*LETTERS, "park_lake"]
    totals = dict.fromkeys(rules.seat_player, 0)
    for seat, player in enumerate(rules.seat_player):
        totals[player] += outcome.scores[seat]
    assert outcome.winners
    assert all(totals[winner] == max(totals.values()) for winner in outcome.winners)


@given(new_games(), choosers(), seeds())
@settings(random_games, max_examples=40)
def test_every_game_keeps_the_rules_in_every_position_and_ends_with_scores_that_add_up(
    game: Game, chooser: Chooser, seed: Seed
) -> None:
    follow_to_the_end(game, chooser, seed)
    scores_add_up(game)


@pytest.mark.slow
@given(new_games(), choosers(), seeds())
@many
def test_many_more_games_keep_the_rules_in_every_position(game: Game, chooser: Chooser, seed: Seed) -> None:
    follow_to_the_end(game, chooser, seed)
    scores_add_up(game)


# --- legal and illegal moves -------------------------------------------------------------------------------


def pick(draws: Stream, things: Any) -> Any:
    listed = list(things)
    return listed[draws.below(len(listed))]


def mutations(game: Game, move: Move, draws: Stream) -> Iterator[Move]:
    """A legal move with one of its parts exchanged for another."""
    net = game.city.lattice
    yield move._replace(cell=pick(draws, net.cells))
    yield move._replace(cell=pick(draws, game.tunnels or net.cells))
    yield move._replace(to=pick(draws, net.vertices))
    yield move._replace(at=pick(draws, net.vertices))
    yield move._replace(marker=Marker(pick(draws, LETTERS), pick(draws, "RCE")))
    yield move._replace(marker=None)
    yield move._replace(line=1 - move.line if move.line is not None else pick(draws, (0, 1)))
    yield move._replace(line=2)
    yield move._replace(kind=pick(draws, (*TUNNELS, "bonus", "decline", "station", "pass", "teleport")))
    terminus = game.lines[game.seat][0].path[-1:] or [(0, 0)]
    w, cell = pick(draws, net.ways_out[terminus[0]])
    yield move._replace(cell=cell, to=w)
    yield from (PASS, DECLINE, Move("station", 0, at=terminus[0]), Move("dig"))


def snapshot(game: Game) -> dict[str, Any]:
    fixed = ("city", "rules", "dealt")
    return {f.name: deepcopy(getattr(game, f.name)) for f in fields(game) if f.name not in fixed}


def refuse_what_is_illegal(game: Game, chooser: Chooser, seed: Seed) -> None:
    draws = seed.stream(1000)
    for moves in playing(game, chooser, seed):
        if draws.below(4):
            continue
        before = snapshot(game)
        for mutant in mutations(game, pick(draws, moves), draws):
            if mutant not in moves:
                with pytest.raises(IllegalMove):
                    apply(game, mutant)
        assert snapshot(game) == before
        for move in moves:  # none of the legal ones is refused
            assert after(game, move).history[-1].move == move
    over = snapshot(game)
    for move in (PASS, DECLINE, game.history[-1].move):
        with pytest.raises(IllegalMove):
            apply(game, move)
    assert snapshot(game) == over


@given(new_games(), choosers(), seeds())
@settings(random_games, max_examples=20)
def test_legal_moves_are_accepted_and_illegal_ones_refused_without_a_trace(
    game: Game, chooser: Chooser, seed: Seed
) -> None:
    refuse_what_is_illegal(game, chooser, seed)


@pytest.mark.slow
@given(new_games(), choosers(), seeds())
@settings(random_games, max_examples=150)
def test_many_more_illegal_moves_are_refused(game: Game, chooser: Chooser, seed: Seed) -> None:
    refuse_what_is_illegal(game, chooser, seed)


@pytest.mark.rule("D5", "B1")
def test_a_start_is_refused_when_the_supply_has_no_station_for_it() -> None:
    refused = 0
    rules = ruleset("print,stations=2,start_overflow=true", 4)
    for number in range(20):
        seed = Seed(5, number)
        game = set_up(board_file.load("compact"), rules, seed)
        for moves in playing(game, StationsFirst(), seed):
            if game.bonus_line is not None or game.dug > 0:
                continue
            legal = {move for move in moves if move.kind == "start"}
            game.rules = replace(rules, stations=60)
            with_plenty = set(start_moves(game, game.seat))
            game.rules = rules
            assert legal <= with_plenty
            refused += len(with_plenty - legal)
    assert refused > 0


# --- the duty to dig ---------------------------------------------------------------------------------------


def longest_turn(game: Game, dug: int = 0) -> int:
    """How many tunnels the turn can come to, by playing all there is; as many as are due where a trigger stops it."""
    longest = dug
    for move in legal_moves(game):
        if move.kind in ("station", "pass"):
            continue
        then, tunnels = after(game, move), dug + (move.kind in TUNNELS)
        if then.over or then.turn != game.turn:
            stopped = game.rules.trigger_turn == "stop" and then.end_reason != game.end_reason
            longest = max(longest, game.rules.dig if stopped else tunnels)
        else:
            longest = max(longest, longest_turn(then, tunnels))
        if longest == game.rules.dig:
            break
    return longest


@pytest.mark.rule("T3")
@given(new_games(), choosers(), seeds())
@settings(random_games, max_examples=5)
def test_under_the_strict_duty_a_turn_comes_to_as_many_tunnels_as_it_can(
    game: Game, chooser: Chooser, seed: Seed
) -> None:
    strict = replace(game.rules, dig_duty="most", dig=min(game.rules.dig, 3))
    game.rules = replace(strict, dig_duty="next")
    due: int | None = None
    draws = [seed.stream(Purpose.BOT + seat) for seat in range(game.rules.companies)]
    while not game.over:
        if game.dug == 0 and game.bonus_line is None:
            due = longest_turn(game)
        game.rules = strict
        move = chooser.choose(game, legal_moves(game), draws[game.seat])
        reason = game.end_reason
        turn, seat, dug = game.turn, game.seat, game.dug + (move.kind in TUNNELS)
        apply(game, move)
        game.rules = replace(strict, dig_duty="next")
        if move.kind in ("bonus", "decline"):  # which of them is chosen is free, and may spoil what was possible
            due = None
        elif due is not None and move.kind in TUNNELS and game.bonus_line is None and (game.over or game.turn != turn):
            stopped = strict.trigger_turn == "stop" and game.end_reason != reason
            assert dug == due or stopped, f"seat {seat} dug {dug} of {due}"


# --- the end -----------------------------------------------------------------------------------------------


def played_out(game: Game, chooser: Chooser, seed: Seed) -> Game:
    for _ in playing(game, chooser, seed):
        pass
    return game


def recorded_and_replayed(game: Game, seed: Seed) -> None:
    recorded = record.record_of(game, result(game), ["uniform"] * game.rules.companies, seed)
    read = json.loads(records.dumps(recorded))
    assert read == recorded
    replayed = record.verify(read)
    assert record.record_of(replayed, result(replayed), ["uniform"] * game.rules.companies, seed) == recorded


@given(new_games(), choosers(), seeds())
@settings(random_games, max_examples=20)
def test_a_record_written_read_and_replayed_is_the_same_record(game: Game, chooser: Chooser, seed: Seed) -> None:
    recorded_and_replayed(played_out(game, chooser, seed), seed)


@pytest.mark.slow
@given(new_games(), choosers(), seeds())
@many
def test_many_more_records_replay(game: Game, chooser: Chooser, seed: Seed) -> None:
    recorded_and_replayed(played_out(game, chooser, seed), seed)


@pytest.mark.parametrize(("spec", "players"), list(offered()))
def test_everything_the_editions_offer_plays_to_the_end_and_verifies(spec: str, players: int) -> None:
    rules, seed = ruleset(spec, players), Seed(11)
    game = set_up(board_file.load("roomy"), rules, seed)
    play_out(game, seed)
    assert game.over
    recorded_and_replayed(game, seed)
    hidden = ("hidden" in spec) or (not spec.startswith("v2") and "loyal" not in spec and "no-corruption" not in spec)
    assert rules.hands == ("hidden" if hidden else "open")
    assert sorted(set(rules.seat_player)) == list(range(players))
    assert sum(map(len, game.dealt)) == 12
