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

from mmsim.analysis import number_format as fmt
from mmsim.analysis.compare import Comparison, compare
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.findings import family, findings
from mmsim.analysis.tables import RunTables, open_run
from mmsim.analysis.why import Why, kept
from mmsim.batch.experiment import find
from mmsim.batch.manifest import WHY
from mmsim.report import why_section
from mmsim.report.panel_section import seats_chart
from mmsim.report.report_data import gather, short_names
from mmsim.system.files import write_atomically

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
RUNS = Path("runs") / "findings"


@dataclass(frozen=True)
class Finding:
    """A ready experiment, played as its file says, and what is changed to see why it came out so."""

    experiment: str
    changes: str = ""  # options of `mmsim why`; none: the rules that are compared are the reason

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
        """The command that says why, if there is one."""
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
        *("last-round-4p", "board-sets-4p", "layouts-4p"),
        *(f"metro-seats-{players}p" for players in (2, 3, 4, 5, 6)),
        *("metro-orientation-4p", "metro-hands-4p", "metro-modules-4p"),
    )
)


# What stations are worth: stations 1 to 32 lie round the board, eight on a side.
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
    wanted = sys.argv[1:] or [*(one.name for one in FINDINGS), "stations"]
    for one in FINDINGS:
        if one.name in wanted:
            _mmsim(one.play if not (one.folder / "manifest.json").exists() else f"mmsim resume {one.folder}")
            if one.why and not (one.folder / WHY).exists():
                _mmsim(one.why)
            _write(one.name, "\n".join(figures(one)))
    if "stations" in wanted:
        printed = subprocess.run([sys.executable, "-c", STATIONS], check=True, capture_output=True, text=True).stdout
        _write("stations", f"```python\n{STATIONS}```\n\n```\n{printed}```")


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
    """Commands, what was played, and the numbers: of every kind of players, their mean, and for whom it holds."""
    run = open_run(one.folder)
    names = family(run)
    found = findings(run)
    several = len(run.variants) > 1
    yield "```sh"
    yield one.play
    yield f"mmsim {'compare' if several else 'report'} {one.folder}"
    if one.why:
        yield one.why
    yield "```"
    yield ""
    games = ", ".join(f"{kind.member.name} {kind.wanted[kind.variants[0].name]:,}" for kind in run.by_member)
    yield " ".join(
        [
            f"Seed {run.experiment.seed}, {run.asked:,} games of every variant by the quickest players ({games}).",
            *run.warnings,
        ]
    )
    yield ""
    if picture := seats_picture(one, run):
        yield picture
        yield ""
    for answer in kept(one.folder):
        yield from _reasons(answer)
    yield f"<details><summary>All figures of {one.name}</summary>"
    yield ""
    shown = [estimates for estimates in found if estimates.measure.name in names]
    short = short_names([variant.name for variant in run.variants])
    players = [kind.member.name for kind in run.by_member]
    yield from _table(["", "mean", *players], _levels(shown, short, players))
    if several:
        yield ""
        compared = [each for each in compare(found, asked=names) if each.asked]
        head = [f"against {short[0]}", "mean", *players, "verdict"]
        yield from _table(head, _differences(run, compared, short, players))
    yield ""
    yield "</details>"


def _reasons(answer: Why) -> Iterator[str]:
    """What changes of one thing do, for whom, and two of them together."""
    yield f"What changes of one thing do to {fmt.title(answer.measure)} ({answer.variant}):"
    yield ""
    for table in filter(None, (why_section.changes(answer), why_section.together(answer))):
        columns, rows = table
        yield from _table(columns, iter(rows))
        yield ""


def seats_picture(one: Finding, run: RunTables) -> str:
    """Draws which seat wins for which kind of players; the line that shows it on the page, empty if there is none."""
    chart = seats_chart(gather(run))
    if chart is None:
        return ""
    file = PAGE.parent / "images" / "findings" / f"{one.name}.svg"
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, chart.files()["svg"])
    return f"![{chart.title}]({file.relative_to(PAGE.parent).as_posix()})\n\n*{chart.note}*"


def _levels(found: list[Estimates], names: list[str], players: list[str]) -> Iterator[list[str]]:
    for estimates in found:
        unit = estimates.measure.unit
        shown = "" if unit.startswith("share") else f" ({unit})"
        for v, name in enumerate(names):
            for g, group in enumerate(estimates.groups):
                if estimates.known(v, g):
                    each = {
                        member.name: fmt.value(own.estimate(v, own.groups.index(group)), unit)
                        for member, own in estimates.members
                        if group in own.groups and own.known(v, own.groups.index(group))
                    }
                    label = f"{name}, {fmt.label(estimates.measure.name, group)}{shown}"
                    cells = [each.get(player, "–") for player in players]
                    yield [label, fmt.with_interval(estimates.estimate(v, g), unit), *cells]


def _differences(
    run: RunTables, compared: list[Comparison], names: list[str], players: list[str]
) -> Iterator[list[str]]:
    order = [variant.name for variant in run.variants]
    for one in compared:
        unit = fmt.difference_unit(one.measure.unit)
        each = {other.player: fmt.with_half_width(other.difference, unit) for other in (*one.members, *one.others)}
        yield [
            f"{names[order.index(one.variant)]}, {fmt.label(one.measure.name, one.group)}",
            fmt.with_interval(one.difference, unit, signed=True),
            *(each.get(player, "–") for player in players),
            one.in_words,
        ]


def _table(head: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    main()
