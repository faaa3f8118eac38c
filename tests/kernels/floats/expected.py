#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels for single floating-point instructions, in exact
rational arithmetic.

Left out because the ISA does not fix the result: NaN operands of abs, neg and copysign, NaN results
of f64, NaN converted to a 64-bit integer.
"""

import math
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import softfloat as sf  # noqa: E402
from softfloat import BF16, F16, F32, F64  # noqa: E402
from support import *  # noqa: E402, F403

save = saver(__file__)
N = 192
MODES = ["rn", "rz", "rm", "rp"]


def patterns(fmt, seed, nan=False, infinite=True):
    """N bit patterns: corner values, any patterns, and many of middling size that interact."""
    one = fmt.bias << (fmt.precision - 1)
    hidden = 1 << (fmt.precision - 1)
    corners = [
        0, fmt.sign, 1, fmt.sign | 1, hidden - 1, hidden, hidden + 1, fmt.sign | hidden, 3 * hidden,
        one, fmt.sign | one, one + 1, one + hidden, one + hidden // 2, one - hidden, one - 2 * hidden,
        fmt.infinity - 1, fmt.sign | (fmt.infinity - 1), fmt.infinity - hidden,
    ]  # fmt: skip
    if infinite:
        corners += [fmt.infinity, fmt.sign | fmt.infinity]
    if nan:
        corners += [fmt.nan, fmt.sign | (fmt.infinity + 1)]
    mask = (1 << fmt.width) - 1
    x = [int(v) & mask for v in noise64(N, seed)]
    near = max(1, fmt.exponent_bits - 3)
    for i in range(N // 2, N):  # exponents near that of one
        small = x[i] >> (fmt.width - 8) & ((1 << min(5, near)) - 1)
        exponent = fmt.bias + small - (1 << min(5, near)) // 2
        x[i] = x[i] & (fmt.sign | (hidden - 1)) | exponent << (fmt.precision - 1)
    order = noise(N, seed + 1)
    for i in range(N // 2):
        x[i] = corners[int(order[i]) % len(corners)] if i % 2 or i < 40 else x[i]
    for i, v in enumerate(x):
        if fmt.is_nan(v) and not nan or fmt.is_infinite(v) and not infinite:
            x[i] = one + i
    return x


def words(fmt, rows):
    dtype = {16: u16, 32: u32, 64: u64}[fmt.width]
    return np.array([v for row in rows for v in row], dtype)


def keep(name, fmt, rows):
    """Saves rows of bit patterns as floats, or as they are if numpy lacks the format."""
    flat = words(fmt, rows)
    view = {F16: f16, F32: f32, F64: f64}.get(fmt)
    save(name, flat.view(view) if view else flat)


def each_mode(f, a, b, c):
    one = f.bias << (f.precision - 1)
    rows = []
    for m in MODES:
        rows += [
            [sf.add(f, x, y, m) for x, y in zip(a, b)],
            [sf.sub(f, x, y, m) for x, y in zip(a, b)],
            [sf.mul(f, x, y, m) for x, y in zip(a, b)],
            [sf.fma(f, x, y, z, m) for x, y, z in zip(a, b, c)],
            [sf.div(f, x, y, m) for x, y in zip(a, b)],
            [sf.div(f, one, x, m) for x in a],
            [sf.sqrt(f, x, m) for x in a],
        ]
    return rows


def minimum(f, x, y, nan_wins=False, largest=False):
    if f.is_nan(x) or f.is_nan(y):
        if nan_wins or (f.is_nan(x) and f.is_nan(y)):
            return f.nan
        return y if f.is_nan(x) else x

    def key(v):  # orders all patterns, -0 before +0
        return -f.magnitude(v) - 1 if f.negative(v) else f.magnitude(v)

    return (max if largest else min)(x, y, key=key)


def rounding():
    a, b, c = patterns(F32, 1), patterns(F32, 3, nan=True), patterns(F32, 5)
    keep("f32_a", F32, [a])
    keep("f32_b", F32, [b])
    keep("f32_c", F32, [c])
    keep("expected_modes_f32", F32, each_mode(F32, a, b, c))

    x = [v & ~F64.sign or 3 for v in patterns(F64, 7, infinite=False)]
    y = patterns(F64, 9)
    z = patterns(F64, 11, infinite=False)
    keep("f64_a", F64, [x])
    keep("f64_b", F64, [y])
    keep("f64_c", F64, [z])
    rows = each_mode(F64, x, y, z)
    assert not any(F64.is_nan(v) for row in rows for v in row)
    keep("expected_modes_f64", F64, rows)

    def flushed(operation, *operands, mode="rn", saturates=False):
        row = []
        for values in zip(*operands):
            result = operation(F32, *(F32.flush(v) for v in values), mode)
            # Where a value below the smallest normal number rounds up to it, implementations differ.
            below = operation(F32, *(F32.flush(v) for v in values), "rz")
            assert F32.is_subnormal(result) == F32.is_subnormal(below)
            result = F32.flush(result)
            row.append(sf.saturate(F32, result) if saturates else result)
        return row

    def saturated(operation, *operands, mode="rn"):
        return [sf.saturate(F32, operation(F32, *v, mode)) for v in zip(*operands)]

    one = [0x3F800000] * N
    rows = [
        flushed(sf.add, a, b),
        flushed(sf.sub, a, b),
        flushed(sf.mul, a, b),
        flushed(sf.fma, a, b, c),
        flushed(sf.div, a, b),
        flushed(sf.sqrt, a),
        flushed(sf.div, one, a),
        saturated(sf.add, a, b),
        flushed(sf.sub, a, b, mode="rz", saturates=True),
        saturated(sf.mul, a, b),
        saturated(sf.fma, a, b, c, mode="rp"),
        flushed(sf.fma, a, b, c, mode="rm", saturates=True),
        [F32.magnitude(x) for x in a],
        [x ^ F32.sign for x in a],
        [F32.magnitude(F32.flush(x)) for x in a],
        [F32.flush(x) ^ F32.sign for x in a],
        [minimum(F32, x, y) for x, y in zip(a, b)],
        [minimum(F32, x, y, largest=True) for x, y in zip(a, b)],
        [minimum(F32, F32.flush(x), F32.flush(y)) for x, y in zip(a, b)],
        [minimum(F32, F32.flush(x), F32.flush(y), largest=True) for x, y in zip(a, b)],
        [F32.magnitude(z) | x & F32.sign for x, z in zip(a, c)],
    ]
    keep("expected_flush", F32, rows)

    a, b = patterns(F32, 13, nan=True), patterns(F32, 15, nan=True)
    b[::5] = a[::5]
    keep("compare_a", F32, [a])
    keep("compare_b", F32, [b])
    out = []
    for x, y in zip(words(F32, [a]).view(f32), words(F32, [b]).view(f32)):
        x, y = float(x), float(y)
        unordered = x != x or y != y
        ordered = [x == y, not unordered and x != y, x < y, x <= y, x > y, x >= y]
        bits = ordered + [unordered or v for v in ordered] + [not unordered, unordered]
        tiny = 2.0**-126
        fx, fy = (0.0 if abs(v) < tiny else v for v in (x, y))
        bits += [fx == fy, fx < fy]
        bits += [x < y, unordered or x >= y, not unordered and x != y]
        bits += [x < y and x > 1, not x < y and x > 1]
        out.append(sum(int(v) << k for k, v in enumerate(bits)))
    save("expected_compare", out, u32)


def conversions():
    halves = [F32.round(Fraction(k, 4)) for k in range(-14, 15)]
    edges = [127.5, 128.0, 255.0, 255.5, -128.5, 32767.5, 65535.5, -32769.0, 2147483520.0, 2147483648.0,
             -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.223371487098962e18,
             9.223372036854775807e18, -9.223372036854775808e18, 1.8446742974197924e19,
             1.8446744073709552e19, 3e38, 0.49999997, -0.99999994, 1e-40]  # fmt: skip
    special = halves + [F32.round(Fraction(e)) for e in edges]
    a = patterns(F32, 17, nan=True)
    a[: len(special)] = special
    for i in range(N - 40, N):  # of the size of integers
        a[i] = a[i] & 0x807FFFFF | (127 + i % 40) << 23
    keep("to_int_in", F32, [a])

    def to(fmt, x, bits, signed, modes):
        return [[sf.to_integer(fmt, v, bits, signed, m) for v in x] for m in modes]

    rows = to(F32, a, 32, True, MODES) + to(F32, a, 32, False, MODES)
    rows += to(F32, a, 16, True, ["rz"]) + to(F32, a, 16, False, ["rn"])
    rows += to(F32, a, 8, True, ["rn"]) + to(F32, a, 8, False, ["rp"])
    save("expected_to_int", np.array(rows, i64).astype(i32).reshape(-1))
    no_nan = [0 if F32.is_nan(v) else v for v in a]
    rows = to(F32, no_nan, 64, True, MODES) + to(F32, no_nan, 64, False, MODES)
    save("expected_to_int64", np.array([v & M64 for row in rows for v in row], u64).view(i64))

    edges64 = [2147483647.5, -2147483648.5, 4294967295.5, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994,
               9.2233720368547748e18, 9.223372036854775808e18, -9.223372036854775808e18, 1.8446744073709550e19,
               1.8446744073709552e19, 1e300, -1e300, 1e-310]  # fmt: skip
    d = patterns(F64, 19)
    d[: len(edges64)] = [F64.round(Fraction(e)) for e in edges64]
    for i in range(N - 80, N):
        d[i] = d[i] & (F64.sign | (1 << 52) - 1) | (1023 + i % 70) << 52
    keep("double_in", F64, [d])
    rows = to(F64, d, 32, True, MODES) + to(F64, d, 32, False, ["rn", "rz"])
    rows += to(F64, d, 64, True, MODES) + to(F64, d, 64, False, ["rn", "rp"])
    save("expected_double_to_int", np.array([v & M64 for r in rows for v in r], u64).view(i64))

    rows = [[F64.round(F64.value(v), "rn") for v in d if not F64.is_infinite(v)]]
    assert rows[0] == [0 if F64.is_zero(v) else v for v in d if not F64.is_infinite(v)]
    rows = [[sf.convert(F64, F32, v, m) for v in d] for m in MODES]
    keep("expected_narrowed", F32, rows)
    half = 0x3FE << 52
    keep("expected_widened", F64, [[sf.mul(F64, sf.convert(F32, F64, v), half) for v in rows[0]]])

    x = [int(v) >> int(s) % 64 for v, s in zip(noise64(N, 21), noise(N, 22))]
    x[:14] = [0, 1, M64, 1 << 63, (1 << 63) - 1, (1 << 24) + 1, (1 << 24) + 3, (1 << 53) + 1, (1 << 53) + 3,
              0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 40) + (1 << 16), M64 - 0x7FF]  # fmt: skip
    save("whole_in", np.array(x, u64).view(i64))

    def signed(v, bits):
        v &= (1 << bits) - 1
        return v - (1 << bits) if v >> (bits - 1) else v

    rows = []
    for m in MODES:
        for source in (
            [signed(v, 32) for v in x], [v & M32 for v in x], [signed(v, 64) for v in x], x
        ):  # fmt: skip
            rows.append([F32.round(Fraction(v), m) for v in source])
    keep("expected_from_int", F32, rows)
    sources = [([signed(v, 32) for v in x], "rn"), ([v & M32 for v in x], "rn")]
    sources += [([signed(v, 64) for v in x], m) for m in MODES] + [(x, "rn"), (x, "rz")]
    sources += [([signed(v, 16) for v in x], "rn"), ([v & 255 for v in x], "rn")]
    keep("expected_double_from_int", F64, [[F64.round(Fraction(v), m) for v in s] for s, m in sources])

    keep("integral_in", F32, [no_nan])
    ties = ["rn", "rz", "rm", "rp"]
    rows = [[sf.to_integral(F32, v, m) for v in no_nan] for m in ties]
    rows.append([sf.saturate(F32, v) for v in no_nan])
    rows.append([sf.to_integral(F32, F32.flush(v), "rm") for v in no_nan])
    rows.append([sf.saturate(F32, sf.to_integral(F32, v, "rn")) for v in no_nan])
    keep("expected_integral", F32, rows)
    keep("expected_integral64", F64, [[sf.to_integral(F64, v, m) for v in d] for m in ties])

    rows = [
        [v ^ F32.sign for v in no_nan], [v >> 32 for v in d], [v & M32 for v in d],
        [(v + 1) & M32 for v in no_nan], [(v << 32 | v >> 32) >> 16 & M32 for v in d],
    ]  # fmt: skip
    save("expected_bits", words(F32, rows))


def packed_arithmetic(f, a, b, c):
    return {
        "add": [sf.add(f, x, y) for x, y in zip(a, b)],
        "sub": [sf.sub(f, x, y) for x, y in zip(a, b)],
        "mul": [sf.mul(f, x, y) for x, y in zip(a, b)],
        "fma": [sf.fma(f, x, y, z) for x, y, z in zip(a, b, c)],
        "neg": [x ^ f.sign for x in a],
        "abs": [f.magnitude(x) for x in a],
    }


def half():
    a, b, c = patterns(F16, 23), patterns(F16, 25, nan=True), patterns(F16, 27)
    keep("f16_a", F16, [a])
    keep("f16_b", F16, [b])
    keep("f16_c", F16, [c])
    r = packed_arithmetic(F16, a, b, c)
    saturated = {k: [sf.saturate(F16, v) for v in r[k]] for k in ("add", "mul", "fma")}
    rows = [r["add"], r["sub"], r["mul"], r["fma"]]
    rows += [saturated["add"], saturated["mul"], saturated["fma"], r["neg"], r["abs"]]
    keep("expected_half", F16, rows)
    crossed = [[v for k in range(0, N, 2) for v in pair(k)] for pair in (
        lambda k: (a[k + 1], a[k]), lambda k: (a[k + 1], b[k]),
    )]  # fmt: skip
    rows = [r["add"], r["sub"], r["mul"], r["fma"], saturated["fma"], r["neg"], r["abs"], *crossed]
    keep("expected_half2", F16, rows)

    out = []
    for x, y in zip(words(F16, [a]).view(f16), words(F16, [b]).view(f16)):
        x, y = float(x), float(y)
        unordered = x != x or y != y
        bits = [x == y, not unordered and x != y, x < y, x <= y, x > y, x >= y]
        bits += [unordered or x == y, unordered or x != y, unordered or x < y, x != x]
        bits += [x == y and y == y, x <= y and y <= y]
        out.append(sum(int(v) << k for k, v in enumerate(bits)) | (0x3C000000 if x >= y else 0))
    save("expected_half_compare", out, u32)

    single = patterns(F32, 29, nan=True)
    for i in range(64, N):  # in the range of f16, and around its edges
        single[i] = single[i] & 0x807FFFFF | (127 - 26 + i % 44) << 23
    thousand = F32.round(Fraction(1000))
    keep("half_single", F32, [single])
    rows = [[sf.convert(F32, F16, v, m) for v in single] for m in MODES]
    scaled = [sf.to_integer(F32, sf.mul(F32, v, thousand), 32, True, "rz") for v in single]
    rows.append([F16.round(Fraction(v)) for v in scaled])
    rows += [[sf.to_integral(F16, v, m) for v in a] for m in MODES]
    keep("expected_half_narrow", F16, rows)
    keep("expected_half_wide", F32, [[sf.convert(F16, F32, v) for v in a]])
    rows = [[sf.to_integer(F16, v, 32, True, m) for v in a] for m in MODES]
    rows.append([sf.to_integer(F16, v, 32, False, "rn") for v in a])
    rows.append([sf.to_integer(F16, v, 16, True, "rz") for v in a])
    save("expected_half_whole", np.array(rows, i64).astype(u32).view(i32).reshape(-1))

    x, y = patterns(F16, 31, nan=True), patterns(F16, 33, nan=True)
    keep("extrema_a", F16, [x])
    keep("extrema_b", F16, [y])
    rows = []
    for nan_wins in False, True:
        for largest in False, True:
            rows.append([minimum(F16, p, q, nan_wins, largest) for p, q in zip(x, y)])
    keep("expected_half_extrema", F16, rows)

    pairs = 96
    matrix = save("dot_matrix", floats(4 * pairs * 2, 35, 2.0).astype(f16)).view(u16)
    vector = save("dot_vector", floats(pairs * 2, 36, 2.0).astype(f16)).view(u16)
    totals = []
    for row in matrix.reshape(4, pairs, 2):
        lanes = np.zeros((32, 2), u16)
        for k in range(pairs):
            for h in 0, 1:
                v = int(vector[2 * k + h])
                lanes[k % 32, h] = sf.fma(F16, int(row[k, h]), v, int(lanes[k % 32, h]))
        parts = lanes.view(f16).astype(f32)
        sums = parts[:, 0] + parts[:, 1]
        for distance in 16, 8, 4, 2, 1:
            sums = sums + sums[np.arange(32) ^ distance]
        totals.append(sums[0])
    save("expected_half_dot", totals, f32)


def bfloat16():
    a, b, c = patterns(BF16, 37), patterns(BF16, 39, nan=True), patterns(BF16, 41)
    keep("bf16_a", BF16, [a])
    keep("bf16_b", BF16, [b])
    keep("bf16_c", BF16, [c])
    r = packed_arithmetic(BF16, a, b, c)
    extrema = [
        [minimum(BF16, x, y, nan_wins, largest) for x, y in zip(a, b)]
        for nan_wins in (False, True) for largest in (False, True)
    ]  # fmt: skip
    keep("expected_bf16", BF16, [r["add"], r["sub"], r["mul"], r["fma"], r["neg"], r["abs"], *extrema])
    keep("expected_bf162", BF16, [r["add"], r["mul"], r["fma"], extrema[1], r["neg"]])

    single = patterns(F32, 43, nan=True)
    keep("bf16_single", F32, [single])
    narrow = [sf.convert(F32, BF16, v) for v in single]
    opposite = [sf.convert(F32, BF16, v ^ F32.sign) for v in single]
    cut = [sf.convert(F32, BF16, v, "rz") for v in single]
    keep("expected_bf16_narrow", BF16, [narrow, cut, narrow, opposite])
    keep("expected_bf16_wide", F32, [[v << 16 for v in a]])


def library():
    def spread(values, dtype, exponents):
        """Gives each value another exponent."""
        return np.ldexp(values, [int(e) for e in exponents]).astype(dtype)

    exponents = noise(N, 45) % u32(101)
    for dtype, raw in (f32, floats), (f64, doubles):
        x = spread(raw(N, 46), dtype, exponents.astype(i64) - 50)
        y = spread(raw(N, 47), dtype, (exponents * u32(7) % u32(61)).astype(i64) - 30)
        x[:12] = 6.0, -6.0, 5.0, -5.0, 7.5, -7.5, 0.5, -0.5, 2.5, 1.5, -2.5, 3.0
        y[:12] = 4.0, 4.0, -2.0, 2.0, 3.0, 3.0, 1.0, 1.0, 0.5, -1.5, 0.5, 0.25
        assert x.all() and y.all()
        pairs = list(zip(x.tolist(), y.tolist()))
        fraction, exponent = np.frexp(x)
        rest, part = np.modf(x)
        away = np.copysign(np.floor(np.abs(x.astype(f64)) + 0.5), x)
        if dtype is f64:  # adding 0.5 rounds just below one half, and where nothing is after the point
            away = np.where(np.abs(x) < 2.0**52, np.copysign(np.abs(part) + (np.abs(rest) >= 0.5), x), x)
        rows = [
            [math.fmod(p, q) for p, q in pairs],
            [math.remainder(p, q) for p, q in pairs],
            np.ldexp(x, np.arange(N) % 60 - 30),
            fraction,
            rest,
            part,
            np.nextafter(x, y),
            away,
        ]
        fdim = np.where(x > y, x - y, dtype(0))
        whole = [exponent, exponent - 1, np.rint(y)]
        half_up = np.where(np.modf(y)[0] == 0, y, np.copysign(np.abs(np.trunc(y)) + (np.abs(np.modf(y)[0]) >= 0.5), y))
        whole.append(half_up)
        if dtype is f32:
            rows += [np.rint(x), fdim, (exponent - 1).astype(f32)]
            whole.append(np.signbit(x))
        else:
            rows.append(fdim)
        name = np.dtype(dtype).name
        save(f"library_a_{name}", x)
        save(f"library_b_{name}", y)
        save(f"expected_library_{name}", np.concatenate([np.asarray(r, dtype) for r in rows]))
        whole = np.concatenate([np.asarray(r, f64) for r in whole])
        save(f"expected_library_whole_{name}", whole.astype(i64), i32 if dtype is f32 else i64)


rounding()
conversions()
half()
bfloat16()
library()
