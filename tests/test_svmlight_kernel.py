"""The svmlight kernel beside its plain twin and beside the slower reader, which it must never contradict.

Compiled and (NUMBA_DISABLE_JIT=1) not: there a read outside the text raises.
"""

from __future__ import annotations

import gc
import gzip
import math
import subprocess
import sys
import threading
from decimal import Decimal, localcontext
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from separatrix.rows import DataError, read
from separatrix.rows.files import svmlight
from separatrix.rows.files.source import InputFile
from separatrix.rows.files.svmlight import SvmlightFile, parse_with_arrow, parse_with_kernel
from separatrix.rows.files.svmlight_kernels import (
    MAX_DECIMAL_EXPONENT,
    REFUSED,
    parse_lines,
    round_to_nearest,
)

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
ORDINARY = DOUBLES.filter(lambda x: x == 0 or 1e-270 < abs(x) < 1e270)
ODD_NUMBERS = [
    *("nan", "inf", "-inf", "1e400", "1e-400", "0x1p3", "1_0", ".", "-", "+", "", "1e", "1e+", "e5", "1.2.3"),
    *("--1", "+-1", "1,5", "00", "007", "+0", "-0", "-0.0", "0e999999", "0e-99999999999", "1e99999999999"),
    *("5.", ".5", "-.5e-3", "1d5", "1E5", "1e+005", "9007199254740992", "9007199254740993"),
    *("9007199254740993.0", "9007199254740993e0", "4.9e-324", "2.2250738585072011e-308"),
    *("1.7976931348623157e308", "1.7976931348623159e308", "1e22", "1e23", "8.5e22", "1e-23", "5e-1000001"),
    *("0." + "0" * 350 + "1", "1" + "0" * 400, "1" * 400 + ".5", "0." + "1" * 400, "0" * 30 + "1"),
    *("123456789012345678", "1234567890123456789.5", "99999999999999999999e-5", "0.1" + "0" * 40),
]


def spelled(numbers):
    """The same number in many spellings, some of them rounded."""
    spellings = [
        repr,
        "{:.17g}".format,
        "{:.16e}".format,
        "{:.18E}".format,
        "{:.25e}".format,
        "{:.6g}".format,
        "{:+.3f}".format,
        lambda x: repr(x).replace("0.", "."),
        lambda x: "000" + repr(abs(x)),
    ]
    return st.builds(lambda x, spell: spell(x), numbers, st.sampled_from(spellings))


@st.composite
def lines(draw):
    """A line that is in order, or nearly."""
    blanks = st.sampled_from([" "] * 9 + ["\t", "\r", "  ", " \r", "", "\x0b", "\0", "\xa0"])
    numbers = st.one_of(
        spelled(DOUBLES), st.sampled_from(ODD_NUMBERS), st.integers(-(10**19), 10**19).map(str)
    )
    written = draw(st.sampled_from(["", "", " ", "\t"])) + draw(
        st.sampled_from(["1", "-1", "+1", "1e5", "2.0"]) | numbers
    )
    if draw(st.integers(0, 4)) == 0:
        odd = ["qid:", "qid:x", "qid:3:4", "QID:3", "qid:" + "1" * 20, "qid:3+5:2"]
        written += draw(blanks) + draw(st.sampled_from(["qid:3"] * 5 + odd))
    index = draw(st.sampled_from([0, 0, 1, 1, 2, 2**31 - 3]))
    for _ in range(draw(st.integers(0, 3))):
        index += draw(st.sampled_from([1, 1, 1, 2, 100, 0, -1]))
        odd = ["+1", "1.0", "1e2", "0" * 20 + "7", "99999999999999999999", "-1", "", "a", "qid"]
        column = str(index) if draw(st.integers(0, 15)) else draw(st.sampled_from(odd))
        colon = ":" if draw(st.integers(0, 15)) else draw(st.sampled_from(["", " :", ": ", "::"]))
        written += draw(blanks) + column + colon + draw(numbers)
    return written + draw(st.sampled_from(["", "", "", "\r", " ", " # c", "#", "#é :12345678901234567"]))


def assert_contradicts_nothing(text):
    """What the kernel takes, its twin and the slower reader take, with the same bits; whether it took it."""
    found = parse_with_kernel(text)
    if found is None:
        return False
    labels, data, indices, indptr = naive.parse_lines(text)
    plain = parse_with_arrow(text)
    for values, twin, slow in zip(found, (labels, data, indices, indptr), plain, strict=True):
        assert values.dtype == slow.dtype
        assert values.tobytes() == np.array(twin, values.dtype).tobytes() == slow.tobytes()
    assert SvmlightFile(InputFile(__file__))._find_first_problem(text, 0, 0) is None
    return True


@given(st.lists(st.sampled_from(sorted(b"0123456789 \t\r\n:.+-eE#qid\0\x0bnx_\xff")), max_size=40).map(bytes))
@example(b"1\rqid:3 1:2\n")
@example(b"1 1:2 qid:3\n")
@example(b"1 1:2qid:3\n")
@example(b"1qid:3 1:2\n")
@example(b"1 1:2 1:3\n")
@example(b"#")
def test_any_bytes(text):
    assert_contradicts_nothing(text)


@given(st.lists(lines(), max_size=4), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_lines_nearly_in_order(some, ending, ended):
    assert_contradicts_nothing((ending.join(some) + ending * ended).encode())


@given(st.lists(spelled(ORDINARY), min_size=1, max_size=20))
def test_ordinary_numbers_are_taken_and_are_the_nearest_doubles(numbers):
    pairs = " ".join(f"{index}:{number}" for index, number in enumerate(numbers))
    text = f"{numbers[0]} {pairs}\n".encode()
    whole = [number for number in numbers if number.lstrip("+-").isdecimal()]
    if all(abs(int(number)) <= 2**53 for number in whole):
        assert assert_contradicts_nothing(text)


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_odd_numbers(number):
    for text in (f"{number} 1:1\n", f"1 1:{number} 2:5\n", f"1 {number}:1"):
        assert_contradicts_nothing(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        b"+1 qid:3 1:0.5 3:1e-3 # first\r\n\r\n-1\t2:1\r\n2\r\n",
        b"# a file\n  1e5 0:.5 2147483646:5.\t\n\n-1 # \xff\0",
        b"1 qid:12345678901234567890 0007:-0.0 8:+.5E+3#\n",
        b"1 1:0.1000000000000000055511151231257827021181583404541015625\n",
        b"\n # nothing\n",
        b"1",
    ],
)
def test_what_real_files_hold_is_taken(text):
    assert assert_contradicts_nothing(text)


@given(st.integers(1, 10**18), st.integers(-MAX_DECIMAL_EXPONENT - 5, MAX_DECIMAL_EXPONENT + 5))
@example(2**53 + 1, 0)
@example(2**53 + 3, 0)
@example(6611169302718258, 1)
@example(10**18, 22)
def test_nearest(w, q):
    value = round_to_nearest(w, q)
    assert math.isnan(value) or value == float(f"{w}e{q}")
    if w < 10**15 and -280 < q < 270:
        assert not math.isnan(value)


def convergents(ratio):
    """The numerators and denominators of the best approximations of a ratio."""
    before, (p, d) = (1, 0), (math.floor(ratio), 1)
    while ratio.denominator > 1:
        yield p, d
        ratio = 1 / (ratio - math.floor(ratio))
        term = math.floor(ratio)
        before, (p, d) = (p, d), (term * p + before[0], term * d + before[1])


@pytest.mark.parametrize("first", range(7))
def test_the_decimals_nearest_to_the_middle_of_two_doubles(first):
    """Where 2w·10^q is almost p·2^k with an odd p of 54 bits, p/w is among the best approximations."""
    met = 0
    for q in range(first - 280, 260, 7):
        ratio = Fraction(10) ** q
        scale = math.frexp(float(ratio))[1]
        for shift in range(-6, 7):
            for p, w in convergents(ratio * Fraction(2) ** (shift - scale)):
                if 2**53 < p < 2**54 and p % 2 and w <= 10**18:
                    assert round_to_nearest(w, q) == float(f"{w}e{q}")
                    met += 1
    assert met > 100


@given(ORDINARY.filter(bool), st.integers(17, 30), st.sampled_from([-1, 0, 1]))
def test_numbers_next_to_the_middle_of_two_doubles(value, digits, step):
    """Cut off or raised in the last digit, the middle lies on either side of itself."""
    value = abs(value)
    middle = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
    with localcontext() as context:
        context.prec = digits
        written = Decimal(middle.numerator) / Decimal(middle.denominator)
        _, shown, power = written.as_tuple()
        number = int("".join(map(str, shown))) + step
    assert_contradicts_nothing(f"1 1:{number}e{power}\n".encode())


def test_nothing_is_written_behind_arrays_that_are_too_short():
    text = np.frombuffer(b"1 1:2 2:3\n-1 1:4\n", np.uint8)
    full = (np.zeros(2), np.zeros(3), np.zeros(3, np.int32), np.zeros(3, np.int64))
    assert parse_lines(text, *full) == 2
    for short in range(4):
        for length in range(len(full[short])):
            whole = [np.full_like(array, 77) for array in full]
            given_ones = [array[:length] if place == short else array for place, array in enumerate(whole)]
            assert parse_lines(text, *given_ones) == REFUSED
            assert (whole[short][length:] == 77).all()
    for ends_elsewhere in (b"", b"1", b"1 1:2", b"\n1 1:2 "):
        assert parse_lines(np.frombuffer(ends_elsewhere, np.uint8), *full) == REFUSED


@pytest.mark.parametrize(
    "text",
    [
        "1 1:2\n-1 3:1 2:1\n",
        "1 1:2\n-1 2147483647:1\n",
        "1 1:2\n-1 1:9007199254740993\n",
        "1 1:2\n-1 1:0000000000000000001\n",
        "1 1:2\n-1 2:nan\n",
        "1 1:2\n-1 2:1e999\n",
        "1 1:2\n1,2 2:1\n",
        "1 1:2 qid:3 2:1\n-1 3:1\n",
        "1 1:2\n-1 2:1\0\n",
        "1 1:2\n-1 +2:4.9e-324",
        "1.5 1:2\n-1 2:3\n",
    ],
)
def test_small_and_large_files_have_the_same_outcome(tmp_path, monkeypatch, text):
    path = tmp_path / "t.svm"
    path.write_text(text)
    outcomes = []
    for worth in (0, 10**9):
        monkeypatch.setattr(svmlight, "MIN_KERNEL_BYTES", worth)
        try:
            rows = read(path)
            outcomes.append(
                (rows.data.tolist(), rows.indices.tolist(), rows.classes.tolist(), rows.codes.tolist())
            )
        except DataError as refusal:
            outcomes.append(str(refusal))
    assert outcomes[0] == outcomes[1]


def test_a_chunk_that_the_kernel_refuses_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", 200)
    monkeypatch.setattr(svmlight, "MIN_KERNEL_BYTES", 100)
    path = tmp_path / "t.svm"
    values = np.random.default_rng(0).standard_normal(100)
    values[50] = 4.9e-324
    path.write_text("".join(f"{i % 2} {i + 1}:{value!r}\n" for i, value in enumerate(values.tolist())))
    for memory in (0, 10**6):
        blocks = list(read(path, memory=memory).blocks())
        assert np.concatenate([block.X.data for block in blocks]).tobytes() == values.tobytes()
        assert np.concatenate([block.X.indices for block in blocks]).tolist() == list(range(100))


def test_threads_end_where_gzipped_rows_are_left_early(tmp_path):
    path = tmp_path / "t.svm.gz"
    path.write_bytes(gzip.compress(b"1 1:2\n-1 2:3\n" * 200_000))
    before = threading.active_count()
    walk = read(path, memory=0).blocks()
    assert next(walk).start == 0
    walk.close()
    del walk
    gc.collect()
    assert threading.active_count() == before


@pytest.mark.parametrize("megabytes", [1, 10])
def test_numba_is_loaded_for_large_files_alone(tmp_path, megabytes):
    path = tmp_path / "t.svm"
    path.write_text("1 1:2\n-1 2:3\n" * (megabytes * 2**20 // 13))
    program = (
        "import sys, separatrix as sx; n = sx.read(sys.argv[1]).n_rows; print(n, 'numba' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == [str(2 * (megabytes * 2**20 // 13)), str(megabytes == 10)]
