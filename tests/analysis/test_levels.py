"""Comparisons at several levels of play, and verdicts over them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mmsim.analysis.compare import ComparisonOverLevels, LevelEstimates, compare, comparison_table
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.level_verdict import Shape, Top
from mmsim.analysis.run_metrics import compare_run, estimate_run
from mmsim.analysis.tables import open_run
from mmsim.core.levels import Level
from mmsim.core.metrics import Measure
from mmsim.report.sentences import RunWords, seats_of_all, seats_verdict
from tests.runs import write_run

LENGTH = Measure("length", "How long?", "turns", 0.5)
NAMES = ("casual", "club", "expert", "master")
MAKES = ("heuristic", "heuristic", "net", "playouts")


def shown(values: list[float], se: float = 0.1, deals: int = 10_000) -> Estimates:
    """What a level shows of two variants, paired."""
    means = np.array(values)[:, None]
    cov = np.zeros((2, 1, 2, 1))
    cov[0, 0, 0, 0] = cov[1, 0, 1, 0] = se**2 / 2
    count = np.full((2, 1), float(deals))
    return Estimates(LENGTH, ("a", "b"), ("",), means, count, count, cov, paired=True)


def over_levels(*differences: float, ses: tuple[float, ...] = (0.1,) * 4) -> ComparisonOverLevels:
    """The comparison of levels that show these differences."""
    (comparison,) = compare(
        [
            LevelEstimates(Level(name, name, make), [shown([5.0, 5.0 + difference], se)], game_seconds=0.01)
            for name, make, difference, se in zip(NAMES, MAKES, differences, ses, strict=False)
        ]
    )
    return comparison


def test_a_difference_that_all_show_holds_at_every_level() -> None:
    comparison = over_levels(1.0, 1.2, 1.1, 1.1)
    assert comparison.verdict.holds_everywhere
    assert comparison.verdict_text == "higher at every level; settled: expert and master agree"
    assert comparison.games_text == ""


def test_levels_that_differ_in_sign_reverse_and_are_not_averaged() -> None:
    comparison = over_levels(1.0, 0.8, -1.0, -1.1)
    assert comparison.verdict.shape is Shape.REVERSES
    assert comparison.holds == "reverses: higher among casual players, lower among masters"
    assert [row["difference"] for row in comparison.rows()] == pytest.approx([1.0, 0.8, -1.0, -1.1])


def test_the_strongest_two_are_named_if_they_disagree() -> None:
    comparison = over_levels(1.0, 1.0, 1.0, 3.0)
    assert comparison.verdict.top is Top.DISAGREE
    assert comparison.settled == "not settled: expert and master disagree"
    assert over_levels(1.0, 2.0, 3.0, 4.0).settled == "still moving with strength (+1.0 per level)"


def test_the_games_needed_are_stated_with_their_time() -> None:
    comparison = over_levels(0.0, 0.0, 0.0, 0.4, ses=(0.1, 0.1, 0.1, 0.2))
    assert comparison.holds == "equal within tolerance from casual to expert; not enough games at master"
    assert comparison.games_text.startswith("about ")
    assert comparison.games_text.endswith(" of one core")
    assert over_levels(0.0, ses=(1.0,)).games_text == "how many would do cannot be said yet"


def test_levels_that_cannot_use_a_difference_are_no_evidence() -> None:
    blind = LevelEstimates(Level("blind", "greedy", "x"), [shown([5.0, 5.0])], frozenset({(0, 1)}))
    sighted = LevelEstimates(Level("sighted", "planner", "y"), [shown([5.0, 6.0])])
    (comparison,) = compare([sighted, blind])
    assert [one.level.name for one in comparison.levels] == ["sighted"]
    assert comparison.verdict_text == "higher"
    assert compare([blind]) == []


def test_every_level_is_a_test_of_the_family() -> None:
    comparison = over_levels(0.2, 1.2, 2.2)
    assert [one.family for one in comparison.levels] == [3, 3, 3]
    assert comparison_table([comparison])["level"].to_list() == ["casual", "club", "expert"]


def test_the_primary_metrics_are_a_family_of_its_own() -> None:
    other = replace(shown([5.0, 5.3]), measure=replace(LENGTH, name="width"))
    level = LevelEstimates(Level("club", "planner", "x"), [shown([5.0, 5.3]), other])
    together, apart = compare([level]), compare([level], primary=["length"])
    assert [one.levels[0].family for one in together] == [2, 2]
    assert [(one.primary, one.levels[0].family) for one in apart] == [(True, 1), (False, 1)]


def test_a_run_of_several_levels_is_read_level_by_level(tmp_path: Path) -> None:
    folder = write_run(
        *(tmp_path / "levels", ["print", "print+loyal"]),
        games=80,
        part_games=40,
        levels=["greedy", "club..expert"],
    )
    run = open_run(folder)
    assert [variant.name for variant in run.variants] == ["print-4p", "print+loyal-4p"]
    assert [cell.name for cell in run.cells][4:] == ["print-4p~expert", "print+loyal-4p~expert"]
    assert [(one.level.name, one.level.bots) for one in run.by_level] == [
        ("greedy", "greedy"),
        ("club", "planner"),
        ("expert", "expert"),
    ]
    assert [one.games_of(one.variants[0].name) for one in run.by_level] == [80, 80, 40]
    assert [one.blind for one in run.by_level] == [{(0, 1)}, set(), set()]
    assert run.warnings == []
    levels = estimate_run(run, ["score"])
    by_hand = [estimate_run(one, ["score"])[0].metrics[0].means[0, 0] for one in run.by_level]
    assert [level.metrics[0].means[0, 0] for level in levels] == by_hand
    compared = compare_run(run)
    assert compared.shown.level.name == "expert"
    assert [one.level.name for one in compared.comparisons[0].levels] == ["club", "expert"]


def test_seats_are_ahead_or_behind_where_levels_show_it(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "seats", ["print", "print+loyal"], games=600, levels="casual..club")
    compared = compare_run(open_run(folder))
    first, second = compared.seat_verdicts
    assert [*first] == [*second] == ["1st", "2nd", "3rd", "4th"]
    assert first["4th"].holds_everywhere
    text = seats_verdict(RunWords(compared))
    assert re.search(r"[Tt]he .*last seats? wins? less than a fair share at every level of play \(\d+", text)
    assert "25\u00a0% would be fair" in text
    assert "less than a fair share" in seats_of_all(RunWords(compared))
