"""`mmsim play`: one game, its story, its score sheet, its record."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli.common import Layout, Players, Seed, console
from mmsim.core.files import write_atomically
from mmsim.metromania import boardfile, boards, record, rules, story
from mmsim.metromania.bots import seat_bots
from mmsim.metromania.play import Seed as GameSeed
from mmsim.metromania.play import play_out, set_up
from mmsim.metromania.reference_scoring import result


def play(
    spec: Annotated[
        str,
        typer.Option("--rules", metavar="SPEC", help="A ruleset like print+loyal,change_minutes=2, or a .toml file."),
    ] = "print",
    players: Players = None,
    board: Annotated[str, typer.Option(metavar="SET", help="Board set: a shipped one or a .toml file.")] = "classic",
    layout: Layout = None,
    bots: Annotated[
        str, typer.Option(metavar="LIST", help="One bot for every company, or one a company, with commas.")
    ] = "uniform",
    seed: Seed = 1,
    game: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which game of the seed.")] = 0,
    record_file: Annotated[
        Path | None, typer.Option("--record", dir_okay=False, help="Write the game's record (JSON) here.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write a picture of the final position (.svg or .png)."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell only who won.")] = False,
) -> None:
    """Play one game and tell its story, turn by turn."""
    if picture is not None:
        from mmsim.core.sheet import picture_kind  # matplotlib is slow to import; only pictures pay for it
        from mmsim.metromania import draw

        picture_kind(picture)
    ruleset = rules.ruleset(spec, players)
    seats = seat_bots(bots, ruleset.companies)
    chosen = None if layout is None else boards.Layout.from_code(layout)
    which = GameSeed(seed, game)
    table = set_up(boardfile.load(board), ruleset, which, chosen)
    play_out(table, seats, which)
    outcome = result(table)
    screen = console()
    if not quiet:
        city = f"{table.city.board_set.name} {table.city.layout.code}"
        screen.print(f"{ruleset.variant} on {city}, seed {seed}, game {game}")
        for seat, hand in enumerate(table.dealt):
            markers = ", ".join(str(marker) for marker in hand)
            screen.print(f"  seat {seat}: {story.company(table, seat)} ({seats[seat].name}) holds {markers}")
        screen.print()
        for line in story.tell(table):
            screen.print(line, markup=False)
        screen.print()
        screen.print(story.score_sheet(table, outcome))
    screen.print(story.verdict(table, outcome))
    if record_file is not None:
        told = record.to_record(table, [bot.name for bot in seats], which)
        write_atomically(record_file, record.dumps(told).encode())
        typer.echo(f"record -> {record_file}", err=True)
    if picture is not None:
        draw.save(picture, table.city, table)
        typer.echo(f"picture -> {picture}", err=True)
