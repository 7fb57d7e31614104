"""Search with a larger value net of its own, fitted to games of experts: the highest level of play."""

from dataclasses import replace
from pathlib import Path

from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.search import SEARCH
from mmsim.metromania.bots.turn_weights import all_weights

DEEPSEARCH = replace(
    SEARCH,
    name="deepsearch",
    idea="Searches like search, among more turns, and judges by a larger value net fitted to games of experts.",
    weights=all_weights({**SEARCH.settings, "playouts": 40, "rounds": 2, "prior": 2, "candidates": 16}),
    shipped=Path(__file__).parent / "weights" / "deepsearch_nets.json",
    teachers=("expert:noise=1", EXPERT.name, "expert:candidates=4", "expert:noise=3"),
    against=(EXPERT.name,),
    boards=(*(f"random:{seed}" for seed in range(101, 185)),),
    accumulators=32,
    foresight=0.7,
    choice_of=EXPERT.shipped,
)
