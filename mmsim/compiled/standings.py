"""Who is in front on the score track, followed through a game: the part of a position that every game keeps alike.

A position has the fields `leader`, `leader_since`, `lead_changes`, `turn` and `winners`; a row of `games` has `winner`,
`decided_turn` and `lead_changes`.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit

State: TypeAlias = Any  # a position of any game
_WIDE = 30.0  # more points of margin count no more than so many
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined
def clear_lead(s: State) -> None:
    """Nobody is in front."""
    s.leader = -1
    s.leader_since = 0
    s.lead_changes = 0


@inlined
def two_best(best: Any, second: Any, points: Any) -> tuple[Any, Any]:
    """The two most points, of those so far and these."""
    return max(best, points), max(second, min(best, points))


@inlined
def rank_of(standings: Any, players: Any, player: Any) -> np.int64:
    """The place of a player; equal standings share the better one."""
    rank = np.int64(1)
    for other in range(players):
        rank += np.int64(standings[ix(other)] > standings[ix(player)])
    return rank


@jit
def note_lead(s: State, points: Any, players: Any) -> None:
    """Follow the lead: the player alone in front, until another one is."""
    best = second = leader = np.int64(-1)
    for p in range(players):  # without branches, which nobody could predict
        player, own = np.int64(p), points[ix(p)]
        leader = player if own > best else leader
        best, second = two_best(best, second, own)
    if best > second and leader != s.leader:
        s.lead_changes += np.int64(s.leader >= 0)
        s.leader = leader
        s.leader_since = s.turn


@inlined
def write_lead(s: State, row: Any) -> None:
    """Who won, since when that player led, and how often the lead changed, the final scoring counted."""
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
    """What a player has of the win, which all winners share."""
    return 1.0 / np.float64(count_bits(winners)) if winners >> np.uint64(player) & _ONE != _ZERO else 0.0


@inlined
def win_and_margin(winners: Any, player: Any, ahead: Any, margin: Any) -> float:
    """The value of the end of a game for a player: the share in the win, and at most `margin` for being far ahead."""
    return win_share(winners, player) + margin * max(min(ahead / _WIDE, 1.0), -1.0)
