"""`mmsim heat`: where things lie at the end of games, on the board, by seat."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.batch.experiment import OF_MEMBER
from mmsim.batch.run import Run
from mmsim.cli import completion
from mmsim.cli.common import say
from mmsim.cli.run import BotsFrom
from mmsim.cli.run_control import Workers
from mmsim.core.shell import Maps
from mmsim.errors import UsageError, full_name
from mmsim.games import find_shell
from mmsim.system.files import write_output

_GAMES = 100
_EVERY = 50  # games after which it is said how far it is


def heat(
    folder: Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")],
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture, .svg or .png.")],
    variant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=completion.variants, help="Which variant; if not given, the first."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=completion.variants, help="Draw how VARIANT differs from this variant."
        ),
    ] = None,
    member: Annotated[
        str | None, typer.Option(metavar="BOT", help="Which kind of players of a panel; if not given, the first.")
    ] = None,
    seat: Annotated[int | None, typer.Option(min=1, help="Only this seat, from 1 on; if not given, all.")] = None,
    games: Annotated[int, typer.Option(min=1, help="The first so many games of a variant, played again.")] = _GAMES,
    bots_from: BotsFrom = None,
    workers: Workers = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Draw heat maps: how often things lie where at the end of games, or how two variants differ."""
    from mmsim.analysis.heat_maps import difference_maps, heat_maps  # Polars and matplotlib take a moment to import
    from mmsim.batch.end_positions import sample_places
    from mmsim.drawing.board_canvas import picture_kind

    kind, run = picture_kind(out), Run(folder, bots_from)
    shell = find_shell(run.game.name)
    if not isinstance(shell, Maps):
        raise UsageError(f"{run.game.name} has no heat maps")
    own = _cell(run, variant, member)
    about = run.manifest.variants[own]
    seats = list(range(int(about.get("companies", about["players"]))))
    if seat is not None:
        if seat > len(seats):
            raise UsageError(f"{run.variant_names[own]} has the seats 1 to {len(seats)}, not {seat}")
        seats = [seat - 1]

    def tell(done: int, total: int) -> None:
        if not quiet and done % _EVERY == 0 and done < total:
            say(f"{done:,} of {total:,} games", err=True)

    counts = sample_places(run, own, games, workers, tell)
    maps = heat_maps(_title(run, own), counts, games, seats, shell.lying)
    if against is not None:
        other = _cell(run, against, member)
        names = (_title(run, other), _title(run, own))
        maps = difference_maps(
            names, (sample_places(run, other, games, workers, tell), counts), games, seats, shell.lying
        )
    write_output(out, shell.heat_maps(about, maps)(kind))
    say(f"heat maps of {games:,} games -> {out}", err=True)


def _title(run: Run, cell: int) -> str:
    return run.variant_names[cell].replace(OF_MEMBER, ", ")


def _cell(run: Run, variant: str | None, member: str | None) -> int:
    """The number of a variant as its tables call it: with the kind of players where there is a panel."""
    names = run.variant_names
    shared = list(dict.fromkeys(name.partition(OF_MEMBER)[0] for name in names))
    members = list(dict.fromkeys(name.partition(OF_MEMBER)[2] for name in names))
    if members == [""] and member is not None:
        raise UsageError(f"{run.folder} has no panel; all its games are those of {run.experiment.bots}")
    if variant in names:
        return names.index(variant)
    chosen = full_name("variant", variant, shared) if variant else shared[0]
    kind = full_name("member", member, members) if member else members[0]
    return names.index(f"{chosen}{OF_MEMBER}{kind}" if kind else chosen)
