"""The same game as a C program that can play one variant only: how far a general core is from that.

Sources lie in `benchmarks/yardstick`, one for each game that has one. They are compiled when asked for, loaded into
this process and play on its clock, so that core and C can take turns in one measurement.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmsim.errors import MmsimError, UsageError
from mmsim.system.package_data import data_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPILERS = ("cc", "gcc", "clang")
_AS_FAST_AS_CAN_BE = ("-O3", "-march=native")
_MOST_SUMS = 16


class Yardstick:
    """A compiled C program: what it plays, and what its games so far came to."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.play.restype = ctypes.c_int64
        self._sums = (ctypes.c_int64 * _MOST_SUMS)()
        self.games = 0
        self.variant, self.board, names, left_out = map(self._text, ("variant", "board", "sums", "left_out"))
        self.summed = names.split(",")
        self.left_out = left_out.split(",")  # `table.column`s it does not write

    def _text(self, name: str) -> str:
        return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(self._library, name))).decode()

    def play(self, first: int, count: int, rows: "Mapping[str, NDArray[Any]] | None" = None) -> int:
        """Play games, into the rows of all tables if the program was built to keep them; the decisions made."""
        tables = list((rows or {}).values())
        into = (ctypes.c_void_p * len(tables))(*(table.ctypes.data for table in tables))
        decisions = self._library.play(ctypes.c_int64(first), ctypes.c_int64(count), self._sums, into)
        self.games += count
        return int(decisions)

    def means(self) -> dict[str, float]:
        """What a game came to on the average, column by column."""
        return {name: float(total / self.games) for name, total in zip(self.summed, self._sums, strict=False)}

    def fits(self, variant: str, board: str | None) -> None:
        """Refuse another variant or board than the one it plays."""
        if variant != self.variant or self.board not in ("", board):
            plays = f"{self.variant} on {self.board}" if self.board else self.variant
            raise UsageError(f"the C program of this game plays {plays} only")


def build(game: str, folder: Path, *, rows: bool) -> Yardstick:
    """Compile the C program of a game into a folder; with `rows` it writes all tables too."""
    source = data_folder("benchmarks/yardstick") / f"{game}.c"
    if not source.is_file():
        raise UsageError(f"there is no C program of {game} to measure against")
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise MmsimError(f"measuring against C needs a C compiler ({', '.join(_COMPILERS)}), and there is none here")
    library = folder / f"{game}{'-rows' if rows else ''}.so"
    flags = [*_AS_FAST_AS_CAN_BE, "-shared", "-fPIC", "-fvisibility=hidden", *(["-DROWS"] if rows else [])]
    command = [compiler, *flags, "-o", str(library), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MmsimError(f"{compiler} did not compile {source.name}: {done.stderr.strip().splitlines()[0]}")
    return Yardstick(library)
