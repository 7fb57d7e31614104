"""Titles name a best, a largest or a most frequent thing only if the games show which one it is."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from mmsim.analysis.derived_metrics import LAYOUT_SHARE, leading_estimates, leading_group, leading_groups
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.openings import Opening, SeatBook
from mmsim.analysis.ratings import rate
from mmsim.analysis.stats import Estimate, share_estimate
from mmsim.core.common_metrics import ENDS_BY
from mmsim.core.metrics import Measure
from mmsim.report import game_sections, sections
from mmsim.report.sentences import fill_template

GAMES = 1000


def shares(name: str, by_group: Mapping[str, float], games: int = GAMES) -> Estimates:
    """Shares of games with the covariance of a multinomial distribution."""
    p = np.array([*by_group.values()])
    cov = (np.diag(p) - np.outer(p, p)) / games
    counts = np.full((1, len(p)), float(games))
    measure = Measure(name, "", "share", 0.01)
    return Estimates(measure, ("print",), tuple(by_group), p[None], counts, counts, cov[None, :, None, :], False)


def scores(by_seat: Sequence[float], sd: float = 10.0) -> Estimates:
    """Mean scores of seats that vary independently."""
    places = ("1st", "2nd", "3rd", "4th")[: len(by_seat)]
    counts = np.full((1, len(by_seat)), float(GAMES))
    cov = np.eye(len(by_seat)) * sd**2 / GAMES
    measure = Measure("seat_score", "", "points", 0.5)
    return Estimates(measure, ("print",), places, np.array([by_seat]), counts, counts, cov[None, :, None, :], False)


def data_of(**values: Any) -> Any:
    """As much of the data of a report as titles read."""
    estimates = {metric.name: metric for metric in values.pop("metrics", ())}
    run = SimpleNamespace(variants=[SimpleNamespace(games_per_deal=1)])
    return SimpleNamespace(estimates=estimates, names=["print"], level_clause="", run=run, **values)


def share(value: float, games: int = GAMES) -> Estimate:
    return share_estimate(value, float(np.sqrt(value * (1 - value) / games)), games, games)


# --- which group leads -----------------------------------------------------------------------------------------------


def test_equal_groups_have_no_leader_and_a_clear_one_leads() -> None:
    tied = shares("end_reason", {"lines": 0.41, "stations": 0.40, "deadlock": 0.19})
    assert leading_group(tied, 0, ALPHA) is None
    assert leading_groups(tied, 0, ALPHA) == [0, 1]
    assert leading_group(shares("end_reason", {"lines": 0.3, "stations": 0.6, "deadlock": 0.1}), 0, ALPHA) == 1


def test_a_group_that_is_alone_does_not_lead() -> None:
    assert leading_group(shares("end_reason", {"lines": 1.0}), 0, ALPHA) is None


@pytest.mark.parametrize(("games", "leader"), [(3, None), (100, 0)])
def test_what_happens_in_every_game_leads_after_enough_of_them(games: int, leader: int | None) -> None:
    assert leading_group(shares("end_reason", {"lines": 1.0, "stations": 0.0}, games), 0, ALPHA) == leader


def test_a_leader_is_rarely_named_among_equals() -> None:
    """Four reasons equally frequent: in at most one of twenty samples a reason is named that leads nothing."""
    rng = np.random.default_rng(1)
    samples = rng.multinomial(400, [0.25] * 4, size=500) / 400
    named = [leading_group(shares("end_reason", dict(zip("abcd", row, strict=True)), 400), 0, ALPHA) for row in samples]
    assert sum(group is not None for group in named) <= 25
    apart = [leading_estimates([share(float(p), 400) for p in row], ALPHA) for row in samples]
    assert sum(len(groups) == 1 for groups in apart) <= 25


# --- titles ----------------------------------------------------------------------------------------------------------


def test_the_usual_end_is_named_only_if_it_is_shown() -> None:
    turns = Estimates.independent(
        Measure("turns", "", "turns", 0.5), ["print"], [""], [[Estimate(40.0, 39.8, 40.2, 0.1, GAMES)]], [GAMES], 1.0
    )
    clear = shares("end_reason", {"both_lines": 0.6, "stations": 0.4})
    tied = shares("end_reason", {"both_lines": 0.5, "stations": 0.49, "deadlock": 0.01})
    assert fill_template(data_of(metrics=[clear, turns]), ENDS_BY) == (
        "Games most often end by “both lines”, 60\u00a0% (57 to 63); they take 40.0 turns (39.8 to 40.2)"
    )
    short = ("games most often end by {end_reason.leading}",)
    assert fill_template(data_of(metrics=[clear]), short) == "Games most often end by “both lines” (60\u00a0%)"
    assert fill_template(data_of(metrics=[tied]), short) == (
        "Games most often end by “both lines” (50\u00a0%) or “stations” (49\u00a0%)"
    )


def test_the_seats_that_score_most_are_named_as_far_as_they_are_told_apart() -> None:
    def title(*by_seat: float) -> str:
        return sections._seat_scores_title(data_of(metrics=[scores(by_seat)]))

    assert title(20.0, 18.0, 18.0, 18.0) == "The 1st player scores most, 20.0 points"
    assert title(20.0, 19.8, 18.0, 18.0) == "The 1st or 2nd player scores most, 20.0 and 19.8 points"
    assert title(20.0, 20.1, 19.9, 20.0) == "Scores do not measurably depend on the playing order"


def test_the_frequent_rule_gap_is_named_only_if_it_is_shown() -> None:
    def title(*values: float) -> str:
        gaps = [(SimpleNamespace(name=f"gap_{i}"), shares(f"gap_{i}", {"": p})) for i, p in enumerate(values)]
        return game_sections._gaps_title(data_of(gaps=gaps))

    assert title(0.2, 0.5, 0.1) == "The open question that came up most often is “gap 1” (50\u00a0% of games)"
    assert title(0.5, 0.49, 0.1).endswith("is “gap 0” (50\u00a0% of games) or “gap 1” (49\u00a0% of games)")
    assert title(0.02, 0.02, 0.021, 0.019, 0.0) == "4 of 5 open questions came up"
    assert title(0.0, 0.0) == "No open question came up"


def test_the_strongest_bot_is_named_only_if_it_is_shown() -> None:
    def title(strengths: Mapping[str, float], games: int = 600) -> str:
        rng = np.random.default_rng(7)
        bots, log_strengths = [*strengths], np.array([*strengths.values()])
        orders = np.argsort(-(log_strengths + rng.gumbel(size=(games, len(bots)))), axis=1)
        rows = [(game, bots[bot], rank + 1) for game, order in enumerate(orders) for rank, bot in enumerate(order)]
        ranked = pl.DataFrame(rows, ["game", "bot", "rank"], orient="row")
        return sections._bots_title(data_of(ratings={"print": rate(ranked)}))

    assert title({"a": 0.0, "b": 0.0, "c": 0.0}) == "The games do not tell the bots apart"
    clear = title({"a": 2.0, "b": 0.5, "c": 0.0})
    assert clear.startswith("a is ")
    assert clear.endswith(" Elo above c and ahead of every other bot")
    tied = title({"a": 1.5, "b": 1.5, "c": 0.0})
    assert tied in {f"the strongest bot is {pair}; 1 of 3 are shown to be weaker" for pair in ("a or b", "b or a")}


def test_what_layouts_matter_most_for_is_named_only_if_it_is_shown() -> None:
    def title(**values: float) -> str:
        estimates = [Estimate(value, value - 0.02, value + 0.02, 0.01, 500) for value in values.values()]
        shown = Estimates.independent(LAYOUT_SHARE, ["print"], [*values], [estimates], [5000], 10.0)
        return game_sections._layouts_title(data_of(metrics=[shown]))

    assert title(turns=0.3, margin=0.1) == "Layouts matter most for turns (30\u00a0% of the variance)"
    assert title(turns=0.3, margin=0.29, win_share=0.1) == (
        "Layouts matter most for turns (30\u00a0% of the variance) or margin (29\u00a0% of the variance)"
    )
    assert title(turns=0.3, margin=0.0) == "Layouts matter for turns (30\u00a0% of the variance)"
    assert title(turns=0.01, margin=0.005) == "These games do not tell what layouts matter for"


def test_the_usual_opening_is_named_only_if_it_is_shown() -> None:
    def title(**kinds: float) -> str:
        openings = [Opening(kind, int(GAMES * p), share(p), share(0.25)) for kind, p in kinds.items()]
        book = SeatBook("kind", "kind of tunnel", "print-4p", "expert", 0, GAMES, tuple(openings))
        level = SimpleNamespace(level=SimpleNamespace(name="expert"))
        data = data_of(openings=[book], levels=[level], shown=level)
        data.run.variants[0].name = "print-4p"
        return game_sections._openings_title(data)

    assert title(a=0.6, b=0.4) == "Seat 1 most often opens with “a” (60\u00a0%)"
    assert title(a=0.46, b=0.45, c=0.09) == ("Seat 1 most often opens with “a” (46\u00a0%) or “b” (45\u00a0%)")
    assert title(a=0.34, b=0.33, c=0.33).endswith("no opening that is clearly more frequent than others")
