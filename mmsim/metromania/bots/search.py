"""The strongest and slowest bot: it tries the expert's best turns in playouts."""

from mmsim.metromania.bots.declare import searching
from mmsim.metromania.bots.expert import EXPERT

SEARCH = searching(
    name="search",
    idea="Plays expert's best few turns out to the end against opponents of several kinds, and takes the best.",
    looks_at="what expert looks at; hidden hands are drawn from the deals that agree with all that is seen",
    like=EXPERT,
    weights={"playouts": 200, "turns": 8, "margin": 0.5, "prior": 6},
)
