"""The levels of play of Metro: strength rises up to expert; that it goes on rising is not shown."""

from mmsim.core.levels import ladder_of

LEVELS = ladder_of(  # name, bot, make, how often one wins against three of the level below (25 %: as strong), and games
    ("beginner", "greedy", "heuristic", "", 0),
    ("casual", "planner:sweeps=1", "heuristic", "73.2 % ± 2.6 %", 2000),
    ("club", "planner", "heuristic", "44.6 % ± 2.1 %", 4000),
    ("expert", "evaluator", "net", "40.1 % ± 2.0 %", 4000),
    ("master", "search", "playouts", "27.0 % ± 3.5 %", 800),
    ("grandmaster", "search:playouts=256", "playouts", "25.7 % ± 6.9 %", 200),
    game="metro",
)
