"""A ruleset as it is written, `EDITION[+MODIFIER...][,knob=value...]`, or a TOML file with a base and knobs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from msgspec import Struct

from mmsim.errors import UsageError, unknown
from mmsim.system.files import read_toml
from mmsim.system.validation import check_keys, convert


class _Spec(Protocol):
    def with_overrides(self, overrides: Mapping[str, object]) -> Self: ...


_AnySpec = TypeVar("_AnySpec", bound=_Spec)
_Result = TypeVar("_Result")


def read_spec(text: str, named: Callable[[str, list[str]], _AnySpec]) -> _AnySpec:
    """Read a spec, or a TOML file if the text ends in `.toml`; `named` resolves an edition and its modifiers."""
    if text.endswith(".toml"):
        file = RulesetFile.read(text)
        return file.read_base(lambda base: read_spec(base, named).with_overrides(file.knobs))
    head, *settings = text.split(",")
    edition, *modifiers = head.strip().split("+")
    return named(edition, modifiers).with_overrides(parse_settings(settings, f"ruleset '{text}'", "knob"))


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
    for one, other in excluding:
        if one in names and other in names:
            raise UsageError(f"'{one}' and '{other}' exclude each other; take one of them")
    return tuple(name for name in known if name in names)


class _RulesetKeys(Struct, frozen=True):
    base: str
    knobs: dict[str, Any] = {}


@dataclass(frozen=True)
class RulesetFile:
    """A TOML file with `base = "SPEC"`, and knobs under `[knobs]`."""

    path: str
    base: str
    knobs: Mapping[str, object]

    @classmethod
    def read(cls, path: str) -> "RulesetFile":
        values = read_toml(Path(path), "ruleset file")
        try:
            check_keys(values, _RulesetKeys)
        except UsageError as error:
            raise UsageError(f"ruleset file {path}: {error}") from error
        if not isinstance(values.get("base"), str) or values["base"].endswith(".toml"):
            raise UsageError(f'ruleset file {path} needs a line base = "SPEC", the ruleset it starts from')
        if not isinstance(values.get("knobs", {}), dict):
            raise UsageError(f"ruleset file {path}: write the knobs under a heading [knobs]")
        content = convert(values, _RulesetKeys)
        return cls(path, content.base, content.knobs)

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
