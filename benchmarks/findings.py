"""Plays the ready experiments and writes what they found.

Every experiment has a page of figures, docs/findings/NAME.md, and a section in docs/findings.md. The section is filled
in from docs/findings/NAME.json: the answer of the run and a few of its numbers. The rest is written by hand.

python -m benchmarks.findings                    # into runs/findings; finished runs are not played again
python -m benchmarks.findings two-players        # only this one
python -m benchmarks.findings --write            # plays nothing: writes what the runs that are there say
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from mmsim.analysis import wording as fmt
from mmsim.analysis.estimates import WIN_SHARE, by_name
from mmsim.analysis.run_metrics import primary_metrics
from mmsim.analysis.tables import open_run
from mmsim.analysis.wording import short_names
from mmsim.batch.experiment import find_experiment, planned_seconds
from mmsim.batch.run import Run
from mmsim.report.answer import Answer, answer_of
from mmsim.report.report_data import ReportData, gather
from mmsim.report.sections import seats_by_level_chart
from mmsim.system.files import data_folder, write_atomically

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "findings.md"
RUNS = Path("runs") / "findings"
NAMES = sorted(path.stem for path in data_folder("experiments").glob("*.toml"))

NOT_PLAYED = "*Not played anew yet.*"
_LONG_VERDICT = 80  # words
_MORE_SENTENCES = 3  # at most, after the verdict
_ENOUGH_WORDS = 70  # a sentence that would make a section longer is left out, and those after it
_MOST_WORDS = 110  # the same for what is the same for everyone
_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_HALF_WIDTH = re.compile(r"±[\d.]+")
_PART_SECONDS = re.compile(r" INFO part \d+: .* in ([\d.]+) s$", re.MULTILINE)
_HOW_PLAYED = """\
## How it was played

```sh
{commands}
```
"""

# What stations are worth: stations 1 to 32 are around the board, eight per side.
_STATIONS = """\
import mmsim
import polars as pl

lines = mmsim.read("{folder}").lines.filter(pl.col("seat").is_not_null())
place = (pl.col("line") - 1) % 8 + 1
points = lines.group_by("level", place=place).agg(pl.col("points").mean()).sort("level", "place").collect()
for (level,), rows in points.group_by("level", maintain_order=True):
    print(level, rows["points"].round(2).to_list())
"""
_HAS_STATIONS = "metro-seats-4p"


@dataclass(frozen=True)
class Finding:
    """What a run found: kept beside its page of figures, since runs are not."""

    experiment: str
    answer: Answer
    seed: int
    games: int  # of all variants, levels and boards
    games_per_level: dict[str, int]  # of one variant on one board
    boards: tuple[str, ...]
    extended_from: int  # games that were planned at first, if more were played after a first result; else 0
    planned_seconds: float  # of one core, by declared costs
    worker_seconds: float  # as measured, by the log of the run
    digest: str
    wins: dict[str, dict[str, list[float]]]  # ruleset -> level -> per cent of games won, seat by seat


def main() -> None:
    arguments = sys.argv[1:]
    is_playing = "--write" not in arguments
    names = [argument for argument in arguments if argument != "--write"] or NAMES
    for name in names:
        if name not in NAMES:
            raise SystemExit(f"there is no experiment {name}; there are {', '.join(NAMES)}")
        folder = RUNS / name
        if is_playing:
            _mmsim(f"mmsim resume {folder}" if (folder / "manifest.json").exists() else play_command(name))
        if (folder / "manifest.json").exists():
            write_pages(name, folder, DOCS)
        elif read_finding(name) is None:
            write_atomically(DOCS / "findings" / f"{name}.md", stub(name).encode())
        write_atomically(PAGE, put(PAGE.read_text(encoding="utf-8"), name, section(name)).encode())


def play_command(name: str) -> str:
    return f"mmsim run {name} --out {RUNS / name}"


def _mmsim(command: str) -> None:
    subprocess.run([sys.executable, "-m", *command.split()], check=True)


def put(page: str, name: str, text: str) -> str:
    """The page with a generated block replaced."""
    start, end = f"<!-- figures of {name} -->\n", "<!-- end of figures -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"there is no place for the figures of {name}")
    return pattern.sub(lambda match: f"{start}{text}\n{end}", page)


def read_finding(name: str) -> Finding | None:
    """What was found; None if it has not been played."""
    file = DOCS / "findings" / f"{name}.json"
    return msgspec.json.decode(file.read_bytes(), type=Finding) if file.exists() else None


# --- the section of docs/findings.md ----------------------------------------------------------------------------------


def section(name: str) -> str:
    """The answer of an experiment for designers: verdict, a few sentences, where it holds, how sure."""
    finding = read_finding(name)
    figures = f"[Figures](findings/{name}.md)."
    if finding is None:
        return f"### {find_experiment(name).question}\n\n{NOT_PLAYED} {figures}"
    answer = finding.answer
    first, rest = answer.first_words
    if len(rest.split()) > _LONG_VERDICT and "; " in rest:
        rest = largest_changes(rest)
    text = f"**{first}**{rest}" if first else rest
    for number, sentence in enumerate(sentences(" ".join([answer.shared, answer.boards, answer.changes]).strip())):
        most = _MOST_WORDS if sentence == answer.shared else _ENOUGH_WORDS
        if number == _MORE_SENTENCES or len(f"{text} {sentence}".split()) > most:
            break
        text += f" {sentence}"
    return _plain(f"### {answer.question}\n\n{text}\n\n*{where(finding)}* {figures}")


def largest_changes(verdict: str) -> str:
    """Of a long list of differences the first one of every sentence: what matters most comes first."""
    firsts = [f"{sentence.partition('; ')[0].removesuffix('.')}." for sentence in sentences(verdict)]
    return " ".join([*firsts, "More differences are among the figures."])


def sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text) if text else []


def where(finding: Finding) -> str:
    """At which levels, on which boards, and how sure: half the narrowest and half the widest 95 % interval."""
    levels = list(finding.games_per_level)
    played = f"{levels[0].capitalize()} to {levels[-1]}" if len(levels) > 1 else levels[0].capitalize()
    boards = finding.boards
    on = f", on {len(boards)} boards" if len(boards) > 1 else f", on {boards[0]}" if boards else ""
    halves = sorted(_HALF_WIDTH.findall(finding.answer.sure), key=lambda half: float(half[1:]))
    unit = "points" if "points" in finding.answer.sure else ""
    known = f"; {' to '.join(dict.fromkeys((halves[0], halves[-1])))} {unit}".rstrip() if halves else ""
    return f"{played}{on}{known}; {finding.games:,} games."


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ")


# --- the page of one experiment ---------------------------------------------------------------------------------------


def stub(name: str) -> str:
    """The page of an experiment that has not been played."""
    return f"# {find_experiment(name).question}\n\n{NOT_PLAYED}\n\n{_HOW_PLAYED.format(commands=play_command(name))}"


def write_pages(name: str, folder: Path, docs: Path) -> None:
    """Write the figures of a run, its chart, and what other pages cite of it."""
    run = Run(folder)
    if run.manifest.finished is None:
        raise SystemExit(f"{folder} is not finished")
    data = gather(open_run(folder))
    planned, shares = run.experiment.games, data.by_level(WIN_SHARE)
    experiment = replace(run.experiment, games=run.games_per_variant)
    finding = Finding(
        experiment=name,
        answer=answer_of(data, str(RUNS / name)),
        seed=experiment.seed,
        games=int(data.run.game_counts["games"].sum()),
        games_per_level={part.level.name: part.games_of(part.cells[0].name) for part in data.run.by_level},
        boards=tuple(experiment.boards),
        extended_from=planned if planned < experiment.games else 0,
        planned_seconds=round(planned_seconds(experiment)),
        worker_seconds=round(sum(map(float, _PART_SECONDS.findall((folder / "run.log").read_text(encoding="utf-8"))))),
        digest=run.manifest.finished.digest,
        wins={
            code: {level.name: [round(100 * float(share), 1) for share in at.means[v]] for level, at in shares}
            for v, code in enumerate(_codes(data))
        },
    )
    (docs / "findings").mkdir(parents=True, exist_ok=True)
    write_atomically(docs / "findings" / f"{name}.json", msgspec.json.format(msgspec.json.encode(finding), indent=1))
    text = "\n".join(_figures(finding, data, docs))
    write_atomically(docs / "findings" / f"{name}.md", _plain(text).encode())


def _codes(data: ReportData) -> list[str]:
    return short_names([variant.name for variant in data.run.variants])


def _figures(finding: Finding, data: ReportData, docs: Path) -> Iterator[str]:
    """The memo, the commands, what was played at what cost, the chart and the tables."""
    several = len(data.run.variants) > 1
    yield finding.answer.memo
    commands = [
        play_command(finding.experiment),
        f"mmsim {'compare' if several else 'report'} {RUNS / finding.experiment}",
    ]
    yield _HOW_PLAYED.format(commands="\n".join(commands))
    yield " ".join([how_played(finding), *data.run.warnings])
    yield ""
    if len(data.levels) > 1:
        yield seats_picture(finding, data, docs)
        yield ""
    titles, players = data.names, [level.level.name for level in data.levels]
    if several:
        yield from _table(
            ["variant", "code"], ([title, f"`{code}`"] for title, code in zip(titles, _codes(data), strict=True))
        )
        yield ""
    yield "<details><summary>All figures, with 95 % intervals</summary>"
    yield ""
    yield from _table(["variant", "metric", *players], _estimates(data, titles))
    yield ""
    yield "</details>"
    yield ""
    if several:
        yield f"<details><summary>All differences from {titles[0]}, with half of their 95 % intervals</summary>"
        yield ""
        yield from _table(["variant", "metric", *players, "verdict"], _differences(data, titles, players))
        yield ""
        yield "</details>"
        yield ""
    if finding.experiment == _HAS_STATIONS:
        yield from _stations(data.run.folder)


def how_played(finding: Finding) -> str:
    per_level = ", ".join(f"{level} {games:,}" for level, games in finding.games_per_level.items())
    on_each = f" on each of {len(finding.boards)} boards" if len(finding.boards) > 1 else ""
    extended = f" (extended from {finding.extended_from:,} after a first result)" if finding.extended_from else ""
    return (
        f"Seed {finding.seed}. Games of every variant{on_each}: {per_level}{extended}; {finding.games:,} in all. "
        f"Cost: {fmt.duration(finding.planned_seconds)} of one core by declared costs, "
        f"{fmt.duration(finding.worker_seconds)} measured over all workers, on a shared machine. "
        f"Digest of the rows: `{finding.digest[:16]}`."
    )


def seats_picture(finding: Finding, data: ReportData, docs: Path) -> str:
    """Draws which seat wins at which level; returns the Markdown that shows it."""
    chart = seats_by_level_chart(data)
    file = docs / "images" / "findings" / f"{finding.experiment}.svg"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, chart.files()["svg"])
    return f"![{chart.title}](../{file.relative_to(docs).as_posix()})\n\n*{chart.note}*"


def _estimates(data: ReportData, titles: Sequence[str]) -> Iterator[list[str]]:
    """One row per metric, variant and group, one column per level."""
    by_level = [by_name(level.metrics) for level in data.levels]
    for metric in primary_metrics(data.run):
        known = next((estimates[metric] for estimates in by_level if metric in estimates), None)
        if known is None:
            continue
        unit = known.measure.unit
        shown = "" if unit.startswith("share") else f" ({unit})"
        for v, title in enumerate(titles):
            for group in known.groups:
                cells = []
                for estimates in by_level:
                    groups = estimates[metric].groups if metric in estimates else ()
                    mean = estimates[metric].get(v, groups.index(group)) if group in groups else None
                    cells.append(fmt.with_interval(mean, unit) if mean else "–")
                yield [title, f"{fmt.label(metric, group)}{shown}", *cells]


def _differences(data: ReportData, titles: Sequence[str], players: Sequence[str]) -> Iterator[list[str]]:
    order = [variant.name for variant in data.run.variants]
    for comparison in data.primary:
        unit = fmt.difference_unit(comparison.measure.unit)
        each = {shown.level.name: fmt.with_half_width(shown.difference, unit) for shown in comparison.levels}
        yield [
            titles[order.index(comparison.variant)],
            fmt.label(comparison.measure.name, comparison.group),
            *(each.get(player, "–") for player in players),
            comparison.verdict_text,
        ]


def _stations(folder: Path) -> Iterator[str]:
    program = _STATIONS.format(folder=folder.as_posix())
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    yield "## Which stations are worth most\n"
    yield "Points of somebody's line by the place of its station on its side of the board, corner to corner.\n"
    yield f"```python\n{program}```\n\n```\n{printed}```\n"


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    main()
