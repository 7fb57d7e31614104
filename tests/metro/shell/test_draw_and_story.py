"""Pictures and stories of games of Metro."""

import re

import pytest
from rich.console import Console

from mmsim.core.rng import Seed
from mmsim.metro.rules.position import Game, Move
from mmsim.metro.rules.reference import apply, play_uniform
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.rulesets import ruleset
from mmsim.metro.rules.tiles import CODES
from mmsim.metro.shell import draw, story
from tests.metro.positions import play, table


def finished(spec: str, players: int = 4, number: int = 0) -> Game:
    return play_uniform(ruleset(spec, players), Seed(3, number))


# --- pictures --------------------------------------------------------------------------------------------------


@pytest.mark.rule("X2")
def test_ports_of_neighbouring_cells_meet_and_trains_run_on_the_right() -> None:
    assert draw.port((2, 2), 1, leaving=True) == draw.port((2, 3), 3, leaving=False)
    assert draw.port((2, 2), 2, leaving=True) == draw.port((3, 2), 0, leaving=False)
    x, _ = draw.middle((2, 2))
    assert draw.port((2, 2), 0, leaving=False)[0] < x < draw.port((2, 2), 0, leaving=True)[0]  # port 0 left of port 1


def svg(game: Game) -> str:
    return draw.canvas(game).svg()


def ids(picture: str) -> set[str]:
    return set(re.findall(r'id="([a-z]+-[^"]+)"', picture))


def test_a_picture_has_every_tile_line_and_station() -> None:
    game = finished("metro")
    found = ids(svg(game))
    assert {f"tile-{row}-{column}-{code}" for (row, column), code in game.board.items()} <= found
    assert {f"line-{stop}" for stop in range(1, 33)} <= found
    assert {f"station-{stop}" for stop in range(1, 33)} <= found
    assert not {name for name in found if name.startswith("open-")}


def test_an_unfinished_line_has_an_open_end_and_a_wagon_is_shown() -> None:
    game = play(table("metro+stations", 2, "aaaa aaaa"), "aaaa03")
    apply(game, Move("wagon", edge=33))
    picture = svg(game)
    assert {"line-5", "open-5", "wagon-33"} <= ids(picture)
    assert "line-33" not in ids(picture)
    assert "turn 3, seat 1 to play, 59 tiles left" in picture


@pytest.mark.parametrize("spec", ["metro+numbers", "metro+companies"])
def test_a_picture_of_a_finished_game_has_the_final_scores(spec: str) -> None:
    game = finished(spec)
    picture = svg(game)
    for seat, score in enumerate(result(game).scores):
        assert (f"player {seat + 1} {score}" if game.rules.companies else f"(seat {seat + 1}): {score}<") in picture


def test_cells_and_tiles_can_be_found_by_the_names_stories_give_them() -> None:
    found = ids(svg(finished("metro")))
    assert {f"row-{i}" for i in range(8)} | {f"column-{i}" for i in range(8)} <= found
    assert {f"name-{code}" for code in CODES} <= found


@pytest.mark.parametrize(
    ("spec", "suffix"),
    [
        *(("metro", ".svg"), ("metro+companies+stations", ".svg"), ("metro+central+numbers", ".svg")),
        ("metro+companies+stations", ".png"),
    ],
)
def test_the_same_game_always_gives_the_same_picture(spec: str, suffix: str) -> None:
    assert len({draw.canvas(finished(spec)).to_bytes(suffix) for _ in range(2)}) == 1


# --- stories ---------------------------------------------------------------------------------------------------


def test_a_story_has_a_line_a_turn_and_every_arrival() -> None:
    game = finished("metro", 3)
    lines = list(story.tell_game(game))
    assert len(lines) == game.turn
    assert sum(line.count(" reaches ") for line in lines) == len(game.arrivals) == 32
    assert sum("draws " in line for line in lines) == sum(played.move.kind == "draw" for played in game.history)
    assert any("nobody station 16 reaches" in line for line in lines)


def test_a_story_tells_every_kind_of_move() -> None:
    turned = " ".join(line for number in range(3) for line in story.tell_game(finished("metro+free", 2, number)))
    assert " a quarter right (now " in turned
    text = " ".join(
        line for number in range(6) for line in story.tell_game(finished("metro+companies+stations", 2, number))
    )
    assert re.search(r"exchanges \d0 % [A-Z][a-z]+ for the (open|hidden) share", text)
    assert re.search(r"puts a wagon in the centre at centre \d, showing the \d0 % share", text)
    assert re.search(r"[A-Z][a-z]+ centre \d reaches", text)


def sheet(game: Game) -> str:
    console = Console(width=120)
    with console.capture() as caught:
        console.print(story.score_sheet(game, result(game)))
    return caught.get()


def test_the_score_sheet_adds_up() -> None:
    game = finished("metro+stations+numbers", 3)
    outcome = result(game)
    split = [line.strip("│ ").split("│") for line in sheet(game).splitlines()]
    rows = {
        name.strip(): [int(n) for n in numbers] for name, *numbers in split if len(numbers) == 3 and "┃" not in name
    }
    assert rows == {"lines": outcome.line_points, "station numbers": outcome.number_points, "score": outcome.scores}
    assert [a + b for a, b in zip(rows["lines"], rows["station numbers"], strict=True)] == rows["score"]


def test_companies_are_told_with_profit_and_value() -> None:
    game = finished("metro+companies", 3)
    outcome = result(game)
    assert story.companies(outcome)[0] == f"Yellow: profit {outcome.profits[0]}, value {outcome.values[0]}"
    assert len(story.companies(outcome)) == 8
    assert "majorities" in sheet(game)
    assert story.companies(result(finished("metro"))) == []


def test_the_verdict_names_the_winners() -> None:
    game = finished("metro", 3)
    game.points = [5, 9, 9]
    assert story.verdict(game, result(game)) == "Blue and Orange share the win with 9 points after 60 turns (tiles)."
    game.points = [5, 1, 1]
    assert story.verdict(game, result(game)) == "Yellow wins with 5 points after 60 turns (tiles)."


def test_what_a_player_holds_is_told() -> None:
    game = table("metro+companies", 2, "aaaa bcbc")
    assert story.holding(game, 0) == "tiles aaaa; 10 % Yellow, 20 % Yellow, 30 % Yellow, 40 % Yellow"
    numbers = table("metro+numbers", 2, "aaaa bcbc", numbers=((1, 9, 17, 25), (2, 10, 18, 26)))
    assert story.holding(numbers, 1) == "tiles bcbc; numbers 2, 10, 18, 26"
