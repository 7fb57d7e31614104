"""The bot `runner`, which ends its lines as fast as it can."""

from mmsim.metromania.bots.turn_weights import weighing

RUNNER = weighing(
    name="runner",
    idea="Ends both its lines by the shortest free way, and lays markers where that costs no tunnel.",
    looks_at="free cells, free ends, the tunnels it has left, spots on the way",
    weights={"shorter": 1.0, "ends": 10.0, "marker": 0.9, "served": 0.5},
)
