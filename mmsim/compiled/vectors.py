"""Several numbers at once, in the vector registers of the machine; each function has a plain twin, as in `accel`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mmsim.compiled.accel import COMPILES

EIGHT = 8  # how many words are reckoned with at once

if COMPILES:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, models, register_model

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

else:

    def least_bytes(one: np.uint32, other: np.uint32) -> np.uint32:
        return np.uint32(sum(min(int(one) >> i & 255, int(other) >> i & 255) << i for i in (0, 8, 16, 24)))

    def put_bytes(array: Any, index: Any, word: np.uint64) -> None:
        at = int(index) * array.itemsize
        array.view(np.uint8)[at : at + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)

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


add_four.__doc__ = "Four numbers, each with another one added."
add_weighted.__doc__ = "Four numbers to start with, and so much of each of four times four others, in their order."
least_bytes.__doc__ = "The lesser of each of the four bytes of two numbers."
put_bytes.__doc__ = "Write the eight bytes of a word into an array, from a place on."
put_with_bytes.__doc__ = "Write eight 32-bit numbers: those of another array, each with a byte of a word in its lowest."
# Eight words at once: `both`, `either`, `without`: the bits that are in two
# eights, in one of two, in one and not in another; `moved_up`, `moved_down`: all bits of each word moved by one.
no_words.__doc__ = "Eight words without a bit."
get_words.__doc__ = "Eight words of an array, from a place on."
put_words.__doc__ = "Write eight words into an array, from a place on."
filled.__doc__ = "Which of eight words have a bit set, as bits."
word_of.__doc__ = "One of eight words."
