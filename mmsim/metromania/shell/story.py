"""A game of Metromania in words: turn by turn, step by step for a replay, and its score sheet."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.table import Table

from mmsim.core.replay import Replay, ReplaySeat, ReplayStep
from mmsim.metromania.bots.reasons import Reason
from mmsim.metromania.rules.lattice import Vertex
from mmsim.metromania.rules.position import DECLINE, Game, Move, PlayedMove
from mmsim.metromania.rules.reference import carry_out, meets, splits
from mmsim.metromania.rules.reference_scoring import PARK_LAKE, Result, Trip, result
from mmsim.metromania.shell import record
from mmsim.metromania.shell.draw import animated_canvas
from mmsim.metromania.shell.draw_palette import COMPANY, TERMINAL_COMPANY
from mmsim.metromania.shell.draw_palette import COMPANY_NAMES as COMPANIES

LINES = ("solid", "striped")
_REASONS = {
    "both_lines": "a company has ended both its lines",
    "stations": "the last station is placed",
    "lines": "{end_lines} lines are ended or blocked",
    "deadlock": "nobody can do anything any more",
}
_LAST_ROUNDS = {"others": "every other company has one last turn", "round": "the round is finished"}
_FAULTS = {"not_placed": "marker not placed", "no_station": "no station at marker", "no_route": "no route"}


def company(game: Game, seat: int) -> str:
    """The name of a company, with its player if players have two companies each."""
    player = game.rules.seat_player[seat]
    return COMPANIES[seat] + (f" (player {player + 1})" if game.rules.companies > game.rules.players else "")


def tell_game(game: Game, reasons: Mapping[int, Sequence[Reason]] | None = None) -> Iterator[str]:
    """The story of a finished game, one line per turn; below it the bot's reasons, if given."""
    replay = Game(game.city, game.rules, game.dealt)
    width = max(len(company(game, seat)) for seat in range(game.rules.companies))
    triggered = False
    for turn, moves in groupby(game.history, key=lambda played: played.turn):
        seat = replay.seat
        phrases: list[str] = []
        eventful = True  # whether the last tunnel did more than reach a vertex
        for played in moves:
            words = phrase(replay, played)
            if words.startswith("on to") and not eventful:
                phrases[-1] += words.removeprefix("on to")
            else:
                phrases.append(words)
            eventful = bool(played.stations) or played.move.marker is not None
            carry_out(replay, played.move)
        yield f"{turn:3}  {company(game, seat):{width}}  {'; '.join(phrases)}"
        yield from (f"       {reason_text(reason)}" for reason in (reasons or {}).get(turn, ()))
        if replay.end_reason and not triggered:
            triggered = True
            last = _LAST_ROUNDS[game.rules.last_round] if replay.last_seats else "building stops"
            yield f"     -- {_REASONS[replay.end_reason].format(end_lines=game.rules.end_lines)}: {last} --"


def reason_text(reason: Reason) -> str:
    """A turn a bot considered: its value, its first move, and the parts of the value, the largest first."""
    move = reason.move
    begins = move.kind if move.line is None else f"{move.kind} {LINES[move.line]}"
    where = move.to or move.at
    begins += f" {_at(where)}" if where else ""
    begins += f" laying {move.marker}" if move.marker else ""
    if reason.playouts:
        return f"{reason.value:8.3f}  {begins}: mean of {reason.playouts} playouts"
    parts = sorted(reason.features.items(), key=lambda item: -abs(item[1]))
    return f"{reason.value:8.2f}  {begins}: " + (", ".join(f"{name} {part:+.2f}" for name, part in parts) or "nothing")


def phrase(before: Game, played: PlayedMove) -> str:
    """The effect of one move, in words."""
    move = played.move
    if move == DECLINE:
        return "declines the bonus station"
    if move.kind == "pass":
        return "passes"
    assert move.line is not None
    name = LINES[move.line]
    if move.at is not None:
        station = "bonus station" if move.kind == "bonus" else "intermediate station"
        return f"{station} on {name} at {_at(move.at)}{_score(played)}"
    assert move.cell is not None
    assert move.to is not None
    if move.kind == "start":
        text = f"starts {name} on side {move.cell[1]} to {_at(move.to)}"
    elif move.kind == "end":
        text = f"ends {name} on side {move.cell[1]}"
    elif _goes_on(before, move):
        text = f"on to {_at(move.to)}"
    else:
        text = f"digs {name} to {_at(move.to)}"
    if move.marker is not None:
        text += f", placing {move.marker}"
    if played.stations:
        text += f", {_causes(before, played)}{_score(played)}"
    return text


def _goes_on(before: Game, move: Move) -> bool:
    """Whether the same line was dug just before in this turn."""
    if not before.history or before.dug == 0:
        return False
    last = before.history[-1].move
    return last.kind in ("start", "dig") and last.line == move.line


def _causes(before: Game, played: PlayedMove) -> str:
    """The lines that a tunnel left or met where it made stations."""
    move = played.move
    assert move.line is not None
    assert move.cell is not None
    assert move.to is not None
    this = before.lines[played.seat][move.line]
    u = this.terminus if this.started else before.city.lattice.corners[move.cell][2]
    parts = []
    for station in played.stations:
        split = station == u
        names = [
            f"{COMPANIES[seat]} {LINES[number]}"
            for seat, number, line in before.all_lines()
            if line is not this
            and line.started
            and (splits(this, [line], u, move.to) if split else meets([line], u, move.to))
        ]
        parts.append(f"{'leaving' if split else 'meeting'} {' and '.join(names)} at {_at(station)}")
    return " and ".join(parts)


def _score(played: PlayedMove) -> str:
    return f" (+{played.points})" if played.points else ""


def _at(vertex: Vertex) -> str:
    return f"({vertex[0]},{vertex[1]})"


def score_sheet(game: Game, outcome: Result) -> Table:
    """Station points, points kept, every trip with its minutes, the final scores."""
    seats = range(game.rules.companies)
    table = Table(title="Score sheet", title_justify="left", pad_edge=False)
    table.add_column("")
    table.add_column("minutes", justify="right")
    for seat in seats:
        table.add_column(company(game, seat), justify="right", style=TERMINAL_COMPANY[seat])
    table.add_column("")

    def row(name: str, values: list[int] | list[str], minutes: str = "", note: str = "") -> None:
        table.add_row(name, minutes, *(str(value) for value in values), note)

    row("station points", outcome.station_points)
    row("lines ended", [sum(line.ended for line in game.lines[seat]) for seat in seats])
    row("kept", outcome.kept_points)
    if any(game.rules.points_by_seat):
        row("by seat", [*game.rules.points_by_seat])  # H1
    table.add_section()
    for trip in outcome.trips:
        scores = [f"{score:+d}" if score else "." for score in trip.scores]
        minutes = "-" if trip.minutes is None else str(trip.minutes)
        row(_trip_name(trip), scores, minutes, _trip_note(trip))
    table.add_section()
    row("score", outcome.scores)
    return table


def _trip_name(trip: Trip) -> str:
    return "park - lake" if trip.name == PARK_LAKE else f"trip {trip.name} - {trip.name}"


def _trip_note(trip: Trip) -> str:
    """Why a trip is impossible, and whose fault that is."""
    if trip.minutes is None:
        faults = [f"{COMPANIES[seat]}: {_FAULTS[fault]}" for seat, fault in sorted(trip.guilty.items())]
        return ", ".join(faults) or "impossible"
    return ""


def trip_sentence(game: Game, trip: Trip) -> str:
    """The result of a trip, in words."""
    name = _trip_name(trip).capitalize() if trip.name == PARK_LAKE else f"Trip {trip.name} - {trip.name}"
    outcome = _trip_note(trip) if trip.minutes is None else f"{trip.minutes} minute{'s' * (trip.minutes != 1)}"
    scores = [f"{company(game, seat)} {score:+d}" for seat, score in enumerate(trip.scores) if score]
    return f"{name}: {outcome}; {', '.join(scores) or 'nobody scores'}"


def verdict(game: Game, outcome: Result) -> str:
    """Who won, in a sentence."""
    seat_player = game.rules.seat_player
    names = [
        " + ".join(COMPANIES[seat] for seat, owner in enumerate(seat_player) if owner == player)
        for player in outcome.winners
    ]
    points = sum(s for s, owner in zip(outcome.scores, seat_player, strict=True) if owner == outcome.winners[0])
    end = f"with {points} point{'' if abs(points) == 1 else 's'} after {game.turn} turns ({outcome.end_reason})."
    if len(names) == 1:
        return f"{names[0]} {'win' if '+' in names[0] else 'wins'} {end}"
    return f"{', '.join(names[:-1])} and {names[-1]} share the win {end}"


# --- a replay, step by step ---------------------------------------------------------------------------------


def replay(record_json: Any) -> Replay:
    """The game of a record, verified by the reference engine."""
    game = record.verify(record_json)
    outcome = result(game)
    steps = [*_building(game), *_scoring(game, outcome)]
    texts = [f"turn {step.turn}: {step.text}" if step.turn else step.text for step in steps]
    seed = record_json["seed"]
    return Replay(
        f"{game.rules.variant} on {game.city.board_set.name} {game.city.layout.code}, "
        f"seed {seed['master']}, game {seed['game']}",
        [
            ReplaySeat(company(game, seat["seat"]), COMPANY[seat["seat"]], seat["bot"], seat["player"])
            for seat in record_json["seats"]
        ],
        steps,
        game.rules.hands != "open",
        verdict(game, outcome),
        lambda: animated_canvas(game, outcome.trips, texts),
        outcome.winners,
    )


def _building(game: Game) -> Iterator[ReplayStep]:
    replayed = Game(game.city, game.rules, game.dealt)
    yield ReplayStep(0, None, "The city is laid out, the markers are dealt.", list(replayed.points), _hands(replayed))
    for played in game.history:
        words = f"{company(game, played.seat)}: {phrase(replayed, played)}"
        carry_out(replayed, played.move)
        yield ReplayStep(played.turn, played.seat, words, list(replayed.points), _hands(replayed))


def _scoring(game: Game, outcome: Result) -> Iterator[ReplayStep]:
    hands = _hands(game)
    points = [kept + more for kept, more in zip(outcome.kept_points, game.rules.points_by_seat, strict=True)]  # H1
    kept = ", ".join(
        f"{company(game, seat)} {kept} of {had}"
        for seat, (kept, had) in enumerate(zip(outcome.kept_points, outcome.station_points, strict=True))
    )
    yield ReplayStep(game.turn, None, f"Building is over. Of the station points are kept: {kept}.", list(points), hands)
    for trip in outcome.trips:
        points = [had + more for had, more in zip(points, trip.scores, strict=True)]
        yield ReplayStep(game.turn, None, f"{trip_sentence(game, trip)}.", points, hands)
    scores = ", ".join(f"{company(game, seat)} {score}" for seat, score in enumerate(outcome.scores))
    yield ReplayStep(game.turn, None, f"The game is over: {scores}.", points, hands)


def _hands(game: Game) -> list[str]:
    return [", ".join(map(str, hand)) for hand in game.hands]
