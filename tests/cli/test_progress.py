"""What a person, a log or a program sees of a command while it works."""

import json

import numpy as np
import pytest

from mmsim.batch.confidence import Tally
from mmsim.batch.session import GamesForecast, Status
from mmsim.cli import progress


@pytest.fixture
def status() -> Status:
    """A run that is half done."""
    half = Status(20_000, 4_000, done_before=4_000, shares={"print-4p": [], "v2-4p": []})
    half.tick(5.0)
    half.done = 10_000
    half.shares["print-4p"] = [Tally.of(np.array([0.0, 1.0] * 5000)), Tally.of(np.array([0.0, 0.1] * 500_000))]
    half.tick(15.0)
    return half


def test_speed_counts_this_session_and_time_left_what_it_did_lately(status: Status) -> None:
    assert status.games_per_s == 400
    assert status.seconds_left == pytest.approx(10_000 / 600)
    assert progress.summary(status) == "10,000 of 20,000 games, 400 games/s, 17 s left"


def test_time_left_forgets_what_was_long_ago() -> None:
    status = Status(10_000)
    for second in range(100):
        status.done = 10 * second if second > 50 else 0
        status.tick(second)
    assert status.seconds_left == pytest.approx((10_000 - 990) / 10, rel=0.01)
    assert Status(10).seconds_left is None


def test_time_left_goes_by_what_games_cost() -> None:
    status = Status(1_100, total_cost=1_000 + 100 * 80.0)
    status.tick(0)
    for second in range(1, 11):  # the quick ones come first
        status.done, status.cost_done = 100 * second, 100.0 * second
        status.tick(second)
    assert status.seconds_left == pytest.approx(100 * 80 / 100, rel=0.01)


def test_loading_and_compiling_say_nothing_of_the_time_left() -> None:
    status = Status(10_000, 500, done_before=500)
    for second in range(60):
        status.tick(second)
    assert progress.summary(status) == "500 of 10,000 games, starting"
    status.done = 600
    status.tick(59.5)
    assert status.seconds_left is None  # half a second is too short a time to judge by
    status.done = 700
    status.tick(61)
    assert status.seconds_left == pytest.approx(9_300 / 100)


def test_a_slow_pace_is_shown_with_decimals() -> None:
    status = Status(100)
    status.tick(0)
    status.done = 1
    status.tick(40)
    assert progress.summary(status).startswith("1 of 100 games, 0.025 games/s")


def test_the_headline_has_the_interval_of_every_seat_and_only_variants_that_have_begun(status: Status) -> None:
    assert progress.headline(status) == ["print-4p: seats win 50.0±1.0 %, 5.00±0.01 %"]


def test_what_is_wrong_or_known_is_part_of_the_line(status: Status) -> None:
    status.errors = 3
    status.forecast = GamesForecast(50_000, 0.0123)
    assert progress.summary(status).endswith("17 s left, ±0.0123 now, 3 bot errors")


@pytest.mark.parametrize(
    ("seconds", "says"), [(0.4, "0 s"), (59, "59 s"), (61, "1:01 min"), (3599.9, "1:00:00 h"), (90_000, "25:00:00 h")]
)
def test_a_duration_is_shown_in_the_unit_it_needs(seconds: float, says: str) -> None:
    assert progress.duration(seconds) == says


def test_lines_come_not_too_often(
    status: Status, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    display = progress.LogLines()
    for _ in range(25):
        now[0] += 1.0
        display(status)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert (
        shown.err.splitlines()
        == ["10,000 of 20,000 games, 400 games/s, 17 s left; print-4p: seats win 50.0±1.0 %, 5.00±0.01 %"] * 3
    )


def test_a_program_gets_json(status: Status, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_progress(quiet=False, as_json=True) as display:
        display.show(status)
        status.forecast = GamesForecast(50_000, 0.0123)
        display.finish(status)
    shown, last = map(json.loads, capsys.readouterr().err.splitlines())
    assert (shown["done"], shown["games"], shown["seconds_left"], shown["estimate"]) == (10_000, 20_000, 16.7, None)
    assert last["estimate"] == {"games": 50_000, "half_width": 0.0123}
    assert shown["win_shares"]["v2-4p"] == []


def test_quiet_is_quiet_and_a_pipe_gets_lines(status: Status, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_progress(quiet=True) as display:
        display.show(status)
        display.step("drawing")
        display.line("epoch 1")
        display.count(3, 10)
        display.finish(status)
    assert capsys.readouterr() == ("", "")
    with progress.show_progress(quiet=False) as display:
        assert isinstance(display, progress.LogLines)


def test_a_screen_shows_bar_and_headline(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    from io import StringIO

    from rich.console import Console

    text = StringIO()
    monkeypatch.setattr(
        progress, "Screen", lambda stderr: Console(file=text, force_terminal=True, width=100, highlight=False)
    )
    with progress.show_progress(quiet=False) as display:
        display.show(status)
        display.step("drawing 3 charts")
        display.line("epoch 1")
    assert "10000/20000" in text.getvalue()
    assert "drawing 3 charts" in text.getvalue()
    assert "epoch 1" in text.getvalue()
    assert "print-4p: seats win 50.0±1.0 %" in text.getvalue()


def test_games_that_are_looked_at_one_by_one_have_a_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.show_progress(quiet=False) as display:
        for done in range(1, 41):
            now[0] += 1.0
            display.count(done, 40)
        display.step("writing")
        display.line("epoch 1")
    first, *_, step, line = capsys.readouterr().err.splitlines()
    assert first == "2 of 40 games, 1 games/s, 38 s left"
    assert (step, line) == ("writing", "epoch 1")
    assert display.games_done == 40
