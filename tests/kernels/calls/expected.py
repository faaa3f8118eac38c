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

# Functions that call themselves, as recursion.cu has them.
sys.setrecursionlimit(10_000)


def wrap(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def first(n, x):
    if n <= 0:
        return int(f32(x * f32(4)))
    a, b, c = third(n, wrap(n * 7, 16), float(x), n - 1)
    return wrap(int(math.fmod(a, 1000)) + b + int(c))


def second(n, y):
    return y if n <= 0 else float(y * 0.5 + first(n - 1, f32(y + n)))


def third(a, b, c, n):
    c = second(n - (a & 1), c) - 1.0
    return wrap(a * 3 + n, 64), wrap(b ^ n, 16), c


def nested_sums(above, count, n):
    mine = [(above[i] if i < count else i) + n for i in range(6)]
    if n == 0:
        return sum(mine)
    below = nested_sums(mine, n % 7, n - 1) - nested_sums(mine[1:], n % 5, n // 2)
    return wrap(below + sum(value * (i + 1) for i, value in enumerate(mine)))


def up(n, x):
    return x if n <= 0 else wrap(table[(n + x) % 3](n - 1, x + 3) + 1, 64)


def down(n, x):
    return -x if n <= 0 else wrap(table[n % 2](n - 2, x * 2) - x, 64)


table = [up, down, lambda n, x: x ^ n]


def leaf(k):
    return lambda x: wrap(k * x)


def add(l, r):
    return lambda x: wrap(l(x + 1) + r(x))


def less(l, r):
    return lambda x: l(x) if x > 20 else wrap(l(x) - r(x * 2))


def tree(nth, k):
    a, b = leaf(k), leaf(nth + 1)
    s = add(a, b)
    t = less(s, a)
    u = add(t, s)
    return [s, t, u, less(u, t)][nth % 4](nth)


def halves(n):
    cells = [i * n for i in range(n)]
    below = wrap(halves(n // 2) + halves(n - n // 2 - 1)) if n > 1 else 0
    total = sum(cells[i] * (cells[i * 7 % n] + 1) for i in range(n - 1, -1, -2))
    return wrap(total + below)


def in_loop(n):
    total = 0
    for nth in range(20):
        total = wrap(total * 3 + halves(n + nth % 3))
    return total


depths = save("depths", noise64(64, 9) % u64(13), i32)
save("expected_fibs", [fibonacci(int(n)) for n in depths], i32)
m = save("ackermann_m", noise64(32, 10) % u64(4), u32)
n = save("ackermann_n", np.where(m == 3, noise64(32, 11) % u64(4), noise64(32, 11) % u64(8)), u32)
save("expected_ackermanns", [ackermann(int(m), int(n)) for m, n in zip(m, n)], u32)
small = save("small", noise64(32, 12) % u64(11), i32)
save("expected_mutual", [first(int(n), f32(n) * f32(0.25)) for n in small], i32)
unsorted = save("unsorted", (noise64(32 * 40, 13) % u64(2000)).astype(i64) - 1000, i32)
save("expected_sorts", np.sort(unsorted.reshape(32, 40), axis=1).ravel(), i32)
save("expected_arrays", [nested_sums([], 0, int(n)) for n in small], i32)
save("expected_tables", [table[i % 3](int(n), i) for i, n in enumerate(small)], i64)
save("expected_trees", [tree(i, int(n)) for i, n in enumerate(small)], i32)
save("expected_allocas", [in_loop(int(n)) for n in small], i32)


# stack.ptx: Euclid's algorithm by differences. A step counts for 1,000, and for 101,000 if it changes places.
def differences(a, b):
    if b == 0:
        return a
    return differences(b, a) + 101_000 if a < b else differences(a - b, b) + 1000


pairs = save("pairs", noise64(64, 14) % u64(40) + u64(1), u32).reshape(32, 2)
save("expected_gcds", [differences(int(a), int(b)) for a, b in pairs], u32)
i = np.arange(32)
save("expected_places", np.stack([(i & 1) | (i == 0), 0 * i + 1, 0 * i, 0 * i], axis=1).ravel(), u32)
