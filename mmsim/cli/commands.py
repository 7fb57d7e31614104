"""The commands of `mmsim`, its version, and one clear sentence when something is wrong."""

import os
import re
import resource
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mmsim import __version__
from mmsim.cli import (
    bench,
    boards,
    bots,
    chances,
    compare,
    experiments,
    heat,
    ladder,
    openings,
    play,
    replay,
    report,
    rules,
    run,
    runs,
    sweep,
    verify,
    why,
)
from mmsim.cli.common import end_of_pipe, say
from mmsim.cli.interrupts import keeping
from mmsim.errors import MmsimError
from mmsim.games import TITLES
from mmsim.system.safe_text import printable

_VALUES = {
    **dict.fromkeys(("<int>", "<int range>"), "N"),
    **dict.fromkeys(("<float>", "<float range>"), "X"),
    **dict.fromkeys(("<file>", "<path>"), "FILE"),
    "<str>": "TEXT",
    "<list[int]>": "N",
}
_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "it must be a whole number",
    "Input should be a valid number, unable to parse string as a number": "it must be a number",
    "Input should be": "it must be",
}
_ADDRESS_SPACE = 3 << 30  # the compiler and the threads of Polars reserve two thirds of it on a machine of two cores


class PlainErrors(TyperGroup):
    """Turns every error into one sentence on stderr; `--debug`, anywhere on the line, adds the traceback."""

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
            _check_surroundings()
            _name_values(self)
            code = super().main(words, "mmsim", complete_var, False, windows_expand_args, **extra)
        except Exception as error:
            if debug:
                traceback.print_exc()
            code = _complain(error, words)
        except BaseException as error:
            if type(error).__module__ != "pyo3_runtime":
                raise
            code = _complain(MmsimError("a table cannot be read: Polars gives up on its file"), words)
        sys.exit(code or 0)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with keeping():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        try:
            with keeping():
                result = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:
            end_of_pipe()
        return result


def _name_values(command: Any) -> None:
    """Have help say in a short word what an option takes: N and not <int range>, nothing for a switch."""
    context = typer.Context(command)
    for taken in command.get_params(context):
        if taken.param_type_name == "argument":
            taken.display_type_rich = lambda ctx: ""  # its name says it
        elif taken.metavar is None:
            taken.metavar = "" if taken.is_flag else _VALUES.get(taken.display_type(context))
    for inner in getattr(command, "commands", {}).values():
        _name_values(inner)


def _check_surroundings() -> None:
    """Refuse what would end in an error that names neither cause nor cure."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise MmsimError("the folder you are in has been deleted; go to another one (cd)") from None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < _ADDRESS_SPACE:
        raise MmsimError(
            f"only {allowed >> 20:,} MB of address space are allowed here (ulimit -v); "
            f"mmsim needs {_ADDRESS_SPACE >> 20:,} MB, most of which it never touches"
        )


def _complain(error: Exception, words: Sequence[str]) -> int:
    """Say what is wrong in one sentence; the exit code that goes with it."""
    if isinstance(error, MmsimError):
        text, code = str(error), error.exit_code
    elif isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        help_of = context.command_path if context else "mmsim"
        text = f"{_plain(error.format_message())}{_given(error, words)} (see: {help_of} --help)"
        code = error.exit_code
    elif isinstance(error, typer.Abort):
        text, code = "aborted", 1
    elif type(error).__module__.startswith("polars"):  # not imported here: it takes a moment
        first = next(iter(str(error).splitlines()), type(error).__name__)
        text, code = f"a table cannot be read: {first}", 1
    elif isinstance(error, MemoryError):
        text, code = f"there is not enough memory{f' ({error})' if str(error) else ''}", 1
    elif isinstance(error, RecursionError):  # of whatever reads it
        text, code = "something that was given is nested too deep to be read", 2
    else:
        text, code = (
            f"internal error, {type(error).__name__}: {error} (run with --debug for the traceback)",
            1,
        )
    say(f"mmsim: error: {printable(text)}", err=True)
    return code


def _plain(message: str) -> str:
    """What is wrong with a value in our words, not in those of the library that reads it."""
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    return message


def _given(error: typer.TyperException, words: Sequence[str]) -> str:
    """What was typed for the option an error speaks of."""
    named = re.search(r"Invalid value for '(--[a-z-]+)'", error.format_message())
    if named and named.group(1) in words[:-1]:
        return f", given '{words[words.index(named.group(1)) + 1]}'"
    return ""


app = typer.Typer(cls=PlainErrors, help=f"Is this variant fair, and is it more fun? Simulates {' and '.join(TITLES)}.")
app.add_typer(boards.app, name="boards")
app.add_typer(rules.app, name="rules")
app.add_typer(bots.app, name="bots")
app.add_typer(experiments.app, name="experiments")
app.command("play")(play.play)
app.command("replay")(replay.replay)
app.command("draw")(replay.draw)
app.command("verify")(verify.verify)
app.command("run")(run.run)
app.command("resume")(run.resume)
app.command("check")(run.check)
app.add_typer(runs.app, name="runs")
app.command("record")(runs.record)
app.command("chances")(chances.chances)
app.command("export")(runs.export)
app.command("bench")(bench.bench)
app.command("ladder")(ladder.ladder)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("sweep")(sweep.sweep)
app.command("why")(why.why)
app.command("openings")(openings.openings)
app.command("heat")(heat.heat)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mmsim {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
