"""Writes approx.txt: correctly rounded values of the approximate functions.

Usage: python approx.py > approx.txt     (numpy and mpmath; some ten minutes)

Each line is `function operand result` in hexadecimal, or `digest function hash`, where the hash
is the 64-bit FNV-1a of the results, low byte first, for all 65,536 operands in order.

Operands in single precision: special values, random ones, and the hardest to round, which are
found by evaluating every operand in double precision and keeping those whose result lies nearest
to the middle of two numbers.
"""

import random
import struct

import numpy as np
from mpmath import mp, mpf, isnan, isinf, inf, nan

mp.prec = 400

F16 = (10, 5)
BF16 = (7, 8)
F32 = (23, 8)
F64 = (52, 11)


def decode(bits, layout):
    """The value of an encoding, and whether its sign bit is set."""
    fraction_bits, exponent_bits = layout
    negative = bits >> (fraction_bits + exponent_bits) & 1
    field = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if field == (1 << exponent_bits) - 1:
        value = inf if fraction == 0 else nan
    elif field == 0:
        value = mpf(fraction) * mpf(2) ** (1 - bias - fraction_bits)
    else:
        value = mpf(fraction | 1 << fraction_bits) * mpf(2) ** (field - bias - fraction_bits)
    return (-value if negative else value), bool(negative)


def encode(value, negative_zero, layout, canonical_nan):
    """The encoding of the nearest number, ties to even."""
    fraction_bits, exponent_bits = layout
    bias = (1 << (exponent_bits - 1)) - 1
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    sign = 1 << (fraction_bits + exponent_bits)
    if isnan(value):
        return canonical_nan
    if value == 0:
        return sign if negative_zero else 0
    prefix = sign if value < 0 else 0
    if isinf(value):
        return prefix | infinity
    magnitude = abs(value)
    exponent = max(int(mp.floor(mp.log(magnitude, 2))), 1 - bias)
    # The logarithm may be off by one next to a power of two.
    if magnitude >= mpf(2) ** (exponent + 1):
        exponent += 1
    if magnitude < mpf(2) ** exponent and exponent > 1 - bias:
        exponent -= 1
    units = magnitude / mpf(2) ** (exponent - fraction_bits)
    whole = int(mp.floor(units))
    rest = units - whole
    if rest > mpf(1) / 2 or (rest == mpf(1) / 2 and whole & 1):
        whole += 1
    bits = ((exponent + bias - 1) << fraction_bits) + whole
    return prefix | min(bits, infinity)


def ex2(x):
    if isinf(x):
        return x if x > 0 else mpf(0)
    # Keep the arguments of overflow and underflow in reach of the big-float exponent.
    return mpf(2) ** max(min(x, mpf(5000)), mpf(-5000))


def lg2(x):
    if x == 0:
        return -inf
    if x < 0:
        return nan
    return x if isinf(x) else mp.log(x) / mp.log(2)


def rsqrt(x, negative_zero):
    if x == 0:
        return -inf if negative_zero else inf
    if x < 0:
        return nan
    return mpf(0) if isinf(x) else 1 / mp.sqrt(x)


def tanh(x):
    if isinf(x) or abs(x) > 40:
        return mpf(1) if x > 0 else mpf(-1)
    with mp.workprec(2000):
        return mp.tanh(x)


def circular(function):
    def evaluate(x):
        if isinf(x):
            return nan
        with mp.workprec(1000):
            return function(x)

    return evaluate


FUNCTIONS = {
    "ex2": ex2,
    "lg2": lg2,
    "sin": circular(mp.sin),
    "cos": circular(mp.cos),
    "tanh": tanh,
    "rsqrt": rsqrt,
}


def result(name, bits, layout, canonical_nan):
    x, negative = decode(bits, layout)
    if isnan(x):
        return canonical_nan
    function = FUNCTIONS[name]
    value = function(x, negative) if name == "rsqrt" else function(x)
    # Odd functions keep the sign of zero.
    return encode(value, negative and name in ("sin", "tanh"), layout, canonical_nan)


NUMPY = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def hardest(name, count):
    """The operands whose results lie nearest to the middle of two numbers."""
    best = []
    starts = [0x00000000, 0x80000000] if name == "ex2" else [0x00000000]
    for start in starts:
        for chunk in range(start, start + 0x7F800000, 1 << 23):
            bits = np.arange(chunk, chunk + (1 << 23), dtype=np.uint32)
            with np.errstate(all="ignore"):
                y = np.abs(NUMPY[name](bits.view(np.float32).astype(np.float64)))
            # Results that are normal and not within a rounding error of an exact one.
            raw = y.view(np.uint64)
            below = (raw & np.uint64((1 << 29) - 1)).astype(np.int64)
            distance = np.abs(below - (1 << 28))
            usable = (y > 1.2e-38) & (y < 3.4e38) & (y != 1.0)
            distance[~usable] = 1 << 40
            nearest = np.argpartition(distance, 8)[:8]
            best += [(int(distance[i]), int(bits[i])) for i in nearest]
            best = sorted(best)[:count]
    return [bits for _, bits in best]


def single_operands(name, rng):
    special = [0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x3F800000]
    special += [0x3F800001, 0x40000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000]
    # The thresholds of overflow, underflow and reduction.
    special += [0x42FFFFFF, 0x43000000, 0x42FC0000, 0x43150000, 0x4315FFFF, 0x43160000]
    special += [0x43160001, 0x43480000, 0x3F000000, 0x3EFFFFFF, 0x3F490FDA, 0x3F490FDB]
    special += [0x3FC90FDA, 0x3FC90FDB, 0x3FC90FDC, 0x40490FDB, 0x411021C9, 0x41102CB4]
    special += [0x41200000, 0x6F79BE45, 0x3F3504F3, 0x3F3504F4, 0x3FB504F3, 0x3FB504F4]
    operands = [bits | sign for bits in special for sign in (0, 0x80000000)]
    operands += [rng.getrandbits(32) for _ in range(300)]
    operands += [rng.randrange(0x3B000000, 0x43200000) | rng.getrandbits(1) << 31 for _ in range(700)]
    return operands + hardest(name, 200)


def digest(values):
    state = 0xCBF29CE484222325
    for value in values:
        for byte in struct.pack("<H", value):
            state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return state


def main():
    rng = random.Random(1)
    for name in FUNCTIONS:
        for bits in single_operands(name, rng):
            print(f"{name}.f32 {bits:08x} {result(name, bits, F32, 0x7FFFFFFF):08x}")
    for name in ("ex2", "tanh"):
        for suffix, layout in (("f16", F16), ("bf16", BF16)):
            values = (result(name, bits, layout, 0x7FFF) for bits in range(1 << 16))
            print(f"digest {name}.{suffix} {digest(values):016x}")
    # Double precision: numbers, and what lies next to powers of four.
    operands = [0x0000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF]
    for power in (0x3FD, 0x3FE, 0x3FF, 0x400, 0x401, 0x001, 0x7FD, 0x7FE):
        operands += [(power << 52) + step for step in range(-6, 7)]
    operands += [rng.getrandbits(63) % 0x7FF0000000000000 for _ in range(1000)]
    operands += [rng.getrandbits(rng.randrange(1, 53)) for _ in range(200)]
    for bits in operands:
        print(f"rsqrt.f64 {bits:016x} {result('rsqrt', bits, F64, 0):016x}")


main()
