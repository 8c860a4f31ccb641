"""Sums of products of small whole numbers: 64 rows, one factor a column.

Processors multiply pairs of 16-bit numbers and add the two products in one instruction (``pmaddwd`` on x86),
which does three times as many columns a second as converting them to floats. Compilers do not find it by
themselves in a loop over rows, so `add_products` names it where the processor has it, 128, 256 or 512 bits at
a time, by the name it has in LLVM. Elsewhere it is a plain loop. Sums of whole numbers are exact: all ways
lead to the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from separatrix.kernels import POLICY

ROWS = 64
WORD_BYTES = 4  # columns in a word
ACCUMULATOR_COUNT = 8  # vectors of sums at a time, so that all of them stay in registers
INSTRUCTIONS = {4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}  # sums at once
INT8, INT16, INT32, INT64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))


def add_products(words: np.ndarray, panel: int, factors: np.ndarray, sums: np.ndarray) -> int:
    """Σ_j factor_j·q_ij of the 64 rows of a panel into ``sums``; returns the number of words of a row.

    ``words`` is int32, (panels, columns / 4, 64), with the values of four columns of a row as bytes with a
    sign, the first in the lowest; ``factors`` is int16 and ``sums`` int32. No sum may leave 32 bits, and
    ``panel`` counts from 0.
    """
    values = words[panel].astype("<i4").view(np.int8).reshape(-1, ROWS, WORD_BYTES)
    shares = factors.reshape(-1, 1, WORD_BYTES).astype(np.int32)
    sums[:ROWS] = (values * shares).sum(axis=(0, 2))
    return len(values)


@overload(add_products, jit_options=POLICY, strict=False)
def _add_products(words: Any, panel: Any, factors: Any, sums: Any) -> Any:
    lanes = count_lanes()
    dense = all(array.layout == "C" for array in (words, factors, sums))
    return make_pairwise_adder(lanes) if lanes and dense else add_products_in_loop


def add_products_in_loop(words, panel, factors, sums):  # type: ignore[no-untyped-def]
    """`add_products` as a loop that every processor can make."""
    for r in range(ROWS):
        sums[r] = 0
    for q in range(words.shape[1]):
        column = words[panel, q]
        j = WORD_BYTES * q
        a, b, c, e = factors[j], factors[j + 1], factors[j + 2], factors[j + 3]
        for r in range(ROWS):
            y = column[r]
            low = a * (np.int32(y << 24) >> 24) + b * (np.int32(y << 16) >> 24)
            sums[r] += np.int32(low + c * (np.int32(y << 8) >> 24) + e * (y >> 24))
    return words.shape[1]


def count_lanes() -> int:
    """How many 32-bit sums of pairs the processor makes in one instruction; 0 where none is known."""
    try:
        triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    except Exception:  # numba's own affairs: where it has changed them the plain loop serves
        return 0
    if not str(triple).startswith("x86_64"):
        return 0
    features_known = set(str(features).split(","))
    # What is switched off takes what builds on it along, and LLVM ends the process at an instruction that is.
    missing = {f"-{name}" for name in ("avx2", "avx", "sse4.2", "sse4.1", "ssse3", "sse3")}
    if "+avx2" not in features_known or features_known & missing:
        return 4  # every x86-64 has that
    has_avx512 = {"+avx512f", "+avx512bw"} <= features_known and not {
        "-avx512f",
        "-avx512bw",
        "-evex512",
    } & features_known
    return 16 if has_avx512 else 8


def make_pairwise_adder(lanes: int) -> Callable[..., int]:
    """`add_products` by the instruction that makes so many sums of pairs."""

    @intrinsic
    def pairs(typing: Any, words: Any, panel: Any, factors: Any, sums: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            codes, shares, out = (
                context.make_array(signature.args[k])(context, builder, given[k]) for k in (0, 2, 3)
            )
            n_words = builder.extract_value(codes.shape, 1)
            begin = builder.mul(builder.mul(given[1], n_words), INT64(ROWS))
            rows = ACCUMULATOR_COUNT * lanes // 2  # two sums of pairs make one row
            for start in range(0, ROWS, rows):
                first = builder.add(begin, INT64(start))
                accumulators = _accumulate(builder, lanes, codes.data, first, shares.data, n_words)
                _store_rows(builder, lanes, accumulators, out.data, start)
            return n_words

        return types.intp(words, types.intp, factors, sums), build

    def add(words, panel, factors, sums):  # type: ignore[no-untyped-def]
        return pairs(words, panel, factors, sums)

    return add


def _accumulate(builder: Any, lanes: int, codes: Any, first: Any, factors: Any, n_words: Any) -> list[Any]:
    """The loop over words: vectors of sums, two for every row, of as many rows as they hold."""
    sums, halves, bytes_ = (ir.VectorType(kind, n) for kind, n in _vector_kinds(lanes))
    kind = ir.FunctionType(sums, [halves, halves])
    multiply = cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.{INSTRUCTIONS[lanes]}")
    nothing = ir.Constant(sums, [0] * lanes)
    accumulators = [cgutils.alloca_once(builder, sums) for _ in range(ACCUMULATOR_COUNT)]
    for place in accumulators:
        builder.store(nothing, place)
    with cgutils.for_range(builder, n_words) as loop:
        four = builder.load(
            _address_of(builder, factors, builder.mul(loop.index, INT64(WORD_BYTES)), INT64), align=2
        )
        word = builder.add(first, builder.mul(loop.index, INT64(ROWS)))
        spread = builder.bitcast(_broadcast(builder, four, lanes // 2), halves)
        for k, place in enumerate(accumulators):
            offset = builder.add(word, INT64(k * lanes // 2))
            part = builder.load(_address_of(builder, codes, offset, bytes_), align=4)
            products = builder.call(multiply, [builder.sext(part, halves), spread])
            builder.store(builder.add(builder.load(place), products), place)
    return [builder.load(place) for place in accumulators]


def _store_rows(builder: Any, lanes: int, accumulators: list[Any], out: Any, start: int) -> None:
    """The two sums of every row in one."""
    kind = ir.VectorType(INT32, lanes)
    even, odd = (ir.Constant(kind, [2 * k + side for k in range(lanes)]) for side in (0, 1))
    for k in range(0, ACCUMULATOR_COUNT, 2):
        both = accumulators[k : k + 2]
        total = builder.add(builder.shuffle_vector(*both, even), builder.shuffle_vector(*both, odd))
        builder.store(total, _address_of(builder, out, INT64(start + k * lanes // 2), kind), align=4)


def _vector_kinds(lanes: int) -> tuple[tuple[Any, int], ...]:
    return (INT32, lanes), (INT16, 2 * lanes), (INT8, 2 * lanes)


def _address_of(builder: Any, pointer: Any, offset: Any, kind: Any) -> Any:
    """The address so many elements on, of something of another kind."""
    return builder.bitcast(builder.gep(pointer, [offset]), kind.as_pointer())


def _broadcast(builder: Any, number: Any, times: int) -> Any:
    """A vector of one number."""
    empty = ir.Constant(ir.VectorType(number.type, times), ir.Undefined)
    alone = builder.insert_element(empty, number, INT32(0))
    return builder.shuffle_vector(alone, empty, ir.Constant(ir.VectorType(INT32, times), [0] * times))
