"""Rulesets: what those of all games share, and how they are written.

A ruleset is written `EDITION[+MODIFIER...][,knob=value...]`, or as a TOML file with a base and knobs.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from mmsim.core.knobs import Value, knobs_of, overridden, spelled
from mmsim.errors import UsageError, unknown
from mmsim.system.files import read_toml

AnyRuleset = TypeVar("AnyRuleset", bound="BaseRuleset")
AnySpec = TypeVar("AnySpec", bound="BaseSpec")
Layer = tuple[str, Mapping[str, Value]]  # where values come from, and the knobs set there
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class BaseRuleset:
    """A ruleset for one number of players; a game adds its knobs as fields made by the functions of `core/knobs.py`."""

    name: str
    players: int

    @property
    def variant(self) -> str:
        """The name of this ruleset with its number of players, as in records and tables."""
        return f"{self.name}-{self.players}p"

    def knobs(self) -> dict[str, Value]:
        return {name: getattr(self, name) for name in knobs_of(type(self))}

    @property
    def description(self) -> dict[str, Value]:
        """What manifests and records store about it; plain JSON."""
        return {"name": self.name, **self.knobs()}


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


def apply_layers(knobs: Iterable[str], layers: Iterable[Layer]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of knobs, later layers overriding earlier ones, and for every knob where its value comes from."""
    values: dict[str, Any] = {}
    sources = dict.fromkeys(knobs, "default")
    for source, settings in layers:
        values.update(settings)
        sources.update(dict.fromkeys(settings, source))
    return values, sources


# --- reading ---------------------------------------------------------------------------------------------------------


def read_spec(text: str, resolve: Callable[[str, list[str]], AnySpec]) -> AnySpec:
    """Read a spec, or a TOML file if the text ends in `.toml`; `resolve` reads an edition and its modifiers."""
    if text.endswith(".toml"):
        file = RulesetFile.read(text)
        return file.read_base(lambda base: read_spec(base, resolve).with_overrides(file.knobs))
    head, *settings = text.split(",")
    edition, *modifiers = head.strip().split("+")
    return resolve(edition, modifiers).with_overrides(parse_settings(settings, f"ruleset '{text}'", "knob"))


def read_ruleset(
    kind: type[AnyRuleset],
    editions: Mapping[str, Mapping[str, Value]],
    text: str,
    players: int,
    allowed: Collection[int],
) -> tuple[AnyRuleset, dict[str, str]]:
    """The ruleset of a spec like `dice,hold=2`, where editions only set knobs, and the source of every knob's value."""

    class Spec(BaseSpec):
        ruleset_type = kind

    def resolve(edition: str, modifiers: list[str]) -> Spec:
        if edition not in editions or modifiers:
            raise unknown("ruleset", "+".join([edition, *modifiers]), editions)
        return Spec(edition)

    if players not in allowed:
        numbers = ", ".join(map(str, sorted(allowed)))
        raise UsageError(f"'{text}' is for {numbers} players, not for {players}")
    spec = read_spec(text, resolve)
    layers = [(f"edition {spec.edition}", editions[spec.edition]), ("set by hand", dict(spec.overrides))]
    values, sources = apply_layers(knobs_of(kind), layers)
    return kind(spec.name, players, **values), sources


def known_modifiers(
    modifiers: Iterable[str],
    known: Collection[str],
    excluding: Iterable[tuple[str, str]],
    aliases: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Modifiers by their proper names, in the order of `known`; unknown names and excluded pairs are errors."""
    aliases = aliases or {}
    names = set()
    for name in modifiers:
        names.add(aliases.get(name, name))
        if aliases.get(name, name) not in known:
            raise unknown("modifier", name, [*known, *aliases])
    for pair in excluding:
        if names.issuperset(pair):
            raise UsageError(f"'{pair[0]}' and '{pair[1]}' exclude each other; take one of them")
    return tuple(name for name in known if name in names)


@dataclass(frozen=True)
class RulesetFile:
    """A TOML file with `base = "SPEC"`, and knobs under `[knobs]`."""

    path: str
    base: str
    knobs: Mapping[str, object]

    @classmethod
    def read(cls, path: str) -> "RulesetFile":
        values = read_toml(Path(path), "ruleset file")
        for key in values:
            if key not in ("base", "knobs"):
                raise UsageError(f"ruleset file {path}: {unknown('key', key, ('base', 'knobs'))}")
        if not isinstance(values.get("base"), str) or values["base"].endswith(".toml"):
            raise UsageError(f'ruleset file {path} needs a line base = "SPEC", the ruleset it starts from')
        if not isinstance(values.get("knobs", {}), dict):
            raise UsageError(f"ruleset file {path}: write the knobs under a heading [knobs]")
        return cls(path, values["base"], values.get("knobs", {}))

    def read_base(self, reader: Callable[[str], _Result]) -> _Result:
        """The base as a reader understands it; its errors name the file."""
        try:
            return reader(self.base)
        except UsageError as error:
            raise UsageError(f"ruleset file {self.path}: {error}") from error


def parse_settings(settings: Iterable[str], of: str, what: str) -> dict[str, str]:
    """The `name=value` parts of a spec; none may be set twice. Errors name the spec, `of`, and `what` is set."""
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(f"{of}: '{setting}' is not of the form {what}=value")
        if name in values:
            raise UsageError(f"{of} sets the {what} {name} twice; keep one of them")
        values[name] = value
    return values
