#!/usr/bin/env python3
"""Products of matrices that are sparse, of few bits, or scaled, and tiles of bytes: kernels, inputs and expected outputs.

Writes `NAME.ptx`: one kernel per shape and type, whose lane loads its registers of all operands, multiplies, and stores
the registers of the result. Where elements lie follows PTX ISA 9.1, 9.7.14.3 ("Block Scaling for mma.sync") and 9.7.14.6
("Matrix fragments … with sparse matrix A"). What the figures there show of metadata is what NVIDIA's CUTLASS does to bring it
in that order (`reorder_meta`, `ELayout` of `mma_traits_sm120_sparse.hpp`). Sums are exact, in whatever order.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fragments import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
ROWS, COLUMNS = 16, 8

# Values and encodings in bytes (PTX ISA 9.1, "Packing format of data types for kind::f8f6f4"), and of elements of 4 bits.
BYTES = {
    "e4m3": (np.arange(-8, 9), e4m3_bits),
    "e5m2": (np.arange(-4, 5), e5m2_bits),
    "e2m3": (E2M3, e2m3_bits),
    "e3m2": (E3M2, e3m2_bits),
    "e2m1": (E2M1, lambda values: e2m1_bits(values) << u32(2)),
}
NIBBLES = (E2M1, e2m1_bits)


def drawn(values, shape, seed):
    return values[(noise64(int(np.prod(shape)), seed) % u64(len(values))).astype(i64)].reshape(shape)


class File:
    """Kernels and the tests of them."""

    def __init__(self, name, target, about):
        self.name = name
        self.source = [f"// {about} Written by expected.py.", "", ".version 9.1", f".target {target}", ".address_size 64"]
        self.tests = [f"# {about} Sums are exact.", ""]

    def add(self, name, mnemonic, operands, result, array, selectors=()):
        """A kernel: `operands` are d, a, b, c, and so on: registers [lane][register], or a constant."""
        data = np.concatenate([part.astype(u32) for part in operands if isinstance(part, np.ndarray)], axis=1)
        save(f"{name}_in", data.T.reshape(-1), u32)
        save(f"expected_{name}", result.T.reshape(-1))
        lines = [
            f".visible .entry {name} (.param .u64 in, .param .u64 out)", "{",
            f"    .reg .b32 r<{data.shape[1]}>;", f"    .reg .b32 d<{result.shape[1]}>;", "    .reg .u64 p;", "    .reg .u32 t;",
            "    mov.u32 t, %tid.x;", "    ld.param.u64 p, [in];", "    mad.wide.u32 p, t, 4, p;",
        ]
        lines += [f"    ld.global.b32 r{n}, [p+{128 * n}];" for n in range(data.shape[1])]
        listed = ["{" + ", ".join(f"d{n}" for n in range(result.shape[1])) + "}"]
        first = 0
        for part in operands:
            if isinstance(part, str):
                listed.append(part)
                continue
            names = [f"r{first + n}" for n in range(part.shape[1])]
            first += part.shape[1]
            listed.append(names[0] if len(names) == 1 else "{" + ", ".join(names) + "}")
        lines += [f"    {mnemonic} {', '.join(listed)};", "    ld.param.u64 p, [out];", "    mad.wide.u32 p, t, 4, p;"]
        lines += [f"    st.global.b32 [p+{128 * n}], d{n};" for n in range(result.shape[1])]
        self.source += lines + ["    ret;", "}"]
        # Some of them are looked at by the sanitizer, too.
        command = "run" if len(self.tests) % 4 else "check"
        self.tests += [
            f"$ warpwise {command} {self.name}.ptx --entry {name} --grid 1 --block 32 --arg @{name}_in.npy "
            f"--arg {array}[{result.size}]=0 --out 1=d.npy",
            f"= d.npy expected_{name}.npy", "",
        ]

    def write(self):
        (HERE / f"{self.name}.ptx").write_text("\n".join(self.source) + "\n")
        (HERE / f"{self.name}.test").write_text("\n".join(self.tests))


def sums(c, d, c_type):
    """The registers of c and of d, and the type of the array for d."""
    if c_type == "f16":
        halves = [pack(16, result_fragment(x).astype(f16).view(u16).reshape(32, -1, 2)) for x in (c, d)]
        assert (d.astype(f16) == d).all()
        return *halves, "u32"
    dtype = f32 if c_type == "f32" else i32
    assert (d.astype(dtype) == d).all()
    found = [result_fragment(x).astype(dtype) for x in (c, d)]
    return found[0].view(u32), found[1], {f32: "f32", i32: "s32"}[dtype]


# mma.sp
file = File("sparse", "sm_90", "Products of matrices with a sparse one: every shape, type and selector of `mma.sp`.")
CASES = [
    *[(16, "f16", "f16", "f32", selector, "") for selector in range(4)],
    *[(32, "f16", "f16", "f16", selector, "") for selector in range(2)],
    (16, "f16", "f16", "f16", 1, ""), (32, "f16", "f16", "f32", 1, ""), (16, "bf16", "bf16", "f32", 3, ""),
    *[(32, "bf16", "bf16", "f32", selector, "") for selector in range(2)],
    *[(8, "tf32", "tf32", "f32", selector, "") for selector in range(4)],
    *[(16, "tf32", "tf32", "f32", selector, "") for selector in range(2)],
    (64, "e4m3", "e5m2", "f32", 0, ""), (64, "e5m2", "e4m3", "f32", 0, ""),
    *[(32, "s8", "u8", "s32", selector, "") for selector in range(2)],
    (32, "u8", "u8", "s32", 1, ".satfinite"), (64, "s8", "s8", "s32", 0, ""), (64, "u8", "s8", "s32", 0, ".satfinite"),
    *[(64, "s4", "u4", "s32", selector, "") for selector in range(2)],
    (64, "s4", "s4", "s32", 0, ".satfinite"), (128, "u4", "u4", "s32", 0, ""), (128, "s4", "s4", "s32", 0, ".satfinite"),
]
for seed, (k, a_type, b_type, c_type, selector, saturates) in enumerate(CASES):
    (kind, low, high, encode), (_, b_low, b_high, b_encode) = TYPES[a_type], TYPES[b_type]
    a, b = small((ROWS, k), 10 + seed, low, high), small((COLUMNS, k), 50 + seed, b_low, b_high)
    c = small((ROWS, COLUMNS), 90 + seed, -100, 100)
    if saturates:
        c = np.where(np.arange(c.size).reshape(c.shape) % 2, 2**31 - 50, -(2**31) + 50)
    for variant in ("sp", "sp::ordered_metadata"):
        ordered = variant != "sp"
        dense, left, metadata = sparse(a, kind, selector, ordered, 1000 + 2 * seed)
        d = c + dense @ b.T
        if saturates:
            d = np.clip(d, -(2**31), 2**31 - 1)
        in_c, out, array = sums(c, d, c_type)
        name = f"{'ordered' if ordered else 'sp'}_k{k}_{a_type}_{b_type}_{c_type}_{selector}{saturates}".replace(".", "_")
        mnemonic = f"mma.{variant}.sync.aligned.m16n8k{k}.row.col{saturates}.{c_type}.{a_type}.{b_type}.{c_type}"
        operands = [fragments(left, kind, encode, False), fragments(b, kind, b_encode, True), in_c, metadata, str(selector)]
        file.add(name, mnemonic, operands, out, array)
file.write()

# mma and mma.sp with .kind::f8f6f4
file = File("bytes", "sm_120a", "Products of floats of 8, 6 and 4 bits: every pair of types of `.kind::f8f6f4`.")
for seed, (a_type, b_type) in enumerate([(a, b) for a in BYTES for b in BYTES]):
    (a_values, encode), (b_values, b_encode) = BYTES[a_type], BYTES[b_type]
    # Sums are in f16, too, where elements are small.
    c_type = "f16" if seed % 5 == 0 else "f32"
    if c_type == "f16":
        a_values, b_values = [values[np.abs(values) <= 1] for values in (a_values, b_values)]
        a_values, b_values = [values[values * 4 % 1 == 0] for values in (a_values, b_values)]
    for k in (32, 64):
        a, b = drawn(a_values, (ROWS, k), 200 + seed), drawn(b_values, (COLUMNS, k), 240 + seed)
        c = small((ROWS, COLUMNS), 280 + seed, -100, 100)
        head, more = "mma", []
        if k == 64:
            a, left, metadata = sparse(a, 8, 0, True, 2000 + 2 * seed)
            head, more = "mma.sp::ordered_metadata", [metadata, "0"]
        in_c, out, array = sums(c, c + a @ b.T, c_type)
        mnemonic = f"{head}.sync.aligned.m16n8k{k}.row.col.kind::f8f6f4.{c_type}.{a_type}.{b_type}.{c_type}"
        in_a = fragments(left if more else a, 8, encode, False)
        name = f"{'sp' if more else 'dense'}_{a_type}_{b_type}_{c_type}"
        file.add(name, mnemonic, [in_a, fragments(b, 8, b_encode, True), in_c, *more], out, array)
file.write()


# mma and mma.sp with .block_scale


def ue8m0(exponents):
    return exponents.astype(u32) + u32(127)


def ue4m3(values):
    return e4m3_bits(values)


def scale_register(codes, byte, thread, rows, seed):
    """The register of a selector: `codes` is [row or column][part]; what is not selected is anything."""
    register = noise(32, seed)
    width = codes.shape[1]
    for lane in range(32):
        group, within = lane >> 2, lane % 4
        if rows and within // 2 == thread:
            line = codes[group + 8 * (within % 2)]
        elif not rows and within == thread:
            line = codes[group]
        else:
            continue
        mask = u32(((1 << 8 * width) - 1) << 8 * byte)
        register[lane] = register[lane] & ~mask | pack(8, line) << u32(8 * byte)
    return register[:, None]


file = File("scaled", "sm_120a", "Products with scaled operands: every kind, scale and selector of `.block_scale`.")
CASES = [
    *[("mxf8f6f4", a, b, 1, "ue8m0", (seed % 4, seed % 2), ((seed + 1) % 4, seed // 2 % 4))
      for seed, (a, b) in enumerate([(a, b) for a in BYTES for b in BYTES if a == b or "e2m1" in (a, b)])],
    *[("mxf4", "e2m1", "e2m1", 2, "ue8m0", (byte, thread), (2 - byte, other))
      for byte, thread, other in ((0, 0, 0), (2, 1, 1), (0, 1, 2), (2, 0, 3))],
    ("mxf4nvf4", "e2m1", "e2m1", 2, "ue8m0", (2, 1), (0, 3)),
    ("mxf4nvf4", "e2m1", "e2m1", 4, "ue8m0", (0, 1), (0, 2)),
    *[("mxf4nvf4", "e2m1", "e2m1", 4, "ue4m3", (0, thread), (0, other)) for thread, other in ((0, 0), (1, 1), (0, 2), (1, 3))],
]
for seed, (kind, a_type, b_type, parts, s_type, ids_a, ids_b) in enumerate(CASES):
    nibbles = kind != "mxf8f6f4"
    (a_values, encode), (b_values, b_encode) = (NIBBLES, NIBBLES) if nibbles else (BYTES[a_type], BYTES[b_type])
    bits = 4 if nibbles else 8
    for is_sparse in (False, True):
        k = (64 if nibbles else 32) * (2 if is_sparse else 1)
        a, b = drawn(a_values, (ROWS, k), 300 + seed), drawn(b_values, (COLUMNS, k), 340 + seed)
        c = small((ROWS, COLUMNS), 380 + seed, -100, 100)
        head, more = "mma", []
        if is_sparse:
            a, left, metadata = sparse(a, bits, 0, True, 3000 + 2 * seed)
            head, more = "mma.sp::ordered_metadata", [metadata, "0"]
        if s_type == "ue4m3":
            scale_a, scale_b = drawn(np.arange(1, 17) / 4, (ROWS, parts), 420 + seed), drawn(np.arange(1, 17) / 4, (COLUMNS, parts), 460 + seed)
            codes_a, codes_b = ue4m3(scale_a), ue4m3(scale_b)
        else:
            scale_a, scale_b = small((ROWS, parts), 420 + seed, -2, 3), small((COLUMNS, parts), 460 + seed, -2, 3)
            if seed % 3 == 0:
                # Far from 1, and yet their products are near it.
                scale_a, scale_b = scale_a + 120, scale_b - 121
            codes_a, codes_b = ue8m0(scale_a), ue8m0(scale_b)
            scale_a, scale_b = 2.0**scale_a, 2.0**scale_b
        length = k // parts
        d = c + (a * scale_a.repeat(length, axis=1)) @ (b * scale_b.repeat(length, axis=1)).T
        in_c, out, array = sums(c, d, "f32")
        vec = f".scale_vec::{parts}X"
        if kind != "mxf4nvf4" and seed % 2:
            vec = ""
        mnemonic = f"{head}.sync.aligned.m16n8k{k}.row.col.kind::{kind}.block_scale{vec}.f32.{a_type}.{b_type}.f32.{s_type}"
        operands = [
            fragments(left if more else a, bits, encode, False), fragments(b, bits, b_encode, True), in_c, *more,
            scale_register(codes_a, *ids_a, True, 500 + seed), "{%d, %d}" % ids_a,
            scale_register(codes_b, *ids_b, False, 540 + seed), "{%d, %d}" % ids_b,
        ]
        name = f"{'sp' if more else 'dense'}_{kind}_{a_type}_{b_type}_{parts}X_{s_type}_{ids_a[0]}{ids_a[1]}{ids_b[0]}{ids_b[1]}"
        file.add(name, mnemonic, operands, out, array)
file.write()

# ldmatrix and stmatrix of bytes


def layout(index, shape, stride):
    """Where CUTLASS's layout `shape:stride` maps an index: its first digit varies fastest."""
    place = 0
    for size, step in zip(shape, stride):
        place += index % size * step
        index //= size
    return place


def bits_of(rows):
    return np.unpackbits(rows.astype(u8), axis=-1, bitorder="little")


def written_out(rows, bits):
    """Elements of so many bits in bytes of their own."""
    wide = np.zeros((len(rows), 16, 8), u8)
    wide[:, :, :bits] = bits_of(rows)[:, : 16 * bits].reshape(len(rows), 16, bits)
    return np.packbits(wide, axis=-1, bitorder="little")[:, :, 0]


source = ["// Loads and stores of matrices of bytes. Written by expected.py.", "", ".version 8.8", ".target sm_120a", ".address_size 64"]
tests = ["# `ldmatrix` and `stmatrix` of bytes: shapes, numbers of matrices, formats of fewer bits.", ""]
rows = (noise64(32 * 16, 700) & u64(255)).astype(u8).reshape(32, 16)
registers = noise(4 * 32, 701).reshape(4, 32)
save("tile_rows", rows.reshape(-1).view(u32))
save("tile_registers", registers.reshape(-1))


def tile_kernel(name, instruction, count, stores):
    """Lane `t` puts row `t` in shared memory, at row `31 - t`, and tells the instruction where it is."""
    registers = [f"r{n}" for n in range(count)]
    fragment, address = "{" + ", ".join(registers) + "}", "[s]"
    operands = f"{address}, {fragment}" if stores else f"{fragment}, {address}"
    source.extend([
        f".visible .entry {name} (.param .u64 in, .param .u64 held, .param .u64 out)", "{",
        "    .shared .align 16 .b8 tile[512];", f"    .reg .b32 t, s, x<4>, {', '.join(registers)};", "    .reg .u64 p;",
        "    mov.u32 t, %tid.x;", "    mov.u32 s, tile;", "    mad.lo.u32 s, t, -16, s;", "    add.u32 s, s, 496;",
        "    ld.param.u64 p, [in];", "    mad.wide.u32 p, t, 16, p;",
        "    ld.global.v4.b32 {x0, x1, x2, x3}, [p];", "    st.shared.v4.b32 [s], {x0, x1, x2, x3};",
        "    ld.param.u64 p, [held];", "    mad.wide.u32 p, t, 4, p;",
        *([f"    ld.global.b32 r{n}, [p+{128 * n}];" for n in range(count)] if stores else []),
        "    bar.warp.sync -1;", f"    {instruction} {operands};", "    bar.warp.sync -1;",
        "    ld.param.u64 p, [out];",
    ])
    if stores:
        source.extend(["    mad.wide.u32 p, t, 16, p;", "    ld.shared.v4.b32 {x0, x1, x2, x3}, [s];", "    st.global.v4.b32 [p], {x0, x1, x2, x3};"])
    else:
        source.extend(["    mad.wide.u32 p, t, 4, p;", *[f"    st.global.b32 [p+{128 * n}], r{n};" for n in range(count)]])
    source.extend(["    ret;", "}"])
    command = "run" if len(tests) % 4 else "check"
    tests.extend([
        f"$ warpwise {command} tiles.ptx --entry {name} --grid 1 --block 32 --arg @tile_rows.npy --arg @tile_registers.npy "
        f"--arg u32[{128 if stores else 32 * count}]=0 --out 2=d.npy",
        f"= d.npy expected_{name}.npy", "",
    ])


# Shape and stride of lanes that give addresses, of lanes that hold, and of what a lane holds.
GIVEN = {1: ((2, 2, 4, 2), (128, 1024, 256, 0)), 2: ((2, 2, 4, 2), (128, 1024, 256, 2048))}
HOLDERS = ((4, 8), (256, 8))
for bits, word in ((8, "b8"), (6, "b8x16.b6x16_p32"), (4, "b8x16.b4x16_p64")):
    wide = bits_of(written_out(rows, bits))
    for number in (1, 2):
        starts = {layout(lane, *GIVEN[number]): lane for lane in reversed(range(16 * number))}
        held = np.zeros((32, 64 * number), u8)
        for lane in range(32):
            for value in range(64 * number):
                place = layout(lane, *HOLDERS) + layout(value, (8, 2, 2, 2 * number), (1, 128, 64, 1024))
                held[lane, value] = wide[starts[place // 128 * 128], place % 128]
        words = np.packbits(held, axis=-1, bitorder="little").view(u32)
        name = f"load_m16n16_x{number}_{bits}"
        save(f"expected_{name}", words.T.reshape(-1), u32)
        tile_kernel(name, f"ldmatrix.sync.aligned.m16n16.x{number}.trans.shared.{word}", 2 * number, False)
    for number in (1, 2, 4) if bits < 8 else ():
        words = written_out(rows, bits)[: 8 * number].reshape(number, 32, 4).view(u32)[:, :, 0]
        name = f"load_m8n16_x{number}_{bits}"
        save(f"expected_{name}", words.reshape(-1), u32)
        tile_kernel(name, f"ldmatrix.sync.aligned.m8n16.x{number}.shared.{word}", number, False)
for number in (1, 2, 4):
    stored = bits_of(rows)
    for lane in range(32):
        for value in range(32 * number):
            place = layout(lane, *HOLDERS) + layout(value, (8, 2, 2, number), (1, 128, 64, 1024))
            stored[place // 128, place % 128] = registers[value // 32, lane] >> u32(value % 32) & u32(1)
    name = f"store_m16n8_x{number}"
    save(f"expected_{name}", np.packbits(stored, axis=-1, bitorder="little").reshape(-1).view(u32))
    tile_kernel(name, f"stmatrix.sync.aligned.m16n8.x{number}.trans.shared.b8", number, True)
(HERE / "tiles.ptx").write_text("\n".join(source) + "\n")
(HERE / "tiles.test").write_text("\n".join(tests))

# mma.m8n8k4 of f16: a product by lanes 4 j to 4 j + 3 and 16 lanes further, for each j
LANE = np.arange(32)
PAIR, WITHIN, UPPER = LANE % 16 // 4, LANE % 4, LANE // 16 * 4


def f16_words(elements):
    return pack(16, elements.astype(f16).view(u16).reshape(32, -1, 2))


def sums_of_pairs(matrices, ty):
    """Registers of c or d of four products."""
    nth = np.arange(8)
    if ty == "f16":
        return f16_words(matrices[PAIR, WITHIN + UPPER])
    rows = (LANE & 1)[:, None] + (nth & 2)[None, :] + UPPER[:, None]
    columns = (nth & 4)[None, :] + (LANE & 2)[:, None] + (nth & 1)[None, :]
    return matrices[PAIR[:, None], rows, columns].astype(f32)


file = File("quad_pairs", "sm_75", "Four products at once: every layout and type of `mma.m8n8k4` of f16.")
for seed, (a_layout, b_layout, d_type, c_type) in enumerate(
    [(a, b, d, c) for a in ("row", "col") for b in ("row", "col") for d, c in (("f32", "f32"), ("f32", "f16"), ("f16", "f16"))]
):
    a, b, c = small((4, 8, 4), 600 + seed, -8, 9), small((4, 8, 4), 620 + seed, -8, 9), small((4, 8, 8), 640 + seed, -100, 100)
    d = c + np.einsum("prk,pck->prc", a, b)
    lines = np.arange(4)[None, :] + UPPER[:, None]
    held = {
        matrix: f16_words(values[PAIR, WITHIN + UPPER] if whole else values[PAIR[:, None], lines, WITHIN[:, None]])
        for matrix, values, whole in (("a", a, a_layout == "row"), ("b", b, b_layout == "col"))
    }
    in_c, out = sums_of_pairs(c, c_type), sums_of_pairs(d, d_type)
    mnemonic = f"mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d_type}.f16.f16.{c_type}"
    file.add(f"m8n8k4_{a_layout}_{b_layout}_{d_type}_{c_type}", mnemonic, [held["a"], held["b"], in_c.view(u32)], out, "u32" if d_type == "f16" else "f32")
file.write()

# sparse_gemm.cu and scaled_gemm.cu: 32 by 16 elements of 128 columns
m, n, k = 32, 16, 128
a, b = small((m, k), 800, -8, 9), small((n, k), 801, -8, 9)
choice = np.array([(i, j) for i in range(4) for j in range(4) if i < j])[(noise64(m * k // 4, 802) % u64(6)).astype(i64)].reshape(m, k // 4, 2)
left = np.take_along_axis(a.reshape(m, k // 4, 4), choice, axis=2)
dense = np.zeros((m, k // 4, 4), a.dtype)
np.put_along_axis(dense, choice, left, axis=2)
save("sparse_gemm_a", left.reshape(-1), f16)
save("sparse_gemm_places", pack(4, (choice[:, :, 0] | choice[:, :, 1] << 2).reshape(m, k // 16, 4)).reshape(-1), u16)
save("sparse_gemm_b", b.reshape(-1), f16)
save("expected_sparse_gemm", (dense.reshape(m, k) @ b.T).reshape(-1), f32)

scaled_a, scaled_b = drawn(E2M1, (m, k // 16, 16), 810), drawn(E2M1, (n, k // 16, 16), 811)
codes = []
for name, values, seed in (("a", scaled_a, 812), ("b", scaled_b, 813)):
    # One is the largest, so that the scale is found.
    values[:, :, 5] = 6
    scales = drawn(np.arange(8, 16) / 8, values.shape[:2], seed)
    save(f"scaled_gemm_{name}", (values * scales[:, :, None]).reshape(-1), f32)
    # Zero has two codes, and comes out as the one without a sign.
    elements = np.where(values == 0, u32(0), e2m1_bits(values))
    save(f"expected_quantized_{name}", pack(4, elements.reshape(-1, 2)), u8)
    save(f"expected_scales_{name}", e4m3_bits(scales).reshape(-1), u8)
    values *= scales[:, :, None]
save("expected_scaled_gemm", (scaled_a.reshape(m, k) @ scaled_b.reshape(n, k).T).reshape(-1), f32)
lines = ["# Products by code that a compiler made: a sparse one of binary16, and one of e2m1 with scales.", ""]
for target in ("sm_80", "sm_120a"):
    for command, out in (("run", " --out 3=c.npy"), ("check", "")):
        lines.append(
            f"$ warpwise {command} sparse_gemm.{target}.ptx --grid {n // 8},{m // 16} --block 32 --arg @sparse_gemm_a.npy --arg @sparse_gemm_places.npy "
            f"--arg @sparse_gemm_b.npy --arg f32[{m * n}]=0 --arg s32:{n} --arg s32:{k}{out}"
        )
        lines.extend(["= c.npy expected_sparse_gemm.npy", ""] if out else [""])
for name, rows in (("a", m), ("b", n)):
    lines += [
        f"$ warpwise run scaled_gemm.sm_120a.ptx --entry quantize --grid {rows * k // 512} --block 32 --arg @scaled_gemm_{name}.npy "
        f"--arg u8[{rows * k // 2}]=0 --arg u8[{rows * k // 16}]=0 --out 1=values.npy --out 2=scales.npy",
        f"= values.npy expected_quantized_{name}.npy", f"= scales.npy expected_scales_{name}.npy", "",
    ]
for command, out in (("run", " --out 4=c.npy"), ("check", "")):
    lines.append(
        f"$ warpwise {command} scaled_gemm.sm_120a.ptx --entry scaled_gemm --grid {n // 8},{m // 16} --block 32 --arg @expected_quantized_a.npy "
        f"--arg @expected_scales_a.npy --arg @expected_quantized_b.npy --arg @expected_scales_b.npy --arg f32[{m * n}]=0 --arg s32:{n} --arg s32:{k}{out}"
    )
    lines.extend(["= c.npy expected_scaled_gemm.npy", ""] if out else [""])
(HERE / "gemm.test").write_text("\n".join(lines))
