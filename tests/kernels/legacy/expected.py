#!/usr/bin/env python3
"""What code for old architectures computes: before sm_20 subnormal operands and results are zeros of their sign; `mad.f32` there is
`fma.rn.ftz.f32` on anything newer (PTX ISA 9.1, 9.7.3.7 mad). In exact rationals, rounded once."""

import sys
from fractions import Fraction as Q
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403
from texels import to_f32  # noqa: E402

save = saver(__file__)
count = 64
LEAST = Q(1, 1 << 126)

# Numbers, small ones, and subnormal ones.
scales = [0, -60, -63, -64, -126, -130, -140, -148]


def some(seed):
    values = floats(count, seed, 2.0).astype(f64)
    return f32(values * np.array([2.0 ** scales[int(n) % 8] for n in noise(count, seed + 50)]))


a, b, c = [save(name, some(seed), f32) for name, seed in (("a", 41), ("b", 42), ("c", 43))]


def flushed(x, sign):
    """A number and the sign that a zero has."""
    return (Q(0), sign) if abs(x) < LEAST else (x, x < 0)


def number(x):
    return flushed(Q(float(x)), bool(np.signbit(x)))


def result(exact, sign, flushes):
    value = to_f32(exact)
    if flushes:
        value, sign = flushed(value, exact < 0 if exact else sign)
    elif value or exact:
        sign = exact < 0
    return f32(-0.0 if value == 0 and sign else float(value))


def fma(x, y, z, flushes):
    (x, sx), (y, sy), (z, sz) = [number(v) if flushes else (Q(float(v)), bool(np.signbit(v))) for v in (x, y, z)]
    return result(x * y + z, (sx != sy) and sz, flushes)


rows = []
for x, y, z in zip(a, b, c):
    (p, sp), (q, sq) = number(x), number(y)
    wide = fma(x, y, z, True)
    rows.append(
        [
            result(p + q, sp and sq, True),
            result(p - q, sp and not sq, True),
            result(p * q, sp != sq, True),
            wide,
            f32(min(float(wide), 1.0) if wide > 0 else 0.0),
            result(min(p, q), sp if p < q else sq if q < p else sp or sq, True),
            result(max(p, q), sp if p > q else sq if q > p else sp and sq, True),
            result(abs(p), False, True),
            result(-p, not sp, True),
            f32(p < q),
        ]
    )
save("expected_singles", np.ravel(np.array(rows, f32)), f32)
save("expected_fused", np.ravel(np.array([[fma(x, y, z, False), fma(x, y, z, True)] for x, y, z in zip(a, b, c)], f32)), f32)
