"""The bot that thinks no further than its turn."""

from mmsim.metromania.bots.declare import weighing

GREEDY = weighing(
    name="greedy",
    idea="Scores the most points it can this turn.",
    looks_at="the stations its tunnels make and the spots around them",
    weights={"points": 1.0},
)
