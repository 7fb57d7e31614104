"""The strongest bot, and the slowest: it tries before it chooses."""

from mmsim.metromania.bots.declare import searching
from mmsim.metromania.bots.planner import PLANNER

SEARCH = searching(
    name="search",
    idea="Plays the best few turns out to the end, again and again, and takes the one that wins most.",
    looks_at="what planner looks at; hidden hands are drawn from the deals that agree with all that is seen",
    like=PLANNER,
    weights={"playouts": 200, "turns": 8, "margin": 0.5},
)
