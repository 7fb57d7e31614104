"""The only place, with `linking`, that names Numba: the decorators, and the machine's bit instructions.

`way` says which way compiled code is run. Only where Numba compiles in this process do the decorators compile; from a
library, and as plain Python, a decorated function is just the function, and every bit instruction its plain twin.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from mmsim.compiled import execution_mode
from mmsim.compiled.entry_points import ArrayOf, Entry, Group

COMPILES = execution_mode.current() in (
    execution_mode.NUMBA,
    execution_mode.BUILDING,
)  # whether decorated functions are Numba's
_registered = 0  # how many functions are compiled in all, for progress while they are

F = TypeVar("F", bound=Callable[..., Any])
ix = np.uint64  # an index into a field of a record: unsigned, so that compiled code need not look for negative ones


def entry(**kinds: Any) -> Callable[[F], F]:
    """Declare a function that Python calls, with what it takes; see `entries`."""

    def declare(function: F) -> F:
        called: Any = Entry(_entry(function) if COMPILES else function, kinds)
        return called

    return declare


if COMPILES:
    import numba
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils, event
    from numba.extending import intrinsic

    from mmsim.compiled import cache

    _BUILDING = execution_mode.current() == execution_mode.BUILDING
    _OPTIONS = {"error_model": "numpy", "nogil": True, "boundscheck": execution_mode.CHECKED}
    _CALLED = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if _BUILDING:
        from mmsim.compiled.linking import FunctionCompiler

        _CALLED["pipeline_class"] = FunctionCompiler

    def jit(function: F) -> F:
        """Compile a function that is called from compiled code only."""
        global _registered
        _registered += 1
        compiled: F = numba.njit(**_CALLED)(function)
        return compiled

    def inlined(function: F) -> F:
        """Compile a function into every one of its callers: for what is called often and from few places."""
        global _registered
        _registered += 1
        compiled: F = numba.njit(forceinline=True, **_CALLED)(function)
        return compiled

    def _entry(function: F) -> F:
        """Compile a function that Python calls; Numba keeps its machine code on disk, in the folder of its program."""
        if _BUILDING:
            return jit(function)
        global _registered
        _registered += 1
        numba.config.CACHE_DIR = str(cache.folder(function.__module__.split(".")[1]))  # Numba looks at it here only
        compiled: F = numba.njit(cache=True, **_OPTIONS)(function)
        return compiled

    def compile_entry(entry: Entry) -> Any:
        """What Numba makes of an entry with the arguments that it declares."""
        function: Any = entry.function
        signature = tuple(_type_of(kind) for kind in entry.kinds)
        function.compile(signature)  # or load, or nothing at all
        return function.overloads[signature]

    def _type_of(kind: Any) -> Any:
        if isinstance(kind, ArrayOf):
            return types.Array(numba.from_dtype(kind.kind), 1, "C")
        if isinstance(kind, Group):
            return types.NamedTuple([_type_of(array) for array in kind.arrays], kind.of)
        return numba.from_dtype(np.dtype(kind))

    @contextmanager
    def watch_compiling(tell: Callable[[int, int], None]) -> Iterator[None]:
        """Tell the number of functions compiled so far, and of all, whenever another one is."""
        seen: set[str] = set()

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, happening: Any) -> None:
                pass

            def on_end(self, happening: Any) -> None:
                function = happening.data["dispatcher"].py_func
                seen.add(f"{function.__module__}.{function.__qualname__}")
                tell(len(seen), max(_registered, len(seen)))

        with event.install_listener("numba:compile", Listener()):
            yield

    def _bits_of(name: str) -> Any:
        """A one-word LLVM instruction (ctpop, cttz, ctlz) as a function."""

        def instruction(typing: Any, word: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                if name == "ctpop":
                    return builder.ctpop(args[0])
                return getattr(builder, name)(args[0], ir.Constant(ir.IntType(1), 0))

            return types.uint64(types.uint64), generate

        return intrinsic(instruction)

    _count, _trailing, _leading = _bits_of("ctpop"), _bits_of("cttz"), _bits_of("ctlz")

    @intrinsic  # type: ignore[untyped-decorator]
    def _deposit(typing: Any, source: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind), args)

        return types.uint64(types.uint64, types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def rarely(typing: Any, condition: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bit = ir.IntType(1)
            kind = ir.FunctionType(bit, [bit, bit])
            expect = builder.module.declare_intrinsic("llvm.expect", (bit,), kind)
            return builder.call(expect, (args[0], ir.Constant(bit, 0)))

        return types.boolean(types.boolean), generate

    @jit
    def count_bits(word: np.uint64) -> np.int64:
        return np.int64(_count(np.uint64(word)))

    @jit
    def lowest_bit(word: np.uint64) -> np.int64:
        return np.int64(_trailing(np.uint64(word)))

    @jit
    def highest_bit(word: np.uint64) -> np.int64:
        return np.int64(63) - np.int64(_leading(np.uint64(word)))

    @intrinsic  # type: ignore[untyped-decorator]
    def copy_bytes(typing: Any, to: Any, source: Any, first: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            byte = ir.IntType(8).as_pointer()
            places = [builder.gep(builder.bitcast(record, byte), [args[2]]) for record in args[:2]]
            cgutils.raw_memcpy(builder, places[0], places[1], args[3], 1)
            return context.get_dummy_value()

        return types.void(to, source, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def scratch_like(typing: Any, record: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                room = builder.alloca(ir.ArrayType(ir.IntType(64), (record.size + 7) // 8))
            cgutils.memset(builder, room, ir.Constant(ir.IntType(64), record.size), 0)
            return builder.bitcast(room, context.get_value_type(record))

        return record(record), generate

    if _BUILDING or binding.get_host_cpu_features().get("bmi2", False):

        @jit
        def spread_bits(word: np.uint64) -> np.uint64:
            return _deposit(np.uint64(word), np.uint64(0x0101010101010101))

        @jit
        def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
            return np.int64(_trailing(_deposit(np.uint64(1) << np.uint64(k), np.uint64(word))))

    else:

        @jit
        def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
            rest = np.uint64(word)
            for _ in range(k):
                rest &= rest - np.uint64(1)
            return np.int64(_trailing(rest))

        @jit
        def spread_bits(word: np.uint64) -> np.uint64:
            low = np.uint64(word) & np.uint64(0x7F)
            spread = low * np.uint64(0x0002040810204081) & np.uint64(0x0101010101010101)
            return spread | (np.uint64(word) >> np.uint64(7) & np.uint64(1)) << np.uint64(56)

else:

    def jit(function: F) -> F:
        return function

    inlined = jit

    def rarely(condition: Any) -> bool:
        return bool(condition)

    def count_bits(word: np.uint64) -> np.int64:
        return np.int64(int(word).bit_count())

    def lowest_bit(word: np.uint64) -> np.int64:
        return np.int64((int(word) & -int(word)).bit_length() - 1)

    def highest_bit(word: np.uint64) -> np.int64:
        return np.int64(int(word).bit_length() - 1)

    def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
        rest = int(word)
        for _ in range(int(k)):
            rest &= rest - 1
        return np.int64((rest & -rest).bit_length() - 1)

    def spread_bits(word: np.uint64) -> np.uint64:
        return np.uint64(sum((int(word) >> i & 1) << 8 * i for i in range(8)))

    def copy_bytes(to: Any, source: Any, first: Any, count: Any) -> None:
        for name in to.dtype.names:
            to[name] = source[name]

    def scratch_like(record: Any) -> Any:
        return np.zeros(1, record.dtype)[0]


# `if rarely(condition):` tells the compiler what to lay aside, so that it keeps the registers for what is usual.
count_bits.__doc__ = "How many bits are set."
lowest_bit.__doc__ = "The number of the lowest set bit; the word must not be zero."
highest_bit.__doc__ = "The number of the highest set bit; the word must not be zero."
scratch_like.__doc__ = "An empty record of the same kind; it lives as long as the function that asks for it."
kth_bit.__doc__ = "The number of the k-th set bit, counting from 0; there must be that many."
