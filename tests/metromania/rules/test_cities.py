"""Boards with a layout behind their name, and the numbers of all cities."""

import pytest

from mmsim.core.variant import Variant, board_label, split_file
from mmsim.errors import UsageError
from mmsim.games import find_game
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import Layout

CODE, TURNED = "1a-4c-2b-6a-3a-5b", "2b-6a-3a-5b-1a-4c"


@pytest.mark.parametrize("name", ["box", "open", "random:3"])
def test_every_city_has_one_number_whatever_its_rotation(name: str) -> None:
    board_set = board_file.load(name)
    for number in (0, 1, 729, 12_345, board_set.distinct_cities - 1):
        city = board_set.numbered_city(number)
        assert board_set.canonical(city) == city
        assert {board_set.city_number(city.turned_city(by)) for by in board_set.symmetry} == {number}


def test_the_order_of_an_atlas_has_every_city_once_and_begins_with_an_even_sample() -> None:
    board_set = board_file.load("box")
    places = [board_set.city_at(place) for place in range(board_set.distinct_cities)]
    assert len({*places}) == board_set.distinct_cities == 87_480
    by_order = [number // 729 for number in places[:1200]]
    assert {by_order.count(order) for order in range(120)} <= {9, 10, 11}


def test_a_board_with_a_layout_takes_any_rotation_and_is_that_city_in_every_game() -> None:
    assert board_file.load(f"box:{TURNED}").layout == board_file.load(TURNED).layout == Layout.from_code(CODE)
    assert board_file.with_layout(None, TURNED) == f"box:{CODE}"
    game = find_game("metromania")
    prepared = game.prepare(Variant("print", 4, f"box:{TURNED}"))
    assert prepared.description.board["layout"] == CODE
    assert {*game.play_games(prepared, 0, 5)["games"]["layout"].tolist()} == {Layout.from_code(CODE).index}
    record = game.record(prepared, 3)
    game.verify(record)
    assert record["board"]["layout"] == CODE


def test_games_that_go_through_all_cities_do_not_depend_on_where_a_stretch_begins() -> None:
    game = find_game("metromania")
    prepared = game.prepare(Variant("print", 4, "box:each=3", bots="greedy"))
    whole, part = game.play_games(prepared, 0, 12), game.play_games(prepared, 4, 7)
    for table, count in game.rows_per_game(prepared).items():
        assert part[table].tobytes() == whole[table][4 * count : 11 * count].tobytes()
    assert game.record(prepared, 4)["board"]["layout"] == Layout.from_index(int(whole["games"]["layout"][4])).code


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ("box:1a-2b", "'1a-2b' is not a layout code: it has 2 parts but needs six"),
        ("box:each=0", "'box:each=0': write box:each=N with a number of games per city"),
        ("bix:1a-4c-2b-6a-3a-5b", "unknown board set 'bix'; did you mean 'box'?"),
    ],
)
def test_a_layout_that_is_none_is_refused(board: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        board_file.load(board)
    assert says in str(error.value)


def test_a_board_has_one_layout() -> None:
    with pytest.raises(UsageError, match="has a layout already; drop --layout"):
        board_file.with_layout(f"box:{CODE}", CODE)


def test_a_file_with_a_layout_keeps_it_when_it_is_renamed() -> None:
    assert split_file(f"my/set.toml:{CODE}") == ("my/set.toml", f":{CODE}")
    assert split_file("box") == ("box", "")
    assert [board_label(board) for board in (f"my/set.toml:{CODE}", "my/set.toml", None)] == [f"set:{CODE}", "set", ""]
