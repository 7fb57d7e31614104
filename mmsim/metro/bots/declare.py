"""What a bot says of itself: its name, its idea in a sentence, what it looks at, and its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass

from mmsim.core.errors import UsageError, unknown


@dataclass(frozen=True)
class Parameter:
    """A named number of a bot: its usual value, the values it takes, and what it means."""

    default: float
    low: float
    high: float
    text: str

    def check(self, bot: str, name: str, value: str) -> float:
        """The number that was written, or an error that says what the parameter takes."""
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not self.low <= number <= self.high:
            raise UsageError(f"bot {bot}: {name}={value} is out of range; it takes {self.low:g} to {self.high:g}")
        return number


@dataclass(frozen=True)
class Bot:
    """A scripted player of the fast core, declared in a file of its own next to the compiled code that chooses."""

    name: str
    idea: str
    looks_at: str
    parameters: Mapping[str, Parameter]

    def seated(self, values: Mapping[str, str]) -> "Seated":
        """This bot with some parameters changed."""
        for name in values:
            if name not in self.parameters:
                raise unknown(f"parameter of bot {self.name}", name, self.parameters)
        chosen = {
            name: parameter.check(self.name, name, values[name]) if name in values else parameter.default
            for name, parameter in self.parameters.items()
        }
        return Seated(self, chosen)


@dataclass(frozen=True)
class Seated:
    """A bot with the value of every parameter."""

    bot: Bot
    values: Mapping[str, float]

    @property
    def name(self) -> str:
        """As it is written: the bot's name and the parameters that are not the usual ones."""
        changed = [
            f"{name}={value:g}" for name, value in self.values.items() if value != self.bot.parameters[name].default
        ]
        return self.bot.name + (":" + ",".join(changed) if changed else "")
