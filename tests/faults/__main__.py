"""Inject faults of all kinds, or of the kinds that are named, one kind after the other."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

NOT_KINDS = ("__init__", "__main__", "counts", "mounts", "runs")
KINDS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NOT_KINDS)


def main() -> int:
    """Exit code 1 if anything happened that should not."""
    options = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    options.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND", help=f"of {', '.join(KINDS)}")
    options.add_argument("--seconds", type=float, default=300, help="for all kinds together (default: 300)")
    options.add_argument("--seed", type=int, default=1, help="for the same faults again, as far as time allows")
    chosen = options.parse_args()
    failed = False
    kinds = chosen.kinds or KINDS
    for kind in kinds:
        counts = import_module(f"tests.faults.{kind}").main(chosen.seconds / len(kinds), chosen.seed)
        print(counts, flush=True)
        for failure in counts.failures:
            print(f"  {failure}", flush=True)
        failed |= bool(counts.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
