"""Two rows that no halfspace of a cone has both right, by their scores at its vertices, in whole numbers.

Rows with scores s_j and t_j conflict if ρ·s_j + t_j ≤ 0 for all j and some ρ > 0; a proof writes ρ as a/2^e.
"""

from __future__ import annotations

from math import gcd

from separatrix.certificates.check.errors_cone import MAX_SHIFT_BITS


def is_conflict(first: list[int], second: list[int], a: int, e: int) -> bool:
    """Whether a/2^e times the first row and the second have no positive score between them."""
    b = 1 << max(0, e)
    a <<= max(0, -e)
    return all(a * s + b * t <= 0 for s, t in zip(first, second, strict=True))


def find_sides(scores: list[int]) -> tuple[int, int]:
    """At which vertices a row is above 0, and at which below, as bits."""
    above = below = 0
    for place, s in enumerate(scores):
        if s > 0:
            above |= 1 << place
        elif s < 0:
            below |= 1 << place
    return above, below


def find_ratio(first: list[int], second: list[int]) -> tuple[int, int] | None:
    """Some a and e for which two rows conflict, or None."""
    low_numerator, low_denominator = 0, 1  # a/2^e is at least this
    high_numerator, high_denominator = 0, 0  # and at most this, where the denominator is not 0
    for s, t in zip(first, second, strict=True):
        if s > 0:
            if t >= 0:
                return None
            if not high_denominator or -t * high_denominator < high_numerator * s:
                high_numerator, high_denominator = -t, s
        elif t > 0:
            if s == 0:
                return None
            if t * low_denominator > low_numerator * -s:
                low_numerator, low_denominator = t, -s
        if high_denominator and low_numerator * high_denominator > high_numerator * low_denominator:
            return None
    if not high_denominator:
        return max(1, -(-low_numerator // low_denominator)), 0
    gap = high_numerator * low_denominator - low_numerator * high_denominator
    if gap == 0:  # the one ratio there is must be a whole number over a power of 2
        divisor = gcd(low_numerator, low_denominator)
        power = (low_denominator // divisor).bit_length() - 1
        return (
            (low_numerator // divisor, power)
            if low_denominator // divisor == 1 << power and power < MAX_SHIFT_BITS
            else None
        )
    min_exponent = max(0, (high_denominator * low_denominator).bit_length() - gap.bit_length() - 1)
    for e in range(min_exponent, min(min_exponent + 4, MAX_SHIFT_BITS)):
        a = max(1, -((-low_numerator << e) // low_denominator))
        if a * high_denominator <= high_numerator << e:
            return a, e
    return None
