"""Rulesets (sections 10 and 11): every knob, the four editions, their modifiers, and how one is named.

A ruleset is written `EDITION[+MODIFIER...][,knob=value...]`: `en1+loyal`, `print,change_minutes=2,end_lines=6`.
An edition is a set of knob values and the modes that its book offers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mmsim.core.knobs import Value, by_seat, choice, knobs_of, number, numbers_by_seat, switch
from mmsim.core.ruleset import BaseRuleset, BaseSpec, Layer, apply_layers, known_modifiers, read_spec
from mmsim.errors import UsageError, unknown

RULES_VERSION = 3  # raised when the same seed and ruleset give a different game
PLAYERS = (2, 3, 4)
DEFAULT_EDITION = "print"


class DealMode(StrEnum):
    """How the destination markers are dealt to the companies."""

    RANDOM = "random"  # S2
    COLUMNS = "columns"  # S3: two players, regular
    COMPANIES = "companies"  # S4: two players, advanced
    NO_CORRUPTION = "no-corruption"  # S5


@dataclass(frozen=True)
class Ruleset(BaseRuleset):
    """All rules of a game for one number of players."""

    deal: DealMode
    seat_player: tuple[int, ...]  # the player behind every company, in playing order

    tunnels_per_line: int = number(18, 2, 60, "S6 D1", "Tunnels each line has.")
    stations: int = number(30, 1, 60, "S6 D5 P1", "Stations in the common supply.")
    dig: int = number(3, 1, 9, "T3", "Tunnels dug in one turn.")
    dig_duty: str = choice(
        "next",
        "next most",
        "T3",
        "Whether any next tunnel may be dug, or only one that allows the most tunnels this turn.",
    )
    start_turn: str = choice(
        "free", "free whole", "B1", "Whether a turn that starts a line may dig on the other line too, or on no other."
    )
    markers_per_turn: int = number(1, 1, 6, "M1", "Markers a company may place in one turn.")
    end_lines: int = number(5, 1, 8, "P1", "Lines ended or blocked that end the building phase.")
    ride_minutes: int = number(1, 1, 20, "TT2", "Minutes from a station to the next one on a line.")
    change_minutes: int = number(3, 0, 20, "TT2", "Minutes to change line at a station.")
    trip_points: int = number(3, 0, 50, "TT4", "Points for a company on a fastest route of a trip.")
    own_marker_bonus: int = number(3, 0, 50, "TT4", "Points on top for one that placed a marker of the trip.")
    park_lake_points: int = number(5, 0, 50, "TT4", "Points for a company on a fastest park-lake route.")
    penalty: int = number(6, 0, 50, "TT5", "Points a guilty company loses for an impossible trip.")
    station_points: str = choice(
        "per_spot", "per_spot flat", "ST5", "A new station scores 1 per spot at it, or 1 if there is any spot."
    )
    half_kept: str = choice(
        "floor", "floor ceil", "L1", "Which way half the station points of a company with one line ended are rounded."
    )
    trigger_turn: str = choice(
        "finish", "stop finish", "P3 P4", "Whether the turn in which the end is triggered stops at once."
    )
    last_round: str = choice(
        "others",
        "none others round",
        "P5",
        "What is played after the trigger: nothing, a turn of every other company, or the rest of the round.",
    )
    last_turns: str = choice(
        "companies",
        "companies players",
        "P5",
        "With two companies each: whether every other company has a last turn, or only those of the other player.",
    )
    shared_trip: str = choice(
        "all", "none most_tunnels all", "TT6", "Who scores a trip on which several companies are involved."
    )
    shared_fault: str = choice("all", "none all", "TT6", "Who loses points when several companies are guilty.")
    start_overflow: bool = switch(True, "B2", "A second line may start anywhere once the far sides are full.")
    end_overflow: bool = switch(True, "D4", "A line may end anywhere once the far sides are full.")
    hands: str = choice("hidden", "hidden open", "S7", "Whether hands are visible to the others.")
    marker_set: str = choice(
        "standard", "standard as_printed", "S1 S5", "Which markers the No Corruption table hands out."
    )
    seat_points: str = by_seat(0, 50, "0/1/2/3", "H1", "Points that every company has on top, in playing order.")
    first_dig: int = number(0, 0, 9, "H2", "Tunnels dug in the first turn of the game; 0: as in every other.")
    first_round: str = choice("normal", "normal reversed", "H3", "In which order the companies play the first round.")
    first_sides: int = number(
        6, 1, 6, "H4", "Sides of the city, from the first on, on which the first turn of the game may start its line."
    )

    @property
    def companies(self) -> int:
        return len(self.seat_player)

    @property
    def points_by_seat(self) -> tuple[int, ...]:
        """H1: the points that every company has on top."""
        return numbers_by_seat(self.seat_points, self.companies)


KNOBS = knobs_of(Ruleset)


@dataclass(frozen=True)
class Edition:
    """One rule book: the knobs that differ from the defaults of the rules page, and the modes it offers."""

    title: str
    knobs: Mapping[str, Value]
    two_player_modes: tuple[str, ...]  # the modes it offers, the default first
    no_corruption_players: tuple[int, ...]
    alternate_companies: bool  # advanced: A1 B1 A2 B2 instead of A1 A2 B1 B2
    hidden_players: tuple[int, ...] = PLAYERS
    regular_knobs: Mapping[str, Value] = field(default_factory=dict)  # two players, regular
    by_players: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)


# Section 11. Knobs not named here have the defaults of the rules page.
EDITIONS: dict[str, Edition] = {
    "en1": Edition(
        title="first English text",
        knobs={
            "start_turn": "whole",
            "trigger_turn": "stop",
            "last_round": "none",
            "start_overflow": False,
            "marker_set": "as_printed",
        },
        two_player_modes=("regular", "advanced"),
        no_corruption_players=(4,),
        alternate_companies=False,
        regular_knobs={"shared_trip": "none", "shared_fault": "none"},
    ),
    "print": Edition(
        title="the 2006 box (French, German, English)",
        knobs={"marker_set": "as_printed"},
        two_player_modes=("advanced",),
        no_corruption_players=(4,),
        alternate_companies=True,
    ),
    "nl": Edition(
        title="the Dutch book",
        knobs={"trigger_turn": "stop", "station_points": "flat", "marker_set": "as_printed"},
        two_player_modes=("regular", "advanced"),
        no_corruption_players=(4,),
        alternate_companies=True,
        regular_knobs={"shared_trip": "none", "shared_fault": "none"},
    ),
    "v2": Edition(
        title="version 2.0, the newest text",
        knobs={"hands": "open", "start_overflow": False},
        two_player_modes=("regular",),
        no_corruption_players=(3, 4),
        alternate_companies=True,
        hidden_players=(3, 4),
        regular_knobs={"shared_trip": "most_tunnels", "shared_fault": "none"},
        by_players={3: {"end_lines": 4}, 2: {"end_lines": 3}},
    ),
}

MODIFIERS: dict[str, str] = {
    "loyal": "Loyal Municipality: hands lie open.",
    "hidden": "Hands are hidden until placed (v2 calls it Unfair Municipality).",
    "no-corruption": "No Corruption (Straight Municipality): fixed, open hands instead of a random deal.",
    "regular": "Two players, one company each.",
    "advanced": "Two players, two companies each.",
}
TITLES = {  # what players would call it
    "en1": "the first English rules",
    "print": "the 2006 rules",
    "nl": "the Dutch rules",
    "v2": "the version 2.0 rules",
    "loyal": "open hands (Loyal)",
    "hidden": "hidden hands",
    "no-corruption": "fixed hands (No Corruption)",
    "regular": "one company each",
    "advanced": "two companies each",
    "dig_duty=next": "free digging",
    "dig_duty=most": "as many tunnels as possible",
    "start_turn=free": "starting turns that dig on any line",
    "start_turn=whole": "starting turns that dig on the new line only",
    "station_points=per_spot": "a point for every spot",
    "station_points=flat": "one point for a station",
    "half_kept=floor": "half points rounded down",
    "half_kept=ceil": "half points rounded up",
    "trigger_turn=stop": "an end in mid-turn",
    "trigger_turn=finish": "the ending turn finished",
    "last_round=none": "no last turns",
    "last_round=others": "a last turn for all others",
    "last_round=round": "the round finished",
    "last_turns=companies": "last turns for all other companies",
    "last_turns=players": "last turns for the other player only",
    "shared_trip=none": "no points for shared trips",
    "shared_trip=most_tunnels": "shared trips for the longer network",
    "shared_trip=all": "points for all on a shared trip",
    "shared_fault=none": "no penalty for shared faults",
    "shared_fault=all": "penalties for all at fault",
    "hands=open": "open hands",
    "hands=hidden": "hidden hands",
    "tunnels_per_line=": "{} tunnels per line",
    "stations=": "{} stations",
    "dig=": "{} tunnels a turn",
    "markers_per_turn=": "{} markers a turn",
    "end_lines=": "an end after {} lines",
    "ride_minutes=": "rides of {} minutes",
    "change_minutes=": "changes of {} minutes",
    "trip_points=": "{} points a trip",
    "own_marker_bonus=": "{} points for own markers",
    "park_lake_points=": "{} points from park to lake",
    "penalty=": "penalties of {} points",
    "start_overflow=true": "starts anywhere once sides are full",
    "start_overflow=false": "starts on far sides only",
    "end_overflow=true": "ends anywhere once sides are full",
    "end_overflow=false": "ends on far sides only",
    "marker_set=standard": "the corrected table",
    "marker_set=as_printed": "the table as printed",
    "seat_points=": "{} points by seat",
    "first_dig=": "{} tunnels in the first turn",
    "first_round=normal": "the first round in order",
    "first_round=reversed": "the first round reversed",
    "first_sides=": "the first start on {} sides",
}
ALIASES = {"straight": "no-corruption", "unfair": "hidden"}
_EXCLUDE = (("loyal", "hidden"), ("regular", "advanced"), ("no-corruption", "hidden"))


@dataclass(frozen=True)
class Spec(BaseSpec):
    """A ruleset as it is named, before the number of players is known."""

    ruleset_type = Ruleset

    @property
    def default_players(self) -> int:
        """Two for the two-player modes, else four."""
        return 2 if {"regular", "advanced"} & set(self.modifiers) else 4

    def resolve(self, players: int | None = None) -> Ruleset:
        return explain(self, players)[0]


def parse(text: str) -> Spec:
    """Read a spec, or the TOML file of one when the text ends in `.toml`."""
    return read_spec(text, _named)


def _named(edition: str, modifiers: list[str]) -> Spec:
    if edition not in EDITIONS:
        raise unknown("edition", edition, EDITIONS)
    return Spec(edition, known_modifiers(modifiers, MODIFIERS, _EXCLUDE, ALIASES))


def ruleset(text: str, players: int | None = None) -> Ruleset:
    """The ruleset of a spec for a number of players (None: the spec's default)."""
    return parse(text).resolve(players)


def explain(spec: Spec, players: int | None = None) -> tuple[Ruleset, dict[str, str]]:
    """The ruleset for a number of players, and for every knob where its value comes from."""
    players = spec.default_players if players is None else players
    edition = EDITIONS[spec.edition]
    mode = _two_player_mode(spec, players)
    _check_offered(spec, players)
    deal = _deal(spec, mode)
    layers: list[Layer] = [
        (f"edition {spec.edition}", edition.knobs),
        (f"edition {spec.edition}, {players} players", edition.by_players.get(players, {})),
    ]
    if mode == "regular":
        layers.append((f"edition {spec.edition}, two players regular", edition.regular_knobs))
    if deal is DealMode.NO_CORRUPTION:
        layers.append(("modifier no-corruption", {"hands": "open"}))
    if "loyal" in spec.modifiers:
        layers.append(("modifier loyal", {"hands": "open"}))
    if "hidden" in spec.modifiers:
        layers.append(("modifier hidden", {"hands": "hidden"}))
    layers.append(("set by hand", dict(spec.overrides)))
    values, sources = apply_layers(KNOBS, layers)
    seats = _seat_player(players, mode, edition)
    return Ruleset(spec.name, players, deal, seats, **values), sources


def _two_player_mode(spec: Spec, players: int) -> str | None:
    edition = EDITIONS[spec.edition]
    named = next((m for m in spec.modifiers if m in ("regular", "advanced")), None)
    if players not in PLAYERS:
        raise UsageError(f"'{spec.edition}' is for 2, 3 or 4 players, not for {players}")
    if players > 2:
        if named:
            raise UsageError(f"'{named}' is only for two players; drop it for {players} players")
        return None
    if named and named not in edition.two_player_modes:
        offered = " and ".join(f"'{mode}'" for mode in edition.two_player_modes)
        raise UsageError(f"'{spec.edition}' does not offer '{named}' for two players; it offers {offered}")
    return named or edition.two_player_modes[0]


def _check_offered(spec: Spec, players: int) -> None:
    """Section 11: refuse modifiers that the edition does not offer for this number of players."""
    for modifier in spec.modifiers:
        offered = {name: _offered_players(edition, modifier) for name, edition in EDITIONS.items()}
        if players in offered[spec.edition]:
            continue
        numbers = " or ".join(str(n) for n in offered[spec.edition])
        text = f"'{spec.edition}' does not offer '{modifier}' for {players} players; it offers it for {numbers}"
        if others := [name for name, known in offered.items() if players in known]:
            text += f"; {', '.join(others)} {'has' if len(others) == 1 else 'have'} it for {players}"
        raise UsageError(text)


def _offered_players(edition: Edition, modifier: str) -> tuple[int, ...]:
    """The numbers of players for which an edition offers a modifier."""
    return {"no-corruption": edition.no_corruption_players, "hidden": edition.hidden_players}.get(modifier, PLAYERS)


def _deal(spec: Spec, mode: str | None) -> DealMode:
    if "no-corruption" in spec.modifiers:
        return DealMode.NO_CORRUPTION
    return {"regular": DealMode.COLUMNS, "advanced": DealMode.COMPANIES, None: DealMode.RANDOM}[mode]


def _seat_player(players: int, mode: str | None, edition: Edition) -> tuple[int, ...]:
    if mode == "advanced":
        return (0, 1, 0, 1) if edition.alternate_companies else (0, 0, 1, 1)
    return tuple(range(players))
