"""`mmsim rules`: list, show and compare rulesets, and print single rules."""

import textwrap
from dataclasses import asdict
from typing import Annotated, Any

from rich.text import Text

from mmsim.cli import options
from mmsim.cli.console import console, listing_rows, print_json, print_listing, print_table, say
from mmsim.cli.options import argument
from mmsim.core.knobs import spelled
from mmsim.core.rulebook import rulebook, unknown_rule
from mmsim.core.shell import Listing
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES, find_shell, find_shell_and_rules, game_of_all


def list_rules(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """A ruleset is written with them."""
    shell = find_shell(game or DEFAULT)
    rows = [(name, knob.values, knob.rules, knob.text) for name, knob in shell.knobs.items()]
    listings = [*shell.rulesets(), Listing("Knobs", ("knob", "values", "rules", "meaning"), rows)]
    if as_json:
        print_json({listing.title.lower(): listing_rows(listing) for listing in listings})
        return
    for listing in listings:
        print_listing(listing)
    say(f"Example: {shell.example_rules}")


def show(
    spec: options.RulesetArgument,
    players: options.Players = None,
    game: options.GameName = None,
    as_json: options.AsJson = False,
) -> None:
    shell, _ = find_shell_and_rules(game, spec)
    ruleset = shell.explain(spec, players)
    if as_json:
        print_json(asdict(ruleset))
        return
    rows = [
        (name, spelled(value), ruleset.sources[name], shell.knobs[name].rules, shell.knobs[name].text)
        for name, value in ruleset.knobs.items()
    ]
    chosen = [name for name, source in ruleset.sources.items() if source != "default"]
    print_table(("knob", "value", "comes from", "rules", "meaning"), rows, ruleset.variant, bold=chosen)
    for fact in ruleset.facts:
        say(f"{fact.name}: {fact.value} ({fact.rules})")
    if rulebook(shell.name):
        say(f"What a rule says: {_explain_command(shell.name, ['ID'])}")


def diff(
    spec: options.RulesetArgument,
    other_spec: options.RulesetArgument,
    players: options.Players = None,
    game: options.GameName = None,
    as_json: options.AsJson = False,
) -> None:
    shell = find_shell(game or game_of_all([spec, other_spec]))
    first, second = shell.explain(spec, players), shell.explain(other_spec, players)
    rows = []
    for name, knob in shell.knobs.items():
        before, after = spelled(first.knobs[name]), spelled(second.knobs[name])
        if before != after:
            rows.append((name, before, after, knob.rules, knob.text))
    for fact, changed in zip(first.facts, second.facts, strict=True):
        if fact.value != changed.value:
            rows.append((fact.name, fact.value, changed.value, fact.rules, ""))
    listing = Listing("", ("setting", first.variant, second.variant, "rules", "meaning"), rows)
    if as_json:
        print_json(listing_rows(listing))
        return
    if not rows:
        say(f"{first.variant} and {second.variant} are the same rules.")
        return
    print_listing(listing)
    known = rulebook(shell.name)
    ids = dict.fromkeys(id_ for *_, rules, _ in rows for id_ in rules.split() if id_ in known)
    if ids:
        say(f"What these rules say: {_explain_command(shell.name, ids)}")


def _explain_command(game: str, ids: Any) -> str:
    """The command that prints rules of a game; other games may have rules with the same ids."""
    return f"mmsim rules explain {' '.join(ids)} --game {game}"


def explain(
    ids: Annotated[list[str], argument("ID...", "Rule ids, such as TT6.")],
    game: options.GameName = None,
    as_json: options.AsJson = False,
) -> None:
    rules = [_find_rule(id_, game) for id_ in ids]
    if as_json:
        print_json(rules)
        return
    screen = console()
    for rule in rules:
        screen.print(Text.assemble((rule["id"], "bold"), f"  {rule['game']}, {rule['section']}"))
        say(textwrap.indent(textwrap.fill(rule["text"], screen.width - 2), "  "))
        for knob, values in rule["knobs"].items():
            say(f"  knob {knob}: {values}")


def _find_rule(id_: str, game: str | None) -> dict[str, Any]:
    """A rule, its game and its knobs; refused if several games have a rule of this id and none is named."""
    books = {name: rulebook(name) for name in ([find_shell(game).name] if game else GAMES)}
    owners = [name for name, rules in books.items() if id_.upper() in rules]
    if not owners:
        raise unknown_rule(id_, books)
    if len(owners) > 1:
        raise UsageError(f"the rule {id_} is one of {' and one of '.join(owners)}; say which with --game")
    rule = books[owners[0]][id_.upper()]
    knobs = {name: knob.values for name, knob in find_shell(owners[0]).knobs.items() if rule.id in knob.rules.split()}
    return {"game": owners[0], **asdict(rule), "knobs": knobs}
