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
from mmsim.analysis.findings import findings
from mmsim.analysis.panel import Panel
from mmsim.analysis.tables import RunTables, open_run
from mmsim.core.files import write_atomically
from mmsim.report.evidence import short_names

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
RUNS = Path("runs") / "findings"
FAIRNESS = ("win_share", "seat_imbalance")
METRO = (*FAIRNESS, "score", "margin", "lead_changes", "decided", "longest_line", "lines_to_centre")
DRAMA = ("margin", "lead_changes", "decided_at_scoring")


@dataclass(frozen=True)
class Finding:
    """A ready experiment: how many games of every variant, and the metrics chosen before any was played."""

    experiment: str
    games: int
    metrics: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return RUNS / self.experiment

    @property
    def play(self) -> str:
        return f"mmsim run {self.experiment} --games {self.games} --out {self.folder}"


FINDINGS = (
    Finding("municipality-4p", 100_000, (*FAIRNESS, "score", *DRAMA)),
    Finding("municipality-3p", 100_000, (*FAIRNESS, "score", *DRAMA)),
    Finding("no-corruption-table-4p", 30_000, FAIRNESS),
    Finding("two-players", 30_000, (*FAIRNESS, "shared_wins", *DRAMA, "turns")),
    Finding("editions-4p", 100_000, (*FAIRNESS, "score", "margin", "lead_changes", "turns", "trips_possible")),
    Finding("board-sets-4p", 50_000, (*FAIRNESS, "score", "margin", "turns", "trips_possible")),
    Finding("layouts-4p", 300_000, ("layout_share",)),
    *(Finding(f"metro-seats-{players}p", 50_000, FAIRNESS) for players in (2, 3, 4, 5, 6)),
    *(Finding(f"metro-{what}-4p", 60_000, METRO) for what in ("orientation", "hands", "modules")),
)


def main() -> None:
    wanted = sys.argv[1:] or [one.experiment for one in FINDINGS]
    for one in FINDINGS:
        if one.experiment in wanted:
            _mmsim(one.play if not (one.folder / "manifest.json").exists() else f"mmsim resume {one.folder}")
            text = PAGE.read_text(encoding="utf-8")
            write_atomically(PAGE, put(text, one.experiment, "\n".join(figures(one))).encode())


def _mmsim(command: str) -> None:
    subprocess.run([sys.executable, "-m", *command.split()], check=True)


def put(page: str, experiment: str, text: str) -> str:
    """The page with other figures of an experiment."""
    start, end = f"<!-- figures of {experiment} -->\n", "<!-- end of figures -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"there is no place for the figures of {experiment}")
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


def _metrics(found: list[Panel], names: list[str]) -> Iterator[list[str]]:
    for panel in found:
        unit = panel.measure.unit
        shown = "" if unit.startswith("share") else f" ({unit})"
        for g, group in enumerate(panel.groups):
            cells = [words.with_interval(panel.estimate(v, g), unit) for v in range(len(names))]
            yield [words.label(panel.measure.name, group) + shown, *cells]


def _differences(run: RunTables, found: list[Panel], names: list[str]) -> Iterator[list[str]]:
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
