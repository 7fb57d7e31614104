"""Games of a run that are looked at once more, one by one, by as many processes as there are cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, TypeVar

from mmsim.batch.run import Run
from mmsim.system.processes import Helpers, cores

GameOfRun = tuple[int, int]  # variant and number of a game
Result = TypeVar("Result")


def for_each_game(
    run: Run, games: Sequence[GameOfRun], work: Callable[[Run, GameOfRun], Result], workers: int | None
) -> Iterator[tuple[GameOfRun, Result]]:
    """What `work`, which other processes must be able to import, makes of some games, as it comes."""
    size = min(workers or cores(), len(games))
    if size <= 1:
        for game in games:
            yield game, work(run, game)
        return
    with Helpers(size, "spawn", _get_ready, str(run.folder), run.bots_from, work) as pool:
        futures = {pool.submit(_work, game): game for game in games}
        for future in as_completed(futures):
            yield futures[future], future.result()


_ready: list[Any] = []  # of a worker: the run and what to do


def _get_ready(folder: str, bots_from: Path | None, work: Callable[[Run, GameOfRun], Any]) -> None:
    _ready[:] = [Run(folder, bots_from), work]


def _work(game: GameOfRun) -> Any:
    run, work = _ready
    return work(run, game)
