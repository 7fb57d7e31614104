"""The bot that thinks no further than its next move."""

from mmsim.metromania.bots.turn_weights import weighing

GREEDY = weighing(
    name="greedy",
    idea="Scores the most points it can with its next move, and lays a marker where that costs none.",
    looks_at="the stations a move makes, the spots around them, and its own markers",
    weights={"points": 1.0, "marker": 0.5, "ahead": 1},
)
