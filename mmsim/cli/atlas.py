"""`mmsim atlas`: play every layout of a board and report which are fair."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from mmsim.batch.cluster import Scheduler
from mmsim.batch.experiment import named_levels
from mmsim.cli import options
from mmsim.cli.console import counted, say
from mmsim.cli.options import option
from mmsim.cli.progress import duration, show_progress
from mmsim.contests.atlas import TABLE, AtlasLevel, AtlasPlan, play_atlas
from mmsim.errors import UsageError
from mmsim.games import find_shell_and_rules
from mmsim.system.processes import cores

_ALL = "all"
_GAMES = 100  # on every layout, if neither the command line nor the game says how many


def run(
    board: options.Board = None,
    rules: options.Rules = None,
    game: options.GameName = None,
    players: options.Players = None,
    levels: options.Levels = None,
    games_per_city: Annotated[
        list[str] | None,
        option(
            "--games-per-city GAMES",
            "Games on every layout, or LEVEL=N; repeat for several levels. Default: as in the atlas that comes with "
            "mmsim.",
        ),
    ] = None,
    cities: Annotated[
        str, option("--cities COUNT", "How many layouts: all, or the first N of an even sample of all.")
    ] = _ALL,
    seed: Annotated[
        int | None, option("--seed N", "Master seed. Default: as in the shipped atlas.", callback=options.check_seed)
    ] = None,
    out: Annotated[Path, option("--out FOLDER", "The folder of the atlas; an atlas begun there is continued.")] = Path(
        "runs/atlas"
    ),
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    tls_ca: options.TlsCa = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    quiet: options.Quiet = False,
    json_progress: options.JsonProgress = False,
) -> None:
    """Every game has its own deal, and nothing is kept but sums per layout and level. The same plan gives the same
    bytes with any number of workers; the same command continues an atlas that was stopped.
    """
    shell, spec = find_shell_and_rules(game, rules)
    space, allocation = shell.boards.all_layouts(board), shell.atlas
    games = _games_by_level(games_per_city or ())
    words = levels or [name for name in games if name] or list(allocation.games_per_layout if allocation else ())
    declared = allocation.games_per_layout if allocation else {}
    plan = AtlasPlan(
        game=shell.name,
        rules=spec,
        players=players or shell.explain(spec, None).players,
        board=board or shell.default_board or "",
        seed=seed if seed is not None else allocation.seed if allocation else 1,
        layouts=_count(cities, space.count),
        levels=[
            AtlasLevel(level.name, level.bots, games.get(level.name, games.get("", declared.get(level.name, _GAMES))))
            for level in named_levels(shell.name, words)
        ],
    )
    scheduler = Scheduler(cluster, tls_ca, tls_cert, tls_key) if cluster else None
    again = shlex.join(["mmsim", *sys.argv[1:]])
    with show_progress(quiet, json_progress, lambda: f"finished parts are kept; continue with: {again}") as progress:
        plan, _ = play_atlas(out, plan, workers or cores(), progress, scheduler)
    per_level = ", ".join(f"{level.games} by {level.name}" for level in plan.levels)
    say(
        f"{out / TABLE}: {counted(plan.layouts, 'layout')} of {plan.board}, games on each: {per_level}; "
        f"{duration(plan.core_seconds)} of one core"
    )


def _games_by_level(words: Sequence[str]) -> dict[str, int]:
    """The values of `--games-per-city`: level -> games; "" for all levels that are not named."""
    games = {}
    for word in words:
        level, _, number = word.rpartition("=")
        if not number.isascii() or not number.isdecimal() or not 1 < int(number) < 10**9:
            raise UsageError(f"--games-per-city takes a number of games above 1, or LEVEL=NUMBER, not '{word}'")
        games[level] = int(number)
    return games


def _count(cities: str, count: int) -> int:
    if cities == _ALL:
        return count
    if not cities.isascii() or not cities.isdecimal() or not 0 < int(cities) <= count:
        raise UsageError(f"--cities takes '{_ALL}' or a number from 1 to {count:,}, not '{cities}'")
    return int(cities)
