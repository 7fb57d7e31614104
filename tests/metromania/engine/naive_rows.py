"""Rows of the tables, computed from a game of the reference engine."""

from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.lattice import Vertex, direction_of, far_sides, is_frame
from mmsim.metromania.rules.position import Game, Line
from mmsim.metromania.rules.reference import carry_out, dig_moves, is_blocked, triggers
from mmsim.metromania.rules.reference_scoring import Network, Result, Trip
from tests.metromania.twins import fault, fewest_changes

Row = dict[str, Any]


def by_player(game: Game, values: list[int]) -> list[int]:
    """A number for every seat, as sums for every player."""
    totals = [0] * game.rules.players
    for player, value in zip(game.rules.seat_player, values, strict=True):
        totals[player] += value
    return totals


def standings(game: Game, outcome: Result) -> list[tuple[int, ...]]:
    ended = by_player(game, [sum(line.ended for line in pair) for pair in game.lines])
    tunnels = by_player(game, [sum(line.tunnels for line in pair) for pair in game.lines])
    return list(zip(by_player(game, outcome.scores), ended, tunnels, strict=True))


def leaders(game: Game) -> list[tuple[int, int]]:
    """(turn, player) whenever a player is alone in front at the end of a turn and was not the last leader."""
    points, found = [0] * game.rules.companies, []
    for turn in range(1, game.turn + 1):
        for move in game.history:
            if move.turn == turn:
                points[move.seat] += move.points
        totals = by_player(game, points)
        in_front = [player for player, total in enumerate(totals) if total == max(totals)]
        if len(in_front) == 1 and (not found or found[-1][1] != in_front[0]):
            found.append((turn, in_front[0]))
    return found


def game_row(number: int, game: Game, outcome: Result) -> Row:
    lines = [line for _, _, line in game.all_lines()]
    totals = sorted(by_player(game, outcome.scores), reverse=True)
    lead = leaders(game)
    leader = lead[-1][1] if lead else None
    alone = outcome.winners[0] if len(outcome.winners) == 1 else None
    changes = max(0, len(lead) - 1)
    decided = -1
    if alone is not None:
        decided = lead[-1][0] if leader == alone else game.turn + 1
        changes += leader not in (None, alone)
    return {
        "game": number,
        "layout": game.city.layout.index,
        "status": 0,
        "end_reason": ("both_lines", "stations", "lines", "deadlock").index(outcome.end_reason),
        "end_seat": end_seat(game),
        "turns": game.history[-1].turn,
        "tunnels": len(game.tunnels),
        "coverage": float(np.float32(len(game.tunnels) / diggable(game))),
        "stations_left": game.supply,
        "lines_ended": sum(line.ended for line in lines),
        "lines_blocked": sum(is_blocked(game, seat, i) for seat, i, _ in game.all_lines()),
        "winner": -1 if alone is None else alone,
        "margin": totals[0] - totals[1],
        "lead_changes": changes,
        "decided_turn": decided,
        **gaps(game),
    }


def end_seat(game: Game) -> int:
    """Whose turn it was when the building phase was found to end, from a replay; -1 in a deadlock."""
    replay = Game(game.city, game.rules, game.dealt)
    for played in game.history:
        carry_out(replay, played.move)
        if replay.end_reason:
            return -1 if replay.end_reason == "deadlock" else played.seat
    raise AssertionError("the game has not ended")


def diggable(game: Game) -> int:
    """How many cells a tunnel may lie in."""
    kinds = game.city.kind
    return sum(kinds[cell] in "SE" if is_frame(cell) else kinds[cell] not in "LP" for cell in kinds)


def gaps(game: Game) -> Row:
    """How often situations came up that the books leave open, from a replay."""
    replay, short, two_reasons = Game(game.city, game.rules, game.dealt), 0, 0
    for played in game.history:
        if replay.bonus_line is None and replay.supply == 1:
            short += more_with_two_stations(replay)
        open_before, noticed = replay.end_reason is None, set(replay.triggers_met)
        carry_out(replay, played.move)
        if open_before and replay.end_reason in ("both_lines", "stations"):
            two_reasons = len(noticed.union(triggers(replay))) > 1
    second_starts = [pair[1].start_side for pair in game.lines]
    lines = [line for _, _, line in game.all_lines()]
    return {
        "passes": sum(played.move.kind == "pass" for played in game.history),
        "start_overflows": sum(
            second is not None and second not in far_sides(pair[0].start_side or 0)
            for second, pair in zip(second_starts, game.lines, strict=True)
        ),
        "end_overflows": sum(line.ended and line.end_side not in far_sides(line.start_side or 0) for line in lines),
        "short_supply": short,
        "two_reasons": int(two_reasons),
    }


def more_with_two_stations(game: Game) -> bool:
    """Whether a second station left would open further ways to dig."""
    richer = copy(game)
    richer.rules = replace(game.rules, stations=game.rules.stations + 1)
    markers_left = game.rules.markers_per_turn - game.markers_laid
    poor, rich = (
        sum(len(dig_moves(table, game.seat, number, markers_left)) for number in range(2)) for table in (game, richer)
    )
    return rich > poor


def seat_row(number: int, game: Game, outcome: Result, seat: int) -> Row:
    player = game.rules.seat_player[seat]
    mine = [move for move in game.history if move.seat == seat]
    trips = [trip.scores[seat] for trip in outcome.trips]
    standing = standings(game, outcome)
    won = player in outcome.winners
    return {
        "game": number,
        "seat": seat,
        "company": game.rules.seat_player[:seat].count(player),
        "player": player,
        "turns": len({move.turn for move in mine}),
        "hand": sum(1 << 3 * "ABCDEF".index(marker.letter) + "RCE".index(marker.kind) for marker in game.dealt[seat]),
        "opening": opening_code(game, seat),
        "score": outcome.scores[seat],
        "station_points": sum(move.points for move in mine),
        "kept_points": outcome.kept_points[seat],
        "trip_points": sum(score for score in trips if score > 0),
        "penalties": -sum(score for score in trips if score < 0),
        "lines_ended": sum(line.ended for line in game.lines[seat]),
        "tunnels": sum(owner == seat for owner, _ in game.tunnels.values()),
        "stations": sum(len(move.stations) for move in mine),
        "markers_placed": sum(owner == seat for owner, _ in game.placed.values()),
        "rank": 1 + sum(other > standing[player] for other in standing),
        "win_share": float(np.float32(1 / len(outcome.winners))) if won else 0.0,
    }


def frame_cell(game: Game, vertex: Vertex) -> tuple[int, int]:
    """Side and place of the frame cell with a portal."""
    return divmod(game.city.lattice.portals.index(vertex), game.city.board_set.side)


def opening_steps(game: Game, seat: int) -> list[tuple[Vertex, Vertex]]:
    """The tunnels of the first turn of a seat, up to three."""
    path = game.lines[seat][0].path
    is_first = game.history[0].seat == seat
    return list(pairwise(path))[: min(3, (is_first and game.rules.first_dig) or game.rules.dig)]  # H2


def opening_code(game: Game, seat: int) -> int:
    """Side, place, corner, then sixths of a circle turned to the left before each further tunnel, 6 for none."""
    steps = opening_steps(game, seat)
    if not steps:
        return -1
    side, place = frame_cell(game, steps[0][0])
    right = game.city.lattice.corners["F", side, place][1] == steps[0][1]
    ways = [direction_of(*step) for step in steps]
    turns = [(after - before) % 6 for before, after in pairwise(ways)] + [6, 6]
    return side | place << 3 | right << 7 | turns[0] << 8 | turns[1] << 11


def opening_text(game: Game, seat: int) -> str | None:
    steps = opening_steps(game, seat)
    if not steps:
        return None
    side, place = frame_cell(game, steps[0][0])
    text = f"{side}.{place}" + "LR"[game.city.lattice.corners["F", side, place].index(steps[0][1])]
    for before, after in pairwise(steps):
        text += {0: "S", 1: "L", 2: "X", 3: "U", 4: "Y", 5: "R"}[(direction_of(*after) - direction_of(*before)) % 6]
    return text


def trip_row(number: int, game: Game, trip: Trip, network: Network, index: int) -> Row:
    wrong = fault(game, trip)
    return {
        "game": number,
        "trip": index,
        "minutes": -1 if trip.minutes is None else trip.minutes,
        "fault": -1 if wrong is None else ("not_placed", "no_station", "no_route").index(wrong),
        "involved": sum(1 << seat for seat in trip.involved),
        "changes": fewest_changes(game, network, trip),
        "sections": len(trip.used),
    }


def line_row(number: int, game: Game, seat: int, i: int, line: Line) -> Row:
    return {
        "game": number,
        "seat": seat,
        "line": i,
        "start_side": -1 if line.start_side is None else line.start_side,
        "start_cell": frame_cell(game, line.path[0])[1] if line.path else -1,
        "end_side": -1 if line.end_side is None else line.end_side,
        "end_cell": frame_cell(game, line.path[-1])[1] if line.ended else -1,
        "tunnels": line.tunnels,
        "stations": len(set(line.path) & set(game.stations)),
        "ended": line.ended,
        "block_reason": -1 if not is_blocked(game, seat, i) else why_blocked(game, seat, i),
    }


def why_blocked(game: Game, seat: int, i: int) -> int:
    """Which of a tunnel, a station, a marker a blocked line lacked, as a number; if none would have helped: a cell."""
    if game.lines[seat][i].tunnels == game.rules.tunnels_per_line:
        return 0
    richer = copy(game)
    richer.rules = replace(game.rules, stations=game.rules.stations + 2)
    if dig_moves(richer, seat, i, game.rules.markers_per_turn):
        return 1
    richer.hands = [[Marker("A", kind) for kind in "RCE"]] * game.rules.companies
    richer.placed = {}
    return 2 if dig_moves(richer, seat, i, 1) else 3
