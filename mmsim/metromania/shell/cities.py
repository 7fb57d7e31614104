"""Every city of a board set: its number, its code, and what may make it fair or not."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mmsim.core.layouts import AtlasAllocation, Ranking
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import PIECES, SPOTS, TURNS, Layout, turned_places

# Fixed before the games, after a pilot of 600 cities on another seed (77). There the cities' win shares, all seats
# pooled, reach a reliability of 0.8 with 101 games of club and 126 of expert. 112 games of club are expected to give
# 0.815, and 12 games of expert, which are five times as slow, 0.28: as many as two shared cores play in two hours.
ATLAS = AtlasAllocation(
    {"club": 112, "expert": 12},
    seed=33,
    rankings=(
        Ranking("longest", "turns", True),
        Ranking("closest", "margin", False),
        Ranking("hardest to finish", "lines_ended", False),
    ),
)
_NEAR = 2  # tunnels
_TURNED = re.compile(r"(.+) turned ([abc])")

Numbers = NDArray[np.int64]


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

    # --- features ---------------------------------------------------------------------------------------------------

    def features(self, numbers: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        """Distances in tunnels, how many spots are near starts, who is beside whom, and who is turned how."""
        pieces, turns = self._laid(numbers)
        sector, turn = np.argsort(pieces, axis=1), np.take_along_axis(turns, np.argsort(pieces, axis=1), axis=1)
        cells = {kind: self._cells(kind, sector, turn) for kind in (*SPOTS, "L", "P") if self._set.count(kind)}
        spots = np.hstack([cells[kind] for kind in SPOTS])
        starts = self._starts
        near_start = (self._distances[spots[:, :, None], starts] <= _NEAR).sum(axis=1)
        features = {
            "spots near a start": near_start.mean(axis=1),
            "spread of spots near starts": near_start.std(axis=1),
            "distance of spots from the centre": self._from_centre[spots].mean(axis=1),
            "distance to the next spot of the kind": np.mean([self._next(cells[kind]) for kind in SPOTS], axis=0),
            "distance to the next spot": self._next(spots),
        }
        for kind, name in (("L", "lake"), ("P", "park")):
            if kind in cells:
                features[f"distance of the {name} from the centre"] = self._from_centre[cells[kind]].min(axis=1)
        if "L" in cells and "P" in cells:
            apart = self._distances[cells["L"][:, :, None], cells["P"][:, None, :]]
            features["distance from lake to park"] = apart.min(axis=(1, 2))
        names = self._set.piece_names
        for one, other in combinations(range(PIECES), 2):
            gap = (sector[:, one] - sector[:, other]) % PIECES
            features[f"{names[one]} beside {names[other]}"] = (gap == 1) | (gap == PIECES - 1)
        for piece, name in enumerate(names):
            for times, letter in ((1, "b"), (2, "c")):
                features[f"{name} turned {letter}"] = turn[:, piece] == times
        return {name: np.asarray(values, np.float64) for name, values in features.items()}

    def neighbours(self, numbers: Sequence[int]) -> Numbers:
        """For every sector: which piece lies there and which in the next, each turned how, as one number."""
        pieces, turns = self._laid(numbers)
        turned = TURNS * pieces + turns
        return np.asarray(turned * (PIECES * TURNS) + np.roll(turned, -1, axis=1))

    def with_feature(self, number: int, feature: str) -> tuple[int, int] | None:
        """As `Layouts.with_feature`; the only feature that is laid alone is how a piece is turned."""
        match = _TURNED.fullmatch(feature)
        if not match:
            return None
        layout, piece = self._set.numbered_city(number), self._set.piece_names.index(match[1]) + 1
        sector = layout.pieces.index(piece)
        cities = []
        for turn in (0, "abc".index(match[2])):
            turned = (*layout.turns[:sector], turn, *layout.turns[sector + 1 :])
            cities.append(self._set.city_number(Layout(layout.pieces, turned)))
        return cities[0], cities[1]

    def _laid(self, numbers: Sequence[int]) -> tuple[Numbers, Numbers]:
        """[city, sector]: the piece from 0, and how often it is turned."""
        layouts = [self._set.numbered_city(int(number)) for number in numbers]
        pieces = np.array([layout.pieces for layout in layouts]).reshape(-1, PIECES) - 1
        return pieces, np.array([layout.turns for layout in layouts]).reshape(-1, PIECES)

    def _cells(self, kind: str, sector: Numbers, turn: Numbers) -> Numbers:
        """[city, i]: the numbers of all cells of a kind; [city, piece]: where each piece lies, and how."""
        size, columns = self._set.side**2, []
        for piece, rows in enumerate(self._set.pieces):
            places = [place for place, letter in enumerate("".join(rows)) if letter == kind]
            turned = np.array([np.array(turned_places(self._set.side, times))[places] for times in range(TURNS)], int)
            columns.append(size * sector[:, piece, None] + turned[turn[:, piece]])
        return np.hstack(columns)

    def _next(self, cells: Numbers) -> NDArray[np.float64]:
        """The distance to the nearest other cell, on average over the cells of each city."""
        apart = self._distances[cells[:, :, None], cells[:, None, :]].astype(float)
        apart[:, np.arange(cells.shape[1]), np.arange(cells.shape[1])] = np.inf
        return np.asarray(apart.min(axis=2).mean(axis=1))

    @cached_property
    def _distances(self) -> NDArray[np.int8]:
        """[cell, cell]: tunnels between the nearest corners of two cells, as if nothing was in the way."""
        grid = self._set.lattice
        corners = np.array([grid.corners[cell] for cell in grid.cells])
        apart = corners[:, None, :, None] - corners[None, :, None, :]
        steps = np.maximum(np.abs(apart).max(axis=-1), np.abs(apart.sum(axis=-1)))
        return np.asarray(steps.min(axis=(2, 3)).astype(np.int8))

    @property
    def _from_centre(self) -> NDArray[np.int8]:
        corners = np.array([self._set.lattice.corners[cell] for cell in self._set.lattice.city_cells])
        return np.asarray(np.maximum(np.abs(corners).max(axis=-1), np.abs(corners.sum(axis=-1))).min(axis=1))

    @property
    def _starts(self) -> Numbers:
        """The numbers of the frame cells where lines start."""
        arrows = "".join(self._set.frame)
        return np.array([len(self._set.lattice.city_cells) + i for i, arrow in enumerate(arrows) if arrow == "S"])
