"""The report as files: one page that needs nothing else, with its charts, tables, pictures and rules beside it."""

import hashlib
import json
import multiprocessing
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import groupby
from multiprocessing import forkserver
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from mmsim import __version__
from mmsim.analysis import compare, stats
from mmsim.analysis import wording as fmt
from mmsim.analysis.run_metrics import declared_metrics, metric_table
from mmsim.analysis.tables import RunTables
from mmsim.batch.experiment import Experiment
from mmsim.batch.level_columns import levels_of, with_level
from mmsim.batch.run import Run
from mmsim.core.rulebook import Rule, rulebook
from mmsim.core.variant import board_label, split_file
from mmsim.games import find_shell, find_statistics
from mmsim.report import comparison_sections, game_sections, sections, why_section
from mmsim.report.answer import Answer, answer_of
from mmsim.report.charts import Chart
from mmsim.report.report_data import ReportData, Submit, gather, shown_path
from mmsim.report.sections import Section, slug
from mmsim.report.sentences import MAX_NAMED
from mmsim.system.files import data_folder, read_bytes, remove_stale_temporaries, write_atomically
from mmsim.system.processes import StoppablePool, cores, deferring_signals, starting_processes
from mmsim.system.safe_text import printable
from mmsim.system.temporary import name_sockets
from mmsim.tables.frames import no_formulas

T = TypeVar("T")
_MAX_WORKERS = 4  # for about twenty charts
PRELOADED = ("mmsim.report.charts", "matplotlib.backends.backend_svg", "matplotlib.backends.backend_agg")
_PAGE = "report.html"
_RULES_PAGE = "rules.html"
_GLOSSARY_PAGE = "glossary.html"
_MEMO = "memo.md"
_FILES = "files.json"  # lists the files of a report, so that the next one can remove them; a PNG goes with its SVG
_REPORT_FILE = re.compile(
    r"charts/[\w.-]+\.svg|tables/[\w.-]+\.(csv|parquet)|pictures/[\w.-]+\.svg|games/[\w.-]+\.html|(rules|glossary)\.html|memo\.md"
)


def preload_workers() -> None:
    """Start the fork server, which loads matplotlib while this process loads other things."""
    multiprocessing.get_context("forkserver").set_forkserver_preload([*PRELOADED])
    with suppress(OSError), starting_processes():
        name_sockets()
        forkserver.ensure_running()


@contextmanager
def chart_workers() -> Iterator[Submit]:
    """A function that submits picklable tasks to processes with matplotlib loaded; where none can be started, tasks run
    in this process."""
    preload_workers()
    with StoppablePool(min(cores(), _MAX_WORKERS), "forkserver") as pool:

        def submit(task: Callable[[], T]) -> Callable[[], T]:
            try:
                future = pool.submit(task)
            except (OSError, BrokenProcessPool):
                return task

            def wait() -> T:
                try:
                    return future.result()
                except BrokenProcessPool:
                    return task()

            return wait

        submit(int)  # any quick task, so that a worker starts
        yield submit


def write_report(
    run: RunTables,
    folder: Path,
    first_sections: Callable[[ReportData], Sequence[Section]] = lambda data: (),
    command: str = "",
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[Path, Answer]:
    """Write the report of a run into a folder; return the path of its page and the answer.

    `first_sections` makes sections to be put before all others; `command` makes the report again, if that takes
    another command than `mmsim run`.
    """
    with chart_workers() as submit:
        on_progress(f"measuring {int(run.game_counts['games'].sum()):,} games")
        data = gather(run, submit)
        answer = answer_of(data, "" if command else shown_path(run.folder))
        answer = replace(answer, steps=[step for step in answer.steps if "mmsim report" not in step[1]])
        headline = sections.headline_chart(data)
        all_sections = [*first_sections(data), *make_sections(data)]
        charts = [*([headline] if headline else []), *(chart for section in all_sections for chart in section.charts)]
        pictures = [picture for section in all_sections for picture in section.pictures]
        waiting_charts = {chart.name: submit(chart.files) for chart in charts}
        waiting_narrow = {chart.name: submit(chart.narrow) for chart in charts if chart.draw_narrow}
        waiting_pictures = {picture.file: submit(picture.draw) for picture in pictures if picture.draw}
        waiting_pages = {picture.page: submit(picture.replay) for picture in pictures if picture.replay}
        on_progress(f"drawing {len(charts)} charts and {len(waiting_pictures)} pictures")
        files = _table_files(data)
        files |= {
            f"charts/{name}.{kind}": image for name, wait in waiting_charts.items() for kind, image in wait().items()
        }
        files |= {name: wait() for name, wait in (waiting_pictures | waiting_pages).items()}
        narrow_charts = {name: wait() for name, wait in waiting_narrow.items()}
    rules = rulebook(run.experiment.game)
    environment = _environment(files, narrow_charts, rules, _definitions(run.experiment.game))
    if rules:
        files[_RULES_PAGE] = _rules_page(environment, run.experiment.game, rules).encode()
    files[_MEMO] = printable(answer.memo, keep="\n").encode()
    files[_GLOSSARY_PAGE] = _glossary_page(environment).encode()
    page = _page(environment, data, answer, headline, all_sections, command)
    _write_files(run, folder, page.encode(), files)
    return folder / _PAGE, answer


def make_sections(data: ReportData) -> list[Section]:
    """All sections this run has something to show in, in reading order, without unreadable charts."""
    plans = find_statistics(data.run.experiment.game).sections
    makers: tuple[Callable[[ReportData], Section | None], ...] = (
        comparison_sections.differences,
        sections.players,
        comparison_sections.retrained,
        sections.seats,
        *(partial(sections.declared_section, plan=plan) for plan in plans),
        game_sections.openings,
        why_section.why,
        comparison_sections.variants,
        comparison_sections.board_by_board,
        sections.bots,
        game_sections.layouts,
        game_sections.on_the_atlas,
        game_sections.remarkable_games,
        game_sections.rule_gaps,
    )
    all_sections = [section for make in makers if (section := make(data)) is not None]
    return [
        replace(section, charts=[chart for chart in section.charts if chart.series <= sections.MAX_SERIES])
        for section in all_sections
    ]


# --- files -----------------------------------------------------------------------------------------------------------


def _write_files(run: RunTables, folder: Path, page: bytes, files: Mapping[str, bytes]) -> None:
    """Write a report and remove what only an older one in its folder has."""
    older = _older_files(folder)
    with deferring_signals():
        for inside in (folder, folder / "charts", folder / "tables", folder / "pictures", folder / "games"):
            remove_stale_temporaries(inside, re.compile(r"[\w.-]+"))
        write_atomically(folder / _PAGE, page)
        write_atomically(folder / _FILES, _file_list(run.experiment, {*files, *older}))
        for name, content in files.items():
            write_atomically(folder / name, content)
        write_atomically(folder / "experiment.toml", experiment_toml(run.experiment).encode())
        for word, _ in map(split_file, (*run.experiment.variants, *run.experiment.boards)):
            if word.endswith(".toml"):
                write_atomically(folder / word, read_bytes(run.folder / word))
        for name in older - set(files):
            (folder / name).unlink(missing_ok=True)
        write_atomically(folder / _FILES, _file_list(run.experiment, files))


class _FileList(msgspec.Struct):
    """What a report notes about itself in its folder."""

    run: str = ""  # identifies the experiment
    files: list[str] = []


def may_replace(folder: Path, experiment: Experiment) -> bool:
    """True if a folder has no report, or one of the same experiment with any number of games."""
    return not (folder / _PAGE).exists() or _read_file_list(folder).run == _identity(experiment)


def _identity(experiment: Experiment) -> str:
    values = {key: value for key, value in experiment.to_json().items() if key not in ("games", "part_games")}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _file_list(experiment: Experiment, files: Iterable[str]) -> bytes:
    listed = sorted(name for name in files if not name.endswith(".png"))
    return msgspec.json.format(msgspec.json.encode(_FileList(_identity(experiment), listed)), indent=1)


def _read_file_list(folder: Path) -> _FileList:
    try:
        return msgspec.json.decode(read_bytes(folder / _FILES), type=_FileList)
    except (OSError, ValueError, RecursionError):
        return _FileList()


def _older_files(folder: Path) -> set[str]:
    """The files that an older report in a folder lists, and the PNGs of its charts; never files elsewhere."""
    names = _read_file_list(folder).files
    known = {name for name in names if _REPORT_FILE.fullmatch(name) and not (folder / name).parent.is_symlink()}
    return known | {name.removesuffix("svg") + "png" for name in known if name.startswith("charts/")}


def _table_files(data: ReportData) -> dict[str, bytes]:
    """Every table as CSV and Parquet."""
    files = {}
    for name, table in _tables(data).items():
        parquet = BytesIO()
        table.write_parquet(parquet)
        files[f"tables/{name}.csv"] = no_formulas(table).write_csv().encode()
        files[f"tables/{name}.parquet"] = parquet.getvalue()
    return files


def _tables(data: ReportData) -> dict[str, pl.DataFrame]:
    """All numbers behind the report; empty tables are left out."""
    gaps = [
        estimates.rows().with_columns(situation=pl.lit(gap.situation), reading=pl.lit(gap.reading))
        for gap, estimates in data.gaps
    ]
    games = [
        (game.remarkable.kind, game.variant.name, game.remarkable.game, game.remarkable.text, game.command)
        for game in data.remarkable_games
    ]
    ratings = [
        (variant, rating.bot, strength.value, strength.low, strength.high, rating.elo.value, rating.games)
        for variant, variant_ratings in data.ratings.items()
        for rating in variant_ratings.bots
        for strength in [rating.strength]
    ]
    rating_columns = ["variant", "bot", "strength", "low", "high", "elo", "games"]
    of_cells = {
        "gaps": pl.concat(gaps) if gaps else pl.DataFrame(),
        "remarkable_games": pl.DataFrame(games, ["kind", "variant", "game", "text", "command"], orient="row"),
        "ratings": pl.DataFrame(ratings, rating_columns, orient="row"),
    }
    levels = levels_of(data.run.experiment)
    tables = {
        "metrics": metric_table(data.levels),
        "comparisons": compare.comparison_table(data.comparisons),
        "played": _played(data.run),
        **{name: with_level(table.lazy(), levels).collect() for name, table in of_cells.items() if table.height},
        "openings": pl.DataFrame([row for book in data.openings for row in book.rows()]),
    }
    return {name: table for name, table in tables.items() if table.height}


def _played(run: RunTables) -> pl.DataFrame:
    """The number of games per variant, level and status."""
    return with_level(run.game_counts.lazy(), levels_of(run.experiment)).collect()


def experiment_toml(experiment: Experiment) -> str:
    """An experiment as the file it can be played from again."""
    values = {key: value for key, value in experiment.to_json().items() if value is not None}
    return "".join(f"{key} = {_toml_value(value)}\n" for key, value in values.items() if key != "bots" or value)


def _toml_value(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_toml_value(inner)}' for key, inner in value.items() if inner is not None)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # texts and numbers look the same in JSON and TOML


# --- HTML ------------------------------------------------------------------------------------------------------------


def _environment(
    files: Mapping[str, bytes],
    narrow_charts: Mapping[str, bytes],
    rules: Mapping[str, Rule],
    definitions: Mapping[str, str],
) -> Environment:
    """Templates that can show charts and pictures, link rule ids and terms, and show definitions in tooltips."""
    environment = Environment(
        loader=PackageLoader("mmsim.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    meanings = _meanings()

    def link(ids: str) -> Markup:
        anchor = Markup('<a href="{}#{}" title="{}">{}</a>')
        return Markup(" ").join(
            anchor.format(_RULES_PAGE, id_, rules[id_].text, id_) if id_ in rules else id_ for id_ in ids.split()
        )

    def inline(chart: Chart) -> Markup:
        svg = chart.inline(files[f"charts/{chart.name}.svg"])
        if chart.name not in narrow_charts:
            return Markup(svg)
        narrow = chart.inline(narrow_charts[chart.name], "-narrow")
        return Markup(f'<div class="broad">{svg}</div><div class="narrow">{narrow}</div>')

    def define(label: str) -> Markup:
        definition = definitions.get(re.split(r": | \(|:", label)[0])
        return Markup('<abbr title="{}">{}</abbr>').format(definition, label) if definition else escape(label)

    def term(word: str, shown: str = "") -> Markup:
        anchor = Markup('<a class="term" href="{}#{}" title="{}">{}</a>')
        return anchor.format(_GLOSSARY_PAGE, slug(word), meanings[word], shown or word)

    environment.filters["inline"] = inline
    environment.filters["image"] = lambda picture: (
        f"data:image/svg+xml;base64,{b64encode(files[picture.file]).decode()}"
    )
    environment.filters["linked"] = link
    environment.filters["defined"] = define
    environment.filters["term"] = term
    environment.filters["spans"] = _spans
    environment.filters["code"] = lambda text: Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))
    environment.filters["commands"] = lambda text: Markup(
        re.sub("“(mmsim [^”]*)”", r"<code>\1</code>", str(escape(text)))
    )
    return environment


def _definitions(game: str) -> dict[str, str]:
    """What the bots and metrics of a game are, by their names in tables."""
    bots = {name: bot.idea for name, bot in find_shell(game).bots.items()}
    return bots | {fmt.title(measure.name): measure.question for measure in declared_metrics(game)}


def _spans(items: Sequence[object], most: int) -> list[int]:
    """The columns, of six, that charts or pictures take so that no row is left half empty, with `most` in a row."""
    count = len(items)
    if most == 3 and count % 3 == 0:
        return [2] * count
    if count % 2 == 0 or count == 1:
        return [3 if count > 1 else 6] * count
    return [3] * (count - 3) + [2] * 3


def _glossary() -> str:
    text = (data_folder("docs") / "glossary.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)  # its links lead to pages that are not beside a report


def _meanings() -> dict[str, str]:
    """What the terms of the glossary mean, without markup."""
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.*) \|$", _glossary(), re.MULTILINE)
    return {term: re.sub(r"[*`]", "", meaning) for term, meaning in rows}


def _glossary_page(environment: Environment) -> str:
    content = MarkdownIt().enable("table").render(_glossary())
    content = re.sub(r"<td><strong>(.+?)</strong>", lambda m: f'<td id="{slug(m[1])}"><strong>{m[1]}</strong>', content)
    return environment.get_template(_GLOSSARY_PAGE).render(content=Markup(content))


def _rules_page(environment: Environment, game: str, rules: Mapping[str, Rule]) -> str:
    by_section = [(name, list(group)) for name, group in groupby(rules.values(), lambda rule: rule.section)]
    return environment.get_template(_RULES_PAGE).render(game=game.capitalize(), sections=by_section)


def _page(
    environment: Environment,
    data: ReportData,
    answer: Answer,
    headline: Chart | None,
    all_sections: Sequence[Section],
    command: str,
) -> str:
    run = data.run
    return environment.get_template(_PAGE).render(
        name=run.name,
        question=answer.question,
        answer=answer,
        codes=run.experiment.variants if len(run.experiment.variants) <= MAX_NAMED else (),
        warnings=run.warnings,
        headline=headline,
        sections=[section for section in all_sections if not section.folded],
        folds=[section for section in all_sections if section.folded],
        facts=_facts(run),
        played=_played(run).rows(),
        measures=[measure for measure in declared_metrics(run.experiment.game) if measure.name in data.estimates],
        level=f"{100 * stats.LEVEL:.0f} %",
        levels=len(data.levels),
        paired=run.paired,
        deals_shared=any(variant.games_per_deal > 1 for variant in run.variants),
        tests=len(data.comparisons),
        primary=len(data.primary),
        decided=run.decision,
        limits=find_statistics(run.experiment.game).limits,
        experiment=experiment_toml(run.experiment),
        command=command,
        digest=_digest(run),
        run=shlex.quote(shown_path(run.folder)),
        version=__version__,
    )


def _digest(run: RunTables) -> str:
    """The digest of all rows of a finished run; empty for another."""
    finished = Run(run.folder).manifest.finished
    return finished.digest if finished else ""


def _facts(run: RunTables) -> list[tuple[str, str]]:
    """What was played, for the head of the page."""
    games = int(run.game_counts["games"].sum())
    bots = sorted({bot for cell in run.cells for bot in cell.bot_specs})
    players = sorted({variant.players for variant in run.variants})
    facts = [
        ("games", f"{games:,}"),
        ("variants", str(len(run.variants))),
        ("players", ", ".join(str(number) for number in players)),
        ("levels", ", ".join(level.level.name for level in run.of_levels)),
        ("bots", ", ".join(bots)),
        ("boards", ", ".join(map(board_label, run.boards))),
        ("seed", str(run.experiment.seed)),
        ("stopped by a sequential test of", fmt.title(run.decision.metric) if run.decision else ""),
    ]
    return [(label, value) for label, value in facts if value]
