#!/usr/bin/env python3
"""Inputs and expected outputs of the numerical kernels: numpy in the kernels' order of operations."""

import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import softfloat as sf  # noqa: E402
from softfloat import F32, fma32, fma64  # noqa: E402
from support import *  # noqa: E402, F403

save = saver(__file__)
np.seterr(over="ignore", under="ignore")


def product(left, right):
    """Sums of products in order, each step fused; the inner dimension is last and first."""
    total = np.zeros((left.shape[0], right.shape[1]), f32)
    for k in range(left.shape[1]):
        total = fma32(left[:, k, None], right[None, k], total)
    return total


def butterfly(x):
    """The sum over the last axis of 32 by exchanges at distance 16, 8, 4, 2, 1."""
    lane = np.arange(32)
    for distance in 16, 8, 4, 2, 1:
        x = x + x[..., lane ^ distance]
    return x


def striped(rows, start, step):
    """Folds columns k, k + 32, ... of each row into lane k."""
    lanes = np.full((rows.shape[0], 32), start, rows.dtype)
    for k in range(0, rows.shape[1], 32):
        part = rows[:, k : k + 32]
        lanes[:, : part.shape[1]] = step(lanes[:, : part.shape[1]], part)
    return lanes


def dense():
    m, n, k = 37, 29, 43
    a = save("product_a", floats(m * k, 1)).reshape(m, k)
    b = save("product_b", floats(k * n, 2)).reshape(k, n)
    save("expected_product", product(a, b).reshape(-1))
    a = save("tiles_a", floats(32 * 32, 3)).reshape(32, 32)
    b = save("tiles_b", floats(32 * 32, 4)).reshape(32, 32)
    save("expected_tiles", product(a.T, b).reshape(-1))

    a = save("dot_a", doubles(1000, 5))
    b = save("dot_b", doubles(1000, 6))
    sums = np.zeros(64)
    for k in range(0, 1000, 64):
        part = slice(k, min(k + 64, 1000))
        lanes = slice(0, part.stop - k)
        sums[lanes] = fma64(a[part], b[part], sums[lanes])
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    save("expected_dot", sums)

    x, y, alpha = save("saxpy_x", floats(300, 7)), save("saxpy_y", floats(300, 8)), f32(1.7)
    save("expected_saxpy", fma32(alpha, x, y))
    save("expected_saxpy_unfused", alpha * x + y)
    assert (fma32(alpha, x, y) != alpha * x + y).any()

    taps = np.array([0.0625, -0.125, 0.3, 0.7, 1.1, 0.7, 0.3, -0.125, 0.0625], f32)
    x = save("filter_in", floats(200, 9))
    padded = np.concatenate([np.zeros(4, f32), x, np.zeros(4, f32)])
    out = np.zeros(200, f32)
    for k in range(9):
        out = fma32(padded[k : k + 200], taps[k], out)
    save("expected_filter", out)

    right = save("jacobi_right", floats(256, 10)).reshape(16, 16)
    u = np.zeros((18, 18), f32)
    for _ in range(11):
        around = (u[1:-1, :-2] + u[1:-1, 2:]) + (u[:-2, 1:-1] + u[2:, 1:-1])
        u[1:-1, 1:-1] = f32(0.25) * (around - right)
    save("expected_jacobi", u[1:-1, 1:-1].reshape(-1))

    signal = save("fourier_in", floats(2 * 32 * 4, 11)).reshape(4, 32, 2)
    angle = -2 * np.pi * np.arange(16) / 32
    twiddle = save("twiddle", np.stack([np.cos(angle), np.sin(angle)], 1).reshape(-1), f32).reshape(16, 2)
    lane = np.arange(32)
    reversed_lane = [int(f"{i:05b}"[::-1], 2) for i in lane]
    v = signal[:, reversed_lane]
    for span in 1, 2, 4, 8, 16:
        upper = (lane & span) > 0
        w = twiddle[(lane & (span - 1)) * (16 // span)]
        other = v[:, lane ^ span]
        even = np.where(upper[:, None], other, v)
        odd = np.where(upper[:, None], v, other)
        turned = np.stack([
            odd[..., 0] * w[:, 0] - odd[..., 1] * w[:, 1],
            odd[..., 0] * w[:, 1] + odd[..., 1] * w[:, 0],
        ], axis=-1)  # fmt: skip
        v = np.where(upper[:, None], even - turned, even + turned)
    check = np.fft.fft(signal[..., 0].astype(f64) + 1j * signal[..., 1])
    assert np.allclose(v[..., 0] + 1j * v[..., 1], check, atol=1e-5)
    save("expected_fourier", v.reshape(-1))


def series():
    width, height, limit = 70, 50, 60
    x, y = np.arange(width, dtype=f32), np.arange(height, dtype=f32)
    cr = np.broadcast_to(f32(-2.25) + f32(3) * x / f32(width), (height, width))
    ci = np.broadcast_to((f32(-1.2) + f32(2.4) * y / f32(height))[:, None], (height, width))
    r, i, steps = (np.zeros((height, width), t) for t in (f32, f32, u8))
    for _ in range(limit):
        inside = r * r + i * i < f32(4)
        steps += inside
        r, i = np.where(inside, r * r - i * i + cr, r), np.where(inside, f32(2) * r * i + ci, i)
    save("expected_mandelbrot", steps.reshape(-1))

    n, dt = 64, f32(0.01)
    body = save("bodies", floats(4 * n, 12, 4.0)).reshape(n, 4)
    velocity = save("velocities", floats(4 * n, 13)).reshape(n, 4)
    pull = np.zeros((n, 3), f32)
    for k in range(n):
        d = body[k, :3] - body[:, :3]
        squared = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2] + f32(0.01)
        factor = body[k, 3] / (squared * np.sqrt(squared))
        pull = pull + d * factor[:, None]
    after = velocity.copy()
    after[:, :3] = velocity[:, :3] + pull * dt
    save("expected_velocities", after.reshape(-1))

    terms = save("sum_in", floats(32 * 150, 14) * np.tile(f32(2.0) ** (np.arange(32) - 16), 150).astype(f32))
    total, lost, plain = (np.zeros(32, f32) for _ in range(3))
    for value in terms.reshape(150, 32):
        value = value - lost
        following = total + value
        lost = (following - total) - value
        total = following
    for value in terms.reshape(150, 32):
        plain = plain + value
    assert (total != plain).any()
    save("expected_kahan", total)
    save("expected_plain", plain)

    rows = save("welford_in", doubles(4 * 100, 15, 16.0)).reshape(4, 100)
    mean, m2, count = (np.zeros((4, 32)) for _ in range(3))
    for k in range(0, 100, 32):
        value = rows[:, k : k + 32]
        lanes = slice(0, value.shape[1])
        count[:, lanes] += 1
        delta = value - mean[:, lanes]
        mean[:, lanes] += delta / count[:, lanes]
        m2[:, lanes] += delta * (value - mean[:, lanes])
    while mean.shape[1] > 1:
        half = mean.shape[1] // 2
        other_mean, other_m2, other_count = mean[:, half:], m2[:, half:], count[:, half:]
        mean, m2, count = mean[:, :half], m2[:, :half], count[:, :half]
        total, delta = count + other_count, other_mean - mean
        mean = mean + delta * other_count / total
        m2 = m2 + other_m2 + delta * delta * count * other_count / total
        count = total
    assert np.allclose(mean[:, 0], rows.mean(1)) and np.allclose(m2[:, 0] / 99, rows.var(1, ddof=1))
    save("expected_mean", mean[:, 0])
    save("expected_variance", m2[:, 0] / (count[:, 0] - 1))

    n = 100
    rows = save("norm_in", floats(6 * n, 16, 8.0)).reshape(6, n)
    scale, shift = save("norm_scale", floats(n, 17)), save("norm_shift", floats(n, 18))
    mean = butterfly(striped(rows, 0, np.add))[:, :1] / f32(n)
    centred = rows - mean
    squares = butterfly(striped(centred * centred, 0, np.add))[:, :1]
    inverse = f32(1) / np.sqrt(squares / f32(n) + f32(1e-5))
    save("expected_norm", (centred * inverse * scale + shift).reshape(-1))

    rows = save("quantise_in", floats(5 * n, 19, 4.0)).reshape(5, n)
    step = np.abs(rows).max(1, keepdims=True) / f32(127)
    whole = np.clip(np.rint(rows / step), -127, 127).astype(i32)
    save("expected_quantised", whole.reshape(-1), i8)
    save("expected_step", step.reshape(-1))
    save("expected_back", (whole.astype(f32) * step).reshape(-1))

    t = np.arange(32)
    x = f32(0.1) + f32(0.001) * t.astype(f32)
    y = 0.1 + 0.001 * t.astype(f64)
    for _ in range(101):
        x = f32(3.9) * x * (f32(1) - x)
        y = 3.9 * y * (1.0 - y)
    save("expected_logistic", x)
    save("expected_logistic64", y)

    values = doubles(64, 20, 1024.0)
    values[:4] = 27.0, -8.0, 1e-3, 1e6
    save("cubes", values)
    roots, counts = [], []
    for a in values.tolist():
        x, k = a, 0
        while k < 200:
            following = (2.0 * x + a / (x * x)) / 3.0
            k += 1
            if following == x or (k > 3 and abs(following - x) <= 1e-15 * abs(x)):
                break
            x = following
        roots.append(x)
        counts.append(k)
    assert np.allclose(np.cbrt(values), roots)
    save("expected_roots", roots, f64)
    save("expected_steps", counts, i32)


INF, NAN, ONE = F32.infinity, F32.nan, 0x3F800000


def bits(array):
    return [int(v) for v in array.view(u32)]


def approximate():
    n = 128
    x = bits(floats(n, 21, 8.0))
    edges = [-126.0, -126.5, -133.25, -148.5, -149.5, -151.0, 126.75, 127.96875, 128.0, 31.0, 0.5, 1.0, -1.0, 20.0]
    x[:14] = [F32.round(Fraction(e)) for e in edges]
    x[14:24] = [0, F32.sign, INF, F32.sign | INF, NAN, 1, F32.sign | 5, 0x007FFFFF, 0x00800000, 0x80800001]
    p = [v & ~F32.sign for v in bits(floats(n, 22, 64.0))]
    p[:8] = [0, INF, NAN, ONE, 1, 0x007FFFFF, 0x00800000, F32.infinity - 1]
    for k in range(8, 40):  # of every magnitude
        p[k] = p[k] & 0x007FFFFF | k * 8 << 23
    p[40] = F32.sign | ONE
    d = [v & 0x807FFFFF | (100 + k % 50) << 23 for k, v in enumerate(bits(floats(n, 23)))]
    for name, values in ("x", x), ("positive", p), ("divisor", d):
        save(f"approximate_{name}", np.array(values, u32).view(f32))

    # What the approximate functions give is no matter of computing: `expected_functions.npy`,
    # `expected_softmax.npy` and `expected_exponential.npy` are what an H200 left of these kernels
    # (`warpwise run --save`, `warpwise-conformance --launches --record-launches`).
    save("softmax_in", floats(400, 24, 16.0))
    save("expected_logarithm", np.array([logarithm(v) for v in p], u32).view(f32))


def logarithm(x):
    """The compiler's logf, operation by operation."""
    below = F32.is_zero(x) or (F32.negative(x) and not F32.is_nan(x)) or F32.is_subnormal(x)
    exponent = 0xC1B80000 if below else 0
    if below:
        x = sf.mul(F32, x, 0x4B000000)
    cut = (x - 1059760811) & 0xFF800000
    m = sf.sub(F32, (x - cut) & M32, ONE)
    signed = cut - (1 << 32) if cut >> 31 else cut
    scale = sf.fma(F32, F32.round(Fraction(signed)), 0x34000000, exponent)
    series = 0xBE055027
    for c in (0x3E1039F6, 0xBDF8CDCC, 0x3E0F2955, 0xBE2AD8B9, 0x3E4CED0B, 0xBE7FFF22, 0x3EAAAA78, 0xBF000000):
        series = sf.fma(F32, series, m, c)
    result = sf.fma(F32, sf.mul(F32, m, series), m, m)
    result = sf.fma(F32, scale, 0x3F317218, result)
    if x >= INF:
        result = sf.fma(F32, x, INF, INF)
    return F32.sign | INF if F32.is_zero(x) else result


dense()
series()
approximate()
