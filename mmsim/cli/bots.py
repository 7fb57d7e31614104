"""`mmsim bots list` and `mmsim bots show`: the bots, what they look at and their weights."""

from typing import Any

import msgspec

from mmsim.cli import options
from mmsim.cli.bot_training import describe_exploit
from mmsim.cli.console import print_json, print_table, say
from mmsim.contests.exploits import shipped_exploit
from mmsim.core.bots import NetBot
from mmsim.core.python_bots import installed
from mmsim.core.seating import find_bot
from mmsim.games import find_rules, find_shell, game_of_bot


def list_bots(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """List the bots of a game, from the weakest to the strongest."""
    shell, _ = find_rules(game, None)
    bots = [*shell.bots.values(), *installed().values()]
    if as_json:
        print_json([{"bot": bot.name, "idea": bot.idea, "looks_at": bot.looks_at} for bot in bots])
    else:
        print_table(("bot", "idea", "looks at"), [(bot.name, bot.idea, bot.looks_at) for bot in bots])


def show(spec: options.BotArgument, game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """Show a bot: its idea, what it looks at, and all its weights."""
    shell = find_shell(game or game_of_bot(spec))
    bot = find_bot(spec, shell.bots)
    exploit = shipped_exploit(shell, bot)
    if as_json:
        facts: dict[str, Any] = {
            "bot": bot.spec,
            "idea": bot.idea,
            "looks_at": bot.looks_at,
            "weights": bot.settings,
        }
        if isinstance(bot, NetBot):
            facts["net"] = bot.net.about
            facts["of_players"] = {str(number): net.about for number, net in bot.net.of_players.items()}
        if exploit:
            facts["exploited"] = msgspec.to_builtins(exploit)
        print_json(facts)
        return
    say(f"{bot.spec}: {bot.idea}")
    say(f"looks at: {bot.looks_at}")
    if isinstance(bot, NetBot):
        say(f"its net: {bot.net.digest}, made by: {bot.net.about.get('command', '?')}")
        for number, net in bot.net.of_players.items():
            say(f"for {number} players, made by: {net.about.get('command', '?')}")
    if exploit:
        say(describe_exploit(exploit))
    for name, text in bot.elements.items():
        say(f"{bot.name}:without={name} does without {text}")
    if not bot.settings:
        say("it has no weights")
        return
    rows, unused = [], []
    for name, weight in bot.weights.items():
        value = bot.settings[name]
        if value or weight.default or name in bot.changed:
            rows.append((name, f"{value:g}" + (" (set)" if name in bot.changed else ""), weight.text))
        else:
            unused.append(name)
    print_table(("weight", "value", "of what"), rows, numeric=("value",))
    if unused:
        say(f"0, but may be set: {', '.join(unused)}")
