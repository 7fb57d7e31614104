"""`mmsim boards`: list, draw, generate and check board sets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import options
from mmsim.cli.console import console, listing_rows, print_json, print_table, save, say, say_paragraph
from mmsim.cli.options import argument, option
from mmsim.core.rng import Purpose, Stream, shuffled
from mmsim.core.shell import BoardPicture
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, find_shell
from mmsim.system.safe_text import excerpt


def list_sets(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    shell = find_shell(game or DEFAULT)
    listing = shell.boards.listing()
    if as_json:
        print_json(listing_rows(listing))
        return
    print_table(listing.headings, listing.rows, numeric={*listing.headings} - {"set", "title"})


def show(
    board: options.BoardArgument,
    layout: options.Layout = None,
    seed: Annotated[
        int | None,
        option(
            "--seed N", "A random layout with this seed. Default: the pieces in order.", callback=options.check_seed
        ),
    ] = None,
    pieces: Annotated[bool, option("--pieces", "Show the pieces side by side instead of a city.")] = False,
    out: Annotated[Path | None, option("--out FILE", "Write a picture (.svg or .png) instead of drawing here.")] = None,
    game: options.GameName = None,
) -> None:
    shell = find_shell(game or DEFAULT)
    if pieces and (layout is not None or seed is not None):
        raise UsageError("--pieces shows no layout; drop --layout and --seed")
    shown = shell.boards.show_pieces(board) if pieces else shell.boards.show(board, layout, seed)
    if out is None:
        console().print(shown.terminal_drawing(), no_wrap=True, overflow="crop")
    else:
        save(shown.name, out, shown.draw(picture_kind(out)))
    if not pieces and shown.layout:
        _say_what_the_atlas_knows(shell.name, shown)


def _say_what_the_atlas_knows(game: str, shown: BoardPicture) -> None:
    from mmsim.analysis.atlas import shipped_atlas  # NumPy and Polars take a moment to import

    atlas = shipped_atlas(game, shown.board)
    row = atlas.row_of(shown.layout) if atlas else None
    if atlas and row is not None:
        say(f"the atlas of {shown.board} under {atlas.plan.rules}, {atlas.plan.players} players:")
        for line in atlas.describe(row):
            say_paragraph(line)


def generate(
    board: Annotated[str | None, argument("SET", "The set to lay out. Default: the game's default set.")] = None,
    count: Annotated[int, option("--count N", "How many layouts.", min=1)] = 1,
    seed: options.Seed = 1,
    unique: Annotated[bool, option("--unique", "No two are rotations of each other; codes are canonical.")] = False,
    fair: Annotated[
        bool, option("--fair", "Only from the hundredth that is fairest for the levels of the atlas.")
    ] = False,
    lopsided: Annotated[bool, option("--lopsided", "Only from the most lopsided hundredth of the atlas.")] = False,
    long: Annotated[bool, option("--long", "Only from the hundredth with the longest games in the atlas.")] = False,
    as_json: options.AsJson = False,
    game: options.GameName = None,
) -> None:
    shell = find_shell(game or DEFAULT)
    board = board or shell.default_board or ""
    wanted = [
        name for name, is_wanted in (("fairest", fair), ("most lopsided", lopsided), ("longest", long)) if is_wanted
    ]
    if len(wanted) > 1:
        raise UsageError("--fair, --lopsided and --long exclude each other; give one of them")
    if wanted:
        layouts = _from_atlas(shell.name, board, wanted[0], count, seed)
    else:
        layouts = shell.boards.layouts(board, count, seed, unique)
    if as_json:
        print_json(shell.boards.describe(board, layouts))
        return
    for layout in layouts:
        say(layout)


def _from_atlas(game: str, board: str, ranking: str, count: int, seed: int) -> Iterator[str]:
    """Different layouts drawn at random from the extremes of the shipped atlas."""
    from mmsim.analysis.atlas import find_atlas  # NumPy and Polars take a moment to import
    from mmsim.report.atlas_answer import rankings_of

    atlas = find_atlas(game, board)
    rows = atlas.extremes(next(known for known in rankings_of(atlas) if known.name == ranking)).tolist()
    if count > len(rows):
        raise UsageError(f"--count asks for {count:,} layouts; the atlas draws them from {len(rows):,}")
    return (atlas.code(row) for row in shuffled(rows, Stream(seed, Purpose.LAYOUT))[:count])


def check(board: options.BoardArgument, game: options.GameName = None) -> None:
    """Exits with 1 if there are errors; warnings mark what looks odd but is playable."""
    shell = find_shell(game or DEFAULT)
    inspected = shell.boards.check(board)
    for problem in inspected.problems:
        say(excerpt(f"{board}:{problem}"), err=True)
    if inspected.verdict is None:
        raise typer.Exit(1)
    say(f"{board}: {inspected.verdict}")


def new(
    name: options.NewName,
    template: Annotated[
        str | None, option("--from SET", "The set to copy, or random:SEED. Default: the game's default set.")
    ] = None,
    out: options.NewFile = None,
    game: options.GameName = None,
) -> None:
    """The file explains how a board set is written."""
    shell = find_shell(game or DEFAULT)
    options.write_new_file(
        name, shell.boards.copy(template or shell.default_board or "", options.check_plain_name(name)), out
    )
