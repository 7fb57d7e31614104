"""The rows of the fast core, column by column, against rows computed from games of the reference engine."""

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.metro.game import Metro
from mmsim.metro.rules.board import STATIONS, STOPS
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import play_uniform
from mmsim.metro.rules.reference_scoring import Result, result

METRO = Metro()
VARIANTS = (
    Variant("metro", 4),
    Variant("metro", 2, seed=9),
    Variant("metro+free+hand2", 6, seed=2**64 - 1),
    Variant("metro+companies+stations", 3, seed=3),
    Variant("metro+central+numbers,central_points=true", 4, seed=4),
    Variant("metro+stations+numbers", 5, seed=5),
    Variant("metro+companies,turn_limit=60", 4, seed=6),
)
FIRST, COUNT = 2, 5


def name_of(variant: Variant) -> str:
    return f"{variant.rules}-{variant.players}p"


def leads(game: Game) -> tuple[int | None, int, int]:
    """The last player alone in front, since which turn, and how often the lead changed, from the arrivals."""
    points, leader, since, changes = [0] * game.rules.players, None, 0, 0
    for played in game.history:
        for arrived in played.arrivals:
            if arrived.line in game.owner:
                points[game.owner[arrived.line]] += arrived.points
        best = max(points)
        if played.arrivals and points.count(best) == 1 and points.index(best) != leader:
            changes += leader is not None
            leader, since = points.index(best), played.turn
    return leader, since, changes


def game_row(number: int, game: Game, outcome: Result) -> dict[str, Any]:
    ordered = sorted(outcome.scores, reverse=True)
    winner = outcome.winners[0] if len(outcome.winners) == 1 else None
    leader, since, changes = (None, 0, 0) if game.rules.companies else leads(game)
    decided = None if winner is None else since if leader == winner else game.turn + 1
    changes += winner is not None and leader is not None and leader != winner
    kinds = [played.move.kind for played in game.history]
    return {
        "game": number,
        "deal": number,
        "seating": 0,
        "layout": "-".join(game.deal.central) or None,
        "status": "turn_limit" if outcome.end_reason == "turn_limit" else "finished",
        "end_reason": outcome.end_reason,
        "end_seat": game.history[-1].seat,
        "turns": game.turn,
        "tiles": kinds.count("place"),
        "draws": kinds.count("draw"),
        "exchanges": kinds.count("exchange"),
        "lines_ended": len(game.arrivals),
        "lines_to_centre": sum(arrived.to > STATIONS for arrived in game.arrivals.values()),
        "longest_line": max((arrived.tiles for arrived in game.arrivals.values()), default=0),
        "winner": winner,
        "margin": ordered[0] - ordered[1],
        "lead_changes": None if game.rules.companies else changes,
        "decided_turn": None if game.rules.companies else decided,
    }


def seat_row(number: int, game: Game, outcome: Result, seat: int) -> dict[str, Any]:
    own = [] if game.rules.companies else [a for line, a in game.arrivals.items() if game.owner.get(line) == seat]
    kinds = [played.move.kind for played in game.history if played.seat == seat]
    score = outcome.scores[seat]
    return {
        "game": number,
        "seat": seat,
        "player": seat,
        "bot": "uniform",
        "turns": len({played.turn for played in game.history if played.seat == seat}),
        "hand": " ".join(game.deal.supply[game.rules.hand * seat :][: game.rules.hand]),
        "opening": opening(game, seat),
        "score": score,
        "line_points": outcome.line_points[seat],
        "number_points": outcome.number_points[seat],
        "share_points": outcome.share_points[seat],
        "bonus_points": outcome.bonus_points[seat],
        "lines_ended": len(own),
        "lines_to_centre": sum(arrived.to > STATIONS for arrived in own),
        "tiles": kinds.count("place"),
        "draws": kinds.count("draw"),
        "exchanges": kinds.count("exchange"),
        "wagons": kinds.count("wagon"),
        "rank": 1 + sum(other > score for other in outcome.scores),
        "win_share": pytest.approx(1 / len(outcome.winners) if seat in outcome.winners else 0),
    }


def opening(game: Game, seat: int) -> str | None:
    """The first tile of a player as it lies, and its cell."""
    cells = [played.move.cell for played in game.history if played.seat == seat and played.move.kind == "place"]
    return f"{game.board[cells[0]]} {cells[0][0]}.{cells[0][1]}" if cells and cells[0] else None


def line_row(number: int, game: Game, stop: int) -> dict[str, Any]:
    owner, arrived = game.owner.get(stop), game.arrivals.get(stop)
    turn = next((p.turn for p in game.history for a in p.arrivals if a.line == stop), None)
    return {
        "game": number,
        "line": stop,
        "seat": None if game.rules.companies else owner,
        "company": owner if game.rules.companies else None,
        "to": arrived.to if arrived else None,
        "tiles": arrived.tiles if arrived else 0,
        "points": arrived.points if arrived else 0,
        "turn": turn,
        "ended": arrived is not None,
    }


@pytest.mark.parametrize("variant", VARIANTS, ids=name_of)
def test_every_row_matches_the_reference_engine(variant: Variant) -> None:
    prepared = METRO.prepare(variant)
    tables = METRO.play_games(prepared, FIRST, COUNT)
    frames = {table: METRO.frame(prepared, table, tables[table]) for table in tables}
    by_table = {table: frame.drop("variant", "level").to_dicts() for table, frame in frames.items()}
    assert {table: len(rows) for table, rows in by_table.items()} == {
        table: COUNT * each for table, each in METRO.rows_per_game(prepared).items()
    }
    decisions = 0
    lines = range(1, (STOPS if prepared.rules.stations else STATIONS) + 1)
    for i, number in enumerate(range(FIRST, FIRST + COUNT)):
        game = play_uniform(prepared.rules, Seed(variant.seed, number))
        outcome = result(game)
        decisions += len(game.history)
        row = by_table["games"][i]
        assert row == game_row(number, game, outcome)
        players = prepared.rules.players
        assert by_table["seats"][players * i : players * (i + 1)] == [
            seat_row(number, game, outcome, seat) for seat in range(players)
        ]
        assert by_table["lines"][len(lines) * i : len(lines) * (i + 1)] == [
            line_row(number, game, stop) for stop in lines
        ]
    assert tables.decisions == decisions


@pytest.mark.parametrize("variant", VARIANTS[:4], ids=name_of)
def test_frames_have_the_columns_that_are_announced(variant: Variant) -> None:
    prepared = METRO.prepare(variant)
    tables = METRO.play_games(prepared, 0, 2)
    for table, schema in METRO.tables.items():
        assert METRO.frame(prepared, table, tables[table]).schema == schema
        assert set(METRO.columns[table]) == set(schema)


def test_common_columns_have_the_names_of_the_house() -> None:
    games = {"variant", "game", "layout", "status", "end_reason", "turns", "lines_ended", "winner", "margin"}
    seats = {"variant", "game", "seat", "player", "bot", "score", "lines_ended", "rank", "win_share"}
    assert games | {"lead_changes", "decided_turn"} <= set(METRO.tables["games"])
    assert seats <= set(METRO.tables["seats"])


def test_the_name_of_a_variant_may_have_a_suffix() -> None:
    prepared = METRO.prepare(Variant("metro", 2, suffix="@short"))
    frame = METRO.frame(prepared, "games", METRO.play_games(prepared, 0, 1)["games"])
    assert frame["variant"].to_list() == ["metro-2p@short"]
    assert prepared.name == "metro-2p@short"


# --- pure games ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bots", ["uniform", "search:playouts=8,width=2,planner,greedy,spoiler"])
@pytest.mark.parametrize("seats", ["fixed", "rotate"])
@pytest.mark.parametrize("spec", ["metro", "metro+companies+stations", "metro+central+numbers"])
def test_a_game_is_the_same_alone_and_in_parts_of_any_size(spec: str, seats: str, bots: str) -> None:
    prepared = METRO.prepare(Variant(spec, 4, bots=bots, seats=seats))
    together = METRO.play_games(prepared, 5, 12)
    for cuts in ([5, 6, 17], [5, 13, 14, 17]):
        parts = [METRO.play_games(prepared, a, b - a) for a, b in pairwise(cuts)]
        for table in together:
            assert np.concatenate([part[table] for part in parts]).tobytes() == together[table].tobytes()


def test_variants_with_one_seed_share_the_supply() -> None:
    supplies = {
        METRO.new_game(METRO.prepare(Variant(spec, 4, seed=3)), 7).deal.supply
        for spec in ("metro", "metro+free", "metro+hand3", "metro+companies", "metro+numbers", "metro+central")
    }
    assert len(supplies) == 1


@pytest.mark.parametrize("players", [2, 3, 6])
def test_with_rotated_seats_the_games_of_a_round_share_the_deal_and_the_bots_move_on(players: int) -> None:
    bots = ",".join(["greedy", *["uniform"] * (players - 1)])
    prepared = METRO.prepare(Variant("metro+central+numbers", players, bots=bots, seats="rotate"))
    deals = [METRO.new_game(prepared, game).deal for game in range(2 * players)]
    assert len(set(deals[:players])) == len(set(deals[players:])) == 1
    assert deals[0] != deals[players]
    tables = METRO.play_games(prepared, 0, players)
    frame = METRO.frame(prepared, "seats", tables["seats"]).filter(pl.col("bot") == "greedy")
    assert frame.select("game", "seat").rows() == [(game, -game % players) for game in range(players)]
    assert METRO.record(prepared, 1)["seats"][players - 1]["bot"] == "greedy"


def test_an_unknown_seating_seed_or_board_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown seating 'rotated'; did you mean 'rotate'"):
        METRO.prepare(Variant("metro", seats="rotated"))
    with pytest.raises(UsageError, match="master seed"):
        METRO.prepare(Variant("metro", seed=-1))
    with pytest.raises(UsageError, match="metro has one board, 'metro', and no 'grand'"):
        METRO.prepare(Variant("metro", board="grand"))


def test_a_manifest_can_tell_everything_of_a_variant_in_json() -> None:
    playable = METRO.prepare(Variant("metro+central+numbers", 3, bots="search:playouts=9,uniform,greedy"))
    described = msgspec.json.decode(msgspec.json.encode(playable.description))
    assert [bot["bot"] for bot in described["bots"]] == ["search:playouts=9", "uniform", "greedy"]
    assert described["bots"][2] == {"bot": "greedy", "open": 12, "given": 1}
    assert described["ruleset"]["name"] == "metro+central+numbers"
    assert described["ruleset"]["central"] is True
    assert len(described["board"]["central_tiles"]) == 8
    assert described["seat_player"] == [0, 1, 2]
