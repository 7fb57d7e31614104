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

    @property
    def is_switch(self) -> bool:
        return not self.choices and self.low == self.high

    @property
    def values(self) -> str:
        if self.choices:
            return " | ".join(self.choices)
        return "true | false" if self.is_switch else f"{self.low} to {self.high}"

    def check(self, name: str, value: object) -> Value:
        """The value in its proper type; the error says which values the knob takes."""
        if self.choices and value in self.choices:
            return str(value)
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
