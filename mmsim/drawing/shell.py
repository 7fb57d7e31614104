"""The shell of a game that is drawn: what records and tables are asked for alike, whatever the game."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from mmsim.core.shell import Draw, EndPosition, HeatMaps, Replay, Shell
from mmsim.core.variant import VariantDescription


class DrawnShell(Shell):
    """Records verified, stepped through and drawn, and heat maps; a game says how it does each."""

    @abstractmethod
    def read_record(self, record: Any) -> Any:
        """A record played again with the reference engine; raises an error that says what differs."""

    @abstractmethod
    def draw(self, kind: str, game: Any) -> bytes:
        """A game of the reference engine as a picture, `.svg` or `.png`."""

    @property
    @abstractmethod
    def heat(self) -> Any:
        """The game's `shell/heat_maps.py`, imported when it is asked for: only maps pay for what that imports."""

    @abstractmethod
    def replay(self, record: Any) -> Replay:
        """The game of a record, verified by the reference engine."""

    def verify(self, record: Any) -> None:
        self.read_record(record)

    def picture(self, record: dict[str, Any]) -> bytes:
        return self.draw(".svg", self.read_record(record))

    @property
    def heat_map_note(self) -> str:
        note: str = self.heat.HEAT_MAP_NOTE
        return note

    def end_positions(self, record: dict[str, Any]) -> Iterable[EndPosition]:
        positions: Iterable[EndPosition] = self.heat.end_positions(self.read_record(record))
        return positions

    def heat_maps(self, description: VariantDescription, maps: HeatMaps) -> Draw:
        from mmsim.drawing.heat_maps import heat_canvas

        return lambda kind: heat_canvas(self.heat.heat_map_board(description), maps).to_bytes(kind)
