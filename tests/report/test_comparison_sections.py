"""Titles and sentences of the sections on differences count in proper English, one as well as several."""

from types import SimpleNamespace
from typing import Any

import pytest

from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.retrained import NO_CHANGE, RetrainingResult
from mmsim.report import comparison_sections as sections
from tests.analysis.planted import OPEN, SAME, TURNS, planted

DIFFERENT, EQUAL, UNSURE = ({"club": shows, "expert": shows} for shows in (2.0, SAME, OPEN))


def data_of(*comparisons: ComparisonOverLevels) -> Any:
    """As much of the data of a report as titles read."""
    level = comparisons[0].levels[0].level
    return SimpleNamespace(
        comparisons=comparisons,
        primary=comparisons,
        levels=["club", "expert"],
        shown=SimpleNamespace(level=level),
        level_clause="",
        comparisons_of=lambda variant: comparisons,
        name_of=lambda variant: "Loyal",
    )


def compared(different: int, equal: int, unsure: int) -> list[ComparisonOverLevels]:
    shapes = [*[DIFFERENT] * different, *[EQUAL] * equal, *[UNSURE] * unsure]
    return [planted(levels, TURNS) for levels in shapes]


@pytest.mark.parametrize(
    ("different", "title"),
    [
        (1, "1 of 4 differences is larger than chance; 1 holds at every level"),
        (2, "2 of 5 differences are larger than chance; 2 hold at every level"),
    ],
)
def test_the_title_on_all_variants_counts_differences(different: int, title: str) -> None:
    assert sections._variants_title(data_of(*compared(different, 2, 1))) == title


@pytest.mark.parametrize(("unsure", "verb"), [(1, "1 of 3 needs"), (2, "2 of 4 need")])
def test_without_a_difference_the_title_counts_what_needs_more_games(unsure: int, verb: str) -> None:
    title = sections._variants_title(data_of(*compared(0, 2, unsure)))
    assert title == f"No difference stands out, but {verb} more games to be sure"


@pytest.mark.parametrize(
    ("counts", "title"),
    [
        ((1, 1, 1), "Loyal: 1 of 3 differs, 1 is equal within tolerance, 1 needs more games"),
        ((2, 2, 2), "Loyal: 2 of 6 differ, 2 are equal within tolerance, 2 need more games"),
    ],
)
def test_the_title_on_one_variant_counts_its_verdicts(counts: tuple[int, int, int], title: str) -> None:
    assert sections._variant_title(data_of(*compared(*counts)), "print+loyal-4p") == title


@pytest.mark.parametrize(
    ("result", "title"),
    [
        (RetrainingResult(["a: no gain."], gained=False), "No variant's players gained by retraining"),
        (RetrainingResult(["a: a gain."], gained=True), "Retrained nets win more games"),
        (RetrainingResult(["a: a gain."], gained=True, changed=[]), NO_CHANGE.removesuffix(".")),
        (RetrainingResult(["a: a gain."], gained=True, changed=["Verdict"]), "Retrained nets change 1 verdict"),
        (RetrainingResult(["a: a gain."], gained=True, changed=["x", "y"]), "Retrained nets change 2 verdicts"),
    ],
)
def test_the_title_on_retrained_nets_says_what_they_change(
    result: RetrainingResult, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sections, "retraining_result", lambda data: result)
    section = sections.retrained(data_of(*compared(1, 1, 1)))
    assert section is not None
    assert section.title == title
    assert section.text == result.sentences
