"""What a player may know of a position, as bots written in Python see it."""

from dataclasses import dataclass

from mmsim.core.rng import Stream
from mmsim.metromania.rules.board import City
from mmsim.metromania.rules.deal import Marker
from mmsim.metromania.rules.lattice import Cell, Vertex, far_sides
from mmsim.metromania.rules.rulesets import Ruleset


@dataclass(frozen=True)
class View:
    """What one player may know of a position. Line `2 * seat + number` is line 0 or 1 of a company."""

    seat: int
    city: City
    rules: Ruleset
    turn: int
    dug: int  # tunnels placed in this turn
    hands: tuple[tuple[Marker, ...] | None, ...]  # what each company still holds; None: hidden
    hand_sizes: tuple[int, ...]
    paths: tuple[tuple[Vertex, ...], ...]  # of every line, its portal first; () before it starts
    ended: tuple[bool, ...]  # of every line
    stations: tuple[Vertex, ...]
    supply: int
    placed: dict[Marker, tuple[int, Cell]]  # marker -> who placed it, and where
    points: tuple[int, ...]  # station points of every company
    draws: Stream  # chance, if a bot wants any: `draws.below(6)`

    @property
    def hand(self) -> tuple[Marker, ...]:
        """What this company still holds."""
        hand = self.hands[self.seat]
        assert hand is not None
        return hand

    def tunnels_left(self, line: int) -> int:
        """How many tunnels a line has left."""
        return self.rules.tunnels_per_line - max(len(self.paths[line]) - 1, 0)

    def far_ends(self, line: int) -> list[Vertex]:
        """The portals at which a started line may end: on the far sides, whether free or not (D4)."""
        grid, side = self.city.lattice, self.start_side(line)
        frame = self.city.board_set.frame
        return [grid.portal(k, i) for k in far_sides(side) for i, arrow in enumerate(frame[k]) if arrow == "E"]

    def start_side(self, line: int) -> int:
        """The side of the city on which a started line began."""
        return self.city.lattice.portals.index(self.paths[line][0]) // self.city.lattice.side
