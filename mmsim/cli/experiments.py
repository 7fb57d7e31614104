"""`mmsim experiments`: list, show and start experiments."""

import json
from collections.abc import Iterator
from typing import Annotated

from mmsim.batch.experiment import find_experiment, read_experiment, shipped_experiments
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, say
from mmsim.cli.options import argument, option
from mmsim.contests.interventions import alternative_values
from mmsim.core.levels import default_level
from mmsim.core.shell import Shell
from mmsim.errors import unknown
from mmsim.games import DEFAULT, GAMES, find_shell

_KNOBS_IN_USE = 2  # of a new goal
_TEMPLATE = """\
# Play it:     mmsim run {name}.toml
# Look at it:  mmsim report runs/{name}

# The question that the report answers.
question = "What do other rules change for the seats?"

# What would answer it: "differences" (what differs between the variants), "seats" (which seats are ahead), "layouts",
# or a metric and which way: {{ metric = "seat_imbalance", direction = "lower" }}
answer = "differences"

# The rulesets to compare. The first is the reference: the others are compared with it.
# All there is to choose from: mmsim rules list --game {game}
variants = [{variants}]
{boards}
# Leave it out for the default number of players of each ruleset.
players = {players}

# Levels of play, from weak to strong. Each of them plays every variant with the same deals, and the report says at
# which of them a difference holds. All levels of the game: mmsim bots levels --game {game}
# For a single table of different bots, one per seat, write instead: bots = [{table}]
levels = "{levels}"

# Games per variant; slow levels play fewer. Four times as many games halve the intervals. Or say how long they may take
# on one core, by the declared costs of the bots: time = "20m"
games = 10000

# The same seed gives the same games, byte for byte.
seed = 1

# "paired": every variant plays the same deals, which narrows the intervals. "independent": each has its own.
design = "paired"

# "fixed": bots keep their seats. "rotate": every bot plays every seat equally often.
seats = "fixed"
"""

_GOAL = """\
# Search:  mmsim design {name}.toml

# The ruleset to start from. What a change costs is counted from here.
base = "{rules}"
players = {players}

# What is wanted, all of it. A limit: "seat_imbalance <= 1 pp", "last seat >= 23 %"; a range: "turns 28..34"; or better
# than the start: "margin smaller", "margin smaller by 2". All metrics: mmsim metrics --game {game}
goals = ["seat_imbalance <= 1 pp"]

# At which levels the goal must be met. The first one races, the others judge the finalists; all confirm the answer.
levels = "{level}"
{boards}
# Where else to look, once there is an answer: further levels and boards.
elsewhere_levels = "{levels}"
elsewhere = []

# The most rulesets to play, and the most games of each in the search and in the proof (slow levels play fewer).
rulesets = 200
games = 6000
proof_games = 40000

# The same seed gives the same answer, byte for byte. The proof has seeds of its own.
seed = 1

# What must not get worse than at the start, and by how much it may.
[guards]
margin = 1

# What it costs to change a knob; 1 if it is not named here. A knob moved further along its list costs a little more.
[costs]

# The knobs that may change, and their values in order: a list, or a range of numbers like "1:5".
[knobs]
{knobs}
"""

_BOARDS = """
# Board sets; each is played with every ruleset. All of them: mmsim boards list --game {game}
boards = ["{board}"]
"""


def list_experiments(game: options.GameName = None, as_json: options.AsJson = False) -> None:
    """`mmsim run NAME` plays one of them."""
    if game is not None and game not in GAMES:
        raise unknown("game", game, GAMES)
    experiments = [
        experiment
        for experiment in map(read_experiment, shipped_experiments().values())
        if game in (None, experiment.game)
    ]
    if as_json:
        print_json([experiment.to_json() for experiment in experiments])
        return
    rows = [
        (
            experiment.name,
            experiment.game,
            f"{experiment.variants_per_level} x {experiment.games:,}",
            "; ".join(level.name for level in experiment.played_levels),
            experiment.question,
        )
        for experiment in experiments
    ]
    print_table(("name", "game", "games", "played by", "question"), rows)
    say("Play one: mmsim run NAME. Start your own: mmsim experiments new NAME")


def show(
    name: Annotated[str, argument("EXPERIMENT", "A shipped experiment, or a .toml file.")],
    as_json: options.AsJson = False,
) -> None:
    experiment = find_experiment(name)
    if as_json:
        print_json(experiment.to_json())
        return
    say(f"{experiment.name}: {experiment.question or 'no question is written down'}")
    facts = {
        "game": experiment.game,
        "rules": "  ".join(experiment.variants),
        "boards": "  ".join(experiment.boards) or "the default",
        "players": str(experiment.players or "the default"),
        "played by": "; ".join(level.name for level in experiment.played_levels),
        "games": f"{experiment.games:,} of each of {experiment.variants_per_level} variants",
        "seed": str(experiment.seed),
        "design": f"{experiment.design}, seats {experiment.seats}",
    }
    for fact, value in facts.items():
        say(f"  {fact + ':':<10} {value}")


def new(
    name: options.NewName,
    goal: Annotated[bool, option("--goal", "A goal for mmsim design instead.")] = False,
    game: options.GameName = None,
    out: options.NewFile = None,
) -> None:
    shell = find_shell(game or DEFAULT)
    players = shell.default_players
    table = [shell.default_bot, *[next(iter(shell.bots))] * (players - 1)]
    text = (_GOAL if goal else _TEMPLATE).format(
        name=options.check_plain_name(name),
        game=shell.name,
        rules=shell.default_rules,
        variants=", ".join(map(json.dumps, dict.fromkeys((shell.default_rules, shell.example_rules)))),
        players=players,
        levels=shell.default_levels,
        level=default_level([level.name for level in shell.levels]),
        table=", ".join(map(json.dumps, table)),
        boards="" if shell.default_board is None else _BOARDS.format(game=shell.name, board=shell.default_board),
        knobs="\n".join(_knob_lines(shell)),
    )
    options.write_new_file(name, text, out)


def _knob_lines(shell: Shell) -> Iterator[str]:
    """Every knob with values near its default, the first ones in use and the others commented out."""
    defaults = shell.explain(shell.default_rules, None).knobs
    for number, (name, knob) in enumerate(shell.knobs.items()):
        values = [defaults[name], *alternative_values(knob, defaults[name])]
        if isinstance(defaults[name], int):
            values.sort()
        yield f"{'# ' * (number >= _KNOBS_IN_USE)}{name} = {json.dumps(values)}  # {knob.text}"
