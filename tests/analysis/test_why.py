"""How much of an effect each change explains."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis import wording as fmt
from mmsim.analysis.why import (
    ChangeEffect,
    OtherLevel,
    add_interaction,
    conclusions,
    explain,
    measure_effects,
    pair_to_combine,
    read_answers,
    write_answer,
)
from mmsim.contests.interventions import AS_PLAYED, Change, ChangedGames, as_played
from mmsim.errors import MmsimError, UsageError
from tests.contests.toy_changes import BOLD, all_changes, play, toy_changes
from tests.runs import write_run

pytestmark = pytest.mark.usefixtures("toy_game")


def test_the_change_that_holds_the_first_player_back_is_largest_and_changes_without_effect_are_identical() -> None:
    why = measure_effects(all_changes(), "win_share")
    assert why.effects[0].change == "first_holds"
    assert why.effects[0].groups[0].value < 0.28 < why.before_groups[0].value
    same = {effect.change for effect in why.effects if effect.identical}
    assert same == {"hold=2", "hold=4"}  # nobody holds
    assert sum(one.value for one in why.before_groups) == pytest.approx(1)


def test_a_change_that_moves_games_is_not_identical_even_if_the_average_stays() -> None:
    played = all_changes().only([AS_PLAYED, "hold=2"])
    games = played.tables["games"]
    turns = games["turns"].to_list()
    first = len(turns) // 2  # the games of the change
    other = next(row for row in range(first, len(turns)) if turns[row] != turns[first])
    turns[first], turns[other] = turns[other], turns[first]
    swapped = games.with_columns(pl.Series("turns", turns, games["turns"].dtype))
    (effect,) = measure_effects(replace(played, tables={**played.tables, "games": swapped}), "turns").effects
    assert effect.difference.value == 0
    assert not effect.identical


def test_a_metric_of_several_groups_names_the_group_of_every_number() -> None:
    why = measure_effects(all_changes(), "seat_score")
    largest = why.effects[0]
    assert largest.group in why.groups
    assert all(
        f"{group} {fmt.value(mean, why.unit)}" in conclusions(why)[0]
        for group, mean in zip(why.groups, why.before_groups, strict=True)
        if mean
    )
    assert f"{fmt.value(largest.after, why.unit)} for {largest.group}, " in conclusions(why)[1]


def test_another_level_is_asked_about_the_group_in_which_a_change_does_most() -> None:
    groups = []
    level = OtherLevel("other", "uniform", lambda changes: play(*changes))
    why = explain("toy", BOLD, "seat_score", lambda changes: play(*changes), other_level=level)
    for agreement in why.elsewhere:
        (effect,) = (effect for effect in why.effects if effect.change == agreement.change)
        groups.append(effect.group)
        assert f" for {effect.group} " in agreement.sentence(effect, why.unit)
    assert groups


def test_both_changes_together_are_set_against_the_sum_of_each() -> None:
    hold, _, longest, _, first = toy_changes()
    played = all_changes().only([AS_PLAYED, hold.name, longest.name, first.name])
    why = measure_effects(played, "win_share")
    both = longest.combined_with(first)
    four = played.extended_with(play(both)).only([AS_PLAYED, longest.name, first.name, both.name])
    found = add_interaction(why, four, "win_share")
    together = found.interaction
    assert together is not None
    assert (together.first.change, together.second.change) == (longest.name, first.name)
    alone = together.first.difference.value + together.second.difference.value
    assert together.beyond.value == pytest.approx(together.both.difference.value - alone)
    assert together.beyond.low < together.beyond.value < together.beyond.high
    assert conclusions(found)[0].startswith("As played: ")


def test_of_an_imbalance_the_rule_that_takes_most_away_is_made_with_the_play_that_does_most() -> None:
    why = measure_effects(all_changes(), "win_share")
    first = why.effects[0]

    def effect(name: str, kind: str, difference: float, is_significant: bool = True) -> ChangeEffect:
        apart = replace(first.difference, value=difference)
        return replace(first, change=name, kind=kind, difference=apart, is_significant=is_significant)

    effects = (
        effect("dig=4", "rules", 0.03),
        effect("random_starts", "play", 0.02),
        effect("board=other", "rules", -0.019, is_significant=False),
        effect("last_round=round", "rules", -0.018),
    )
    assert why.better == "less"
    assert pair_to_combine(replace(why, effects=effects)) == ("last_round=round", "random_starts")
    assert pair_to_combine(replace(why, effects=effects, better="")) == ("dig=4", "random_starts")
    assert pair_to_combine(replace(why, effects=effects[:2])) == ("dig=4", "random_starts")
    assert pair_to_combine(replace(why, effects=effects[:1])) is None
    more, fewer = (replace(effects[0], change=change) for change in ("dig=4", "dig=2"))
    assert pair_to_combine(replace(why, effects=(more, fewer), better="")) is None
    last_round = replace(effects[0], change="last_round=round")
    assert pair_to_combine(replace(why, effects=(more, fewer, last_round), better="")) == ("dig=4", "last_round=round")


def test_an_answer_is_replaced_when_the_same_question_is_answered_again(tmp_path: Path) -> None:
    shares = measure_effects(all_changes(), "win_share", {"hold=9": "too much"})
    turns = measure_effects(all_changes(), "turns")
    folder = write_run(tmp_path / "run", ["dice"], games=60, part_games=60, players=3, game="toy", bots="uniform")
    assert read_answers(folder) == []
    for one in (shares, turns, shares):
        write_answer(folder, one)
    assert read_answers(folder) == [turns, shares]
    (folder / "why.json").write_text('[{"variant": 3}]')
    with pytest.raises(MmsimError, match="does not match its checksum in the journal"):
        read_answers(folder)
    write_answer(folder, turns)
    assert read_answers(folder) == [turns]


def test_the_games_as_played_come_first() -> None:
    assert as_played(BOLD).name == AS_PLAYED
    with pytest.raises(AssertionError):
        measure_effects(play(*toy_changes()[:2], games=30), "win_share")


def test_an_explanation_plays_all_changes_and_nothing_together_if_only_one_has_an_effect() -> None:
    plays = []

    def note(changes: Sequence[Change]) -> ChangedGames:
        plays.append([change.name for change in changes])
        return play(*changes)

    why = explain("toy", BOLD, "win_share", note)
    assert [len(names) for names in plays] == [6]
    assert (len(why.significant_effects), why.interaction) == (1, None)
    plain = why.as_json()
    assert [row["explains"] for row in plain["effects"]] == [why.explains(effect) for effect in why.effects]
    assert plain["sentences"] == conclusions(why)
    with pytest.raises(UsageError, match="did you mean 'hold=4'"):
        explain("toy", BOLD, "win_share", note, ["hold=3"])
