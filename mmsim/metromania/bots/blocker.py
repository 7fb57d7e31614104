"""The bot that keeps others from winning."""

from mmsim.metromania.bots.turn_weights import weighing

BLOCKER = weighing(
    name="blocker",
    idea="Takes the cells that the company in front needs next, and otherwise gets on with its own lines.",
    looks_at="the next tunnels on the others' shortest ways, and who is in front",
    weights={"leader": 20.0, "block": 5.0, "shorter": 1.0, "ends": 5.0, "marker": 0.9, "served": 0.5},
)
