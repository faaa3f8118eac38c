#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels that call functions."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)

count = 100
numbers = save("numbers", noise64(count, 7) % u64(1000), i32)
i = np.arange(count)
save("expected_divisors", [math.gcd(int(number), 360) for number in numbers], i32)
weight = (i * 0.5) ** 2 + 1.0 + 2.25 + (i + 1) + np.where(i % 3 == 1, 7, 0)
save("expected_structures", weight + np.where(i & 1, 2 * i, -2 * i), f32)

i = np.arange(64)
value = np.where(i % 3 == 0, i, 2 * i)
# The two calls are two collectives with the same mask: the lanes of one wait for those of the other.
save("expected_sums", value.reshape(2, 32).sum(axis=1).repeat(32), i32)


def polynomial(x, terms):
    total = 0.0
    for k in range(terms):
        total = total * x + math.gcd(k, terms)
    return total


save("expected_nested", [polynomial(n * 0.25, 5) if n & 4 else 0.0 for n in range(64)], f64)
save("expected_bytes", (2 * i) & 255, u8)

i = np.arange(96)
words = save("words", (noise64(96, 8) % u64(1000)).astype(i64) - 500, i32).astype(i64)
save("expected_by_table", np.choose(i % 3, [words + 7, words - 7, words * 7]), i32)
save("expected_by_class", np.where(i & 1, i * i + i, 3 * (i + 1) ** 2 - i), f32)
save("expected_sum", np.arange(32) + 5, i32)
save("expected_product", np.arange(32) * 5, i32)

i = np.arange(32)
s = (i + 0xFFFFFFF8) & M32
carry = np.where(s < i, 100, 200)
twice = np.where(i < 16, np.where(i & 1, i, 2 * i), 7)
save("expected_by_hand", np.stack([s, carry + twice], axis=1).reshape(-1), u32)

# A function's shared variable is the same in every call of it.
save("expected_counters", [300 + 7 + block for block in range(2) for _ in range(64)], i32)
values = save("shared_in", noise64(128, 8) % u64(1000), i32)
total = int(values.sum())
save("expected_shared_sums", [total] * 128 + [2 * total + 128] * 128, i32)
