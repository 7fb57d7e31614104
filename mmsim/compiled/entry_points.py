"""Entry points: the functions of a program that Python calls, whatever the execution mode.

An entry point declares its arguments: a structured dtype for an array of such records, `array_of(np.int64)` for an
array of numbers, a group (a named tuple of arrays), or a number (`np.int64`, `np.uint64`). So a program can be compiled
without being run. In a library an entry point is a C function of the address of its result, then the address and length
of every array and the value of every number.
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

LIBRARY_FILE = "library.so"
Record = NDArray[Any]  # a structured array, mostly of one element: what Python passes to compiled code
_NUMBERS: dict[Any, Any] = {np.int64: ctypes.c_int64, np.uint64: ctypes.c_uint64}


@dataclass(frozen=True)
class ArrayOf:
    """An argument that is an array of numbers or records."""

    dtype: np.dtype[Any]

    def address_and_length(self, array: Any) -> tuple[int, int]:
        if array.itemsize != self.dtype.itemsize or not array.flags.c_contiguous:
            raise TypeError(f"an array of {array.dtype} instead of {self.dtype}")
        return array.ctypes.data, array.size


def array_of(dtype: Any) -> ArrayOf:
    return ArrayOf(np.dtype(dtype))


class Group(NamedTuple):
    """An argument that is a named tuple of arrays."""

    tuple_type: type[Any]
    arrays: tuple[ArrayOf, ...]


def group(tuple_type: type[Any], **field_types: Any) -> Group:
    assert tuple(field_types) == tuple_type._fields
    return Group(tuple_type, tuple(map(_argument_type, field_types.values())))


def _argument_type(declared: Any) -> Any:
    return array_of(declared) if isinstance(declared, np.dtype) else declared


def new_record(dtype: np.dtype[Any], size: int = 1) -> Record:
    """An array of empty records whose fields are attributes, as in compiled code."""
    return np.zeros(size, _with_attributes(dtype))


@cache
def _with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Like NumPy's `recarray`, whose records try an ordinary attribute first and are slower."""
    fields = {name: property(itemgetter(name), _setter(name)) for name in dtype.names or ()}
    return np.dtype((type("Fields", (np.void,), fields), dtype))


def _setter(name: str) -> Callable[[Any, Any], None]:
    return lambda record, value: record.__setitem__(name, value)


class EntryPoint:
    """A function that Python calls."""

    def __init__(self, function: Callable[..., Any], argument_types: dict[str, Any]) -> None:
        arguments = function.__code__.co_varnames[: function.__code__.co_argcount]
        assert tuple(argument_types) == arguments, f"{function.__name__} takes {arguments}"
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self.program = function.__module__.split(".")[1]
        self.argument_types = tuple(map(_argument_type, argument_types.values()))
        declared_entry_points(self.program).append(self)

    def __call__(self, *args: Any) -> Any:
        if execution_mode.current() == execution_mode.LIBRARY:
            return self._call_library(args)
        typed = zip(self.argument_types, args, strict=True)
        return self.function(*(type_(arg) if type_ in _NUMBERS else arg for type_, arg in typed))

    def _call_library(self, args: tuple[Any, ...]) -> int:
        flat: list[Any] = []
        for type_, arg in zip(self.argument_types, args, strict=True):
            if isinstance(type_, ArrayOf):
                flat += type_.address_and_length(arg)
            elif isinstance(type_, Group):
                for array_type, array in zip(type_.arrays, arg, strict=True):
                    flat += array_type.address_and_length(array)
            else:
                flat.append(int(arg))
        result = ctypes.c_int64()
        if self._c_function(ctypes.byref(result), *flat):
            raise IndexError(f"an index is out of bounds in {self.program}'s {self.name}")
        return result.value

    @cached_property
    def _c_function(self) -> Any:
        from mmsim.compiled.startup import warm_up

        warm_up(self.program)
        types: list[Any] = []
        for type_ in self.argument_types:
            arrays = len(type_.arrays) if isinstance(type_, Group) else 1
            types += [_NUMBERS[type_]] if type_ in _NUMBERS else [ctypes.c_void_p, ctypes.c_int64] * arrays
        function = _libraries[self.program][f"mmsim_{self.name}"]
        function.restype, function.argtypes = ctypes.c_int32, [ctypes.c_void_p, *types]
        return function


_declared: dict[str, list[EntryPoint]] = {}
_libraries: dict[str, ctypes.CDLL] = {}


def declared_entry_points(program: str) -> list[EntryPoint]:
    """The entry points of a program that have been declared so far."""
    return _declared.setdefault(program, [])


def load_library(program: str, folder: Path) -> None:
    if program not in _libraries:
        library = folder / LIBRARY_FILE
        try:
            _libraries[program] = ctypes.CDLL(str(library))
        except OSError:  # nothing may be executed from where it is (`noexec`), such as /dev/shm in a container
            with open(os.memfd_create(LIBRARY_FILE), "wb") as copy:
                copy.write(library.read_bytes())
                copy.flush()
                _libraries[program] = ctypes.CDLL(f"/proc/self/fd/{copy.fileno()}")
