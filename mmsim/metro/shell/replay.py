"""A finished game of Metro to step through: every move, then the final scores."""

from collections.abc import Iterator
from typing import Any

from mmsim.core.shell import Replay, ReplaySeat, ReplayStep
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import carry_out
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.shell import record, story
from mmsim.metro.shell.draw_palette import OWNER, TRACK


def replay(record_json: Any) -> Replay:
    """The game of a record, verified by the reference engine."""
    game = record.verify(record_json)
    outcome = result(game)
    moments = [*_playing(game), _scoring(game, outcome)]
    texts = [f"turn {moment.turn}: {moment.text}" if moment.turn else moment.text for moment in moments]

    def film() -> Any:
        from mmsim.metro.shell.draw import film  # a slow import that only pictures need

        return film(game, texts)

    seed, companies = record_json["seed"], game.rules.companies
    return Replay(
        f"{game.rules.variant}, seed {seed['master']}, game {seed['game']}",
        [
            # with module 1 a colour is a company's, not a player's
            ReplaySeat(story.player(game, i), TRACK if companies else OWNER[i], seat["bot"], seat["player"])
            for i, seat in enumerate(record_json["seats"])
        ],
        moments,
        True,
        story.verdict(game, outcome),
        film,
    )


def _playing(game: Game) -> Iterator[ReplayStep]:
    then = Game(game.rules, game.deal)
    yield ReplayStep(0, None, "The tiles are shuffled and dealt.", _points(then), _hands(then))
    for played in game.history:
        words = [f"{story.player(game, played.seat)}: {story.phrase(then, played)}"]
        carry_out(then, played.move)
        words += [story.arrival(then, arrived) for arrived in played.arrivals]
        yield ReplayStep(played.turn, played.seat, "; ".join(words), _points(then), _hands(then))


def _scoring(game: Game, outcome: Result) -> ReplayStep:
    scores = [f"{story.player(game, seat)} {score}" for seat, score in enumerate(outcome.scores)]
    return ReplayStep(game.turn, None, f"The game is over: {', '.join(scores)}.", outcome.scores, _hands(game))


def _points(game: Game) -> list[int]:
    """Of every player so far; with module 1 what shares are worth is known at the end only."""
    return [0] * game.rules.players if game.rules.companies else list(game.points)


def _hands(game: Game) -> list[str]:
    return [story.holding(game, seat) for seat in range(game.rules.players)]
