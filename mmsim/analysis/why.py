"""How much of an effect each change explains: the same games with one thing changed, against the games as played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, compare
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.fairness import SEAT_IMBALANCE, SOURCE
from mmsim.analysis.findings import findings
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables, VariantInfo
from mmsim.batch.experiment import OF_MEMBER, Experiment
from mmsim.batch.manifest import WHY
from mmsim.contests.interventions import AS_PLAYED, PLAY, RULES, Change, ChangedGames
from mmsim.errors import MmsimError
from mmsim.system.files import read_bytes, write_atomically

_SENTENCES = 2  # changes that have a sentence


@dataclass(frozen=True)
class Effect:
    """What a change does to the effect that is asked about, on the mean of all kinds of players and for each."""

    change: str
    kind: str
    text: str
    group: str  # of the metric, where the change does most
    before: Estimate  # as played
    after: Estimate
    difference: Estimate  # to the games as played
    groups: tuple[Estimate | None, ...]  # the metric itself, group by group
    players: Mapping[str, Estimate]  # the difference for every kind of players
    ahead: Mapping[str, str]  # of win shares: which player wins more than a fair share, by kind of players; "" if none
    verdict: str
    holds: str  # for whom, where there are several kinds of players
    p_adjusted: float  # of the difference, Holm over all changes and groups
    told_apart: bool  # from none, for one kind of players at least
    same: bool  # whether every game came out the same


@dataclass(frozen=True)
class Interaction:
    """Two changes alone and together: what they do together beyond the sum of what each does."""

    one: Effect
    other: Effect
    both: Effect
    beyond: Estimate


@dataclass(frozen=True)
class Why:
    """An effect, and what becomes of it when things are changed one at a time; the changes that do most first."""

    variant: str
    measure: str
    unit: str
    better: str  # more, less or neither
    groups: tuple[str, ...]
    games: Mapping[str, int]  # of every change, by every kind of players
    before: Estimate
    before_groups: tuple[Estimate | None, ...]
    before_ahead: Mapping[str, str]
    effects: tuple[Effect, ...]
    fixed: Mapping[str, str]  # what was not changed, and why
    interaction: Interaction | None = None

    @property
    def matter(self) -> list[Effect]:
        """The changes that can be told from none."""
        return [effect for effect in self.effects if effect.told_apart]

    def explains(self, effect: Effect) -> float:
        """The part of the effect that goes with a change; below zero: it had been hidden."""
        return -effect.difference.value / effect.before.value if effect.before.value else 0.0


def weigh_changes(played: ChangedGames, metric: str, fixed: Mapping[str, str] = {}) -> Why:
    """What every change does to a metric; of win shares by player it is the imbalance that is explained."""
    assert played.changes[0].name == AS_PLAYED
    headline, detail = _estimates(played, metric)
    effects = [_effect(one, played, detail) for one in _by_change(headline, played).values()]
    effects.sort(key=lambda effect: -abs(effect.difference.value))
    unused = {change.name for change in played.changes[1:]} - {effect.change for effect in effects}
    blind = dict.fromkeys(sorted(unused), "these players take no notice of it")
    return Why(
        played.changes[0].variant.rules,
        headline.measure.name,
        headline.measure.unit,
        headline.measure.better,
        detail.groups,
        {one.bots: one.games for one in played.members},
        headline.estimate(0, 0),
        _groups(detail, 0),
        _ahead(detail, 0),
        tuple(effects),
        {**fixed, **blind},
    )


def explaining_two(why: Why) -> tuple[str, str] | None:
    """The change of the rules and the change of play that are to be made together.

    Where less is better (the imbalance) it is the rule that takes most away, with the way of playing that does most:
    one explains the effect, the other what play does to it. Else it is the two that do most.
    """
    matter = why.matter
    rules, play = ([one for one in matter if one.kind == kind] for kind in (RULES, PLAY))
    if why.better == "less":
        rules = [one for one in rules if one.difference.value < 0] or rules
    if rules and play:
        return rules[0].change, play[0].change
    return (matter[0].change, matter[1].change) if len(matter) > 1 else None


def with_interaction(why: Why, played: ChangedGames, metric: str) -> Why:
    """With what two changes, made together in the last of these games, do beyond the sum of each."""
    headline, detail = _estimates(played, metric)
    one, other, both = (_effect(of, played, detail) for of in _by_change(headline, played).values())
    by_name = {effect.change: effect for effect in why.effects}  # those know all changes that were tried
    contrast, beyond = np.array([1.0, -1.0, -1.0, 1.0]), []
    for _, own in headline.counted:
        group = own.groups.index(both.group)
        value = float(contrast @ own.means[:, group])
        variance = float(contrast @ own.cov[:, group, :, group] @ contrast)
        beyond.append(stats.estimate(value, float(np.sqrt(max(variance, 0.0))), int(own.deals.min())))
    mean = beyond[0]
    if len(beyond) > 1:
        mean = stats.random_effects(
            [of.value for of in beyond], [of.se for of in beyond], [of.deals for of in beyond]
        ).estimate
    return replace(why, interaction=Interaction(by_name[one.change], by_name[other.change], both, mean))


def _estimates(played: ChangedGames, metric: str) -> tuple[Estimates, Estimates]:
    """What is explained, one number a variant, and the metric it is made of."""
    names = [metric, SEAT_IMBALANCE.name] if metric == SOURCE else [metric]
    found = {estimates.measure.name: estimates for estimates in findings(_run(played), names)}
    return found[names[-1]], found[metric]


def _run(played: ChangedGames) -> RunTables:
    """The games as the tables of a run, of a panel if several kinds of players played them."""
    first = played.members[0]
    members = []
    for own in played.members:
        variants = tuple(VariantInfo.of(*named) for named in zip(own.abouts, own.variants, strict=True))
        asked = Experiment("why", (first.variants[0].rules,), game=played.game, bots=own.bots, games=own.games)
        members.append(RunTables(asked, variants, {name: frame.lazy() for name, frame in own.tables.items()}))
    if len(members) == 1:
        return members[0]
    shared = tuple(replace(one, name=one.name.partition(OF_MEMBER)[0]) for one in members[0].variants)
    return replace(members[0], variants=shared, panel=tuple(members))


def _by_change(headline: Estimates, played: ChangedGames) -> dict[str, Comparison]:
    """Every change against the games as played, in the group where it does most."""
    names = dict(zip(headline.variants, (change.name for change in played.changes), strict=True))
    found: dict[str, Comparison] = {}
    for one in compare([headline]):
        name = names[one.variant]
        if name not in found or abs(one.difference.value) > abs(found[name].difference.value):
            found[name] = replace(one, variant=name)
    return found


def _effect(one: Comparison, played: ChangedGames, detail: Estimates) -> Effect:
    number = [change.name for change in played.changes].index(one.variant)
    change: Change = played.changes[number]
    alone = one.members[0] if len(one.members) == 1 else one  # its p-value is that of its family
    return Effect(
        change.name,
        change.kind,
        change.text,
        one.group,
        one.before,
        one.after,
        one.difference,
        _groups(detail, number),
        {of.player: of.difference for of in (*one.members, *one.others)},
        _ahead(detail, number),
        str(one.verdict),
        one.holds if len(one.members) + len(one.others) > 1 else "",
        float(alone.p_adjusted),
        one.apart,
        bool(np.nansum(np.abs(detail.means[number] - detail.means[0])) == 0),
    )


def _groups(detail: Estimates, number: int) -> tuple[Estimate | None, ...]:
    groups = range(len(detail.groups))
    return tuple(detail.estimate(number, group) if detail.known(number, group) else None for group in groups)


def _ahead(detail: Estimates, number: int) -> dict[str, str]:
    """For every kind of players that counts the group that wins most, if that is more than a fair share."""
    if detail.measure.name != SOURCE:
        return {}
    found = {}
    for member, own in detail.counted:
        best = int(np.nanargmax(own.means[number]))
        fair = 1 / np.isfinite(own.means[number]).sum()
        found[member.name] = own.groups[best] if own.estimate(number, best).low > fair else ""
    return found


def conclusions(why: Why) -> list[str]:
    """What may be said in sentences."""
    said = [f"As played: {fmt.with_interval(why.before, why.unit)}{by_group(why, why.before_groups)}."]
    if not why.matter:
        return [*said, "No change does anything that these games can tell from chance; more games might."]
    both, unit = why.interaction, fmt.difference_unit(why.unit)
    said += [_said_of(why, effect) for effect in ((both.one, both.other) if both else why.matter[:_SENTENCES])]
    if both is not None:
        said.append(
            f"Both {both.one.change} and {both.other.change}: {fmt.value(both.both.after, why.unit)}"
            f"{by_group(why, both.both.groups)}; beyond the sum of the two "
            f"{fmt.with_interval(both.beyond, unit, signed=True)}."
        )
    return [*said, *_hidden(why)]


def _said_of(why: Why, effect: Effect) -> str:
    difference = fmt.with_interval(effect.difference, fmt.difference_unit(why.unit), signed=True)
    holds = f"; {effect.verdict}, {effect.holds}" if effect.holds else ""
    what, after = f"{effect.change} ({effect.text.removesuffix('.')})", fmt.value(effect.after, why.unit)
    return f"{what}: {after}, {difference}{by_group(why, effect.groups)}{holds}."


def _hidden(why: Why) -> list[str]:
    """Whom the rules favour once bots do not play as they like, if how they do had hidden it from anybody."""
    for effect in why.matter:
        ahead = {group for group in effect.ahead.values() if group}
        if effect.kind != PLAY or len(ahead) != 1:
            continue
        (group,) = ahead
        ways = (effect.ahead, why.before_ahead)
        after, before = ([who for who, first in way.items() if first == group] for way in ways)
        if not {*after} - {*before}:
            continue
        shares = (way[why.groups.index(group)] for way in (effect.groups, why.before_groups))
        now, once = (fmt.value(share, "share") if share else "–" for share in shares)
        return [
            f"The rules favour the {group} player, and how these bots play hides it: with {effect.change} the {group} "
            f"wins {now} of the games, and is {_for_whom(why, after)}; as played it wins {once}, and is "
            f"{_for_whom(why, before)}."
        ]
    return []


def _for_whom(why: Why, who: Sequence[str]) -> str:
    every = len(why.before_ahead)
    if every == 1:
        return "ahead of all others" if who else "not surely ahead"
    if not who:
        return f"ahead for none of {every} kinds of players"
    if len(who) == every:
        return f"ahead for all {every} kinds of players"
    return f"ahead for {len(who)} of {every} ({', '.join(who)})"


def by_group(why: Why, groups: Sequence[Estimate | None]) -> str:
    """The win shares of all players in brackets, where it is their imbalance that is explained."""
    if len(groups) < 2 or why.measure != SEAT_IMBALANCE.name:
        return ""
    return f" ({' / '.join(f'{100 * one.value:.1f}' if one else '–' for one in groups)} %)"


def keep(folder: Path, why: Why) -> None:
    """Put an answer beside the tables of a run, in place of an older one to the same question."""
    try:
        older = [one for one in kept(folder) if (one.variant, one.measure) != (why.variant, why.measure)]
    except MmsimError:  # damaged: it cannot be read by anybody
        older = []
    try:
        write_atomically(folder / WHY, msgspec.json.format(msgspec.json.encode([*older, why]), indent=1) + b"\n")
    except OSError as error:
        raise MmsimError(f"cannot write {folder / WHY}: {error.strerror or error}") from error


def kept(folder: Path) -> list[Why]:
    """The answers that lie beside the tables of a run."""
    path = folder / WHY
    if not path.is_file() or path.is_symlink():
        return []
    try:
        return msgspec.json.decode(read_bytes(path), type=list[Why])
    except (ValueError, RecursionError) as error:  # what msgspec raises is a ValueError
        raise MmsimError(f"{path} is damaged: {error}; mmsim why makes it anew") from error
