"""What every metric is, in words: its question, unit, tolerance, and the columns and formula it is computed from."""

import re
from collections.abc import Iterable
from typing import Any

import polars as pl

from mmsim.analysis import wording as fmt
from mmsim.core.metrics import Measure, Metric, MetricGrouping, OfRows, Value

_PLAYERS = 2  # of the example whose groups show how a metric is grouped


def metric_rows(measures: Iterable[Measure]) -> list[tuple[str, str, str, str, str]]:
    """One row per metric: name, question, unit, tolerance, what is better."""
    return [
        (measure.name, measure.question, _unit(measure), _tolerance(measure), measure.better) for measure in measures
    ]


def describe_metric(measure: Measure) -> dict[str, Any]:
    """A metric as plain values."""
    description: dict[str, Any] = {
        "metric": measure.name,
        "question": measure.question,
        "unit": _unit(measure),
        "tolerance": _tolerance(measure),
        "better": measure.better,
    }
    if isinstance(measure, Metric):
        description |= {
            "table": measure.table,
            "columns": list(dict.fromkeys(measure.needs)),
            "formula": _formula(measure),
        }
    return description


def _unit(measure: Measure) -> str:
    return {"share": "%", "share difference": "points (%)", "share distance": "points (%)"}.get(
        measure.unit, measure.unit
    )


def _tolerance(measure: Measure) -> str:
    return f"{measure.tolerance * fmt.scale_of(measure.unit):g}"


def _formula(metric: Metric) -> str:
    """How one number of a game is computed; the metric is its mean over games. Empty if it depends on the run."""
    seats = pl.LazyFrame({"bot": ["a", "b"], "player": [0, _PLAYERS - 1]})
    try:
        values = metric.values(MetricGrouping({"seats": seats}))
    except KeyError:  # one number per word of a column, which only a run has
        return ""
    return _formula_of(next(iter(values.values()))) if [*values] == [""] else ""


def _formula_of(value: Value) -> str:
    if not isinstance(value, OfRows):
        return _readable(value)
    names = [f"{fold}({_readable(expression)})" for fold, expression in value.folds]
    return _readable(value.make(*map(pl.col, names)))


def _readable(expression: pl.Expr) -> str:
    """An expression without what only Polars needs: `[(col("a")) / (col("b"))]` is `a / b`."""
    text = re.sub(r'col\("((?:[^"\\]|\\.)*)"\)', r"\1", str(expression)).replace("\\", "")
    text = re.sub(r"\.(strict_)?cast\([^()]*\)|dyn (int|float): |[][]", "", text).replace("(.when", "(when")
    while (shorter := re.sub(r"(?<![\w.])\((\w+(?:\([^()]*\))?)\)", r"\1", text)) != text:
        text = shorter
    return text
