"""The opening book: shares add up, wins are those of the seats table, games of a deal are one observation."""

from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.openings import NO_OPENING, available_views, opening_books, select_views
from mmsim.analysis.tables import RunTables, open_run
from mmsim.errors import UsageError
from tests.runs import write_run


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> RunTables:
    folder = tmp_path_factory.mktemp("openings") / "levels"
    rules = ("print", "print+loyal")
    return open_run(write_run(folder, rules, games=40, part_games=20, levels=["networker", "planner"]))


@pytest.fixture(scope="module")
def metro(tmp_path_factory: pytest.TempPathFactory) -> RunTables:
    folder = tmp_path_factory.mktemp("openings") / "metro"
    return open_run(write_run(folder, ("metro",), games=40, part_games=20, game="metro", bots="planner"))


@pytest.fixture(params=["levels", "metro"])
def played(request: pytest.FixtureRequest) -> RunTables:
    run: RunTables = request.getfixturevalue(request.param)
    return run


def test_shares_add_up_and_wins_are_those_of_the_seats_table(played: RunTables) -> None:
    seats = played.tables["seats"].collect()
    books = opening_books(played, available_views(played))
    cells = len(played.cells)
    assert len(books) == cells * 4 * len(available_views(played))
    for book in books:
        cell = book.variant if not played.of_levels else f"{book.variant}~{book.level}"
        own = seats.filter(pl.col("variant") == cell, pl.col("seat") == book.seat)
        assert sum(one.share.value for one in book.openings) == pytest.approx(1)
        assert sum(one.games for one in book.openings) == book.games == len(own)
        assert book.wins == pytest.approx(own["win_share"].mean())
        assert all(one.share.low <= one.share.value <= one.share.high for one in book.openings)
        assert all(one.wins.low <= one.wins.value <= one.wins.high for one in book.openings)


def test_openings_as_they_are_agree_with_their_column(played: RunTables) -> None:
    (view,) = select_views(played, ["opening"])
    seats = played.tables["seats"].collect()
    for book in opening_books(played, [view], level="planner"):
        own = seats.filter(
            pl.col("variant").cast(pl.String).str.starts_with(book.variant),
            pl.col("level") == "planner",
            pl.col("seat") == book.seat,
        )
        counts = dict(own.group_by(pl.col("opening").cast(pl.String).fill_null(NO_OPENING)).len().iter_rows())
        assert {one.kind: one.games for one in book.openings} == counts
        usual = book.openings[0]
        won = own.filter(pl.col("opening").cast(pl.String) == usual.kind)["win_share"]
        assert usual.wins.value == pytest.approx(won.mean())


def test_a_start_is_counted_from_the_nearest_one_before(levels: RunTables) -> None:
    about = levels.variants[0]
    (view,) = select_views(levels, ["start"])
    openings = ["0.0LSR", "5.3RSS", "2.0L", None, "3.3L", "3.0R", "0.0L", "1.3L"]
    seats = pl.DataFrame({"seat": [0, 1, 2, 3] * 2, "opening": openings})
    found = view.kinds(about, seats).to_list()
    assert found == [
        *("nobody before", "next start", "4 starts away", None),
        *("nobody before", "next start", "5 starts away", "3 starts away"),
    ]


def test_a_tile_is_placed_alike_on_all_four_sides(metro: RunTables) -> None:
    about = metro.variants[0]
    place, distance = select_views(metro, ["place", "distance"])
    seats = pl.DataFrame({"seat": [0, 1, 2, 3], "opening": ["aaaa 0.7", "acba 7.3", "bbbb 7.4", "aaaa 5.2"]})
    assert place.kinds(about, seats).to_list() == [*("in a corner", "at the edge", "at the edge", "beside the centre")]
    assert distance.kinds(about, seats).to_list() == [
        *("nobody before", "further away", "beside it", "2 to 4 cells away")
    ]


def test_one_opening_has_no_entropy_and_two_alike_have_one_bit(levels: RunTables) -> None:
    (view,) = select_views(levels, ["start"])
    first = opening_books(levels, [view], "print", "planner")[0]
    assert [one.kind for one in first.openings] == ["nobody before"]
    assert first.entropy == 0
    turns = opening_books(levels, select_views(levels, ["turn"]), "print", "planner")
    assert all(0 < book.entropy < 5 for book in turns)


def test_games_of_a_deal_are_one_observation(tmp_path: Path) -> None:
    """Four seats are rotated among four of a kind: every deal is played four times with the same result."""
    fixed = open_run(write_run(tmp_path / "fixed", ("print",), games=48, part_games=48, seats="fixed"))
    rotated = open_run(write_run(tmp_path / "rotated", ("print",), games=48, part_games=48, seats="rotate"))
    widths = []
    for run in (fixed, rotated):
        book = opening_books(run, select_views(run, ["turn"]))[0]
        one = book.openings[0]
        assert book.wins == pytest.approx(run.tables["seats"].filter(pl.col("seat") == 0).collect()["win_share"].mean())
        assert 0.2 < one.share.value < 0.8
        widths.append((one.share.se, one.share.deals))
    assert widths[0][1] == 48
    assert widths[1][1] == 12
    assert widths[1][0] > 1.3 * widths[0][0]


def test_unknown_names_are_named_in_the_error(levels: RunTables) -> None:
    with pytest.raises(UsageError, match="unknown way to sort openings 'strat'; did you mean 'start'"):
        select_views(levels, ["strat"])
    with pytest.raises(UsageError, match="unknown level 'expert'"):
        opening_books(levels, available_views(levels), level="expert")
