"""Floating-point arithmetic in exact rationals, rounded once: slow, short, and independent of any
floating-point unit. Values are bit patterns in a `Format`.

NaN results are the canonical NaN of PTX. `fma32` is a fast fused multiply-add on float32 arrays.
"""

from fractions import Fraction
from math import isqrt

import numpy as np


class Format:
    """An IEEE 754 binary format: `precision` counts the hidden bit."""

    def __init__(self, width, precision, nan):
        self.width, self.precision, self.nan = width, precision, nan
        self.exponent_bits = width - precision
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.lowest = 1 - self.bias  # exponent of the smallest normal number
        self.infinity = ((1 << self.exponent_bits) - 1) << (precision - 1)
        self.sign = 1 << (width - 1)

    def negative(self, x):
        return bool(x & self.sign)

    def magnitude(self, x):
        return x & (self.sign - 1)

    def is_nan(self, x):
        return self.magnitude(x) > self.infinity

    def is_infinite(self, x):
        return self.magnitude(x) == self.infinity

    def is_zero(self, x):
        return self.magnitude(x) == 0

    def is_subnormal(self, x):
        return 0 < self.magnitude(x) < 1 << (self.precision - 1)

    def value(self, x):
        """The number that a finite bit pattern stands for."""
        m = self.magnitude(x)
        exponent = m >> (self.precision - 1)
        fraction = m & ((1 << (self.precision - 1)) - 1)
        if exponent:
            fraction |= 1 << (self.precision - 1)
        else:
            exponent = 1
        v = Fraction(fraction) * Fraction(2) ** (exponent - self.bias - self.precision + 1)
        return -v if self.negative(x) else v

    def flush(self, x):
        """`.ftz`: a subnormal becomes zero of the same sign."""
        return x & self.sign if self.is_subnormal(x) else x

    def round(self, v, mode="rn", zero_sign=0):
        """The bit pattern of the rational `v`, rounded by `mode`: rn, rz, rm or rp."""
        if v == 0:
            return zero_sign
        sign = self.sign if v < 0 else 0
        a = abs(v)
        # The exponent of the leading bit, then the weight of the last bit that is kept.
        e = a.numerator.bit_length() - a.denominator.bit_length()
        if Fraction(2) ** e > a:
            e -= 1
        last = max(e, self.lowest) - self.precision + 1
        scaled = a / Fraction(2) ** last
        whole = scaled.numerator // scaled.denominator
        whole += round_up(scaled - whole, whole, bool(sign), mode)
        m = whole + max(0, last + self.precision - 1 - self.lowest << (self.precision - 1))
        if whole < 1 << (self.precision - 1):
            m = whole  # subnormal
        if m >= self.infinity:
            away = mode == "rn" or (mode == "rp" and not sign) or (mode == "rm" and sign)
            m = self.infinity if away else self.infinity - 1
        return sign | m


def round_up(rest, whole, negative, mode):
    """Whether a magnitude `whole + rest` rounds to `whole + 1`."""
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    if mode == "rz":
        return False
    return rest > 0 and negative == (mode == "rm")


F16 = Format(16, 11, 0x7FFF)
BF16 = Format(16, 8, 0x7FFF)
F32 = Format(32, 24, 0x7FFFFFFF)
F64 = Format(64, 53, 0x7FF8000000000000)


def add(f, a, b, mode="rn"):
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        if f.is_infinite(a) and f.is_infinite(b) and a != b:
            return f.nan
        return a if f.is_infinite(a) else b
    zero = a if a == b else (f.sign if mode == "rm" else 0)
    return f.round(f.value(a) + f.value(b), mode, zero & f.sign)


def sub(f, a, b, mode="rn"):
    return add(f, a, b if f.is_nan(b) else b ^ f.sign, mode)


def mul(f, a, b, mode="rn"):
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    sign = (a ^ b) & f.sign
    if f.is_infinite(a) or f.is_infinite(b):
        return f.nan if f.is_zero(a) or f.is_zero(b) else sign | f.infinity
    return f.round(f.value(a) * f.value(b), mode, sign)


def fma(f, a, b, c, mode="rn"):
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return f.nan
    sign = (a ^ b) & f.sign
    if f.is_infinite(a) or f.is_infinite(b):
        if f.is_zero(a) or f.is_zero(b) or (f.is_infinite(c) and c & f.sign != sign):
            return f.nan
        return sign | f.infinity
    if f.is_infinite(c):
        return c
    exact_zero_product = f.is_zero(a) or f.is_zero(b)
    same_zero = exact_zero_product and f.is_zero(c) and sign == c & f.sign
    zero = sign if same_zero else (f.sign if mode == "rm" else 0)
    return f.round(f.value(a) * f.value(b) + f.value(c), mode, zero)


def div(f, a, b, mode="rn"):
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    sign = (a ^ b) & f.sign
    if f.is_infinite(a):
        return f.nan if f.is_infinite(b) else sign | f.infinity
    if f.is_infinite(b):
        return sign
    if f.is_zero(b):
        return f.nan if f.is_zero(a) else sign | f.infinity
    return f.round(f.value(a) / f.value(b), mode, sign)


def sqrt(f, a, mode="rn"):
    if f.is_nan(a) or (f.negative(a) and not f.is_zero(a)):
        return f.nan
    if f.is_zero(a) or f.is_infinite(a):
        return a
    # A rational that lies strictly between the same neighbours as the root, or equals it.
    v = f.value(a)
    scale = 1 << 2 * (f.precision + f.bias)
    root = isqrt(v.numerator * scale * scale // v.denominator)
    approximation = Fraction(root, scale)
    if approximation * approximation != v:
        approximation += Fraction(1, 2 * scale)
    return f.round(approximation, mode)


def saturate(f, x):
    """`.sat`: to [0, 1]; NaN becomes +0."""
    one = f.bias << (f.precision - 1)
    if f.is_nan(x) or f.negative(x):
        return 0
    return min(x, one)


def to_integer(f, x, bits, signed, mode):
    """`cvt` to an integer, saturating; NaN becomes 0."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if f.is_nan(x):
        return 0
    if f.is_infinite(x):
        return low if f.negative(x) else high
    return max(low, min(high, round_to_whole(f.value(x), mode)))


def round_to_whole(v, mode):
    a = abs(v)
    whole = a.numerator // a.denominator
    whole += round_up(a - whole, whole, v < 0, mode)
    return -whole if v < 0 else whole


def to_integral(f, x, mode):
    """`cvt.rni` and its kin: an integer in the same format."""
    if f.is_nan(x):
        return f.nan
    if f.is_infinite(x) or f.is_zero(x):
        return x
    return f.round(Fraction(round_to_whole(f.value(x), mode)), "rn", x & f.sign)


def convert(source, target, x, mode="rn"):
    if source.is_nan(x):
        return target.nan
    sign = target.sign if source.negative(x) else 0
    if source.is_infinite(x):
        return sign | target.infinity
    return target.round(source.value(x), mode, sign)


def fma32(a, b, c):
    """Fused multiply-add of float32 arrays. The product is exact in float64; the sum is rounded to
    odd there, so that rounding it again to float32 is as if done once."""
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    p = a * b
    s = p + c
    with np.errstate(invalid="ignore"):
        high = s - p
        error = (p - (s - high)) + (c - high)
    bits = s.view(np.int64)
    fix = np.isfinite(s) & (error != 0) & (bits & 1 == 0)
    step = np.where((error > 0) == (s > 0), 1, -1)
    return np.where(fix, bits + step, bits).view(np.float64).astype(np.float32)


def fma64(a, b, c):
    """Fused multiply-add of finite float64 arrays."""
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    words = [x.reshape(-1).view(np.uint64).tolist() for x in map(np.ascontiguousarray, (a, b, c))]
    out = [fma(F64, x, y, z) for x, y, z in zip(*words)]
    return np.array(out, np.uint64).view(np.float64).reshape(a.shape)
