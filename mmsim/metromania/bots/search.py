"""The strongest and slowest bot: it tries the expert's best turns in playouts, which its value net may judge."""

from dataclasses import replace

from mmsim.metromania.bots import kinds
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.turn_weights import all_weights

SEARCH = replace(
    EXPERT,
    name="search",
    idea="Plays expert's best few turns out to the end against opponents of several kinds, and takes the best.",
    looks_at="what expert looks at; hidden hands are drawn from the deals that agree with all that is seen",
    weights=all_weights({**EXPERT.settings, "playouts": 200, "turns": 8, "margin": 0.5, "prior": 6, "rounds": 0}),
    kind=kinds.SEARCH,
)
