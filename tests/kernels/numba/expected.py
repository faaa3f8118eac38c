#!/usr/bin/env python3
"""Inputs and expected outputs of the numba kernels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from softfloat import fma32  # noqa: E402
from support import *  # noqa: E402, F403

save = saver(__file__)

x, y = save("add_x", floats(300, 1)), save("add_y", floats(300, 2))
save("expected_add", x + y)

x = save("reduce_in", noise64(128, 3).view(i64))
save("expected_reduce", x.reshape(4, 32).sum(1))
x = save("scan_in", ints(128, 4, -999, 999))
save("expected_scan", np.cumsum(x.reshape(4, 32), axis=1).reshape(-1), i32)

x = ints(128, 5, -50, 50)
x[32:64] = np.abs(x[32:64]) + 1
x[64:96] = -np.abs(x[64:96])
save("votes_in", x)
words = []
for warp in x.reshape(4, 32):
    for value in warp:
        word = int((warp > 0).sum()) | int(((warp & 3) == (value & 3)).sum()) << 8
        words.append(word | int((warp > 0).all()) << 16 | int((warp > 0).any()) << 17)
save("expected_votes", words, i32)

x = save("histogram_in", noise(1000, 6).view(i32))
save("expected_histogram", np.bincount(x & 15, minlength=16), i32)
x = save("extrema_in", ints(300, 7, -9999, 9999))
save("expected_low", [x.min()], i32)
save("expected_high", [x.max()], i32)

a = save("product_a", floats(16 * 24, 8)).reshape(16, 24)
b = save("product_b", floats(24 * 16, 9)).reshape(24, 16)
c = np.zeros((16, 16), f32)
for k in range(24):
    c = fma32(a[:, k, None], b[None, k], c)
save("expected_product", c.reshape(-1))

width, height, limit = 60, 40, 50
steps = []
for py in range(height):
    for px in range(width):
        cr, ci = -37748736 + 50331648 * px // width, -20132659 + 40265318 * py // height
        r = i = count = 0
        while count < limit and r * r + i * i < 1 << 50:
            r, i = ((r * r - i * i) >> 24) + cr, ((r * i) >> 23) + ci
            count += 1
        steps.append(count)
save("expected_mandelbrot", steps, i32)

x = save("sort_in", ints(64 * 8, 10, -99, 99))
save("expected_sort", np.sort(x.reshape(64, 8), axis=1).reshape(-1))

x = save("dividend", ints(128, 11, -9999, 9999))
y = ints(128, 12, -99, 99)
y[y == 0] = 7
save("divisor", y)
save("expected_quotient", [p // q for p, q in zip(x.tolist(), y.tolist())], i32)
save("expected_remainder", [p % q for p, q in zip(x.tolist(), y.tolist())], i32)
