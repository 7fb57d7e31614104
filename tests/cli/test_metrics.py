"""`mmsim metrics` lists every metric and explains one."""

import json

import pytest

from mmsim.analysis.run_metrics import declared_metrics
from tests.cli.runner import complaint, output


@pytest.mark.parametrize("game", ["metromania", "metro"])
def test_every_metric_is_listed(game: str) -> None:
    listed = json.loads(output("metrics", "--game", game, "--json"))
    assert [metric["metric"] for metric in listed] == [metric.name for metric in declared_metrics(game)]
    assert all(metric["question"].endswith("?") for metric in listed)


def test_a_metric_is_explained_with_its_columns_and_formula() -> None:
    text = output("metrics", "score")
    assert "question   How many points does a seat score?" in text
    assert "tolerance  0.5" in text
    assert "formula    sum(score) / count(score)" in text


def test_an_unknown_metric_is_answered_with_the_nearest_ones_instead_of_a_long_list() -> None:
    assert complaint(2, "metrics", "win_shar") == (
        "unknown metric 'win_shar'; did you mean 'win_share' or 'bot_win_share'?"
    )
    assert len(complaint(2, "metrics", "xyzzy")) < 500
