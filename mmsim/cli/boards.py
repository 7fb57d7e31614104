"""`mmsim boards`: list, draw, generate and check board sets."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion, options
from mmsim.cli.console import console, listing_rows, make_table, print_json, save, say
from mmsim.drawing.board_canvas import picture_kind
from mmsim.games import find_rules

_TEXT_COLUMNS = ("set", "title")


def list_sets(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """List the board sets that come with mmsim."""
    shell, _ = find_rules(game, None)
    listing = shell.boards.listing()
    if as_json:
        print_json(listing_rows(listing))
        return
    table = make_table(listing.headings, listing.rows, numeric={*listing.headings} - {*_TEXT_COLUMNS})
    table.pad_edge = False
    console().print(table)


def show(
    board: options.BoardArgument,
    layout: options.Layout = None,
    seed: Annotated[
        int | None,
        typer.Option(
            callback=options.check_seed, help="Draw a random layout with this seed. Default: the pieces in order."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write a picture (.svg or .png) instead of drawing here.")
    ] = None,
    game: options.GameName = None,
) -> None:
    """Draw a board: in the terminal, or as a picture with --out."""
    shell, _ = find_rules(game, None)
    shown = shell.boards.show(board, layout, seed)
    if out is None:
        console().print(shown.drawing(), no_wrap=True, overflow="crop")
    else:
        save(shown.name, out, shown.draw(picture_kind(out)))


def generate(
    board: options.BoardArgument,
    count: Annotated[int, typer.Option(min=1, help="How many layouts.")] = 1,
    seed: options.Seed = 1,
    unique: Annotated[
        bool, typer.Option("--unique", help="No two layouts are rotations of each other; codes are canonical.")
    ] = False,
    as_json: options.AsJson = False,
    game: options.GameName = None,
) -> None:
    """Generate random layouts, all equally likely."""
    shell, _ = find_rules(game, None)
    layouts = shell.boards.layouts(board, count, seed, unique)
    if as_json:
        print_json(shell.boards.describe(board, layouts))
        return
    for layout in layouts:
        say(layout)


def check(board: options.BoardArgument, game: options.GameName = None) -> None:
    """Check a board set and say what to change, line by line.

    Errors make the exit code 1; warnings are about what looks odd but can be played on.
    """
    shell, _ = find_rules(game, None)
    inspected = shell.boards.check(board)
    for problem in inspected.problems:
        say(f"{board}:{problem}", err=True)
    if inspected.verdict is None:
        raise typer.Exit(1)
    say(f"{board}: {inspected.verdict}")


def new(
    name: options.NewName,
    template: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SET",
            autocompletion=completion.boards,
            help="The shipped set to copy. Default: the usual one of the game.",
        ),
    ] = None,
    out: options.NewFile = None,
    game: options.GameName = None,
) -> None:
    """Start a board set of your own from a shipped one.

    The file explains how a board set is written.
    """
    shell, _ = find_rules(game, None)
    options.write_new_file(
        name, shell.boards.copy(template or shell.default_board or "", options.check_plain_name(name)), out
    )
