"""Every city of a board set: its number, its code, and what may make it fair or not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mmsim.core.layouts import AtlasAllocation
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import Layout

# Fixed before the games, after a pilot of 600 cities on another seed (77). There the cities' win shares, all seats
# pooled, reach a reliability of 0.8 with 101 games of club and 126 of expert. 112 games of club are expected to give
# 0.815, and 12 games of expert, which are five times as slow, 0.28: as many as two shared cores play in two hours.
ATLAS = AtlasAllocation({"club": 112, "expert": 12}, seed=33)


class Cities:
    """The distinct cities of a board set, in the order of their canonical layouts."""

    def __init__(self, board: str | None) -> None:
        self._name, _ = board_file.split_layout(board or board_file.DEFAULT)
        self._set = board_file.load(self._name)
        self.count = self._set.distinct_cities

    def code(self, number: int) -> str:
        return self._set.numbered_city(number).code

    def number(self, code: str) -> int:
        return self._set.city_number(Layout.from_code(code))

    def at(self, place: int) -> int:
        return self._set.city_at(place)

    def board(self, games_per_layout: int) -> str:
        return board_file.with_layout(self._name, f"each={games_per_layout}")

    def features(self, numbers: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        return {}
