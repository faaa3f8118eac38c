#!/usr/bin/env python3
"""Inputs and expected outputs of the memory kernels."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def queens(n, row, columns, left, right):
    if row == n:
        return 1
    count = 0
    for c in range(n):
        bit = 1 << c
        if not (columns | left | right) & bit:
            count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return count


def spaces():
    primes = [2, 3, 5, 7, 11, 13, 17, 19]
    rows = [(10, (1, 2, 3), 0.5), (-20, (4, 5, 255), -2.0), (30, (7, 8, 9), 1e3)]
    out = []
    for t in range(64):
        weight, tag, scale = rows[t % 3]
        out.append(primes[t % 8] * weight + tag[t % 2 + 1] + int(scale * 2))
    save("expected_constants", out, i32)

    table = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, -1, -2, -3, -4]
    message = b"warp shuffles exchange registers\0"
    assert len(message) == 33
    entry = [6, 12, 0]
    out = [
        table[t // 4 % 4 * 4 + t % 4] * 1000 + message[t % 33] + table[entry[t % 3] + t % 2]
        for t in range(64)
    ]
    save("expected_initialisers", out, i32)

    counter = 0x1122334455667788 + (sum(range(64)) << 30)
    save("expected_variables", [counter + 63 - t for t in range(64)], u64)

    x = save("sort_in", ints(64 * 12, 1, -99, 99))
    save("expected_sort", np.sort(x.reshape(64, 12), axis=1).reshape(-1))
    first = [queens(7, 1, 1 << t, 1 << t + 1, 1 << t >> 1) for t in range(7)]
    assert sum(first) == 40
    save("expected_queens", first + [0] * 25, i32)

    x = save("generic_in", ints(32, 2, -500, 500)).tolist()
    cell = [2 * v for v in x]
    value = []
    for t in range(32):
        own = [1, 20, 300, 4000]
        own[t % 4] += t
        value.append([cell[31 - t], x[t // 2], primes[t // 4], own[t // 8]][t % 4])
    out = [0] * 64
    for t in range(32):
        if t & 1:
            cell[t] = value[t] + 7
        else:
            out[32 + t] = value[t] + 7
    out[:32] = [v + c for v, c in zip(value, cell)]
    save("expected_generic", out, i32)

    words = 300
    x = save("dynamic_in", ints(words, 3, -9999, 9999))
    save("expected_dynamic", x[::-1] + (x[::-1] >> 3) + i32(2048))


def access():
    n = 64
    f = save("float4", floats(4 * n, 4)).reshape(n, 4)
    p = save("int2", ints(2 * n, 5, -9999, 9999)).reshape(n, 2)
    c = save("uchar4", noise(4 * n, 6).astype(u8)).reshape(n, 4)
    save("expected_float4", f[:, ::-1].reshape(-1))
    save("expected_int2", np.stack([p[:, 1] - p[:, 0], p[:, 0] ^ p[:, 1]], 1).reshape(-1))
    u = [c[:, 1], c[:, 0] + c[:, 3], u8(255) - c[:, 2], c[:, 3] >> u8(1)]
    save("expected_uchar4", np.stack(u, 1).reshape(-1))
    d = save("double2", doubles(2 * n, 7)).reshape(n, 2)
    s = save("short4", noise(4 * n, 8).astype(u16).view(i16)).reshape(n, 4)
    save("expected_double2", np.stack([d[:, 1], -d[:, 0]], 1).reshape(-1))
    t = [s[:, 3], s[:, 0] + s[:, 1], s[:, 2] * i16(3), -s[:, 1]]
    save("expected_short4", np.stack(t, 1).reshape(-1))

    # The structure as the compiler lays it out; the test passes these bytes.
    factor, shift, flag, bias, low, high = 3.75, (0, 2, 3), 0b10110010, -(10**12), -2000, 3000
    layout = struct.pack("<f3hB5xqii", factor, *shift, flag, bias, low, high)
    assert layout.hex() == "00007040000002000300b2000000000000f05a2b17ffffff30f8ffffb80b0000"
    x = save("by_value_in", ints(64, 9, -999, 999)).tolist()
    out = []
    for i, v in enumerate(x):
        v = min(max(v << shift[i % 3], low), high)
        out.append((v if flag >> i % 8 & 1 else -v) * int(factor) + bias - 7)
    save("expected_by_value", out, i64)

    x = save("cache_in", ints(64, 10, -9999, 9999))
    i = np.arange(64)
    total = sum(k * x[i ^ j] for j, k in enumerate((1, 2, 3, 5, 7, 11))).astype(i32)
    save("expected_cache", np.concatenate([total, total + 1, total - 1, -total]), i32)

    x = save("transpose_in", floats(45 * 70, 11)).reshape(45, 70)
    save("expected_transpose", x.T.reshape(-1))

    out = np.zeros((6, 15, 12), u32)
    for z in range(6):
        for y in range(15):
            for x in range(12):
                rank = x % 6 + 6 * (y % 5 + 5 * (z % 3))
                out[z, y, x] = x | y << 5 | z << 10 | rank % 32 << 15 | rank // 32 << 20
    save("expected_coordinates", out.reshape(-1))

    a = save("stride_a", ints(1000, 12, -999, 999))
    b = save("stride_b", ints(1000, 13, -999, 999))
    save("expected_stride", a * b - np.where(a > b, a, b[::-1]))

    eq = [1 << i % 32 for i in range(64)]
    lt = [e - 1 for e in eq]
    le = [m | e for m, e in zip(lt, eq)]
    rows = [eq, lt, le, [M32 ^ m for m in le], [M32 ^ m for m in lt]]
    save("expected_lane_masks", np.array(rows, u32).reshape(-1))


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def atomics():
    operations = [
        lambda a, v: a + v, lambda a, v: a - v, lambda a, v: v, min, max,
        lambda a, v: min(signed(a, 32), signed(v, 32)),
        lambda a, v: max(signed(a, 32), signed(v, 32)),
        lambda a, v: a & v, lambda a, v: a | v, lambda a, v: a ^ v,
        lambda a, v: 0 if a >= v else a + 1,
        lambda a, v: v if a == 0 or a > v else a - 1,
    ]  # fmt: skip
    with_ = noise(64, 14)
    data = noise(64 * 12, 15).reshape(12, 64)
    data[10, :8], data[11, :8] = with_[:8], with_[:8]
    data[10, 8:16], data[11, 8:16] = with_[8:16] - u32(1), with_[8:16] + u32(1)
    data[11, 16:20] = 0
    save("with32", with_)
    save("data32", data.reshape(-1))
    rows = [[op(int(a), int(v)) & M32 for a, v in zip(r, with_)] for op, r in zip(operations, data)]
    save("expected_data32", np.array(rows, u32).reshape(-1))

    wide = [
        lambda a, v: a + v, lambda a, v: v, min, max,
        lambda a, v: min(signed(a, 64), signed(v, 64)),
        lambda a, v: max(signed(a, 64), signed(v, 64)),
        lambda a, v: a & v, lambda a, v: a | v, lambda a, v: a ^ v,
    ]  # fmt: skip
    with_ = save("with64", noise64(64, 16))
    data = save("data64", noise64(64 * 9, 17)).reshape(9, 64)
    rows = [[op(int(a), int(v)) & M64 for a, v in zip(r, with_)] for op, r in zip(wide, data)]
    save("expected_data64", np.array(rows, u64).reshape(-1))

    data = noise(64, 18) % u32(60000)
    expected = np.where(noise(64, 19) & 1, data, data + u32(1))
    i = np.arange(64)
    hit = expected == data
    save("cas_data", data)
    save("cas_expected", expected)
    save("cas_wide", data, u64)
    save("cas_half", data, u16)
    save("expected_cas_old", np.tile(data, 3))
    save("expected_cas_data", np.where(hit, 1000 + i, data), u32)
    save("expected_cas_wide", np.where(hit, ~u64(0) - i.astype(u64), data.astype(u64)), u64)
    save("expected_cas_half", np.where(hit, 7 * i, data), u16)

    x = save("contended_in", ints(1000, 20, -5000, 5000))
    start = [0, -(2**31), 2**31 - 1, 0, 0, -1, 0, 0]
    save("contended_start", start, i32)
    bits, holes = 0, M32
    for v in x.tolist():
        bits |= 1 << (v & 31)
        holes &= ~(1 << (v >> 3 & 31))
    last = [int(x.sum()), int(x.max()), int(x.min()), int(np.bitwise_xor.reduce(x))]
    last += [signed(bits, 32), signed(holes, 32), 1000 % 77, -1000 % 100]
    save("expected_contended", last, i32)
    save("expected_contended_f32", [(x & 15).sum()], f32)
    save("expected_contended_f64", [x.sum()], f64)

    x = save("maximum_in", floats(256, 21, 128.0))
    save("expected_maximum", x.max()[None])
    x = save("histogram_in", noise(3000, 22).astype(u8))
    save("expected_histogram", np.bincount(x // 4, minlength=64), u32)

    x = save("scopes_in", ints(256, 23, -5000, 5000)).reshape(2, 128)
    out = []
    for row in x:
        total = int(row.sum())
        out += [total, int(row.min()), max(0, int(row.max())), int(np.bitwise_or.reduce(row & 255))]
        out += [int((row & 0xFFFF).sum()), total & 7]
    save("expected_scopes", out, i32)


def blocks():
    n, grid = 3000, 8
    x = save("last_block_in", floats(n, 24))
    padded = np.zeros(3 * grid * 128, f32)
    padded[:n] = x
    sums = np.zeros(grid * 128, f32)
    for turn in padded.reshape(3, -1):
        sums = sums + turn
    cell = sums.reshape(grid, 128)
    while cell.shape[1] > 1:
        half = cell.shape[1] // 2
        cell = cell[:, :half] + cell[:, half:]
    total = f32(0)
    for partial in cell[:, 0]:
        total = total + partial
    save("expected_last_block", [total], f32)
    save("expected_last_block_partial", cell[:, 0])

    x = save("single_pass_in", ints(6 * 128, 25, -100, 100))
    save("expected_single_pass", np.cumsum(x, dtype=i32))


def attributes():
    v = save("bounded_in", floats(256 * 4, 26)).reshape(256, 4)
    order = save("bounded_order", np.argsort(noise(256, 27)), i32)
    v = v[order]
    save("expected_bounded", (v[:, 0] + v[:, 1]) + (v[:, 2] + v[:, 3]))

    entry, weight = [3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8, -9], [0.5, -2.0, 1e10, 3.25]
    layout = struct.pack("<14i4d", 13, *entry, *weight)
    assert layout.hex() == (
        "0d00000003000000ffffffff0400000001000000fbffffff09000000020000000600"
        "0000fbffffff030000000500000008000000f7ffffff000000000000e03f00000000"
        "000000c0000000205fa002420000000000000a40"
    ), layout.hex()
    x = save("table_in", noise(64, 28))
    pairs = [(int(k) % 13, weight[int(k) % 4]) for k in x]
    save("expected_indexed", [entry[k] * w for k, w in pairs], f64)
    save("expected_constant", [sum(entry[: k + 1]) * w for k, w in pairs], f64)
    save("expected_special", np.full(192, 31), i32)


def scoped_atomics():
    x = save("message_in", ints(200, 29, -999, 999))
    save("expected_message", x * i32(3) + i32(1))
    save("expected_count", [256], u32)
    save("expected_old_sum", [sum(range(256)) << 20], u64)
    save("expected_least", [min(-(i * 7 % 101) for i in range(64 * b, 64 * b + 64)) for b in range(4)], i32)
    value = 1
    for _ in range(64):
        value = (value * 5 + 3) & M32
    save("expected_guarded", [signed(value, 32)], i32)

    x = save("packed_in", ints(256, 30, -8, 8))
    quarters = x.reshape(64, 4).sum(0)
    save("expected_halves", np.stack([quarters, -quarters], 1).reshape(-1), f16)
    pairs = np.stack([x.reshape(8, 32).sum(0), np.full(32, 8)], 1).reshape(-1).astype(f32)
    save("expected_brains", pairs.view(u32) >> u32(16), u16)
    save("expected_half_sum", [x.sum()], f16)


spaces()
access()
atomics()
blocks()
attributes()
scoped_atomics()
