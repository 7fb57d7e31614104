"""The schedule: which games every part of the tables holds, reckoned when asked for and never listed.

A part is games of one variant in a row, and one file of every table. A block is the parts that hold the same games of
every variant; of one whose players are slow it holds fewer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mmsim.errors import UsageError

MOST_PARTS = 10_000_000  # of a run: some bytes of memory and some files each


@dataclass(frozen=True)
class Part:
    """Games of one variant in a row; their rows fill one file of every table."""

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
class Plan:
    """All parts of a run: block after block, and in every block the same games of every variant, or the first of them.

    A part's number and games do not depend on how many games there are, so a longer run only adds parts (and
    plays its last, shorter ones anew).
    """

    variants: int
    games: int  # of every variant that is not thinned
    part_games: int  # games a part of such a variant
    every: tuple[int, ...] = ()  # of every variant: one game for so many of the plan; none: all of them of all
    deals: tuple[int, ...] = ()  # of every variant: games in a row that share a deal and stay together; none: 1

    def __post_init__(self) -> None:
        if self.parts > MOST_PARTS:
            raise UsageError(
                f"{self.games:,} games of {self.variants:,} variants would make {self.parts:,} parts, and a run has "
                f"at most {MOST_PARTS:,}; put more games into a part (part_games = {self.part_games:,})"
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
        return Part(number, variant, block * size, self._of_last(variant) if block == self.blocks - 1 else size)

    def size(self, variant: int) -> int:
        """Games of a full part of a variant."""
        every, deal = self._thinning(variant)
        return self.part_games if every == 1 else max(deal, self.part_games // every // deal * deal)

    def games_of(self, variant: int) -> int:
        """All games of a variant."""
        return (self.blocks - 1) * self.size(variant) + self._of_last(variant) if self.blocks else 0

    @property
    def all_games(self) -> int:
        """The games of all variants."""
        return sum(self.games_of(variant) for variant in range(self.variants))

    def _of_last(self, variant: int) -> int:
        """Games of the last part of a variant."""
        every, deal = self._thinning(variant)
        rest = self.games - (self.blocks - 1) * self.part_games
        return rest if every == 1 else min(self.size(variant), -(-rest // (every * deal)) * deal)

    def _thinning(self, variant: int) -> tuple[int, int]:
        return self.every[variant] if self.every else 1, self.deals[variant] if self.deals else 1

    def part_of(self, variant: int, game: int) -> Part:
        """The part that holds a game."""
        return self.part(game // self.size(variant) * self.variants + variant)

    def block(self, index: int) -> list[Part]:
        """The same games of every variant."""
        return [self.part(index * self.variants + variant) for variant in range(self.variants)]

    def open_parts(self, done: bytearray) -> Iterator[Part]:
        """Parts not done yet, in order, each looked up when its turn comes."""
        number = done.find(0, 0, self.parts)
        while number >= 0:
            yield self.part(number)
            number = done.find(0, number + 1, self.parts)
