"""`docs/reference/bots.md`: the bots and levels of play of both games."""

from build_tools.markdown import SHIPPED, ask, code, table

_HEAD = """\
# Bots and levels of play

A bot is written `NAME[:weight=value[,weight=value...]]`; a list has one for all seats, or one per seat, separated by
commas. `mmsim bots show NAME` prints the weights and features of a bot. A level is a bot in every seat: `--levels
club..master` plays several. [Bots and their limits](../explanation/bots.md) says what they can and cannot tell. Written
by `make docs`; do not edit.
"""


def page() -> str:
    return _HEAD + "".join(_game_section(game) for game in SHIPPED)


def _game_section(game: str) -> str:
    bots = [(code(bot["bot"]), bot["idea"], bot["looks_at"]) for bot in ask("bots", "list", "--game", game)]
    levels = ask("bots", "levels", "--game", game)
    rows = [
        (level["name"], code(level["bots"]), level["make"], _wins(level), f"{level['games_per_s']:,.4g}")
        for level in levels
    ]
    return (
        f"\n## {game.capitalize()}\n\n{table(('bot', 'idea', 'looks at'), bots)}\n"
        "From the weakest level to the strongest, with the share of wins of one against a table of the level below\n"
        "(four players: 25 % is equal) and the declared games per second of one core:\n\n"
        f"{table(('level', 'bot', 'make', 'wins', 'games/s'), rows)}"
    )


def _wins(level: dict[str, str]) -> str:
    return f"{level['wins']} (`{level['measured_by']}`)" if level["wins"] else ""
