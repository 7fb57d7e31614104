"""The only place, with `linking`, that names Numba: the decorators, the off switch, the machine's bit instructions.

`MMSIM_JIT=0` runs the same code as plain Python (slow; for coverage and for stepping through it in a debugger).
`MMSIM_BOUNDSCHECK=1` compiles it so that an index out of bounds, `ix(-1)` too, is an IndexError, and keeps that apart.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

# How many functions are compiled in all, for progress while they are.
registered = 0
ENABLED = os.environ.get("MMSIM_JIT", "1") != "0"

F = TypeVar("F", bound=Callable[..., Any])
ix = np.uint64  # an index into a field of a record: unsigned, so that compiled code need not look for negative ones

if ENABLED:
    import numba
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils, event
    from numba.extending import intrinsic

    from mmsim.compiled import cache
    from mmsim.compiled.linking import PartCompiler, WholeCompiler

    _OPTIONS = {"error_model": "numpy", "nogil": True, "boundscheck": cache.CHECKED}
    _PART = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartCompiler}

    def jit(function: F) -> F:
        """Compile a function that is called from compiled code only."""
        global registered
        registered += 1
        compiled: F = numba.njit(**_PART)(function)
        return compiled

    def inlined(function: F) -> F:
        """Compile a function into every one of its callers: for what is called often and from few places."""
        global registered
        registered += 1
        compiled: F = numba.njit(forceinline=True, **_PART)(function)
        return compiled

    def entry(function: F) -> F:
        """Compile a function that Python calls, and keep the machine code on disk, in the folder of its game."""
        global registered
        registered += 1
        numba.config.CACHE_DIR = str(cache.folder(function.__module__.split(".")[1]))  # Numba looks at it here only
        compiled: F = numba.njit(cache=True, pipeline_class=WholeCompiler, **_OPTIONS)(function)
        return compiled

    @contextmanager
    def watch_compiling(tell: Callable[[int], None]) -> Iterator[None]:
        """Call `tell` with the number of functions compiled so far, whenever another one is."""
        seen: set[str] = set()

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, happening: Any) -> None:
                pass

            def on_end(self, happening: Any) -> None:
                seen.add(str(happening.data["dispatcher"].py_func.__qualname__))
                tell(len(seen))

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
    def least_bytes(typing: Any, one: Any, other: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bytes_ = ir.VectorType(ir.IntType(8), 4)
            a, b = (builder.bitcast(arg, bytes_) for arg in args)
            least = builder.select(builder.icmp_unsigned("<", a, b), a, b)
            return builder.bitcast(least, ir.IntType(32))

        return types.uint32(types.uint32, types.uint32), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def put_bytes(typing: Any, array: Any, index: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
            builder.store(args[2], place, align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.uint64), generate

    if binding.get_host_cpu_features().get("bmi2", False):

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

    @contextmanager
    def watch_compiling(tell: Callable[[int], None]) -> Iterator[None]:
        yield

    def jit(function: F) -> F:
        return function

    inlined = entry = jit

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

    def least_bytes(one: np.uint32, other: np.uint32) -> np.uint32:
        return np.uint32(sum(min(int(one) >> i & 255, int(other) >> i & 255) << i for i in (0, 8, 16, 24)))

    def put_bytes(array: Any, index: Any, word: np.uint64) -> None:
        at = int(index) * array.itemsize
        array.view(np.uint8)[at : at + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)


# `if rarely(condition):` tells the compiler what to lay aside, so that it keeps the registers for what is usual.
count_bits.__doc__ = "How many bits are set."
lowest_bit.__doc__ = "The number of the lowest set bit; the word must not be zero."
highest_bit.__doc__ = "The number of the highest set bit; the word must not be zero."
kth_bit.__doc__ = "The number of the k-th set bit, counting from 0; there must be that many."
