"""Heat maps: how often things lie at each place at the end of a game, by seat, and how two variants differ."""

from collections.abc import Mapping, Sequence
from math import sqrt

from mmsim.batch.end_positions import Counts
from mmsim.core.shell import HeatMaps

Shares = Mapping[str, Sequence[Mapping[str, float]]]  # what -> [column]: place -> share of games


def heat_maps(name: str, counts: Counts, games: int, seats: Sequence[int], lying: str) -> HeatMaps:
    """The maps of one variant."""
    shares = _shares(counts, games, seats)
    notes = (
        f"Share of {games:,} games that have something of the seat there at their end; a share p is known to about "
        f"±2√(p(1 − p)/{games:,}).",
        lying,
    )
    return HeatMaps(name, notes, _columns(seats), shares, signed=False)


def difference_maps(
    names: tuple[str, str], counts: tuple[Counts, Counts], games: int, seats: Sequence[int], lying: str
) -> HeatMaps:
    """The maps of the second variant less those of the first, each of as many games, where that is more than chance."""
    first, second = (_shares(one, games, seats) for one in counts)
    none: list[dict[str, float]] = [{} for _ in seats]
    apart = {
        what: [
            {at: _apart(old.get(at, 0.0), new.get(at, 0.0), games) for at in sorted({*old, *new})}
            for old, new in zip(first.get(what, none), second.get(what, none), strict=True)
        ]
        for what in dict.fromkeys([*first, *second])
    }
    notes = (
        f"Points of the share of games: red is more in {names[1]}, blue more in {names[0]}; {games:,} games of each.",
        "Only what is more than two standard errors apart is coloured; chance alone does that at one place in twenty.",
        lying,
    )
    return HeatMaps(f"{names[1]} less {names[0]}", notes, _columns(seats), apart, signed=True)


def _apart(old: float, new: float, games: int) -> float:
    """The difference of two shares, 0 if it is within two standard errors of independent shares."""
    error = sqrt((old * (1 - old) + new * (1 - new)) / games)
    return new - old if abs(new - old) > 2 * error else 0.0


def _columns(seats: Sequence[int]) -> list[str]:
    return [f"seat {seat + 1}" for seat in seats]


def _shares(counts: Counts, games: int, seats: Sequence[int]) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = {}
    for (what, seat, at), count in sorted(counts.items()):
        maps = found.setdefault(what, [{} for _ in seats])
        if seat in seats:
            maps[seats.index(seat)][at] = count / games
    return found
