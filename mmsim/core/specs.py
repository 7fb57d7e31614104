"""A ruleset as it is written, `EDITION[+MODIFIER...][,knob=value...]`, or a TOML file with a base and knobs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeVar

from mmsim.errors import UsageError, unknown
from mmsim.system.files import read_toml


class _Spec(Protocol):
    def with_overrides(self, overrides: Mapping[str, object]) -> Self: ...


_AnySpec = TypeVar("_AnySpec", bound=_Spec)
_Result = TypeVar("_Result")


def read_spec(text: str, named: Callable[[str, list[str]], _AnySpec]) -> _AnySpec:
    """Read a spec, or the TOML file of one when the text ends in `.toml`; `named` knows editions and modifiers."""
    if text.endswith(".toml"):
        file = RulesetFile.read(text)
        return file.read_base(lambda base: read_spec(base, named).with_overrides(file.knobs))
    head, *settings = text.split(",")
    edition, *modifiers = head.strip().split("+")
    return named(edition, modifiers).with_overrides(_settings(text, settings))


def known_modifiers(
    given: Iterable[str],
    known: Collection[str],
    excluding: Iterable[tuple[str, str]],
    aliases: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Modifiers by their proper names, in their proper order; unknown ones and excluded pairs are errors."""
    aliases = aliases or {}
    names = set()
    for name in given:
        names.add(aliases.get(name, name))
        if aliases.get(name, name) not in known:
            raise unknown("modifier", name, [*known, *aliases])
    for one, other in excluding:
        if one in names and other in names:
            raise UsageError(f"'{one}' and '{other}' exclude each other; take one of them")
    return tuple(name for name in known if name in names)


@dataclass(frozen=True)
class RulesetFile:
    """A TOML file with `base = "SPEC"` and knobs under `[knobs]`."""

    path: str
    base: str
    knobs: Mapping[str, object]

    @classmethod
    def read(cls, path: str) -> "RulesetFile":
        written = read_toml(Path(path), "ruleset file")
        for key in written:
            if key not in ("base", "knobs"):
                raise UsageError(f"ruleset file {path}: {unknown('key', key, ('base', 'knobs'))}")
        base, knobs = written.get("base"), written.get("knobs", {})
        if not isinstance(base, str) or base.endswith(".toml"):
            raise UsageError(f'ruleset file {path} needs a line base = "SPEC", the ruleset it starts from')
        if not isinstance(knobs, dict):
            raise UsageError(f"ruleset file {path}: write the knobs under a heading [knobs]")
        return cls(path, base, knobs)

    def read_base(self, reader: Callable[[str], _Result]) -> _Result:
        """What a reader makes of the base; its complaints name the file."""
        try:
            return reader(self.base)
        except UsageError as error:
            raise UsageError(f"ruleset file {self.path}: {error}") from error


def _settings(spec: str, settings: Iterable[str]) -> dict[str, str]:
    """The `knob=value` parts of a spec; none may be set twice."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(f"'{setting}' in ruleset '{spec}' is not of the form knob=value")
        if name in found:
            raise UsageError(f"ruleset '{spec}' sets the knob {name} twice; keep one of them")
        found[name] = value
    return found
