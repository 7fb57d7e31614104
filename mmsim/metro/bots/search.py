"""The strongest bot, and the slowest: it tries the expert's best moves in imagined games."""

from dataclasses import replace

from mmsim.core.bots import Weight
from mmsim.metro.bots import kinds
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.thinking.inputs import MOST_CANDIDATES

SEARCH = replace(
    EXPERT,
    name="search",
    idea="Imagines how the expert's best moves go on, with any supply and hands that fit what it has seen and rivals "
    "of several kinds, and takes the one that stands best when its turn comes again.",
    looks_at="All that the expert looks at.",
    weights={
        **PLANNER.weights,
        "playouts": Weight(200.0, 1.0, 1e6, "Continuations imagined for every decision, all moves together."),
        "width": Weight(6.0, 1.0, MOST_CANDIDATES, "Moves that are tried, the expert's best ones."),
        "prior": Weight(16.0, 0.0, 1e6, "Playouts the expert's own opinion of a move counts for."),
        "turns": Weight(-1.0, -1.0, 60.0, "Turns that are imagined after a move; -1: one of every other player."),
        "haste": Weight(1.0, 0.0, 50.0, "How often expectations are passed on in an imagined turn."),
        "strangers": Weight(0.25, 0.0, 1.0, "Share of imagined turns that go by greedy's values, not by planner's."),
    },
    kind=kinds.SEARCH,
)
