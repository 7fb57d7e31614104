"""The page of all columns is current and describes each of them."""

import pytest

from build_tools.tables_page import PAGE, SHIPPED, page
from mmsim.games import find_game


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


@pytest.mark.parametrize("name", SHIPPED)
def test_every_column_of_every_table_has_a_sentence_and_no_sentence_is_left_over(name: str) -> None:
    game = find_game(name)
    for table, schema in game.tables.items():
        assert set(schema) == set(game.columns[table])
        assert all(len(text) > 5 for text in game.columns[table].values())
