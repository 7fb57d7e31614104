"""`mmsim chances`: who was likely to win, turn by turn, in some games of a run."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mmsim.batch.manifest import CHANCES
from mmsim.batch.run import Run
from mmsim.cli.common import console, say
from mmsim.cli.interrupts import NOTHING_KEPT, keeping
from mmsim.cli.progress import duration
from mmsim.cli.run import BotsFrom, RunFolder
from mmsim.cli.run_control import Quiet, Workers

_GAMES, _PLAYOUTS = 48, 100
_EVERY_S = 5.0  # between two lines of progress


def chances(
    folder: RunFolder,
    games: Annotated[int, typer.Option(min=1, help="How many games of every variant, from the first on.")] = _GAMES,
    playouts: Annotated[
        int, typer.Option(min=2, help="Games played out after every turn; with 100 a chance is known to ±5 points.")
    ] = _PLAYOUTS,
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Then say how often players won who were given a chance.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the calibration as JSON.")] = False,
    bots_from: BotsFrom = None,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Estimate the chances to win after every turn of some games, for the report's section on tension."""
    from mmsim.batch.win_chances import sample_chances  # NumPy takes a moment to import

    progress = _Progress(quiet)

    def kept() -> str:
        return f"the {progress.done:,} games done are kept: the same command goes on" if progress.done else NOTHING_KEPT

    with keeping(kept):
        there = sample_chances(Run(folder, bots_from), games, playouts, workers, progress.tell)
    say(f"chances to win in {there:,} games -> {folder / CHANCES}", err=True)
    if calibration or as_json:
        _calibrate(folder, as_json)


def _calibrate(folder: Path, as_json: bool) -> None:
    from mmsim.analysis import number_format as fmt
    from mmsim.analysis.calibration import calibrate
    from mmsim.analysis.tables import open_run
    from mmsim.batch.win_chances import read_chances

    table = read_chances(folder)
    assert table is not None
    found = calibrate(table, {cell.name: cell.games_a_deal for cell in open_run(folder).cells})
    if as_json:
        typer.echo(json.dumps({**asdict(found), "skill": found.skill}, indent=1))
        return
    title = f"Chances before the last turn of {found.games:,} games, {found.playouts} playouts each; 95 % intervals"
    shown = Table("chance", "foretold", "won", "forecasts", title=title, title_justify="left")
    for one in found.bins:
        won = fmt.with_interval(one.won, "share")
        shown.add_row(f"{one.low:.0%} to {one.high:.0%}", f"{one.foretold:.1%}", won, f"{one.forecasts:,}")
    console().print(shown)
    brier, fair = (fmt.with_interval(one, "") for one in (found.brier, found.fair))
    say(f"Brier score {brier}; a fair share for everybody, always: {fair}; {found.skill:.0%} less")


class _Progress:
    """Says now and then how far it is."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self.done = quiet, 0
        self._first = 0  # games that were done when the clock was started
        self._began = self._said = time.monotonic()

    def tell(self, done: int, total: int) -> None:
        self.done, now = done, time.monotonic()
        if not self._first:  # what came before is mostly starting up
            self._first, self._began = done, now
        elif not self._quiet and now - self._said >= _EVERY_S and done < total:
            self._said = now
            left = (now - self._began) / (done - self._first) * (total - done)
            say(f"{done:,} of {total:,} games, {duration(left)} left", err=True)
