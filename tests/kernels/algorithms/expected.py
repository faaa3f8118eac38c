#!/usr/bin/env python3
"""Inputs and expected outputs of the algorithms, from Python's libraries where they have them."""

import base64
import hashlib
import sys
import zlib
from collections import Counter, deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def quarter(x, a, b, c, d):
    for p, q, r, turn in (a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7):
        x[p] = (x[p] + x[q]) & M32
        x[r] ^= x[p]
        x[r] = (x[r] << turn | x[r] >> (32 - turn)) & M32


def chacha_block(key, counter, nonce):
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter, *nonce]
    x = list(start)
    for _ in range(10):
        for k in range(4):
            quarter(x, k, 4 + k, 8 + k, 12 + k)
        for k in range(4):
            quarter(x, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return [(a + b) & M32 for a, b in zip(x, start)]


def hashes():
    lengths = noise(64, 1) % u32(56)
    lengths[:3] = 0, 3, 55
    messages = noise(64 * 56, 2).astype(u8).reshape(64, 56)
    messages[1, :3] = list(b"abc")
    save("messages", messages.reshape(-1))
    save("lengths", lengths, i32)
    digests = [hashlib.sha256(m[:n].tobytes()).digest() for m, n in zip(messages, lengths)]
    save("expected_sha256", np.frombuffer(b"".join(digests), ">u4"), u32)

    text = save("text", noise(96, 3).astype(u8))
    save("expected_crc32", [zlib.crc32(text[: t + 1].tobytes()) for t in range(96)], u32)
    lines = save("lines", noise(8 * 200, 4).astype(u8)).reshape(8, 200)
    save("expected_adler32", [zlib.adler32(line.tobytes()) for line in lines], u32)

    key, nonce = list(range(0x03020100, 0x1F1E1D1C + 1, 0x04040404)), [0x09000000, 0x4A000000, 0]
    assert len(key) == 8
    # The block that RFC 8439 prints in section 2.3.2.
    assert chacha_block(key, 1, nonce)[:3] == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50]
    save("chacha_key", key, u32)
    save("chacha_nonce", nonce, u32)
    blocks = [chacha_block(key, t + 1, nonce) for t in range(64)]
    save("expected_chacha20", np.array(blocks, u32).reshape(-1))

    shift, star, lcg = [], [], []
    for t in range(64):
        x, y, z = (t * 2654435761 + 1) & M32, 0x9E3779B97F4A7C15 * (t + 1) & M64, t
        for _ in range(37):
            x ^= x << 13 & M32
            x ^= x >> 17
            x ^= x << 5 & M32
            y ^= y >> 12
            y ^= y << 25 & M64
            y ^= y >> 27
            z = (z * 1664525 + 1013904223) & M32
        shift.append(x)
        star.append(y * 0x2545F4914F6CDD1D & M64)
        lcg.append(z)
    save("expected_xorshift", shift, u32)
    save("expected_xorshift_star", star, u64)
    save("expected_lcg", lcg, u32)


def sorting():
    x = save("warp_keys", ints(128, 5, -999, 999))
    save("expected_warp_keys", np.sort(x.reshape(4, 32), axis=1).reshape(-1))
    keys = noise(256, 6)
    assert len(set(keys.tolist())) == 256
    values = np.arange(256, dtype=u32) * u32(3)
    save("block_keys", keys)
    save("block_values", values)
    order = np.argsort(keys)
    save("expected_block_keys", keys[order])
    save("expected_block_values", values[order])

    x = save("odd_even_in", ints(128, 7, 0, 300))
    save("expected_odd_even", np.sort(x))
    cell, rounds, moved = x.tolist(), 0, True
    while moved:
        moved = False
        rounds += 1
        for phase in 0, 1:
            for left in range(phase, 127, 2):
                if cell[left] > cell[left + 1]:
                    cell[left : left + 2] = cell[left + 1], cell[left]
                    moved = True
    save("expected_odd_even_rounds", [rounds], i32)

    x = save("radix_in", noise(128, 8) % u32(5000))
    save("expected_radix", np.sort(x))
    a = save("merge_a", np.sort(ints(300, 9, 0, 500)))
    b = save("merge_b", np.sort(ints(211, 10, 100, 700)))
    save("expected_merge", np.sort(np.concatenate([a, b])))
    haystack = save("haystack", np.sort(ints(200, 11, 0, 400)))
    needles = save("needles", ints(64, 12, -5, 405))
    save("expected_first", np.searchsorted(haystack, needles), i32)
    save("expected_exact", np.where(np.isin(needles, haystack), needles, -(2**31)), i32)


def graphs():
    n = 120
    pairs = [(int(v) % n, int(v) // n % 110) for v in noise(170, 13)]
    neighbours = [sorted({b for a, b in pairs if a == v}) for v in range(n)]
    # A vertex with more neighbours than a warp has lanes.
    neighbours[7] = sorted(set(neighbours[7]) | set(range(0, 100, 2)))
    row = np.cumsum([0] + [len(k) for k in neighbours])
    column = [v for k in neighbours for v in k]
    save("graph_row", row, i32)
    save("graph_column", column, i32)
    source = 7
    distance, queue = [-1] * n, deque([source])
    distance[source] = 0
    while queue:
        v = queue.popleft()
        for to in neighbours[v]:
            if distance[to] < 0:
                distance[to] = distance[v] + 1
                queue.append(to)
    assert max(distance) > 3 and -1 in distance
    save("expected_distance", distance, i32)

    edges = [(int(v) % 150, int(v) // 150 % 150) for v in noise(110, 14)]
    save("edges", np.array(edges, i32).reshape(-1))
    label, changed = list(range(150)), True
    while changed:
        changed = False
        for a, b in edges:
            low = min(label[a], label[b])
            changed |= label[a] != low or label[b] != low
            label[a] = label[b] = low
    save("expected_components", label, i32)

    n = 12
    d = ints(n * n, 15, 1, 40).reshape(n, n)
    d[ints(n * n, 16, 0, 9).reshape(n, n) < 6] = 1000000
    np.fill_diagonal(d, 0)
    save("distances", d.reshape(-1))
    for k in range(n):
        d = np.minimum(d, d[:, k, None] + d[None, k])
    save("expected_distances", d.reshape(-1))

    value = save("sparse_value", ints(len(column), 17, -99, 99))
    x = save("sparse_x", ints(120, 18, -99, 99))
    y = [int((value[row[r] : row[r + 1]] * x[column[row[r] : row[r + 1]]]).sum()) for r in range(120)]
    save("expected_sparse", y, i32)

    world = save("life_in", (noise(21 * 40, 19) % u32(3) == 0).astype(u8)).reshape(21, 40)
    around = sum(
        np.roll(world, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx
    )
    save("expected_life", ((around == 3) | (world == 1) & (around == 2)).reshape(-1), u8)

    left = save("strings_a", (noise(6 * 32, 20) % u32(4) + u32(97)).astype(u8)).reshape(6, 32)
    top = (noise(6 * 45, 21) % u32(4) + u32(97)).astype(u8).reshape(6, 45)
    top[2, 5:37] = left[2]
    save("strings_b", top.reshape(-1))
    out = []
    for a, b in zip(left, top):
        before = list(range(46))
        for i in range(32):
            now = [i + 1]
            for j in range(45):
                now.append(min(before[j + 1] + 1, now[j] + 1, before[j] + int(a[i] != b[j])))
            before = now
        out.append(before[-1])
    assert out[2] == 13
    save("expected_edit_distance", out, i32)

    keys = save("table_keys", noise(150, 22) % u32(90) + u32(1))
    times = Counter(keys.tolist())
    save("expected_table", [times[k] for k in keys.tolist()], i32)

    data = save("base64_in", noise(200, 23).astype(u8))
    save("expected_base64", np.frombuffer(base64.b64encode(data.tobytes()), u8))

    a = save("product_a", ints(21 * 21, 24, -99, 99)).reshape(21, 21)
    b = save("product_b", ints(21 * 21, 25, -99, 99)).reshape(21, 21)
    save("expected_product", (a @ b).reshape(-1))


hashes()
sorting()
graphs()
