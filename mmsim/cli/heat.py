"""`mmsim heat`: heat maps of where things are on the board at the end of games, by seat."""

from pathlib import Path
from typing import Annotated

from mmsim.analysis.heat_maps import heat_maps_of_run
from mmsim.batch.run import Run
from mmsim.cli import options
from mmsim.cli.console import save
from mmsim.cli.options import option
from mmsim.cli.progress import show_progress
from mmsim.core.shell import SupportsHeatMaps
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import find_shell


def heat(
    folder: options.RunFolder,
    out: Annotated[Path, option("--out FILE", "The picture, .svg or .png.")],
    variant: options.VariantName = None,
    against: Annotated[str | None, option("--against VARIANT", "Draw how the variant differs from this one.")] = None,
    level: Annotated[str | None, option("--level LEVEL", "A level of play of the run. Default: the first.")] = None,
    seat: Annotated[int | None, option("--seat N", "Only this seat, counted from 1. Default: all.", min=1)] = None,
    games: Annotated[int, option("--games N", "How many games of each variant to play again.", min=1)] = 100,
    bots_from: options.BotsFrom = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """With --against, the maps show how two variants differ."""
    kind, run = picture_kind(out), Run(folder, bots_from)
    shell = find_shell(run.game.name)
    if not isinstance(shell, SupportsHeatMaps):
        raise UsageError(f"{run.game.name} has no heat maps")
    with show_progress(quiet) as progress:
        description, maps = heat_maps_of_run(run, variant, against, level, seat, games, workers, progress.count)
    save(f"heat maps of {games:,} games", out, shell.heat_maps(description, maps)(kind))
