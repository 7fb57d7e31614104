"""How tense a game was, by the win chances after each of its turns; docs/tension.md has the definitions.

Win chances are means of playouts and have a sampling error. A player counts as ahead of another only if the difference
is more than two standard errors, so that noise creates neither leads nor drama.
"""

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

WinChances = NDArray[np.float64]  # [turn, player], before the first turn and after every one
_LEAD_STANDARD_ERRORS = 2.0
COLUMNS = ("lead_changes", "decided", "comeback", "tension", "drama")


def expected_winners(chances: WinChances, playouts: int) -> list[int]:
    """After every turn the player most likely to win; -1 before anybody is ahead.

    A player stays the expected winner until somebody else is ahead of that player. After the last turn it is the
    winner, or -1 if several share the win.
    """
    expected, winners = -1, []
    for row in chances[:-1]:
        best = int(row.argmax())
        others = [expected] if expected >= 0 else [player for player in range(len(row)) if player != best]
        if best != expected and all(_is_ahead(row, best, other, playouts) for other in others):
            expected = best
        winners.append(expected)
    winner = int(chances[-1].argmax())
    return [*winners, winner if chances[-1, winner] == 1.0 else -1]


def tension(chances: WinChances, playouts: int) -> dict[str, float | None]:
    """The tension metrics of a game by column; those about the winner are None if the win is shared."""
    expected, turns = expected_winners(chances, playouts), len(chances) - 1
    known = [player for player in expected if player >= 0]
    winner = expected[-1]
    values: dict[str, float | None] = {
        "lead_changes": sum(before != after for before, after in pairwise(known)),
        "tension": float(np.mean([_uncertainty(row, playouts) for row in chances[:-1]])),
    }
    if winner < 0:
        return {name: values.get(name) for name in COLUMNS}
    half = chances[turns // 2]
    values["decided"] = next(turn for turn in range(turns + 1) if set(expected[turn:]) == {winner}) / max(turns, 1)
    values["comeback"] = float(_is_ahead(half, int(half.argmax()), winner, playouts))
    behind = [row.max() - row[winner] for row in chances[:-1] if _is_ahead(row, int(row.argmax()), winner, playouts)]
    values["drama"] = float(np.sqrt(behind).sum() / max(turns, 1))
    return {name: values[name] for name in COLUMNS}


def _is_ahead(row: WinChances, player: int, other: int, playouts: int) -> bool:
    """True if a player's chance is significantly higher than another's."""
    difference = float(row[player] - row[other])
    variance = (row[player] + row[other] - difference * difference) / playouts  # of two shares of one sample
    return difference > _LEAD_STANDARD_ERRORS * float(np.sqrt(variance))


def _uncertainty(row: WinChances, playouts: int) -> float:
    """The entropy of who wins as a share of its maximum, with Miller's correction for few playouts."""
    possible = row[row > 0]
    entropy = -float((possible * np.log(possible)).sum()) + (len(possible) - 1) / (2 * playouts)
    return min(entropy / float(np.log(len(row))), 1.0)


def tension_table(chances: pl.DataFrame) -> pl.DataFrame:
    """One row per game of a table of win chances: `variant`, `game` and the tension metrics."""
    rows = []
    games = chances.sort("variant", "game", "turn", "player").group_by("variant", "game", maintain_order=True)
    for (variant, game), turns in games:
        by_turn = turns["chance"].to_numpy().reshape(-1, turns["player"].n_unique())
        rows.append({"variant": variant, "game": game, **tension(by_turn, turns["playouts"][0])})
    schema = {"variant": pl.String, "game": pl.Int64, **dict.fromkeys(COLUMNS, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")
