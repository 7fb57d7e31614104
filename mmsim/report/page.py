"""The report itself: one page that needs nothing else, charts and tables beside it."""

import hashlib
import json
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from mmsim import __version__
from mmsim.analysis import compare, stats
from mmsim.analysis import number_format as fmt
from mmsim.analysis.findings import measures
from mmsim.analysis.tables import RunTables
from mmsim.batch.experiment import Experiment
from mmsim.core.rulebook import Rule, rulebook
from mmsim.games import find_statistics
from mmsim.report import sentences
from mmsim.report.chart_workers import Drawers
from mmsim.report.charts import Chart
from mmsim.report.page_model import Section
from mmsim.report.report_data import Evidence, gather
from mmsim.report.sections import headline_chart, sections
from mmsim.system.files import read_bytes, remove_left_behind, write_atomically
from mmsim.system.processes import undisturbed
from mmsim.tables.frames import no_formulas

_PAGE = "report.html"
_LIST = "files.json"  # the charts, tables and pages of a report, by which the next one knows what to remove
_RULES_PAGE = "rules.html"
_OWN = re.compile(
    r"charts/[\w.-]+\.(svg|png)|tables/[\w.-]+\.(csv|parquet)|pictures/[\w.-]+\.svg|games/[\w.-]+\.html|rules\.html"
)


def write_report(
    run: RunTables,
    folder: Path,
    first: Callable[[Evidence], Sequence[Section]] = lambda evidence: (),
    again: str = "",
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[Path, list[str]]:
    """Write the report of a run into a folder; the page's path and the answer in three sentences.

    `first` makes sections of its own, which stand before all others; `again` is the command that
    makes such a report, if it is not the one that plays an experiment.
    """
    with Drawers() as drawers:
        tell(f"measuring {int(run.played['games'].sum()):,} games")
        evidence = gather(run, drawers.ask)
        answer = sentences.answer(evidence)
        headline = headline_chart(evidence)
        parts = [*first(evidence), *sections(evidence)]
        charts = [*([headline] if headline else []), *(chart for part in parts for chart in part.charts)]
        asked = {chart.name: drawers.ask(chart.files) for chart in charts}
        pictures = {one.title: drawers.ask(one.draw) for part in parts for one in part.pictures if one.draw}
        replays = {one.page: drawers.ask(one.replay) for part in parts for one in part.pictures if one.replay}
        tell(f"drawing {len(asked)} charts and {len(pictures)} pictures")
        files = _table_files(evidence)
        drawn = {name: wait() for name, wait in asked.items()}
        images = {title: wait() for title, wait in pictures.items()}
        files |= {name: wait() for name, wait in replays.items()}
    files |= {f"charts/{name}.{kind}": content for name, kinds in drawn.items() for kind, content in kinds.items()}
    files |= {one.file: images[one.title] for part in parts for one in part.pictures if one.draw}
    environment = _environment(drawn, images, rules := rulebook(run.experiment.game))
    if rules:
        files[_RULES_PAGE] = _rules_page(environment, run.experiment.game, rules).encode()
    page, older = folder / _PAGE, _own_files(folder)
    text = _page(environment, evidence, answer, headline, parts, again).encode()
    with undisturbed():
        for inside in (folder, folder / "charts", folder / "tables", folder / "pictures", folder / "games"):
            remove_left_behind(inside, re.compile(r"[\w.-]+"))
        write_atomically(page, text)
        write_atomically(folder / _LIST, _listing(run.experiment, {*files, *older}))
        for name, content in files.items():
            write_atomically(folder / name, content)
        write_atomically(folder / "experiment.toml", experiment_toml(run.experiment).encode())
        for word in (*run.experiment.variants, *run.experiment.boards):
            if word.endswith(".toml"):
                write_atomically(folder / word, read_bytes(run.folder / word))
        for name in older - set(files):
            (folder / name).unlink(missing_ok=True)
        write_atomically(folder / _LIST, _listing(run.experiment, files))
    return page, answer


def may_replace(folder: Path, experiment: Experiment) -> bool:
    """Whether a folder has no report, or one of the same experiment, however many of its games."""
    return not (folder / _PAGE).exists() or _listed(folder).get("run") == _identity(experiment)


def _identity(experiment: Experiment) -> str:
    said = {key: value for key, value in experiment.to_json().items() if key not in ("games", "part_games")}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _listing(experiment: Experiment, files: Iterable[str]) -> bytes:
    return json.dumps({"run": _identity(experiment), "files": sorted(files)}, indent=1).encode()


def _listed(folder: Path) -> dict[str, Any]:
    """What a report in a folder says of itself."""
    try:
        listed = json.loads(read_bytes(folder / _LIST))
    except (OSError, ValueError, RecursionError):
        return {}
    return listed if isinstance(listed, dict) else {}


def _own_files(folder: Path) -> set[str]:
    """The files that an older report in a folder lists as its own; names that lead elsewhere are none."""
    listed = _listed(folder).get("files")
    names = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    return {name for name in names if _OWN.fullmatch(name) and not (folder / name).parent.is_symlink()}


def _table_files(evidence: Evidence) -> dict[str, bytes]:
    """Every table as CSV and Parquet."""
    files = {}
    for name, table in tables(evidence).items():
        parquet = BytesIO()
        table.write_parquet(parquet)
        files[f"tables/{name}.csv"] = no_formulas(table).write_csv().encode()
        files[f"tables/{name}.parquet"] = parquet.getvalue()
    return files


def tables(evidence: Evidence) -> dict[str, pl.DataFrame]:
    """Everything the report rests on, as tables."""
    measured = [estimates.rows() for estimates in evidence.estimates.values()]
    gaps = [
        estimates.rows().with_columns(situation=pl.lit(gap.situation), reading=pl.lit(gap.reading))
        for gap, estimates in evidence.gaps
    ]
    surprises = [
        {
            "kind": one.found.kind,
            "variant": one.variant.name,
            "game": one.found.game,
            "text": one.found.text,
            "command": one.command,
        }
        for one in evidence.surprises
    ]
    ratings = [
        {
            "variant": variant,
            "bot": rating.bot,
            "strength": rating.strength.value,
            "low": rating.strength.low,
            "high": rating.strength.high,
            "elo": rating.elo,
            "games": rating.games,
        }
        for variant, rated in evidence.ratings.items()
        for rating in rated.bots
    ]
    found = {
        "metrics": pl.concat(measured),
        "comparisons": compare.frame(evidence.comparisons),
        "played": evidence.run.played,
        "gaps": pl.concat(gaps) if gaps else pl.DataFrame(),
        "surprises": pl.DataFrame(surprises),
        "ratings": pl.DataFrame(ratings),
        "openings": pl.DataFrame([row for book in evidence.openings for row in book.rows()]),
    }
    return {name: table for name, table in found.items() if table.height}


def _rules_page(environment: Environment, game: str, rules: Mapping[str, Rule]) -> str:
    """The rules as they are played, each where a link to its id leads."""
    by_section = [(name, list(own)) for name, own in groupby(rules.values(), lambda rule: rule.section)]
    environment.filters["marked"] = lambda text: Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))
    return environment.get_template(_RULES_PAGE).render(game=game.capitalize(), sections=by_section)


def _linked(ids: str, rules: Mapping[str, Rule]) -> Markup:
    """Ids of rules as links to what they say; the rule itself is shown to whoever points at one."""
    return Markup(" ").join(
        Markup('<a href="{}#{}" title="{}">{}</a>').format(_RULES_PAGE, id_, rules[id_].text, id_)
        if id_ in rules
        else id_
        for id_ in ids.split()
    )


def _environment(
    drawn: Mapping[str, Mapping[str, bytes]], images: Mapping[str, bytes], rules: Mapping[str, Rule]
) -> Environment:
    """Templates that know the charts by their names, the pictures by their titles and the rules by their ids."""
    environment = Environment(
        loader=PackageLoader("mmsim.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["inline"] = lambda chart: Markup(chart.inline(drawn[chart.name]["svg"]))
    environment.filters["image"] = lambda picture: (
        f"data:image/svg+xml;base64,{b64encode(images[picture.title]).decode()}"
    )
    environment.filters["linked"] = lambda ids: _linked(ids, rules)
    return environment


def _page(
    environment: Environment,
    evidence: Evidence,
    answer: Sequence[str],
    headline: Chart | None,
    parts: Sequence[Section],
    again: str,
) -> str:
    run = evidence.run
    return environment.get_template(_PAGE).render(
        name=run.name,
        question=run.experiment.question or f"What does {run.name} tell?",
        answer=answer,
        warnings=run.warnings,
        headline=headline,
        sections=parts,
        facts=_facts(run),
        played=run.played.rows(),
        measures=[measure for measure in measures(run.experiment.game) if measure.name in evidence.estimates],
        level=f"{100 * stats.LEVEL:.0f} %",
        paired=run.paired,
        deals_shared=any(variant.games_a_deal > 1 for variant in run.variants),
        tests=len(evidence.comparisons),
        asked=len(evidence.asked),
        decided=run.decision,
        limits=find_statistics(run.experiment.game).limits,
        experiment=experiment_toml(run.experiment),
        again=again or f"mmsim run experiment.toml && mmsim report {shlex.quote(f'runs/{run.name}')}",
        version=__version__,
    )


def _facts(run: RunTables) -> list[tuple[str, str]]:
    """What was played, for the head of the page."""
    games = int(run.played["games"].sum())
    bots = sorted({bot for cell in run.cells for bot in cell.bots})
    players = sorted({variant.players for variant in run.variants})
    facts = [
        ("games", f"{games:,}"),
        ("variants", str(len(run.variants))),
        ("players", ", ".join(str(number) for number in players)),
        ("players asked" if run.panel else "bots", ", ".join(bots)),
        ("boards", ", ".join(Path(board).stem for board in run.boards)),
        ("seed", str(run.experiment.seed)),
        ("stopped by a sequential test of", fmt.title(run.decision.metric) if run.decision else ""),
    ]
    return [(what, value) for what, value in facts if value]


def experiment_toml(experiment: Experiment) -> str:
    """An experiment as the file it can be played from again."""
    lines = []
    for key, value in experiment.to_json().items():
        if value is None:
            continue
        shown = list(value) if isinstance(value, tuple) else value
        lines.append(f"{key} = {json.dumps(shown, ensure_ascii=False)}")  # JSON's texts, numbers and lists are TOML's
    return "\n".join(lines) + "\n"
