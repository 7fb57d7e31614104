"""`docs/reference/metrics.md`: every metric of every game, explained."""

from pathlib import Path

from build_tools.tables_page import SHIPPED
from mmsim.analysis.metric_reference import describe_metric
from mmsim.analysis.run_metrics import declared_metrics

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "metrics.md"

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
    lines = [f"\n## {name.capitalize()}\n", "| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for measure in declared_metrics(name):
        about = describe_metric(measure)
        used = ", ".join(f"`{about['table']}.{column}`" for column in about.get("columns", ()))
        formula = f"`{about['formula']}`".replace("|", "\\\\|") if about.get("formula") else ""
        cells = (f"`{measure.name}`", *(about[key] for key in columns[1:5]), used, formula)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"docs/reference/{PAGE.name} written")


if __name__ == "__main__":
    main()
