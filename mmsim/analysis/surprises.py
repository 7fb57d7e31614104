"""The games worth looking at: the longest, the closest, the most lopsided."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.batch.remarkable import Remarkable, kept_record, remarkable


@dataclass(frozen=True)
class Surprise:
    """A remarkable game of a run, and how to see it again."""

    run: RunTables
    found: Remarkable

    @property
    def variant(self) -> VariantInfo:
        return self.run.cells[self.found.variant]

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """Its record, if the run was finished and kept it."""
        return kept_record(self.run.folder, self.variant.name, self.found.game)

    @property
    def command(self) -> str:
        """The shell command that plays this game again; files it names lie beside the report."""
        asked = self.run.experiment
        options = {
            "rules": self.variant.rules,
            "players": self.variant.players,
            "board": self.variant.board,
            "bots": self.variant.seated or asked.bots,
            "seed": self.variant.about["seed"],
            "seats": None if asked.seats == "fixed" else asked.seats,
            "number": self.found.game,
        }
        given = {key: value for key, value in options.items() if value is not None}
        words = [word for key, value in given.items() for word in (f"--{key}", str(value))]
        return shlex.join(["mmsim", "play", *words])


def surprises(run: RunTables) -> list[Surprise]:
    """One game of every kind the run's games can show."""
    found = remarkable(run.tables["games"], [cell.name for cell in run.cells])
    return [Surprise(run, one) for one in found]
