"""The bot that has learnt from playouts which of the planner's moves win.

Its net is in weights/nets.json, which records the command that trained it, from when this bot was called `expert`;
`mmsim bots train --game metro` trains another.
"""

from pathlib import Path

from mmsim.core.bots import NetBot, Weight
from mmsim.metro.bots import kinds
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.thinking.input_layout import INPUT_NAMES, MOST_CANDIDATES

EVALUATOR = NetBot(
    name="evaluator",
    idea="Has a small net, trained on playouts, choose among the planner's best moves by the position after each and "
    "by what the others may do to it next.",
    looks_at="All that the planner looks at; after each move every open line, and the best answers of the others.",
    weights={
        **PLANNER.weights,
        "candidates": Weight(6.0, 2.0, MOST_CANDIDATES, "Moves that are compared, the planner's best ones."),
    },
    kind=kinds.EVALUATOR,
    inputs=INPUT_NAMES,
    shipped=Path(__file__).parent / "weights" / "nets.json",
    untrained={"value": 1.0},
    against=(PLANNER.name,),
    rules=(
        *("metro", "metro", "metro", "metro+companies", "metro+companies"),
        *("metro+stations", "metro+central", "metro+numbers", "metro+hand2", "metro+free"),
    ),
    players=(4, 4, 3, 2, 6),
)
