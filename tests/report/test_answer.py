"""Verdicts in words: the first word answers the question, and no more is said than the games show."""

from types import SimpleNamespace
from typing import Any

import pytest

from mmsim.analysis.compare import ComparisonOverLevels, LevelEstimates
from mmsim.analysis.run_metrics import ComparedRun
from mmsim.batch.experiment import from_mapping
from mmsim.core.levels import Level
from mmsim.report.answer import Answer, differences_verdict, replies_of, reply_verdict
from mmsim.report.answer_tables import level_by_level, short_verdict, strips, what_matters
from mmsim.report.sentences import RunWords
from tests.analysis.planted import OPEN, SAME, TURNS, planted

LEVELS = ("casual", "club", "expert", "master")
EVENNESS = {"metric": "seat_imbalance", "direction": "lower"}
LOYAL, FIXED = "print+loyal", "print+no-corruption"


def words_of(*comparisons: ComparisonOverLevels, answer: Any = EVENNESS, question: str = "Is it fairer?") -> RunWords:
    """The words of a run with these comparisons."""
    variants = ["print", *dict.fromkeys(one.variant.removesuffix("-4p") for one in comparisons)]
    experiment = from_mapping({"name": "x", "variants": variants, "question": question, "answer": answer})
    described = [SimpleNamespace(name=f"{rules}-4p", rules=rules, players=4, board_name=None) for rules in variants]
    levels = [LevelEstimates(Level(name, name, name), []) for name in LEVELS]
    run: Any = SimpleNamespace(experiment=experiment, variants=described, mixed=False)
    return RunWords(ComparedRun(run, levels, comparisons))


def shows(*levels: float | str, variant: str = LOYAL, **settings: Any) -> ComparisonOverLevels:
    return planted(dict(zip(LEVELS, levels, strict=True)), variant=f"{variant}-4p", **settings)


def verdict(*comparisons: ComparisonOverLevels, **settings: Any) -> str:
    words = words_of(*comparisons, **settings)
    return reply_verdict(words, replies_of(words)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        (
            (-0.03, -0.03, -0.03, -0.03),
            "Yes. With open hands (Loyal), the seats are more even at every level of play (by 3.0 points among "
            "experts).",
        ),
        (
            (-0.03, -0.03, -0.03, OPEN),
            "Yes. With open hands (Loyal), the seats are more even from casual players to experts (by 3.0 points among "
            "experts). Among masters there are too few games to tell.",
        ),
        (
            (SAME, SAME, SAME, SAME),
            "No. With open hands (Loyal), the seats are as even as with the 2006 rules at every level of play.",
        ),
        (
            (0.03, 0.03, 0.03, 0.03),
            "No, the opposite: with open hands (Loyal), the seats are less even at every level of play (by 3.0 points "
            "among experts).",
        ),
        (
            (SAME, SAME, -0.03, -0.03),
            "Partly. With open hands (Loyal), the seats are more even among experts and masters (by 3.0 points among "
            "experts); the seats are as even as with the 2006 rules among casual and club players.",
        ),
        (
            (-0.2, -0.2, -0.2, OPEN),
            "Partly. With open hands (Loyal), the seats are more even from casual players to experts (by 20.0 points "
            "among experts); the effect is clearly smaller, if there is any, among masters.",
        ),
        (
            (0.03, OPEN, OPEN, OPEN),
            "Not shown. With open hands (Loyal), the seats are less even among casual players (by 3.0 points). From "
            "club players to masters there are too few games to tell.",
        ),
        (
            (SAME, SAME, SAME, OPEN),
            "No. With open hands (Loyal), the seats are as even as with the 2006 rules from casual players to experts. "
            "Among masters there are too few games to tell.",
        ),
        (
            (OPEN, OPEN, OPEN, OPEN),
            "No difference found: with open hands (Loyal), the seats are not shown to be more or less even at any "
            "level of play. If there is one, it is below 2.4 points among experts and 2.4 points among masters (95 %).",
        ),
    ],
)
def test_a_verdict_begins_with_the_answer(levels: tuple[float | str, ...], says: str) -> None:
    assert verdict(shows(*levels)) == says


def test_variants_with_the_same_reply_share_a_sentence_and_yes_comes_first() -> None:
    same = (SAME, SAME, SAME, SAME)
    assert verdict(shows(*same), shows(*same, variant=FIXED)).startswith(
        "No. With open hands (Loyal) or fixed hands (No Corruption), the seats are as even"
    )
    both = verdict(shows(*same), shows(-0.03, -0.03, -0.03, -0.03, variant=FIXED))
    assert both.startswith("Yes. With fixed hands")
    assert " No. With open hands" in both


def test_what_differs_is_named_with_its_size_and_where_it_holds() -> None:
    longer = shows(SAME, SAME, 1.4, 1.4, measure=TURNS)
    words = words_of(longer, answer="differences", question="What changes?")
    said = differences_verdict(words, [longer]).replace("\u00a0", " ")
    assert said == "With open hands (Loyal), games are longer among experts and masters (by 1.4 turns among experts)."
    asked = words_of(longer, answer="differences", question="Does anything change?")
    assert differences_verdict(asked, [longer]).startswith("Yes. With")
    reverses = shows(-1.4, SAME, SAME, 1.4, measure=TURNS)
    said = differences_verdict(words, [reverses])
    assert "games are shorter among casual players (by" in said
    assert ") but games are longer among masters (by" in said


def test_nothing_that_differs_is_told_from_nothing_that_is_known() -> None:
    words = words_of(shows(SAME, SAME, SAME, SAME), answer="differences", question="Does anything change?")
    same, unknown = (shows(*[kind] * 4, measure=TURNS) for kind in (SAME, OPEN))
    assert differences_verdict(words, [same]).startswith("No. Nothing that was measured differs by more than")
    assert differences_verdict(words, [unknown]).startswith("No difference found")


def test_a_short_verdict_names_the_levels_that_show_it_unless_all_do() -> None:
    assert short_verdict(shows(-0.03, -0.03, -0.03, -0.03)) == "more even"
    assert short_verdict(shows(0.03, OPEN, OPEN, OPEN)) == "less even at casual"
    assert short_verdict(shows(SAME, SAME, OPEN, OPEN)) == "same at casual, club"
    assert short_verdict(shows(OPEN, OPEN, OPEN, OPEN)) == "no change shown"
    assert short_verdict(shows(1.0, SAME, SAME, -1.0, measure=TURNS)) == "reverses"


def test_the_table_has_what_was_asked_first_and_at_most_twelve_rows() -> None:
    many = [shows(*[0.6 + n] * 4, measure=TURNS, variant=f"print,change_minutes={n + 4}") for n in range(14)]
    table = what_matters(words_of(*many), many)
    assert table.headings[0] == "variant"
    assert len(table.rows) == 12
    both = [shows(*[2.0] * 4, measure=TURNS), shows(*[SAME] * 4)]
    one = what_matters(words_of(*both), both)
    assert [row[0] for row in one.rows] == ["unevenness of the seats (%)", "length (turns)"]
    assert one.rows[1][1:] == ["0.05 → 2.0", "+2.00 ± 0.10", "higher"]


def test_every_level_has_a_line_with_its_place_against_the_tolerance() -> None:
    comparison = shows(0.0, 0.006, -0.018, -0.2)
    words = words_of(comparison)
    lines = strips(words, comparison)
    marks = [line[line.index("·") - 1 :].split("  ")[0].strip() for line in lines[1:5]]
    assert marks == ["······[··▪··]······", "······[··|··▪······", "▪·····[··|··]······", "▪·····[··|··]······"]
    assert level_by_level(words, [comparison], comparison.variant).headings == ("metric", *LEVELS)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("No. Nothing.", "No."),
        ("No, the opposite: less.", "No, the opposite:"),
        ("Partly. More.", "Partly."),
        ("No difference found: with", "No difference found:"),
        ("With open hands (Loyal), games are longer.", ""),
    ],
)
def test_the_words_that_answer_are_told_from_the_rest(text: str, first: str) -> None:
    answer = Answer("Is it?", "here", text)
    assert answer.first_words[0] == first
    assert "".join(answer.first_words) == text
    assert f"**{first}**" in answer.memo or not first
