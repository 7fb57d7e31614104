"""Tables about the variants of a run as people read them: a column for the variant and one for the level of play."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mmsim.batch.experiment import OF_LEVEL, Experiment

if TYPE_CHECKING:
    import polars as pl


def levels_of(experiment: Experiment) -> dict[str, str]:
    """The level for each suffix of a variant's name; with a single level there is no suffix."""
    if len(experiment.played_levels) == 1:
        return {"": experiment.played_levels[0].name}
    return {f"{OF_LEVEL}{level.name}": level.name for level in experiment.played_levels}


def with_level(frame: "pl.LazyFrame", levels: Mapping[str, str]) -> "pl.LazyFrame":
    """A table whose variants are named without the level that played them, which gets a column of its own."""
    import polars as pl

    name = pl.col("variant").cast(pl.String)
    suffix = pl.lit("") if "" in levels else name.str.extract(f"({OF_LEVEL}.*)$", 1)
    level = suffix.replace_strict(levels, default=None, return_dtype=pl.String)
    columns = [column for column in frame.collect_schema() if column != "level"]
    columns.insert(columns.index("variant") + 1, "level")
    variant = name if "" in levels else name.str.split(OF_LEVEL).list.first()
    return frame.with_columns(variant.alias("variant"), level.alias("level")).select(columns)
