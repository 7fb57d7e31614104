"""How compiled code is executed in this process; decided once, before the first function is decorated.

    plain      `MMSIM_JIT=0`: as Python, slow; for coverage and debuggers.
    library    Machine code from a shared library: shipped with the package, found in the cache, or built into the cache
               when it is first needed. Numba is not imported.
    numba      Numba compiles in this process and keeps its own cache: `MMSIM_LINK=0`, or a machine where no library
               runs or can be built (see `library_obstacle`).
    building   Inside the process that builds a library (`mmsim/compiled/__main__.py`).

`MMSIM_BOUNDSCHECK=1` compiles code that checks its indices: an index out of bounds raises an
IndexError, and so does a negative one.
"""

import os
import platform
import shutil
import sys
from functools import cache
from pathlib import Path

PLAIN, LIBRARY, NUMBA, BUILDING = "plain", "library", "numba", "building"
BOUNDSCHECK = os.environ.get("MMSIM_BOUNDSCHECK", "0") != "0"
PROCESSOR = "x86-64-v3"  # what libraries are built for
_CPU_FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # of that processor, as Linux names them
_LINKABLE_NUMBA = ("0.68.",)  # versions whose internals `linking` relies on

_chosen: str | None = None


def choose(mode: str) -> None:
    """Set the mode instead of having it detected; before anything is decorated."""
    global _chosen
    _chosen = mode


@cache
def current() -> str:
    if _chosen is not None:
        return _chosen
    if os.environ.get("MMSIM_JIT", "1") == "0":
        return PLAIN
    if _cannot_run():
        return NUMBA
    from mmsim.compiled import cache as code_cache  # it needs the mode itself

    libraries_exist = all(map(code_cache.find_library, code_cache.programs()))
    return LIBRARY if libraries_exist or can_build() else NUMBA


def library_obstacle() -> str:
    """Why no library runs or can be built here; empty if one can."""
    return _cannot_run() or _cannot_build()


def can_build() -> bool:
    return not _cannot_build()


def _cannot_run() -> str:
    if os.environ.get("MMSIM_LINK", "1") == "0":
        return "MMSIM_LINK=0"
    if obstacle := _wrong_platform():
        return obstacle
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        cpuinfo = ""
    flags = set(cpuinfo.partition("\nflags")[2].partition("\n")[0].split())
    return "" if flags >= _CPU_FLAGS else f"libraries are for {PROCESSOR} processors"


def _cannot_build() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import and seldom needed

    try:
        numba = version("numba")
    except PackageNotFoundError:
        return "Numba is not installed"
    if not numba.startswith(_LINKABLE_NUMBA):
        return f"only Numba {_LINKABLE_NUMBA[0]}x builds libraries, this is {numba}"
    return _wrong_platform() or ("" if compiler() else "there is no C compiler")


def _wrong_platform() -> str:
    is_supported = sys.platform == "linux" and platform.machine() == "x86_64"
    return "" if is_supported else f"libraries are for Linux x86_64, not {platform.system()} {platform.machine()}"


def compiler() -> str | None:
    """The C compiler that links a library."""
    return shutil.which("cc")
