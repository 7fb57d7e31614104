"""Playing until a number is known well enough: looks at block ends, with a price for looking more than once.

At look k the interval is at level 1 - alpha / 2^k, so all looks together stay within alpha (union bound). The stopping
rule looks at widths only, and the number of games it stops at is close to a fixed one, so the normal interval holds at
each look (Anscombe 1952; Chow and Robbins 1965). The next look is where the present variance says the interval will be
narrow enough, so that two or three looks do.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

from mmsim.batch.tally import ALPHA, Tally
from mmsim.errors import UsageError, unknown

if TYPE_CHECKING:
    import polars as pl

Measure = Callable[[Mapping[str, "pl.LazyFrame"]], "pl.LazyFrame"]  # columns variant, group, game, value

LIMIT = 10_000_000  # games of every variant, unless said otherwise
PILOT = 600  # games of every variant before the first look
_NEXT = (1.25, 64.0)  # a look comes after at least and at most so many times the games of the last
_SPARE = 1.05  # games on top of what the variance asks for, so that a little more of it does not cost a look


@dataclass(frozen=True)
class Precision:
    """Half the width of an interval that is narrow enough."""

    metric: str
    half_width: float

    @classmethod
    def parse(cls, text: str, metrics: Iterable[str]) -> "Precision":
        """Read `win_share±0.5%` or `score±0.2`; `+-` will do for `±`."""
        found = re.fullmatch(r"\s*(\w+)\s*(?:±|\+/?-)\s*(\d*\.?\d+)\s*(%?)\s*", text)
        if not found or not float(found[2]):
            raise UsageError(f"'{text}' is not of the form METRIC±WIDTH, like win_share±0.5%")
        if found[1] not in metrics:
            raise unknown("metric", found[1], metrics)
        return cls(found[1], float(found[2]) / (100 if found[3] else 1))

    def __str__(self) -> str:
        return f"{self.metric}±{self.half_width:g}"


@dataclass
class Looks:
    """What the looks so far have shown."""

    precision: Precision
    games_a_deal: Mapping[str, int]  # variant -> games that count as one
    block: int  # games of every variant in a block
    limit: int
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)  # (variant, group)
    look: int = 0
    known: float = float("inf")  # the half width at the last look

    @property
    def first(self) -> int:
        """Games before the first look."""
        return min(self.limit, self.block * ceil(PILOT / self.block))

    @property
    def alpha(self) -> float:
        """The error the next look may make."""
        return float(ALPHA / 2 ** (self.look + 1))

    def take(self, values: "pl.DataFrame") -> None:
        """Add the values of a block; the order of additions is fixed, so that a decision never depends on chance."""
        for key, tally in deal_tallies(values, self.games_a_deal).items():
            self.tallies.setdefault(key, Tally()).add(tally)

    @property
    def widest(self) -> float:
        """The largest half width of all variants and groups, at the level of the next look."""
        return max((tally.half_width(self.alpha) for tally in self.tallies.values()), default=float("inf"))

    def decide(self, games: int) -> int | None:
        """Look, after so many games of every variant: how many there should be by the next look, or None to stop."""
        self.known = self.widest
        self.look += 1
        if self.known <= self.precision.half_width or games >= self.limit:
            return None
        low, high = (factor * games for factor in _NEXT)
        wanted = min(max(self.needed(games) * _SPARE, low), high)
        return min(self.limit, self.block * ceil(wanted / self.block))

    def needed(self, games: int) -> float:
        """Games of every variant by which the next look will find the interval narrow enough."""
        wanted, alpha = self.precision.half_width, self.alpha
        return max(games * tally.count_for(wanted, alpha) / tally.count for tally in self.tallies.values())


def deal_tallies(values: "pl.DataFrame", games_a_deal: Mapping[str, int]) -> dict[tuple[str, str], Tally]:
    """The values of every variant and group, games that share a deal taken together."""
    import polars as pl

    columns = values.select(
        pl.col("variant").cast(pl.String), pl.col("group").cast(pl.String), "game", pl.col("value").cast(pl.Float64)
    ).drop_nulls()
    apart = max(games_a_deal.values())  # for what is no variant, like the difference of two
    found: dict[tuple[str, str], Tally] = {}
    for (variant, group), rows in (
        columns.sort("variant", "group", "game")
        .partition_by("variant", "group", as_dict=True, maintain_order=True)
        .items()
    ):
        found[str(variant), str(group)] = Tally.of(_means(rows, games_a_deal.get(str(variant), apart)))
    return found


def _means(rows: "pl.DataFrame", games_a_deal: int) -> Any:
    import numpy as np  # takes a moment to import

    values = rows["value"].to_numpy()
    deals, starts = np.unique(rows["game"].to_numpy() // np.uint64(games_a_deal), return_index=True)
    if len(deals) == len(values):
        return values
    return np.add.reduceat(values, starts) / np.diff(starts, append=len(values))
