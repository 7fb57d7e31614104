"""Panels: pooled estimates of several kinds of players, and verdicts on them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, Verdict, compare, comparison_table
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.run_metrics import estimate_run, pool
from mmsim.analysis.tables import Member, open_run
from mmsim.core.metrics import Measure
from tests.runs import write_run

LENGTH = Measure("length", "How long?", "turns", 0.5)


def shown(values: list[float], se: float = 0.1, deals: int = 10_000) -> Estimates:
    """What a kind of players shows of two variants, paired."""
    means = np.array(values)[:, None]
    cov = np.zeros((2, 1, 2, 1))
    cov[0, 0, 0, 0] = cov[1, 0, 1, 0] = se**2 / 2
    count = np.full((2, 1), float(deals))
    return Estimates(LENGTH, ("a", "b"), ("",), means, count, count, cov, paired=True)


def panel(*differences: float, se: float = 0.1, strong: int | None = None) -> Comparison:
    """The comparison of a panel whose members show these differences."""
    counted = len(differences) if strong is None else strong
    members = [(Member(f"bot{n}", n < counted), [shown([5.0, 5.0 + d], se)]) for n, d in enumerate(differences)]
    (one,) = compare(pool(members, ("a", "b")))
    return one


def pooled(values: Sequence[float], ses: Sequence[float], deals: int) -> stats.PooledMean:
    return stats.random_effects([stats.estimate(*pair, deals) for pair in zip(values, ses, strict=True)])


def test_equally_known_players_are_averaged_with_students_interval() -> None:
    values = [0.2, 0.5, 0.1, 0.9, 0.4]
    found = pooled(values, [0.01] * 5, 100)
    half = scipy_stats.t.ppf(0.975, 4) * np.std(values, ddof=1) / np.sqrt(5)
    assert found.estimate.value == pytest.approx(np.mean(values))
    assert found.estimate.high - found.estimate.value == pytest.approx(half, rel=1e-6)
    assert found.spread == pytest.approx(np.sqrt(np.var(values, ddof=1) - 0.01**2), rel=1e-3)


def test_one_player_alone_keeps_its_own_interval() -> None:
    assert pooled([0.3], [0.1], 50).estimate == stats.estimate(0.3, 0.1, 50)


def test_players_who_agree_have_no_narrower_interval_than_without_a_spread() -> None:
    found = pooled([0.3, 0.3, 0.3], [0.1, 0.1, 0.1], 50)
    assert found.spread == 0
    assert found.estimate.se == pytest.approx(0.1 / np.sqrt(3))


def test_estimates_that_never_varied_have_an_interval_by_their_spread_alone() -> None:
    found = pooled([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], 50)
    assert found.estimate.value == pytest.approx(2)
    assert found.estimate.se == pytest.approx(1 / np.sqrt(3))


@pytest.mark.parametrize("spread", [0.0, 0.3, 2.0])
def test_intervals_of_five_players_cover(spread: float) -> None:
    rng = np.random.default_rng(17)
    ses = np.array([0.1, 0.1, 0.1, 0.2, 0.9])
    inside = 0
    for _ in range(500):
        found = pooled(rng.normal(1.0, np.sqrt(ses**2 + spread**2)), ses, 1000).estimate
        inside += found.low <= 1.0 <= found.high
    assert 0.92 <= inside / 500 <= 1.0  # a little less than 95 % where one is known far worse than the others


def test_a_difference_that_all_show_holds_for_all() -> None:
    one = panel(1.0, 1.2, 1.1)
    assert one.verdict is Verdict.HIGHER
    assert one.holds == "holds for all 3 kinds of players"
    assert one.difference.value == pytest.approx(1.1)


def test_a_difference_that_some_show_holds_for_those() -> None:
    one = panel(1.0, 0.0, 1.1)
    assert one.verdict is Verdict.HIGHER
    assert one.holds == "holds for 2 of 3 (bot0, bot2)"
    assert one.players_with(Verdict.EQUAL) == ["bot1"]


def test_players_who_disagree_in_sign_decide_nothing() -> None:
    one = panel(1.0, -1.0, 0.9)
    assert one.verdict is Verdict.DEPENDS
    assert one.verdict_text == "depends on who plays; higher for bot0, bot2; lower for bot1"


def test_equality_must_hold_for_all_and_the_games_needed_are_stated() -> None:
    assert panel(0.0, 0.01, -0.02).verdict_text == "equal within tolerance; holds for all 3 kinds of players"
    members = [
        (Member("quick"), [shown([5.0, 5.0])]),
        (Member("slow"), [shown([5.0, 5.1], se=0.25, deals=100)]),
    ]
    (unsure,) = compare(pool(members, ("a", "b")))
    assert unsure.verdict is Verdict.UNSURE
    assert "would do of slow" in unsure.verdict_text
    assert "equal for 1 of 2 (quick)" in unsure.verdict_text


def test_the_mean_over_players_who_differ_is_wide() -> None:
    one = panel(1.0, 3.0, 2.0)
    assert one.difference.low < 0.0 < 2.0 < one.difference.high
    assert one.spread == pytest.approx(1.0, rel=0.05)


def test_weak_players_are_shown_and_not_counted() -> None:
    one = panel(1.0, 1.1, -5.0, strong=2)
    assert one.holds == "holds for all 2 kinds of players"
    assert [other.player for other in one.others] == ["bot2"]
    assert panel(1.0, 1.1, strong=0).holds == "holds for all 2 kinds of players"  # nobody else is there
    assert comparison_table([one])["players"].to_list() == ["panel", "bot0", "bot1", "bot2"]


def test_players_who_cannot_use_a_difference_are_no_evidence() -> None:
    blind = Member("blind", blind=frozenset({(0, 1)}))
    members = [(Member("sighted"), [shown([5.0, 6.0])]), (blind, [shown([5.0, 5.0])])]
    (one,) = compare(pool(members, ("a", "b")))
    assert (one.holds, [other.player for other in one.others]) == ("for sighted", ["blind"])
    assert compare(pool(members[1:], ("a", "b"))) == []


def test_every_member_is_a_test_of_the_family() -> None:
    made = [(Member(f"bot{n}"), [shown([5.0, 5.2 + n])]) for n in range(3)]
    (one,) = compare(pool(made, ("a", "b")))
    assert [member.family for member in one.members] == [3, 3, 3]
    assert one.family == 1


def test_the_primary_metrics_are_a_family_of_its_own() -> None:
    other = replace(shown([5.0, 5.3]), measure=replace(LENGTH, name="width"))
    together = compare([shown([5.0, 5.3]), other])
    apart = compare([shown([5.0, 5.3]), other], primary=["length"])
    assert [one.family for one in together] == [2, 2]
    assert [(one.primary, one.family) for one in apart] == [(True, 1), (False, 1)]


def test_a_run_with_a_panel_is_read_member_by_member(tmp_path: Path) -> None:
    folder = write_run(
        *(tmp_path / "panel", ["print", "print+loyal"]),
        games=80,
        part_games=40,
        panel=["planner", "expert", "greedy"],
    )
    run = open_run(folder)
    assert [variant.name for variant in run.variants] == ["print-4p", "print+loyal-4p"]
    assert [cell.name for cell in run.cells][2:4] == ["print-4p~expert", "print+loyal-4p~expert"]
    assert [(one.member.name, one.member.strong) for one in run.by_member] == [
        ("planner", True),
        ("expert", True),
        ("greedy", False),
    ]
    assert [one.games_of(one.variants[0].name) for one in run.by_member] == [80, 40, 80]
    assert run.by_member[2].member.blind == {(0, 1)}
    assert run.warnings == []
    assert set(run.tables["games"].select("member").unique().collect()["member"]) == {"planner", "expert", "greedy"}
    (score,) = estimate_run(run, ["score"])
    by_hand = [estimate_run(one, ["score"])[0].means[0, 0] for one in run.by_member]
    assert [one.means[0, 0] for _, one in score.members] == by_hand
    assert min(by_hand[:2]) <= score.means[0, 0] <= max(by_hand[:2])
