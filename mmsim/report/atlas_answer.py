"""What an atlas says, in sentences and tables: which layouts are fair, how sure that is, and what makes them so."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mmsim.analysis.atlas import FAIR, FDR, LOPSIDED, Atlas
from mmsim.analysis.atlas_features import Explained
from mmsim.analysis.atlas_replay import Intervention, ReplayResult
from mmsim.core.layouts import Ranking
from mmsim.games import find_shell

_AGREEMENT = 0.5  # levels whose win shares have a lower correlation disagree
_NOTHING = 0.1  # a level with a lower reliability says nothing about layouts
_DISAGREEMENT = (
    "Who is ahead on a layout depends on who plays: a layout that is fair at one level may be unfair at another."
)
HeadingsAndRows = tuple[list[str], list[list[str]]]


def rankings_of(atlas: Atlas) -> list[Ranking]:
    allocation = find_shell(atlas.plan.game).atlas
    return [FAIR, LOPSIDED, *(allocation.rankings if allocation else ())]


def answer(atlas: Atlas, level: int) -> list[str]:
    """The answer first: whether levels agree, how many layouts are unfair, how different the best and the worst are."""
    plan, uneven, shares = atlas.plan, 100 * atlas.unevenness(level), 100 * atlas.seat_shares(level)
    unfair, name = atlas.unfair(level), atlas.levels[level]
    best, worst = atlas.ranked(FAIR, level)[0], atlas.ranked(LOPSIDED, level)[0]
    seat = int(np.argmax(shares[worst]))
    leaders = np.bincount(np.argmax(shares, axis=1), minlength=atlas.players)
    return [
        *([_DISAGREEMENT] if min(_agreements(atlas).values(), default=1.0) < _AGREEMENT else []),
        f"{100 * unfair.mean():.0f} % of {len(unfair):,} layouts of {plan.board} are shown to be unfair at {name}: "
        f"more uneven than {100 * atlas.unfair_from:.1f} points (one seat off by 10 points, the others alike), with "
        f"at most {100 * FDR:.0f} % false alarms expected. The median layout has {np.median(uneven):.1f} points.",
        f"On the fairest, {atlas.code(best)}, the seats win {_shares(shares[best])} %; on the most lopsided, "
        f"{atlas.code(worst)}, seat {seat + 1} wins {shares[worst, seat]:.0f} %.",
        "The seat that wins most is "
        + ", ".join(f"seat {at + 1} on {100 * count / len(uneven):.0f} %" for at, count in enumerate(leaders))
        + " of layouts.",
    ]


def reliability_text(atlas: Atlas) -> list[str]:
    """How far the estimates can be trusted, level by level."""
    lines = []
    for level, declared in enumerate(atlas.plan.levels):
        lines.append(
            f"{declared.name}, {declared.games} games per layout: reliability of win shares "
            f"{atlas.raw_reliability(level):.2f} from these games alone, {atlas.reliability(level):.2f} with what the "
            f"other levels say, of unevenness {atlas.unevenness_reliability(level):.2f}."
        )
    return lines + [
        f"True win shares at {atlas.levels[level]} and {atlas.levels[other]} have a correlation of {agreement:.2f}."
        for (level, other), agreement in _agreements(atlas).items()
    ]


def _agreements(atlas: Atlas) -> dict[tuple[int, int], float]:
    """The correlation of true win shares, for every two levels at which layouts are known to differ."""
    known = [level for level in range(len(atlas.levels)) if atlas.raw_reliability(level) > _NOTHING]
    return {pair: atlas.agreement(*pair) for pair in combinations(known, 2)}


def ranking_table(atlas: Atlas, ranking: Ranking, level: int, count: int) -> HeadingsAndRows:
    """The first layouts of a ranking."""
    outcome = ranking.outcome
    values = atlas.outcome(outcome, level).values[:, 0] if outcome else 100 * atlas.unevenness(level)
    shares = 100 * atlas.seat_shares(level)
    rows = [
        [str(place), atlas.code(row), f"{values[row]:.1f}", *(f"{share:.0f}" for share in shares[row])]
        for place, row in enumerate(atlas.ranked(ranking, level)[:count], 1)
    ]
    heading = outcome.replace("_", " ") or "unevenness"
    return ["", "layout", heading, *(f"seat {seat + 1} %" for seat in range(atlas.players))], rows


def features_text(explained: Explained) -> str:
    return (
        f"Features of a layout explain {100 * explained.r2:.0f} % of the variance of its squared unevenness on layouts "
        f"they were not fitted to. A model that knows which pieces are neighbours, and how they are turned, "
        f"explains {100 * explained.r2_neighbours:.0f} %. Both are R2 on held-out layouts, without sampling noise."
    )


def effects_table(explained: Explained, count: int) -> HeadingsAndRows:
    rows = [
        [effect.feature, f"{1e4 * effect.value:+.1f}", f"{1e4 * effect.half_width:.1f}"]
        for effect in explained.effects[:count]
    ]
    return ["feature", "change", "± (95 %)"], rows


def replay_text(result: ReplayResult, level: str) -> list[str]:
    kept = [f"{group.name}: {100 * group.kept_side:.0f} %" for group in result.groups if group.kept_side is not None]
    return [
        f"Played again by {level} on a new seed, {result.games:,} games each, these keep their side of the median: "
        f"{', '.join(kept)}.",
        f"By the new games, {100 * result.false_share:.1f} % of the layouts called unfair are not.",
    ]


def replay_table(result: ReplayResult) -> HeadingsAndRows:
    rows = [
        [group.name, str(group.layouts), f"{100 * group.unevenness:.1f} ± {100 * group.half_width:.1f}"]
        for group in result.groups
    ]
    return ["layouts", "number", "unevenness (points)"], rows


def intervention_text(intervention: Intervention) -> str:
    return (
        f"{intervention.feature}, changed alone on {intervention.layouts} layouts and played on the same deals: "
        f"squared unevenness {1e4 * intervention.change:+.0f} ± {1e4 * intervention.half_width:.0f} points squared; "
        f"the features predicted {1e4 * intervention.predicted:+.0f}."
    )


def _shares(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.0f}" for share in shares)
