"""A game of Metro in words: turn by turn, step by step for a replay, and its score sheet."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich.table import Table

from mmsim.core.replay import Replay, ReplaySeat, ReplayStep
from mmsim.metro.rules.board import COLOURS, STATIONS
from mmsim.metro.rules.deal import PERCENTS
from mmsim.metro.rules.position import Arrival, Game, PlayedMove
from mmsim.metro.rules.reference import carry_out
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.tiles import turned
from mmsim.metro.shell import record
from mmsim.metro.shell.draw import OWNER, TERMINAL_OWNER, TRACK, animated_canvas

_TURNS = ("", " a quarter right", " upside down", " a quarter left")


def player(game: Game, seat: int) -> str:
    """The name of a player: the colour of the wagons, or with module 1 the seat."""
    return f"Player {seat + 1}" if game.rules.companies else COLOURS[seat]


def holding(game: Game, seat: int) -> str:
    """What a player holds, hidden from the others."""
    parts = ["tiles " + ", ".join(game.hands[seat]) if game.hands[seat] else "no tiles"]
    if game.rules.companies:
        shares = zip(PERCENTS, game.shares[seat], strict=True)
        parts.append(", ".join(f"{percent} % {COLOURS[company]}" for percent, company in shares))
    if game.rules.numbers:
        parts.append("numbers " + ", ".join(str(number) for number in game.deal.numbers[seat]))
    return "; ".join(parts)


def tell_game(game: Game) -> Iterator[str]:
    """The story of a finished game, one line per turn."""
    replay = Game(game.rules, game.deal)
    width = max(len(player(game, seat)) for seat in range(game.rules.players))
    for turn, moves in groupby(game.history, key=lambda played: played.turn):
        seat = replay.seat
        phrases = []
        for played in moves:
            phrases.append(phrase(replay, played))
            carry_out(replay, played.move)
            phrases += [arrival(replay, arrived) for arrived in played.arrivals]
        yield f"{turn:3}  {player(game, seat):{width}}  {'; '.join(phrases)}"


def phrase(before: Game, played: PlayedMove) -> str:
    """The effect of one move, in words."""
    move = played.move
    if move.kind == "draw":
        return f"draws {before.supply[0]}"
    if move.kind == "place":
        assert move.tile is not None
        assert move.turns is not None
        assert move.cell is not None
        lies = f" (now {turned(move.tile, move.turns)})" if move.turns else ""
        return f"places {move.tile}{_TURNS[move.turns]}{lies} at {move.cell[0]},{move.cell[1]}"
    if move.kind == "exchange":
        assert move.share is not None
        company = COLOURS[before.shares[before.seat][PERCENTS.index(move.share)]]
        return f"exchanges {move.share} % {company} for the {move.take} share"
    if move.kind == "wagon":
        assert move.edge is not None
        shown = "" if move.share is None else f", showing the {move.share} % share"
        return f"puts a wagon in the centre at {_stop(move.edge)}{shown}"
    return "passes"


def arrival(game: Game, arrived: Arrival) -> str:
    whose = COLOURS[game.owner[arrived.line]] if arrived.line in game.owner else "nobody"
    points = f" (+{arrived.points})" if arrived.line in game.owner else ""
    tiles = f"{arrived.tiles} tile{'' if arrived.tiles == 1 else 's'}"
    return f"{whose} {_stop(arrived.line)} reaches {_stop(arrived.to)} over {tiles}{points}"


def _stop(stop: int) -> str:
    return f"station {stop}" if stop <= STATIONS else f"centre {stop - STATIONS}"


def score_sheet(game: Game, outcome: Result) -> Table:
    """The parts of every player's score."""
    rules = game.rules
    table = Table(title="Score sheet", title_justify="left", pad_edge=False)
    table.add_column("")
    for seat in range(rules.players):
        table.add_column(player(game, seat), justify="right", style="" if rules.companies else TERMINAL_OWNER[seat])
    rows = {
        "lines": not rules.companies and outcome.line_points,
        "shares": rules.companies and outcome.share_points,
        "majorities": rules.companies and outcome.bonus_points,
        "station numbers": rules.numbers and outcome.number_points,
    }
    for name, values in rows.items():
        if values:
            table.add_row(name, *(str(value) for value in values))
    table.add_section()
    table.add_row("score", *(str(value) for value in outcome.scores))
    return table


def companies(outcome: Result) -> list[str]:
    """X15: one line per company: its profit and its value."""
    companies = zip(COLOURS, outcome.profits, outcome.values, strict=False)
    return [f"{colour}: profit {profit}, value {value}" for colour, profit, value in companies]


def verdict(game: Game, outcome: Result) -> str:
    """Who won, in a sentence."""
    names = [player(game, seat) for seat in outcome.winners]
    points = outcome.scores[outcome.winners[0]]
    end = f"with {points} point{'' if points == 1 else 's'} after {game.turn} turns ({outcome.end_reason})."
    if len(names) == 1:
        return f"{names[0]} wins {end}"
    return f"{', '.join(names[:-1])} and {names[-1]} share the win {end}"


# --- a replay, step by step ---------------------------------------------------------------------------------


def replay(record_json: Any) -> Replay:
    """The game of a record, verified by the reference engine."""
    game = record.verify(record_json)
    outcome = result(game)
    steps = [*_playing(game), _scoring(game, outcome)]
    texts = [f"turn {step.turn}: {step.text}" if step.turn else step.text for step in steps]
    seed, companies = record_json["seed"], game.rules.companies
    return Replay(
        f"{game.rules.variant}, seed {seed['master']}, game {seed['game']}",
        [
            # with module 1 a colour is a company's, not a player's
            ReplaySeat(player(game, i), TRACK if companies else OWNER[i], seat["bot"], seat["player"])
            for i, seat in enumerate(record_json["seats"])
        ],
        steps,
        True,
        verdict(game, outcome),
        lambda: animated_canvas(game, texts),
        outcome.winners,
    )


def _playing(game: Game) -> Iterator[ReplayStep]:
    replayed = Game(game.rules, game.deal)
    yield ReplayStep(0, None, "The tiles are shuffled and dealt.", _points(replayed), _hands(replayed))
    for played in game.history:
        phrases = [f"{player(game, played.seat)}: {phrase(replayed, played)}"]
        carry_out(replayed, played.move)
        phrases += [arrival(replayed, arrived) for arrived in played.arrivals]
        yield ReplayStep(played.turn, played.seat, "; ".join(phrases), _points(replayed), _hands(replayed))


def _scoring(game: Game, outcome: Result) -> ReplayStep:
    scores = [f"{player(game, seat)} {score}" for seat, score in enumerate(outcome.scores)]
    return ReplayStep(game.turn, None, f"The game is over: {', '.join(scores)}.", outcome.scores, _hands(game))


def _points(game: Game) -> list[int]:
    """Of every player so far; with module 1 the worth of shares is known only at the end."""
    return [0] * game.rules.players if game.rules.companies else list(game.points)


def _hands(game: Game) -> list[str]:
    return [holding(game, seat) for seat in range(game.rules.players)]
