"""Plays the ready experiments and writes their figures into docs/findings.md; the prose is written by hand.

python -m benchmarks.findings                    # into runs/findings; finished runs are not played again
python -m benchmarks.findings two-players        # only this one
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import ComparisonOverLevels, LevelEstimates, compare
from mmsim.analysis.estimates import by_name
from mmsim.analysis.run_metrics import estimate_run, primary_metrics, short_names
from mmsim.analysis.tables import RunTables, open_run
from mmsim.analysis.why import Why, read_answers
from mmsim.batch.experiment import find
from mmsim.batch.manifest import WHY
from mmsim.report import change_sections
from mmsim.report.report_data import gather
from mmsim.report.sections import seats_by_level_chart
from mmsim.system.files import write_atomically

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
RUNS = Path("runs") / "findings"


@dataclass(frozen=True)
class Finding:
    """A ready experiment, and the interventions that explain its result."""

    experiment: str
    changes: str = ""  # options of `mmsim why`; none: the compared rules are the reason

    @property
    def name(self) -> str:
        return self.experiment

    @property
    def games(self) -> int:
        return find(self.experiment).games

    @property
    def folder(self) -> Path:
        return RUNS / self.name

    @property
    def play(self) -> str:
        return f"mmsim run {self.experiment} --out {self.folder}"

    @property
    def why(self) -> str:
        """The command that explains the result, if there is one."""
        return f"mmsim why {self.folder} {self.changes}" if self.changes else ""


_OPENINGS = "--games 2000 --only last_round=round --only random_starts --only exchanged_openings"
_CHANGES = {
    "editions-4p": f"--variant print {_OPENINGS}",
    "two-players": _OPENINGS,
    **{
        f"metro-seats-{players}p": "--games 1000 --only shuffled_wagons --only random_first_turns --only shuffled_hands"
        for players in (2, 3, 4, 5, 6)
    },
}
FINDINGS = tuple(
    Finding(name, _CHANGES.get(name, ""))
    for name in (
        *("municipality-4p", "municipality-3p", "no-corruption-table-4p", "two-players", "editions-4p", "dig-duty-4p"),
        *("last-round-boxes-4p", "last-round-4p", "board-sets-4p", "layouts-4p"),
        *(f"metro-seats-{players}p" for players in (2, 3, 4, 5, 6)),
        *("metro-orientation-4p", "metro-hands-4p", "metro-modules-4p"),
    )
)


# What stations are worth: stations 1 to 32 are around the board, eight per side.
STATIONS = """\
import mmsim
import polars as pl

lines = mmsim.read("runs/findings/metro-seats-4p").lines.filter(pl.col("seat").is_not_null())
place = (pl.col("line") - 1) % 8 + 1
points = lines.group_by("member", place=place).agg(pl.col("points").mean()).sort("member", "place").collect()
for (member,), rows in points.group_by("member", maintain_order=True):
    print(member, rows["points"].round(2).to_list())
"""


def main() -> None:
    names = sys.argv[1:] or [*(finding.name for finding in FINDINGS), "stations"]
    for finding in FINDINGS:
        if finding.name in names:
            started = (finding.folder / "manifest.json").exists()
            _mmsim(f"mmsim resume {finding.folder}" if started else finding.play)
            if finding.why and not (finding.folder / WHY).exists():
                _mmsim(finding.why)
            _write(finding.name, "\n".join(figures(finding)))
    if "stations" in names:
        printed = subprocess.run([sys.executable, "-c", STATIONS], check=True, capture_output=True, text=True).stdout
        _write("stations", f"```python\n{STATIONS}```\n\n```\n{printed}```")


def _write(name: str, text: str) -> None:
    write_atomically(PAGE, put(PAGE.read_text(encoding="utf-8"), name, text).encode())


def _mmsim(command: str) -> None:
    subprocess.run([sys.executable, "-m", *command.split()], check=True)


def put(page: str, name: str, text: str) -> str:
    """The page with a block of figures replaced."""
    start, end = f"<!-- figures of {name} -->\n", "<!-- end of figures -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"there is no place for the figures of {name}")
    return pattern.sub(lambda match: f"{start}{text}\n{end}", page)


def figures(finding: Finding) -> Iterator[str]:
    """The commands, what was played, and the numbers at every level."""
    run = open_run(finding.folder)
    names = primary_metrics(run)
    levels = estimate_run(run)
    several = len(run.variants) > 1
    yield "```sh"
    yield finding.play
    yield f"mmsim {'compare' if several else 'report'} {finding.folder}"
    if finding.why:
        yield finding.why
    yield "```"
    yield ""
    first_cells = {part.level.name: part.by_board[0].variants[0].name for part in run.by_level}
    games = ", ".join(f"{level} {run.by_level[0].planned_games[cell]:,}" for level, cell in first_cells.items())
    games += f", on each of {len(run.by_level[0].by_board)} boards" if run.by_level[0].board_runs else ""
    yield " ".join(
        [
            f"Seed {run.experiment.seed}, {run.games_per_variant:,} games of every variant "
            f"by the quickest level ({games}).",
            *run.warnings,
        ]
    )
    yield ""
    if picture := seats_picture(finding, run):
        yield picture
        yield ""
    for answer in read_answers(finding.folder):
        yield from _reasons(answer)
    yield f"<details><summary>All figures of {finding.name}</summary>"
    yield ""
    short, players = short_names([variant.name for variant in run.variants]), [level.level.name for level in levels]
    yield from _table(["", *players], _estimates(levels, names, short))
    if several:
        yield ""
        compared = [each for each in compare(levels, primary=names) if each.primary]
        head = [f"against {short[0]}", *players, "verdict"]
        yield from _table(head, _differences(run, compared, short, players))
    yield ""
    yield "</details>"


def _reasons(answer: Why) -> Iterator[str]:
    """The effect of each intervention, and of two together."""
    yield f"What changes of one thing do to {fmt.title(answer.measure)} ({answer.variant}):"
    yield ""
    for table in filter(None, (change_sections.change_rows(answer), change_sections.interaction_rows(answer))):
        columns, rows = table
        yield from _table(columns, iter(rows))
        yield ""


def seats_picture(finding: Finding, run: RunTables) -> str:
    """Draws which seat wins at which level; returns the Markdown that shows it, empty if there is one level."""
    if len(run.by_level) < 2:
        return ""
    chart = seats_by_level_chart(gather(run))
    file = PAGE.parent / "images" / "findings" / f"{finding.name}.svg"
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, chart.files()["svg"])
    return f"![{chart.title}]({file.relative_to(PAGE.parent).as_posix()})\n\n*{chart.note}*"


def _estimates(levels: list[LevelEstimates], metrics: Sequence[str], names: list[str]) -> Iterator[list[str]]:
    """One row per metric, variant and group, one column per level."""
    by_level = [by_name(level.metrics) for level in levels]
    for metric in metrics:
        known = next((estimates[metric] for estimates in by_level if metric in estimates), None)
        if known is None:
            continue
        unit = known.measure.unit
        shown = "" if unit.startswith("share") else f" ({unit})"
        for v, name in enumerate(names):
            for group in known.groups:
                cells = []
                for estimates in by_level:
                    groups = estimates[metric].groups if metric in estimates else ()
                    mean = estimates[metric].get(v, groups.index(group)) if group in groups else None
                    cells.append(fmt.with_interval(mean, unit) if mean else "–")
                yield [f"{name}, {fmt.label(metric, group)}{shown}", *cells]


def _differences(
    run: RunTables, compared: list[ComparisonOverLevels], names: list[str], players: list[str]
) -> Iterator[list[str]]:
    order = [variant.name for variant in run.variants]
    for comparison in compared:
        unit = fmt.difference_unit(comparison.measure.unit)
        each = {shown.level.name: fmt.with_half_width(shown.difference, unit) for shown in comparison.levels}
        yield [
            f"{names[order.index(comparison.variant)]}, {fmt.label(comparison.measure.name, comparison.group)}",
            *(each.get(player, "–") for player in players),
            comparison.verdict_text,
        ]


def _table(head: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    main()
