"""The section on openings and places: what seats open with most, how often they win then, and what lies where."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mmsim.analysis import number_format as fmt
from mmsim.analysis.heat_maps import difference_maps, heat_maps
from mmsim.analysis.openings import SeatBook, kinds_by_use
from mmsim.analysis.tables import RunTables
from mmsim.batch.end_positions import games_sampled, places_of
from mmsim.batch.experiment import OF_MEMBER
from mmsim.core.shell import HeatMaps, Maps
from mmsim.games import find_shell
from mmsim.report import figures
from mmsim.report.charts import Chart, Row

if TYPE_CHECKING:
    from mmsim.report.report_data import Evidence

COLUMNS = ("variant", "players", "seat", "most usual", "share", "wins then", "wins", "entropy in bits")
WHERE = "Where things lie"  # how the title of a map begins
WORDS = 4  # columns of words among them


def title(evidence: "Evidence") -> str:
    """The opening that is most alike from game to game, of those that a seat can choose."""
    books = _of_first_view(evidence)
    free = [book for book in books if not _is_forced(book, books)] or books
    book = max(free, key=lambda book: book.openings[0].share.value)
    usual = book.openings[0]
    of_variant = f" of {evidence.names[0]}" if len(evidence.names) > 1 else ""
    often = fmt.percent(usual.share.value)
    return f"{book.member} opens with “{usual.kind}” in {often} of its games{of_variant} in seat {book.seat + 1}"


def _of_first_view(evidence: "Evidence") -> list[SeatBook]:
    """The books by the most telling way to sort openings, of players that count and the first variant."""
    first, variant = evidence.openings[0].by, evidence.run.variants[0].name
    return [
        book
        for book in evidence.openings
        if book.by == first and book.variant == variant and book.member in evidence.players
    ]


def _is_forced(book: SeatBook, books: Sequence[SeatBook]) -> bool:
    """Whether a seat has one kind of opening which no other seat has: it cannot do otherwise."""
    kinds = {one.kind for one in book.openings}
    return len(kinds) == 1 and not any(one.find(*kinds) for one in books if one.seat != book.seat)


def chart(evidence: "Evidence") -> Chart | None:
    """How often every seat opens as it mostly does in the first variant: a line a seat and kind of players."""
    rows = []
    books = _of_first_view(evidence)
    others = {(one.by, one.variant, one.member, one.seat): one for one in evidence.openings}
    for book in books:
        if _is_forced(book, books):
            continue
        kind = kinds_by_use([book])[0]
        in_variants = [others.get((book.by, variant.name, book.member, book.seat)) for variant in evidence.run.variants]
        found = [other.find(kind) if other else None for other in in_variants]
        label = f"{book.member}, seat {book.seat + 1}: {kind}"
        rows.append(Row(label, [one.share if one else None for one in found]))
    if not rows:
        return None
    note = f"Share of games; sorted by {books[0].text}. Dots are means, lines 95 % intervals."
    return figures.dots("openings", title(evidence), note, rows, evidence.names, "share")


@dataclass(frozen=True)
class Map:
    """Heat maps to draw, what they are called, what they show and the words that make them again."""

    title: str
    text: str
    words: Sequence[str]
    draw: Callable[[], bytes]


def heat_pictures(run: RunTables) -> list[Map]:
    """Where things lie with the first variant, and what differs with another one, for every kind of players and as far
    as a run has been asked."""
    return [one for member in run.by_member for one in _maps_of(member, len(run.by_member) > 1)]


def _maps_of(run: RunTables, panel: bool) -> list[Map]:
    """The maps of one kind of players."""
    shell, first = find_shell(run.experiment.game), run.variants[0]
    games = games_sampled(run.folder, first.name)
    counts = places_of(run.folder, first.name) if games else None
    if counts is None or not isinstance(shell, Maps):
        return []
    seats = sorted({place.seat for place in counts})
    own = ["--variant", first.name, "--games", str(games)]
    name, whose = _title(first.name), f": {run.member.name}" if panel else ""
    drawing = partial(_draw, run.experiment.game, first.about)
    maps = heat_maps(name, counts, games, seats, shell.lying)
    text = f"At the end of {games:,} games, by seat ({name})."
    found = [Map(f"{WHERE}{whose}", text, own, partial(drawing, maps))]
    for other in run.variants[1:]:
        if (others := places_of(run.folder, other.name, games)) is not None:
            names = (name, _title(other.name))
            maps = difference_maps(names, (counts, others), games, seats, shell.lying)
            text = f"{names[1]} less {names[0]}, {games:,} games of each."
            again = ["--variant", other.name, "--against", first.name, "--games", str(games)]
            return [*found, Map(f"What lies elsewhere{whose}", text, again, partial(drawing, maps))]
    return found


def _title(variant: str) -> str:
    return variant.replace(OF_MEMBER, ", ")


def _draw(game: str, about: Mapping[str, Any], maps: HeatMaps) -> bytes:
    shell = find_shell(game)
    assert isinstance(shell, Maps)
    return shell.heat_maps(about, maps)(".svg")


def table_rows(evidence: "Evidence", view: str) -> list[list[str]]:
    """The most usual opening of every seat, one row a variant, kind of players and seat."""
    return [
        [
            evidence.name_of(book.variant),
            book.member,
            str(book.seat + 1),
            usual.kind,
            fmt.with_interval(usual.share, "share"),
            fmt.with_interval(usual.wins, "share"),
            fmt.percent(book.wins),
            f"{book.entropy:.2f}",
        ]
        for book in evidence.openings
        if book.by == view
        for usual in book.openings[:1]
    ]
