"""Fails when the core has become much slower against the reference engine than it was.

python -m benchmarks.check_ratio            compare with the committed ratios: at least half of each
python -m benchmarks.check_ratio --write    measure and commit new ones

The reference engine with uniform bots is what every bot is measured against, in turns in the same run: it is plain
Python that seldom changes, so a bot that becomes faster does not make another one look slow. Whoever makes it faster
writes the ratios anew.
"""

import json
import subprocess
import sys
from pathlib import Path

COMMITTED = Path(__file__).with_name("ratio.json")
BOTS = "uniform,planner"
ENOUGH = 0.5


def measure(game: str) -> dict[str, float]:
    """How many times as fast as the reference engine the bots of a game play: medians of one run of `mmsim bench`."""
    command = [sys.executable, "-m", "mmsim", "bench", "--game", game, "--bots", BOTS, "--json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {bot: float(ratio["median"]) for bot, ratio in report["core_over_reference"].items()}


def main(arguments: list[str]) -> int:
    committed = json.loads(COMMITTED.read_text())
    now = {game: measure(game) for game in committed["core_over_reference"]}
    if arguments == ["--write"]:
        rounded = {game: {bot: float(f"{ratio:.3g}") for bot, ratio in found.items()} for game, found in now.items()}
        COMMITTED.write_text(json.dumps({**committed, "core_over_reference": rounded}, indent=1) + "\n")
        print(f"written to {COMMITTED.name}: {rounded}")
        return 0
    too_slow = False
    for game, wanted in committed["core_over_reference"].items():
        for bot, ratio in wanted.items():
            needed, found = ENOUGH * ratio, now[game][bot]
            too_slow |= found < needed
            print(f"{game}, {bot}: {found:,.4g} times the reference engine; committed {ratio:,g}, needed {needed:,g}")
    return 1 if too_slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
