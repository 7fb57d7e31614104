"""Shell completion: names of rulesets, knobs, bots, boards, experiments, metrics, runs and variants.

A shell asks at every press of Tab, so nothing here compiles, reads a table or imports a slow library.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import typer

from mmsim.batch.experiment import shipped_experiments
from mmsim.batch.manifest import read_manifest, runs_in
from mmsim.core.knobs import Knob
from mmsim.core.shell import Shell
from mmsim.errors import MmsimError
from mmsim.games import GAMES, find_shell, find_statistics, game_of_ruleset, working_shells

# of `analysis`, which is slow to import
DERIVED_METRICS = ("seat_imbalance", "skill_gradient", "layout_share", "layout_spread")


def games() -> list[str]:
    return list(GAMES)


def rulesets(ctx: typer.Context, incomplete: str) -> list[str]:
    """The last word of a ruleset (an edition, a modifier, a knob or its value), and files."""
    shells = _shells(ctx)
    with suppress(MmsimError):
        shells = [find_shell(game_of_ruleset(incomplete))]  # raises while its edition is incomplete
    if "," in incomplete:
        head, _, word = incomplete.rpartition(",")
        return [f"{head},{setting}" for shell in shells for setting in _settings(shell.knobs, word)]
    if "+" in incomplete:
        written, _, _ = incomplete.rpartition("+")
        return [f"{written}+{modifier}" for shell in shells for modifier in _modifiers(shell)]
    return [*(edition for shell in shells for edition in shell.editions), *_toml_files(incomplete)]


def knobs(ctx: typer.Context, incomplete: str) -> list[str]:
    """`KNOB=` for --vary."""
    with suppress(MmsimError):
        shell = find_shell(ctx.params.get("game") or game_of_ruleset(_argument(ctx)))
        return [f"{name}=" for name in shell.knobs]
    return [f"{name}=" for shell in _shells(ctx) for name in shell.knobs]


def bots(ctx: typer.Context, incomplete: str) -> list[str]:
    """The last bot of a list separated by commas."""
    before = incomplete[: incomplete.rfind(",") + 1]
    names = dict.fromkeys(name for shell in _shells(ctx) for name in shell.bots)
    return [f"{before}{name}" for name in names]


def boards(ctx: typer.Context, incomplete: str) -> list[str]:
    names = [row[0] for shell in _shells(ctx) if shell.default_board for row in shell.boards.listing().rows]
    return [*names, *_toml_files(incomplete)]


def levels(ctx: typer.Context, incomplete: str) -> list[str]:
    return list(dict.fromkeys(["all", *(level.name for shell in _shells(ctx) for level in shell.levels)]))


def experiments(incomplete: str) -> list[str]:
    """Shipped experiments, files, and runs (to be extended)."""
    return [*shipped_experiments(), *_toml_files(incomplete), *runs(incomplete)]


def metrics(ctx: typer.Context, incomplete: str) -> list[str]:
    names = [metric.name for shell in _shells(ctx) for metric in find_statistics(shell.name).metrics]
    return list(dict.fromkeys([*names, *DERIVED_METRICS]))


def runs(incomplete: str) -> list[str]:
    """Run folders: those in `runs`, and those in the folder that is being typed."""
    parents = {Path("runs"), Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent}
    return [str(folder) for folder in sorted(folder for parent in parents for folder in runs_in(parent))]


def runs_and_rulesets(ctx: typer.Context, incomplete: str) -> list[str]:
    return [*runs(incomplete), *rulesets(ctx, incomplete)]


def variants(ctx: typer.Context, incomplete: str) -> list[str]:
    """The variants of the run that is named on the line."""
    with suppress(MmsimError):
        return [variant.name for variant in read_manifest(Path(_argument(ctx))).variants]
    return []


def _argument(ctx: typer.Context) -> str:
    """The first argument of an unfinished line; typer leaves it unparsed while an option lacks its value."""
    return str(ctx.args[0]) if ctx.args else ""


def _shells(ctx: typer.Context) -> list[Shell]:
    """The game that the line names, or all games."""
    with suppress(MmsimError):
        if game := ctx.params.get("game"):
            return [find_shell(game)]
        if isinstance(rules := ctx.params.get("rules"), str):
            return [find_shell(game_of_ruleset(rules))]
    return list(working_shells())


def _modifiers(shell: Shell) -> list[str]:
    listings = [listing for listing in shell.rulesets() if listing.headings[0] == "modifier"]
    return [name for listing in listings for row in listing.rows for name in row[0].split(" or ")]


def _settings(known: Mapping[str, Knob], word: str) -> list[str]:
    """Knobs, or the values of the knob that is being set."""
    name, equals, _ = word.partition("=")
    if equals and name in known:
        knob = known[name]
        values = (
            knob.choices
            or knob.examples
            or (("true", "false") if knob.is_switch else map(str, range(knob.low, knob.high + 1)))
        )
        return [f"{name}={value}" for value in values]
    return [f"{name}=" for name in known]


def _toml_files(incomplete: str) -> list[str]:
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    with suppress(OSError):
        return sorted(str(path) for path in folder.glob("*.toml"))
    return []
