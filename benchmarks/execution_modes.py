"""Compiling from nothing: one library per game, and Numba alone (`MMSIM_LINK=0`).

python -m benchmarks.execution_modes --game metro    # takes minutes; every figure comes from a fresh process

Both compile into empty caches, then take turns playing.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from mmsim.games import DEFAULT, find_shell

MODES = {"library": "1", "numba": "0"}  # MMSIM_LINK
_LABELS = {"library": "one library", "numba": "Numba alone"}
_PROGRAM = """
import json, os, sys
from mmsim.core.variant import Variant
from mmsim.games import find_game
from mmsim.system.timing import fit_to_turn, measure
task = json.loads(sys.argv[1])
game = find_game(task["game"])
before = sum(os.times()[:4])
game.start_up()
measured = dict(compile_cpu_s=round(sum(os.times()[:4]) - before, 2), games_per_s={})
for bot in task["bots"]:
    prepared = game.prepare(Variant(task["rules"], bots=bot))
    play = lambda first, count: game.play_games(prepared, first, count).decisions
    (speed,) = measure([fit_to_turn("core", bot, play, task["max_games"])], 1, lambda done: None)
    measured["games_per_s"][bot] = round(speed.games_per_s[0], 2)
print(json.dumps(measured))
"""


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.execution_modes", description=__doc__.splitlines()[0])
    parser.add_argument("--game", default=DEFAULT)
    parser.add_argument("--bots", default="uniform,planner")
    parser.add_argument("--games", type=int, default=20_000, help="most games per turn")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    bots = options.bots.split(",")
    measured = compare(options.game, find_shell(options.game).default_rules, bots, options.games, options.repeats)
    for mode, label in _LABELS.items():
        summary = measured[mode]
        speeds = ", ".join(f"{bot} {speed:,.0f} games/s" for bot, speed in summary["games_per_s"].items())
        print(f"{options.game}, {label}: compiled in {summary['compile_cpu_s']:.0f} s of CPU; {speeds}")
    ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in measured["library_over_numba"].items())
    print(f"{options.game}, one library over Numba alone: {ratios}")


def compare(game: str, rules: str, bots: Sequence[str], max_games: int, repeats: int) -> dict[str, Any]:
    """Times and games per second of both modes, and their ratios."""
    task = json.dumps({"game": game, "rules": rules, "bots": list(bots), "max_games": max_games})
    measured: dict[str, list[dict[str, Any]]] = {mode: [] for mode in MODES}
    with TemporaryDirectory() as empty:
        for _ in range(1 + repeats):  # the first turn compiles
            for mode, link in MODES.items():
                env = {"MMSIM_CACHE_DIR": f"{empty}/{mode}", "MMSIM_JIT": "1", "MMSIM_LINK": link}
                measured[mode].append(json.loads(run_fresh_process(task, **env)))
    library, numba = measured.values()
    ratios = {"compile_cpu": round(numba[0]["compile_cpu_s"] / library[0]["compile_cpu_s"], 2)}
    for bot in bots:
        pairs = zip(library[1:], numba[1:], strict=True)
        ratios[bot] = round(median(a["games_per_s"][bot] / b["games_per_s"][bot] for a, b in pairs), 2)
    return {**{mode: _summary(turns, bots) for mode, turns in measured.items()}, "library_over_numba": ratios}


def _summary(turns: list[dict[str, Any]], bots: Sequence[str]) -> dict[str, Any]:
    """The time of the first turn, which compiled everything, and the speed of those after it."""
    first, *later = turns
    return {
        "compile_cpu_s": first["compile_cpu_s"],
        "games_per_s": {bot: round(median(turn["games_per_s"][bot] for turn in later), 2) for bot in bots},
    }


def run_fresh_process(task: str, **env: str) -> str:
    """The output of the measuring program in a new Python process, with some environment variables changed."""
    command = [sys.executable, "-c", _PROGRAM, task]
    process = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    if process.returncode:
        sys.exit(f"a fresh process did not play its games: {process.stderr.strip().splitlines()[-1]}")
    return process.stdout


if __name__ == "__main__":
    main()
