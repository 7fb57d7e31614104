"""What is changed to find out why: knobs, play, both, and elements that a bot does without."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.elements import element_values
from mmsim.analysis.why import Effect, conclusions, explaining_two, keep, kept, weigh_changes, with_interaction
from mmsim.contests.interventions import (
    AS_PLAYED,
    Change,
    ChangedGames,
    changes_of,
    other_values,
    play_changes,
    unchanged,
    without_elements,
)
from mmsim.core.game import Variant
from mmsim.core.knobs import Knob
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game

pytestmark = pytest.mark.usefixtures("toy_game")
BOLD = Variant("dice", 3, bots="bold", seed=3)


def play(*changes: Change, games: int = 1200, panel: tuple[str, ...] = ()) -> ChangedGames:
    return play_changes("toy", changes, games, 1, lambda status: None, panel)


def toy_changes() -> list[Change]:
    changes, fixed = changes_of("toy", BOLD)
    assert not fixed
    return changes


@cache
def all_changes() -> ChangedGames:
    """The games as played and with every change, played once."""
    return play(unchanged(BOLD), *toy_changes())


def test_a_knob_is_moved_to_all_its_other_choices_or_some_up_and_down() -> None:
    assert other_values(Knob("", "", choices=("a", "b", "c")), "b") == ["a", "c"]
    assert other_values(Knob("", ""), True) == [False]
    assert other_values(Knob("", "", 1, 60), 30) == [24, 36]
    assert other_values(Knob("", "", 1, 9), 1) == [2]


def test_every_knob_and_every_intervention_is_a_change_of_one_thing() -> None:
    changes = toy_changes()
    assert [change.name for change in changes] == ["hold=2", "hold=4", "longest=3", "longest=5", "first_holds"]
    assert [change.variant.rules for change in changes] == [
        *("dice,hold=2", "dice,hold=4", "dice,longest=3", "dice,longest=5", "dice")
    ]
    assert [change.variant.interventions for change in changes] == [()] * 4 + [("first_holds",)]
    assert len({find_game("toy").prepare(change.variant).name for change in [unchanged(BOLD), *changes]}) == 6


def test_two_changes_at_once_are_both_made() -> None:
    hold, longest, *_, first = (toy_changes()[i] for i in (0, 2, 4))
    assert hold.and_also(first).variant.rules == "dice,hold=2"
    assert first.and_also(hold).variant.interventions == ("first_holds",)
    assert hold.and_also(longest).variant.rules == "dice,hold=2,longest=3"


def test_what_holds_the_first_player_back_is_found_and_what_changes_nothing_is_said_to() -> None:
    why = weigh_changes(all_changes(), "win_share")
    assert why.effects[0].change == "first_holds"
    assert why.effects[0].groups[0].value < 0.28 < why.before_groups[0].value
    same = {effect.change for effect in why.effects if effect.same}
    assert same == {"hold=2", "hold=4"}  # nobody holds
    assert sum(one.value for one in why.before_groups) == pytest.approx(1)


def test_both_changes_together_are_set_against_the_sum_of_each() -> None:
    hold, _, longest, _, first = toy_changes()
    played = all_changes().only([AS_PLAYED, hold.name, longest.name, first.name])
    why = weigh_changes(played, "win_share")
    both = longest.and_also(first)
    four = played.and_also(play(both)).only([AS_PLAYED, longest.name, first.name, both.name])
    found = with_interaction(why, four, "win_share")
    together = found.interaction
    assert together is not None
    assert (together.one.change, together.other.change) == (longest.name, first.name)
    alone = together.one.difference.value + together.other.difference.value
    assert together.beyond.value == pytest.approx(together.both.difference.value - alone)
    assert together.beyond.low < together.beyond.value < together.beyond.high
    assert conclusions(found)[0].startswith("As played: ")


def test_of_an_imbalance_the_rule_that_takes_most_away_is_made_with_the_play_that_does_most() -> None:
    why = weigh_changes(all_changes(), "win_share")
    first = why.effects[0]

    def effect(name: str, kind: str, difference: float, told_apart: bool = True) -> Effect:
        apart = replace(first.difference, value=difference)
        return replace(first, change=name, kind=kind, difference=apart, told_apart=told_apart)

    effects = (
        effect("dig=4", "rules", 0.03),
        effect("random_starts", "play", 0.02),
        effect("board=other", "rules", -0.019, told_apart=False),
        effect("last_round=round", "rules", -0.018),
    )
    assert why.better == "less"
    assert explaining_two(replace(why, effects=effects)) == ("last_round=round", "random_starts")
    assert explaining_two(replace(why, effects=effects, better="")) == ("dig=4", "random_starts")
    assert explaining_two(replace(why, effects=effects[:2])) == ("dig=4", "random_starts")
    assert explaining_two(replace(why, effects=effects[:1])) is None


def test_a_panel_says_for_whom_a_change_does_something() -> None:
    changes = [unchanged(BOLD), toy_changes()[-1]]
    why = weigh_changes(play(*changes, panel=("bold", "uniform")), "win_share")
    (effect,) = why.effects
    assert [*why.games] == [*effect.players] == ["bold", "uniform"]
    assert effect.difference.low < effect.difference.value < effect.difference.high
    assert (effect.verdict, effect.holds) == ("worse", "for bold")  # uniform is shown and does not count


def test_an_answer_is_kept_beside_a_run_until_the_same_question_is_asked_again(tmp_path: Path) -> None:
    shares = weigh_changes(all_changes(), "win_share", {"hold=9": "too much"})
    turns = weigh_changes(all_changes(), "turns")
    for one in (shares, turns, shares):
        keep(tmp_path, one)
    assert kept(tmp_path) == [turns, shares]
    (tmp_path / "why.json").write_text('[{"variant": 3}]')
    with pytest.raises(MmsimError, match="is damaged"):
        kept(tmp_path)
    keep(tmp_path, turns)
    assert kept(tmp_path) == [turns]


def test_a_player_whom_the_rules_favour_is_named_though_bots_hide_it() -> None:
    why = weigh_changes(all_changes(), "win_share")
    first = why.effects[0]
    assert (first.change, first.kind) == ("first_holds", "play")
    hidden = replace(why, before_ahead={"a": "2nd", "b": "1st"})
    shown = replace(first, ahead={"a": "1st", "b": "1st"})
    (*_, last) = conclusions(replace(hidden, effects=(shown,)))
    assert last.startswith(
        "The rules favour the 1st player, and how these bots play hides it: with first_holds the 1st "
    )
    assert "is ahead for all 2 kinds of players; as played it wins" in last
    assert last.endswith("ahead for 1 of 2 (b).")
    unlike = replace(first, ahead={"a": "1st", "b": "2nd"})
    assert not any("favour" in one for one in conclusions(replace(hidden, effects=(unlike,))))
    assert not any("favour" in one for one in conclusions(replace(hidden, effects=(shown,), before_ahead=shown.ahead)))


def test_rolling_is_worth_something_to_who_always_rolls() -> None:
    tables = without_elements("toy", BOLD)
    (rolling,) = tables
    assert rolling.one_without.variant.bots == "bold:without=rolling,bold,bold"
    assert rolling.one_with.variant.bots == "bold,bold:without=rolling,bold:without=rolling"
    base = unchanged(Variant("dice", 3, bots="bold", seed=3, seats="rotate"))
    played = play(base, rolling.one_without, rolling.one_with, rolling.all_without)
    (found,) = element_values(played, tables)
    for way in (found.among_haves, found.among_have_nots):
        assert way.value.low > 0.05
        assert len(way.by_seat) == 3
        assert way.value.value == pytest.approx(sum(seat.value for seat in way.by_seat) / 3)
    seats = played.members[0].tables["seats"].with_columns(pl.col("variant", "bot").cast(str))
    lacking = seats.filter(pl.col("variant").str.contains("one without"), bot="bold:without=rolling")
    assert found.among_haves.share.value == pytest.approx(lacking["win_share"].mean())
    having = seats.filter(pl.col("variant").str.contains("one with "), bot="bold")
    assert found.among_have_nots.share.value == pytest.approx(having["win_share"].mean())
    assert having.group_by("seat").len()["len"].to_list() == [400] * 3


def test_a_bot_that_can_do_without_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="one bot that can do without elements of the game: bold"):
        without_elements("toy", Variant("dice", bots="uniform"))


def test_the_games_as_played_come_first() -> None:
    assert unchanged(BOLD).name == AS_PLAYED
    with pytest.raises(AssertionError):
        weigh_changes(play(*toy_changes()[:2], games=30), "win_share")
