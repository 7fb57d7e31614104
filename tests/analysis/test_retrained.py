"""Verdicts with retrained nets against those with the shipped ones, on planted comparisons."""

from dataclasses import replace

from mmsim.analysis.compare import ComparisonOverLevels
from mmsim.analysis.retrained import changed_verdicts
from tests.analysis.test_levels import over_levels


def retrained(comparison: ComparisonOverLevels) -> ComparisonOverLevels:
    """The same comparison by levels of which the strongest two are called retrained."""

    def named(place: int) -> str:
        return f"{comparison.levels[place].level.name}{' (retrained)' if place > 1 else ''}"

    levels = [replace(one, level=replace(one.level, name=named(place))) for place, one in enumerate(comparison.levels)]
    return replace(comparison, levels=tuple(levels))


def test_the_same_verdict_is_no_change_whatever_the_levels_are_called() -> None:
    shipped = over_levels(1.0, 1.2, 1.1, 1.1)
    assert changed_verdicts([shipped], [retrained(over_levels(1.0, 1.2, 1.0, 1.2))]) == []


def test_a_verdict_that_changes_is_named_with_both_effects() -> None:
    shipped, known = over_levels(1.0, 1.2, 1.1, 1.1), over_levels(1.0, 1.2, -1.1, -1.1)
    (sentence,) = changed_verdicts([shipped], [retrained(known)])
    assert sentence.startswith(
        "Verdict on length of b: “reverses: higher among casual players, lower among masters; settled: expert and "
        "master agree” with retrained nets (casual +1.0 ± 0.2, club +1.2 ± 0.2, expert −1.1 ± 0.2, master −1.1 ± 0.2), "
        "“higher at every level; settled: expert and master agree” with the shipped ones (casual +1.0 ± 0.2"
    )
    assert sentence.endswith("The effect has changed.")


def test_a_verdict_that_changes_for_want_of_precision_is_not_taken_for_another_effect() -> None:
    shipped = over_levels(1.0, 1.2, 1.1, 1.1)
    (sentence,) = changed_verdicts([shipped], [retrained(over_levels(1.0, 1.2, 1.1, 0.8, ses=(0.1, 0.1, 0.1, 1.0)))])
    assert "as far as its games tell, master agrees" in sentence
    assert sentence.endswith("That the effect changes is not shown.")


def test_exploratory_metrics_count_only_if_they_are_named() -> None:
    shipped, known = over_levels(1.0, 1.2, 1.1, 1.1), retrained(over_levels(1.0, 1.2, -1.1, -1.1))
    known = replace(known, primary=False)
    assert changed_verdicts([shipped], [known]) == []
    assert len(changed_verdicts([shipped], [known], ["length"])) == 1
