"""Sweeps: a grid of variants over the values of some knobs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mmsim.errors import UsageError

_MOST_CELLS = 64


@dataclass(frozen=True)
class Vary:
    """A knob and the values it takes in a sweep."""

    knob: str
    values: tuple[str, ...]


def parse_vary(word: str) -> Vary:
    """A knob with its values: `change_minutes=1:5`, `change_minutes=1:9:2` or `end_lines=4,5,6`."""
    knob, equals, values = word.partition("=")
    if not knob or not equals or not values:
        raise UsageError(f"--vary takes KNOB=VALUES like change_minutes=1:5 or end_lines=4,5,6, not '{word}'")
    if ":" not in values:
        wanted = tuple(value for value in values.split(",") if value)
    else:
        numbers = _numbers(values)
        if len(numbers) > _MOST_CELLS:
            raise UsageError(f"--vary {word} names {len(numbers):,} values; {_MOST_CELLS} variants are the most")
        wanted = tuple(str(number) for number in numbers)
    if len(wanted) < 2 or len(set(wanted)) < len(wanted):
        raise UsageError(f"--vary {word} names no two different values of {knob}")
    return Vary(knob, wanted)


def _numbers(values: str) -> range:
    """FIRST:LAST or FIRST:LAST:STEP, with its last number."""
    try:
        first, last, step = (int(word) for word in (values.split(":") + ["1"] * (values.count(":") == 1)))
        return range(first, last + (1 if step > 0 else -1), step)
    except ValueError:
        raise UsageError(f"'{values}' is no range of whole numbers like 1:5 or 1:9:2") from None


@dataclass(frozen=True)
class Sweep:
    """A base ruleset and the knobs that are varied; every combination of their values is a variant."""

    base: str
    varied: tuple[Vary, ...]

    def __post_init__(self) -> None:
        if self.base.endswith(".toml"):
            raise UsageError(f"a sweep starts from a ruleset like print+loyal, not from the file {self.base}")
        names = [vary.knob for vary in self.varied]
        if not names:
            raise UsageError("a sweep needs at least one --vary KNOB=VALUES")
        if len(set(names)) < len(names):
            raise UsageError(f"the knob {max(names, key=names.count)} is varied twice")
        if self.cells > _MOST_CELLS:
            raise UsageError(f"this sweep has {self.cells} variants; {_MOST_CELLS} are the most")

    @property
    def cells(self) -> int:
        count = 1
        for vary in self.varied:
            count *= len(vary.values)
        return count

    def settings(self) -> Iterator[tuple[str, ...]]:
        """The values of the knobs, variant by variant; the first knob changes slowest."""
        return product(*(vary.values for vary in self.varied))

    def specs(self) -> tuple[str, ...]:
        """The ruleset of every variant."""
        return tuple(
            ",".join([self.base, *(f"{vary.knob}={value}" for vary, value in zip(self.varied, setting, strict=True))])
            for setting in self.settings()
        )

    def reference(self, published: Mapping[str, object], named: str | None = None) -> int:
        """The variant that others are compared with: that of the values somebody named, or else of the published."""
        wanted = dict(setting.partition("=")[::2] for setting in named.split(",")) if named else {}
        for name, value in wanted.items():
            vary = next((one for one in self.varied if one.knob == name), None)
            if vary is None or value not in vary.values:
                raise UsageError(f"--reference {named}: {name}={value} is not among the values of this sweep")
        usual = zip(self.varied, self.spelled(published), strict=True)
        return self.cell([wanted.get(vary.knob, value) for vary, value in usual])

    def spelled(self, knobs: Mapping[str, object]) -> list[str]:
        """The values that a ruleset has of the varied knobs, as they are written."""
        return [str(knobs.get(vary.knob)).lower() for vary in self.varied]

    def cell(self, values: Sequence[str]) -> int:
        """The variant of some values; of a knob that does not take such a value the first one."""
        own = [
            value if value in vary.values else vary.values[0] for value, vary in zip(values, self.varied, strict=True)
        ]
        return [*self.settings()].index(tuple(own))

    def lines(self, along: int) -> dict[str, Sequence[int]]:
        """For every setting of the other knobs, the variants along the values of one knob."""
        found: dict[str, list[int]] = {}
        for number, setting in enumerate(self.settings()):
            settings = [f"{vary.knob} = {value}" for vary, value in zip(self.varied, setting, strict=True)]
            others = settings[:along] + settings[along + 1 :]
            found.setdefault(", ".join(others) or self.base, []).append(number)
        return {label: tuple(numbers) for label, numbers in found.items()}
