"""`mmsim experiments`: list, show and begin experiments."""

import json
from typing import Annotated

import typer

from mmsim.batch.experiment import Experiment, find, read, shipped, variants_of
from mmsim.cli import completion
from mmsim.cli.common import AsJson, GameName, NewFile, console, plain_name, say, table_of, write_new
from mmsim.core.shell import Listing
from mmsim.errors import unknown
from mmsim.games import GAMES, find_rules

app = typer.Typer(help="Experiments: the questions that come with mmsim, and a start for your own.")

_TEMPLATE = """\
# Play it:     mmsim run {name}.toml
# Look at it:  mmsim report runs/{name}

# The question that the report answers.
question = "What do other rules do to the seats?"

# Rulesets that are compared; the first is the one the others are compared with.
# All there is to choose from: mmsim rules list --game {game}
variants = [{variants}]
{boards}
# Leave it out for the usual number of each ruleset.
players = 4

# Kinds of players: each plays every variant on the same layouts and deals, and a difference is told with those for whom
# it holds. One kind alone tells of its own habits only. Ready panels: {panels}.
# One table of different bots instead, one a seat: bots = ["planner", "uniform", "uniform", "uniform"]
# All bots: mmsim bots list --game {game}
panel = [{panel}]

# Games of every variant, fewer of slow players. More games, narrower intervals: four times as many halve them.
games = 10000

# The same seed, the same games, to the byte.
seed = 1

# "paired": every variant plays the same layouts and deals, which narrows the intervals. "independent": its own.
design = "paired"

# "fixed": the bots keep their seats. "rotate": every one sits on every seat equally often.
seats = "fixed"
"""

_BOARDS = """
# Board sets, each played under every ruleset. All of them: mmsim boards list
boards = ["{usual}"]
"""


@app.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_experiments(
    game: GameName = None,
    as_json: AsJson = False,
) -> None:
    """List the experiments that come with mmsim: mmsim run NAME plays one."""
    if game is not None and game not in GAMES:
        raise unknown("game", game, GAMES)
    found = [one for one in map(read, shipped().values()) if game in (None, one.game)]
    if as_json:
        typer.echo(json.dumps([one.to_json() for one in found], indent=1))
        return
    rows = [
        (one.name, one.game, f"{_cells(one)} x {one.games:,}", "; ".join(one.members), one.question) for one in found
    ]
    screen = console()
    screen.print(table_of(Listing("", ("name", "game", "games", "played by", "question"), rows)))
    screen.print("Play one: mmsim run NAME. Begin your own: mmsim experiments new NAME")


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=completion.experiments,
            help="A shipped experiment, or the path of a .toml file.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show what an experiment plays."""
    experiment = find(name)
    if as_json:
        typer.echo(json.dumps(experiment.to_json(), indent=1))
        return
    say(f"{experiment.name}: {experiment.question or 'no question is written down'}")
    for words, value in _facts(experiment):
        say(f"  {words + ':':<10} {value}")


def _facts(experiment: Experiment) -> list[tuple[str, str]]:
    """What there is to know of an experiment, in words."""
    return [
        ("game", experiment.game),
        ("rules", "  ".join(experiment.variants)),
        ("boards", "  ".join(experiment.boards) or "the usual one"),
        ("players", str(experiment.players or "as usual")),
        ("played by", "; ".join(experiment.members)),
        ("games", f"{experiment.games:,} of each of {_cells(experiment)} variants"),
        ("seed", str(experiment.seed)),
        ("design", f"{experiment.design}, seats {experiment.seats}"),
    ]


def _cells(experiment: Experiment) -> int:
    """Rulesets on boards: what every kind of players plays."""
    return len(variants_of(experiment)) // len(experiment.members)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; the file is NAME.toml.")],
    game: GameName = None,
    out: NewFile = None,
) -> None:
    """Begin an experiment: a file with every setting and what it means."""
    shell, _ = find_rules(game, None)
    smallest = min(shell.panels.values(), key=len)
    text = _TEMPLATE.format(
        name=plain_name(name),
        game=shell.name,
        variants=", ".join(json.dumps(rules) for rules in (shell.usual_rules, shell.example)),
        panel=", ".join(json.dumps(member) for member in smallest),
        panels=", ".join(f'panel = ["{name}"]' for name in shell.panels),
        boards="" if shell.usual_board is None else _BOARDS.format(usual=shell.usual_board),
    )
    write_new(name, text, out)
