"""`mmsim rules`: list, show and compare rulesets."""

from typing import Annotated

import typer
from rich.table import Table

from mmsim.cli.common import Players, console
from mmsim.metromania import rules
from mmsim.metromania.deal import valid_deals

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
def list_rules() -> None:
    """List the editions, modifiers and knobs a ruleset is made of."""
    screen = console()
    editions = Table("edition", "book", "two players", "no-corruption", title="Editions", title_justify="left")
    for name, edition in rules.EDITIONS.items():
        numbers = ", ".join(str(n) for n in sorted(edition.no_corruption_players))
        editions.add_row(name, edition.title, ", ".join(edition.two_players), f"{numbers} players")
    modifiers = Table("modifier", "meaning", title="Modifiers", title_justify="left")
    for name, text in rules.MODIFIERS.items():
        aliases = [alias for alias, meant in rules.ALIASES.items() if meant == name]
        modifiers.add_row(" or ".join([name, *aliases]), text)
    knobs = Table("knob", "values", "rules", "meaning", title="Knobs", title_justify="left")
    for name, knob in rules.KNOBS.items():
        knobs.add_row(name, knob.values, knob.rules, knob.text)
    for table in (editions, modifiers, knobs):
        screen.print(table)
    screen.print("Example: print+loyal,change_minutes=2")


@app.command()
def show(spec: Spec, players: Players = None) -> None:
    """Show every knob of a ruleset, its value and where it comes from."""
    ruleset, sources = rules.explain(rules.parse(spec), players)
    table = Table("knob", "value", "comes from", "rules", "meaning", title=ruleset.variant, title_justify="left")
    for name, value in ruleset.knobs().items():
        knob = rules.KNOBS[name]
        style = None if sources[name] == "default" else "bold"
        table.add_row(name, rules.spelled(value), sources[name], knob.rules, knob.text, style=style)
    screen = console()
    screen.print(table)
    for name, value, ids in _table_facts(ruleset):
        screen.print(f"{name}: {value} ({ids})")


@app.command()
def diff(one: Spec, other: Spec, players: Players = None) -> None:
    """Show only what differs between two rulesets, with the rule ids."""
    pair = [rules.ruleset(spec, players) for spec in (one, other)]
    table = Table("what", pair[0].variant, pair[1].variant, "rules", "meaning")
    for name, knob in rules.KNOBS.items():
        values = [rules.spelled(ruleset.knobs()[name]) for ruleset in pair]
        if values[0] != values[1]:
            table.add_row(name, *values, knob.rules, knob.text)
    for (name, first, ids), (_, second, _) in zip(*(_table_facts(r) for r in pair), strict=True):
        if first != second:
            table.add_row(name, first, second, ids, "")
    if table.row_count:
        console().print(table)
    else:
        typer.echo(f"{pair[0].variant} and {pair[1].variant} are the same rules.")


def _table_facts(ruleset: rules.Ruleset) -> list[tuple[str, str, str]]:
    """What a ruleset says that is not a knob: who plays what, and how markers are dealt."""
    companies = ", ".join(f"player {player}" for player in ruleset.seat_player)
    deals = len(valid_deals(ruleset))
    return [
        ("companies in playing order", companies, "S2 S4 T1"),
        ("deal", f"{ruleset.deal} ({deals:,} possible)", "S2 S3 S4 S5"),
    ]
