"""The bot that has learnt from games which of the planner's turns win.

Its nets are in weights/nets.json, which records how they were trained; `mmsim bots train` trains others.
"""

from pathlib import Path

from mmsim.core.bots import NetBot
from mmsim.metromania.bots import kinds
from mmsim.metromania.bots.networker import NETWORKER
from mmsim.metromania.bots.planner import PLANNER
from mmsim.metromania.bots.thinking.input_layout import INPUT_NAMES, VALUE_NAMES
from mmsim.metromania.bots.turn_weights import all_weights

EXPERT = NetBot(
    name="expert",
    idea="Has small nets, trained on games and playouts, choose among planner's best turns by the position after each.",
    looks_at="what planner looks at; after each turn all lines, points and trips, and how soon the game may end",
    weights=all_weights({**PLANNER.settings, "candidates": 8}),
    kind=kinds.EXPERT,
    inputs=INPUT_NAMES,
    value_inputs=VALUE_NAMES,
    shipped=Path(__file__).parent / "weights" / "nets.json",
    untrained={"judged": 1.0, "value": 0.01},
    teachers=("planner:noise=1", PLANNER.name, NETWORKER.name, "planner:noise=3"),
    against=(PLANNER.name, NETWORKER.name),
    rules=("print", "print", "print", "en1", "nl", "v2"),
    players=(4, 4, 4, 3, 4, 4, 2),
    boards=(*(f"random:{seed}" for seed in range(1, 85)),),
)
