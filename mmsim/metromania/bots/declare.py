"""How a bot that weighs whole turns is declared: by its weights; all others are 0 and may be set too."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mmsim.core.bots import Bot, NetBot, Weight
from mmsim.metromania.bots.kinds import ELEMENTS, EXPERT, SEARCH, WEIGHING
from mmsim.metromania.bots.thinking.inputs import INPUT_NAMES
from mmsim.metromania.bots.turn_weights import FEATURES, PARAMETERS

_DEFAULTS = {
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
    return Bot(name, idea, looks_at, _all_weights({**_DEFAULTS, **weights}), WEIGHING, elements=ELEMENTS)


def searching(name: str, idea: str, looks_at: str, like: NetBot, weights: Mapping[str, float]) -> NetBot:
    """A bot that tries the best few turns of a bot with a net in playouts; it cannot do without elements."""
    settings = _all_weights({**like.settings, **weights})
    return replace(like, name=name, idea=idea, looks_at=looks_at, weights=settings, kind=SEARCH, elements={})


def re_ranking(
    name: str, idea: str, looks_at: str, like: Bot, against: tuple[str, ...], weights: Mapping[str, float]
) -> NetBot:
    """A bot whose net chooses among the best few turns of another bot; in training it meets the bots `against`."""
    return NetBot(
        name,
        idea,
        looks_at,
        _all_weights({**like.settings, **weights}),
        EXPERT,
        elements=ELEMENTS,
        inputs=INPUT_NAMES,
        shipped=Path(__file__).parent / "weights" / f"{name}.json",
        like=like.name,
        against=against,
    )


def _all_weights(values: Mapping[str, float]) -> dict[str, Weight]:
    features = {name: Weight(values.get(name, 0.0), text=text) for name, text in FEATURES.items()}
    return features | {name: Weight(values[name], *of) for name, of in PARAMETERS.items() if name in values}
