"""svmlight text as compressed sparse rows, in one pass over its bytes; every number is the nearest double.

A line is ``label [qid:group] index:value ... [# comment]``, with spaces, tabs and carriage returns between
its parts. Text that is written otherwise, or that holds a number whose rounding is not settled here, is
refused as a whole, for a slower reader to judge.

**Rounding.** A decimal number is w·10^q with a whole w < 10^18. Let z = w·2^s be in [2^63, 2^64), and
5^q = (t + θ)·2^e with a whole t of 128 bits and 0 ≤ θ < 1. The upper word of z times the upper half of t is
z(t + θ)·2^-128 but for an error in [0, 2), and the upper two words of z·t are z(t + θ)·2^-64 but for an error
in [0, 2). So the bits behind the 53 that a double keeps lie surely below or surely above one half, unless
they are within that error of it; and there is no error for q from 0 to 27, so that a half is seen and goes to
the even double. All of this is done in whole numbers; the one product of doubles is with a power of two, and
exact. Where w has more digits, the first 18 of them and their successor have to give the same double.
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
MOST_COLUMNS = 2**31 - 1
EXACT = 2**53  # every whole number up to here is a double
ROOM = 10**17  # below this, one more digit leaves w < 10^18
FARTHEST = 300  # q from -300 to 300
MOST_EXACT = 27  # up to here 5^q has no more than 64 bits
LEAST, LARGEST = -1000, 970  # powers of two with which 53 bits are neither subnormal nor infinite

HALF_WORD, LOWER_HALF, FULL = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**64 - 1)
NOTHING, ONE, TEN, ELEVEN, LAST_BIT = (np.uint64(n) for n in (0, 1, 10, 11, 63))
STEPS = tuple((np.uint64(2 ** (64 - bits)), np.uint64(bits)) for bits in (32, 16, 8, 4, 2, 1))


def _powers_of_five() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both halves of t, and e + q + 128, for every q."""
    upper, lower, scale = [], [], []
    for q in range(-FARTHEST, FARTHEST + 1):
        power = 5 ** abs(q)
        e = power.bit_length() - 128 if q >= 0 else -power.bit_length() - 127
        t = power * 2**128 >> (128 + e) if q >= 0 else 2**-e // power
        upper.append(t >> 64)
        lower.append(t % 2**64)
        scale.append(e + q + 128)
    return np.array(upper, np.uint64), np.array(lower, np.uint64), np.array(scale)


UPPER, LOWER, SCALE = _powers_of_five()
POWERS_OF_TWO = np.ldexp(1.0, np.arange(LEAST, LARGEST + 1))


@strict_kernel
def wide_product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower word of a·b, made of products of half words; no sum of them overflows."""
    a_upper, a_lower = a >> HALF_WORD, a & LOWER_HALF
    b_upper, b_lower = b >> HALF_WORD, b & LOWER_HALF
    low = a_lower * b_lower
    middle = a_upper * b_lower + (low >> HALF_WORD)
    other = a_lower * b_upper + (middle & LOWER_HALF)
    upper = a_upper * b_upper + (middle >> HALF_WORD) + (other >> HALF_WORD)
    return upper, (other << HALF_WORD) | (low & LOWER_HALF)


@strict_kernel
def nearest(w: int, q: int) -> float:
    """The double nearest to w·10^q, for 0 < w ≤ 10^18; NaN where that is not settled."""
    if q < -FARTHEST or q > FARTHEST:
        return math.nan
    z, power = np.uint64(w), SCALE[q + FARTHEST]
    for bound, bits in STEPS:
        if z < bound:
            z <<= bits
            power -= np.int64(bits)
    upper, lower = wide_product(z, UPPER[q + FARTHEST])
    cut = TEN if upper >> LAST_BIT == NOTHING else ELEVEN
    half = ONE << (cut - ONE)
    rest = upper & (half + half - ONE)
    above = rest > half
    if rest == half or rest + ONE == half:
        more, _ = wide_product(z, LOWER[q + FARTHEST])
        space = FULL - lower
        carried = more > space
        lower = more - space - ONE if carried else lower + more
        rest += np.uint64(carried)
        above = rest > half or (rest == half and lower > NOTHING)
        if not above and (rest == half or lower == FULL):
            if q < 0 or q > MOST_EXACT:
                return math.nan
            above = rest == half and (upper >> cut) & ONE == ONE
    power += np.int64(cut)
    if power < LEAST or power > LARGEST:
        return math.nan
    return float(np.int64(upper >> cut) + np.int64(above)) * POWERS_OF_TWO[power - LEAST]


@strict_kernel
def rounded(w: int, q: int, whole: bool, longer: bool) -> float:
    """The double nearest to w·10^q, or to what has these first digits if it is ``longer``; NaN where that is
    not settled, and for ``whole`` numbers beyond 2^53."""
    if whole and (w > EXACT or q > 0):
        return math.nan
    value = float(w) if w == 0 or whole else nearest(w, q)
    return math.nan if longer and nearest(w + 1, q) != value else value


@strict_kernel
def power_of_ten(text: np.ndarray, at: int) -> tuple[int, int]:
    """The exponent that is written at a place, and the place behind it; `REFUSED` where there is none."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    start, power = at, 0
    while ZERO <= text[at] <= NINE:
        power = min(10 * power + int(text[at]) - ZERO, 10**6)
        at += 1
    return -power if negative else power, at if at > start else REFUSED


@strict_kernel
def past_group(text: np.ndarray, at: int) -> int:
    """The place behind ``qid:`` and a whole number; `REFUSED` where they are not written here."""
    for letter in (LOWER_Q, LOWER_I, LOWER_D, COLON):
        if text[at] != letter:
            return REFUSED
        at += 1
    start = at
    while ZERO <= text[at] <= NINE:
        at += 1
    return at if at > start else REFUSED


@strict_kernel
def parse_lines(
    text: np.ndarray, labels: np.ndarray, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> int:
    """Fill in labels, values, column indices as they are written, and row pointers; returns how many rows.

    `REFUSED` where the text is out of the ordinary or an array too short. The text ends in a newline, over
    which nothing steps but the loop over all. One long loop: an array handed to another kernel is counted in
    and out, which takes longer than parsing a number.
    """
    n = text.shape[0]
    most_rows = min(labels.shape[0], indptr.shape[0] - 1)
    most_pairs = min(data.shape[0], indices.shape[0])
    if n == 0 or most_rows < 0 or text[n - 1] != NEWLINE:
        return REFUSED
    at = row = stored = 0
    last, blank = NO_LABEL, SPACE
    indptr[0] = 0
    while at < n:
        letter = int(text[np.uint64(at)])
        if letter in (SPACE, TAB, RETURN):
            blank = letter
            at += 1
            continue
        if letter == HASH:
            while text[np.uint64(at)] != NEWLINE:
                at += 1
            continue
        if letter == NEWLINE:
            if last != NO_LABEL:
                row += 1
                indptr[np.uint64(row)] = stored
            last, blank = NO_LABEL, SPACE
            at += 1
            continue
        if blank == 0:
            return REFUSED
        if letter == LOWER_Q:
            if last != NO_GROUP or blank == RETURN:
                return REFUSED
            at = past_group(text, at)
            if at == REFUSED:
                return REFUSED
            last, blank = NO_PAIR, 0
            continue
        if last == NO_LABEL:
            if row == most_rows:
                return REFUSED
        else:
            start, index = at, 0
            while ZERO <= letter <= NINE and index < MOST_COLUMNS:
                index = 10 * index + (letter - ZERO)
                at += 1
                letter = int(text[np.uint64(at)])
            written = at > start and letter == COLON
            if not written or not last < index < MOST_COLUMNS or stored == most_pairs:
                return REFUSED
            last = index
            at += 1
            letter = int(text[np.uint64(at)])
        negative = letter == MINUS
        if negative or letter == PLUS:
            at += 1
        start, point = at, -1
        w, q, longer = 0, 0, False
        while True:
            letter = int(text[np.uint64(at)])
            if ZERO <= letter <= NINE and w < ROOM:
                w = 10 * w + (letter - ZERO)
            elif ZERO <= letter <= NINE:
                q += 1
                longer |= letter > ZERO
            elif letter == POINT and point < 0:
                point = at
            else:
                break
            at += 1
        whole = point < 0
        if not whole:
            start += 1
            q -= at - point - 1
        if at == start:
            return REFUSED
        if letter in (LOWER_E, UPPER_E):
            power, at = power_of_ten(text, at + 1)
            if at == REFUSED:
                return REFUSED
            whole = False
            q += power
        value = rounded(w, q, whole, longer)
        if math.isnan(value):
            return REFUSED
        value = -value if negative else value
        if last == NO_LABEL:
            labels[np.uint64(row)] = value
            last = NO_GROUP
        else:
            data[np.uint64(stored)] = value
            indices[np.uint64(stored)] = last
            stored += 1
        blank = 0
    return row
