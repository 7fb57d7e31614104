"""How a bot that weighs whole turns is declared: by the weights it has; all others are 0 and may be set too."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mmsim.core.bots import Bot, NetBot, Weight
from mmsim.metromania.bots.thinking.memory import ELEMENTS, EXPERT, FEATURES, INPUT_NAMES, PARAMETERS, SEARCH, WEIGHING

_LIMITS: dict[str, tuple[float, float]] = {
    "ahead": (1, 3),
    "trials": (1, 64),
    "fade": (0, 1),
    "unstarted": (0, 1),
    "noise": (0, 1e6),
    "playouts": (1, 1_000_000),
    "turns": (1, 16),
    "margin": (0, 100),
    "candidates": (2, 16),
    "prior": (0, 1e6),
}
_USUAL = {
    "ahead": 3,
    "trials": 4,
    "noise": 0,
    "fade": 0.7,
    "reach_base": 1.0,
    "reach_slack": 0.3,
    "reach_far": 0.1,
    "unstarted": 0.5,
}


def weighing(name: str, idea: str, looks_at: str, weights: Mapping[str, float]) -> Bot:
    """A bot that takes the turn worth most."""
    return Bot(name, idea, looks_at, _all({**_USUAL, **weights}), WEIGHING, elements=ELEMENTS)


def searching(name: str, idea: str, looks_at: str, like: NetBot, weights: Mapping[str, float]) -> NetBot:
    """A bot that plays the best few turns of one with a net out before it chooses; nobody plays out half a game."""
    settings = _all({**like.settings, **weights})
    return replace(like, name=name, idea=idea, looks_at=looks_at, weights=settings, kind=SEARCH, elements={})


def re_ranking(
    name: str, idea: str, looks_at: str, like: Bot, against: tuple[str, ...], weights: Mapping[str, float]
) -> NetBot:
    """A bot that has a net choose among the best few turns of another one; in training it meets some bots."""
    return NetBot(
        name,
        idea,
        looks_at,
        _all({**like.settings, **weights}),
        EXPERT,
        elements=ELEMENTS,
        inputs=INPUT_NAMES,
        shipped=Path(__file__).parent / "weights" / f"{name}.json",
        like=like.name,
        against=against,
    )


def _all(values: Mapping[str, float]) -> dict[str, Weight]:
    meanings = {**FEATURES, **{name: text for name, text in PARAMETERS.items() if name in values}}
    return {
        name: Weight(values.get(name, 0.0), *_LIMITS.get(name, (-1e6, 1e6)), text) for name, text in meanings.items()
    }
