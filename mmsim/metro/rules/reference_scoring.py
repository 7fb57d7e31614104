"""The reference engine, continued: points for shares and station numbers, and who wins (X12, X15, X18)."""

from dataclasses import dataclass

from mmsim.errors import UsageError
from mmsim.metro.rules.board import STATIONS
from mmsim.metro.rules.deal import PERCENTS
from mmsim.metro.rules.position import Game


@dataclass(frozen=True)
class Result:
    """The end of a game; lists go by player, with module 1 `profits` and `values` by company."""

    end_reason: str
    line_points: list[int]
    number_points: list[int]
    share_points: list[int]
    bonus_points: list[int]
    profits: list[int]
    values: list[int]
    scores: list[int]
    winners: list[int]


def result(game: Game) -> Result:
    """The outcome of a game that is over."""
    if game.end_reason is None:
        raise UsageError("the game is not over")
    nothing = [0] * game.rules.players
    values = company_values(game.points) if game.rules.companies else []
    lines = nothing if game.rules.companies else list(game.points)
    numbers = number_points(game) if game.rules.numbers else nothing
    shares = share_points(game, values) if game.rules.companies else nothing
    bonus = bonus_points(game) if game.rules.companies else nothing
    scores = [sum(parts) for parts in zip(lines, numbers, shares, bonus, strict=True)]
    winners = [seat for seat, score in enumerate(scores) if score == max(scores)]  # X12: ties share
    profits = list(game.points) if game.rules.companies else []
    return Result(game.end_reason, lines, numbers, shares, bonus, profits, values, scores, winners)


def company_values(profits: list[int]) -> list[int]:
    """X15: 8 for the most profit down to 1; equal profits have the same value and the next ranks are skipped."""
    return [len(profits) - sum(rival > profit for rival in profits) for profit in profits]


def share_points(game: Game, values: list[int]) -> list[int]:
    """X15: a share is worth a tenth of its percentage times the value of its company."""
    return [
        sum(percent // 10 * values[company] for percent, company in zip(PERCENTS, shares, strict=True))
        for shares in game.shares
    ]


def bonus_points(game: Game) -> list[int]:
    """X15: the holder of most of a company gets a tenth of its profit, rounded down; equal holders all do."""
    bonus = [0] * game.rules.players
    for company, profit in enumerate(game.points):
        held = [
            sum(percent for percent, held_company in zip(PERCENTS, shares, strict=True) if held_company == company)
            for shares in game.shares
        ]
        for seat, percent in enumerate(held):
            if percent > 0 and percent == max(held):
                bonus[seat] += profit // 10
    return bonus


def number_points(game: Game) -> list[int]:
    """X18: every line that ended in a station gives its points to the holder of the number; from the centre, double."""
    return [
        sum(
            arrived.points * (2 if arrived.line > STATIONS else 1)
            for arrived in game.arrivals.values()
            if arrived.to in numbers
        )
        for numbers in game.deal.numbers
    ]
