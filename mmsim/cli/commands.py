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
from mmsim.cli.error_messages import check_surroundings, print_error
from mmsim.cli.interrupts import exit_when_interrupted
from mmsim.games import TITLES


class Command(NamedTuple):
    """Where a command is defined, and the first line of its help."""

    module: str  # in mmsim.cli
    function: str
    summary: str


_ONE_GAME, _MANY_GAMES, _QUESTIONS, _REFERENCE = "One game", "Many games", "Questions", "Reference"  # panels of help
GROUPS = {  # of commands: panel and summary
    "runs": (_MANY_GAMES, "List, show and delete runs."),
    "experiments": (_MANY_GAMES, "List the experiments that come with mmsim, and start your own."),
    "rules": (_REFERENCE, "Look up rulesets (editions, modifiers, knobs) and single rules."),
    "boards": (_REFERENCE, "List, draw, generate and check board sets."),
    "bots": (_REFERENCE, "List the bots, look at their weights, tune and train them."),
}
COMMANDS = {
    _ONE_GAME: {
        "play": Command("play", "play", "Play one game and print its story, turn by turn."),
        "replay": Command("replay", "replay", "Step through a recorded game: a web page, a GIF or a contact sheet."),
        "draw": Command("replay", "draw", "Draw one position of a recorded game."),
        "verify": Command("verify", "verify", "Replay records with the reference engine of their game."),
    },
    _MANY_GAMES: {
        "run": Command("run", "run", "Play an experiment and write its tables into a run folder."),
        "resume": Command("run", "resume", "Continue a run that was stopped."),
        "check": Command("run", "check", "Verify the checksums, row counts and a sample of the games of a run."),
        "record": Command("runs", "record", "Write the record of one game of a run."),
        "export": Command("runs", "export", "Export tables of a run as one file for other programs."),
        "runs list": Command("runs", "list_runs", "List runs with their games, state and size."),
        "runs show": Command("runs", "show", "Show what a run plays and how far it is."),
        "runs rm": Command("runs", "remove", "Delete runs; other files in their folders stay."),
        "experiments list": Command("experiments", "list_experiments", "List the experiments that come with mmsim."),
        "experiments show": Command("experiments", "show", "Show what an experiment plays."),
        "experiments new": Command("experiments", "new", "Start an experiment: a file with every setting explained."),
    },
    _QUESTIONS: {
        "compare": Command("compare", "compare", "Compare variants: paired differences, intervals and verdicts."),
        "report": Command("report", "report", "Write the report of a run and print its answer."),
        "sweep": Command("sweep", "sweep", "Play every combination of knob values and report the effects."),
        "why": Command("why", "why", "Change one thing at a time and measure how much of an effect it explains."),
        "openings": Command(
            "openings", "openings", "List the openings of every seat: how often, and how well they do."
        ),
        "heat": Command("heat", "heat", "Draw heat maps of where things are at the end of games."),
        "chances": Command("chances", "chances", "Estimate the chances to win after every turn of some games."),
        "ladder": Command("ladder", "ladder", "Play every bot against every other and rate them."),
    },
    _REFERENCE: {
        "rules list": Command("rules", "list_rules", "List the editions, modifiers and knobs of a game."),
        "rules show": Command("rules", "show", "Show every knob of a ruleset, its value and where it comes from."),
        "rules diff": Command("rules", "diff", "Show what differs between two rulesets, with the rule ids."),
        "rules explain": Command("rules", "explain", "Print rules by their ids, with the knobs that change them."),
        "boards list": Command("boards", "list_sets", "List the board sets that come with mmsim."),
        "boards show": Command("boards", "show", "Draw a board: in the terminal, or as a picture with --out."),
        "boards generate": Command("boards", "generate", "Generate random layouts, all equally likely."),
        "boards check": Command("boards", "check", "Check a board set and say what to change, line by line."),
        "boards new": Command("boards", "new", "Start a board set of your own from a shipped one."),
        "bots list": Command("bots", "list_bots", "List the bots of a game, from the weakest to the strongest."),
        "bots show": Command("bots", "show", "Show a bot: its idea, what it looks at, and all its weights."),
        "bots tune": Command("bot_training", "tune", "Search for better weights by self-play."),
        "bots train": Command(
            "bot_training", "train", "Train the neural net of a bot, for rules of your own if you like."
        ),
        "bots exploit": Command("bot_training", "exploit", "Train a net against frozen copies of a bot."),
        "bench": Command(
            "bench", "bench", "Measure games per second on one core: the fast core and the reference engine, in turns."
        ),
    },
}
_BY_WORDS = {words: command for commands in COMMANDS.values() for words, command in commands.items()}
_METAVARS = {
    **dict.fromkeys(("<int>", "<int range>", "<list[int]>"), "N"),
    **dict.fromkeys(("<float>", "<float range>"), "X"),
    **dict.fromkeys(("<file>", "<path>"), "FILE"),
    "<str>": "TEXT",
}


@cache
def load_command(words: str) -> TyperCommand:
    """A command with all its options, by the words that name it, such as `bots tune`."""
    command = _BY_WORDS[words]
    only_command = typer.Typer(add_completion=False)
    function = getattr(import_module(f"mmsim.cli.{command.module}"), command.function)
    only_command.command(words.split()[-1])(function)
    loaded = get_command(only_command)
    assert isinstance(loaded, TyperCommand)
    _shorten_metavars(loaded)
    return loaded


def _shorten_metavars(command: Any) -> None:
    """Let help name the value of an option in one short word: N instead of <int range>, nothing for a flag."""
    context = typer.Context(command)
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: ""  # its name says it
        elif parameter.metavar is None:
            parameter.metavar = "" if parameter.is_flag else _METAVARS.get(parameter.display_type(context))


class LazyGroup(TyperGroup):
    """Commands that are listed by their summaries, and imported once one of them is used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        words = " ".join([*ctx.command_path.split()[1:], *args[:1]])
        if words in _BY_WORDS:
            self.commands[args[0]] = load_command(words)
        return super().resolve_command(ctx, args)


class MainGroup(LazyGroup):
    """`mmsim` itself: every error becomes one sentence; `--debug`, anywhere on the line, adds the traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = ["--debug"] * debug + [word for word in words if word != "--debug"]
        try:
            check_surroundings()
            for command in (self, *self.commands.values()):
                _shorten_metavars(command)
            code = super().main(words, "mmsim", complete_var, False, windows_expand_args, **extra)
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
            with exit_when_interrupted():
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
