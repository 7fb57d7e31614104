"""Options and arguments that mean the same in several commands, and the checks of their values."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from mmsim.cli import completion
from mmsim.cli.console import say
from mmsim.errors import UsageError
from mmsim.games import DEFAULT, GAMES, find_shell
from mmsim.system.files import DASH, write_output

RUNS = Path("runs")
_MOVE_SECONDS = 60.0


_COMPLETIONS: dict[str, Callable[..., list[str]]] = {  # of a value, by its metavar
    "GAME": completion.games,
    "SPEC": completion.rulesets,
    "KNOB=VALUES": completion.knobs,
    "SET": completion.boards,
    "BOT": completion.bots,
    "LEVEL": completion.levels,
    "RANGE": completion.levels,
    "LIST": completion.bots,
    "EXPERIMENT": completion.experiments,
    "RUN": completion.runs,
    "RUN...": completion.runs,
    "RUN | SPEC": completion.runs_and_rulesets,
    "RUN | SPEC SPEC...": completion.runs_and_rulesets,
    "VARIANT": completion.variants,
    "METRIC": completion.metrics,
}


def option(words: str, help: str, **extra: Any) -> Any:
    """An option by its name and metavar: `--out FILE` takes a file (and no folder), `--games N` a whole number."""
    name, _, metavar = words.partition(" ")
    if metavar == "N":
        extra["parser"] = _whole_number(extra.pop("min", None), extra.pop("max", None))
    complete, is_file = _COMPLETIONS.get(metavar), metavar == "FILE"
    return typer.Option(name, metavar=metavar, help=help, autocompletion=complete, dir_okay=not is_file, **extra)


def _whole_number(least: int | None, most: int | None) -> Callable[[str | int], int]:
    """A parser of whole numbers in a range; `10k`, `2M`, `1e6` and `10,000` are whole numbers too."""

    def parse(text: str | int) -> int:
        if isinstance(text, int):  # a default
            return text
        match = re.fullmatch(r"([+-]?[\d_,]*\.?\d+(?:e\d{1,2})?)([km]?)", text.strip().lower())
        number = Decimal(re.sub("[_,]", "", match[1])) * {"": 1, "k": 1000, "m": 10**6}[match[2]] if match else None
        if number is None or number != int(number):
            raise typer.BadParameter("it must be a whole number, such as 5000, 10k or 2M")
        if least is not None and number < least:
            raise typer.BadParameter(f"it must be at least {least}")
        if most is not None and number > most:
            raise typer.BadParameter(f"it may be at most {most}")
        return int(number)

    return parse


def argument(metavar: str, help: str, **extra: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, autocompletion=_COMPLETIONS.get(metavar), **extra)


def run_folder(folder: Path) -> Path:
    """The run that a user means: a folder, or the one of that name where runs are written by default."""
    return RUNS / folder if not folder.exists() and (RUNS / folder).is_dir() else folder


# --- checks ---------------------------------------------------------------------------------------------------------


def check_bits(bits: int) -> Callable[[int | None], int | None]:
    """Check that a number has at most that many bits; `max` would fill half a line of every help."""

    def check(number: int | None) -> int | None:
        if number is not None and not 0 <= number < 1 << bits:
            raise typer.BadParameter(f"it must be from 0 to {(1 << bits) - 1}")
        return number

    return check


check_seed = check_bits(64)


def move_limit(isolate: bool, seconds: float | None) -> float | None:
    """The time limit for moves of isolated Python bots; None if they play in this process."""
    return seconds or (_MOVE_SECONDS if isolate else None)


def given_options(context: typer.Context, names: Sequence[str]) -> list[str]:
    """Which of these options, named by their parameters, are on the command line."""
    given = [name for name in names if str(context.get_parameter_source(name)).endswith("COMMANDLINE")]
    return [f"--{name.replace('_', '-')}" for name in given]


def check_one_format(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise UsageError("--json and --csv are two ways to print; choose one")


def check_players(bots: str | None, levels: Sequence[str] | None) -> None:
    if bots and levels:
        raise UsageError("--bots seats one table, --levels names levels of play; give one of them")


def check_bots(bots: str | None, game: str) -> None:
    """Refuse the name of a level instead of bots, unless a bot of the game has that name, too."""
    shell = find_shell(game)
    if bots not in shell.bots and bots in [level.name for level in shell.levels]:
        raise UsageError(f"'{bots}' is a level of play, not a bot; write --levels {bots}")


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
        raise UsageError(f"{path} exists already; choose another name or remove it")
    write_output(path, text.encode())
    if path != DASH:
        say(f"{path} is written", err=True)


# --- which game is played, and by whom ------------------------------------------------------------------------------

GameName = Annotated[
    str | None,
    option(
        "--game GAME",
        f"The game: {' or '.join(GAMES)}. Default: the game of the named rules, bots or run, else {DEFAULT}.",
    ),
]
_RULESET = "A ruleset, such as print+loyal,change_minutes=2, or a .toml file"
Rules = Annotated[
    str | None,
    option(
        "--rules SPEC", f"{_RULESET}; its first word says which game is played. Default: the game's default ruleset."
    ),
]
RulesToCompare = Annotated[list[str] | None, option("--rules SPEC", "A ruleset; repeat to compare several.")]
RulesetArgument = Annotated[str, argument("SPEC", f"{_RULESET}.")]
Players = Annotated[int | None, option("--players N", "Number of players. Default: the ruleset's default.")]
Board = Annotated[
    str | None,
    option("--board SET", "A board set: a shipped one, random:SEED or a .toml file. Default: the game's default set."),
]
BoardsToCompare = Annotated[list[str] | None, option("--board SET", "A board set; repeat to compare several.")]
BoardArgument = Annotated[str, argument("SET", "A shipped board set, random:SEED for random pieces, or a .toml file.")]
Layout = Annotated[str | None, option("--layout CODE", "The layout of the board, such as 1a-4c-2b-6a-3a-5b.")]
Layouts = Annotated[
    list[str] | None,
    option("--layout CODE", "Play on this layout of the board, by any of its rotations; repeat to compare several."),
]
Bots = Annotated[
    str | None, option("--bots LIST", "One bot for all seats, or one per seat separated by commas; instead of levels.")
]
Levels = Annotated[
    list[str] | None,
    option(
        "--levels RANGE",
        "Who plays every variant: club..master, all, a level or a bot; repeat for several. Default: the game's "
        "default levels (mmsim bots levels).",
    ),
]
Time = Annotated[
    str | None,
    option(
        "--time TIME",
        "As many games as fit into this time of one core, like 20m, shared out between levels by declared costs; "
        "instead of --games.",
    ),
]
Retrain = Annotated[
    bool,
    option(
        "--retrain",
        "Levels with neural nets also play with nets fitted to every variant, kept beside the run (some minutes of CPU "
        "per variant).",
    ),
]
RetrainGames = Annotated[
    int | None,
    option(
        "--retrain-games N",
        "Games per variant that nets are fitted to. Default: as many as take three minutes of one core by declared "
        "costs.",
        min=100,
    ),
]
BotArgument = Annotated[str, argument("BOT", "A bot, optionally with weights: planner:block=2.0.")]
Seats = Annotated[str, option("--seats HOW", "fixed: bots keep their seats; rotate: every bot plays in every seat.")]
Seed = Annotated[int, option("--seed N", "Master seed; the same seed gives the same result.", callback=check_seed)]
Games = Annotated[int, option("--games N", "Games per variant; slow levels play fewer.", min=2)]
Isolate = Annotated[bool, option("--isolate", "Run each Python bot in its own process, which sees only its view.")]
MoveSeconds = Annotated[
    float | None,
    option(
        "--move-seconds SECONDS",
        f"Time limit for a move of a Python bot; implies --isolate. Default with --isolate: {_MOVE_SECONDS:g}.",
        min=0.001,
    ),
]


def laid_out(game: str, boards: Sequence[str], layouts: Sequence[str]) -> tuple[str, ...]:
    """Every board in every layout; the boards themselves if no layout is named."""
    if not layouts:
        return tuple(boards)
    shell = find_shell(game)
    return tuple(shell.lay_out(board, layout) for board in boards or (None,) for layout in layouts)


# --- runs, their variants and metrics -------------------------------------------------------------------------------

RunFolder = Annotated[Path, argument("RUN", "The folder of a run, or its name in runs/.", callback=run_folder)]
VariantName = Annotated[str | None, option("--variant VARIANT", "A variant of the run. Default: the first.")]
VariantOfGame = Annotated[str | None, option("--variant VARIANT", "Its variant; needed if the run has several.")]
BotsFrom = Annotated[
    Path | None,
    option("--bots-from PATH", "Where the run's Python bots are; code is never loaded from the run's own folder."),
]
Metrics = Annotated[
    list[str] | None,
    option("--metric METRIC", "Show this metric, or all; repeat for several. Default: those the question is about."),
]

# --- how the work is done and what is shown of it -------------------------------------------------------------------

Workers = Annotated[int | None, option("--workers N", "Worker processes. Default: one per core.", min=1)]
Cluster = Annotated[
    str | None, option("--cluster ADDRESS", "Play on a Dask cluster instead: tcp://host:8786 (needs mmsim\\[cluster]).")
]
TlsCa = Annotated[Path | None, option("--tls-ca FILE", "TLS: the certificate authority of the cluster.")]
TlsCert = Annotated[Path | None, option("--tls-cert FILE", "TLS: the client certificate.")]
TlsKey = Annotated[Path | None, option("--tls-key FILE", "TLS: the key of the client certificate.")]
Quiet = Annotated[bool, option("--quiet", "Show no progress.")]
JsonProgress = Annotated[bool, option("--json-progress", "Show progress as JSON lines on stderr.")]
AsJson = Annotated[bool, option("--json", "Print JSON.")]
AsCsv = Annotated[bool, option("--csv", "Print all rows as CSV.")]
OpenInBrowser = Annotated[bool, option("--open", "Open the result in the browser.")]
Force = Annotated[bool, option("--force", "Replace the report of another run without asking.")]
NewName = Annotated[str, argument("NAME", "Its name; the file is NAME.toml.")]
NewFile = Annotated[Path | None, option("--out FILE", "Another file, or - for stdout. Default: NAME.toml.")]
