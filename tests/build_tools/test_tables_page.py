"""The page of all columns describes each of them."""

import pytest

from build_tools.markdown import SHIPPED
from mmsim.games import find_game


@pytest.mark.parametrize("name", SHIPPED)
def test_every_column_of_every_table_has_a_sentence_and_no_sentence_is_left_over(name: str) -> None:
    game = find_game(name)
    for table, schema in game.tables.items():
        assert set(schema) == set(game.columns[table])
        assert all(len(text) > 5 for text in game.columns[table].values())
