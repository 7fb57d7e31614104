"""Modules whose functions are compiled by Numba in this process, to test them one by one."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from mmsim.compiled import execution_mode


def with_numba(*names: str) -> list[ModuleType]:
    """Modules of mmsim imported in the `numba` mode, whatever the mode of this process; plain with `MMSIM_JIT=0`."""
    if execution_mode.current() in (execution_mode.PLAIN, execution_mode.NUMBA):
        return [import_module(name) for name in names]
    imported = _remove_modules()
    try:
        fresh: Any = import_module("mmsim.compiled.execution_mode")
        fresh.choose(fresh.NUMBA)
        return [import_module(name) for name in names]
    finally:
        _remove_modules()
        sys.modules.update(imported)


def _remove_modules() -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "mmsim"}


def driver(function: Any) -> Any:
    """Compile a function that calls functions of such modules."""
    if execution_mode.current() == execution_mode.PLAIN:
        return function
    from numba import njit

    return njit(error_model="numpy")(function)
