"""How much of an effect each change explains: the same games with one thing changed, against the games as played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, LevelEstimates, compare
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.run_metrics import estimate_run, find_metric
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables
from mmsim.batch.experiment import Experiment
from mmsim.batch.manifest import WHY
from mmsim.contests.interventions import (
    AS_PLAYED,
    PLAY,
    RULES,
    ChangedGames,
    PlayChanges,
    as_played,
    possible_changes,
)
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, unknown
from mmsim.system.files import read_bytes, write_atomically

_MAX_SENTENCES = 2  # changes described in a sentence, if there is no interaction


@dataclass(frozen=True)
class Effect:
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


@dataclass(frozen=True)
class Interaction:
    """Two changes alone and together: what they do together beyond the sum of what each does."""

    first: Effect
    second: Effect
    both: Effect
    beyond: Estimate


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
    effects: tuple[Effect, ...]
    fixed: Mapping[str, str]  # what was not changed, and why
    interaction: Interaction | None = None

    @property
    def matter(self) -> list[Effect]:
        """The changes with a significant effect."""
        return [effect for effect in self.effects if effect.is_significant]

    def explains(self, effect: Effect) -> float:
        """The share of the effect that goes away with a change; negative if it grows."""
        return -effect.difference.value / effect.before.value if effect.before.value else 0.0

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self)
        for row, effect in zip(plain["effects"], self.effects, strict=True):
            row["explains"] = self.explains(effect)
        return {**plain, "sentences": conclusions(self)}


def explain(game: str, variant: Variant, metric: str, play: PlayChanges, only: Sequence[str] = ()) -> Why:
    """Play a variant with one thing changed at a time (or `only` some of the changes); then change together the
    rule and the way of playing that explain most."""
    find_metric(game, metric)
    possible, fixed = possible_changes(game, variant)
    known = [change.name for change in possible]
    for name in only:
        if name not in known:
            raise unknown("change", name, known)
    changes = [as_played(variant), *(change for change in possible if not only or change.name in only)]
    played = play(changes)
    why = measure_effects(played, metric, {} if only else fixed)
    pair = pair_to_combine(why)
    if pair is None:
        return why
    by_name = {change.name: change for change in changes}
    both = by_name[pair[0]].combined_with(by_name[pair[1]])
    played = played.extended_with(play([both]))
    return add_interaction(why, played.only([AS_PLAYED, *pair, both.name]), metric)


def measure_effects(played: ChangedGames, metric: str, fixed: Mapping[str, str] = {}) -> Why:
    """What every change does to a metric; for win shares by player it is the imbalance that is explained."""
    assert played.changes[0].name == AS_PLAYED
    headline, detail = _estimates(played, metric)
    largest = _largest_by_change(headline, played)
    effects = [_effect(name, comparison, played, detail) for name, comparison in largest.items()]
    effects.sort(key=lambda effect: -abs(effect.difference.value))
    unused = {change.name for change in played.changes[1:]} - {effect.change for effect in effects}
    ignored = dict.fromkeys(sorted(unused), f"{played.bots} takes no notice of it")
    return Why(
        played.changes[0].variant.rules,
        headline.measure.name,
        headline.measure.unit,
        headline.measure.better,
        detail.groups,
        played.bots,
        played.games,
        headline.estimate(0, 0),
        _groups(detail, 0),
        tuple(effects),
        {**fixed, **ignored},
    )


def pair_to_combine(why: Why) -> tuple[str, str] | None:
    """The change of the rules and the change of play whose interaction is measured.

    Where less is better (the imbalance) it is the rule that removes most of it, with the way of playing that does
    most: one explains the effect, the other what play does to it. Otherwise it is the two that do most.
    """
    matter = why.matter
    rules, play = ([effect for effect in matter if effect.kind == kind] for kind in (RULES, PLAY))
    if why.better == "less":
        rules = [effect for effect in rules if effect.difference.value < 0] or rules
    if rules and play:
        return rules[0].change, play[0].change
    return (matter[0].change, matter[1].change) if len(matter) > 1 else None


def add_interaction(why: Why, played: ChangedGames, metric: str) -> Why:
    """Add what two changes, made together in the last of these games, do beyond the sum of each."""
    headline, detail = _estimates(played, metric)
    largest = _largest_by_change(headline, played)
    first, second, both = (_effect(name, comparison, played, detail) for name, comparison in largest.items())
    by_name = {effect.change: effect for effect in why.effects}  # their p-values account for all changes
    contrast, group = np.array([1.0, -1.0, -1.0, 1.0]), headline.groups.index(both.group)
    value = float(contrast @ headline.means[:, group])
    variance = float(contrast @ headline.cov[:, group, :, group] @ contrast)
    beyond = stats.estimate(value, float(np.sqrt(max(variance, 0.0))), int(headline.deals.min()))
    return replace(why, interaction=Interaction(by_name[first.change], by_name[second.change], both, beyond))


def _estimates(played: ChangedGames, metric: str) -> tuple[Estimates, Estimates]:
    """What is explained, one number per variant, and the metric it is derived from."""
    names = [metric, SEAT_IMBALANCE.name] if metric == WIN_SHARE else [metric]
    (level,) = estimate_run(_run_tables(played), names)
    by_name = {estimates.name: estimates for estimates in level.metrics}
    return replace(by_name[names[-1]], shares=None), by_name[metric]  # so that differences of the imbalance add up


def _run_tables(played: ChangedGames) -> RunTables:
    """The games as the tables of a run."""
    rules = (played.descriptions[0].rules,)
    experiment = Experiment("why", rules, game=played.game, bots=played.bots, games=played.games)
    return RunTables(experiment, played.descriptions, {name: frame.lazy() for name, frame in played.tables.items()})


def _largest_by_change(headline: Estimates, played: ChangedGames) -> dict[str, Comparison]:
    """Every change against the games as played, in the group where it does most."""
    names = dict(zip(headline.variants, (change.name for change in played.changes), strict=True))
    largest: dict[str, Comparison] = {}
    run = _run_tables(played)
    for over_levels in compare([LevelEstimates(run.level, [headline], run.blind)]):
        (comparison,) = over_levels.levels
        name = names[comparison.variant]
        if name not in largest or abs(comparison.difference.value) > abs(largest[name].difference.value):
            largest[name] = comparison
    return largest


def _effect(name: str, comparison: Comparison, played: ChangedGames, detail: Estimates) -> Effect:
    number = [change.name for change in played.changes].index(name)
    change = played.changes[number]
    return Effect(
        change.name,
        change.kind,
        change.text,
        comparison.group,
        comparison.before,
        comparison.after,
        comparison.difference,
        _groups(detail, number),
        str(comparison.verdict),
        float(comparison.p_adjusted),
        comparison.effect.is_shown,
        bool(np.nansum(np.abs(detail.means[number] - detail.means[0])) == 0),
    )


def _groups(detail: Estimates, number: int) -> tuple[Estimate | None, ...]:
    return tuple(detail.get(number, group) for group in range(len(detail.groups)))


# --- sentences ---------------------------------------------------------------------------------------------------


def conclusions(why: Why) -> list[str]:
    sentences = [f"As played: {fmt.with_interval(why.before, why.unit)}{by_group(why, why.before_groups)}."]
    if not why.matter:
        return [*sentences, "No change does anything that these games can tell from chance; more games might."]
    both, unit = why.interaction, fmt.difference_unit(why.unit)
    described = (both.first, both.second) if both else why.matter[:_MAX_SENTENCES]
    sentences += [_effect_sentence(why, effect) for effect in described]
    if both is not None:
        sentences.append(
            f"Both {both.first.change} and {both.second.change}: {fmt.value(both.both.after, why.unit)}"
            f"{by_group(why, both.both.groups)}; beyond the sum of the two "
            f"{fmt.with_interval(both.beyond, unit, signed=True)}."
        )
    return sentences


def _effect_sentence(why: Why, effect: Effect) -> str:
    difference = fmt.with_interval(effect.difference, fmt.difference_unit(why.unit), signed=True)
    change, after = f"{effect.change} ({effect.text.removesuffix('.')})", fmt.value(effect.after, why.unit)
    return f"{change}: {after}, {difference}{by_group(why, effect.groups)}."


def by_group(why: Why, groups: Sequence[Estimate | None]) -> str:
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
    write_atomically(folder / WHY, msgspec.json.format(msgspec.json.encode([*answers, why]), indent=1) + b"\n")


def read_answers(folder: Path) -> list[Why]:
    """The answers kept beside the tables of a run."""
    path = folder / WHY
    if not path.is_file() or path.is_symlink():
        return []
    try:
        return msgspec.json.decode(read_bytes(path), type=list[Why])
    except (ValueError, RecursionError) as error:  # msgspec raises a subclass of ValueError
        raise MmsimError(f"{path} is damaged: {error}; mmsim why writes it again") from error
