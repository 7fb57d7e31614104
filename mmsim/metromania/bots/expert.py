"""The bot that has learnt from playouts which of the planner's turns win.

Its net is in weights/expert.json, which records how it was trained; `mmsim bots train expert` trains others.
"""

from pathlib import Path

from mmsim.core.bots import NetBot
from mmsim.metromania.bots import kinds
from mmsim.metromania.bots.networker import NETWORKER
from mmsim.metromania.bots.planner import PLANNER
from mmsim.metromania.bots.thinking.input_layout import INPUT_NAMES
from mmsim.metromania.bots.turn_weights import all_weights

EXPERT = NetBot(
    name="expert",
    idea="Has a small net, trained on playouts, choose among planner's best turns by the position after each.",
    looks_at="what planner looks at; after each turn all lines, points and trips, and how soon the game may end",
    weights=all_weights({**PLANNER.settings, "candidates": 8}),
    kind=kinds.EXPERT,
    elements=kinds.ELEMENTS,
    inputs=INPUT_NAMES,
    shipped=Path(__file__).parent / "weights" / "expert.json",
    like=PLANNER.name,
    against=(PLANNER.name, NETWORKER.name),
)
