"""svmlight text as compressed sparse rows, in one pass over its bytes; every number is the nearest double.

A line is ``label [qid:group] index:value ... [# comment]``, with spaces, tabs and carriage returns between
its parts. Text that is written otherwise, or that holds a number whose rounding is not decided here, is
refused as a whole, for a slower reader to judge.

**Rounding.** A decimal number is w·10^q with a whole w < 10^18. Let z = w·2^s be in [2^63, 2^64), and
5^q = (t + θ)·2^e with a whole t of 128 bits and 0 ≤ θ < 1. Then

    (1)  the upper word of z times the upper half of t is z(t + θ)·2^-128 but for an error in [0, 2), and
    (2)  the upper two words of z·t are z(t + θ)·2^-64 but for an error in [0, 2).

So the bits behind the 53 that a double keeps lie surely below or surely above one half, unless they are
within that error of it; and

    (3)  there is no error for q from 0 to 27, so that a half is seen and goes to the even double.

All of this is done in whole numbers; the one product of doubles is with a power of two, and exact. Where w
has more digits,

    (4)  the first 18 of them and their successor have to give the same double.

(Lemire, Number parsing at a gigabyte per second, 2021.)
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.kernels import strict_kernel

TAB, NEWLINE, RETURN, SPACE, HASH, PLUS, MINUS, POINT, ZERO, NINE, COLON = b"\t\n\r #+-.09:"
UPPER_E, LOWER_D, LOWER_E, LOWER_I, LOWER_Q = b"Edeiq"

REFUSED = -1
NO_LABEL, NO_GROUP, NO_PAIR = -3, -2, -1  # what a line still lacks, in place of its last index
MAX_COLUMNS = 2**31 - 1
MAX_EXACT_INTEGER = 2**53  # every whole number up to here is a double
MAX_EXTENDABLE_INTEGER = 10**17  # below this, one more digit leaves w < 10^18
MAX_DECIMAL_EXPONENT = 300  # q from -300 to 300
MAX_EXACT_EXPONENT = 27  # up to here 5^q has no more than 64 bits
# Powers of two with which 53 bits are neither subnormal nor infinite.
MIN_BINARY_EXPONENT, MAX_BINARY_EXPONENT = -1000, 970

HALF_WORD_BITS, LOWER_HALF_MASK, MAX_WORD = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**64 - 1)
NO_BITS, ONE, TEN, ELEVEN, LAST_BIT = (np.uint64(n) for n in (0, 1, 10, 11, 63))
NORMALISING_SHIFTS = tuple((np.uint64(2 ** (64 - bits)), np.uint64(bits)) for bits in (32, 16, 8, 4, 2, 1))


def _powers_of_five() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both halves of t, and e + q + 128, for every q."""
    upper, lower, exponents = [], [], []
    for q in range(-MAX_DECIMAL_EXPONENT, MAX_DECIMAL_EXPONENT + 1):
        power = 5 ** abs(q)
        e = power.bit_length() - 128 if q >= 0 else -power.bit_length() - 127
        t = power * 2**128 >> (128 + e) if q >= 0 else 2**-e // power
        upper.append(t >> 64)
        lower.append(t % 2**64)
        exponents.append(e + q + 128)
    return np.array(upper, np.uint64), np.array(lower, np.uint64), np.array(exponents)


UPPER_HALVES, LOWER_HALVES, EXPONENTS = _powers_of_five()
POWERS_OF_TWO = np.ldexp(1.0, np.arange(MIN_BINARY_EXPONENT, MAX_BINARY_EXPONENT + 1))


@strict_kernel
def multiply_words(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower word of a·b, made of products of half words; no sum of them overflows."""
    a_upper, a_lower = a >> HALF_WORD_BITS, a & LOWER_HALF_MASK
    b_upper, b_lower = b >> HALF_WORD_BITS, b & LOWER_HALF_MASK
    lower_product = a_lower * b_lower
    first_cross = a_upper * b_lower + (lower_product >> HALF_WORD_BITS)
    second_cross = a_lower * b_upper + (first_cross & LOWER_HALF_MASK)
    upper = a_upper * b_upper + (first_cross >> HALF_WORD_BITS) + (second_cross >> HALF_WORD_BITS)
    return upper, (second_cross << HALF_WORD_BITS) | (lower_product & LOWER_HALF_MASK)


@strict_kernel
def round_to_nearest(w: int, q: int) -> float:
    """The double nearest to w·10^q, for 0 < w ≤ 10^18; NaN where that is not decided here."""
    if q < -MAX_DECIMAL_EXPONENT or q > MAX_DECIMAL_EXPONENT:
        return math.nan
    z, exponent = np.uint64(w), EXPONENTS[q + MAX_DECIMAL_EXPONENT]
    for bound, bits in NORMALISING_SHIFTS:
        if z < bound:
            z <<= bits
            exponent -= np.int64(bits)
    upper, lower = multiply_words(z, UPPER_HALVES[q + MAX_DECIMAL_EXPONENT])  # (1) above
    n_cut_bits = TEN if upper >> LAST_BIT == NO_BITS else ELEVEN
    half = ONE << (n_cut_bits - ONE)
    remainder = upper & (half + half - ONE)
    is_above_half = remainder > half
    if remainder == half or remainder + ONE == half:
        correction, _ = multiply_words(z, LOWER_HALVES[q + MAX_DECIMAL_EXPONENT])  # (2) above
        headroom = MAX_WORD - lower
        has_carry = correction > headroom
        lower = correction - headroom - ONE if has_carry else lower + correction
        remainder += np.uint64(has_carry)
        is_above_half = remainder > half or (remainder == half and lower > NO_BITS)
        if not is_above_half and (remainder == half or lower == MAX_WORD):
            if q < 0 or q > MAX_EXACT_EXPONENT:  # (3) above
                return math.nan
            is_above_half = remainder == half and (upper >> n_cut_bits) & ONE == ONE
    exponent += np.int64(n_cut_bits)
    if exponent < MIN_BINARY_EXPONENT or exponent > MAX_BINARY_EXPONENT:
        return math.nan
    mantissa = np.int64(upper >> n_cut_bits) + np.int64(is_above_half)
    return float(mantissa) * POWERS_OF_TWO[exponent - MIN_BINARY_EXPONENT]


@strict_kernel
def round_or_refuse(w: int, q: int, is_integer: bool, is_longer: bool) -> float:
    """The double nearest to w·10^q, or to what has these first digits if the number ``is_longer``.

    NaN where that is not decided here, and for integers beyond 2^53.
    """
    if is_integer and (w > MAX_EXACT_INTEGER or q > 0):
        return math.nan
    value = float(w) if w == 0 or is_integer else round_to_nearest(w, q)
    return math.nan if is_longer and round_to_nearest(w + 1, q) != value else value  # (4) above


@strict_kernel
def parse_exponent(text: np.ndarray, position: int) -> tuple[int, int]:
    """The exponent that is written at a place, and the place behind it; `REFUSED` where there is none."""
    is_negative = text[position] == MINUS
    if is_negative or text[position] == PLUS:
        position += 1
    start, exponent = position, 0
    while ZERO <= text[position] <= NINE:
        exponent = min(10 * exponent + int(text[position]) - ZERO, 10**6)
        position += 1
    return -exponent if is_negative else exponent, position if position > start else REFUSED


@strict_kernel
def skip_group(text: np.ndarray, position: int) -> int:
    """The place behind ``qid:`` and a whole number; `REFUSED` where they are not written here."""
    for character in (LOWER_Q, LOWER_I, LOWER_D, COLON):
        if text[position] != character:
            return REFUSED
        position += 1
    start = position
    while ZERO <= text[position] <= NINE:
        position += 1
    return position if position > start else REFUSED


@strict_kernel
def parse_lines(
    text: np.ndarray, labels: np.ndarray, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> int:
    """Fill in labels, values, column indices as they are written, and row pointers; returns how many rows.

    `REFUSED` where the text is out of the ordinary or an array too short. The text ends in a newline, over
    which nothing steps but the loop over all. One long loop: an array handed to another kernel, even to an
    inlined one, is counted in and out. With kernels of their own for indices and numbers this takes a third
    longer.
    """
    n = text.shape[0]
    max_rows = min(labels.shape[0], indptr.shape[0] - 1)
    max_pairs = min(data.shape[0], indices.shape[0])
    if n == 0 or max_rows < 0 or text[n - 1] != NEWLINE:
        return REFUSED
    position = row = n_stored = 0
    last_index, separator = NO_LABEL, SPACE
    indptr[0] = 0
    while position < n:
        character = int(text[np.uint64(position)])
        if character in (SPACE, TAB, RETURN):
            separator = character
            position += 1
            continue
        if character == HASH:
            while text[np.uint64(position)] != NEWLINE:
                position += 1
            continue
        if character == NEWLINE:
            if last_index != NO_LABEL:
                row += 1
                indptr[np.uint64(row)] = n_stored
            last_index, separator = NO_LABEL, SPACE
            position += 1
            continue
        if separator == 0:
            return REFUSED
        if character == LOWER_Q:
            if last_index != NO_GROUP or separator == RETURN:
                return REFUSED
            position = skip_group(text, position)
            if position == REFUSED:
                return REFUSED
            last_index, separator = NO_PAIR, 0
            continue
        if last_index == NO_LABEL:
            if row == max_rows:
                return REFUSED
        else:
            start, index = position, 0
            while ZERO <= character <= NINE and index < MAX_COLUMNS:
                index = 10 * index + (character - ZERO)
                position += 1
                character = int(text[np.uint64(position)])
            has_index = position > start and character == COLON
            if not has_index or not last_index < index < MAX_COLUMNS or n_stored == max_pairs:
                return REFUSED
            last_index = index
            position += 1
            character = int(text[np.uint64(position)])
        is_negative = character == MINUS
        if is_negative or character == PLUS:
            position += 1
        start, point = position, -1
        w, q, is_longer = 0, 0, False
        while True:
            character = int(text[np.uint64(position)])
            if ZERO <= character <= NINE and w < MAX_EXTENDABLE_INTEGER:
                w = 10 * w + (character - ZERO)
            elif ZERO <= character <= NINE:  # beyond the digits that are kept; for (4) above
                q += 1
                is_longer |= character > ZERO
            elif character == POINT and point < 0:
                point = position
            else:
                break
            position += 1
        is_integer = point < 0
        if not is_integer:
            start += 1
            q -= position - point - 1
        if position == start:
            return REFUSED
        if character in (LOWER_E, UPPER_E):
            exponent, position = parse_exponent(text, position + 1)
            if position == REFUSED:
                return REFUSED
            is_integer = False
            q += exponent
        value = round_or_refuse(w, q, is_integer, is_longer)
        if math.isnan(value):
            return REFUSED
        value = -value if is_negative else value
        if last_index == NO_LABEL:
            labels[np.uint64(row)] = value
            last_index = NO_GROUP
        else:
            data[np.uint64(n_stored)] = value
            indices[np.uint64(n_stored)] = last_index
            n_stored += 1
        separator = 0
    return row
