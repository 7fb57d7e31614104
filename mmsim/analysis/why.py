"""How much of an effect each change explains: the same games with one thing changed, against the games as played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, compare
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.run_metrics import estimate_run, find_metric
from mmsim.analysis.stats import Estimate
from mmsim.analysis.tables import RunTables, with_panel
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
    """What a change does to the metric in question, on average over all kinds of players and for each of them."""

    change: str
    kind: str
    text: str
    group: str  # of the metric, where the change does most
    before: Estimate  # as played
    after: Estimate
    difference: Estimate  # from the games as played
    groups: tuple[Estimate | None, ...]  # the metric itself, group by group
    players: Mapping[str, Estimate]  # the difference for every kind of players
    ahead: Mapping[str, str]  # win shares only: by kind of players, who wins more than a fair share; "" if nobody
    verdict: str
    holds: str  # for whom, where there are several kinds of players
    p_adjusted: float  # Holm correction over all changes and groups
    is_significant: bool  # for at least one kind of players
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
    games: Mapping[str, int]  # per change, by kind of players
    before: Estimate
    before_groups: tuple[Estimate | None, ...]
    before_ahead: Mapping[str, str]
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
    effects = [_effect(comparison, played, detail) for comparison in _largest_by_change(headline, played).values()]
    effects.sort(key=lambda effect: -abs(effect.difference.value))
    unused = {change.name for change in played.changes[1:]} - {effect.change for effect in effects}
    ignored = dict.fromkeys(sorted(unused), "these players take no notice of it")
    return Why(
        played.changes[0].variant.rules,
        headline.measure.name,
        headline.measure.unit,
        headline.measure.better,
        detail.groups,
        {member.bots: member.games for member in played.members},
        headline.estimate(0, 0),
        _groups(detail, 0),
        _ahead(detail, 0),
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
    comparisons = _largest_by_change(headline, played).values()
    first, second, both = (_effect(comparison, played, detail) for comparison in comparisons)
    by_name = {effect.change: effect for effect in why.effects}  # their p-values account for all changes
    contrast, beyond = np.array([1.0, -1.0, -1.0, 1.0]), []
    for _, estimates in headline.counted:
        group = estimates.groups.index(both.group)
        value = float(contrast @ estimates.means[:, group])
        variance = float(contrast @ estimates.cov[:, group, :, group] @ contrast)
        beyond.append(stats.estimate(value, float(np.sqrt(max(variance, 0.0))), int(estimates.deals.min())))
    mean = beyond[0] if len(beyond) == 1 else stats.random_effects(beyond).estimate
    return replace(why, interaction=Interaction(by_name[first.change], by_name[second.change], both, mean))


def _estimates(played: ChangedGames, metric: str) -> tuple[Estimates, Estimates]:
    """What is explained, one number per variant, and the metric it is derived from."""
    names = [metric, SEAT_IMBALANCE.name] if metric == WIN_SHARE else [metric]
    by_name = {estimates.name: estimates for estimates in estimate_run(_run_tables(played), names)}
    headline = by_name[names[-1]]  # without its shares, so that differences of the imbalance add up
    members = tuple((member, replace(estimates, shares=None)) for member, estimates in headline.members)
    return replace(headline, shares=None, members=members), by_name[metric]


def _run_tables(played: ChangedGames) -> RunTables:
    """The games as the tables of a run, with a panel if several kinds of players played them."""
    members = []
    for member_games in played.members:
        rules = (member_games.descriptions[0].rules,)
        experiment = Experiment("why", rules, game=played.game, bots=member_games.bots, games=member_games.games)
        tables = {name: frame.lazy() for name, frame in member_games.tables.items()}
        members.append(RunTables(experiment, member_games.descriptions, tables))
    if len(members) == 1:
        return members[0]
    return with_panel(members[0], members)


def _largest_by_change(headline: Estimates, played: ChangedGames) -> dict[str, Comparison]:
    """Every change against the games as played, in the group where it does most."""
    names = dict(zip(headline.variants, (change.name for change in played.changes), strict=True))
    largest: dict[str, Comparison] = {}
    for comparison in compare([headline]):
        name = names[comparison.variant]
        if name not in largest or abs(comparison.difference.value) > abs(largest[name].difference.value):
            largest[name] = replace(comparison, variant=name)
    return largest


def _effect(comparison: Comparison, played: ChangedGames, detail: Estimates) -> Effect:
    number = [change.name for change in played.changes].index(comparison.variant)
    change, all_members = played.changes[number], (*comparison.members, *comparison.others)
    tested = comparison.members[0] if len(comparison.members) == 1 else comparison  # has the p-value of its family
    return Effect(
        change.name,
        change.kind,
        change.text,
        comparison.group,
        comparison.before,
        comparison.after,
        comparison.difference,
        _groups(detail, number),
        {member.player: member.difference for member in all_members},
        _ahead(detail, number),
        str(comparison.verdict),
        comparison.holds if len(all_members) > 1 else "",
        float(tested.p_adjusted),
        comparison.is_different,
        bool(np.nansum(np.abs(detail.means[number] - detail.means[0])) == 0),
    )


def _groups(detail: Estimates, number: int) -> tuple[Estimate | None, ...]:
    return tuple(detail.get(number, group) for group in range(len(detail.groups)))


def _ahead(detail: Estimates, number: int) -> dict[str, str]:
    """For every kind of players that counts, the group that wins most if that is more than a fair share."""
    if detail.measure.name != WIN_SHARE:
        return {}
    ahead = {}
    for member, estimates in detail.counted:
        best = int(np.nanargmax(estimates.means[number]))
        fair = 1 / np.isfinite(estimates.means[number]).sum()
        ahead[member.name] = estimates.groups[best] if estimates.estimate(number, best).low > fair else ""
    return ahead


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
    return [*sentences, *_hidden_advantage(why)]


def _effect_sentence(why: Why, effect: Effect) -> str:
    difference = fmt.with_interval(effect.difference, fmt.difference_unit(why.unit), signed=True)
    holds = f"; {effect.verdict}, {effect.holds}" if effect.holds else ""
    change, after = f"{effect.change} ({effect.text.removesuffix('.')})", fmt.value(effect.after, why.unit)
    return f"{change}: {after}, {difference}{by_group(why, effect.groups)}{holds}."


def _hidden_advantage(why: Why) -> list[str]:
    """Whom the rules favour once bots do not play as usual, if their usual play hides it for some kind of players."""
    for effect in why.matter:
        ahead = {group for group in effect.ahead.values() if group}
        if effect.kind != PLAY or len(ahead) != 1:
            continue
        (group,) = ahead
        after, before = (
            [player for player, first in by_player.items() if first == group]
            for by_player in (effect.ahead, why.before_ahead)
        )
        if not {*after} - {*before}:
            continue
        shares = (shares[why.groups.index(group)] for shares in (effect.groups, why.before_groups))
        share_after, share_before = (fmt.value(share, "share") if share else "–" for share in shares)
        return [
            f"The rules favour the {group} player, and how these bots play hides it: with {effect.change} the {group} "
            f"wins {share_after} of the games, and is {_for_whom(why, after)}; as played it wins {share_before}, "
            f"and is {_for_whom(why, before)}."
        ]
    return []


def _for_whom(why: Why, players: Sequence[str]) -> str:
    count = len(why.before_ahead)
    if count == 1:
        return "ahead of all others" if players else "not surely ahead"
    if not players:
        return f"ahead for none of {count} kinds of players"
    if len(players) == count:
        return f"ahead for all {count} kinds of players"
    return f"ahead for {len(players)} of {count} ({', '.join(players)})"


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
