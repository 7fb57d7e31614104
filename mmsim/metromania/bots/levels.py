"""The levels of play of Metromania: strength rises from each to the next."""

from mmsim.core.levels import ladder_of

LEVELS = ladder_of(  # name, bot, make, how often one wins against three of the level below (25 %: as strong), and games
    ("beginner", "planner:ahead=1,noise=4", "heuristic", "", 0),
    ("casual", "networker", "heuristic", "39.3 % ± 2.2 %", 4000),
    ("club", "planner", "heuristic", "41.9 % ± 2.1 %", 4000),
    ("expert", "expert", "net", "36.1 % ± 1.5 %", 8000),
    ("master", "search:turns=4,playouts=8,rounds=2,prior=2", "value net", "46.8 % ± 1.5 %", 8000),
    ("grandmaster", "deepsearch", "value net of experts", "32.4 % ± 4.3 %", 800),
)
