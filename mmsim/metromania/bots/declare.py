"""What a bot is: a name, an idea, what it looks at, and weights with names. How it thinks is in `mind`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mmsim.core.errors import UsageError, unknown
from mmsim.metromania.mind.memory import FEATURES, HABITS, WEIGHING


@dataclass(frozen=True)
class Bot:
    """A scripted player. Its weights may be set where it is seated: `planner:block=2.0`."""

    name: str
    idea: str
    looks_at: str
    kind: int = WEIGHING
    weights: Mapping[str, float] = field(default_factory=dict)
    changed: Mapping[str, float] = field(default_factory=dict)  # the weights set by whoever seated it

    @property
    def spec(self) -> str:
        """The bot as it is named in tables and records: what was changed is part of its name."""
        changes = ",".join(f"{name}={value:g}" for name, value in self.changed.items())
        return f"{self.name}:{changes}" if changes else self.name

    @property
    def known(self) -> tuple[str, ...]:
        """The weights that may be set."""
        return tuple(FEATURES) + tuple(USUAL) if self.kind == WEIGHING else tuple(self.weights)

    @property
    def settings(self) -> dict[str, float]:
        """All its weights as they are in force."""
        return {**(USUAL if self.kind == WEIGHING else {}), **self.weights, **self.changed}

    def changed_by(self, settings: Mapping[str, str]) -> "Bot":
        """This bot with some of its weights set."""
        changed = {}
        if settings and not self.known:
            raise UsageError(f"bot {self.name} has no weights to set")
        for name, text in settings.items():
            if name not in self.known:
                raise unknown(f"weight of bot {self.name}", name, self.known)
            changed[name] = self._number(name, text)
        return replace(self, changed=changed)

    def make(self) -> Any:
        """A bot in Python, for one game."""
        raise NotImplementedError(f"{self.name} plays in the compiled core")

    def _number(self, name: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise UsageError(f"bot {self.name}: {name}={text} is not a number") from None
        low, high = LIMITS.get(name, (-1e6, 1e6))
        if not low <= value <= high:
            raise UsageError(f"bot {self.name}: {name}={text} is out of range; it takes {low:g} to {high:g}")
        return value


LIMITS = {
    "ahead": (1, 3),
    "trials": (1, 64),
    "fade": (0, 1),
    "unstarted": (0, 1),
    "noise": (0, 1e6),
    "playouts": (1, 1_000_000),
    "turns": (1, 32),
    "margin": (0, 100),
}
MEANINGS = {**FEATURES, **HABITS}
USUAL = {
    "ahead": 3,
    "trials": 4,
    "noise": 0,
    "fade": 0.7,
    "reach_base": 1.0,
    "reach_slack": 0.3,
    "reach_far": 0.1,
    "unstarted": 0.5,
}
