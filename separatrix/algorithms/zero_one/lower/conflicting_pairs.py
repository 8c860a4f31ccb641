"""Two rows that no halfspace of a cone has both right, by their scores at its vertices, in whole numbers.

Rows with scores s_j and t_j conflict if ρ·s_j + t_j ≤ 0 for all j and some ρ > 0; a proof writes ρ as a/2^e.
"""

from __future__ import annotations

from math import gcd

from separatrix.certificates.check.fewest_errors_cone import MAX_SHIFT_BITS


def conflict(first: list[int], second: list[int], a: int, e: int) -> bool:
    """Whether a/2^e times the first row and the second have no positive score between them."""
    b = 1 << max(0, e)
    a <<= max(0, -e)
    return all(a * s + b * t <= 0 for s, t in zip(first, second, strict=True))


def sides(scores: list[int]) -> tuple[int, int]:
    """At which vertices a row is above 0, and at which below, as bits."""
    above = below = 0
    for place, s in enumerate(scores):
        if s > 0:
            above |= 1 << place
        elif s < 0:
            below |= 1 << place
    return above, below


def ratio_of(first: list[int], second: list[int]) -> tuple[int, int] | None:
    """Some a and e for which two rows conflict, or None."""
    low, under = 0, 1  # a/2^e is at least low/under
    high, over = 0, 0  # and at most high/over, where over is not 0
    for s, t in zip(first, second, strict=True):
        if s > 0:
            if t >= 0:
                return None
            if not over or -t * over < high * s:
                high, over = -t, s
        elif t > 0:
            if s == 0:
                return None
            if t * under > low * -s:
                low, under = t, -s
        if over and low * over > high * under:
            return None
    if not over:
        return max(1, -(-low // under)), 0
    room = high * under - low * over
    if room == 0:  # the one ratio there is must be a whole number over a power of 2
        shared = gcd(low, under)
        power = (under // shared).bit_length() - 1
        return (low // shared, power) if under // shared == 1 << power and power < MAX_SHIFT_BITS else None
    first_fit = max(0, (over * under).bit_length() - room.bit_length() - 1)
    for e in range(first_fit, min(first_fit + 4, MAX_SHIFT_BITS)):
        a = max(1, -((-low << e) // under))
        if a * over <= high << e:
            return a, e
    return None
