"""What a bot is, in every game: a name, an idea, what it looks at, and weights with names."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from mmsim.core.errors import UsageError, unknown


@dataclass(frozen=True)
class Weight:
    """A number of a bot: its usual value, the values it takes, and what it means."""

    usual: float
    low: float = -1e6
    high: float = 1e6
    text: str = ""


@dataclass(frozen=True)
class Bot:
    """A scripted player. Its weights may be set where it is seated: `planner:block=2.0`."""

    name: str
    idea: str
    looks_at: str
    weights: Mapping[str, Weight] = field(default_factory=dict)
    kind: int = 0  # the number by which compiled code of its game knows it
    changed: Mapping[str, float] = field(default_factory=dict)  # the weights set by whoever seated it

    @property
    def spec(self) -> str:
        """The bot as it is named in tables and records: what was changed is part of its name."""
        changes = ",".join(f"{name}={value:g}" for name, value in self.changed.items())
        return f"{self.name}:{changes}" if changes else self.name

    @property
    def settings(self) -> dict[str, float]:
        """All its weights as they are in force, in the order of their declaration."""
        return {name: self.changed.get(name, weight.usual) for name, weight in self.weights.items()}

    def changed_by(self, settings: Mapping[str, str]) -> Self:
        """This bot with some of its weights set."""
        return replace(self, changed={name: self._number(name, text) for name, text in settings.items()})

    def _number(self, name: str, text: str) -> float:
        if not self.weights:
            raise UsageError(f"bot {self.name} has no weights, so {name}={text} cannot be set")
        if name not in self.weights:
            raise unknown(f"weight of bot {self.name}", name, self.weights)
        value, weight = number(self.name, name, text), self.weights[name]
        if not weight.low <= value <= weight.high:
            takes = f"it takes {weight.low:g} to {weight.high:g}"
            raise UsageError(f"bot {self.name}: {name}={text} is out of range; {takes}")
        return value


def number(bot: str, name: str, text: str) -> float:
    """What somebody wrote for a weight, as a number."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"bot {bot}: {name}={text} is not a number") from None
