"""Heat maps: shares of games by seat, and differences that are more than chance."""

import pytest

from mmsim.analysis.heat_maps import difference_maps, heat_maps
from mmsim.core.shell import EndPosition

COUNTS = {
    EndPosition("tiles", 0, "a"): 100,
    EndPosition("tiles", 0, "b"): 20,
    EndPosition("tiles", 1, "b"): 50,
    EndPosition("lines", 1, "a"): 1,
}


def test_shares_are_of_all_games_and_every_seat_has_its_own() -> None:
    maps = heat_maps("name", COUNTS, 100, [0, 1], "as it lies")
    assert maps.columns == ["seat 1", "seat 2"]
    assert maps.shares == {"tiles": [{"a": 1.0, "b": 0.2}, {"b": 0.5}], "lines": [{}, {"a": 0.01}]}
    only = heat_maps("name", COUNTS, 100, [1], "as it lies")
    assert only.shares == {"tiles": [{"b": 0.5}], "lines": [{"a": 0.01}]}


def test_a_variant_does_not_differ_from_itself() -> None:
    maps = difference_maps(("one", "one"), (COUNTS, COUNTS), 100, [0, 1], "as it lies")
    assert maps.signed
    assert {share for of_what in maps.shares.values() for places in of_what for share in places.values()} == {0.0}


def test_a_difference_is_that_of_the_shares_where_it_is_more_than_chance() -> None:
    other = {
        **COUNTS,
        EndPosition("tiles", 0, "b"): 60,
        EndPosition("tiles", 1, "b"): 55,
        EndPosition("tiles", 1, "c"): 30,
    }
    maps = difference_maps(("one", "other"), (COUNTS, other), 100, [0, 1], "as it lies")
    assert maps.shares["tiles"] == [{"a": 0.0, "b": pytest.approx(0.4)}, {"b": 0.0, "c": 0.3}]
    back = difference_maps(("other", "one"), (other, COUNTS), 100, [0, 1], "as it lies")
    assert back.shares["tiles"] == [{"a": 0.0, "b": pytest.approx(-0.4)}, {"b": 0.0, "c": -0.3}]
