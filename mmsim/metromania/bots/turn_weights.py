"""The features by which bots weigh whole turns, the parameters beside them, and how such a bot is declared.

The value of a member is its place among the weights of a bot, as compiled code has them.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Self

from mmsim.core.bots import Bot, Weight
from mmsim.metromania.bots.kinds import WEIGHING


class Feature(IntEnum):
    """A feature of a turn; its amounts are in points, tunnels or plain counts, as the text says."""

    text: str

    def __new__(cls, text: str) -> Self:
        feature = int.__new__(cls, len(cls.__members__))
        feature._value_, feature.text = int(feature), text
        return feature

    POINTS = "station points scored this turn"
    KEPT = "station points scored this turn, as far as the lines are likely to end"
    FINISH = "points made earlier that the turn makes likelier to be kept"
    ENDS = "gain in the chance to end the company's lines"
    SHORTER = "tunnels by which the shortest free ways to an end have become shorter"
    RACE = "the same, counted more the closer another company is to ending both its lines"
    MARKER = "markers laid"
    NEAR_SPOT = "how much nearer the lines are to free spots for markers still held"
    SERVED = "own markers that get their first station"
    SERVED_PARTNER = "markers of others, of a letter the company has too, that get their first station"
    SERVED_OTHER = "all other markers that get their first station"
    STATIONS = "stations made"
    MEETS = "lines met at new stations"
    JOINS = "lines joined to the company's network"
    ALLIES = "markers with the letters of its own, laid or likely held by companies newly joined to its network"
    PARTNER = "markers laid whose partner is, or is likely to be, on a line of the company's network"
    PARK_LAKE = "first stations at the park or at the lake"
    BLOCK = "cells taken that other companies need next, counted by how close they are to an end"
    LEADER = "the same, counted for the company in front only"
    ROOM = "ways left open at the ends of the lines, on the board as it is before the turn"
    TRIPS = "points and penalties of the trips as they stand, for the company"
    RIVALS = "points and penalties of the trips as they stand, for the company in front of the others"
    CLOSE = "points ahead of the best other company, before the turn, when it ends the second line"
    TUNNELS = "tunnels dug"


class Parameter(IntEnum):
    """How the features themselves are computed, and how the best turns are compared."""

    default: float | None  # None: only some bots have it
    limits: tuple[float, float, str]  # least, most, meaning

    def __new__(cls, default: float | None, least: float, most: float, meaning: str) -> Self:
        parameter = int.__new__(cls, len(Feature) + len(cls.__members__))
        parameter._value_, parameter.default, parameter.limits = int(parameter), default, (least, most, meaning)
        return parameter

    AHEAD = 3, 1, 3, "tunnels of a turn it plans at once"
    OPENING = 3, 1, 3, "tunnels of its first turn it plans at once"
    TRIALS = 4, 1, 64, "turns of which it works out the trips to the end before it chooses"
    REACH_SLACK = 0.3, -1e6, 1e6, "how much a spare tunnel adds to the chance to end a line (log-odds)"
    REACH_FAR = 0.1, -1e6, 1e6, "how much a tunnel still to dig takes from the chance to end a line (log-odds)"
    REACH_BASE = 1.0, -1e6, 1e6, "the chance to end a line with no spare tunnel, next to an end (log-odds)"
    UNSTARTED = 0.5, 0, 1, "the chance to end a line not yet started"
    FADE = 0.7, 0, 1, "how fast the worth of a spot fades with every tunnel between"
    NOISE = 0, 0, 1e6, "how much chance is mixed into its values"
    MARGIN = None, 0, 100, "how much the margin in points counts beside the win, in playouts"
    PLAYOUTS = None, 1, 1_000_000, "games played out to choose a turn"
    ROUNDS = None, 0, 100, "rounds after which its value net judges a playout; 0: played out to the end"
    TURNS = None, 1, 16, "turns that the playouts compare"
    CANDIDATES = None, 2, 16, "turns that its net compares"
    PRIOR = None, 0, 1e6, "playouts that its net's opinion of a turn counts for"


FEATURES = {feature.name.lower(): feature.text for feature in Feature}
PARAMETERS = {parameter.name.lower(): parameter for parameter in Parameter}
FEATURE_COUNT = len(FEATURES)
WEIGHT_NAMES = (*FEATURES, *PARAMETERS)  # in the order in which compiled code has them


def weighing(name: str, idea: str, looks_at: str, weights: Mapping[str, float]) -> Bot:
    """A bot that takes the turn worth most, declared by its weights; all others are 0 and may be set too."""
    defaults = {name: parameter.default for name, parameter in PARAMETERS.items() if parameter.default is not None}
    return Bot(name, idea, looks_at, all_weights({**defaults, **weights}), WEIGHING)


def all_weights(values: Mapping[str, float]) -> dict[str, Weight]:
    """All features, those without a value with weight 0, and the parameters that have a value."""
    features = {name: Weight(values.get(name, 0.0), text=text) for name, text in FEATURES.items()}
    return features | {name: Weight(values[name], *PARAMETERS[name].limits) for name in PARAMETERS if name in values}
