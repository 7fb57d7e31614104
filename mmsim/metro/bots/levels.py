"""The levels of play of Metro: each beats the one below it clearly, one against three."""

from mmsim.core.levels import ladder_of

LEVELS = ladder_of(  # name, bot, make, how often one wins against three of the level below (25 %: as strong), and games
    ("beginner", "greedy", "heuristic", "", 0),
    ("casual", "planner:sweeps=0,start=8", "heuristic", "42.1 % ± 1.5 %", 8000),
    ("club", "planner:sweeps=1", "heuristic", "52.6 % ± 1.5 %", 8000),
    ("expert", "planner", "heuristic", "44.0 % ± 1.5 %", 8000),
    ("master", "evaluator", "net", "42.3 % ± 1.4 %", 8000),
    ("grandmaster", "search:playouts=300", "playouts", "31.9 % ± 1.5 %", 6000),
    game="metro",
)
