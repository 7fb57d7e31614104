"""A bot as games declare it: a name, an idea, what it looks at, and named weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mmsim.errors import UsageError, unknown

if TYPE_CHECKING:
    from mmsim.core.neural_net import BotNets

UNIFORM = "uniform"  # the bot every game has: it takes any legal move


@dataclass(frozen=True)
class Weight:
    """A number of a bot: its default, its range and its meaning."""

    default: float
    low: float = -1e6
    high: float = 1e6
    text: str = ""


@dataclass(frozen=True)
class Bot:
    """A scripted player. Its weights can be set in its spec: `planner:block=2.0`."""

    name: str
    idea: str
    looks_at: str
    weights: Mapping[str, Weight] = field(default_factory=dict)
    kind: int = 0  # its number in the compiled code of its game
    changed: Mapping[str, float] = field(default_factory=dict)  # the weights set in its spec

    @property
    def spec(self) -> str:
        """The bot as tables and records name it: settings are part of the name."""
        changes = ",".join(self._changes())
        return f"{self.name}:{changes}" if changes else self.name

    def _changes(self) -> list[str]:
        """The settings in its spec, as they are written."""
        return [f"{name}={value:g}" for name, value in self.changed.items()]

    @property
    def settings(self) -> dict[str, float]:
        """All its weights in the order of their declaration."""
        return {name: self.changed.get(name, weight.default) for name, weight in self.weights.items()}

    @property
    def description(self) -> dict[str, Any]:
        """What a manifest stores about it; plain JSON."""
        return dict(self.settings)

    def changed_by(self, settings: Mapping[str, str]) -> Self:
        """This bot with some weights set."""
        return replace(self, changed={name: self._number(name, text) for name, text in settings.items()})

    def _number(self, name: str, text: str) -> float:
        if not self.weights:
            raise UsageError(f"bot {self.name} has no weights, so {name}={text} cannot be set")
        if name not in self.weights:
            raise unknown(f"weight of bot {self.name}", name, self.weights)
        value, weight = parse_number(self.name, name, text), self.weights[name]
        if not weight.low <= value <= weight.high:
            takes = f"it takes {weight.low:g} to {weight.high:g}"
            raise UsageError(f"bot {self.name}: {name}={text} is out of range; {takes}")
        return value


@dataclass(frozen=True)
class NetBot(Bot):
    """A bot with neural nets; `expert:weights=FILE` replaces those it comes with."""

    inputs: tuple[str, ...] = ()  # of the net that compares its moves, in the order of the compiled code
    value_inputs: tuple[str, ...] = ()  # of the net that judges positions
    shipped: Path = Path()  # the file of the nets it comes with
    untrained: Mapping[str, float] = field(default_factory=dict)  # inputs by which it compares moves before training
    # what its nets are trained with: bots in the games for positions, opponents, rules, numbers of players and boards
    teachers: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    players: tuple[int | None, ...] = (None,)
    boards: tuple[str | None, ...] = (None,)
    accumulators: int = 16  # sums over the features of a board that its value net has
    foresight: float = 0.0  # weight of what the teachers expect some rounds later, beside the result of the game
    choice_of: Path | None = None  # the file whose net compares its moves; None: it is trained as well
    file: str = ""  # the file of nets set in its spec

    def _changes(self) -> list[str]:
        if not self.file:
            return super()._changes()
        path = Path(self.file)
        name = path.name if path.stem == self.nets.digest else self.file  # named after its nets: alike in any folder
        return [f"weights={name}", *super()._changes()]

    @property
    def nets(self) -> "BotNets":
        from mmsim.core.neural_net import read_nets  # numpy takes a moment to import

        return read_nets(Path(self.file) if self.file else self.shipped, self.inputs, self.value_inputs)

    @property
    def description(self) -> dict[str, Any]:
        return {**super().description, "net": self.nets.digest}

    def changed_by(self, settings: Mapping[str, str]) -> Self:
        numbers = {name: text for name, text in settings.items() if name != "weights"}
        bot = replace(super().changed_by(numbers), file=settings.get("weights", ""))
        bot.nets  # noqa: B018 - a bad file is reported now, not when somebody plays
        return bot


def parse_number(bot: str, name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"bot {bot}: {name}={text} is not a number") from None
