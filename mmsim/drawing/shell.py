"""The shell of a game that is drawn: what records and tables are asked for alike, whatever the game."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from mmsim.core.shell import Draw, HeatMaps, Place, Replay


class DrawnShell(ABC):
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
    def lying(self) -> str:
        lying: str = self.heat.LYING
        return lying

    def places(self, record: dict[str, Any]) -> Iterable[Place]:
        places: Iterable[Place] = self.heat.places(self.read_record(record))
        return places

    def heat_maps(self, about: Mapping[str, Any], maps: HeatMaps) -> Draw:
        from mmsim.drawing.heat_maps import heat_canvas

        return lambda kind: heat_canvas(self.heat.ground(about), maps).saved(kind)
