"""Games that are played out to their end by bots that think, in a world that was guessed."""

from typing import Any

from mmsim.compiled.accel import ix, jit
from mmsim.metro.bots.thinking.dispatch import choose
from mmsim.metro.bots.thinking.memory import PLAYED_OUT, PLAYOUT, AllThoughts, Bots, Positions
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import Board, Rules
from mmsim.metro.engine.turns import play_move


@jit
def play_out(positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts) -> None:
    """Play that game to its end, every seat by the bot that guides it, and score it."""
    p, t = positions[PLAYOUT], thoughts[0]
    while not p.over:
        who = t.guide[ix(p.seat)]
        play_move(p, b, r, choose(positions[PLAYOUT:], b, r, bots, dice[1:], thoughts[PLAYED_OUT:], who))
    score_game(p, r)
