"""Progress of long commands: a bar on a terminal, lines in a log, JSON lines on request, nothing with --quiet."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Timer

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.spinner import Spinner

from mmsim.batch.confidence import Tally
from mmsim.batch.session import Status
from mmsim.cli.console import Screen, say, show_remarks
from mmsim.cli.interrupts import NOTHING_KEPT, exit_when_interrupted, raise_on_signals

_MAX_LINE = 118  # characters of a line in a log
_FIRST_LINE_S, _LINE_S, _JSON_S, _BAR_S = 2.0, 10.0, 1.0, 0.2  # least time between two updates


@contextmanager
def show_progress(
    quiet: bool, as_json: bool = False, kept: Callable[[], str] = lambda: NOTHING_KEPT
) -> Iterator["ProgressDisplay"]:
    """Show the progress of what is done in the block; if it is interrupted, say what is kept and exit."""
    with exit_when_interrupted(kept), raise_on_signals() as raise_if_received:
        on_terminal = Screen(stderr=True).is_terminal
        display = JsonLines() if as_json else ProgressDisplay() if quiet else Bar() if on_terminal else LogLines()
        display.before_update = raise_if_received
        try:
            yield display
            show_remarks()
        finally:
            display.close()


class ProgressDisplay:
    """Receives every update and shows some of them, not too often; this one shows nothing."""

    interval_s = float("inf")

    def __init__(self) -> None:
        self._shown_at = time.monotonic()
        self._counted: Status | None = None
        self.before_update: Callable[[], None] = lambda: None

    def __call__(self, status: Status) -> None:
        """Update the progress of a run or of matches."""
        self.before_update()
        if time.monotonic() - self._shown_at >= self.interval_s:
            self._shown_at = time.monotonic()
            self.show(status)

    def count(self, done: int, total: int) -> None:
        """Update the progress of games that are looked at one after another."""
        if self._counted is None:  # the time before the first game is mostly start-up
            self._counted, self._counted_since = Status(total, done, done_before=done), time.monotonic()
        self._counted.done = done
        self._counted.tick(time.monotonic() - self._counted_since)
        if self._counted.under_way and done < total:
            self(self._counted)

    @property
    def games_done(self) -> int:
        return self._counted.done if self._counted else 0

    def step(self, text: str) -> None:
        """Name the step that begins now."""

    def line(self, text: str) -> None:
        """Show a line that stays, such as the result of one epoch."""

    def show(self, status: Status) -> None:
        pass

    def finish(self, status: Status) -> None:
        """The run is over; its results are printed elsewhere."""

    def close(self) -> None:
        pass


class LogLines(ProgressDisplay):
    """Lines from the third second on: before an error that comes at once there is nothing."""

    interval_s = _FIRST_LINE_S

    def __init__(self) -> None:
        super().__init__()
        self._began, self._delayed = self._shown_at, Timer(0, lambda: None)

    def show(self, status: Status) -> None:
        self.interval_s = _LINE_S
        line = summary(status)
        for text in headline(status):
            if len(line) + len(text) + 2 > _MAX_LINE:
                break
            line += f"; {text}"
        self.line(line)

    def step(self, text: str) -> None:
        self._delayed.cancel()
        delay_s = self._began + _FIRST_LINE_S - time.monotonic()
        if delay_s <= 0:
            self.line(text)
            return
        self._delayed = Timer(delay_s, self.line, [text])
        self._delayed.daemon = True
        self._delayed.start()

    def line(self, text: str) -> None:
        show_remarks()
        say(text, err=True)

    def close(self) -> None:
        self._delayed.cancel()


class JsonLines(ProgressDisplay):
    """One JSON object per line, for other programs."""

    interval_s = _JSON_S

    def show(self, status: Status) -> None:
        left = status.seconds_left
        update = {
            "done": status.done,
            "games": status.games,
            "games_per_s": round(status.games_per_s, 1),
            "seconds_left": None if left is None else round(left, 1),
            "bot_errors": status.errors,
            "win_shares": {
                variant: [{"mean": tally.mean, "half_width": tally.half_width()} for tally in shares]
                for variant, shares in status.shares.items()
            },
            "estimate": asdict(status.forecast) if status.forecast else None,
        }
        say(json.dumps(update), err=True)

    def finish(self, status: Status) -> None:
        self.show(status)


class Bar(ProgressDisplay):
    """A bar, and under it the results so far."""

    interval_s = _BAR_S

    def __init__(self) -> None:
        super().__init__()
        self._bar = Progress(BarColumn(40), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._task = self._bar.add_task("starting")
        self._live = Live(console=Screen(stderr=True), refresh_per_second=5, transient=True)

    def show(self, status: Status) -> None:
        self._bar.update(self._task, total=status.games, completed=status.done, description=_pace(status))
        self._display(Group(self._bar, *headline(status)))

    def step(self, text: str) -> None:
        self._display(Spinner("dots", text))

    def line(self, text: str) -> None:
        self._live.console.print(text)

    def _display(self, content: RenderableType) -> None:
        show_remarks()
        self._live.start()  # not before: compiling may have a bar of its own
        self._live.update(content, refresh=True)

    def close(self) -> None:
        self._live.stop()


def summary(status: Status) -> str:
    return f"{status.done:,} of {status.games:,} games, {_pace(status)}"


def _pace(status: Status) -> str:
    if not status.under_way:
        return "starting" if status.done < status.games else "nothing left to play"
    speed = status.games_per_s
    text = f"{speed:,.0f} games/s" if speed >= 10 else f"{speed:.2g} games/s"
    if status.seconds_left:
        text += f", {duration(status.seconds_left)} left"
    if status.forecast:
        text += f", ±{status.forecast.half_width:.3g} now"
    return text + (f", {status.errors} bot errors" if status.errors else "")


def headline(status: Status) -> list[str]:
    """The win share of every seat with its 95 % interval, one line per variant."""
    return [
        f"{variant}: seats win {', '.join(map(_percent, shares))}"
        for variant, shares in status.shares.items()
        if shares
    ]


def _percent(tally: Tally) -> str:
    half_width = 100 * tally.half_width()
    digits = 1 if half_width >= 0.1 else 2
    return f"{100 * tally.mean:.{digits}f}±{half_width:.{digits}f} %"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if hours else f"{minutes}:{rest:02d} min" if minutes else f"{rest} s"
