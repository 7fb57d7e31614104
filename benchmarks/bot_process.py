"""What it costs to run a Python bot in a process of its own: the same games with and without, in turns.

    python -m benchmarks.bot_process [--games 8] [--rounds 5]

Prints the time per game with and without `--isolate` (the median of the rounds) and the difference per decision. One of
four seats is the bot of the tutorial; the rest are `uniform`.
"""

import argparse
import time
from pathlib import Path
from statistics import median

from mmsim.core.variant import Variant
from mmsim.games import find_game

BOT = Path(__file__).parent.parent / "docs" / "examples" / "homing.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    game = find_game("metromania")
    bots = f"{BOT}:Homing,uniform,uniform,uniform"
    variants = {
        name: game.prepare(Variant("print", 4, "box", bots, 1, move_seconds=seconds))
        for name, seconds in (("here", None), ("isolated", 60.0))
    }
    for prepared in variants.values():
        game.play_games(prepared, 0, 1)  # compiles and starts everything
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    decisions = 0
    for first in range(0, options.games * options.rounds, options.games):
        for name, prepared in variants.items():
            start = time.perf_counter()
            decisions += game.play_games(prepared, first, options.games).decisions
            seconds[name].append((time.perf_counter() - start) / options.games)
    here, isolated = (median(seconds[name]) for name in variants)
    bot_decisions = decisions / (2 * options.games * options.rounds) / 4
    times = f"in this process {1000 * here:.1f} ms per game, isolated {1000 * isolated:.1f} ms"
    print(f"{times}: {isolated / here:.2f} times as long")
    extra_us = 1e6 * (isolated - here) / bot_decisions
    print(f"the bot makes about {bot_decisions:.0f} decisions per game: {extra_us:.0f} microseconds more each")


if __name__ == "__main__":
    main()
