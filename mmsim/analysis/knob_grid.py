"""A grid of rulesets over the values of some knobs: what `sweep` plays whole, and `design` searches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from mmsim.errors import UsageError

MAX_SWEPT = 64  # variants of a sweep
Setting = tuple[str, ...]  # a value of every varied knob


@dataclass(frozen=True)
class Vary:
    knob: str
    values: tuple[str, ...]


def parse_vary(word: str) -> Vary:
    """Parse a knob with its values: `change_minutes=1:5`, `change_minutes=1:9:2` or `end_lines=4,5,6`."""
    knob, equals, values = word.partition("=")
    if not knob or not equals or not values:
        raise UsageError(f"--vary takes KNOB=VALUES like change_minutes=1:5 or end_lines=4,5,6, not '{word}'")
    if ":" not in values:
        chosen = tuple(value for value in values.split(",") if value)
    else:
        numbers = _numbers(values)
        if len(numbers) > MAX_SWEPT:
            raise UsageError(f"--vary {word} names {len(numbers):,} values; {MAX_SWEPT} are the most")
        chosen = tuple(str(number) for number in numbers)
    if len(chosen) < 2 or len(set(chosen)) < len(chosen):
        raise UsageError(f"--vary {word} names no two different values of {knob}")
    return Vary(knob, chosen)


def _numbers(values: str) -> range:
    """The range FIRST:LAST or FIRST:LAST:STEP, including LAST."""
    try:
        first, last, step = (int(word) for word in (values.split(":") + ["1"] * (values.count(":") == 1)))
        return range(first, last + (1 if step > 0 else -1), step)
    except ValueError:
        raise UsageError(f"'{values}' is not a range of whole numbers like 1:5 or 1:9:2") from None


@dataclass(frozen=True)
class KnobGrid:
    """A base ruleset and the knobs to vary; every combination of their values is a ruleset."""

    base: str
    varied: tuple[Vary, ...]
    most: int = MAX_SWEPT  # rulesets
    weights: Mapping[str, float] = field(default_factory=dict)  # what a change of a knob costs a designer; default 1

    def __post_init__(self) -> None:
        if self.base.endswith(".toml"):
            raise UsageError(f"knobs are varied from a ruleset like print+loyal, not from the file {self.base}")
        names = [vary.knob for vary in self.varied]
        if not names:
            raise UsageError("name at least one knob to vary: --vary KNOB=VALUES")
        if len(set(names)) < len(names):
            raise UsageError(f"the knob {max(names, key=names.count)} is varied twice")
        if self.cells > self.most:
            raise UsageError(f"these knobs make {self.cells:,} variants; {self.most:,} are the most")

    @property
    def cells(self) -> int:
        return prod(len(vary.values) for vary in self.varied)

    def settings(self) -> Iterator[Setting]:
        """The values of the knobs, variant by variant; the first knob changes slowest."""
        return product(*(vary.values for vary in self.varied))

    def specs(self) -> tuple[str, ...]:
        """The ruleset of every variant."""
        return tuple(
            ",".join([self.base, *(f"{vary.knob}={value}" for vary, value in zip(self.varied, setting, strict=True))])
            for setting in self.settings()
        )

    def reference(self, published: Mapping[str, object], named: str | None = None) -> int:
        """The index of the variant that others are compared with: with the named values, otherwise the published."""
        chosen = dict(setting.partition("=")[::2] for setting in named.split(",")) if named else {}
        for name, value in chosen.items():
            vary = next((varied for varied in self.varied if varied.knob == name), None)
            if vary is None or value not in vary.values:
                raise UsageError(f"--reference {named}: {name}={value} is not among the values of this sweep")
        defaults = zip(self.varied, self.spelled(published), strict=True)
        return self.cell([chosen.get(vary.knob, value) for vary, value in defaults])

    def spelled(self, knobs: Mapping[str, object]) -> list[str]:
        """The values of the varied knobs in a ruleset, as they are written."""
        return [str(knobs.get(vary.knob)).lower() for vary in self.varied]

    def cell(self, values: Sequence[str]) -> int:
        """The index of the variant with these values; a value that is not in the sweep is replaced by the first."""
        setting = tuple(
            value if value in vary.values else vary.values[0] for value, vary in zip(values, self.varied, strict=True)
        )
        return [*self.settings()].index(setting)

    def lines(self, along: int) -> dict[str, Sequence[int]]:
        """For every setting of the other knobs, the variants along the values of one knob."""
        lines: dict[str, list[int]] = {}
        for number, setting in enumerate(self.settings()):
            settings = [f"{vary.knob} = {value}" for vary, value in zip(self.varied, setting, strict=True)]
            others = settings[:along] + settings[along + 1 :]
            lines.setdefault(", ".join(others) or self.base, []).append(number)
        return {label: tuple(numbers) for label, numbers in lines.items()}

    # --- how far a ruleset is from the book ---------------------------------------------------------------------------

    def changes(self, setting: Setting, book: Setting) -> tuple[str, ...]:
        """What a ruleset changes in the book, as specs write it."""
        rows = zip(self.varied, setting, book, strict=True)
        return tuple(f"{vary.knob}={value}" for vary, value, published in rows if value != published)

    def cost(self, setting: Setting, book: Setting) -> float:
        """What the changes cost a designer: for every changed knob its weight, and up to as much again for how far its
        value moves along the list, so that one large change costs less than two small ones."""
        cost = 0.0
        for vary, value, published in zip(self.varied, setting, book, strict=True):
            steps = abs(vary.values.index(value) - vary.values.index(published))
            if steps:
                cost += self.weights.get(vary.knob, 1.0) * (1 + (steps - 1) / len(vary.values))
        return round(cost, 6)

    def neighbours(self, setting: Setting, book: Setting) -> list[Setting]:
        """The rulesets that differ in one knob: moved to the next value on either side, or back to the book."""
        near = []
        for place, vary in enumerate(self.varied):
            at = vary.values.index(setting[place])
            values = {*vary.values[max(at - 1, 0) : at + 2], book[place]} - {setting[place]}
            near += [(*setting[:place], value, *setting[place + 1 :]) for value in vary.values if value in values]
        return near
