"""Who leads, who wins and by how much: the part of a position that all games have in common.

A position has the fields `leader`, `leader_since`, `lead_changes`, `turn` and `winners`; a row of `games` has `winner`,
`decided_turn` and `lead_changes`.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import count_bits, lowest_bit

State: TypeAlias = Any  # a position of any game
_MAX_MARGIN = 30.0  # points; a larger margin counts no more
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def clear_lead(s: State) -> None:
    s.leader = -1
    s.leader_since = 0
    s.lead_changes = 0


@inlined
def two_best(best: Any, second: Any, points: Any) -> tuple[Any, Any]:
    """The two highest numbers of points, after another player's."""
    return max(best, points), max(second, min(best, points))


@inlined
def rank_of(standings: Any, players: Any, player: Any) -> np.int64:
    """The rank of a player; ties share the better one."""
    rank = np.int64(1)
    for opponent in range(players):
        rank += np.int64(standings[ix(opponent)] > standings[ix(player)])
    return rank


@jit
def update_lead(s: State, points: Any, players: Any) -> None:
    """The leader is the last player to have been ahead of all others."""
    best = second = leader = np.int64(-1)
    for p in range(players):  # without branches, which could not be predicted
        player, scored = np.int64(p), points[ix(p)]
        leader = player if scored > best else leader
        best, second = two_best(best, second, scored)
    if best > second and leader != s.leader:
        s.lead_changes += np.int64(s.leader >= 0)
        s.leader = leader
        s.leader_since = s.turn


@inlined
def write_lead(s: State, row: Any) -> None:
    """Write who won, since which turn they led, and how often the lead changed, including the final scoring."""
    row.winner = -1
    row.decided_turn = -1
    lead_changes = s.lead_changes
    if count_bits(s.winners) == 1:
        winner = lowest_bit(s.winners)
        row.winner = winner
        row.decided_turn = s.leader_since if s.leader == winner else s.turn + 1
        lead_changes += np.int64(s.leader >= 0 and s.leader != winner)
    row.lead_changes = lead_changes


@inlined
def win_share(winners: Any, player: Any) -> float:
    """A player's share of the win: tied winners share it equally."""
    return 1.0 / np.float64(count_bits(winners)) if winners >> np.uint64(player) & _ONE != _ZERO else 0.0


@inlined
def win_and_margin(winners: Any, player: Any, ahead: Any, margin: Any) -> float:
    """The value of a finished game for a player: the share of the win, plus at most `margin` for being far ahead."""
    return win_share(winners, player) + margin * max(min(ahead / _MAX_MARGIN, 1.0), -1.0)
