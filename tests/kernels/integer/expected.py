#!/usr/bin/env python3
"""Inputs and expected outputs of the integer kernels, in Python's integers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
N = 256


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def quotient(a, b):
    """Division that truncates, as in C."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a - b * quotient(a, b)


def words(bits, seed):
    """N words: corner values first against corner values, then numbers of every magnitude."""
    top = 1 << (bits - 1)
    corners = [0, 1, 2, 3, 7, 10, 255, 65535, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1, 0xAAAA]
    x = [int(v) >> int(s) % bits for v, s in zip(noise64(N, seed), noise(N, seed + 1))]
    x = [v & (2 * top - 1) for v in x]
    stride = 1 if seed % 2 else len(corners)
    for i in range(len(corners) * 8):
        x[i] = corners[i // stride % len(corners)]
    return x


def stacked(name, rows, dtype):
    bits = np.dtype(dtype).itemsize * 8
    flat = [v & ((1 << bits) - 1) for row in rows for v in row]
    unsigned = {8: u8, 16: u16, 32: u32, 64: u64}[bits]
    save(name, np.array(flat, unsigned).view(dtype))


def division():
    for bits in 32, 64:
        a, b = words(bits, 10), words(bits, 11)
        b = [y or 9 for y in b]
        utype, stype = (u32, i32) if bits == 32 else (u64, i64)
        stacked(f"a{bits}", [a], utype)
        stacked(f"b{bits}", [b], utype)
        stacked(f"expected_q_u{bits}", [[x // y for x, y in zip(a, b)]], utype)
        stacked(f"expected_r_u{bits}", [[x % y for x, y in zip(a, b)]], utype)
        # The one signed quotient that does not fit is left out.
        pairs = [(signed(x, bits), signed(y, bits)) for x, y in zip(a, b)]
        pairs = [(x, 5 if x == -(1 << (bits - 1)) and y == -1 else y) for x, y in pairs]
        stacked(f"a_s{bits}", [[x for x, _ in pairs]], stype)
        stacked(f"b_s{bits}", [[y for _, y in pairs]], stype)
        stacked(f"expected_q_s{bits}", [[quotient(x, y) for x, y in pairs]], stype)
        stacked(f"expected_r_s{bits}", [[remainder(x, y) for x, y in pairs]], stype)

    a = words(32, 10)
    s = [signed(x, 32) for x in a]
    rows = [
        [x // 7 for x in a],
        [x // 10 for x in a],
        [x % 1000 for x in a],
        [x // 641 * 3 + x % 641 for x in a],
        [quotient(x, -3) for x in s],
        [remainder(x, 60) for x in s],
        [quotient(x, 16) for x in s],
        [remainder(x, 4096) for x in s],
    ]
    stacked("expected_constants", rows, u32)
    a = words(64, 10)
    s = [signed(x, 64) for x in a]
    rows = [
        [x // 10 for x in a],
        [x % 1000000007 for x in a],
        [quotient(x, 86400) for x in s],
        [remainder(x, 7) for x in s],
    ]
    stacked("expected_constants_64", rows, u64)


def multiplication():
    pairs = list(zip(words(64, 10), [y or 9 for y in words(64, 11)]))
    narrow = [(x & M32, y & M32) for x, y in pairs]
    signed32 = [(signed(x, 32), signed(y, 32)) for x, y in pairs]
    signed64 = [(signed(x, 64), signed(y, 64)) for x, y in pairs]
    rows = [
        [x * y >> 32 for x, y in narrow],
        [(x * y >> 32) & M32 for x, y in signed32],
        [x * y >> 64 for x, y in pairs],
        [x * y >> 64 for x, y in signed64],
        [x * y for x, y in narrow],
        [x * y for x, y in signed32],
        [x * y for x, y in pairs],
    ]
    stacked("expected_multiply_high", rows, u64)

    wide = []
    for (x, y), (sx, sy) in zip(pairs, signed64):
        wide.append(((x * y + (x ^ y) - (y << 37)) ^ (sx * sy >> 13)) & ((1 << 128) - 1))
    stacked("expected_wide_low", [wide], u64)
    stacked("expected_wide_high", [[w >> 64 for w in wide]], u64)

    rows = [
        [min(x, y) for x, y in narrow],
        [max(x, y) for x, y in narrow],
        [min(x, y) & M32 for x, y in signed32],
        [max(x, y) & M32 for x, y in signed32],
        [min(x, y) for x, y in pairs],
        [max(x, y) for x, y in signed64],
        [abs(x) & M32 for x, _ in signed32],
        [abs(y) for _, y in signed64],
        [-x if x < y else ~y for x, y in pairs],
    ]
    stacked("expected_extrema", rows, u64)

    a, b, c = words(32, 10), [y or 9 for y in words(32, 11)], words(32, 12)
    stacked("c32", [c], u32)
    rows = [[] for _ in range(12)]
    low, high = -(2**31), 2**31 - 1
    for x, y, z in zip(a, b, c):
        sx, sy, sz = signed(x, 32), signed(y, 32), signed(z, 32)
        hx, hy = signed(x, 16), signed(y, 16)
        ux, uy, uz = x & 0xFFFF, y & 0xFFFF, z & 0xFFFF
        values = [
            clamp(sx + sy, low, high),
            clamp(sx - sy, low, high),
            clamp((sx * sy >> 32) + sz, low, high),
            (x * y >> 32) + z,
            (sx * sy >> 32) + sz,
            hx * hy + z,
            ux * uy + z,
            -sx,
            abs(sx),
            (hx * hy >> 16) & 0xFFFF,
            ux * uy >> 16,
            (ux * uy + uz) & 0xFFFF,
        ]
        for row, value in zip(rows, values):
            row.append(value)
    stacked("expected_saturating", rows, u32)


def shifts():
    a = words(64, 20)
    amounts = [int(v) for v in noise(N, 21) % u32(80)]
    amounts[:12] = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255]
    amounts[12:15] = [256, 0x80000000, 0xFFFFFFFF]
    stacked("shift_a", [a], u64)
    stacked("shift_b", [amounts], u32)
    rows = [[] for _ in range(9)]
    for w, n in zip(a, amounts):
        x, h = w & M32, w & 0xFFFF
        n = min(n, 64)
        values = [
            (x << n) & M32, x >> n, (signed(x, 32) >> n) & M32,
            w << n, w >> n, signed(w, 64) >> n,
            (h << n) & 0xFFFF, h >> n, (signed(h, 16) >> n) & 0xFFFF,
        ]  # fmt: skip
        for row, value in zip(rows, values):
            row.append(value)
    stacked("expected_shifts", rows, u64)

    low, high = words(32, 22), words(32, 23)
    stacked("funnel_low", [low], u32)
    stacked("funnel_high", [high], u32)
    rows = [[] for _ in range(5)]
    for x, y, n in zip(low, high, amounts):
        both = y << 32 | x
        wrap, clamped = n & 31, min(n, 32)
        values = [
            both << wrap >> 32, both << clamped >> 32, both >> wrap, both >> clamped,
        ]  # fmt: skip
        values.append(((x << 7 & M32) | x >> 25) + ((y << 21 & M32) | y >> 11))
        for row, value in zip(rows, values):
            row.append(value)
    stacked("expected_funnels", rows, u32)


def reverse_bits(x, bits):
    return int(format(x, f"0{bits}b")[::-1], 2)


def most_significant(x, bits, is_signed, as_shift):
    if is_signed and x >> (bits - 1):
        x = ~x & ((1 << bits) - 1)
    if x == 0:
        return M32
    place = x.bit_length() - 1
    return bits - 1 - place if as_shift else place


def counts():
    rows = [[] for _ in range(17)]
    for w in words(64, 20):
        x = w & M32
        reversed64 = reverse_bits(w, 64)
        values = [
            x.bit_count(), w.bit_count(), 32 - x.bit_length(), 64 - w.bit_length(),
            (x & -x).bit_length(), (w & -w).bit_length(), reverse_bits(x, 32),
            reversed64 & M32, reversed64 >> 32,
        ]  # fmt: skip
        for as_shift in False, True:
            for value, bits in (x, 32), (w, 64):
                for is_signed in False, True:
                    values.append(most_significant(value, bits, is_signed, as_shift))
        for row, value in zip(rows, values, strict=True):
            row.append(value)
    stacked("expected_counts", rows, u32)


def extract(a, position, length, bits, is_signed):
    """`bfe`, bit by bit as the manual has it."""
    position, length = position & 0xFF, length & 0xFF
    sign = 0
    if is_signed and length:
        sign = a >> min(position + length - 1, bits - 1) & 1
    d = 0
    for i in range(bits):
        inside = i < length and position + i < bits
        d |= (a >> (position + i) & 1 if inside else sign) << i
    return d


def insert(a, b, position, length, bits):
    """`bfi`, bit by bit."""
    position, length = position & 0xFF, length & 0xFF
    for i in range(length):
        if position + i < bits:
            b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
    return b


def bit_mask(position, width, clamps):
    """`bmsk`: `width` ones from `position` on."""
    if clamps:
        position, width = min(position, 32), min(width, 32)
    else:
        position, width = position & 31, width & 31
    return ((1 << width) - 1) << position & M32


def fields():
    a, b = words(64, 20), words(64, 24)
    stacked("field_b", [b], u64)
    position = [int(v) for v in noise(N, 25) % u32(70)]
    length = [int(v) for v in noise(N, 26) % u32(70)]
    position[:10] = [0, 0, 0, 31, 32, 33, 63, 64, 255, 300]
    length[:10] = [0, 32, 64, 1, 1, 31, 1, 5, 9, 4]
    length[10:14] = [255, 256, 0, 0xFFFFFFFF]
    stacked("field_position", [position], u32)
    stacked("field_length", [length], u32)
    rows = [[] for _ in range(8)]
    for w, v, p, n in zip(a, b, position, length):
        x, y = w & M32, v & M32
        values = [
            extract(x, p, n, 32, False), extract(x, p, n, 32, True),
            extract(w, p, n, 64, False), extract(w, p, n, 64, True),
            insert(x, y, p, n, 32), insert(w, v, p, n, 64),
            bit_mask(p, n, True), bit_mask(p, n, False),
        ]  # fmt: skip
        for row, value in zip(rows, values):
            row.append(value)
    stacked("expected_fields", rows, u64)


# prmt: for each special mode the bytes b3 b2 b1 b0 that selectors 0 to 3 pick, as in the manual's table.
PERMUTATIONS = {
    "f4e": ["3210", "4321", "5432", "6543"],
    "b4e": ["5670", "6701", "7012", "0123"],
    "rc8": ["0000", "1111", "2222", "3333"],
    "ecl": ["3210", "3211", "3222", "3333"],
    "ecr": ["0000", "1110", "2210", "3210"],
    "rc16": ["1010", "3232", "1010", "3232"],
}


def permute(a, b, selector):
    source = (b << 32 | a).to_bytes(8, "little")
    d = 0
    for i in range(4):
        nibble = selector >> (4 * i) & 15
        byte = source[nibble & 7]
        if nibble & 8:
            byte = 0xFF if byte & 0x80 else 0
        d |= byte << (8 * i)
    return d


def permutations():
    a, b = words(32, 22), words(32, 23)
    selector = [int(v) for v in noise(N, 27)]
    stacked("selector", [selector], u32)
    rows = [[permute(x, y, s & 0x7777) for x, y, s in zip(a, b, selector)]]
    rows.append([permute(x, y, s) for x, y, s in zip(a, b, selector)])
    for mode in "f4e", "b4e", "rc8", "ecl", "ecr", "rc16":
        table = [int(entry, 16) for entry in PERMUTATIONS[mode]]
        rows.append([permute(x, y, table[s & 3]) for x, y, s in zip(a, b, selector)])
    rows.append([permute(x, 0, 0x0123) for x in a])
    rows.append([permute(x, y, 0x5410) for x, y in zip(a, b)])
    stacked("expected_permute", rows, u32)


def logic():
    a, b, c = words(32, 22), words(32, 23), words(32, 25)
    stacked("logic_c", [c], u32)
    rows = [
        [x & y | ~x & z for x, y, z in zip(a, b, c)],
        [x & y | x & z | y & z for x, y, z in zip(a, b, c)],
        [x ^ y ^ z for x, y, z in zip(a, b, c)],
        [~(x | y) & ~z for x, y, z in zip(a, b, c)],
        [y & ~z if x else y | z for x, y, z in zip(a, b, c)],
    ]
    stacked("expected_logic", rows, u32)

    a, b, c = (noise(32, seed) for seed in (28, 29, 30))
    save("lop3_a", a)
    save("lop3_b", b)
    save("lop3_c", c)
    table = np.zeros((256, 32), u32)
    for lut in range(256):
        for row in range(8):
            if lut >> row & 1:
                term = a if row & 4 else ~a
                term = term & (b if row & 2 else ~b)
                table[lut] |= term & (c if row & 1 else ~c)
    save("expected_lop3", table.reshape(-1))


def narrow():
    a = [v & 0xFF for v in words(32, 31)]
    b = [signed(v, 8) for v in words(32, 32)]
    stacked("bytes_a", [a], u8)
    stacked("bytes_b", [b], i8)
    stacked("expected_bytes_sum", [[x + y * 3 for x, y in zip(a, b)]], u8)
    stacked("expected_bytes_product", [[x * y - (y >> 2) for x, y in zip(a, b)]], i8)
    stacked("expected_bytes_mixed", [[(x << 7) ^ y for x, y in zip(a, b)]], i16)

    a = [signed(v, 16) for v in words(16, 33)]
    b = [v & 0xFFFF for v in words(16, 34)]
    stacked("shorts_a", [a], i16)
    stacked("shorts_b", [b], u16)
    stacked("expected_shorts_q", [[quotient(x, signed(y, 16) | 1) for x, y in zip(a, b)]], i16)
    stacked("expected_shorts_r", [[y % (x & 0xFFFF | 1) for x, y in zip(a, b)]], u16)
    stacked("expected_shorts_wide", [[x * y + min(x, signed(y, 16)) for x, y in zip(a, b)]], i32)

    def saturate(value, bits, is_signed):
        if is_signed:
            return clamp(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        return clamp(value, 0, (1 << bits) - 1)

    rows = [[] for _ in range(19)]
    source = [signed(v, 32) for v in words(32, 35)]
    stacked("conversions_in", [source], i32)
    for x in source:
        wide = x * 70001
        ux, uwide = x & M32, wide & M64
        values = [
            signed(x, 16), x & 0xFFFF,
            saturate(x, 16, True), saturate(x, 16, False),
            saturate(ux, 16, True), saturate(ux, 16, False),
            saturate(wide, 32, True), saturate(wide, 32, False),
            saturate(uwide, 32, True), saturate(uwide, 32, False),
            saturate(wide, 16, True), saturate(x, 32, False), saturate(ux, 32, True),
            signed(x, 8), x & 0xFF,
            saturate(x, 8, True), saturate(x, 8, False), saturate(ux, 8, False), x & 0xFF,
        ]  # fmt: skip
        for row, value in zip(rows, values, strict=True):
            row.append(value)
    stacked("expected_conversions", rows, i32)


def parts(word, bits, is_signed):
    out = [word >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]
    return [signed(v, bits) for v in out] if is_signed else out


def dots():
    a, b, c = words(32, 36), words(32, 37), words(32, 38)
    for i in range(N - 64, N):
        a[i], b[i] = int(noise(N, 39)[i]), int(noise(N, 40)[i])
    for name, x in ("dot_a", a), ("dot_b", b), ("dot_c", c):
        stacked(name, [x], u32)
    kinds = [(False, False), (False, True), (True, False), (True, True)]
    rows = []
    for sa, sb in kinds:
        rows.append([
            z + sum(p * q for p, q in zip(parts(x, 8, sa), parts(y, 8, sb)))
            for x, y, z in zip(a, b, c)
        ])  # fmt: skip
    for half in 0, 2:
        for sa, sb in kinds:
            rows.append([
                z + sum(p * q for p, q in zip(parts(x, 16, sa), parts(y, 8, sb)[half : half + 2]))
                for x, y, z in zip(a, b, c)
            ])  # fmt: skip
    rows.append(rows[3])
    stacked("expected_dots", rows, u32)

    matrix = save("matvec_matrix", noise(8 * 40, 41).view(i32))
    vector = save("matvec_vector", noise(40, 42).view(i32))
    product = matrix.view(i8).reshape(8, 160).astype(i64) @ vector.view(i8).astype(i64)
    save("expected_matvec", product, i32)

    def lanes(bits, is_signed, operation):
        def word(x, y):
            values = [operation(p, q) for p, q in zip(parts(x, bits, is_signed), parts(y, bits, is_signed))]
            return sum((v & ((1 << bits) - 1)) << (bits * k) for k, v in enumerate(values))

        return [word(x, y) for x, y in zip(a, b)]

    rows = [
        lanes(8, False, lambda p, q: p + q),
        lanes(16, False, lambda p, q: p - q),
        lanes(8, False, lambda p, q: 0xFF if p == q else 0),
        lanes(8, False, lambda p, q: (p + q + 1) >> 1),
        lanes(16, False, max),
        lanes(16, True, min),
    ]
    stacked("expected_packed", rows, u32)


def number(words_of):
    return sum(int(w) << (32 * k) for k, w in enumerate(words_of))


def split(value, count):
    return [value >> (32 * k) & M32 for k in range(count)]


def carry():
    a, b = noise(64 * 8, 43), noise(64 * 8, 44)
    b[:8], a[:8] = 1, M32  # a carry through every word
    b[1:8] = 0
    a[8:16], b[8:16] = M32, M32
    a[16:24], b[16:24] = 0, 0
    save("carry_a", a)
    save("carry_b", b)
    sums = [number(x) + number(y) for x, y in zip(a.reshape(-1, 8), b.reshape(-1, 8))]
    save("expected_add_256", np.array([split(s, 8) for s in sums], u32).reshape(-1))
    save("expected_add_256_carry", [s >> 256 for s in sums], u32)

    pairs = [(number(x), number(y)) for x, y in zip(a.reshape(-1, 4), b.reshape(-1, 4))]
    save("expected_sub_128", np.array([split(x - y, 4) for x, y in pairs], u32).reshape(-1))
    save("expected_sub_128_borrow", [M32 if x < y else 0 for x, y in pairs], u32)
    save("expected_multiply_128", np.array([split(x * y, 8) for x, y in pairs], u32).reshape(-1))

    x = save("sum_in", noise64(1000, 45))
    totals = [sum(int(v) for v in x[t::32]) for t in range(32)]
    stacked("expected_sum_128", [[part for s in totals for part in (s, s >> 64)]], u64)


division()
multiplication()
shifts()
counts()
fields()
permutations()
logic()
narrow()
dots()
carry()


def find_nth_set(mask, base, offset):
    """PTX ISA 9.1, fns."""
    if offset == 0:
        return base if 0 <= base < 32 and mask >> base & 1 else M32
    at, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= at < 32:
        if mask >> at & 1:
            if count == 0:
                return at
            count -= 1
        at += step
    return M32


masks = [0, M32, 1, 1 << 31, 0x80000001, 0xAAAAAAAA, 0x0000FFFF, 0x7FFFFFFE, *noise(4, 71)]
masks = save("fns_masks", masks, u32)
save(
    "expected_fns",
    [
        find_nth_set(int(mask), base, offset)
        for mask in masks
        for base in range(-2, 35)
        for offset in range(-34, 35)
    ],
    u32,
)
