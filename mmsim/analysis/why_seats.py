"""Which seat carries an effect of play: the same play forced for one seat at a time, then for two."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from mmsim.analysis import stats
from mmsim.analysis import wording as fmt
from mmsim.analysis.compare import difference, difference_p_value
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.stats import Estimate
from mmsim.contests.interventions import Change, limited_to_seats

HALF = 0.5  # of an effect: a seat that makes as much of it carries it


@dataclass(frozen=True)
class SeatEffect:
    """Play forced for some seats only: what it does to their own wins, and how much of the whole effect it makes."""

    change: str
    seats: tuple[int, ...]  # from 0
    share_before: Estimate  # of wins of the player in the first of these seats, as played
    share_after: Estimate
    own_difference: Estimate
    part: float  # of the effect of forcing every seat; 1: all of it
    p_adjusted: float  # of the own difference, Holm correction over seats

    @property
    def is_shown(self) -> bool:
        return self.p_adjusted < ALPHA


def seat_changes(change: Change, seats: int, together: int) -> list[tuple[tuple[int, ...], Change]]:
    """A change of play limited to every choice of that many seats."""
    return [(chosen, limited_to_seats(change, chosen)) for chosen in combinations(range(seats), together)]


def measure_seats(
    headline: Estimates,
    shares: Estimates,
    forced: Sequence[tuple[tuple[int, ...], Change]],
    seat_player: Sequence[int],
    whole: float,
) -> tuple[SeatEffect, ...]:
    """The effect of play forced for some seats, which are the last variants of these estimates; the first is as played.

    `whole` is what forcing every seat does to the headline.
    """
    first = len(headline.variants) - len(forced)
    measured, p_values = [], []
    for variant, (seats, _) in enumerate(forced, first):
        own = seat_player[seats[0]]
        change, df = difference(shares, 0, variant, own)
        measured.append((variant, own, change))
        p_values.append(difference_p_value(change, df))
    return tuple(
        SeatEffect(
            change.name,
            seats,
            shares.estimate(0, own),
            shares.estimate(variant, own),
            own_difference,
            float(headline.means[variant, 0] - headline.means[0, 0]) / whole if whole else 0.0,
            p,
        )
        for (seats, change), (variant, own, own_difference), p in zip(
            forced, measured, stats.holm(p_values), strict=True
        )
    )


def carrier(effects: Sequence[SeatEffect]) -> SeatEffect | None:
    """The seats that make the largest part of an effect, if that is at least half of it."""
    best = max(effects, key=lambda effect: effect.part, default=None)
    return best if best is not None and best.part >= HALF else None


def seat_sentences(text: str, effects: Sequence[SeatEffect], is_whole_shown: bool, groups: Sequence[str]) -> list[str]:
    """Which seat carries the effect of a change of play, and whose own play is worse, or better, than that change."""
    sentences = []
    if is_whole_shown and (best := carrier(effects)) is not None:
        whose = " and ".join(groups[seat] for seat in best.seats)
        seats = "seat alone makes" if len(best.seats) == 1 else "seats together make"
        sentences.append(f"The {whose} {seats} {best.part:.0%} of that effect.")
    for effect in effects:
        if len(effect.seats) == 1 and effect.is_shown:
            how = "worse" if effect.own_difference.value > 0 else "better"
            sentences.append(
                f"The {groups[effect.seats[0]]} player's own choice is {how} than a forced one ({text}): it wins "
                f"{fmt.value(effect.share_before, 'share')} as played and {fmt.value(effect.share_after, 'share')} "
                f"with only its own play forced "
                f"({fmt.with_interval(effect.own_difference, 'share difference', signed=True)})."
            )
    return sentences
