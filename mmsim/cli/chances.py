"""`mmsim chances`: estimate who was likely to win, turn by turn, in some games of a run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from mmsim.analysis import wording as fmt
from mmsim.analysis.win_chances import calibrate_run
from mmsim.batch.manifest import WIN_CHANCES_FILE
from mmsim.batch.run import Run
from mmsim.batch.side_tables import sample_win_chances
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, say
from mmsim.cli.interrupts import NOTHING_KEPT
from mmsim.cli.options import option
from mmsim.cli.progress import show_progress


def chances(
    folder: options.RunFolder,
    games: Annotated[int, option("--games N", "Games per variant, from the first one on.", min=1)] = 48,
    playouts: Annotated[
        int,
        option("--playouts N", "Playouts after every turn; 100 give a chance to within 5 percentage points.", min=2),
    ] = 100,
    calibration: Annotated[bool, option("--calibration", "Also print how often each chance came true.")] = False,
    as_json: Annotated[bool, option("--json", "Print the calibration as JSON.")] = False,
    bots_from: options.BotsFrom = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """The report of the run then has a section on tension."""

    def kept() -> str:
        done = progress.games_done
        return f"the {done:,} games done are kept: the same command continues" if done else NOTHING_KEPT

    with show_progress(quiet, kept=kept) as progress:
        known = sample_win_chances(Run(folder, bots_from), games, playouts, workers, progress.count)
    say(f"chances to win in {known:,} games -> {folder / WIN_CHANCES_FILE}", err=True)
    if calibration or as_json:
        _print_calibration(folder, as_json)


def _print_calibration(folder: Path, as_json: bool) -> None:
    by_level = calibrate_run(folder)
    if as_json:
        print_json(
            {level: {**asdict(calibration), "skill": calibration.skill} for level, calibration in by_level.items()}
        )
        return
    for level, calibration in by_level.items():
        rows = [
            (
                f"{bin.low:.0%} to {bin.high:.0%}",
                f"{bin.foretold:.1%}",
                fmt.with_interval(bin.won, "share"),
                f"{bin.forecasts:,}",
            )
            for bin in calibration.bins
        ]
        title = f"Chances before the last turn of {calibration.games:,} games, {calibration.playouts} playouts each"
        where = f"At {level} level: " if level else ""
        print_table(("chance", "foretold", "won", "forecasts"), rows, f"{where}{title}; 95 % intervals")
        comparative = "less" if calibration.skill >= 0 else "more"
        brier, fair = (fmt.with_interval(score, "") for score in (calibration.brier, calibration.fair))
        sure = f"temperature {calibration.temperature:.2f} ({_sureness(calibration.temperature)})"
        say(f"{sure}; Brier score {brier}, {abs(calibration.skill):.0%} {comparative} than a fair share, {fair}")


def _sureness(temperature: float) -> str:
    """What a temperature says of the playouts."""
    if temperature == 1.0:
        return "too few games to fit it"
    return "the playouts are too sure" if temperature > 1 else "the playouts are not sure enough"
