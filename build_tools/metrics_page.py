"""`docs/reference/metrics.md`: every metric of every game, explained."""

from build_tools.markdown import SHIPPED, code, table
from mmsim.analysis.metric_reference import describe_metric
from mmsim.analysis.run_metrics import declared_metrics

_HEAD = """\
# The metrics

Every number in which games are compared: what it asks, its unit, the largest difference that counts as equal, whether
more or less makes a better game, and the columns ([tables](tables.md)) and formula it is computed from, game by game. A
metric is the mean over games; one without a formula has a number for every player, bot or word. `mmsim metrics NAME`
prints the same. Written by `make docs` from the declarations in `mmsim/metromania/metrics.py` and
`mmsim/metro/metrics.py`; do not edit.
"""


def page() -> str:
    return _HEAD + "".join(_game_section(name) for name in SHIPPED)


def _game_section(name: str) -> str:
    columns = ("metric", "question", "unit", "tolerance", "better", "columns", "formula")
    rows = []
    for measure in declared_metrics(name):
        about = describe_metric(measure)
        used = ", ".join(f"`{about['table']}.{column}`" for column in about.get("columns", ()))
        rows.append((code(measure.name), *(about[key] for key in columns[1:5]), used, code(about.get("formula") or "")))
    return f"\n## {name.capitalize()}\n\n{table(columns, rows)}"
