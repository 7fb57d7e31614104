"""A ruleset whose editions are plain sets of knobs: what a small game needs, and no more."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mmsim.core.knobs import Knob, Value, knobs_of, overridden, spelled
from mmsim.core.specs import read_spec
from mmsim.errors import UsageError, unknown

AnyRuleset = TypeVar("AnyRuleset", bound="Ruleset")


@dataclass(frozen=True)
class Ruleset:
    """What is played; a game adds its knobs as fields made by `number`, `choice` and `switch` of `core/knobs.py`."""

    name: str
    players: int

    @property
    def variant(self) -> str:
        """The name with the number of players, as tables and records spell it."""
        return f"{self.name}-{self.players}p"


@dataclass(frozen=True)
class _Spec:
    edition: str
    knobs: Mapping[str, Knob]
    settings: tuple[tuple[str, Value], ...] = ()

    def with_overrides(self, overrides: Mapping[str, object]) -> "_Spec":
        return replace(self, settings=overridden(self.knobs, self.settings, overrides))


def read_ruleset(
    kind: type[AnyRuleset],
    editions: Mapping[str, Mapping[str, Value]],
    text: str,
    players: int,
    allowed: Collection[int],
) -> tuple[AnyRuleset, dict[str, str]]:
    """The ruleset of a spec like `dice,hold=2`, and where the value of every knob comes from."""

    def named(edition: str, modifiers: list[str]) -> _Spec:
        if edition not in editions or modifiers:
            raise unknown("ruleset", "+".join([edition, *modifiers]), editions)
        return _Spec(edition, knobs_of(kind))

    if players not in allowed:
        numbers = ", ".join(map(str, sorted(allowed)))
        raise UsageError(f"'{text}' is for {numbers} players, not for {players}")
    spec = read_spec(text, named)
    edition, settings = editions[spec.edition], dict(spec.settings)
    sources = dict.fromkeys(spec.knobs, "default")
    sources |= dict.fromkeys(edition, f"edition {spec.edition}") | dict.fromkeys(settings, "set by hand")
    name = ",".join([spec.edition, *(f"{knob}={spelled(value)}" for knob, value in settings.items())])
    values: dict[str, Any] = {**edition, **settings}
    return kind(name, players, **values), sources
