"""Inject faults of all kinds, or of the kinds that are named, one kind after the other."""

import argparse
import re
import sys
from importlib import import_module
from pathlib import Path

NOT_KINDS = ("__init__", "__main__", "counts", "mounts", "runs")
KINDS = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NOT_KINDS)
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "reliability.md"
_TABLE = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)


def main() -> int:
    """Exit code 1 if anything happened that should not."""
    options = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    options.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND", help=f"of {', '.join(KINDS)}")
    options.add_argument("--seconds", type=float, default=300, help="for all kinds together (default: 300)")
    options.add_argument("--seed", type=int, default=1, help="for the same faults again, as far as time allows")
    options.add_argument("--page", action="store_true", help="write the counts into docs/explanation/reliability.md")
    chosen = options.parse_args()
    failed = False
    kinds = chosen.kinds or KINDS
    rows: dict[str, str] = {}
    for kind in kinds:
        counts = import_module(f"tests.faults.{kind}").main(chosen.seconds / len(kinds), chosen.seed)
        print(counts, flush=True)
        for failure in counts.failures:
            print(f"  {failure}", flush=True)
        rows[kind] = counts.row
        failed |= bool(counts.failures)
    if chosen.page:
        _write_page(rows)
    return int(failed)


def _write_page(rows: dict[str, str]) -> None:
    """Put rows into the table of the page; other kinds keep theirs."""
    page = PAGE.read_text(encoding="utf-8")
    kept = {row.split("*")[1].replace(" ", "_"): row for row in page.splitlines() if row.startswith("| *")}
    rows = kept | rows
    table = ["| kind | what happened | failures |", "|---|---|---|", *(rows[kind] for kind in sorted(rows)), ""]
    PAGE.write_text(_TABLE.sub(lambda _: "\n".join(table), page), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
