"""`mmsim heat`: heat maps of where things are on the board at the end of games, by seat."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.analysis.heat_maps import heat_maps_of_run
from mmsim.batch.run import Run
from mmsim.cli import completion, options
from mmsim.cli.console import save
from mmsim.cli.progress import show_progress
from mmsim.core.shell import SupportsHeatMaps
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import find_shell


def heat(
    folder: options.RunFolder,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture, .svg or .png.")],
    variant: options.VariantName = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=completion.variants, help="Draw how the variant differs from this one."
        ),
    ] = None,
    member: options.Member = None,
    seat: Annotated[int | None, typer.Option(min=1, help="Only this seat, counted from 1. Default: all seats.")] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games of a variant are played again.")] = 100,
    bots_from: options.BotsFrom = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """Draw heat maps of where things are at the end of games.

    With --against, the maps show how two variants differ.
    """
    kind, run = picture_kind(out), Run(folder, bots_from)
    shell = find_shell(run.game.name)
    if not isinstance(shell, SupportsHeatMaps):
        raise UsageError(f"{run.game.name} has no heat maps")
    with show_progress(quiet) as progress:
        description, maps = heat_maps_of_run(run, variant, against, member, seat, games, workers, progress.count)
    save(f"heat maps of {games:,} games", out, shell.heat_maps(description, maps)(kind))
