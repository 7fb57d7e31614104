"""`mmsim metrics`: every number that games are compared in, what it asks and how it is computed."""

from typing import Annotated, Any

from mmsim.analysis.metric_reference import describe_metric, metric_rows
from mmsim.analysis.run_metrics import declared_metrics
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, say
from mmsim.cli.options import argument
from mmsim.errors import unknown
from mmsim.games import DEFAULT, find_shell


def metrics(
    name: Annotated[str | None, argument("[NAME]", "A metric. Default: list them all.")] = None,
    game: options.GameName = None,
    as_json: options.AsJson = False,
) -> None:
    """The tolerance is the largest difference that counts as equal."""
    known = {measure.name: measure for measure in declared_metrics(find_shell(game or DEFAULT).name)}
    if name is None:
        rows = metric_rows(known.values())
        if as_json:
            print_json([describe_metric(measure) for measure in known.values()])
        else:
            print_table(("metric", "question", "unit", "tolerance", "better"), rows)
        return
    if name not in known:
        raise unknown("metric", name, known)
    description: dict[str, Any] = describe_metric(known[name])
    if as_json:
        print_json(description)
        return
    width = max(map(len, description))
    for key, value in description.items():
        if value:
            say(f"{key:{width}}  {', '.join(value) if isinstance(value, list) else value}")
