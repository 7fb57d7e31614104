"""Why games come out as they do: the same games with one thing changed, and bots without one element of the game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from mmsim.batch.runner import Watch
from mmsim.contests.matches import Arena, Match, Tables
from mmsim.core.bots import WITHOUT
from mmsim.core.errors import UsageError
from mmsim.core.game import Variant
from mmsim.core.knobs import Knob, Value, spelled
from mmsim.core.seating import games_a_deal, split_bots
from mmsim.games import find_game, find_shell

RULES, PLAY, ELEMENT, BOTH = "rules", "play", "element", "both"
AS_PLAYED = "as played"
_STEP = 5  # a number is moved by a part of so many, up and down


@dataclass(frozen=True)
class Change:
    """A variant that differs from what is asked about in one thing, or in two."""

    name: str
    kind: str
    text: str
    variant: Variant

    def and_also(self, other: "Change") -> "Change":
        """Both changes at once."""
        base = self.variant if self.kind == RULES else other.variant
        interventions = tuple(dict.fromkeys((*self.variant.interventions, *other.variant.interventions)))
        if self.kind == other.kind == RULES:
            base = replace(base, rules=f"{self.variant.rules},{other.name}")
        name = f"{self.name} and {other.name}"
        variant = replace(base, interventions=interventions, suffix=f" {name}")
        return Change(name, BOTH, f"{self.text}; {other.text}", variant)


@dataclass(frozen=True)
class Played:
    """The games of what is asked about and of every change, on the same layouts and deals."""

    game: str
    changes: tuple[Change, ...]  # what is asked about first
    tables: Mapping[str, pl.DataFrame]
    abouts: tuple[Mapping[str, Any], ...]
    games: int


def unchanged(variant: Variant) -> Change:
    """What is asked about."""
    return Change(AS_PLAYED, "", "nothing is changed", replace(variant, suffix=f" {AS_PLAYED}"))


def changes_of(game: str, variant: Variant) -> list[Change]:
    """Every knob moved to its other values, and all that can be changed in play by force."""
    return [*_changed_rules(game, variant), *_changed_play(game, variant)]


def _changed_rules(game: str, variant: Variant) -> Iterator[Change]:
    shell = find_shell(game)
    if variant.rules.endswith(".toml"):
        raise UsageError(f"knobs are moved from a ruleset like {shell.usual_rules}, not from the file {variant.rules}")
    explained = shell.explain(variant.rules, variant.players)
    for name, knob in shell.knobs.items():
        for value in other_values(knob, explained.knobs[name]):
            change = f"{name}={spelled(value)}"
            rules = f"{variant.rules},{change}"
            try:
                shell.explain(rules, variant.players)
            except UsageError:  # a value that does not go with the rest
                continue
            yield Change(change, RULES, knob.text, replace(variant, rules=rules, suffix=f" {change}"))


def other_values(knob: Knob, value: Value) -> list[Value]:
    """The values that a knob is moved to: all other choices, or a number some less and some more."""
    if knob.choices:
        return [other for other in knob.choices if other != value]
    if knob.is_switch:
        return [not value]
    step = max(1, round(int(value) / _STEP))
    return [other for other in (int(value) - step, int(value) + step) if knob.low <= other <= knob.high]


def _changed_play(game: str, variant: Variant) -> Iterator[Change]:
    found = find_game(game)
    for name, text in found.interventions(found.prepare(variant)).items():
        yield Change(name, PLAY, text, replace(variant, interventions=(name,), suffix=f" {name}"))


def without_elements(game: str, variant: Variant) -> list[Change]:
    """One bot without an element of the game among others that have it, for every element there is."""
    found, bots = find_game(game), split_bots(variant.bots)
    prepared = found.prepare(variant)
    bot = find_shell(game).bots.get(bots[0].partition(":")[0])
    if len(bots) > 1 or bot is None or not bot.elements:
        able = ", ".join(name for name, known in find_shell(game).bots.items() if known.elements)
        raise UsageError(f"--elements takes one bot that can do without elements of the game: {able}")
    seats = len(found.describe(prepared)["bots"])
    made = []
    for name, text in found.elements(prepared).items():
        settings = "," if ":" in bots[0] else ":"
        restricted = ",".join([f"{bots[0]}{settings}{WITHOUT}={name}", *[bots[0]] * (seats - 1)])
        made.append(Change(name, ELEMENT, text, replace(variant, bots=restricted, seats="rotate", suffix=f" {name}")))
    return made


def play_changes(game: str, changes: Sequence[Change], games: int, workers: int, watch: Watch) -> Played:
    """Play so many games of each."""
    found = find_game(game)
    abouts = tuple(found.describe(found.prepare(change.variant)) for change in changes)
    matches = []
    for change, about in zip(changes, abouts, strict=True):
        each = games_a_deal(int(about["players"]), change.variant.rotate)
        matches.append(Match(change.variant, 0, max(games // each, 1) * each, each))
    with Arena(game, workers, watch) as arena:
        played: list[Tables] = arena.play(matches)
    tables = {table: pl.concat([one[table] for one in played]) for table in played[0]}
    return Played(game, tuple(changes), tables, abouts, matches[0].games)


def joined(one: Played, other: Played) -> Played:
    """Two sets of changes of the same games as one."""
    tables = {table: pl.concat([one.tables[table], other.tables[table]]) for table in one.tables}
    return replace(one, changes=one.changes + other.changes, tables=tables, abouts=one.abouts + other.abouts)
