"""A finished game of Metromania to step through: every move, the points kept, the seven trips, the final scores."""

from collections.abc import Iterator
from typing import Any

from mmsim.core.shell import Replay, ReplaySeat, ReplayStep
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import carry_out
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.shell import record, story
from mmsim.metromania.shell.draw_palette import COMPANY


def replay(record_json: Any) -> Replay:
    """The game of a record, verified by the reference engine."""
    game = record.verify(record_json)
    outcome = result(game)
    moments = [*_building(game), *_scoring(game, outcome)]
    texts = [f"turn {moment.turn}: {moment.text}" if moment.turn else moment.text for moment in moments]

    def film() -> Any:
        from mmsim.metromania.shell.draw import film  # a slow import that only pictures need

        return film(game, outcome.trips, texts)

    seed = record_json["seed"]
    return Replay(
        f"{game.rules.variant} on {game.city.board_set.name} {game.city.layout.code}, "
        f"seed {seed['master']}, game {seed['game']}",
        [
            ReplaySeat(story.company(game, seat["seat"]), COMPANY[seat["seat"]], seat["bot"], seat["player"])
            for seat in record_json["seats"]
        ],
        moments,
        game.rules.hands != "open",
        story.verdict(game, outcome),
        film,
    )


def _building(game: Game) -> Iterator[ReplayStep]:
    then = Game(game.city, game.rules, game.dealt)
    yield ReplayStep(0, None, "The city is laid out, the markers are dealt.", list(then.points), _hands(then))
    for played in game.history:
        words = f"{story.company(game, played.seat)}: {story.phrase(then, played)}"
        carry_out(then, played.move)
        yield ReplayStep(played.turn, played.seat, words, list(then.points), _hands(then))


def _scoring(game: Game, outcome: Result) -> Iterator[ReplayStep]:
    points, hands = list(outcome.kept_points), _hands(game)
    kept = ", ".join(
        f"{story.company(game, seat)} {kept} of {had}"
        for seat, (kept, had) in enumerate(zip(outcome.kept_points, outcome.station_points, strict=True))
    )
    yield ReplayStep(game.turn, None, f"Building is over. Of the station points are kept: {kept}.", list(points), hands)
    for trip in outcome.trips:
        points = [had + more for had, more in zip(points, trip.scores, strict=True)]
        yield ReplayStep(game.turn, None, f"{story.trip_sentence(game, trip)}.", points, hands)
    scores = ", ".join(f"{story.company(game, seat)} {score}" for seat, score in enumerate(outcome.scores))
    yield ReplayStep(game.turn, None, f"The game is over: {scores}.", points, hands)


def _hands(game: Game) -> list[str]:
    return [", ".join(map(str, hand)) for hand in game.hands]
