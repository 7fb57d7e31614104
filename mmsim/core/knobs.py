"""Knobs: the settings of a ruleset, the values each takes, and how they are written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mmsim.errors import UsageError, unknown

Value = int | bool | str


@dataclass(frozen=True)
class Knob:
    """A knob: its rule ids, its meaning, and the values it takes."""

    rules: str
    text: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()  # of a knob that has a number for every seat, such as 0/1/2/3

    @property
    def is_switch(self) -> bool:
        return not self.choices and self.low == self.high

    @property
    def values(self) -> str:
        if self.choices:
            return " | ".join(self.choices)
        numbers = "true | false" if self.is_switch else f"{self.low} to {self.high}"
        return f"{numbers} for each seat, like {self.examples[0]}" if self.examples else numbers

    def check(self, name: str, value: object) -> Value:
        """The value in its proper type; the error says which values the knob takes."""
        if self.choices and value in self.choices:
            return str(value)
        if self.examples:
            words = str(value).split("/")
            if all(word.isdecimal() and self.low <= int(word) <= self.high for word in words):
                return "/".join(str(int(word)) for word in words)
            raise UsageError(f"knob {name}={value} is not a list of numbers; it takes {self.values}")
        if self.is_switch and isinstance(value, bool | str):
            word = str(value).casefold()
            if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
                return word in ("true", "yes", "on", "1")
        if not self.choices and not self.is_switch and not isinstance(value, bool):
            try:
                number = int(str(value))
            except ValueError:
                raise UsageError(f"knob {name}={value} is not a whole number; it takes {self.values}") from None
            if self.low <= number <= self.high:
                return number
        raise UsageError(f"knob {name}={value} is out of range; it takes {self.values}")


def number(default: int, low: int, high: int, rules: str, text: str) -> Any:
    """A field of a ruleset that is a whole number."""
    return field(default=default, metadata={"knob": Knob(rules, text, low, high)})


def choice(default: str, choices: str, rules: str, text: str) -> Any:
    """A field of a ruleset that is one of several words."""
    return field(default=default, metadata={"knob": Knob(rules, text, choices=tuple(choices.split()))})


def by_seat(low: int, high: int, examples: str, rules: str, text: str) -> Any:
    """A field of a ruleset that is a whole number for every seat, by default 0."""
    return field(default="0", metadata={"knob": Knob(rules, text, low, high, examples=tuple(examples.split()))})


def numbers_by_seat(value: Value, seats: int) -> tuple[int, ...]:
    """The number of every seat; seats that are not named have 0."""
    named = tuple(map(int, str(value).split("/")))
    return (*named, *[0] * seats)[:seats]


def switch(default: bool, rules: str, text: str) -> Any:
    """A field of a ruleset that is on or off."""
    return field(default=default, metadata={"knob": Knob(rules, text)})


def knobs_of(ruleset: type) -> dict[str, Knob]:
    """The knobs among the fields of a ruleset class, in their order."""
    return {f.name: f.metadata["knob"] for f in fields(ruleset) if "knob" in f.metadata}


def check_knob(knobs: Mapping[str, Knob], name: str, value: object) -> Value:
    """The value of a knob in its proper type; the error for an unknown knob names the nearest one."""
    if name not in knobs:
        raise unknown("knob", name, knobs)
    return knobs[name].check(name, value)


def overridden(
    knobs: Mapping[str, Knob], settings: Iterable[tuple[str, Value]], more: Mapping[str, object]
) -> tuple[tuple[str, Value], ...]:
    """Settings with more added, in the order of the knobs; a knob that is set again takes the new value."""
    values = {**dict(settings), **{name: check_knob(knobs, name, value) for name, value in more.items()}}
    return tuple((name, values[name]) for name in knobs if name in values)


def spelled(value: Value) -> str:
    """A knob's value as it is written in a spec."""
    return str(value).lower() if isinstance(value, bool) else str(value)
