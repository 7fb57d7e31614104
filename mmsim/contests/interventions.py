"""Interventions: the same games with one thing changed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from mmsim.batch.experiment import OF_LEVEL, variants_of
from mmsim.batch.run import Run
from mmsim.batch.session import Watch
from mmsim.contests.matches import Match, MatchRunner
from mmsim.core.interventions import of_seats
from mmsim.core.knobs import Knob, Value, spelled
from mmsim.core.levels import default_level
from mmsim.core.variant import Variant, VariantDescription
from mmsim.errors import UsageError, full_name
from mmsim.games import find_game, find_shell

RULES, PLAY, BOTH = "rules", "play", "both"  # kinds of changes
AS_PLAYED = "as played"
_STEP_FRACTION = 5  # a number is moved up and down by a fifth


@dataclass(frozen=True)
class Change:
    """A variant that differs from the one in question in one thing, or in two."""

    name: str
    kind: str
    text: str
    variant: Variant

    def combined_with(self, other: "Change") -> "Change":
        base = self.variant if self.kind == RULES else other.variant
        interventions = tuple(dict.fromkeys((*self.variant.interventions, *other.variant.interventions)))
        if self.kind == other.kind == RULES:
            base = replace(base, rules=f"{self.variant.rules},{other.name}")
        name = f"{self.name} and {other.name}"
        variant = replace(base, interventions=interventions, suffix=f" {name}")
        return Change(name, BOTH, f"{self.text}; {other.text}", variant)


@dataclass(frozen=True)
class ChangedGames:
    """The games as played and with every change, on the same layouts and deals."""

    game: str
    changes: tuple[Change, ...]  # as played first
    descriptions: tuple[VariantDescription, ...]  # one per change
    tables: Mapping[str, pl.DataFrame]
    games: int  # per change

    @property
    def bots(self) -> str:
        return self.changes[0].variant.bots

    def extended_with(self, more: "ChangedGames") -> "ChangedGames":
        """These games and those of more changes, played by the same bots."""
        tables = {table: pl.concat([frame, more.tables[table]]) for table, frame in self.tables.items()}
        return replace(
            self, changes=self.changes + more.changes, descriptions=self.descriptions + more.descriptions, tables=tables
        )

    def only(self, names: Sequence[str]) -> "ChangedGames":
        """The games of some of the changes, in this order."""
        known = [change.name for change in self.changes]
        at = [known.index(name) for name in names]
        descriptions = tuple(self.descriptions[i] for i in at)
        is_wanted = pl.col("variant").cast(pl.String).is_in([description.name for description in descriptions])
        tables = {table: frame.filter(is_wanted) for table, frame in self.tables.items()}
        return replace(self, changes=tuple(self.changes[i] for i in at), descriptions=descriptions, tables=tables)


PlayChanges = Callable[[Sequence[Change]], ChangedGames]


def variant_of_run(folder: Path, name: str | None, level: str | None) -> tuple[str, Variant]:
    """The game and a variant (by default the first) of a run, at one of its levels or the default one."""
    run = Run(folder)
    names = [variant.partition(OF_LEVEL)[0] for variant in run.variant_names]
    chosen = full_name("variant", name, dict.fromkeys(names)) if name else names[0]
    levels = [table.name for table in run.experiment.played_levels]
    chosen_level = full_name("level", level, levels) if level else default_level(levels)
    at_level = variants_of(run.experiment, run.nets)[levels.index(chosen_level) * len(names) // len(levels) :]
    return run.experiment.game, replace(at_level[names.index(chosen)], suffix="", level_suffix="", seats="fixed")


def as_played(variant: Variant) -> Change:
    return Change(AS_PLAYED, "", "nothing is changed", replace(variant, suffix=f" {AS_PLAYED}"))


def possible_changes(game: str, variant: Variant) -> tuple[list[Change], dict[str, str]]:
    """Every knob moved to its other values, and every intervention in play; then what cannot be changed, and why."""
    shell, core = find_shell(game), find_game(game)
    if variant.rules.endswith(".toml"):
        raise UsageError(
            f"knobs are moved from a ruleset like {shell.default_rules}, not from the file {variant.rules}"
        )
    explained, changes, fixed = shell.explain(variant.rules, variant.players), [], {}
    for name, knob in shell.knobs.items():
        for value in alternative_values(knob, explained.knobs[name]):
            change = f"{name}={spelled(value)}"
            rules = f"{variant.rules},{change}"
            try:
                shell.explain(rules, variant.players)
            except UsageError as error:  # the value contradicts another rule
                fixed[change] = str(error)
                continue
            changes.append(Change(change, RULES, knob.text, replace(variant, rules=rules, suffix=f" {change}")))
    for name, text in core.interventions(core.prepare(variant)).items():
        changes.append(Change(name, PLAY, text, replace(variant, interventions=(name,), suffix=f" {name}")))
    return changes, fixed


def by_seat(game: str, variant: Variant, change: Change) -> bool:
    """True if a change of play can be limited to some seats."""
    core = find_game(game)
    return change.kind == PLAY and change.name in core.interventions_by_seat(core.prepare(variant))


def limited_to_seats(change: Change, seats: Sequence[int]) -> Change:
    """A change of play made for some seats only."""
    name = of_seats(change.name, seats)
    variant = replace(change.variant, interventions=(name,), suffix=f" {name}")
    return Change(name, PLAY, f"{change.text}, but only in some seats", variant)


def alternative_values(knob: Knob, value: Value) -> list[Value]:
    """The values that a knob is moved to: all other choices, or a number some less and some more."""
    if words := knob.choices or knob.examples:
        return [word for word in words if word != value]
    if knob.is_switch:
        return [not value]
    step = max(1, round(int(value) / _STEP_FRACTION))
    return [number for number in (int(value) - step, int(value) + step) if knob.low <= number <= knob.high]


def play_changes(game: str, changes: Sequence[Change], games: int, workers: int, watch: Watch) -> ChangedGames:
    """Play this many games of each change."""
    core, matches, descriptions = find_game(game), [], []
    for change in changes:
        descriptions.append(core.prepare(change.variant).description.with_names_from(change.variant))
        deal = descriptions[-1].games_per_deal
        matches.append(Match(change.variant, 0, max(games // deal, 1) * deal, deal))
    with MatchRunner(game, workers, watch) as runner:
        played = runner.play(matches)
    tables = {table: pl.concat([match[table] for match in played]) for table in played[0]}
    return ChangedGames(game, tuple(changes), tuple(descriptions), tables, matches[0].games)
