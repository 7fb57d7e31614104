"""What a bot is, in every game: a name, an idea, what it looks at, and weights with names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mmsim.errors import UsageError, unknown

if TYPE_CHECKING:
    from mmsim.core.neural_net import Net

WEIGHTS_FORMAT = "mmsim-weights-1"
WITHOUT = "without"  # `planner:without=bonus` does without an element of the game


@dataclass(frozen=True)
class Weight:
    """A number of a bot: its usual value, the values it takes, and what it means."""

    usual: float
    low: float = -1e6
    high: float = 1e6
    text: str = ""


@dataclass(frozen=True)
class Bot:
    """A scripted player. Its weights may be set where it is seated: `planner:block=2.0`, `planner:weights=FILE`."""

    name: str
    idea: str
    looks_at: str
    weights: Mapping[str, Weight] = field(default_factory=dict)
    kind: int = 0  # the number by which compiled code of its game knows it
    changed: Mapping[str, float] = field(default_factory=dict)  # the weights set by whoever seated it
    elements: Mapping[str, str] = field(default_factory=dict)  # of the game, that it can be told to do without
    without: tuple[str, ...] = ()  # those it was told to do without, in the order of `elements`

    @property
    def spec(self) -> str:
        """The bot as it is named in tables and records: what was changed is part of its name."""
        changes = ",".join(self._changes())
        return f"{self.name}:{changes}" if changes else self.name

    def _changes(self) -> list[str]:
        without = [f"{WITHOUT}={'+'.join(self.without)}"] if self.without else []
        return [*without, *(f"{name}={value:g}" for name, value in self.changed.items())]

    @property
    def settings(self) -> dict[str, float]:
        """All its weights as they are in force, in the order of their declaration."""
        return {name: self.changed.get(name, weight.usual) for name, weight in self.weights.items()}

    @property
    def about(self) -> dict[str, Any]:
        """What a manifest keeps of it; plain JSON."""
        return {**self.settings, **({WITHOUT: list(self.without)} if self.without else {})}

    @property
    def without_bits(self) -> int:
        """What it does without as bits, in the order of `elements`."""
        return sum(1 << place for place, name in enumerate(self.elements) if name in self.without)

    def changed_by(self, settings: Mapping[str, str]) -> Self:
        """This bot with some of its weights set; those of a file first, as numbers of its own."""
        numbers = dict(settings)
        without = self._elements(numbers.pop(WITHOUT)) if self.elements and WITHOUT in numbers else ()
        if self.weights and "weights" in numbers:
            numbers = {**read_weights(Path(numbers.pop("weights")), self.name), **numbers}
        changed = {name: self._number(name, text) for name, text in numbers.items()}
        return replace(self, changed=changed, without=without)

    def _elements(self, text: str) -> tuple[str, ...]:
        """The elements of a text like `bonus+second_line`."""
        named = text.split("+")
        for name in named:
            if name not in self.elements:
                raise unknown(f"element that bot {self.name} can do without", name, self.elements)
        return tuple(name for name in self.elements if name in named)

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


@dataclass(frozen=True)
class NetBot(Bot):
    """A bot that goes by a net; `expert:weights=FILE` seats it with another one than it comes with."""

    inputs: tuple[str, ...] = ()  # what its net is told, in the order in which compiled code tells it
    shipped: Path = Path()  # the file of the net it comes with
    like: str = ""  # the bot whose turns the net chooses from
    against: tuple[str, ...] = ()  # the bots that it meets in training, unless others are named
    file: str = ""  # the file set by whoever seated it

    @property
    def spec(self) -> str:
        changes = ",".join([f"weights={self.file}", *self._changes()] if self.file else self._changes())
        return f"{self.name}:{changes}" if changes else self.name

    @property
    def net(self) -> "Net":
        from mmsim.core.neural_net import read_net  # numpy takes a moment to import

        return read_net(Path(self.file) if self.file else self.shipped, self.inputs)

    @property
    def about(self) -> dict[str, Any]:
        return {**super().about, "net": self.net.digest}

    def changed_by(self, settings: Mapping[str, str]) -> Self:
        numbers = {name: text for name, text in settings.items() if name != "weights"}
        bot = replace(super().changed_by(numbers), file=settings.get("weights", ""))
        bot.net  # noqa: B018 - a file that is no good is told of now, not when somebody plays
        return bot


def number(bot: str, name: str, text: str) -> float:
    """What somebody wrote for a weight, as a number."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"bot {bot}: {name}={text} is not a number") from None


def weights_text(bot: Bot, about: Mapping[str, Any]) -> str:
    """A file of the weights that are changed in a bot, and where they come from: `BOT:weights=FILE` seats it."""
    found = {"format": WEIGHTS_FORMAT, "bot": bot.name, "about": about, "weights": dict(bot.changed)}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def read_weights(path: Path, bot: str) -> dict[str, str]:
    """The weights of a file, made for a bot, as they would be written where it is seated."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read weights {path}: {getattr(error, 'strerror', None) or error}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"weights {path} are not valid JSON: {error}") from error
    said = found if isinstance(found, dict) else {}
    if said.get("format") != WEIGHTS_FORMAT or not isinstance(said.get("weights"), dict):
        raise UsageError(f'weights {path} are not numbers of a bot: there is no "format": "{WEIGHTS_FORMAT}"')
    if said.get("bot") != bot:
        raise UsageError(f"weights {path} are for bot {said.get('bot')}, not for {bot}")
    return {name: str(value) for name, value in said["weights"].items()}
