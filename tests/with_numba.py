"""Compiled functions one by one: modules as they are where Numba compiles in the process."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from mmsim.compiled import execution_mode


def with_numba(*names: str) -> list[ModuleType]:
    """Modules of mmsim whose functions are Numba's, whichever way this process goes; plain ones with `MMSIM_JIT=0`."""
    if execution_mode.current() in (execution_mode.PLAIN, execution_mode.NUMBA):
        return [import_module(name) for name in names]
    usual = _take_out()
    try:
        fresh: Any = import_module("mmsim.compiled.execution_mode")
        fresh.choose(fresh.NUMBA)
        return [import_module(name) for name in names]
    finally:
        _take_out()
        sys.modules.update(usual)


def _take_out() -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "mmsim"}


def driver(function: Any) -> Any:
    """Compile a function that calls such ones."""
    if execution_mode.current() == execution_mode.PLAIN:
        return function
    from numba import njit

    return njit(error_model="numpy")(function)
