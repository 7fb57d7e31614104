"""The decorators of compiled code.

Functions are compiled only where Numba compiles in this process (see `execution_mode`). With a library, and as plain
Python, a decorated function is just the function.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from mmsim.compiled import execution_mode
from mmsim.compiled.entry_points import ArrayOf, EntryPoint, Group

COMPILES = execution_mode.current() in (execution_mode.NUMBA, execution_mode.BUILDING)
_function_count = 0  # decorated functions, to show progress while they are compiled

F = TypeVar("F", bound=Callable[..., Any])
ix = np.uint64  # an index into a field of a record: unsigned, so that compiled code need not check for negative ones


def entry_point(**argument_types: Any) -> Callable[[F], F]:
    """Declare a function that Python calls, with the types of its arguments; see `entry_points`."""

    def declare(function: F) -> F:
        declared: Any = EntryPoint(_compile_for_python(function) if COMPILES else function, argument_types)
        return declared

    return declare


if COMPILES:
    import numba
    from numba import types
    from numba.core import event

    from mmsim.compiled import cache

    _BUILDING = execution_mode.current() == execution_mode.BUILDING
    _OPTIONS = {"error_model": "numpy", "nogil": True, "boundscheck": execution_mode.BOUNDSCHECK}
    _INTERNAL_OPTIONS = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if _BUILDING:
        from mmsim.compiled.linking import FunctionCompiler

        _INTERNAL_OPTIONS["pipeline_class"] = FunctionCompiler

    def _njit(function: F, **options: Any) -> F:
        global _function_count
        _function_count += 1
        compiled: F = numba.njit(**options)(function)
        return compiled

    def jit(function: F) -> F:
        """Compile a function that only compiled code calls."""
        return _njit(function, **_INTERNAL_OPTIONS)

    def inlined(function: F) -> F:
        """Compile a function into each of its callers: for functions called often and from few places."""
        return _njit(function, forceinline=True, **_INTERNAL_OPTIONS)

    def _compile_for_python(function: F) -> F:
        """Compile a function that Python calls; Numba caches its machine code in the folder of its program."""
        if _BUILDING:
            return jit(function)
        numba.config.CACHE_DIR = str(cache.folder(function.__module__.split(".")[1]))  # Numba reads it only here
        return _njit(function, cache=True, **_OPTIONS)

    def compile_entry_point(entry_point: EntryPoint) -> Any:
        """Numba's result of compiling an entry point for the argument types it declares."""
        function: Any = entry_point.function
        signature = tuple(_numba_type(argument) for argument in entry_point.argument_types)
        function.compile(signature)  # or load it from the cache, or do nothing
        return function.overloads[signature]

    def _numba_type(argument: Any) -> Any:
        if isinstance(argument, ArrayOf):
            return types.Array(numba.from_dtype(argument.dtype), 1, "C")
        if isinstance(argument, Group):
            return types.NamedTuple([_numba_type(array) for array in argument.arrays], argument.tuple_type)
        return numba.from_dtype(np.dtype(argument))

    @contextmanager
    def watch_compiling(on_progress: Callable[[int, int], None]) -> Iterator[None]:
        """Report the number of functions compiled so far, and of all, after each one."""
        seen: set[str] = set()

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, event: Any) -> None:
                pass

            def on_end(self, event: Any) -> None:
                function = event.data["dispatcher"].py_func
                seen.add(f"{function.__module__}.{function.__qualname__}")
                on_progress(len(seen), max(_function_count, len(seen)))

        with event.install_listener("numba:compile", Listener()):
            yield

else:

    def jit(function: F) -> F:
        return function

    inlined = jit
