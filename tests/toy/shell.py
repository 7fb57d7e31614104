"""What the toy adds to the command line: a picture with one bar per player."""

from typing import Any, ClassVar

from mmsim.core.levels import DeclaredLevel
from mmsim.plain_game import PlainPosition, PlainShell


class ToyShell(PlainShell):
    example_rules = "dice,hold=2"
    levels: ClassVar = (DeclaredLevel("uniform", "uniform", "luck"), DeclaredLevel("bold", "bold", "heuristic"))

    def draw(self, kind: str, position: PlainPosition) -> bytes:
        bars = "".join(f'<rect y="{20 * i}" width="{8 * s}" height="15"/>' for i, s in enumerate(position.scores))
        height = 20 * len(position.scores)
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 {height}">{bars}</svg>'.encode()

    def picture(self, record: dict[str, Any]) -> bytes:
        return self.draw(".svg", self.game.replayed(record))
