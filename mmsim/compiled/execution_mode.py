"""Which way compiled code is run; decided once, before the first function is decorated.

    plain      `MMSIM_JIT=0`: as Python, slow; for coverage, and for stepping through it in a debugger.
    library    From the machine code of a shared library: one that came with the package, one in the cache, or one that
               is built into the cache the first time. Numba is not imported.
    numba      By Numba in this process, with its own cache on disk: `MMSIM_LINK=0`, and where no library runs (another
               processor) or none can be made (no C compiler, a version of Numba that `linking` does not know).
    building   Inside the process that makes a library (`mmsim.compiled.build`).

`MMSIM_BOUNDSCHECK=1` compiles code that checks its indices: one that is out of bounds, `ix(-1)` too, is an IndexError.
"""

import os
import platform
import shutil
import sys
from functools import cache
from pathlib import Path

PLAIN, LIBRARY, NUMBA, BUILDING = "plain", "library", "numba", "building"
CHECKED = os.environ.get("MMSIM_BOUNDSCHECK", "0") != "0"
PROCESSOR = "x86-64-v3"  # what libraries are made for
_NEEDED = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # what it has, as Linux names it
_KNOWN = ("0.68.",)  # versions of Numba whose insides `linking` knows

_chosen: str | None = None


def choose(way: str) -> None:
    """Say which way to go, instead of having it found out; before anything is decorated."""
    global _chosen
    _chosen = way


@cache
def current() -> str:
    """The way of this process."""
    if _chosen is not None:
        return _chosen
    if os.environ.get("MMSIM_JIT", "1") == "0":
        return PLAIN
    if os.environ.get("MMSIM_LINK", "1") == "0" or not _runs_here():
        return NUMBA
    from mmsim.compiled import cache as kept  # it asks for the way itself

    return LIBRARY if all(map(kept.find, kept.programs())) or can_build() else NUMBA


def can_build() -> bool:
    """Whether this machine has what it takes to make a library."""
    from importlib.metadata import PackageNotFoundError, version  # takes a moment, and is seldom needed

    try:
        known = version("numba").startswith(_KNOWN)
    except PackageNotFoundError:
        return False
    return known and platform.machine() == "x86_64" and sys.platform == "linux" and bool(compiler())


def compiler() -> str | None:
    """The C compiler that puts a library together."""
    return shutil.which("cc")


def _runs_here() -> bool:
    """Whether this machine runs what libraries are made for."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        about = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return set(about.partition("\nflags")[2].partition("\n")[0].split()) >= _NEEDED
