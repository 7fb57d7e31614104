"""Why games come out as they do: the same games with one thing changed, and bots without one element of the game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from mmsim.batch.experiment import OF_MEMBER, Experiment, thinned
from mmsim.batch.session import Watch
from mmsim.contests.matches import Arena, Match, Tables
from mmsim.core.bots import WITHOUT
from mmsim.core.game import Variant
from mmsim.core.knobs import Knob, Value, spelled
from mmsim.core.seating import games_a_deal, split_bots
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell

RULES, PLAY, ELEMENT, BOTH = "rules", "play", "element", "both"
AS_PLAYED = "as played"
_STEP = 5  # a number is moved by a part of so many, up and down
_FEWEST = 8  # games of a change that a slow kind of players plays


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
class MemberGames:
    """The games that one kind of players played of every change, on the same layouts and deals."""

    bots: str
    variants: tuple[Variant, ...]  # of every change
    abouts: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, pl.DataFrame]
    games: int  # of every change


@dataclass(frozen=True)
class ChangedGames:
    """The games of what is asked about and of every change, by every kind of players."""

    game: str
    changes: tuple[Change, ...]  # what is asked about first
    members: tuple[MemberGames, ...]

    def and_also(self, more: "ChangedGames") -> "ChangedGames":
        """These games and those of more changes, played by the same players."""
        members = []
        for one, other in zip(self.members, more.members, strict=True):
            tables = {table: pl.concat([one.tables[table], other.tables[table]]) for table in one.tables}
            members.append(
                replace(one, variants=one.variants + other.variants, abouts=one.abouts + other.abouts, tables=tables)
            )
        return replace(self, changes=self.changes + more.changes, members=tuple(members))

    def only(self, names: Sequence[str]) -> "ChangedGames":
        """The games of some of the changes, in this order."""
        known = [change.name for change in self.changes]
        at = [known.index(name) for name in names]
        members = []
        for one in self.members:
            kept = [str(one.abouts[place]["name"]) for place in at]
            tables = {
                table: frame.filter(pl.col("variant").cast(pl.String).is_in(kept))
                for table, frame in one.tables.items()
            }
            variants, abouts = tuple(one.variants[place] for place in at), tuple(one.abouts[place] for place in at)
            members.append(replace(one, variants=variants, abouts=abouts, tables=tables))
        return replace(self, changes=tuple(self.changes[place] for place in at), members=tuple(members))


def unchanged(variant: Variant) -> Change:
    """What is asked about."""
    return Change(AS_PLAYED, "", "nothing is changed", replace(variant, suffix=f" {AS_PLAYED}"))


def changes_of(game: str, variant: Variant) -> tuple[list[Change], dict[str, str]]:
    """Every knob moved to its other values, and all that can be changed in play by force; then what cannot be changed,
    and why."""
    changes, fixed = _changed_rules(game, variant)
    found = find_game(game)
    for name, text in found.interventions(found.prepare(variant)).items():
        changes.append(Change(name, PLAY, text, replace(variant, interventions=(name,), suffix=f" {name}")))
    return changes, fixed


def _changed_rules(game: str, variant: Variant) -> tuple[list[Change], dict[str, str]]:
    shell = find_shell(game)
    if variant.rules.endswith(".toml"):
        raise UsageError(f"knobs are moved from a ruleset like {shell.usual_rules}, not from the file {variant.rules}")
    explained, changes, fixed = shell.explain(variant.rules, variant.players), [], {}
    for name, knob in shell.knobs.items():
        for value in other_values(knob, explained.knobs[name]):
            change = f"{name}={spelled(value)}"
            rules = f"{variant.rules},{change}"
            try:
                shell.explain(rules, variant.players)
            except UsageError as error:  # a value that does not go with the rest
                fixed[change] = str(error)
                continue
            changes.append(Change(change, RULES, knob.text, replace(variant, rules=rules, suffix=f" {change}")))
    return changes, fixed


def other_values(knob: Knob, value: Value) -> list[Value]:
    """The values that a knob is moved to: all other choices, or a number some less and some more."""
    if knob.choices:
        return [other for other in knob.choices if other != value]
    if knob.is_switch:
        return [not value]
    step = max(1, round(int(value) / _STEP))
    return [other for other in (int(value) - step, int(value) + step) if knob.low <= other <= knob.high]


@dataclass(frozen=True)
class ElementTables:
    """The tables at which an element of the game is measured."""

    name: str
    text: str
    one_without: Change  # among others that have it
    one_with: Change  # among others that do without it
    all_without: Change


def without_elements(game: str, variant: Variant) -> list[ElementTables]:
    """For every element there is a bot without it among others that have it, and one with it among others without."""
    found, bots = find_game(game), split_bots(variant.bots)
    prepared = found.prepare(variant)
    bot = find_shell(game).bots.get(bots[0].partition(":")[0])
    if len(bots) > 1 or bot is None or not bot.elements:
        able = ", ".join(name for name, known in find_shell(game).bots.items() if known.elements)
        raise UsageError(f"--elements takes one bot that can do without elements of the game: {able}")
    others = len(found.describe(prepared)["bots"]) - 1
    made = []
    for name, text in found.elements(prepared).items():
        has, lacks = bots[0], f"{bots[0]}{',' if ':' in bots[0] else ':'}{WITHOUT}={name}"
        tables = {
            f"one without {name}": [lacks, *[has] * others],
            f"one with {name}": [has, *[lacks] * others],
            f"all without {name}": [lacks],
        }
        changes = [
            Change(label, ELEMENT, text, replace(variant, bots=",".join(seated), seats="rotate", suffix=f" {label}"))
            for label, seated in tables.items()
        ]
        made.append(ElementTables(name, text, *changes))
    return made


def play_changes(
    game: str, changes: Sequence[Change], games: int, workers: int, watch: Watch, panel: Sequence[str] = ()
) -> ChangedGames:
    """Play so many games of each; with a panel by every kind of players, slow ones fewer."""
    found, matches, members = find_game(game), [], []
    every = thinned(Experiment("why", (changes[0].variant.rules,), game=game, panel=tuple(panel))) if panel else [1]
    for bots, one_of in zip(panel or (changes[0].variant.bots,), every, strict=True):
        variants = tuple(_played_by(change.variant, bots) if panel else change.variant for change in changes)
        abouts = tuple(found.describe(found.prepare(variant)) for variant in variants)
        own = max(games // one_of, min(games, _FEWEST))
        for variant, about in zip(variants, abouts, strict=True):
            each = games_a_deal(int(about["players"]), variant.rotate)
            matches.append(Match(variant, 0, max(own // each, 1) * each, each))
        members.append(MemberGames(bots, variants, abouts, {}, matches[-1].games))
    with Arena(game, workers, watch) as arena:
        played = iter(arena.play(matches))
    return ChangedGames(
        game, tuple(changes), tuple(replace(one, tables=_together(played, len(changes))) for one in members)
    )


def _played_by(variant: Variant, bots: str) -> Variant:
    """The games of a kind of players; as in a run of a panel, their names say whose they are."""
    return replace(variant, bots=bots, suffix=f"{variant.suffix}{OF_MEMBER}{bots}")


def _together(played: Iterator[Tables], count: int) -> Tables:
    """The next so many tables as one."""
    own = [next(played) for _ in range(count)]
    return {table: pl.concat([one[table] for one in own]) for table in own[0]}
