"""How a person, a log file or another program watches a run."""

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from mmsim.batch.session import Status
from mmsim.batch.tally import Tally
from mmsim.cli.common import Screen, say

_FIRST_S, _PLAIN_S, _JSON_S, _SCREEN_S = 2.0, 10.0, 1.0, 0.2


class Watcher(AbstractContextManager["Watcher"]):
    """Is told of everything and shows some of it, not too often; this one shows nothing."""

    every = float("inf")

    def __init__(self) -> None:
        self._shown = time.monotonic()
        self.before: Callable[[], None] = lambda: None  # called each time it is told something

    def __call__(self, status: Status) -> None:
        self.before()
        if time.monotonic() - self._shown >= self.every:
            self._shown = time.monotonic()
            self.show(status)

    def show(self, status: Status) -> None:
        pass

    def finish(self, status: Status) -> None:
        """The run is over; its results are told elsewhere."""

    def __exit__(self, *problem: object) -> None:
        pass


class Lines(Watcher):
    """Plain lines for a log."""

    every = _FIRST_S

    def show(self, status: Status) -> None:
        self.every = _PLAIN_S
        say("; ".join([summary(status), *headline(status)]), err=True)


class JsonLines(Watcher):
    """A JSON object a line on stderr, for other programs."""

    every = _JSON_S

    def show(self, status: Status) -> None:
        typer.echo(json.dumps(as_json(status)), err=True)

    def finish(self, status: Status) -> None:
        self.show(status)


class Bar(Watcher):
    """A bar, and under it what the run says so far."""

    every = _SCREEN_S

    def __init__(self) -> None:
        super().__init__()
        self._bar = Progress(BarColumn(40), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._task = self._bar.add_task("starting")
        self._live = Live(self._bar, console=Screen(stderr=True), refresh_per_second=5, transient=True)

    def show(self, status: Status) -> None:
        self._live.start()  # not before: compiling may have a bar of its own
        self._bar.update(self._task, total=status.games, completed=status.done, description=_pace(status))
        self._live.update(Group(self._bar, *headline(status)))

    def __exit__(self, *problem: object) -> None:
        self._live.stop()


def watcher(quiet: bool, as_lines_of_json: bool) -> Watcher:
    if as_lines_of_json:
        return JsonLines()
    if quiet:
        return Watcher()
    return Bar() if Screen(stderr=True).is_terminal else Lines()


def summary(status: Status) -> str:
    return f"{status.done:,} of {status.games:,} games, {_pace(status)}"


def _pace(status: Status) -> str:
    if not status.under_way:
        return "starting"
    speed = status.games_per_s
    text = f"{speed:,.0f} games/s" if speed >= 10 else f"{speed:.2g} games/s"
    if status.seconds_left:
        text += f", {duration(status.seconds_left)} left"
    if status.estimate:
        text += f", ±{status.estimate.half_width:.3g} now"
    return text + (f", {status.errors} bot errors" if status.errors else "")


def headline(status: Status) -> list[str]:
    """The win share of every seat with its 95 % interval, a line a variant."""
    lines = []
    for variant, shares in status.shares.items():
        if shares:
            percents = ", ".join(_percent(tally) for tally in shares)
            lines.append(f"{variant}: seats win {percents}")
    return lines


def _percent(tally: Tally) -> str:
    half = 100 * tally.half_width()
    digits = 1 if half >= 0.1 else 2
    return f"{100 * tally.mean:.{digits}f}±{half:.{digits}f} %"


def as_json(status: Status) -> dict[str, Any]:
    left = status.seconds_left
    return {
        "done": status.done,
        "games": status.games,
        "games_per_s": round(status.games_per_s, 1),
        "seconds_left": None if left is None else round(left, 1),
        "bot_errors": status.errors,
        "win_shares": {
            variant: [{"mean": tally.mean, "half_width": tally.half_width()} for tally in shares]
            for variant, shares in status.shares.items()
        },
        "estimate": asdict(status.estimate) if status.estimate else None,
    }


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if hours else f"{minutes}:{rest:02d} min" if minutes else f"{rest} s"
