"""Descriptions of variants for tests that make tables of their own."""

from collections.abc import Sequence
from typing import Any

from mmsim.core.variant import VariantDescription


def described(name: str, bots: Sequence[str], rotate: bool = False, **fields: Any) -> VariantDescription:
    """A variant with one seat per player."""
    return VariantDescription(
        game="metromania",
        name=name,
        players=len(bots),
        seat_player=list(range(len(bots))),
        rules_version=1,
        ruleset={},
        bots=[{"bot": bot} for bot in bots],
        seats="rotate" if rotate else "fixed",
        seed=1,
        **fields,
    )
