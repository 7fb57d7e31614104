"""The story of a game and its score sheet: nothing left out, and the numbers of the result."""

import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from mmsim.core.rng import Seed
from mmsim.metromania.rules import board_file, rulesets
from mmsim.metromania.rules.position import DECLINE, Game
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.shell import story

FIRST, SECOND, THIRD, FOURTH = story.COMPANIES
GAMES = [
    ("print", 3, "compact", 0),  # every kind of move
    ("print", 4, "roomy", 7),
    ("en1", 4, "roomy", 1),
    ("nl+regular", 2, "open", 1),  # deadlock
    ("v2", 2, "compact", 3),  # both lines of a company end
    ("en1+advanced", 2, "roomy", 6),
    ("print", 2, "compact", 22),  # two companies each
]


def played(spec: str, players: int, board: str, seed: int) -> Game:
    ruleset = rulesets.ruleset(spec, players)
    game = set_up(board_file.load(board), ruleset, Seed(seed))
    play_out(game, Seed(seed))
    return game


@pytest.fixture(scope="module", params=GAMES, ids=lambda given: f"{given[0]}-{given[1]}p")
def game(request: pytest.FixtureRequest) -> Game:
    return played(*request.param)


def turn_lines(game: Game) -> dict[int, str]:
    """The story's line for every turn."""
    lines = [re.fullmatch(r" *(\d+)  (.*)", line) for line in story.tell_game(game)]
    return {int(line.group(1)): line.group(2) for line in lines if line}


def sheet(game: Game, outcome: Result) -> dict[str, list[str]]:
    """The rows of the score sheet as they are printed: name -> cells."""
    out = StringIO()
    Console(file=out, width=200, color_system=None).print(story.score_sheet(game, outcome))
    rows = [line.strip("│").split("│") for line in out.getvalue().splitlines() if line.startswith("│")]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


def test_every_turn_has_its_line_and_names_its_company(game: Game) -> None:
    lines_of = turn_lines(game)
    assert list(lines_of) == list(range(1, game.turn + 1))
    for turn, line in lines_of.items():
        seat = (turn - 1) % game.rules.companies
        assert line.startswith(story.company(game, seat))


def test_every_move_is_told(game: Game) -> None:
    lines_of = turn_lines(game)
    for move in game.history:
        line = lines_of[move.turn]
        if move.move == DECLINE:
            assert "declines the bonus station" in line
        elif move.move.kind == "pass":
            assert line.endswith("passes")
        elif move.move.kind == "end":
            assert f"ends {('solid', 'striped')[move.move.line or 0]} on side " in line
        else:
            q, r = move.move.at or move.move.to or ()
            assert f"({q},{r})" in line
        if move.move.marker:
            assert f"placing {move.move.marker}" in line
        for q, r in move.stations:
            assert f"at ({q},{r})" in line
        if move.points:
            assert f"(+{move.points})" in line


def test_points_told_in_the_story_are_the_station_points(game: Game) -> None:
    lines_of = turn_lines(game)
    for seat, points in enumerate(result(game).station_points):
        mine = [line for turn, line in lines_of.items() if (turn - 1) % game.rules.companies == seat]
        assert sum(int(n) for line in mine for n in re.findall(r"\(\+(\d+)\)", line)) == points


def test_the_end_of_building_is_told_once_where_it_is_triggered(game: Game) -> None:
    lines = list(story.tell_game(game))
    ends = [i for i, line in enumerate(lines) if line.startswith("     -- ")]
    assert len(ends) == 1
    reason = {
        "both_lines": "both its lines",
        "stations": "the last station",
        "lines": f"{game.rules.end_lines} lines",
        "deadlock": "nobody can do anything",
    }
    assert game.end_reason is not None
    assert reason[game.end_reason] in lines[ends[0]]
    left = {"none": 0, "others": game.rules.companies - 1, "round": -(ends[0]) % game.rules.companies}
    assert len(lines) - 1 - ends[0] == (0 if game.end_reason == "deadlock" else left[game.rules.last_round])


def test_the_score_sheet_has_the_numbers_of_the_result(game: Game) -> None:
    outcome = result(game)
    companies = game.rules.companies
    rows = sheet(game, outcome)

    def numbers(name: str) -> list[int]:
        return [0 if cell == "." else int(cell) for cell in rows[name][1 : 1 + companies]]

    assert numbers("station points") == outcome.station_points
    assert numbers("lines ended") == [sum(line.ended for line in pair) for pair in game.lines]
    assert numbers("kept") == outcome.kept_points
    assert numbers("score") == outcome.scores
    names = [*(f"trip {letter} - {letter}" for letter in "ABCDEF"), "park - lake"]
    for name, trip in zip(names, outcome.trips, strict=True):
        assert numbers(name) == trip.scores
        assert rows[name][0] == ("-" if trip.minutes is None else str(trip.minutes))
    columns = ["kept", *names]
    assert [sum(column) for column in zip(*map(numbers, columns), strict=True)] == outcome.scores


def test_an_impossible_trip_says_whose_fault_it_is(game: Game) -> None:
    outcome = result(game)
    rows = sheet(game, outcome)
    for trip in outcome.trips[:6]:
        note = rows[f"trip {trip.name} - {trip.name}"][-1]
        assert (note != "") == (trip.minutes is None)
        for seat in trip.guilty:
            assert story.COMPANIES[seat] in note


def test_the_verdict_names_the_winner_the_points_and_why_it_ended() -> None:
    game = played("print", 3, "compact", 0)
    assert story.verdict(game, result(game)) == f"{SECOND} wins with 8 points after {game.turn} turns (lines)."


def test_a_tie_is_shared_in_the_verdict() -> None:
    game = played("print", 3, "roomy", 8)
    outcome = result(game)
    assert (outcome.winners, outcome.scores) == ([1, 2], [6, 9, 9])
    assert story.verdict(game, outcome).startswith(f"{SECOND} and {THIRD} share the win with 9 points after ")


def test_the_verdict_of_three_or_more_equals_reads_as_a_list() -> None:
    game = played("print", 3, "roomy", 8)
    outcome = replace(result(game), scores=[9, 9, 9], winners=[0, 1, 2])
    assert story.verdict(game, outcome).startswith(f"{FIRST}, {SECOND} and {THIRD} share the win with 9 points after ")


def test_one_point_is_not_points() -> None:
    game = played("print", 3, "roomy", 8)
    outcome = replace(result(game), scores=[1, 0, 0], winners=[0])
    assert story.verdict(game, outcome).startswith(f"{FIRST} wins with 1 point after ")


def test_two_companies_of_a_player_win_together() -> None:
    game = played("print", 2, "roomy", 0)
    outcome = result(game)
    (winner,) = outcome.winners
    pair = (f"{FIRST} + {THIRD}", f"{SECOND} + {FOURTH}")[winner]
    points = outcome.scores[winner] + outcome.scores[winner + 2]
    verdict = story.verdict(game, outcome)
    assert verdict.startswith(f"{pair} win")
    assert f" with {points} points" in verdict


def test_two_players_with_two_companies_each_can_share_the_win() -> None:
    game = played("print", 2, "compact", 389)
    outcome = result(game)
    assert outcome.winners == [0, 1]
    pairs = f"{FIRST} + {THIRD} and {SECOND} + {FOURTH}"
    assert story.verdict(game, outcome).startswith(f"{pairs} share the win with -18 points")


def test_a_company_says_whose_it_is_only_where_players_have_two() -> None:
    assert story.company(played("en1+advanced", 2, "roomy", 6), 1) == f"{SECOND} (player 1)"
    assert story.company(played("print", 2, "compact", 389), 1) == f"{SECOND} (player 2)"
    assert story.company(played("v2", 2, "compact", 3), 1) == SECOND
