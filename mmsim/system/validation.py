"""Values from a file checked against a type by msgspec; the error names the key, its value and what belongs there."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from mmsim.errors import UsageError, unknown

Count = Annotated[int, Meta(ge=0, le=2**53)]
Text = Annotated[str, Meta(max_length=100_000)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

_T = TypeVar("_T")
_LONGEST_SHOWN = 200  # characters of a value in an error
_EXPECTED: dict[type[inspect.Type], str] = {
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.StrType: "a text",
    inspect.BoolType: "true or false",
}


def convert(values: Any, kind: type[_T], example: str = "") -> _T:
    """Values as an object of a type; UsageError if they do not fit. The `example` is a list that would.

    A type annotated with `Meta(description=...)` is reported as a whole, in the words of its description.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise UsageError(_sentence(str(error), values, inspect.type_info(kind), example)) from error


def check_keys(values: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse an unknown key, with the nearest known one."""
    for key in values:
        if key not in known:
            raise unknown("key", key, known)


def _sentence(message: str, values: Any, info: Any, example: str) -> str:
    """The error in our words; msgspec says where it is with a path like `$.board.frame[2]`."""
    problem, path = re.fullmatch(r"(.*?)(?: - at `\$([^`]*)`)?", message, re.DOTALL).groups("")  # type: ignore[union-attr]
    value, place = values, ""
    if isinstance(values, Mapping) and any("`" in key for key in values):  # only this could be taken for a path
        return str(unknown("key", next(key for key in values if "`" in key), [field.name for field in info.fields]))
    for step in re.findall(r"\w+|\[\d+\]", path.partition("[...]")[0]):  # [...] is some value of a mapping
        if isinstance(info, inspect.Metadata):
            break
        if step.startswith("["):
            index = int(step[1:-1])
            value, info = value[index], info.item_types[index] if hasattr(info, "item_types") else info.item_type
        else:
            value, info = value[step], next(field.type for field in info.fields if field.encode_name == step)
        place += step if step.startswith("[") or not place else f".{step}"
        if isinstance(value, dict) and isinstance(info, inspect.UnionType):  # of objects with a tag
            key, tags = info.types[0].tag_field, [kind.tag for kind in info.types]  # type: ignore[attr-defined]
            if (tag := value.get(key, tags[0])) not in tags:
                return f"{place}: {unknown(key, str(tag), tags)}"
            info = info.types[tags.index(tag)]
    if wrong_key := re.search(r"(required|unknown) field `(.*?)`?$", problem, re.DOTALL):
        known = [key for key in (getattr(info, "tag_field", None), *(field.name for field in info.fields)) if key]
        is_missing = wrong_key[1] == "required"
        error = f"'{wrong_key[2]}' is missing" if is_missing else unknown("key", wrong_key[2], known)
        return f"{place and place + ': '}{error}"
    parent, _, name = place.rpartition(".")
    shown = f"{parent and parent + ': '}{name and name + ' = '}{abbreviated(value)}"
    return f"{shown} is not {_expected(info, example)}"


def _expected(info: Any, example: str) -> str:
    """What a type takes, in words."""
    match info:
        case inspect.Metadata():
            return str((info.extra_json_schema or {})["description"])
        case inspect.UnionType():
            kinds = [kind for kind in info.types if kind != inspect.NoneType()]
            return " or ".join(dict.fromkeys(_expected(kind, example) for kind in kinds))
        case inspect.LiteralType():
            return " or ".join(map(json.dumps, info.values))
        case inspect.ListType() | inspect.VarTupleType() | inspect.TupleType():
            return f"a list like {example}" if example else "a list"
        case inspect.DictType() if info.value_type != inspect.AnyType():
            return f"a JSON object, every value {_expected(info.value_type, example)}"
    return _EXPECTED.get(type(info), "a JSON object")


def abbreviated(value: Any) -> str:
    """A value in an error, which may be anything and of any length."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) < _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
