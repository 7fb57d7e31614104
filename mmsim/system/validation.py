"""Values from a file checked against a type by msgspec; the error names the key, its value and what belongs there."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from mmsim.errors import UsageError, unknown

Count = Annotated[int, Meta(ge=0, le=2**53)]
Text = Annotated[str, Meta(max_length=100_000)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

_T = TypeVar("_T")
_LONGEST_SHOWN = 200  # characters of a value in an error
_PLACE = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "a table with named values",
}


def convert(values: Any, kind: type[_T], example: str = '["a", "b"]') -> _T:
    """Values as an object of a type; UsageError if they do not fit. The `example` is a list that would."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise UsageError(_sentence(str(error), values, example)) from error


def check_keys(values: Mapping[str, Any], kind: type) -> None:
    """Refuse an unknown key, with the nearest known one."""
    known = [field.name for field in msgspec.inspect.type_info(kind).fields]  # type: ignore[attr-defined]
    for key in values:
        if key not in known:
            raise unknown("key", key, known)


def _sentence(message: str, values: Any, example: str) -> str:
    match = _PLACE.fullmatch(message)
    assert match is not None
    problem, path = match["problem"], match["path"] or ""
    if missing := re.search(r"missing required field `(.*)`", problem):
        return f"{path + ': ' if path else ''}'{missing[1]}' is missing"
    expected = re.match(r"Expected `([a-z]+)", problem)
    if not expected or not path:
        return message
    key = re.split(r"[.\[]", path)[0]
    is_list = "[" in path or expected[1] == "array"
    wanted = f"a list like {example}" if is_list else _EXPECTED.get(expected[1], f"of the type {expected[1]}")
    value = values.get(key) if isinstance(values, Mapping) else values
    return f"{key} = {abbreviated(value)} is not {wanted}"


def abbreviated(value: Any) -> str:
    """A value in an error, which may be anything and of any length."""
    text = repr(value)
    return text if len(text) < _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
