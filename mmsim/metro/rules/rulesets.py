"""Rulesets of Metro: every knob, the modifiers, and how a ruleset is named.

A ruleset is written `metro[+MODIFIER...][,knob=value...]`: `metro+free+hand2`, `metro+numbers,numbers_per_colour=2`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from mmsim.core.knobs import Value, choice, knobs_of, number, switch
from mmsim.core.ruleset import BaseRuleset, BaseSpec, apply_layers, known_modifiers, read_spec
from mmsim.errors import UsageError, unknown

RULES_VERSION = 1  # raised when the same seed and ruleset give a different game

EDITION = "metro"
PLAYERS = (2, 3, 4, 5, 6)
DEFAULT_PLAYERS = 4
COMPANIES = 8
PER_COLOUR = 8  # X18: station numbers of each colour


@dataclass(frozen=True)
class Ruleset(BaseRuleset):
    """All rules of a game for one number of players."""

    orientation: str = choice("fixed", "fixed free", "X9 X13", "Whether a tile may be turned before it is placed.")
    hand: int = number(1, 1, 3, "X8 X14", "Tiles in a hand.")
    companies: bool = switch(False, "X15", "Module 1: eight companies, of which the players hold shares.")
    stations: bool = switch(False, "X16", "Module 2: wagons that start in the centre.")
    central: bool = switch(False, "X17", "Module 3: tracks through the centre instead of an end there.")
    numbers: bool = switch(False, "X18", "Module 4: secret station numbers, which score the lines that arrive there.")
    numbers_per_colour: int = number(1, 1, 4, "X18", "Station numbers of each colour a player holds.")
    central_points: bool = switch(False, "X17", "Whether a central tile passed counts as a tile.")
    exchange_until: int = number(
        25, 1, 200, "X15", "Once a company has this profit, shares can no longer be exchanged."
    )
    turn_limit: int = number(400, 60, 2000, "X12", "Turn limit for games that do not end by themselves.")
    wagon_shift: int = number(0, 0, 5, "X20", "By how many columns of the wagon table every player is shifted.")

    @property
    def owners(self) -> int:
        """Number of wagon owners: the companies, or else the players."""
        return COMPANIES if self.companies else self.players


KNOBS = knobs_of(Ruleset)

MODIFIERS: dict[str, tuple[str, Mapping[str, Value]]] = {
    "free": ("Tiles may be turned (X13).", {"orientation": "free"}),
    "hand2": ("Hands of two tiles (X14).", {"hand": 2}),
    "hand3": ("Hands of three tiles (X14).", {"hand": 3}),
    "companies": ("Module 1, metro companies (X15).", {"companies": True}),
    "stations": ("Module 2, metro stations (X16).", {"stations": True}),
    "central": ("Module 3, central tracks (X17).", {"central": True}),
    "numbers": ("Module 4, station numbers (X18).", {"numbers": True}),
}
TITLES = {  # what players would call it
    "metro": "Metro",
    "free": "tiles turned freely",
    "hand2": "hands of two tiles",
    "hand3": "hands of three tiles",
    "companies": "metro companies",
    "stations": "metro stations",
    "central": "central tracks",
    "numbers": "station numbers",
    "orientation=fixed": "tiles as they are drawn",
    "orientation=free": "tiles turned freely",
    "wagon_shift=": "wagons moved on by {}",
}
MODULES = ("companies", "stations", "central", "numbers")
_TOGETHER = ({"companies", "stations"}, {"companies", "central"}, {"stations", "numbers"}, {"central", "numbers"})


@dataclass(frozen=True)
class Spec(BaseSpec):
    """A ruleset as it is named, before the number of players is known."""

    ruleset_type = Ruleset

    def resolve(self, players: int | None = None) -> Ruleset:
        return explain(self, players)[0]


def parse(text: str) -> Spec:
    """Read a spec, or the TOML file of one when the text ends in `.toml`."""
    return read_spec(text, _named)


def _named(edition: str, modifiers: list[str]) -> Spec:
    if edition != EDITION:
        raise unknown("edition", edition, (EDITION,))
    return Spec(edition, known_modifiers(modifiers, MODIFIERS, [("hand2", "hand3")]))


def ruleset(text: str, players: int | None = None) -> Ruleset:
    """The ruleset of a spec for a number of players (None: the default)."""
    return parse(text).resolve(players)


def explain(spec: Spec, players: int | None = None) -> tuple[Ruleset, dict[str, str]]:
    """The ruleset for a number of players, and for every knob where its value comes from."""
    layers = [(f"modifier {name}", MODIFIERS[name][1]) for name in spec.modifiers]
    values, sources = apply_layers(KNOBS, [*layers, ("set by hand", dict(spec.overrides))])
    rules = Ruleset(spec.name, DEFAULT_PLAYERS if players is None else players, **values)
    check(rules)
    return rules, sources


def check(rules: Ruleset) -> None:
    """Refuse knobs with which no game can be played (X7, X18, X19)."""
    if rules.players not in PLAYERS:
        raise UsageError(f"'{EDITION}' is for 2 to 6 players, not for {rules.players}")
    modules = {module for module in MODULES if getattr(rules, module)}
    if len(modules) > 1 and modules not in _TOGETHER:  # X19
        named = " and ".join(f"'{module}'" for module in MODULES if module in modules)
        offered = ", ".join("+".join(m for m in MODULES if m in pair) for pair in _TOGETHER)
        raise UsageError(f"modules {named} cannot be combined; the rule book allows {offered}")
    if rules.numbers and rules.players * rules.numbers_per_colour > PER_COLOUR:
        raise UsageError(
            f"{rules.players} players cannot have {rules.numbers_per_colour} station numbers of each colour; there are "
            f"{PER_COLOUR} of a colour, so numbers_per_colour is at most {PER_COLOUR // rules.players}"
        )
