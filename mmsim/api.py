"""What Python code asks of mmsim: play a run, read it, measure it, compare its variants, report it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mmsim.batch.experiment import Experiment, find, from_mapping, named_after
from mmsim.batch.manifest import MANIFEST
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.errors import UsageError
from mmsim.system.processes import cores

if TYPE_CHECKING:
    import polars as pl

    from mmsim.analysis.tables import RunTables

Folder = str | os.PathLike[str]


class Settings(TypedDict, total=False):
    """What may be said of an experiment, as in its file."""

    question: str
    game: str
    boards: Sequence[str]
    players: int
    bots: str
    panel: Sequence[str]
    metrics: Sequence[str]
    games: int
    seed: int
    design: str
    seats: str
    part_games: int
    move_seconds: float


def run(
    what: Experiment | str | Sequence[str],
    folder: Folder,
    workers: int | None = None,
    **settings: Unpack[Settings],
) -> Run:
    """Play an experiment, the shipped or written one of a name, or a list of rulesets, into a folder; the run of it.

    A folder that holds a run of the same experiment is finished if it is not, and read: asking twice plays once.
    """
    place = Path(folder)
    asked = _asked(what, place, settings)
    if not (place / MANIFEST).exists():
        made = Run.create(place, asked)
    else:
        made = Run(place)
        if made.experiment != asked:
            raise UsageError(f"{place} holds a run of another experiment; choose another folder")
    Session(made, workers or cores()).carry_out()
    return Run(place)


def _asked(what: Experiment | str | Sequence[str], folder: Path, settings: Settings) -> Experiment:
    if isinstance(what, Experiment):
        begun: dict[str, Any] = what.to_json()
    elif isinstance(what, str):
        begun = find(what).to_json()
    else:
        begun = {"name": named_after(folder), "variants": list(what)}
    others = {"panel": ()} if "bots" in settings else {"bots": ""} if "panel" in settings else {}
    return from_mapping({**begun, **others, **settings})


def read(folder: Folder) -> Run:
    """A run on disk: `mmsim.read("runs/loyal").seats` is a lazy Polars frame."""
    return Run(folder)


def measure(of: Run, metrics: Sequence[str] = ()) -> "pl.DataFrame":
    """The metrics of a run, of these names or all, with their 95 % intervals: a row a variant, metric and group."""
    import polars as pl

    from mmsim.analysis.findings import findings  # scipy takes a moment to import

    return pl.concat([estimates.rows() for estimates in findings(_tables(of), metrics)])


def compare(of: Run, reference: str | None = None, metrics: Sequence[str] = ()) -> "pl.DataFrame":
    """Every other variant of a run against the reference, the first if none is named, with a verdict a metric.

    Verdicts do not depend on which metrics are shown.
    """
    import polars as pl

    from mmsim.analysis import compare as comparing
    from mmsim.analysis.findings import check_names, family, findings

    run = _tables(of)
    check_names(run.experiment.game, metrics)
    found = comparing.frame(comparing.compare(findings(run), reference, family(run)))
    return found.filter(pl.col("metric").is_in(list(metrics))) if metrics else found


def record(of: Run, number: int, variant: str | None = None) -> dict[str, Any]:
    """The record of a game of a run, as `mmsim verify` and `mmsim replay` read it."""
    from mmsim.batch.check import record as record_of

    return record_of(of, of.variant_index(variant), number)


def write_report(of: Run, folder: Folder) -> Path:
    """Write the report of a run into a folder; the path of its page."""
    from mmsim.report import page

    return page.write_report(_tables(of), Path(folder))[0]


def _tables(of: Run) -> "RunTables":
    from mmsim.analysis.tables import open_run

    return open_run(of.folder)
