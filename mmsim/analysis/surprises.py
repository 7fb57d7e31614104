"""The games worth looking at: the longest, the closest, the most lopsided."""

import re
import shlex
from dataclasses import dataclass
from typing import Any

import polars as pl

from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.core.game import Variant


@dataclass(frozen=True)
class Kind:
    """A way to be remarkable: the games it looks at, and what it puts first."""

    name: str
    needs: tuple[str, ...]
    among: pl.Expr
    order: tuple[pl.Expr, ...]  # highest first
    told: str  # with the columns of the game's row
    more: str = ""  # the same, where the game has them


KINDS: tuple[Kind, ...] = (
    Kind("longest", ("turns",), pl.lit(True), (pl.col("turns"),), "{turns} turns"),
    Kind(
        "closest",
        ("margin", "winner", "lead_changes"),
        pl.col("winner").is_not_null(),
        (-pl.col("margin").cast(pl.Int64), pl.col("lead_changes").fill_null(0)),
        "won by {margin} points",
        " after {lead_changes} changes of the lead",
    ),
    Kind("most lopsided", ("margin",), pl.lit(True), (pl.col("margin"),), "won by {margin} points"),
)


@dataclass(frozen=True)
class Surprise:
    """A remarkable game, and how to see it again."""

    kind: str
    told: str
    run: RunTables
    variant: VariantInfo
    game: int
    row: dict[str, Any]

    @property
    def again(self) -> Variant:
        """The variant to play for this game."""

        def found(word: str) -> str:
            return str(self.run.folder / word) if word.endswith(".toml") else word

        asked, seed, board = self.run.experiment, int(self.variant.about["seed"]), self.variant.board
        here = found(board) if board else None
        return Variant(found(self.variant.rules), self.variant.players, here, asked.bots, seed, asked.seats)

    @property
    def command(self) -> str:
        """The shell command that plays this game again; files it names lie beside the report."""
        asked = self.run.experiment
        options = {
            "rules": self.variant.rules,
            "players": self.variant.players,
            "board": self.variant.board,
            "bots": asked.bots,
            "seed": self.variant.about["seed"],
            "seats": asked.seats,
            "game": self.game,
        }
        if asked.seats == "fixed":
            del options["seats"]
        given = {key: value for key, value in options.items() if value is not None}
        words = [word for key, value in given.items() for word in (f"--{key}", str(value))]
        return shlex.join(["mmsim", "play", *words])


def surprises(run: RunTables) -> list[Surprise]:
    """One game of every kind the run's games can show."""
    games = run.counted.tables["games"]
    columns = set(games.collect_schema())
    by_name = {variant.name: variant for variant in run.variants}
    order = {variant.name: number for number, variant in enumerate(run.variants)}
    found = []
    for kind in KINDS:
        if not set(kind.needs) <= columns:
            continue
        # Equally remarkable games: the first variant's first.
        place = -pl.col("variant").cast(pl.String).replace_strict(order, return_dtype=pl.Int64)
        among = games.filter(kind.among)
        if among.select(kind.order[0].n_unique()).collect().item() < 2:
            continue  # none stands out
        ranked = among.top_k(1, by=[*kind.order, place, -pl.col("game").cast(pl.Int64)])
        for row in ranked.collect().iter_rows(named=True):
            numbers = {key: f"{value:,}" for key, value in row.items() if isinstance(value, int)}
            known = all(column in numbers for column in re.findall(r"{(\w+)}", kind.more))
            told = (kind.told + kind.more if known else kind.told).format_map(numbers)
            told = re.sub(r"\b1 (\w+)s\b", r"1 \1", told)
            found.append(Surprise(kind.name, told, run, by_name[row["variant"]], int(row["game"]), row))
    return found
