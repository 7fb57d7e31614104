"""Values of a file that do not fit their type: one sentence with the place, the value and what belongs there."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from mmsim.errors import UsageError
from mmsim.system.validation import convert

Point = Annotated[tuple[int, int], Meta(description="a point [x, y]")]


class Part(Struct, forbid_unknown_fields=True):
    at: Point
    rows: tuple[tuple[str, ...], ...] = ()


class Step(Struct, tag_field="step", forbid_unknown_fields=True):
    number: int


class Go(Step, tag="go"):
    to: Point


class Stop(Step, tag="stop"): ...


class File(Struct, forbid_unknown_fields=True):
    part: Part
    steps: list[Go | Stop]
    side: Literal["left", "right"] = "left"
    weights: dict[str, list[float]] = {}
    limit: int | None = None


def values(**changes: Any) -> dict[str, Any]:
    return {"part": {"at": [1, 2]}, "steps": [{"step": "stop", "number": 1}], **changes}


def test_what_fits_is_converted() -> None:
    file = convert(values(limit=10**400), File)
    assert (file.part.at, type(file.steps[0]), file.limit) == ((1, 2), Stop, 10**400)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"limit": True}, "limit = true is not a whole number"),
        ({"limit": "1"}, 'limit = "1" is not a whole number'),
        ({"limit": 1.0}, "limit = 1.0 is not a whole number"),
        ({"limit": float("nan")}, "limit = NaN is not a whole number"),
        ({"side": "up"}, 'side = "up" is not "left" or "right"'),
        ({"part": None}, "part = null is not a JSON object"),
        ({"part": {}}, "part: 'at' is missing"),
        ({"part": {"at": [1, 2], "row": []}}, "part: unknown key 'row'; did you mean 'rows'? (known: at, rows)"),
        ({"part": {"at": [1, 2, 3]}}, "part: at = [1, 2, 3] is not a point [x, y]"),
        ({"part": {"at": [1, "2"]}}, 'part: at = [1, "2"] is not a point [x, y]'),
        ({"part": {"at": [1, 2], "rows": [["a"], ["b", 3]]}}, "part: rows[1][1] = 3 is not a text"),
        ({"steps": {}}, "steps = {} is not a list like [1, 2]"),
        ({"steps": [3]}, "steps[0] = 3 is not a JSON object"),
        ({"steps": [{"step": "stop"}]}, "steps[0]: 'number' is missing"),
        ({"steps": [{"number": 1}]}, "steps[0]: 'step' is missing"),
        ({"steps": [{"step": "stopp"}]}, "steps[0]: unknown step 'stopp'; did you mean 'stop'? (known: go, stop)"),
        ({"steps": [{"step": ["go"]}]}, "steps[0]: unknown step '['go']' (known: go, stop)"),
        ({"steps": [{"step": "go", "number": 1, "to": 7}]}, "steps[0]: to = 7 is not a point [x, y]"),
        (
            {"steps": [{"step": "stop", "number": 1, "to": [1, 2]}]},
            "steps[0]: unknown key 'to' (known: step, number)",
        ),
        (
            {"weights": {"a": [1, "b"]}},
            'weights = {"a": [1, "b"]} is not a JSON object, every value a list like [1, 2]',
        ),
        ({"part`": 1}, "unknown key 'part`'; did you mean 'part'? (known: part, steps, side, weights, limit)"),
        ({"x` - at `$.nowhere": 1}, "unknown key 'x` - at `$.nowhere' (known: part, steps, side, weights, limit)"),
        ({"part": {"x` - at `$.no": 1}}, "part: unknown key 'x` - at `$.no' (known: at, rows)"),
        ({"side": "x` - at `$.no"}, 'side = "x` - at `$.no" is not "left" or "right"'),
        ({"side": "é" * 300}, f'side = "{"é" * 199}... is not "left" or "right"'),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        convert(values(**changes), File, example="[1, 2]")
    assert str(caught.value) == says


def test_what_is_no_object_at_all_is_shown() -> None:
    with pytest.raises(UsageError, match=r"^\[1\] is not a JSON object$"):
        convert([1], File)
