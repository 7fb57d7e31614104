"""The shell of a game that is drawn: records and heat maps, handled alike in every game."""

from abc import abstractmethod
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from mmsim.core.replay import Replay
from mmsim.core.shell import Draw, EndPosition, HeatMaps, Shell
from mmsim.core.variant import VariantDescription


class DrawnShell(Shell):
    """Records verified, stepped through and drawn, and heat maps.

    The modules beside the game's shell do the work: `record` verifies, `story` replays, `heat_maps` lists and draws.
    """

    def _module(self, name: str) -> Any:
        """A module beside the shell, imported when it is needed, because the imports of `heat_maps` are slow."""
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.{name}")

    @abstractmethod
    def draw(self, kind: str, game: Any) -> bytes:
        """A game of the reference engine as a picture, `.svg` or `.png`."""

    def verified_game(self, record: Any) -> Any:
        """A record played again with the reference engine; raises an error that names the first difference."""
        return self._module("record").verify(record)

    def replay(self, record: Any) -> Replay:
        """The game of a record, verified by the reference engine."""
        replay: Replay = self._module("story").replay(record)
        return replay

    def verify(self, record: Any) -> None:
        self.verified_game(record)

    def picture(self, record: dict[str, Any]) -> bytes:
        return self.draw(".svg", self.verified_game(record))

    @property
    def heat_map_note(self) -> str:
        note: str = self._module("heat_maps").HEAT_MAP_NOTE
        return note

    def end_positions(self, record: dict[str, Any]) -> Iterable[EndPosition]:
        positions: Iterable[EndPosition] = self._module("heat_maps").end_positions(self.verified_game(record))
        return positions

    def heat_maps(self, description: VariantDescription, maps: HeatMaps) -> Draw:
        from mmsim.drawing.heat_maps import heat_canvas

        return lambda kind: heat_canvas(self._module("heat_maps").heat_map_board(description), maps).to_bytes(kind)
