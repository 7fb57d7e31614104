"""Rulesets on several boards: averages, and what holds on every board."""

import re
from pathlib import Path

import numpy as np
import pytest

from mmsim.analysis.across_boards import average_boards, comparison_by_board, differences_by_board, first_against_last
from mmsim.analysis.run_metrics import ComparedRun, compare_run, estimate_run
from mmsim.analysis.stats import estimate
from mmsim.analysis.tables import RunTables, open_run
from mmsim.report.answer import answer_of
from mmsim.report.comparison_sections import board_by_board
from mmsim.report.report_data import gather
from tests.analysis.one_level import estimate_one
from tests.runs import write_run

BOARDS = ["box", "random:1", "open"]
RULES = ["print", "print,last_round=none"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunTables:
    folder = tmp_path_factory.mktemp("boards") / "run"
    return open_run(write_run(folder, RULES, games=400, boards=BOARDS, levels=["uniform", "greedy"], bots=""))


@pytest.fixture(scope="module")
def compared(run: RunTables) -> ComparedRun:
    return compare_run(run)


def test_the_variants_are_the_rulesets_and_every_board_is_a_run_of_its_own(run: RunTables) -> None:
    assert [variant.name for variant in run.variants] == ["print-4p", "print,last_round=none-4p"]
    assert [[board.board_name for board in member.by_board] for member in run.by_level] == [BOARDS, BOARDS]
    assert len(run.cells) == 12
    assert {run.variant_of(cell.name) for cell in run.cells} == {variant.name for variant in run.variants}
    assert run.warnings[:1] != ["PARTIAL RUN"]


def test_an_average_has_the_mean_of_the_boards_and_their_errors(run: RunTables) -> None:
    boards = [estimate_one(board, ["turns"])[0] for board in run.by_level[0].by_board]
    (average,) = average_boards([[board] for board in boards], ["a", "b"])
    assert average.variants == ("a", "b")
    assert average.means[0, 0] == pytest.approx(np.mean([board.means[0, 0] for board in boards]))
    assert average.cov[0, 0, 0, 0] == pytest.approx(sum(board.cov[0, 0, 0, 0] for board in boards) / 9)
    assert average.games[0, 0] == 1200


def test_estimates_of_the_run_are_those_averages(run: RunTables) -> None:
    for level, level_run in zip(estimate_run(run, ["turns"]), run.by_level, strict=True):
        boards = [estimate_one(board, ["turns"])[0].means for board in level_run.by_board]
        assert level.metrics[0].means == pytest.approx(np.mean(boards, axis=0))


def test_every_comparison_is_made_on_every_board(compared: ComparedRun) -> None:
    assert [*compared.board_comparisons] == BOARDS
    turns = next(comparison.levels[-1] for comparison in compared.primary if comparison.measure.name == "turns")
    same = comparison_by_board(turns, compared.board_comparisons)
    assert [*same.differences] == BOARDS
    assert same.direction == -1  # without a last round games are shorter on every board
    assert same.significant == BOARDS
    assert same.range[0] <= turns.difference.value <= same.range[1]


def test_a_difference_is_shown_on_a_board_only_beyond_chance_and_in_the_direction_of_most() -> None:
    same = differences_by_board(
        {"a": estimate(0.10, 0.01, 500), "b": estimate(0.01, 0.01, 500), "c": estimate(-0.05, 0.01, 500)}
    )
    assert same.significant == ["a"]
    assert same.direction == 0
    assert same.range == (-0.05, 0.10)


def test_the_first_seat_is_compared_with_the_last_by_their_paired_difference(run: RunTables) -> None:
    (shares,) = estimate_one(run.by_level[0].by_board[0], ["win_share"])
    ahead = first_against_last(shares)
    assert ahead.value == pytest.approx(shares.means[0, 0] - shares.means[0, 3])
    variances = shares.cov[0, 0, 0, 0] + shares.cov[0, 3, 0, 3]
    assert ahead.se**2 > variances  # a game won by one is lost by the other


def test_the_answer_says_on_how_many_boards_it_holds(compared: ComparedRun) -> None:
    sentence = answer_of(compared).boards
    assert "3 boards" in sentence
    assert re.search(r"the seats (are (more|less) even|shown to be more or less even)", sentence)


def test_the_report_has_a_section_board_by_board(run: RunTables) -> None:
    section = board_by_board(gather(run))
    assert section is not None
    assert [chart.name for chart in section.charts] == ["boards-no-last-turns-seat-imbalance"]
    assert {row[1] for row in section.tables[0].rows} >= {"turns", "seat imbalance", "win share: 1st"}


def test_one_ruleset_on_several_boards_compares_the_boards(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", ["print"], games=50, boards=["box", "open"], bots="uniform"))
    assert [variant.name for variant in run.variants] == ["print-4p@box", "print-4p@open"]
    assert compare_run(run).board_comparisons == {}
