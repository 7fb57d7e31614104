"""The strongest bot, and the slowest: it tries its best moves in imagined games."""

from mmsim.core.bots import Bot, Weight
from mmsim.metro.bots import kinds
from mmsim.metro.bots.planner import PLANNER

MOST_COMPARED = 16  # moves

SEARCH = Bot(
    name="search",
    idea="Imagines how the planner's best moves go on, with any supply and hands that fit what it has seen, and takes "
    "the one that stands best when its turn comes again.",
    looks_at="All that the planner looks at.",
    weights={
        **PLANNER.weights,
        "playouts": Weight(200.0, 1.0, 1e6, "Continuations imagined for every decision."),
        "width": Weight(16.0, 1.0, MOST_COMPARED, "Moves that are tried, the planner's best ones."),
        "prior": Weight(4.0, 0.0, 1e6, "Playouts the planner's own opinion of a move counts for."),
        "turns": Weight(-1.0, -1.0, 60.0, "Turns that are imagined after a move; -1: one of every other player."),
        "haste": Weight(1.0, 0.0, 50.0, "How often expectations are passed on in an imagined turn."),
    },
    kind=kinds.SEARCH,
)
