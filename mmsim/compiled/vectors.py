"""Several numbers at once, in the vector registers of the machine; with plain-Python twins, as in `intrinsics`."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import COMPILES

WORDS_AT_ONCE = 8

if COMPILES:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import models, register_model

    from mmsim.compiled.intrinsics import ANY, instruction

    _BYTES_4, _BYTES_8 = ir.VectorType(ir.IntType(8), 4), ir.VectorType(ir.IntType(8), 8)
    _INTS_8, _FLOATS_4 = ir.VectorType(ir.IntType(32), 8), ir.VectorType(ir.DoubleType(), 4)
    _WORDS_8 = ir.VectorType(ir.IntType(64), WORDS_AT_ONCE)
    _Floats = types.UniTuple(types.float64, 4)

    class _EightWords(types.Type):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="EightWords")

    _Words = _EightWords()

    @register_model(_EightWords)
    class _EightWordsModel(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, numba_type: Any) -> None:
            super().__init__(manager, numba_type, _WORDS_8)

    def _element(builder: Any, array: Any, index: Any, type_: Any) -> Any:
        """The address of an element, as a pointer to another type."""
        return builder.bitcast(builder.gep(array, [index]), type_.as_pointer())

    def _to_vector(builder: Any, numbers: Any) -> Any:
        vector = ir.Constant(_FLOATS_4, ir.Undefined)
        for i, number in enumerate(numbers):
            vector = builder.insert_element(vector, number, ir.Constant(ir.IntType(32), i))
        return vector

    def _to_tuple(builder: Any, vector: Any) -> Any:
        """A vector as compiled code passes it on; LLVM removes the conversions."""
        lanes = ir.Constant(ir.ArrayType(ir.DoubleType(), 4), ir.Undefined)
        for i in range(4):
            lanes = builder.insert_value(lanes, builder.extract_element(vector, ir.Constant(ir.IntType(32), i)), i)
        return lanes

    @instruction(types.uint32, types.uint32, types.uint32)
    def min_bytes(builder: Any, a: Any, b: Any) -> Any:
        a, b = builder.bitcast(a, _BYTES_4), builder.bitcast(b, _BYTES_4)
        return builder.bitcast(builder.select(builder.icmp_unsigned("<", a, b), a, b), ir.IntType(32))

    @instruction(types.void, ANY, types.int64, types.uint64)
    def store_bytes(builder: Any, array: Any, index: Any, word: Any) -> None:
        builder.store(word, _element(builder, array, index, ir.IntType(64)), align=1)

    @instruction(types.void, ANY, types.int64, ANY, types.int64, types.uint64)
    def store_with_bytes(builder: Any, array: Any, index: Any, others: Any, first: Any, word: Any) -> None:
        low = builder.zext(builder.bitcast(word, _BYTES_8), _INTS_8)
        numbers = builder.load(_element(builder, others, first, _INTS_8), align=1)
        builder.store(builder.or_(numbers, low), _element(builder, array, index, _INTS_8), align=1)

    @instruction(_Floats, _Floats, _Floats)
    def add_lanes(builder: Any, a: Any, b: Any) -> Any:
        a, b = (_to_vector(builder, cgutils.unpack_tuple(builder, lanes)) for lanes in (a, b))
        return _to_tuple(builder, builder.fadd(a, b))

    @instruction(_Floats, *[_Floats] * 6)
    def add_weighted_lanes(builder: Any, start: Any, weights: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        total, *terms = (_to_vector(builder, cgutils.unpack_tuple(builder, lanes)) for lanes in (start, a, b, c, d))
        for weight, term in zip(cgutils.unpack_tuple(builder, weights), terms, strict=True):
            total = builder.fadd(total, builder.fmul(_to_vector(builder, [weight] * 4), term))
        return _to_tuple(builder, total)

    @instruction(_Words)
    def zero_words(builder: Any) -> Any:
        return ir.Constant(_WORDS_8, None)

    @instruction(_Words, _Words, _Words)
    def and_words(builder: Any, words: Any, others: Any) -> Any:
        return builder.and_(words, others)

    @instruction(_Words, _Words, _Words)
    def or_words(builder: Any, words: Any, others: Any) -> Any:
        return builder.or_(words, others)

    @instruction(_Words, _Words, _Words)
    def and_not_words(builder: Any, words: Any, others: Any) -> Any:
        return builder.and_(words, builder.not_(others))

    @instruction(_Words, _Words)
    def shift_up(builder: Any, words: Any) -> Any:
        return builder.shl(words, ir.Constant(_WORDS_8, [1] * WORDS_AT_ONCE))

    @instruction(_Words, _Words)
    def shift_down(builder: Any, words: Any) -> Any:
        return builder.lshr(words, ir.Constant(_WORDS_8, [1] * WORDS_AT_ONCE))

    @instruction(_Words, ANY, types.int64)
    def load_words(builder: Any, array: Any, first: Any) -> Any:
        return builder.load(_element(builder, array, first, _WORDS_8), align=8)

    @instruction(types.void, ANY, types.int64, _Words)
    def store_words(builder: Any, array: Any, first: Any, words: Any) -> None:
        builder.store(words, _element(builder, array, first, _WORDS_8), align=8)

    @instruction(types.uint64, _Words)
    def nonzero_words(builder: Any, words: Any) -> Any:
        nonzero = builder.icmp_unsigned("!=", words, ir.Constant(_WORDS_8, None))
        return builder.zext(builder.bitcast(nonzero, ir.IntType(WORDS_AT_ONCE)), ir.IntType(64))

    @instruction(types.uint64, _Words, types.int64)
    def extract_word(builder: Any, words: Any, index: Any) -> Any:
        return builder.extract_element(words, index)

else:

    def _bytes_of(word: np.uint64) -> Any:
        return np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)

    def min_bytes(a: np.uint32, b: np.uint32) -> np.uint32:
        """The smaller of each of the four bytes of two numbers."""
        return np.uint32(sum(min(int(a) >> i & 255, int(b) >> i & 255) << i for i in (0, 8, 16, 24)))

    def store_bytes(array: Any, index: Any, word: np.uint64) -> None:
        """Write the eight bytes of a word into an array, from an index on."""
        start = int(index) * array.itemsize
        array.view(np.uint8)[start : start + 8] = _bytes_of(word)

    def store_with_bytes(array: Any, index: Any, others: Any, first: Any, word: np.uint64) -> None:
        """Write eight 32-bit numbers: those of another array, each with a byte of a word or-ed into it."""
        array[int(index) : int(index) + 8] = others[int(first) : int(first) + 8] | _bytes_of(word)

    def add_lanes(a: Any, b: Any) -> Any:
        return tuple(x + y for x, y in zip(a, b, strict=True))

    def add_weighted_lanes(start: Any, weights: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        """Four numbers plus four weighted terms of four numbers each, added in order."""
        w, x, y, z = weights
        return tuple(start[i] + w * a[i] + x * b[i] + y * c[i] + z * d[i] for i in range(4))

    def zero_words() -> Any:
        return np.zeros(WORDS_AT_ONCE, np.uint64)

    def and_words(words: Any, others: Any) -> Any:
        return words & others

    def or_words(words: Any, others: Any) -> Any:
        return words | others

    def and_not_words(words: Any, others: Any) -> Any:
        return words & ~others

    def shift_up(words: Any) -> Any:
        return words << np.uint64(1)

    def shift_down(words: Any) -> Any:
        return words >> np.uint64(1)

    def load_words(array: Any, first: Any) -> Any:
        return array[int(first) : int(first) + WORDS_AT_ONCE].copy()

    def store_words(array: Any, first: Any, words: Any) -> None:
        array[int(first) : int(first) + WORDS_AT_ONCE] = words

    def nonzero_words(words: Any) -> np.uint64:
        """Which of eight words are not zero, as bits."""
        return np.uint64(sum(1 << i for i, word in enumerate(words) if word))

    def extract_word(words: Any, index: Any) -> np.uint64:
        return np.uint64(words[int(index)])
