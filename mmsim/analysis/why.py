"""How much of an effect each change explains: the same games with one thing changed, against the games as played."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mmsim.analysis import stats
from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import Comparison, LevelEstimates, compare
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE, Estimates, by_name
from mmsim.analysis.run_metrics import estimate_run, find_metric
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables
from mmsim.analysis.why_seats import SeatEffect, carrier, measure_seats, seat_changes, seat_sentences
from mmsim.batch.experiment import Experiment
from mmsim.batch.manifest import WHY
from mmsim.batch.side_files import damaged, read_side_file, write_side_file
from mmsim.contests.interventions import (
    AS_PLAYED,
    PLAY,
    RULES,
    Change,
    ChangedGames,
    PlayChanges,
    as_played,
    by_seat,
    possible_changes,
)
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, unknown


@dataclass(frozen=True)
class OtherLevel:
    """Players of another level, with whom the largest effects are measured again."""

    level: str
    bots: str
    play: PlayChanges


_MAX_SENTENCES = 2  # changes described in a sentence, if there is no interaction


@dataclass(frozen=True)
class ChangeEffect:
    """What a change does to the metric in question."""

    change: str
    kind: str
    text: str
    group: str  # of the metric, where the change does most
    before: Estimate  # as played
    after: Estimate
    difference: Estimate  # from the games as played
    groups: tuple[Estimate | None, ...]  # the metric itself, group by group
    verdict: str
    p_adjusted: float  # Holm correction over all changes and groups
    is_significant: bool
    identical: bool  # every game came out the same

    @property
    def for_group(self) -> str:
        """The group of the numbers before, after and between, for a sentence; empty if the metric has no groups."""
        return f" for {fmt.title(self.group)}" if self.group else ""


@dataclass(frozen=True)
class Interaction:
    """Two changes alone and together: what they do together beyond the sum of what each does."""

    first: ChangeEffect
    second: ChangeEffect
    both: ChangeEffect
    beyond: Estimate


@dataclass(frozen=True)
class Agreement:
    """What a change does at another level of play."""

    level: str
    change: str
    games: int
    difference: Estimate

    def sentence(self, effect: ChangeEffect, unit: str) -> str:
        """Whether that level agrees with an effect, in the same group of the metric."""
        shown = f"{fmt.with_interval(self.difference, unit, signed=True)}; {self.games:,} games"
        if self.difference.low <= 0 <= self.difference.high:
            return f"At {self.level} level the effect of {self.change}{effect.for_group} is not significant ({shown})."
        agrees = (self.difference.value > 0) == (effect.difference.value > 0)
        verb = "agrees" if agrees else "disagrees"
        return f"{self.level.capitalize()} level {verb} on {self.change}{effect.for_group} ({shown})."


@dataclass(frozen=True)
class Why:
    """An effect, and what becomes of it when things are changed one at a time; the largest changes come first."""

    variant: str
    measure: str
    unit: str
    better: str  # more, less or neither
    groups: tuple[str, ...]
    bots: str  # who played
    games: int  # per change
    before: Estimate
    before_groups: tuple[Estimate | None, ...]
    effects: tuple[ChangeEffect, ...]
    fixed: Mapping[str, str]  # what was not changed, and why
    interaction: Interaction | None = None
    seats: Mapping[str, tuple[SeatEffect, ...]] = field(default_factory=dict)  # changes of play, forced by seat
    elsewhere: tuple[Agreement, ...] = ()  # the largest effects at another level

    @property
    def is_grouped(self) -> bool:
        """True if each effect is that of one group, the one where the change does most."""
        return len(self.groups) > 1 and self.measure != SEAT_IMBALANCE.name

    @property
    def significant_effects(self) -> list[ChangeEffect]:
        """The changes with a significant effect."""
        return [effect for effect in self.effects if effect.is_significant]

    def explains(self, effect: ChangeEffect) -> float:
        """The share of the effect that goes away with a change; negative if it grows."""
        return -effect.difference.value / effect.before.value if effect.before.value else 0.0

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self)
        for row, effect in zip(plain["effects"], self.effects, strict=True):
            row["explains"] = self.explains(effect)
        return {**plain, "sentences": conclusions(self)}


def explain(
    game: str,
    variant: Variant,
    metric: str,
    play: PlayChanges,
    only: Sequence[str] = (),
    other_level: OtherLevel | None = None,
) -> Why:
    """Play a variant with one thing changed at a time (or `only` some of the changes).

    Then force play for one seat at a time, measure the largest effects at another level, and change together the rule
    and the way of playing that explain most.
    """
    find_metric(game, metric)
    possible, fixed = possible_changes(game, variant)
    known = [change.name for change in possible]
    for name in only:
        if name not in known:
            raise unknown("change", name, known)
    changes = [as_played(variant), *(change for change in possible if not only or change.name in only)]
    played = play(changes)
    why = measure_effects(played, metric, {} if only else fixed)
    named = {change.name: change for change in changes}
    if metric == WIN_SHARE:
        forced = [change for change in changes if by_seat(game, variant, change)]
        why = replace(why, seats={change.name: _force_seats(why, played, change, play, metric) for change in forced})
    if other_level is not None and why.significant_effects:
        why = replace(why, elsewhere=tuple(_effects_at_level(why, named, other_level, metric)))
    pair = pair_to_combine(why)
    if pair is None:
        return why
    both = named[pair[0]].combined_with(named[pair[1]])
    played = played.extended_with(play([both]))
    return add_interaction(why, played.only([AS_PLAYED, *pair, both.name]), metric)


def _force_seats(
    why: Why, played: ChangedGames, change: Change, play: PlayChanges, metric: str
) -> tuple[SeatEffect, ...]:
    """A change of play forced for one seat at a time; for two where no seat alone makes half of its effect."""
    whole = next(effect for effect in why.effects if effect.change == change.name)
    seat_player = played.descriptions[0].seat_player
    measured: tuple[SeatEffect, ...] = ()
    for together in (1, 2):
        forced = seat_changes(change, len(seat_player), together)
        games = played.only([AS_PLAYED]).extended_with(play([limited for _, limited in forced]))
        headline, shares = _estimates(games, metric)
        measured += measure_seats(headline, shares, forced, seat_player, whole.difference.value)
        if not whole.is_significant or carrier(measured) is not None or len(seat_player) <= 2:
            break
    return measured


def _effects_at_level(why: Why, changes: Mapping[str, Change], other: OtherLevel, metric: str) -> Iterator[Agreement]:
    """What the largest changes do at another level, each in the group where it does most at this one."""
    groups = {effect.change: effect.group for effect in why.significant_effects[:_MAX_SENTENCES]}
    games = other.play(
        [
            replace(changes[name], variant=replace(changes[name].variant, bots=other.bots))
            for name in (AS_PLAYED, *groups)
        ]
    )
    for name, comparison in _compare_changes(_estimates(games, metric)[0], games):
        if comparison.group == groups[name]:
            yield Agreement(other.level, name, games.games, comparison.difference)


def measure_effects(played: ChangedGames, metric: str, fixed: Mapping[str, str] = {}) -> Why:
    """What every change does to a metric; for win shares by player it is the imbalance that is explained."""
    assert played.changes[0].name == AS_PLAYED
    headline, detail = _estimates(played, metric)
    largest = _largest_by_change(headline, played)
    effects = [_effect(name, comparison, played, detail) for name, comparison in largest.items()]
    effects.sort(key=lambda effect: -abs(effect.difference.value))
    unused = {change.name for change in played.changes[1:]} - {effect.change for effect in effects}
    ignored = dict.fromkeys(sorted(unused), f"{played.bots} ignores it")
    return Why(
        played.changes[0].variant.rules,
        headline.measure.name,
        headline.measure.unit,
        headline.measure.better,
        detail.groups,
        played.bots,
        played.games,
        headline.estimate(0, 0),
        tuple(detail.by_group(0)),
        tuple(effects),
        {**fixed, **ignored},
    )


def pair_to_combine(why: Why) -> tuple[str, str] | None:
    """The change of the rules and the change of play whose interaction is measured.

    Where less is better (the imbalance) it is the rule that removes most of it, with the way of playing that does
    most: one explains the effect, the other what play does to it. Otherwise it is the two that do most; two values of
    one knob do not go together.
    """
    effects = why.significant_effects
    rules, play = ([effect for effect in effects if effect.kind == kind] for kind in (RULES, PLAY))
    if why.better == "less":
        rules = [effect for effect in rules if effect.difference.value < 0] or rules
    if rules and play:
        return rules[0].change, play[0].change
    knobs = [effect.change.partition("=")[0] for effect in effects]
    others = [effect.change for effect, knob in zip(effects, knobs, strict=True) if knob != knobs[0]]
    return (effects[0].change, others[0]) if others else None


def add_interaction(why: Why, played: ChangedGames, metric: str) -> Why:
    """Add what two changes, made together in the last of these games, do beyond the sum of each."""
    headline, detail = _estimates(played, metric)
    largest = _largest_by_change(headline, played)
    first, second, both = (_effect(name, comparison, played, detail) for name, comparison in largest.items())
    alone = {effect.change: effect for effect in why.effects}  # their p-values account for all changes
    contrast, group = np.array([1.0, -1.0, -1.0, 1.0]), headline.groups.index(both.group)
    value = float(contrast @ headline.means[:, group])
    variance = float(contrast @ headline.cov[:, group, :, group] @ contrast)
    beyond = stats.estimate(value, float(np.sqrt(max(variance, 0.0))), int(headline.deals.min()))
    return replace(why, interaction=Interaction(alone[first.change], alone[second.change], both, beyond))


def _estimates(played: ChangedGames, metric: str) -> tuple[Estimates, Estimates]:
    """What is explained, of win shares their imbalance, and the metric it is derived from."""
    names = [metric, SEAT_IMBALANCE.name] if metric == WIN_SHARE else [metric]
    (level,) = estimate_run(_run_tables(played), names)
    estimates = by_name(level.metrics)
    return replace(estimates[names[-1]], shares=None), estimates[metric]  # so that differences of the imbalance add up


def _run_tables(played: ChangedGames) -> RunTables:
    rules = (played.descriptions[0].rules,)
    experiment = Experiment("why", rules, game=played.game, bots=played.bots, games=played.games)
    return RunTables(experiment, played.descriptions, {name: frame.lazy() for name, frame in played.tables.items()})


def _compare_changes(headline: Estimates, played: ChangedGames) -> Iterator[tuple[str, Comparison]]:
    """Every change, by name, against the games as played in every group."""
    names = dict(zip(headline.variants, (change.name for change in played.changes), strict=True))
    run = _run_tables(played)
    for over_levels in compare([LevelEstimates(run.level, [headline], run.blind)]):
        (comparison,) = over_levels.levels
        yield names[comparison.variant], comparison


def _largest_by_change(headline: Estimates, played: ChangedGames) -> dict[str, Comparison]:
    """Every change against the games as played, in the group where it does most."""
    largest: dict[str, Comparison] = {}
    for name, comparison in _compare_changes(headline, played):
        if name not in largest or abs(comparison.difference.value) > abs(largest[name].difference.value):
            largest[name] = comparison
    return largest


def _effect(name: str, comparison: Comparison, played: ChangedGames, detail: Estimates) -> ChangeEffect:
    number = [change.name for change in played.changes].index(name)
    change = played.changes[number]
    return ChangeEffect(
        change.name,
        change.kind,
        change.text,
        comparison.group,
        comparison.before,
        comparison.after,
        comparison.difference,
        tuple(detail.by_group(number)),
        str(comparison.verdict),
        float(comparison.p_adjusted),
        comparison.effect.is_shown,
        _is_identical(detail, number),
    )


def _is_identical(detail: Estimates, number: int) -> bool:
    """True if no game of a change came out differently in any group."""
    return all(
        detail.means[0, group] == detail.means[number, group]
        and detail.variance_of_difference(0, number, group, paired=True) == 0
        for group in range(len(detail.groups))
        if detail.known(0, group) or detail.known(number, group)
    )


# --- sentences ---------------------------------------------------------------------------------------------------


def conclusions(why: Why) -> list[str]:
    sentences = [f"As played: {_as_played_text(why)}."]
    both, unit = why.interaction, fmt.difference_unit(why.unit)
    if not why.significant_effects and not any(effect.is_shown for seats in why.seats.values() for effect in seats):
        return [*sentences, "No change has a significant effect in these games; more games might show one."]
    described = (both.first, both.second) if both else why.significant_effects[:_MAX_SENTENCES]
    sentences += [_effect_sentence(why, effect) for effect in described]
    if both is not None:
        sentences.append(
            f"Both {both.first.change} and {both.second.change}: {fmt.value(both.both.after, why.unit)}"
            f"{both.both.for_group}{shares_text(why, both.both.groups)}; beyond the sum of the two "
            f"{fmt.with_interval(both.beyond, unit, signed=True)}."
        )
    for name, seats in why.seats.items():
        whole = next(effect for effect in why.effects if effect.change == name)
        sentences += seat_sentences(whole.text, seats, whole.is_significant, why.groups)
    effects = {effect.change: effect for effect in why.effects}
    sentences += [agreement.sentence(effects[agreement.change], unit) for agreement in why.elsewhere]
    return sentences


def _as_played_text(why: Why) -> str:
    if not why.is_grouped:
        return fmt.with_interval(why.before, why.unit) + shares_text(why, why.before_groups)
    known = zip(why.groups, why.before_groups, strict=True)
    return ", ".join(f"{fmt.title(group)} {fmt.value(mean, why.unit)}" for group, mean in known if mean)


def _effect_sentence(why: Why, effect: ChangeEffect) -> str:
    difference = fmt.with_interval(effect.difference, fmt.difference_unit(why.unit), signed=True)
    change, after = f"{effect.change} ({effect.text.removesuffix('.')})", fmt.value(effect.after, why.unit)
    return f"{change}: {after}{effect.for_group}, {difference}{shares_text(why, effect.groups)}."


def shares_text(why: Why, groups: Sequence[Estimate | None]) -> str:
    """The win shares of all players in brackets, if their imbalance is explained."""
    if len(groups) < 2 or why.measure != SEAT_IMBALANCE.name:
        return ""
    return f" ({' / '.join(f'{100 * share.value:.1f}' if share else '–' for share in groups)} %)"


# --- answers kept beside the tables of a run ----------------------------------------------------------------------


def write_answer(folder: Path, why: Why) -> None:
    """Add an answer to a run, in place of an older one to the same question."""
    try:
        answers = [
            answer for answer in read_answers(folder) if (answer.variant, answer.measure) != (why.variant, why.measure)
        ]
    except MmsimError:  # a damaged file is replaced
        answers = []
    write_side_file(folder, WHY, msgspec.json.format(msgspec.json.encode([*answers, why]), indent=1) + b"\n")


def read_answers(folder: Path) -> list[Why]:
    """The answers kept beside the tables of a run."""
    content = read_side_file(folder, WHY)
    if content is None:
        return []
    try:
        return msgspec.json.decode(content, type=list[Why])
    except (ValueError, RecursionError) as error:  # msgspec raises a subclass of ValueError
        raise damaged(folder, WHY, f"is not an answer: {error}") from error
