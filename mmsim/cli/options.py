"""Options and arguments that mean the same in several commands, and the checks of their values."""

import re
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from mmsim.cli import completion
from mmsim.cli.console import say
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES
from mmsim.system.files import STDOUT, write_output

RUNS = Path("runs")
_MOVE_SECONDS = 60.0

# --- checks ---------------------------------------------------------------------------------------------------------


def check_seed(seed: int | None) -> int | None:
    """A seed has 64 bits; checked here because a range would fill half a line of every help."""
    if seed is not None and not 0 <= seed < 1 << 64:
        raise typer.BadParameter(f"it must be from 0 to {(1 << 64) - 1}")
    return seed


def check_number(number: int) -> int:
    """The number of a game has 63 bits; checked here as for seeds."""
    if not 0 <= number < 1 << 63:
        raise typer.BadParameter(f"it must be from 0 to {(1 << 63) - 1}")
    return number


def move_limit(isolate: bool, seconds: float | None) -> float | None:
    """The time limit for moves of isolated Python bots; None if they play in this process."""
    return seconds or (_MOVE_SECONDS if isolate else None)


def given_options(context: typer.Context, names: Sequence[str]) -> list[str]:
    """Those of the named options that are on the command line."""
    return [name for name in names if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]


def check_one_format(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise UsageError("--json and --csv are two ways to print; choose one")


def check_chart_file(path: Path | None) -> None:
    if path is not None and path.suffix not in (".svg", ".png"):
        raise UsageError(f"a chart is .svg or .png, not {path.name}")


def check_players(bots: str | None, panel: Sequence[str] | None) -> None:
    if bots and panel:
        raise UsageError("--bots seats one table and --panel asks several kinds of players; give one of them")


def parse_tolerances(words: Sequence[str]) -> dict[str, float]:
    """The values of `--tolerance NAME=VALUE`."""
    tolerances = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            tolerances[name] = float(value)
        except ValueError:
            raise UsageError(f"--tolerance takes NAME=VALUE, not '{word}'") from None
        if not 0 < tolerances[name] < inf:
            raise UsageError(f"the tolerance of {name} must be a number above 0, not {value}")
    return tolerances


def check_plain_name(name: str) -> str:
    """The name of a new board set or experiment, without .toml; refused if it is a path or needs quotes."""
    if not re.fullmatch(r"[\w+@.-]+", name) or not name.strip("."):
        raise UsageError(f"'{name}' is not a plain name; say with --out where the file is to go")
    return name.removesuffix(".toml")


def write_new_file(name: str, text: str, out: Path | None) -> None:
    """Write the file of a new board set or experiment; an existing file is never replaced."""
    path = out or Path(f"{check_plain_name(name)}.toml")
    if path.is_file():
        raise UsageError(f"{path} is there already; choose another name or remove it")
    write_output(path, text.encode())
    if path != STDOUT:
        say(f"{path} is written", err=True)


# --- which game is played, and by whom ------------------------------------------------------------------------------

GameName = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="NAME",
        autocompletion=completion.games,
        help=f"The game: {' or '.join(GAMES)}. Default: the game of the named rules, bots or run, else {DEFAULT}.",
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="SPEC",
        autocompletion=completion.rulesets,
        help="A ruleset, such as print+loyal,change_minutes=2, or a .toml file; its first word says which game is "
        "played. Default: the usual ruleset of the game.",
    ),
]
RulesToCompare = Annotated[
    list[str] | None,
    typer.Option(
        "--rules", metavar="SPEC", autocompletion=completion.rulesets, help="A ruleset; repeat to compare several."
    ),
]
RulesetArgument = Annotated[
    str,
    typer.Argument(
        metavar="SPEC",
        autocompletion=completion.rulesets,
        help="A ruleset, such as print+loyal,change_minutes=2, or a ruleset file (.toml).",
    ),
]
Players = Annotated[int | None, typer.Option("--players", help="Number of players. Default: as usual for the rules.")]
Board = Annotated[
    str | None,
    typer.Option(
        "--board",
        metavar="SET",
        autocompletion=completion.boards,
        help="A board set: a shipped one or a .toml file. Default: the usual one of the game.",
    ),
]
BoardsToCompare = Annotated[
    list[str] | None,
    typer.Option(
        "--board", metavar="SET", autocompletion=completion.boards, help="A board set; repeat to compare several."
    ),
]
BoardArgument = Annotated[
    str,
    typer.Argument(metavar="SET", autocompletion=completion.boards, help="A shipped board set, or a .toml file."),
]
Layout = Annotated[
    str | None,
    typer.Option("--layout", metavar="CODE", help="How the board is laid out, such as 1a-4c-2b-6a-3a-5b."),
]
Bots = Annotated[
    str | None,
    typer.Option(
        "--bots",
        metavar="LIST",
        autocompletion=completion.bots,
        help="One bot for all seats, or one per seat separated by commas; instead of a panel.",
    ),
]
Panel = Annotated[
    list[str] | None,
    typer.Option(
        "--panel",
        metavar="BOT",
        autocompletion=completion.bots,
        help="A kind of player that plays every variant; repeat for several, or name a ready panel of the game. "
        "Default: the usual panel.",
    ),
]
BotArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOT", autocompletion=completion.bots, help="A bot, optionally with weights: planner:block=2.0."
    ),
]
Seats = Annotated[
    str,
    typer.Option(
        "--seats", metavar="HOW", help="fixed: bots keep their seats; rotate: every bot plays every seat of a deal."
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", callback=check_seed, help="Master seed; the same seed gives the same result.")
]
Games = Annotated[int, typer.Option("--games", min=2, help="Games per variant.")]
Isolate = Annotated[
    bool, typer.Option("--isolate", help="Run each Python bot in a process of its own, which sees views only.")
]
MoveSeconds = Annotated[
    float | None,
    typer.Option(
        "--move-seconds",
        min=0.001,
        metavar="SECONDS",
        help=f"Time limit for a move of a Python bot; implies --isolate. Default with --isolate: {_MOVE_SECONDS:g}.",
    ),
]

# --- runs, their variants and metrics -------------------------------------------------------------------------------

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", autocompletion=completion.runs, help="The folder of a run.")]
KeepRun = Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the games as a run in this folder.")]
VariantName = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME",
        autocompletion=completion.variants,
        help="A variant of the run. Default: the first.",
    ),
]
VariantOfGame = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME",
        autocompletion=completion.variants,
        help="The variant of the game; needed if the run has several.",
    ),
]
Member = Annotated[
    str | None,
    typer.Option("--member", metavar="BOT", help="One kind of player of the run's panel. Default: the first."),
]
BotsFrom = Annotated[
    Path | None,
    typer.Option(
        "--bots-from",
        metavar="PATH",
        help="Where the source files of the run's Python bots are; code is never loaded from the run's own folder.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        autocompletion=completion.metrics,
        help="Show this metric, or all; repeat for several. Default: the metrics that the question is about.",
    ),
]
Tolerances = Annotated[
    list[str] | None,
    typer.Option("--tolerance", metavar="NAME=VALUE", help="The largest difference in a metric that does not matter."),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="METRIC±WIDTH",
        help="Play until a metric is known to this precision: win_share±0.5%, margin±0.1.",
    ),
]

# --- how the work is done and what is shown of it -------------------------------------------------------------------

Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Worker processes. Default: one per core.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Dask cluster instead: tcp://host:8786 (needs mmsim\\[cluster])."),
]
TlsCa = Annotated[Path | None, typer.Option(help="TLS: the certificate that signed those of the cluster.")]
TlsCert = Annotated[Path | None, typer.Option(help="TLS: our own certificate.")]
TlsKey = Annotated[Path | None, typer.Option(help="TLS: the key of our own certificate.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
JsonProgress = Annotated[bool, typer.Option("--json-progress", help="Show progress as JSON lines on stderr.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")]
OpenInBrowser = Annotated[bool, typer.Option("--open", help="Open the result in the browser.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the report of another run without asking.")]
NewName = Annotated[str, typer.Argument(metavar="NAME", help="Its name; the file is NAME.toml.")]
NewFile = Annotated[
    Path | None, typer.Option("--out", dir_okay=False, help="Another file, or - for stdout. Default: NAME.toml.")
]
