"""`mmsim play`: one game, its story, its score sheet, its record."""

from pathlib import Path
from typing import Annotated

import typer

from mmsim.batch.experiment import SEATS
from mmsim.cli.common import Layout, Players, Seed, console
from mmsim.core.errors import unknown
from mmsim.core.files import write_atomically
from mmsim.core.game import Variant
from mmsim.metromania import boardfile, boards, record, rules, story
from mmsim.metromania.bots import BOTS, seat_bots
from mmsim.metromania.play import Seed as GameSeed
from mmsim.metromania.play import play_out, set_up
from mmsim.metromania.reason import Reason
from mmsim.metromania.reference import Game, apply
from mmsim.metromania.reference_scoring import result

_REASONS = 3  # turns told of every decision


def play(
    spec: Annotated[
        str,
        typer.Option("--rules", metavar="SPEC", help="A ruleset like print+loyal,change_minutes=2, or a .toml file."),
    ] = "print",
    players: Players = None,
    board: Annotated[str, typer.Option(metavar="SET", help="Board set: a shipped one or a .toml file.")] = "classic",
    layout: Layout = None,
    bots: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="One bot for every company, or one a company, with commas: planner:block=2.0 sets a weight, "
            "./mybot.py:MyBot is one of your own; mmsim bots list names the rest.",
        ),
    ] = "uniform",
    seed: Seed = 1,
    game: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which game of the seed.")] = 0,
    seating: Annotated[
        str, typer.Option("--seats", metavar="HOW", help="fixed, or rotate: game N of a run with rotated seats.")
    ] = "fixed",
    record_file: Annotated[
        Path | None, typer.Option("--record", dir_okay=False, help="Write the game's record (JSON) here.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write a picture of the final position (.svg or .png)."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Below every turn the best turns its bot had in mind, with value by feature."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell only who won.")] = False,
) -> None:
    """Play one game and tell its story, turn by turn."""
    if picture is not None:
        from mmsim.core.sheet import picture_kind  # matplotlib is slow to import; only pictures pay for it
        from mmsim.metromania import draw

        picture_kind(picture)
    ruleset = rules.ruleset(spec, players)
    if seating not in SEATS:
        raise unknown("seating", seating, SEATS)
    rotations = ruleset.players if seating == "rotate" else 1  # so many games in a row share a layout and a deal
    seats = seat_bots(bots, ruleset.companies)
    if rotations > 1:
        from mmsim.metromania.prepared import seated  # the compiler is slow to import

        seats = seated(ruleset, seats, game % rotations)
    chosen = None if layout is None else boards.Layout.from_code(layout)
    which = GameSeed(seed, game // rotations)
    table = set_up(boardfile.load(board), ruleset, which, chosen)
    why: dict[int, list[Reason]] = {}
    if explain or any(bot != BOTS["uniform"] for bot in seats):
        why = _play_with_core(table, Variant(spec, players, board, bots, seed, seating), game, chosen, explain)
    else:
        play_out(table, which)  # the reference engine has nothing to compile
    outcome = result(table)
    screen = console()
    if not quiet:
        city = f"{table.city.board_set.name} {table.city.layout.code}"
        screen.print(f"{ruleset.variant} on {city}, seed {seed}, game {game}")
        for seat, hand in enumerate(table.dealt):
            markers = ", ".join(str(marker) for marker in hand)
            screen.print(f"  seat {seat}: {story.company(table, seat)} ({seats[seat].spec}) holds {markers}")
        screen.print()
        for line in story.tell(table, why):
            screen.print(line, markup=False)
        screen.print()
        screen.print(story.score_sheet(table, outcome))
    screen.print(story.verdict(table, outcome))
    if record_file is not None:
        told = record.to_record(table, [bot.spec for bot in seats], GameSeed(seed, game))
        write_atomically(record_file, record.dumps(told).encode())
        typer.echo(f"record -> {record_file}", err=True)
    if picture is not None:
        draw.save(picture, table.city, table)
        typer.echo(f"picture -> {picture}", err=True)


def _play_with_core(
    table: Game, variant: Variant, number: int, layout: boards.Layout | None, explain: bool
) -> dict[int, list[Reason]]:
    """Let bots of the fast core or in Python play; the readable engine follows. What they had in mind, by turn."""
    from mmsim.metromania.game import Metromania  # the compiler is slow to import
    from mmsim.metromania.position import Position

    position = Position(Metromania().prepare(variant), number, layout)
    why: dict[int, list[Reason]] = {}
    while not position.over:
        turn, move = position.turn, position.bot_move()
        if explain and (reasons := position.explain()):
            why.setdefault(turn, reasons[:_REASONS])
        position.apply(move)
        apply(table, move)
    return why
