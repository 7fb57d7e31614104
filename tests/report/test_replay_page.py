"""The page to step through a game: it needs nothing else, and every step shows what the record says."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mmsim.core.replay import Replay
from mmsim.drawing.canvas import FrameSpan
from mmsim.games import find_shell
from mmsim.report.replay_page import page

GOLDEN = Path(__file__).parent.parent / "golden"
GAMES = [
    "metromania/print-4p-01.json",
    "metromania/en1-regular-2p-01.json",
    "metromania/v2-3p-01.json",
    "metro/metro-hand2-4p.json",
    "metro/metro-companies-central-2p.json",
]


def record_of(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text())


def replay_of(record: Any) -> Replay:
    shell: Any = find_shell(record["game"])
    replay: Replay = shell.replay(record)
    return replay


@pytest.mark.parametrize("name", GAMES)
def test_the_moments_are_the_beginning_every_move_and_the_scores(name: str) -> None:
    record = record_of(name)
    replay = replay_of(record)
    moves = [moment for moment in replay.steps if moment.seat is not None]
    # a declined bonus station is no move of a record, but a step to look at
    steps = [moment for moment in moves if "declines the bonus station" not in moment.text]
    assert [(moment.turn, moment.seat) for moment in steps] == [
        (move["turn"], move["seat"]) for move in record["moves"]
    ]
    assert list(replay.steps[-1].points) == record["result"]["scores"]
    assert not any(replay.steps[0].points)


@pytest.mark.parametrize("name", GAMES)
def test_a_page_is_small_and_needs_nothing_else(name: str) -> None:
    replay = replay_of(record_of(name))
    text = page(replay)
    assert len(text.encode()) < 400_000
    assert not re.search(r"""(src|href)=["'](?!#)""", text.replace('xlink:href="#', ""))
    assert all(moment.text in text for moment in replay.steps[:3])


def test_chances_are_those_after_the_last_turn_that_is_over() -> None:
    replay = replay_of(record_of(GAMES[0]))
    turns = replay.steps[-1].turn
    known = replace(replay, chances=[[turn / 100, 1 - turn / 100, 0.0, 0.0] for turn in range(turns + 1)])
    assert [known.win_chances_at(i)[0] for i in (0, len(replay.steps) - 1)] == [0, turns / 100]
    third = known.end_of_turn(3)
    assert [known.win_chances_at(i)[0] for i in (third - 1, third, third + 1)] == [0.02, 0.03, 0.03]
    assert 'id="chances"' in page(known)
    assert 'id="chances"' not in page(replay)


def test_a_name_in_a_record_cannot_end_the_script_of_its_page() -> None:
    record = record_of(GAMES[0])
    record["seats"][0]["bot"] = "</script><b>"
    text = page(replay_of(record))
    assert "</script><b>" not in text
    assert text.count("</script>") == 2


def test_the_id_of_an_animated_part_says_when_it_is_visible() -> None:
    assert [FrameSpan(3, None).element_id(7), FrameSpan(3, 4).element_id(8)] == ["when-3--7", "when-3-4-8"]
    assert [moment for moment in range(6) if moment in FrameSpan(2, 4)] == [2, 3]


# --- in a browser --------------------------------------------------------------------------------------------


# What is shown at every step on the way to the end, then on the way back.
STEPS = """count => {
  const look = () => [document.getElementById("text").textContent,
    [...document.querySelectorAll("td.points")].map(cell => Number(cell.textContent)),
    [...document.querySelectorAll("td.chance")].map(cell => parseInt(cell.textContent)),
    [...document.querySelectorAll('[id^="when-"]')].filter(part => part.style.display !== "none").map(part => part.id)];
  const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const seen = [];
  for (const key of ["ArrowRight", "ArrowLeft"])
    for (let i = 0; i < count; i++) { seen.push(look()); press(key); }
  return seen;
}"""


@pytest.mark.parametrize("name", [GAMES[0], GAMES[3]])
def test_stepping_back_shows_what_stepping_on_has_shown(browser: Any, name: str, tmp_path: Path) -> None:
    record = record_of(name)
    replay = replay_of(record)
    turns, players = replay.steps[-1].turn, 1 + max(seat.player for seat in replay.seats)
    chances = [[(turn + player) % 7 / 10 for player in range(players)] for turn in range(turns + 1)]
    replay = replace(replay, chances=chances)
    (tmp_path / "game.html").write_text(page(replay), encoding="utf-8")
    visited = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark").new_page()
    messages: list[str] = []
    visited.on("console", lambda message: messages.append(message.text))
    visited.on("pageerror", lambda error: messages.append(str(error)))
    visited.goto((tmp_path / "game.html").as_uri() + "#turn=0")
    steps = visited.evaluate(STEPS, len(replay.steps))
    forwards, backwards = steps[: len(replay.steps)], steps[len(replay.steps) :]
    assert [text for text, _, _, _ in forwards] == [moment.text for moment in replay.steps]
    assert [points for _, points, _, _ in forwards] == [list(moment.points) for moment in replay.steps]
    assert [chances[0] for _, _, chances, _ in forwards] == [
        round(100 * replay.win_chances_at(step)[0]) for step in range(len(replay.steps))
    ]
    assert backwards == forwards[::-1]
    assert len({len(things) for _, _, _, things in forwards}) > 20
    visited.evaluate("location.hash = '#turn=12'")
    visited.wait_for_function("document.getElementById('where').textContent.startsWith('turn 12')")
    assert visited.evaluate("document.documentElement.scrollWidth") <= 390
    assert messages == []
    visited.context.close()
