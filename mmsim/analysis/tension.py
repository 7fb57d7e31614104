"""How tense a game was, by the chances to win after each of its turns; see docs/tension.md for the definitions.

Chances are means of playouts and vary by chance themselves. A player counts as ahead of another only where the
difference is more than two standard errors, so that noise makes neither leads nor drama.
"""

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

Chances = NDArray[np.float64]  # [turn, player], before the first turn and after every one
_ERRORS = 2.0  # standard errors by which a lead must be known

COLUMNS = ("lead_changes", "decided", "comeback", "tension", "drama")


def expected_winners(chances: Chances, playouts: int) -> list[int]:
    """After every turn the player who is likeliest to win; -1 before anybody is ahead.

    Who is expected to win stays so until somebody else is ahead of that player. After the last turn it is the winner,
    or -1 where several share the win.
    """
    expected, found = -1, []
    for row in chances[:-1]:
        best = int(row.argmax())
        others = [expected] if expected >= 0 else [player for player in range(len(row)) if player != best]
        if best != expected and all(_is_ahead(row, best, other, playouts) for other in others):
            expected = best
        found.append(expected)
    winner = int(chances[-1].argmax())
    return [*found, winner if chances[-1, winner] == 1.0 else -1]


def tension(chances: Chances, playouts: int) -> dict[str, float | None]:
    """The numbers of a game, by the names of their columns; those about the winner are None where a win is shared."""
    expected, turns = expected_winners(chances, playouts), len(chances) - 1
    known = [player for player in expected if player >= 0]
    winner = expected[-1]
    found: dict[str, float | None] = {
        "lead_changes": sum(one != other for one, other in pairwise(known)),
        "tension": float(np.mean([_uncertainty(row, playouts) for row in chances[:-1]])),
    }
    if winner < 0:
        return {name: found.get(name) for name in COLUMNS}
    half = chances[turns // 2]
    found["decided"] = next(turn for turn in range(turns + 1) if set(expected[turn:]) == {winner}) / max(turns, 1)
    found["comeback"] = float(_is_ahead(half, int(half.argmax()), winner, playouts))
    behind = [row.max() - row[winner] for row in chances[:-1] if _is_ahead(row, int(row.argmax()), winner, playouts)]
    found["drama"] = float(np.sqrt(behind).sum() / max(turns, 1))
    return {name: found[name] for name in COLUMNS}


def _is_ahead(row: Chances, one: int, other: int, playouts: int) -> bool:
    """Whether a player's chance is higher than another's by more than playouts vary."""
    apart = float(row[one] - row[other])
    variance = (row[one] + row[other] - apart * apart) / playouts  # of the difference of two shares of one sample
    return apart > _ERRORS * float(np.sqrt(variance))


def _uncertainty(row: Chances, playouts: int) -> float:
    """The entropy of who wins as a share of the most there can be, with Miller's correction for few playouts."""
    possible = row[row > 0]
    entropy = -float((possible * np.log(possible)).sum()) + (len(possible) - 1) / (2 * playouts)
    return min(entropy / float(np.log(len(row))), 1.0)


def tension_table(chances: pl.DataFrame) -> pl.DataFrame:
    """One row a game of a table of chances: `variant`, `game` and the numbers of its course."""
    rows = []
    for (variant, game), own in chances.sort("variant", "game", "turn", "player").group_by(
        "variant", "game", maintain_order=True
    ):
        players = own["player"].n_unique()
        by_turn = own["chance"].to_numpy().reshape(-1, players)
        rows.append({"variant": variant, "game": game, **tension(by_turn, own["playouts"][0])})
    schema = {"variant": pl.String, "game": pl.Int64, **dict.fromkeys(COLUMNS, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")
