"""How much of an effect each change explains: the same games with one thing changed, against the games as played."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE
from mmsim.analysis.findings import findings
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.batch.experiment import Experiment
from mmsim.contests.interventions import AS_PLAYED, BOTH, PLAY, RULES, Change, Played


@dataclass(frozen=True)
class Effect:
    """What a change does to the effect that is asked about."""

    change: Change
    after: Estimate
    difference: Estimate  # to the games as played
    groups: tuple[Estimate, ...]  # the metric itself, group by group
    p_adjusted: float  # of the difference, Holm over all changes
    same: bool  # whether every game came out the same

    @property
    def told_apart(self) -> bool:
        return self.p_adjusted < 1 - stats.LEVEL


@dataclass(frozen=True)
class Why:
    """An effect, and what becomes of it when things are changed one at a time; the changes that do most first."""

    measure: str
    unit: str
    groups: tuple[str, ...]
    before: Estimate
    before_groups: tuple[Estimate, ...]
    effects: tuple[Effect, ...]
    games: int

    @property
    def matter(self) -> list[Effect]:
        """The changes that can be told from none."""
        return [effect for effect in self.effects if effect.told_apart]

    def explains(self, effect: Effect) -> float:
        """The part of the effect that goes with a change; below zero: it had been hidden."""
        return -effect.difference.value / self.before.value if self.before.value else 0.0


@dataclass(frozen=True)
class Interaction:
    """Two changes alone and together: what they do together beyond the sum of what each does."""

    one: Effect
    other: Effect
    both: Effect
    beyond: Estimate


def weigh_changes(played: Played, metric: str) -> Why:
    """What every change does to a metric; of win shares by player it is the imbalance that is explained."""
    headline, detail = _estimates(played, metric)
    made = [_effect(played, headline, detail, number) for number in range(1, len(played.changes))]
    adjusted = stats.holm([effect.p_adjusted for effect in made])
    effects = [
        Effect(one.change, one.after, one.difference, one.groups, float(p), one.same)
        for one, p in zip(made, adjusted, strict=True)
    ]
    effects.sort(key=lambda effect: -abs(effect.difference.value))
    return Why(
        headline.measure.name,
        headline.measure.unit,
        detail.groups,
        headline.estimate(0, 0),
        _groups(detail, 0),
        tuple(effects),
        played.games,
    )


def biggest_two(why: Why) -> tuple[Change, Change] | None:
    """The change of the rules and the change of play that do most; where one is missing, the two that do most."""
    matter = why.matter
    rules, play = ([one.change for one in matter if one.change.kind == kind] for kind in (RULES, PLAY))
    if rules and play:
        return rules[0], play[0]
    return (matter[0].change, matter[1].change) if len(matter) > 1 else None


def interaction(played: Played, metric: str) -> Interaction:
    """Of what is asked about, two changes and both at once, in this order: what both do beyond the sum."""
    headline, detail = _estimates(played, metric)
    numbers = {change.kind: number for number, change in enumerate(played.changes)}
    assert numbers[BOTH] == len(played.changes) - 1 == 3
    one, other, both = (_effect(played, headline, detail, number) for number in (1, 2, 3))
    contrast = np.array([1.0, -1.0, -1.0, 1.0])
    value = float(contrast @ headline.means[:, 0])
    variance = float(contrast @ headline.cov[:, 0, :, 0] @ contrast)
    return Interaction(one, other, both, _estimate(value, variance, headline))


def _estimates(played: Played, metric: str) -> tuple[Estimates, Estimates]:
    """What is explained, one number a variant, and the metric it is made of."""
    names = [metric, SEAT_IMBALANCE.name] if metric == SOURCE else [metric]
    found = {estimates.measure.name: estimates for estimates in findings(_run(played), names)}
    return found[names[-1]], found[metric]


def _run(played: Played) -> RunTables:
    """The games as the tables of a run."""
    rules = tuple(change.variant.rules for change in played.changes)
    variants = tuple(
        VariantInfo.of(about, change.variant) for about, change in zip(played.abouts, played.changes, strict=True)
    )
    asked = Experiment("why", rules, game=played.game, bots=played.changes[0].variant.bots, games=played.games)
    return RunTables(asked, variants, {name: frame.lazy() for name, frame in played.tables.items()})


def _effect(played: Played, headline: Estimates, detail: Estimates, number: int) -> Effect:
    """A change against the games as played, in the group where it does most; its p-value is not adjusted yet."""
    assert played.changes[0].name == AS_PLAYED
    differences = headline.means[number] - headline.means[0]
    group = int(np.nanargmax(np.abs(differences)))
    variance = headline.variance_of_difference(number, 0, group, headline.paired)
    difference = _estimate(float(differences[group]), variance, headline)
    same = bool(np.nansum(np.abs(detail.means[number] - detail.means[0])) == 0)
    p = stats.two_sided_p(difference.value, difference.se, difference.deals - 1) if difference.se > 0 else 1.0
    return Effect(
        played.changes[number], headline.estimate(number, group), difference, _groups(detail, number), p, same
    )


def _estimate(value: float, variance: float, estimates: Estimates) -> Estimate:
    return stats.estimate(value, float(np.sqrt(max(variance, 0.0))), int(estimates.deals.min()))


def _groups(detail: Estimates, number: int) -> tuple[Estimate, ...]:
    return tuple(detail.estimate(number, group) for group in range(len(detail.groups)))


def conclusions(why: Why, both: Interaction | None) -> Sequence[str]:
    """What may be said in sentences."""
    from mmsim.analysis import words

    told = [f"As played: {words.with_interval(why.before, why.unit)}{_by_group(why, why.before_groups)}."]
    if not why.matter:
        return [*told, "No change does anything that these games can tell from chance; more games might."]
    for effect in why.matter[:2]:
        unit = words.difference_unit(why.unit)
        told.append(
            f"{effect.change.name} ({effect.change.text}): {words.value(effect.after, why.unit)}, "
            f"{words.with_interval(effect.difference, unit, signed=True)}{_by_group(why, effect.groups)}."
        )
    if both is not None:
        told.append(
            f"Both {both.one.change.name} and {both.other.change.name}: {words.value(both.both.after, why.unit)}"
            f"{_by_group(why, both.both.groups)}; beyond the sum of the two "
            f"{words.with_interval(both.beyond, words.difference_unit(why.unit), signed=True)}."
        )
    return [*told, *_hidden(why)]


def _hidden(why: Why) -> list[str]:
    """Who is ahead once bots do not open as they like: a habit of theirs may have hidden whom the rules favour."""
    if why.measure != SEAT_IMBALANCE.name:
        return []
    for effect in why.matter:
        ahead = int(np.argmax([one.value for one in effect.groups]))
        if (
            effect.change.kind == PLAY
            and effect.difference.value > 0
            and effect.groups[ahead].low > 1 / len(why.groups)
        ):
            return [
                f"How these bots open hides it: with {effect.change.name} {why.groups[ahead]} wins "
                f"{effect.groups[ahead].value:.1%} of the games. The rules favour {why.groups[ahead]}."
            ]
    return []


def _by_group(why: Why, groups: Sequence[Estimate]) -> str:
    if len(groups) < 2 or why.measure != SEAT_IMBALANCE.name:
        return ""
    return f" ({' / '.join(f'{100 * one.value:.1f}' for one in groups)} %)"
