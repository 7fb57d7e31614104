"""The commands of `mmsim`. A command's module is imported only when the command runs or its own help is shown."""

import sys
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from mmsim import __version__
from mmsim.cli.console import exit_on_broken_pipe
from mmsim.cli.environment import check_environment
from mmsim.cli.error_messages import print_error
from mmsim.cli.interrupts import exit_when_interrupted, raise_on_signals
from mmsim.games import TITLES


class Command(NamedTuple):
    """Where a command is defined, and the first line of its help; the docstring of its function is the rest."""

    module: str  # in mmsim.cli
    summary: str
    function: str = ""  # default: called like the command


# The panels of help:
_ONE_GAME, _MANY_GAMES, _QUESTIONS, _REFERENCE, _BOTS = "Play and watch", "Run", "Answer", "Look up", "Bots"
GROUPS = {  # of commands: panel and summary
    "runs": (_MANY_GAMES, "List, show and delete runs."),
    "experiments": (_MANY_GAMES, "List the experiments that come with mmsim, and start your own."),
    "cluster": (_MANY_GAMES, "Prepare a cluster to play on."),
    "rules": (_REFERENCE, "Look up rulesets (editions, modifiers, knobs) and single rules."),
    "boards": (_REFERENCE, "List, draw, generate and check board sets."),
    "atlas": (_QUESTIONS, "Play every layout of a board, rank them by fairness, and explain the ranking."),
    "bots": (_BOTS, "List the bots, look at their weights, train their nets."),
}
COMMANDS = {
    _ONE_GAME: {
        "demo": Command("demo", "Show what mmsim does: a game, a replay, a question, its answer, a report."),
        "play": Command("play", "Play one game and print its story, turn by turn."),
        "replay": Command("records", "Step through a recorded game on a web page, or as a GIF."),
        "draw": Command("records", "Draw one position of a recorded game."),
        "verify": Command("records", "Replay records with the reference engine of their game."),
    },
    _MANY_GAMES: {
        "run": Command("run", "Play an experiment and write its tables into a run folder."),
        "resume": Command("run", "Continue a run that was stopped."),
        "check": Command("run", "Verify the checksums and a sample of the games of a run."),
        "record": Command("records", "Write the record of one game of a run."),
        "export": Command("runs", "Export tables of a run as one file for other programs."),
        "runs list": Command("runs", "List runs with their games, state and size.", "list_runs"),
        "runs show": Command("runs", "Show what a run plays and how far it has got."),
        "runs rm": Command("runs", "Delete runs; other files in their folders stay.", "remove"),
        "experiments list": Command("experiments", "List the experiments that come with mmsim.", "list_experiments"),
        "experiments show": Command("experiments", "Show what an experiment plays."),
        "experiments new": Command(
            "experiments", "Start an experiment or a design: a file with every setting explained."
        ),
        "cluster certificates": Command("cluster", "Make the certificates of a cluster with TLS."),
    },
    _QUESTIONS: {
        "compare": Command("compare", "Compare variants: paired differences, intervals and verdicts."),
        "report": Command("report", "Write the report of a run and print its answer."),
        "sweep": Command("sweep", "Play every combination of knob values and report the effects."),
        "design": Command("design", "Find the smallest rule change that reaches a goal, and prove it."),
        "why": Command("why", "Change one thing at a time: how much of an effect goes away?"),
        "openings": Command("openings", "List the openings of each seat and how well they do."),
        "heat": Command("heat", "Draw heat maps of where things are at the end of games."),
        "atlas run": Command("atlas", "Play every layout of a board equally often; resumable."),
        "atlas report": Command(
            "atlas", "Rank the layouts of an atlas, with how certain the ranking is and what explains it."
        ),
        "chances": Command("chances", "Estimate each player's win chance after every turn of some games."),
    },
    _REFERENCE: {
        "rules list": Command("rules", "List the editions, modifiers and knobs of a game.", "list_rules"),
        "rules show": Command("rules", "Show every knob of a ruleset, its value and where it comes from."),
        "rules diff": Command("rules", "Show what differs between two rulesets, with the rule ids."),
        "rules explain": Command("rules", "Print rules by their ids, with the knobs that change them."),
        "boards list": Command("boards", "List the board sets that come with mmsim.", "list_sets"),
        "boards show": Command("boards", "Draw a board: in the terminal, or as a picture with --out."),
        "boards generate": Command("boards", "Generate random layouts, all equally likely."),
        "boards check": Command("boards", "Check a board set and say what to change, line by line."),
        "boards new": Command("boards", "Start a board set of your own from a shipped one."),
        "metrics": Command("metrics", "List the metrics that games are compared by, or explain one."),
        "bench": Command("bench", "Measure how fast games are played on this machine."),
    },
    _BOTS: {
        "bots list": Command("bots", "List the bots of a game, from the weakest to the strongest.", "list_bots"),
        "bots levels": Command("bots", "List the levels of play of a game: strength, speed and what they are."),
        "bots show": Command("bots", "Show a bot: its idea, what it looks at, and all its weights."),
        "bots train": Command("bots", "Train the neural nets of a game's bots, for rules of your own if you like."),
        "ladder": Command("ladder", "Play every bot against every other and rate them."),
    },
}
_BY_WORDS = {words: command for commands in COMMANDS.values() for words, command in commands.items()}


@cache
def load_command(words: str) -> TyperCommand:
    """A command with all its options, by the words that name it, such as `bots train`."""
    command, name = _BY_WORDS[words], words.split()[-1]
    function = getattr(import_module(f"mmsim.cli.{command.module}"), command.function or name)
    help_text = f"{command.summary}\n\n{' '.join((function.__doc__ or '').split())}"
    only_command = typer.Typer(add_completion=False)
    only_command.command(name, help=help_text)(function)
    loaded = get_command(only_command)
    assert isinstance(loaded, TyperCommand)
    _hide_types(loaded)
    return loaded


def _hide_types(command: Any) -> None:
    """Hide Python types in help: those of arguments, and of options without a metavar."""
    for parameter in command.get_params(typer.Context(command)):
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: ""
        elif parameter.metavar is None:
            parameter.metavar = ""


class LazyGroup(TyperGroup):
    """Commands that are listed by their summaries, and imported once one of them is used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        words = " ".join([*ctx.command_path.split()[1:], *args[:1]])
        if words in _BY_WORDS:
            self.commands[args[0]] = load_command(words)
        return super().resolve_command(ctx, args)


class MainGroup(LazyGroup):
    """`mmsim` itself: every error becomes one sentence; `--debug`, anywhere on the line, adds the traceback."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = ["--debug"] * debug + [word for word in words if word != "--debug"]
        try:
            check_environment()
            for command in (self, *self.commands.values()):
                _hide_types(command)
            code = super().main(words, **{**extra, "prog_name": "mmsim", "standalone_mode": False})
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__module__ != "pyo3_runtime":
                raise
            if debug:
                traceback.print_exc()
            code = print_error(error, words)
        sys.exit(code or 0)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with exit_when_interrupted():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        try:
            with exit_when_interrupted(), raise_on_signals():
                result = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:
            exit_on_broken_pipe()
        return result


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mmsim {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    _show_help(context)


def _show_help(context: typer.Context) -> None:
    """A group without a command shows its help."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _not_loaded() -> None:
    """Stands in for a command until it is loaded."""


def _make_app() -> typer.Typer:
    about = f"Is this variant fair, and is it more fun? Simulates {' and '.join(TITLES)}."
    apps = {"": typer.Typer(cls=MainGroup, help=about, callback=_root, invoke_without_command=True)}
    for group, (_, summary) in GROUPS.items():
        apps[group] = typer.Typer(cls=LazyGroup, help=summary, callback=_show_help, invoke_without_command=True)
    for panel, commands in COMMANDS.items():
        for words, command in commands.items():
            group, _, name = words.rpartition(" ")
            apps[group].command(name, help=command.summary, rich_help_panel=None if group else panel)(_not_loaded)
    for group, (panel, _) in GROUPS.items():
        apps[""].add_typer(apps[group], name=group, rich_help_panel=panel)
    return apps[""]


app = _make_app()
