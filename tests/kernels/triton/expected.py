#!/usr/bin/env python3
"""Inputs and expected outputs of the Triton kernels.

The order in which Triton adds is its own affair: floats are chosen so that every sum is exact.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from softfloat import fma32  # noqa: E402
from support import *  # noqa: E402, F403

save = saver(__file__)

x = save("add_x", floats(600, 1))
y = save("add_y", floats(600, 2))
save("expected_add", x + y)

x = save("half_x", floats(900, 3, 4.0).astype(f16))
y = save("half_y", floats(900, 4).astype(f16))
save("expected_half", fma32(f32(0.7), x.astype(f32), y.astype(f32)).astype(f16))

rows = save("rows", ints(4 * 200, 5, -500, 500)).reshape(4, 200)
save("expected_sums", rows.sum(1), i32)
save("expected_largest", rows.max(1))
save("expected_where", rows.argmax(1), i32)
save("expected_parity", np.bitwise_xor.reduce(rows, axis=1))

blocks = save("scan_in", ints(512, 6, -9, 9) | i32(1)).reshape(2, 256)
save("expected_scan", np.cumsum(blocks, axis=1, dtype=i32).reshape(-1))
backwards = np.cumprod(blocks[:, ::-1], axis=1, dtype=i32)[:, ::-1]
save("expected_products", backwards.reshape(-1))

# Differences from the maximum are whole: their powers of two and the sums of those are exact.
rows = ints(3 * 100, 7, -9, 7).astype(f32).reshape(3, 100)
save("softmax_in", rows.reshape(-1))
power = np.exp2(rows - rows.max(1, keepdims=True))
total = power.sum(1, keepdims=True)
assert (total.astype(f32) == power.astype(f64).sum(1, keepdims=True)).all()
save("expected_softmax", (power / total).reshape(-1), f32)

# Multiples of 1/8 whose mean is one as well: sums, the mean and the squares are exact.
rows = ints(5 * 200, 8, -64, 64).reshape(5, 200)
for row in rows:
    surplus = int(row.sum()) % 200
    row[:surplus] -= 1
rows = rows.astype(f32) / f32(8)
save("norm_in", rows.reshape(-1))
scale = save("norm_scale", floats(200, 9))
shift = save("norm_shift", floats(200, 10))
centred = rows - rows.sum(1, keepdims=True) / f32(200)
assert (centred * 8 == np.rint(centred * 8)).all()
squares = (centred * centred).sum(1, keepdims=True)
inverse = f32(1) / np.sqrt(squares / f32(200) + f32(1e-5))
save("expected_norm", fma32(centred * inverse, scale, shift).reshape(-1))

a = ints(48 * 48, 11, -64, 64).astype(f32).reshape(48, 48) / f32(16)
b = ints(48 * 48, 12, -64, 64).astype(f32).reshape(48, 48) / f32(16)
save("product_a", a.reshape(-1))
save("product_b", b.reshape(-1))
save("expected_product", (a.astype(f64) @ b.astype(f64)).reshape(-1), f32)

x = save("transpose_in", floats(45 * 70, 13)).reshape(45, 70)
save("expected_transpose", x.T.reshape(-1))
x = save("sort_in", ints(256, 14, -999, 999))
save("expected_sort", np.sort(x.reshape(2, 128), axis=1).reshape(-1))
x = save("histogram_in", noise(512, 15) % u32(32), i32)
save("expected_histogram", np.bincount(x, minlength=32), i32)


def philox(seed, offset):
    """Philox-4x32-10 of counter (offset, 0, 0, 0): the first word."""
    c, k0, k1 = [offset, 0, 0, 0], seed, 0
    for _ in range(10):
        high = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [high[1] >> 32 ^ c[1] ^ k0, high[1] & M32, high[0] >> 32 ^ c[3] ^ k1, high[0] & M32]
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return c[0]


save("expected_random", np.array([philox(1234567, k) for k in range(256)], u32).view(i32))

x = save("collatz_in", ints(200, 16, 1, 3000))
steps = []
for v in x.tolist():
    count = 0
    while v > 1:
        v = 3 * v + 1 if v % 2 else v // 2
        count += 1
    steps.append(count)
save("expected_collatz", steps, i32)
