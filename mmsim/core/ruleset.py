"""What the rulesets of all games share: name and players, how a spec names one, where each knob's value comes from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from mmsim.core.knobs import Value, knobs_of, overridden, spelled


@dataclass(frozen=True)
class BaseRuleset:
    """A ruleset for one number of players; a game adds its knobs as fields."""

    name: str
    players: int

    @property
    def variant(self) -> str:
        """The name of this ruleset with its number of players, as in records and tables."""
        return f"{self.name}-{self.players}p"

    def knobs(self) -> dict[str, Value]:
        return {name: getattr(self, name) for name in knobs_of(type(self))}


@dataclass(frozen=True)
class BaseSpec:
    """A ruleset as it is named, before the number of players is known."""

    ruleset_type: ClassVar[type[BaseRuleset]]

    edition: str
    modifiers: tuple[str, ...] = ()
    overrides: tuple[tuple[str, Value], ...] = ()

    @property
    def name(self) -> str:
        knobs = "".join(f",{knob}={spelled(value)}" for knob, value in self.overrides)
        return "+".join((self.edition, *self.modifiers)) + knobs

    def with_overrides(self, overrides: Mapping[str, object]) -> Self:
        """This spec with more knobs set; a knob set again takes the new value."""
        return replace(self, overrides=overridden(knobs_of(self.ruleset_type), self.overrides, overrides))


Layer = tuple[str, Mapping[str, Value]]  # where values come from, and the knobs set there


def apply_layers(knobs: Iterable[str], layers: Iterable[Layer]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of knobs, later layers overriding earlier ones, and for every knob where its value comes from."""
    values: dict[str, Any] = {}
    sources = dict.fromkeys(knobs, "default")
    for source, settings in layers:
        values.update(settings)
        sources.update(dict.fromkeys(settings, source))
    return values, sources
