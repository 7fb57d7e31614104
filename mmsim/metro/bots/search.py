"""The strongest and slowest bot: it tries the evaluator's best moves in playouts."""

from dataclasses import replace

from mmsim.core.bots import Weight
from mmsim.metro.bots import kinds
from mmsim.metro.bots.evaluator import EVALUATOR
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.thinking.input_layout import MOST_CANDIDATES

SEARCH = replace(
    EVALUATOR,
    name="search",
    idea="Plays the evaluator's best few moves out, with any supply and hands that fit what it has seen and "
    "rivals of several kinds, and takes the best.",
    looks_at="All that the evaluator looks at.",
    weights={
        **PLANNER.weights,
        "playouts": Weight(64.0, 1.0, 1e6, "Games imagined for every decision, all moves together."),
        "width": Weight(4.0, 1.0, MOST_CANDIDATES, "Moves that are tried, the evaluator's best ones."),
        "candidates": EVALUATOR.weights["candidates"],
        "doubt": Weight(0.2, 0.0, 10.0, "How far below the best, by the net, a move may be to be tried."),
        "begin": Weight(
            0.6, 0.0, 1.0, "How full the board is when it begins to try; before that it plays like evaluator."
        ),
        "prior": Weight(400.0, 0.0, 1e6, "Playouts the net's opinion counts for, times the square of the empty share."),
        "margin": Weight(0.5, 0.0, 10.0, "What 30 points of margin count for beside the win."),
        "haste": Weight(1.0, 0.0, 50.0, "How often expectations are passed on in an imagined turn."),
        "strangers": Weight(0.25, 0.0, 1.0, "Chance that a rival in an imagined game plays like greedy."),
    },
    kind=kinds.SEARCH,
)
