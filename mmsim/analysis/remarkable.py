"""The games of a run worth looking at, and how to see them again."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mmsim.analysis.tables import RunTables
from mmsim.batch.remarkable import Remarkable, kept_record, remarkable
from mmsim.core.variant import VariantDescription


@dataclass(frozen=True)
class RemarkableGame:
    """A remarkable game of a run: the longest, the closest, the most lopsided."""

    run: RunTables
    found: Remarkable

    @property
    def variant(self) -> VariantDescription:
        return self.run.cells[self.found.variant]

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """Its record, if the run was finished and kept it."""
        return kept_record(self.run.folder, self.variant.name, self.found.game)

    @property
    def command(self) -> str:
        """The shell command that plays this game again; the files it names are beside the report."""
        experiment = self.run.experiment
        options = {
            "rules": self.variant.rules,
            "players": self.variant.players,
            "board": self.variant.board_name,
            "bots": self.variant.bot_list or experiment.bots,
            "seed": self.variant.seed,
            "seats": None if experiment.seats == "fixed" else experiment.seats,
            "number": self.found.game,
        }
        words = [word for key, value in options.items() if value is not None for word in (f"--{key}", str(value))]
        return shlex.join(["mmsim", "play", *words])


def find_remarkable_games(run: RunTables) -> list[RemarkableGame]:
    """One game of every kind that the games of a run can show."""
    games = remarkable(run.tables["games"], [cell.name for cell in run.cells])
    return [RemarkableGame(run, game) for game in games]
