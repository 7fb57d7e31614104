"""Fails when the core has become much slower relative to the reference engine.

python -m benchmarks.check_ratio            compare with the committed ratios: at least half of each
python -m benchmarks.check_ratio --write    measure and write new ones

Every bot is compared with the reference engine playing uniform bots, in turns in the same run: that engine is plain
Python and seldom changes. If it becomes faster, write new ratios.
"""

import json
import subprocess
import sys
from pathlib import Path

COMMITTED = Path(__file__).with_name("ratio.json")
BOTS = "uniform,planner"
MIN_SHARE = 0.5  # of a committed ratio


def measure(game: str) -> dict[str, float]:
    """How many times as fast as the reference engine each bot plays: medians of one run of `mmsim bench`."""
    command = [sys.executable, "-m", "mmsim", "bench", "--game", game, "--bots", BOTS, "--json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {bot: float(ratio["median"]) for bot, ratio in report["core_over_reference"].items()}


def main(arguments: list[str]) -> int:
    committed = json.loads(COMMITTED.read_text())
    measured = {game: measure(game) for game in committed["core_over_reference"]}
    if arguments == ["--write"]:
        rounded = {
            game: {bot: float(f"{ratio:.3g}") for bot, ratio in ratios.items()} for game, ratios in measured.items()
        }
        COMMITTED.write_text(json.dumps({**committed, "core_over_reference": rounded}, indent=1) + "\n")
        print(f"written to {COMMITTED.name}: {rounded}")
        return 0
    too_slow = False
    for game, ratios in committed["core_over_reference"].items():
        for bot, ratio in ratios.items():
            needed, current = MIN_SHARE * ratio, measured[game][bot]
            too_slow |= current < needed
            print(f"{game}, {bot}: {current:,.4g} times the reference engine; committed {ratio:,g}, needed {needed:,g}")
    return 1 if too_slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
