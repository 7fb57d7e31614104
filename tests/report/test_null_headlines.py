"""Where nothing differs, headlines hardly ever say that something does.

In the toy every seat has the same chances, and `hold` changes nothing for a bot that always rolls: two variants are the
same game under other seeds.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from mmsim.analysis.run_metrics import measure_answer
from mmsim.analysis.tables import open_run
from mmsim.batch.experiment import WantedAnswer
from mmsim.report.answer import answer_of
from tests.runs import write_run

WANTED = {
    "aimed": WantedAnswer(metric="seat_imbalance", direction="lower"),
    "any seat": WantedAnswer(metric="win_share"),
    "differences": WantedAnswer(about="differences"),
}
CLAIMS = ("Yes", "Partly", "No, the opposite", "Compared", "With", "1 of")
METRICS = ("win_share", "seat_imbalance", "score", "turns")


def claims(folder: Path, seed: int, hold: int = 2, bots: str = "bold") -> set[str]:
    """The kinds of sentence that claim something about two variants, by default the same ones."""
    settings = {"game": "toy", "bots": bots, "design": "independent", "metrics": METRICS}
    run = open_run(write_run(folder, ["dice", f"dice,hold={hold}"], 120, 120, players=4, seed=seed, **settings))
    measured = measure_answer(run)
    claimed = set()
    for kind, wanted in WANTED.items():
        experiment = replace(run.experiment, answer=wanted, question="")
        answer = answer_of(replace(measured, run=replace(run, experiment=experiment)))
        if answer.verdict.startswith(CLAIMS):
            claimed.add(kind)
        if answer.shared:
            claimed.add("seats of all")
    alone = replace(measured, run=replace(run, experiment=replace(run.experiment, answer=WantedAnswer(about="seats"))))
    if "than a fair share" in answer_of(replace(alone, comparisons=[])).verdict:
        claimed.add("seats")
    return claimed


@pytest.mark.usefixtures("toy_game")
def test_at_most_one_headline_in_twenty_claims_a_difference_or_a_seat_where_there_is_none(tmp_path: Path) -> None:
    claimed = [kind for seed in range(200) for kind in claims(tmp_path / str(seed), seed)]
    kinds = (*WANTED, "seats", "seats of all")
    assert len(claimed) <= 200 * len(kinds) / 20
    for kind in kinds:  # each of them errs in one run of twenty at most; by chance it may be a few more of these 200
        assert claimed.count(kind) <= 18, kind


@pytest.mark.usefixtures("toy_game")
def test_a_difference_that_is_there_is_claimed(tmp_path: Path) -> None:
    assert "differences" in claims(tmp_path / "apart", 1, hold=6, bots="uniform")
