"""Machine instructions that Numba lacks: bits of a word, raw copies, scratch records, branch hints.

Each has a plain-Python twin, which carries the docstring and runs wherever Numba does not compile in this process.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from mmsim.compiled import execution_mode
from mmsim.compiled.decorators import COMPILES, jit

if COMPILES:
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    ANY = None  # an argument type: the type of what is passed
    _WORD, _BIT = ir.IntType(64), ir.IntType(1)
    _HAS_BMI2 = execution_mode.current() == execution_mode.BUILDING or binding.get_host_cpu_features().get(
        "bmi2", False
    )

    def instruction(result: Any, *argument_types: Any) -> Callable[[Callable[..., Any]], Any]:
        """Make a function of compiled code from one that emits LLVM instructions: `emit(builder, *values)`.

        An array is passed as the address of its first element.
        """

        def declare(emit: Callable[..., Any]) -> Any:
            def definition(typing: Any, *passed: Any) -> Any:
                def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                    values = [
                        context.make_array(type_)(context, builder, value).data
                        if isinstance(type_, types.Array)
                        else value
                        for type_, value in zip(signature.args, args, strict=True)
                    ]
                    value = emit(builder, *values)
                    return context.get_dummy_value() if result is types.void else value

                declared = (type_ or actual for type_, actual in zip(argument_types, passed, strict=True))
                return result(*declared), generate

            definition.__signature__ = signature(emit)  # type: ignore[attr-defined]
            return intrinsic(definition)

        return declare

    @instruction(types.uint64, types.uint64)
    def _popcount(builder: Any, word: Any) -> Any:
        return builder.ctpop(word)

    @instruction(types.uint64, types.uint64)
    def _trailing_zeros(builder: Any, word: Any) -> Any:
        return builder.cttz(word, ir.Constant(_BIT, 0))

    @instruction(types.uint64, types.uint64)
    def _leading_zeros(builder: Any, word: Any) -> Any:
        return builder.ctlz(word, ir.Constant(_BIT, 0))

    @instruction(types.uint64, types.uint64, types.uint64)
    def _deposit_bits(builder: Any, source: Any, mask: Any) -> Any:
        function = ir.FunctionType(_WORD, [_WORD, _WORD])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=function), (source, mask))

    @instruction(types.boolean, types.boolean)
    def unlikely(builder: Any, condition: Any) -> Any:
        expect = builder.module.declare_intrinsic("llvm.expect", (_BIT,), ir.FunctionType(_BIT, [_BIT, _BIT]))
        return builder.call(expect, (condition, ir.Constant(_BIT, 0)))

    @instruction(types.void, ANY, ANY, types.int64, types.int64)
    def copy_bytes(builder: Any, target: Any, source: Any, first: Any, count: Any) -> None:
        byte = ir.IntType(8).as_pointer()
        to, from_ = (builder.gep(builder.bitcast(record, byte), [first]) for record in (target, source))
        cgutils.raw_memcpy(builder, to, from_, count, 1)

    @intrinsic  # type: ignore[untyped-decorator]
    def scratch_like(typing: Any, record: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                storage = builder.alloca(ir.ArrayType(_WORD, (record.size + 7) // 8))
            cgutils.memset(builder, storage, ir.Constant(_WORD, record.size), 0)
            return builder.bitcast(storage, context.get_value_type(record))

        return record(record), generate

    @jit
    def count_bits(word: np.uint64) -> np.int64:
        return np.int64(_popcount(np.uint64(word)))

    @jit
    def lowest_bit(word: np.uint64) -> np.int64:
        return np.int64(_trailing_zeros(np.uint64(word)))

    @jit
    def highest_bit(word: np.uint64) -> np.int64:
        return np.int64(63) - np.int64(_leading_zeros(np.uint64(word)))

    if _HAS_BMI2:

        @jit
        def spread_bits(word: np.uint64) -> np.uint64:
            return _deposit_bits(np.uint64(word), np.uint64(0x0101010101010101))

        @jit
        def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
            return np.int64(_trailing_zeros(_deposit_bits(np.uint64(1) << np.uint64(k), np.uint64(word))))

    else:

        @jit
        def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
            rest = np.uint64(word)
            for _ in range(k):
                rest &= rest - np.uint64(1)
            return np.int64(_trailing_zeros(rest))

        @jit
        def spread_bits(word: np.uint64) -> np.uint64:
            low = np.uint64(word) & np.uint64(0x7F)
            spread = low * np.uint64(0x0002040810204081) & np.uint64(0x0101010101010101)
            return spread | (np.uint64(word) >> np.uint64(7) & np.uint64(1)) << np.uint64(56)

else:

    def unlikely(condition: Any) -> bool:
        """The condition, with a hint that it is seldom true: the compiler optimises the other branch."""
        return bool(condition)

    def count_bits(word: np.uint64) -> np.int64:
        return np.int64(int(word).bit_count())

    def lowest_bit(word: np.uint64) -> np.int64:
        """The index of the lowest set bit; the word must not be zero."""
        return np.int64((int(word) & -int(word)).bit_length() - 1)

    def highest_bit(word: np.uint64) -> np.int64:
        """The index of the highest set bit; the word must not be zero."""
        return np.int64(int(word).bit_length() - 1)

    def kth_bit(word: np.uint64, k: np.int64) -> np.int64:
        """The index of the k-th set bit, counting from 0; there must be that many."""
        rest = int(word)
        for _ in range(int(k)):
            rest &= rest - 1
        return np.int64((rest & -rest).bit_length() - 1)

    def spread_bits(word: np.uint64) -> np.uint64:
        """Eight bits spread over the lowest bits of eight bytes."""
        return np.uint64(sum((int(word) >> i & 1) << 8 * i for i in range(8)))

    def copy_bytes(target: Any, source: Any, first: Any, count: Any) -> None:
        """Copy `count` bytes of a record from byte `first` on; the Python twin copies whole records."""
        for name in target.dtype.names:
            target[name] = source[name]

    def scratch_like(record: Any) -> Any:
        """An empty record of the same dtype that is valid until the calling function returns."""
        return np.zeros(1, record.dtype)[0]
