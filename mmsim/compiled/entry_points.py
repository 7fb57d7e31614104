"""Entries: the functions of a program that Python calls, whichever way compiled code is run.

An entry declares what it takes: a structured dtype for an array of such records, `array_of(np.int64)` for an array of
numbers, a group (a named tuple of arrays), or a number (`np.int64`, `np.uint64`). So a program can be compiled without
being run, and in a library an entry is a C function: the address of the result, then address and length of every array
and the value of every number.
"""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled import execution_mode

LIBRARY = "library.so"
Record = NDArray[Any]  # a structured array, mostly of one element: what crosses from Python to compiled code
_NUMBERS: dict[Any, Any] = {np.int64: ctypes.c_int64, np.uint64: ctypes.c_uint64}


@dataclass(frozen=True)
class ArrayOf:
    """An array of one kind of number or record."""

    kind: np.dtype[Any]

    def flat(self, array: Any) -> tuple[int, int]:
        if array.itemsize != self.kind.itemsize or not array.flags.c_contiguous:
            raise TypeError(f"an array of {array.dtype} instead of {self.kind}")
        return array.ctypes.data, array.size


def array_of(kind: Any) -> ArrayOf:
    return ArrayOf(np.dtype(kind))


class Group(NamedTuple):
    """Arrays that go together: a named tuple, and what each of its fields is an array of."""

    of: type[Any]
    arrays: tuple[ArrayOf, ...]


def group(of: type[Any], **kinds: Any) -> Group:
    """What an entry declares for a named tuple."""
    assert tuple(kinds) == of._fields
    return Group(of, tuple(_kind(kind) for kind in kinds.values()))


def _kind(kind: Any) -> Any:
    return array_of(kind) if isinstance(kind, np.dtype) else kind


def new_record(kind: np.dtype[Any], size: int = 1) -> Record:
    """Empty records, as an array: of each the fields are attributes, with and without the compiler."""
    return np.zeros(size, _with_attributes(kind))


@cache
def _with_attributes(kind: np.dtype[Any]) -> np.dtype[Any]:
    """As NumPy's own `recarray`, whose records look for a field in vain before they find it."""
    fields = {name: property(itemgetter(name), _setter(name)) for name in kind.names or ()}
    return np.dtype((type("Fields", (np.void,), fields), kind))


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda record, value: record.__setitem__(name, value)


class Entry:
    """A function that Python calls."""

    def __init__(self, function: Callable[..., Any], kinds: dict[str, Any]) -> None:
        named = function.__code__.co_varnames[: function.__code__.co_argcount]
        assert tuple(kinds) == named, f"{function.__name__} takes {named}"
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self.program = function.__module__.split(".")[1]
        self.kinds = tuple(_kind(kind) for kind in kinds.values())
        program_entries(self.program).append(self)

    def __call__(self, *args: Any) -> Any:
        if execution_mode.current() == execution_mode.LIBRARY:
            return self._call_library(args)
        kinds = zip(self.kinds, args, strict=True)
        return self.function(*(kind(arg) if kind in _NUMBERS else arg for kind, arg in kinds))

    def flat_types(self) -> list[Any]:
        """The C types of all arguments; an array is an address and a length."""
        types = []
        for kind in self.kinds:
            arrays = len(kind.arrays) if isinstance(kind, Group) else 1
            types += [_NUMBERS[kind]] if kind in _NUMBERS else [ctypes.c_void_p, ctypes.c_int64] * arrays
        return types

    def _call_library(self, args: tuple[Any, ...]) -> int:
        flat: list[Any] = []
        for kind, arg in zip(self.kinds, args, strict=True):
            if isinstance(kind, ArrayOf):
                flat += kind.flat(arg)
            elif isinstance(kind, Group):
                for one, array in zip(kind.arrays, arg, strict=True):
                    flat += one.flat(array)
            else:
                flat.append(int(arg))
        result = ctypes.c_int64()
        if self._compiled(ctypes.byref(result), *flat):
            raise IndexError(f"an index is out of bounds in {self.program}'s {self.name}")
        return result.value

    @cached_property
    def _compiled(self) -> Any:
        from mmsim.compiled.startup import warm_up

        warm_up(self.program)
        found = loaded(self.program)[f"mmsim_{self.name}"]
        found.restype, found.argtypes = ctypes.c_int32, [ctypes.c_void_p, *self.flat_types()]
        return found


_entries: dict[str, list[Entry]] = {}
_loaded: dict[str, ctypes.CDLL] = {}


def program_entries(program: str) -> list[Entry]:
    """The entries of a program that have been declared so far."""
    return _entries.setdefault(program, [])


def load(program: str, kept: Path) -> None:
    """Have the library of a program ready to be called."""
    if program not in _loaded:
        try:
            _loaded[program] = ctypes.CDLL(str(kept / LIBRARY))
        except OSError:  # it may lie where nothing can be executed (`noexec`), as /dev/shm in a container does
            with open(os.memfd_create(LIBRARY), "wb") as copy:
                copy.write((kept / LIBRARY).read_bytes())
                copy.flush()
                _loaded[program] = ctypes.CDLL(f"/proc/self/fd/{copy.fileno()}")


def loaded(program: str) -> ctypes.CDLL:
    return _loaded[program]
