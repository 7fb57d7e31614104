"""The bot that has learnt from playouts which of the planner's turns win.

Its net is in weights/expert.json, which records how it was trained; `mmsim bots train expert` trains others.
"""

from mmsim.metromania.bots.declare import re_ranking
from mmsim.metromania.bots.networker import NETWORKER
from mmsim.metromania.bots.planner import PLANNER

EXPERT = re_ranking(
    name="expert",
    idea="Has a small net, trained on playouts, choose among planner's best turns by the position after each.",
    looks_at="what planner looks at; after each turn all lines, points and trips, and how soon the game may end",
    like=PLANNER,
    against=(PLANNER.name, NETWORKER.name),
    weights={"candidates": 8},
)
