"""The plan of a run: which games every part holds, computed on demand.

A part is a range of games of one variant, and one file of every table. A block is the parts with the same games of
every variant; of a variant with slow players it has only the first of these games.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mmsim.errors import UsageError

MAX_PARTS = 10_000_000  # of a run; each takes a few bytes of memory and a few files


@dataclass(frozen=True)
class Part:
    """A range of games of one variant, whose rows are one file of every table."""

    number: int
    variant: int
    first: int
    count: int

    @property
    def file(self) -> str:
        return f"part-{self.number:06d}.parquet"

    @property
    def last(self) -> int:
        return self.first + self.count - 1


@dataclass(frozen=True)
class RunPlan:
    """All parts of a run, block after block.

    The number and games of a part do not depend on how many games there are, so a longer run only adds parts, and
    plays its last, shorter ones again.
    """

    variants: int
    games: int  # of every variant that is not thinned
    part_games: int  # games per part of such a variant
    every: tuple[int, ...] = ()  # by variant: only one game in this many is played; empty: all games
    games_per_deal: tuple[int, ...] = ()  # by variant: games that share a deal and stay together; empty: 1

    def __post_init__(self) -> None:
        if self.parts > MAX_PARTS:
            raise UsageError(
                f"{self.games:,} games of {self.variants:,} variants would make {self.parts:,} parts, and a run has "
                f"at most {MAX_PARTS:,}; put more games into a part (part_games = {self.part_games:,})"
            )

    @property
    def blocks(self) -> int:
        return -(-self.games // self.part_games)

    @property
    def parts(self) -> int:
        return self.blocks * self.variants

    def part(self, number: int) -> Part:
        block, variant = divmod(number, self.variants)
        size = self.size(variant)
        count = self._last_count(variant) if block == self.blocks - 1 else size
        return Part(number, variant, block * size, count)

    def size(self, variant: int) -> int:
        """Games of a full part of a variant."""
        every, deal = self._thinning(variant)
        return self.part_games if every == 1 else max(deal, self.part_games // every // deal * deal)

    def games_of(self, variant: int) -> int:
        return (self.blocks - 1) * self.size(variant) + self._last_count(variant) if self.blocks else 0

    @property
    def all_games(self) -> int:
        return sum(self.games_of(variant) for variant in range(self.variants))

    def _last_count(self, variant: int) -> int:
        """Games of the last part of a variant."""
        every, deal = self._thinning(variant)
        rest = self.games - (self.blocks - 1) * self.part_games
        return rest if every == 1 else min(self.size(variant), -(-rest // (every * deal)) * deal)

    def _thinning(self, variant: int) -> tuple[int, int]:
        return self.every[variant] if self.every else 1, self.games_per_deal[variant] if self.games_per_deal else 1

    def part_of(self, variant: int, game: int) -> Part:
        return self.part(game // self.size(variant) * self.variants + variant)

    def block(self, index: int) -> list[Part]:
        """The parts with the same games of every variant."""
        return [self.part(index * self.variants + variant) for variant in range(self.variants)]

    def open_parts(self, done: bytearray) -> Iterator[Part]:
        """The parts that are not done yet, in order; a part may be marked as done meanwhile."""
        number = done.find(0, 0, self.parts)
        while number >= 0:
            yield self.part(number)
            number = done.find(0, number + 1, self.parts)
