"""The only place, with `linking`, that names Numba: the decorators, and the machine's bit instructions.

`way` says which way compiled code is run. Only where Numba compiles in this process do the decorators compile; from a
library, and as plain Python, a decorated function is just the function, and every bit instruction its plain twin.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from mmsim.compiled import way
from mmsim.compiled.entries import ArrayOf, Entry, Group

COMPILES = way.current() in (way.NUMBA, way.BUILDING)  # whether decorated functions are Numba's
_registered = 0  # how many functions are compiled in all, for progress while they are

F = TypeVar("F", bound=Callable[..., Any])
EIGHT = 8  # how many words are reckoned with at once
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
    from numba.extending import intrinsic, models, register_model

    from mmsim.compiled import cache

    _BUILDING = way.current() == way.BUILDING
    _OPTIONS = {"error_model": "numpy", "nogil": True, "boundscheck": way.CHECKED}
    _PART = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if _BUILDING:
        from mmsim.compiled.linking import PartCompiler

        _PART["pipeline_class"] = PartCompiler

    def jit(function: F) -> F:
        """Compile a function that is called from compiled code only."""
        global _registered
        _registered += 1
        compiled: F = numba.njit(**_PART)(function)
        return compiled

    def inlined(function: F) -> F:
        """Compile a function into every one of its callers: for what is called often and from few places."""
        global _registered
        _registered += 1
        compiled: F = numba.njit(forceinline=True, **_PART)(function)
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

    _FOUR = types.UniTuple(types.float64, 4)

    def _vector(builder: Any, numbers: Any) -> Any:
        """Four numbers that one instruction works on."""
        found = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)
        for i, number in enumerate(numbers):
            found = builder.insert_element(found, number, ir.Constant(ir.IntType(32), i))
        return found

    def _tuple(builder: Any, vector: Any) -> Any:
        """The same four as compiled code passes them on; LLVM drops the way there and back."""
        found = ir.Constant(ir.ArrayType(ir.DoubleType(), 4), ir.Undefined)
        for i in range(4):
            found = builder.insert_value(found, builder.extract_element(vector, ir.Constant(ir.IntType(32), i)), i)
        return found

    @intrinsic  # type: ignore[untyped-decorator]
    def add_four(typing: Any, one: Any, other: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            a, b = (_vector(builder, cgutils.unpack_tuple(builder, arg)) for arg in args)
            return _tuple(builder, builder.fadd(a, b))

        return _FOUR(_FOUR, _FOUR), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def add_weighted(typing: Any, start: Any, weights: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            total, *fours = (_vector(builder, cgutils.unpack_tuple(builder, arg)) for arg in (args[0], *args[2:]))
            for weight, four in zip(cgutils.unpack_tuple(builder, args[1]), fours, strict=True):
                total = builder.fadd(total, builder.fmul(_vector(builder, [weight] * 4), four))
            return _tuple(builder, total)

        return _FOUR(*[_FOUR] * 6), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def put_with_bytes(typing: Any, array: Any, index: Any, others: Any, first: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            numbers = ir.VectorType(ir.IntType(32), 8)
            to, source = (
                builder.bitcast(
                    builder.gep(context.make_array(signature.args[i])(context, builder, args[i]).data, [args[i + 1]]),
                    numbers.as_pointer(),
                )
                for i in (0, 2)
            )
            low = builder.zext(builder.bitcast(args[4], ir.VectorType(ir.IntType(8), 8)), numbers)
            builder.store(builder.or_(builder.load(source, align=1), low), to, align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, others, types.int64, types.uint64), generate

    class _EightWords(types.Type):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="EightWords")

    _eight, _VECTOR = _EightWords(), ir.VectorType(ir.IntType(64), EIGHT)

    @register_model(_EightWords)
    class _EightWordsModel(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _VECTOR)

    def _eight_of(make: Callable[..., Any], count: int) -> Any:
        """A function that makes eight words of so many others by LLVM instructions, which `make` writes."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return make(builder, *args)

        if count == 0:
            return intrinsic(lambda typing: (_eight(), generate))
        if count == 1:
            return intrinsic(lambda typing, words: (_eight(_eight), generate))
        return intrinsic(lambda typing, words, others: (_eight(_eight, _eight), generate))

    _by_one = ir.Constant(_VECTOR, [1] * EIGHT)
    no_words = _eight_of(lambda builder: ir.Constant(_VECTOR, None), 0)
    both = _eight_of(lambda builder, words, others: builder.and_(words, others), 2)
    either = _eight_of(lambda builder, words, others: builder.or_(words, others), 2)
    without = _eight_of(lambda builder, words, others: builder.and_(words, builder.not_(others)), 2)
    moved_up = _eight_of(lambda builder, words: builder.shl(words, _by_one), 1)
    moved_down = _eight_of(lambda builder, words: builder.lshr(words, _by_one), 1)

    def _words_at(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.bitcast(builder.gep(data, [args[1]]), _VECTOR.as_pointer())

    @intrinsic  # type: ignore[untyped-decorator]
    def get_words(typing: Any, array: Any, first: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(_words_at(context, builder, signature, args), align=8)

        return _eight(array, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def put_words(typing: Any, array: Any, first: Any, words: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[2], _words_at(context, builder, signature, args), align=8)
            return context.get_dummy_value()

        return types.void(array, types.int64, _eight), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def filled(typing: Any, words: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            some = builder.icmp_unsigned("!=", args[0], ir.Constant(_VECTOR, None))
            return builder.zext(builder.bitcast(some, ir.IntType(EIGHT)), ir.IntType(64))

        return types.uint64(_eight), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def word_of(typing: Any, words: Any, which: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.extract_element(args[0], args[1])

        return types.uint64(_eight, types.int64), generate

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
        return np.zeros(1, record.dtype).view(np.recarray)[0]

    def least_bytes(one: np.uint32, other: np.uint32) -> np.uint32:
        return np.uint32(sum(min(int(one) >> i & 255, int(other) >> i & 255) << i for i in (0, 8, 16, 24)))

    def add_four(one: Any, other: Any) -> Any:
        return tuple(a + b for a, b in zip(one, other, strict=True))

    def add_weighted(start: Any, weights: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        w, x, y, z = weights
        return tuple(start[i] + w * a[i] + x * b[i] + y * c[i] + z * d[i] for i in range(4))

    def put_with_bytes(array: Any, index: Any, others: Any, first: Any, word: np.uint64) -> None:
        low = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)
        array[int(index) : int(index) + 8] = others[int(first) : int(first) + 8] | low

    def no_words() -> Any:
        return np.zeros(EIGHT, np.uint64)

    def both(words: Any, others: Any) -> Any:
        return words & others

    def either(words: Any, others: Any) -> Any:
        return words | others

    def without(words: Any, others: Any) -> Any:
        return words & ~others

    def moved_up(words: Any) -> Any:
        return words << np.uint64(1)

    def moved_down(words: Any) -> Any:
        return words >> np.uint64(1)

    def get_words(array: Any, first: Any) -> Any:
        return array[int(first) : int(first) + EIGHT].copy()

    def put_words(array: Any, first: Any, words: Any) -> None:
        array[int(first) : int(first) + EIGHT] = words

    def filled(words: Any) -> np.uint64:
        return np.uint64(sum(1 << i for i, word in enumerate(words) if word))

    def word_of(words: Any, which: Any) -> np.uint64:
        return np.uint64(words[int(which)])

    def put_bytes(array: Any, index: Any, word: np.uint64) -> None:
        at = int(index) * array.itemsize
        array.view(np.uint8)[at : at + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)


# `if rarely(condition):` tells the compiler what to lay aside, so that it keeps the registers for what is usual.
count_bits.__doc__ = "How many bits are set."
lowest_bit.__doc__ = "The number of the lowest set bit; the word must not be zero."
highest_bit.__doc__ = "The number of the highest set bit; the word must not be zero."
scratch_like.__doc__ = "An empty record of the same kind; it lives as long as the function that asks for it."
kth_bit.__doc__ = "The number of the k-th set bit, counting from 0; there must be that many."
add_four.__doc__ = "Four numbers, each with another one added."
add_weighted.__doc__ = "Four numbers to start with, and so much of each of four times four others, in their order."

put_with_bytes.__doc__ = "Write eight 32-bit numbers: those of another array, each with a byte of a word in its lowest."
# Eight words at once, in the vector registers of the machine. `both`, `either`, `without`: the bits that are in two
# eights, in one of two, in one and not in another; `moved_up`, `moved_down`: all bits of each word moved by one.
no_words.__doc__ = "Eight words without a bit."
get_words.__doc__ = "Eight words of an array, from a place on."
put_words.__doc__ = "Write eight words into an array, from a place on."
filled.__doc__ = "Which of eight words have a bit set, as bits."
word_of.__doc__ = "One of eight words."
