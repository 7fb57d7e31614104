"""Heat maps: how often things are at each position at the end of a game, by seat, and how two variants differ."""

from collections.abc import Callable, Sequence
from math import sqrt

from mmsim.batch.experiment import OF_LEVEL
from mmsim.batch.run import Run
from mmsim.batch.side_tables import EndPositionCounts, count_end_positions
from mmsim.core.shell import HeatMaps, SupportsHeatMaps
from mmsim.core.variant import VariantDescription
from mmsim.errors import UsageError, full_name
from mmsim.games import find_shell


def heat_maps(name: str, counts: EndPositionCounts, games: int, seats: Sequence[int], alignment: str) -> HeatMaps:
    shares = _shares(counts, games, seats)
    notes = (
        f"Share of {games:,} games that have something of the seat there at their end; a share p is known to about "
        f"±2√(p(1 − p)/{games:,}).",
        alignment,
    )
    return HeatMaps(name, notes, [f"seat {seat + 1}" for seat in seats], shares, signed=False)


def difference_maps(
    names: tuple[str, str],
    counts: tuple[EndPositionCounts, EndPositionCounts],
    games: int,
    seats: Sequence[int],
    alignment: str,
) -> HeatMaps:
    """The maps of the second variant minus those of the first, where the difference is significant; both have the same
    number of games."""
    first, second = (_shares(variant_counts, games, seats) for variant_counts in counts)
    empty: list[dict[str, float]] = [{} for _ in seats]
    differences = {
        thing: [
            {at: _significant_difference(old.get(at, 0.0), new.get(at, 0.0), games) for at in sorted({*old, *new})}
            for old, new in zip(first.get(thing, empty), second.get(thing, empty), strict=True)
        ]
        for thing in dict.fromkeys([*first, *second])
    }
    notes = (
        f"Points of the share of games: red is more in {names[1]}, blue more in {names[0]}; {games:,} games of each.",
        "Only what is more than two standard errors apart is coloured; chance alone does that at one place in twenty.",
        alignment,
    )
    columns = [f"seat {seat + 1}" for seat in seats]
    return HeatMaps(f"{names[1]} less {names[0]}", notes, columns, differences, signed=True)


def _significant_difference(old: float, new: float, games: int) -> float:
    """The difference of two independent shares, 0 if it is within two standard errors."""
    se = sqrt((old * (1 - old) + new * (1 - new)) / games)
    return new - old if abs(new - old) > 2 * se else 0.0


def _shares(counts: EndPositionCounts, games: int, seats: Sequence[int]) -> dict[str, list[dict[str, float]]]:
    """Thing -> one map per seat: position -> share of games."""
    shares: dict[str, list[dict[str, float]]] = {}
    for (thing, seat, at), count in sorted(counts.items()):
        maps = shares.setdefault(thing, [{} for _ in seats])
        if seat in seats:
            maps[seats.index(seat)][at] = count / games
    return shares


def heat_maps_of_run(
    run: Run,
    variant: str | None,
    against: str | None,
    level: str | None,
    seat: int | None,
    games: int,
    workers: int | None,
    on_progress: Callable[[int, int], None],
) -> tuple[VariantDescription, HeatMaps]:
    """Replay the first games of a variant (and of the one it is compared `against`) and count what is where at the end.

    Returns the description of the variant and its maps, of all seats or of one, counted from 1.
    """
    shell = find_shell(run.game.name)
    if not isinstance(shell, SupportsHeatMaps):
        raise UsageError(f"{run.game.name} has no heat maps")
    cell = _find_cell(run, variant, level)
    description = run.manifest.variants[cell]
    seats = list(range(len(description.seat_player)))
    if seat is not None:
        if seat > len(seats):
            raise UsageError(f"{run.variant_names[cell]} has the seats 1 to {len(seats)}, not {seat}")
        seats = [seat - 1]
    counts = count_end_positions(run, cell, games, workers, on_progress)
    if against is None:
        return description, heat_maps(spoken_name(run.variant_names[cell]), counts, games, seats, shell.heat_map_note)
    reference = _find_cell(run, against, level)
    names = spoken_name(run.variant_names[reference]), spoken_name(run.variant_names[cell])
    both = count_end_positions(run, reference, games, workers, on_progress), counts
    return description, difference_maps(names, both, games, seats, shell.heat_map_note)


def spoken_name(variant: str) -> str:
    """The name of a variant and of the level that plays it, as words."""
    return variant.replace(OF_LEVEL, ", ")


def _find_cell(run: Run, variant: str | None, level: str | None) -> int:
    """The index of a variant, by default the first, and of a level if the run has several."""
    names = run.variant_names
    variants, levels = (list(dict.fromkeys(name.partition(OF_LEVEL)[i] for name in names)) for i in (0, 2))
    if levels == [""] and level is not None:
        raise UsageError(
            f"{run.folder} has one level; all its games are those of {run.experiment.played_levels[0].name}"
        )
    if variant in names:
        return names.index(variant)
    chosen = full_name("variant", variant, variants) if variant else variants[0]
    chosen_level = full_name("level", level, levels) if level else levels[0]
    return names.index(f"{chosen}{OF_LEVEL}{chosen_level}" if chosen_level else chosen)
