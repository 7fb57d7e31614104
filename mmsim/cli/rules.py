"""`mmsim rules`: list, show and compare rulesets."""

from typing import Annotated

import typer
from rich.table import Table

from mmsim.cli.common import GameName, Players, console, table_of
from mmsim.core.errors import UsageError
from mmsim.core.knobs import spelled
from mmsim.core.shell import Listing
from mmsim.games import meant

app = typer.Typer(help="Rulesets: editions, modifiers and knobs.")

Spec = Annotated[
    str,
    typer.Argument(metavar="SPEC", help="A ruleset like print+loyal,change_minutes=2, or a ruleset file (.toml)."),
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_rules(game: GameName = None) -> None:
    """List the editions, modifiers and knobs a ruleset of a game is made of."""
    shell, _ = meant(game, None)
    rows = [(name, knob.values, knob.rules, knob.text) for name, knob in shell.knobs.items()]
    screen = console()
    for listing in (*shell.rulesets(), Listing("Knobs", ("knob", "values", "rules", "meaning"), rows)):
        screen.print(table_of(listing))
    screen.print(f"Example: {shell.example}")


@app.command()
def show(spec: Spec, players: Players = None, game: GameName = None) -> None:
    """Show every knob of a ruleset, its value and where it comes from."""
    shell, _ = meant(game, spec)
    told = shell.explain(spec, players)
    table = Table("knob", "value", "comes from", "rules", "meaning", title=told.variant, title_justify="left")
    for name, value in told.knobs.items():
        knob, source = shell.knobs[name], told.sources[name]
        style = None if source == "default" else "bold"
        table.add_row(name, spelled(value), source, knob.rules, knob.text, style=style)
    screen = console()
    screen.print(table)
    for fact in told.facts:
        screen.print(f"{fact.name}: {fact.value} ({fact.rules})")


@app.command()
def diff(one: Spec, other: Spec, players: Players = None, game: GameName = None) -> None:
    """Show only what differs between two rulesets of a game, with the rule ids."""
    (shell, _), (second, _) = meant(game, one), meant(game, other)
    if shell is not second:
        raise UsageError(f"'{one}' is a ruleset of {shell.name}, '{other}' one of {second.name}; name two of one game")
    pair = [shell.explain(spec, players) for spec in (one, other)]
    table = Table("what", pair[0].variant, pair[1].variant, "rules", "meaning")
    for name, knob in shell.knobs.items():
        values = [spelled(told.knobs[name]) for told in pair]
        if values[0] != values[1]:
            table.add_row(name, *values, knob.rules, knob.text)
    for first, last in zip(*(told.facts for told in pair), strict=True):
        if first.value != last.value:
            table.add_row(first.name, first.value, last.value, first.rules, "")
    if table.row_count:
        console().print(table)
    else:
        typer.echo(f"{pair[0].variant} and {pair[1].variant} are the same rules.")
