"""`mmsim demo`: what mmsim is for, by the commands that anybody would type for it, in one folder."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mmsim.batch import experiment as experiments
from mmsim.batch.manifest import MANIFEST
from mmsim.batch.run import Run
from mmsim.cli import options
from mmsim.cli.commands import load_command
from mmsim.cli.console import say
from mmsim.cli.options import option
from mmsim.errors import UsageError
from mmsim.system.files import failing_with

_GAME = "--rules print --players 4 --bots planner --seed 7 --last 6"
_EXPERIMENT, _LEVELS, _GAMES = "municipality-4p", "casual..expert", 24_000


def demo(
    out: Annotated[Path, option("--out FOLDER", "Where everything is written.")] = Path("mmsim-demo"),
    games: Annotated[
        int, option("--games N", "Games per variant, of which there are three; experts play half as many.", min=100)
    ] = _GAMES,
    workers: options.Workers = None,
    open_in_browser: Annotated[bool, option("--open", "Open the report in the browser.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """It plays one game and makes a page to step through it, then 180,000 games at three levels of play: are open or
    fixed hands fairer than hidden ones? It ends with the answer and a report, after two to four minutes on two cores,
    and prints the commands it consists of. If it was stopped, it continues."""
    record, page, run = out / "game.json", out / "game.html", out / "run"
    with failing_with(f"cannot write to {out}"):
        out.mkdir(parents=True, exist_ok=True)
    playing = _playing(run, games)
    if workers is not None:
        playing += ["--workers", str(workers)]
    silent = ["--quiet"] if quiet else []
    opening = ["--open"] if open_in_browser else []
    _carry_out("play", *_GAME.split(), "--record", str(record))
    _carry_out("replay", str(record), "--out", str(page))
    _carry_out(*playing, *silent)
    _carry_out("report", str(run), "--out", str(out / "report"), *opening, *silent)
    say(f"  replay   {page}")


def _playing(run: Path, games: int) -> list[str]:
    """The command that plays the run, or what is missing of it; refused if another run is in its place."""
    wanted = experiments.with_settings(experiments.find_experiment(_EXPERIMENT), {"levels": [_LEVELS], "games": games})
    if not (run / MANIFEST).exists():
        return ["run", _EXPERIMENT, "--levels", _LEVELS, "--games", str(games), "--out", str(run)]
    stored = Run(run)
    if replace(stored.manifest.parsed_experiment, games=games, part_games=None) != wanted:
        raise UsageError(f"{run} holds another run; choose another folder with --out")
    if stored.games_per_variant < games:
        return ["run", str(run), "--more", str(games - stored.games_per_variant)]
    return ["resume", str(run)]


def _carry_out(name: str, *words: str) -> None:
    """Print a command and run it in this process."""
    say(f"$ {shlex.join(['mmsim', name, *words])}")
    if code := load_command(name).main([*words], f"mmsim {name}", standalone_mode=False):
        raise typer.Exit(code)
    sys.stdout.flush()  # in a pipe, too, each step is shown when it is done
