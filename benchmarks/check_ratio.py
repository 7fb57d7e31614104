"""Fails when the core has become much slower against the reference engine than it was.

python -m benchmarks.check_ratio            compare with the committed ratio: at least half of it
python -m benchmarks.check_ratio --write    measure and commit a new one
"""

import json
import subprocess
import sys
from pathlib import Path

COMMITTED = Path(__file__).with_name("ratio.json")
ENOUGH = 0.5


def measure() -> float:
    """The median ratio of one run of `mmsim bench`."""
    command = [sys.executable, "-m", "mmsim", "bench", "--bots", "uniform", "--json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return float(report["core_over_reference"]["uniform"]["median"])


def main(arguments: list[str]) -> int:
    now = measure()
    committed = json.loads(COMMITTED.read_text())
    if arguments == ["--write"]:
        COMMITTED.write_text(json.dumps({**committed, "median": round(now)}, indent=1) + "\n")
        print(f"core over reference: {now:,.0f} times, written to {COMMITTED.name}")
        return 0
    needed = ENOUGH * committed["median"]
    print(f"core over reference: {now:,.0f} times; committed {committed['median']:,}, needed {needed:,.0f}")
    return 0 if now >= needed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
