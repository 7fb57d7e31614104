"""Plays the ready experiments and writes their figures into docs/findings.md; their sentences are written by hand.

python -m benchmarks.findings                    # into runs/findings; what has been played is not played again
python -m benchmarks.findings two-players        # only this one
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mmsim.analysis import words
from mmsim.analysis.compare import compare
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.findings import findings
from mmsim.analysis.tables import RunTables, open_run
from mmsim.core.files import write_atomically
from mmsim.report.evidence import short_names

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
RUNS = Path("runs") / "findings"
FAIRNESS = ("win_share", "seat_imbalance")
METRO = (*FAIRNESS, "score", "margin", "track_lead_changes", "track_decided", "longest_line", "lines_to_centre")
DRAMA = ("margin", "track_lead_changes", "track_decided_at_scoring")


@dataclass(frozen=True)
class Finding:
    """A ready experiment: how many games of every variant, and the metrics chosen before any was played."""

    experiment: str
    games: int
    metrics: tuple[str, ...]
    bots: str = ""  # if not those of the experiment

    @property
    def name(self) -> str:
        return f"{self.experiment}-{self.bots}" if self.bots else self.experiment

    @property
    def folder(self) -> Path:
        return RUNS / self.name

    @property
    def play(self) -> str:
        bots = f" --bots {self.bots}" if self.bots else ""
        return f"mmsim run {self.experiment}{bots} --games {self.games} --out {self.folder}"


FINDINGS = (
    Finding("municipality-4p", 100_000, (*FAIRNESS, "score", *DRAMA)),
    Finding("municipality-3p", 100_000, (*FAIRNESS, "score", *DRAMA)),
    Finding("no-corruption-table-4p", 30_000, FAIRNESS),
    Finding("two-players", 30_000, (*FAIRNESS, "shared_wins", *DRAMA, "turns")),
    Finding("editions-4p", 100_000, (*FAIRNESS, "score", "margin", "track_lead_changes", "turns", "trips_possible")),
    Finding("dig-duty-4p", 10_000, (*FAIRNESS, "score", "margin", "turns", "trips_possible")),
    Finding("last-round-4p", 10_000, (*FAIRNESS, "score", "margin", "turns", "trips_possible")),
    Finding("board-sets-4p", 50_000, (*FAIRNESS, "score", "margin", "turns", "trips_possible")),
    Finding("layouts-4p", 300_000, ("layout_share",)),
    *(Finding(f"metro-seats-{players}p", 50_000, FAIRNESS) for players in (2, 3, 4, 5, 6)),
    *(Finding(f"metro-seats-{players}p", 200_000, FAIRNESS, "uniform") for players in (2, 3, 4, 5, 6)),
    *(Finding(f"metro-{what}-4p", 60_000, METRO) for what in ("orientation", "hands", "modules")),
)


# What stations are worth: stations 1 to 32 lie round the board, eight on a side.
STATIONS = """\
import mmsim
import polars as pl

for folder in ("metro-seats-4p", "metro-seats-4p-uniform"):
    lines = mmsim.read(f"runs/findings/{folder}").lines.filter(pl.col("seat").is_not_null())
    points = lines.group_by(place=(pl.col("line") - 1) % 8 + 1).agg(pl.col("points").mean()).sort("place")
    print(folder, points.collect()["points"].round(2).to_list())
"""


def main() -> None:
    wanted = sys.argv[1:] or [*(one.name for one in FINDINGS), "stations"]
    for one in FINDINGS:
        if one.name in wanted:
            _mmsim(one.play if not (one.folder / "manifest.json").exists() else f"mmsim resume {one.folder}")
            _write(one.name, "\n".join(figures(one)))
    if "stations" in wanted:
        told = subprocess.run([sys.executable, "-c", STATIONS], check=True, capture_output=True, text=True).stdout
        _write("stations", f"```python\n{STATIONS}```\n\n```\n{told}```")


def _write(name: str, text: str) -> None:
    write_atomically(PAGE, put(PAGE.read_text(encoding="utf-8"), name, text).encode())


def _mmsim(command: str) -> None:
    subprocess.run([sys.executable, "-m", *command.split()], check=True)


def put(page: str, name: str, text: str) -> str:
    """The page with other figures of a name."""
    start, end = f"<!-- figures of {name} -->\n", "<!-- end of figures -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"there is no place for the figures of {name}")
    return pattern.sub(lambda match: f"{start}{text}\n{end}", page)


def figures(one: Finding) -> Iterator[str]:
    """Commands, what was played, and the numbers."""
    run = open_run(one.folder)
    found = findings(run, one.metrics)
    several = len(run.variants) > 1
    yield "```sh"
    yield one.play
    yield f"mmsim {'compare' if several else 'report'} {one.folder}" + _chosen(one, several)
    yield "```"
    yield ""
    told = f"Seed {run.experiment.seed}, {run.asked:,} games of every variant, bots {run.experiment.bots}."
    yield " ".join([told, *run.warnings])
    yield ""
    names = short_names([variant.name for variant in run.variants])
    yield from _table(["", *names], _metrics(found, names))
    if several:
        yield ""
        yield from _table([f"against {names[0]}", "difference", "p (Holm)", "verdict"], _differences(run, found, names))


def _chosen(one: Finding, several: bool) -> str:
    return "".join(f" --metric {name}" for name in one.metrics) if several else ""


def _metrics(found: list[Estimates], names: list[str]) -> Iterator[list[str]]:
    for estimates in found:
        unit = estimates.measure.unit
        shown = "" if unit.startswith("share") else f" ({unit})"
        for g, group in enumerate(estimates.groups):
            cells = [
                words.with_interval(estimates.estimate(v, g), unit) if estimates.known(v, g) else "–"
                for v in range(len(names))
            ]
            yield [words.label(estimates.measure.name, group) + shown, *cells]


def _differences(run: RunTables, found: list[Estimates], names: list[str]) -> Iterator[list[str]]:
    order = [variant.name for variant in run.variants]
    for one in compare(found):
        yield [
            f"{names[order.index(one.variant)]}, {words.label(one.measure.name, one.group)}",
            words.with_interval(one.difference, words.difference_unit(one.measure.unit), signed=True),
            words.p_value(one.p_adjusted),
            one.in_words,
        ]


def _table(head: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    main()
