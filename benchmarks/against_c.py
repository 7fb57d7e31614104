"""Compare the core with C programs that play one variant of a game only.

python -m benchmarks.against_c --game metro    # the core, C, and C that writes the same tables, in turns

The sources are in `benchmarks/c_baseline`. They are compiled on demand, loaded into this process and timed by its
clock, so that the core and C can take turns in one measurement.
"""

import argparse
import ctypes
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.cli.bench import METHOD, REFERENCE_BOT, core, measure, print_speeds
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import DEFAULT, find_game
from mmsim.system import timing
from mmsim.system.machine import machine

SOURCES = Path(__file__).with_name("c_baseline")
C, C_WITH_ROWS = "C", "C with rows"
_COMPILERS = ("cc", "gcc", "clang")
_OPTIMISATION = ("-O3", "-march=native")
_MAX_SUMS = 16


class CProgram:
    """A compiled C program: the variant it plays, and sums over its games so far."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.play.restype = ctypes.c_int64
        self._sums = (ctypes.c_int64 * _MAX_SUMS)()
        self.games = 0
        self.name, self.board, columns, left_out = map(self._text, ("variant", "board", "sums", "left_out"))
        self.summed_columns = columns.split(",")
        self.left_out = left_out.split(",")  # `table.column`s it does not write

    def _text(self, name: str) -> str:
        return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(self._library, name))).decode()

    @property
    def variant(self) -> Variant:
        rules, _, players = self.name.rpartition("-")
        return Variant(rules, int(players.removesuffix("p")), self.board or None, REFERENCE_BOT)

    def play(self, first: int, count: int, rows: Mapping[str, NDArray[Any]] | None = None) -> int:
        """Play games, into the rows of all tables if the program was built with them; returns the decisions made."""
        tables = list((rows or {}).values())
        addresses = (ctypes.c_void_p * len(tables))(*(table.ctypes.data for table in tables))
        decisions = self._library.play(ctypes.c_int64(first), ctypes.c_int64(count), self._sums, addresses)
        self.games += count
        return int(decisions)

    def means(self) -> dict[str, float]:
        """The mean of each summed column per game."""
        return {name: float(total / self.games) for name, total in zip(self.summed_columns, self._sums, strict=False)}


def build(game: str, folder: Path, *, rows: bool) -> CProgram:
    """Compile the C program of a game into a folder; with `rows` it writes all tables too."""
    source = SOURCES / f"{game}.c"
    if not source.is_file():
        raise UsageError(f"there is no C program of {game} to compare with")
    compiler = next((path for name in _COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        raise MmsimError(f"comparing with C needs a C compiler ({', '.join(_COMPILERS)}), and there is none here")
    library = folder / f"{game}{'-rows' if rows else ''}.so"
    flags = [*_OPTIMISATION, "-shared", "-fPIC", "-fvisibility=hidden", *(["-DROWS"] if rows else [])]
    process = subprocess.run([compiler, *flags, "-o", library, source], capture_output=True, text=True, check=False)
    if process.returncode:
        raise MmsimError(f"{compiler} did not compile {source.name}: {process.stderr.strip().splitlines()[0]}")
    return CProgram(library)


def compare(game: str, games: int, repeats: int) -> dict[str, Any]:
    """Speeds of the core and of C, their ratios, and the mean of some columns in games of both."""
    engines = find_game(game)
    with TemporaryDirectory() as folder:
        program, with_rows = (build(game, Path(folder), rows=rows) for rows in (False, True))
    prepared = engines.prepare(program.variant)
    tables = engines.play_games(prepared, 0, games)
    rows = {table: np.zeros_like(values) for table, values in tables.items()}
    players: dict[str, timing.PlayGames] = {
        "core": core(engines, prepared),
        C: program.play,
        C_WITH_ROWS: lambda first, count: with_rows.play(first, count, rows),
    }
    contenders = [timing.fit_to_turn(engine, REFERENCE_BOT, play, games) for engine, play in players.items()]
    speeds = measure(contenders, repeats)
    means = {}
    for column, mean in program.means().items():
        values = next(values[column] for values in tables.values() if column in (values.dtype.names or ()))
        means[column] = {"core": round(float(values.sum() / games), 2), "c": round(mean, 2)}
    return {
        "machine": machine(),
        "variant": {"rules": program.name, "board": program.board, "seed": prepared.seed},
        "method": METHOD,
        "repeats": repeats,
        "results": [speed.row() for speed in speeds],
        "core_over_c": {speed.contender.engine: timing.ratio(speeds[0], speed) for speed in speeds[1:]},
        "means": means,
    }


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.against_c", description=__doc__.splitlines()[0])
    parser.add_argument("--game", default=DEFAULT)
    parser.add_argument("--games", type=int, default=20_000, help="most games per turn")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    try:
        report = compare(options.game, options.games, options.repeats)
    except MmsimError as error:
        parser.error(str(error))
    print_speeds(report)
    for engine, share in report["core_over_c"].items():
        print(
            f"the core plays {share['median']:.2f} of the games of {engine} ({share['low']:.2f} to {share['high']:.2f})"
        )
    sums = ", ".join(f"{column} {both['core']:g} and {both['c']:g}" for column, both in report["means"].items())
    print(f"C draws its own games; means per game of the core and of C: {sums}")


if __name__ == "__main__":
    main()
