"""`mmsim rules`: list, show, compare and explain rulesets and rules."""

import json
import textwrap
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from mmsim.cli import completion
from mmsim.cli.common import AsJson, GameName, Players, console, json_of, table_of
from mmsim.core.knobs import spelled
from mmsim.core.rulebook import rulebook, unknown_rule
from mmsim.core.shell import Listing
from mmsim.errors import UsageError
from mmsim.games import GAMES, find_rules, find_shell, game_of_all

app = typer.Typer(help="Rulesets: editions, modifiers and knobs; and every rule by its id.")

Spec = Annotated[
    str,
    typer.Argument(
        metavar="SPEC",
        autocompletion=completion.rulesets,
        help="A ruleset like print+loyal,change_minutes=2, or a ruleset file (.toml).",
    ),
]


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_rules(game: GameName = None, as_json: AsJson = False) -> None:
    """List the editions, modifiers and knobs a ruleset of a game is made of."""
    shell, _ = find_rules(game, None)
    rows = [(name, knob.values, knob.rules, knob.text) for name, knob in shell.knobs.items()]
    listings = [*shell.rulesets(), Listing("Knobs", ("knob", "values", "rules", "meaning"), rows)]
    if as_json:
        typer.echo(json.dumps({listing.title.lower(): json_of(listing) for listing in listings}, indent=1))
        return
    screen = console()
    for listing in listings:
        screen.print(table_of(listing))
    screen.print(f"Example: {shell.example}")


@app.command()
def show(spec: Spec, players: Players = None, game: GameName = None, as_json: AsJson = False) -> None:
    """Show every knob of a ruleset, its value and where it comes from."""
    shell, _ = find_rules(game, spec)
    explained = shell.explain(spec, players)
    if as_json:
        typer.echo(json.dumps(asdict(explained), indent=1))
        return
    table = Table("knob", "value", "comes from", "rules", "meaning", title=explained.variant, title_justify="left")
    for name, value in explained.knobs.items():
        knob, source = shell.knobs[name], explained.sources[name]
        style = None if source == "default" else "bold"
        table.add_row(name, spelled(value), source, knob.rules, knob.text, style=style)
    screen = console()
    screen.print(table)
    for fact in explained.facts:
        screen.print(f"{fact.name}: {fact.value} ({fact.rules})")
    screen.print("What a rule says: mmsim rules explain ID")


@app.command()
def diff(one: Spec, other: Spec, players: Players = None, game: GameName = None, as_json: AsJson = False) -> None:
    """Show only what differs between two rulesets of a game, with the rule ids."""
    shell = find_shell(game or game_of_all([one, other]))
    pair = [shell.explain(spec, players) for spec in (one, other)]
    rows = []
    for name, knob in shell.knobs.items():
        values = [spelled(explained.knobs[name]) for explained in pair]
        if values[0] != values[1]:
            rows.append((name, *values, knob.rules, knob.text))
    for first, last in zip(*(explained.facts for explained in pair), strict=True):
        if first.value != last.value:
            rows.append((first.name, first.value, last.value, first.rules, ""))
    listing = Listing("", ("what", pair[0].variant, pair[1].variant, "rules", "meaning"), rows)
    if as_json:
        typer.echo(json.dumps(json_of(listing), indent=1))
        return
    if not rows:
        typer.echo(f"{pair[0].variant} and {pair[1].variant} are the same rules.")
        return
    screen = console()
    screen.print(table_of(listing))
    ids = dict.fromkeys(id_ for *_, rules, _ in rows for id_ in rules.split())
    screen.print(f"What these rules say: mmsim rules explain {' '.join(ids)}")


@app.command()
def explain(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Rule ids like TT6.")],
    game: GameName = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list instead of text.")] = False,
) -> None:
    """Print rules by their ids, with the knobs that change them."""
    rules = [_explained(id_, game) for id_ in ids]
    if as_json:
        typer.echo(json.dumps(rules, indent=1, ensure_ascii=False))
        return
    screen = console()
    for rule in rules:
        screen.print(Text.assemble((rule["id"], "bold"), f"  {rule['game']}, {rule['section']}"))
        screen.print(textwrap.indent(textwrap.fill(rule["text"], screen.width - 2), "  "), markup=False)
        for knob, values in rule["knobs"].items():
            screen.print(f"  knob {knob}: {values}", markup=False)


def _explained(id_: str, game: str | None) -> dict[str, Any]:
    """A rule, its game and its knobs; it must be known, and of one game only unless the game is named."""
    books = {name: rulebook(name) for name in ([find_shell(game).name] if game else GAMES)}
    found = [name for name, rules in books.items() if id_.upper() in rules]
    if not found:
        raise unknown_rule(id_, [known for rules in books.values() for known in rules])
    if len(found) > 1:
        raise UsageError(f"the rule {id_} is one of {' and one of '.join(found)}; say which with --game")
    rule = books[found[0]][id_.upper()]
    knobs = {name: knob.values for name, knob in find_shell(found[0]).knobs.items() if rule.id in knob.rules.split()}
    return {"game": found[0], **asdict(rule), "knobs": knobs}
