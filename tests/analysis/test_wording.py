"""Numbers, and what rulesets, seats and metrics are called, as readers see them."""

import numpy as np
import pytest

from mmsim.analysis import wording as fmt
from mmsim.analysis.stats import Estimate
from mmsim.analysis.wording import edition_title, ruleset_titles, seat_title, wording
from mmsim.core.common_metrics import WORDS
from mmsim.games import GAMES, find_shell, find_statistics


def estimated(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half, half / 2, 100)


def test_a_number_has_the_digits_its_interval_bears() -> None:
    assert fmt.with_interval(estimated(12.3456, 0.5), "points") == "12.3 (11.8 to 12.8)"
    assert fmt.with_interval(estimated(12.3456, 5), "points") == "12 (7 to 17)"
    assert fmt.with_interval(estimated(12.3456, 0.15), "points") == "12.35 (12.20 to 12.50)"
    assert fmt.with_interval(estimated(1234.5, 50), "points") == "1,234 (1,184 to 1,284)"


def test_shares_are_in_per_cent_and_their_differences_in_points_of_them() -> None:
    assert fmt.with_interval(estimated(0.2723, 0.0015), "share") == "27.23\u00a0% (27.08 to 27.38)"
    assert fmt.value(estimated(-0.0123, 0.004), fmt.difference_unit("share")) == "−1.2\u00a0pp"
    assert fmt.value(estimated(0.5, 0.2), "points", signed=True) == "+0.5"


def test_a_number_in_a_title_is_rounded_for_a_sentence() -> None:
    assert fmt.short(estimated(6.353, 0.006), "minutes") == "6.4"
    assert fmt.short(estimated(0.0353, 0.0006), "points") == "0.04"
    assert fmt.short(estimated(1234.5, 50), "points") == "1,234"
    assert fmt.short(estimated(0.26432, 0.0005), "share") == "26.4\u00a0%"


def test_a_number_without_spread_has_one_decimal() -> None:
    assert fmt.value(estimated(0.0, 0.0), "points") == "0.0"
    assert fmt.with_interval(estimated(1.0, np.inf), "points") == "1.0 (no interval)"


def test_what_never_varies_has_no_interval() -> None:
    assert fmt.with_interval(estimated(1.0, 0.0), "share") == "100\u00a0%"
    assert fmt.with_interval(estimated(60.0, 0.0), "turns") == "60"
    assert fmt.with_interval(estimated(0.5, 0.0), "points") == "0.5 (0.5 to 0.5)"


def test_p_values_are_never_nothing() -> None:
    assert fmt.p_value(0.0) == "< 0.0001"
    assert fmt.p_value(0.0123) == "0.012"
    assert fmt.p_value(0.5) == "0.50"


def test_games_needed_are_rough() -> None:
    assert fmt.games(123_456, 123_456) == "about 130,000 games"
    assert fmt.games(7.2, 22.1) == "about 8 to 23 games"
    assert fmt.games(5.0, 1e11) == "more than ten billion games"


def test_whole_per_cent_have_a_proper_minus_and_no_negative_zero() -> None:
    assert [fmt.percent(share) for share in (0.184, -0.03, -0.004)] == ["18\u00a0%", "−3\u00a0%", "0\u00a0%"]


@pytest.mark.parametrize(
    ("rules", "titles"),
    [
        (["print", "print+loyal"], ["the 2006 rules", "open hands (Loyal)"]),
        (["print+loyal"], ["the 2006 rules with open hands (Loyal)"]),
        (
            ["print+no-corruption", "print+no-corruption,marker_set=standard"],
            ["the 2006 rules with fixed hands (No Corruption)", "the corrected table"],
        ),
        (["en1", "v2"], ["the first English rules", "the version 2.0 rules"]),
        (
            ["print,change_minutes=1", "print,change_minutes=2"],
            ["changes of 1 minute", "changes of 2 minutes"],
        ),
        (["print,dig=2", "print,dig=4"], ["2 tunnels a turn", "4 tunnels a turn"]),
        (["print", "mine/fair.toml"], ["the 2006 rules", "fair"]),
        (["a/fair.toml", "b/fair.toml"], ["a/fair.toml", "b/fair.toml"]),  # titles must tell them apart
    ],
)
def test_rulesets_are_called_what_they_are(rules: list[str], titles: list[str]) -> None:
    assert ruleset_titles("metromania", rules) == titles


def test_rulesets_of_one_edition_share_its_title() -> None:
    assert edition_title("metromania", ["print", "print+loyal"]) == "the 2006 rules"
    assert edition_title("metromania", ["print", "v2"]) == ""


def test_the_last_seat_is_called_last_unless_there_are_two() -> None:
    assert [seat_title(seat, 4) for seat in ("1st", "2nd", "4th")] == ["first", "second", "last"]
    assert seat_title("2nd", 2) == "second"


def test_metrics_without_words_of_their_own_are_called_by_their_names() -> None:
    assert wording("metromania", "win_share", "4th", 4).lower == "the last seat wins less"
    assert wording("metromania", "stations_left").higher == "stations left is higher"


@pytest.mark.parametrize("game", GAMES)
def test_what_an_experiment_asks_about_has_words_of_its_own(game: str) -> None:
    statistics, shell = find_statistics(game), find_shell(game)
    assert {*statistics.primary_metrics} <= {*WORDS, *statistics.words}
    knobs = {name: knob.choices or ("true", "false") * knob.is_switch for name, knob in shell.knobs.items()}
    settings = {f"{name}={value}" for name, values in knobs.items() for value in values}
    known = {*shell.editions, *shell.modifiers, *settings}
    assert {title for title in shell.titles if not title.endswith("=")} <= known
    assert {title[:-1] for title in shell.titles if title.endswith("=")} <= {*shell.knobs}
