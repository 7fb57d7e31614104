"""What it costs to give a bot in Python a process of its own: the same games with and without, in turns.

    python -m benchmarks.isolated [--games 8] [--rounds 5]

Prints the seconds a game takes with and without `--isolate` (the median of the rounds) and a decision's share of the
difference. One seat of four is the bot of the tutorial; the rest are `uniform`.
"""

import argparse
import time
from pathlib import Path
from statistics import median

from mmsim.core.game import Variant
from mmsim.games import find_game

BOT = Path(__file__).parent.parent / "docs" / "examples" / "homing.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    game = find_game("metromania")
    bots = f"{BOT}:Homing,uniform,uniform,uniform"
    ways = {
        name: game.prepare(Variant("print", 4, "classic", bots, 1, move_seconds=seconds))
        for name, seconds in (("here", None), ("isolated", 60.0))
    }
    for prepared in ways.values():
        game.play_games(prepared, 0, 1)  # compiled and started
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    decisions = 0
    for first in range(0, asked.games * asked.rounds, asked.games):
        for name, prepared in ways.items():
            began = time.perf_counter()
            decisions += game.play_games(prepared, first, asked.games).decisions
            seconds[name].append((time.perf_counter() - began) / asked.games)
    here, isolated = (median(seconds[name]) for name in ways)
    own = decisions / (2 * asked.games * asked.rounds) / 4
    print(f"here {1000 * here:.1f} ms a game, isolated {1000 * isolated:.1f} ms: {isolated / here:.2f} times as long")
    print(f"about {own:.0f} decisions a game are the bot's: {1e6 * (isolated - here) / own:.0f} microseconds more each")


if __name__ == "__main__":
    main()
