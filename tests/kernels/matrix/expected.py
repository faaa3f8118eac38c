#!/usr/bin/env python3
"""Kernels that multiply matrices, their inputs and expected outputs.

Writes `products.ptx`: one kernel per shape and type of `mma`, which loads the fragments of its lane, multiplies, and stores the
fragment of the result. Where elements lie follows PTX ISA 9.1, "Matrix Fragments". Values are small enough for every
sum to be exact, in whatever order.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fragments import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
CASES = []  # name, mnemonic, m, n, k, a, b, c type, saturates, op
for m, k, ab, c in [
    (16, 8, "f16", "f32"), (16, 8, "f16", "f16"), (16, 16, "f16", "f32"), (16, 16, "f16", "f16"),
    (16, 8, "bf16", "f32"), (16, 16, "bf16", "f32"), (16, 4, "tf32", "f32"), (16, 8, "tf32", "f32"),
    (16, 32, "e4m3", "f32"), (16, 32, "e5m2", "f32"),
    (8, 16, "s8", "s32"), (16, 16, "u8", "s32"), (16, 32, "s8", "s32"),
    (8, 32, "s4", "s32"), (16, 32, "u4", "s32"), (16, 64, "s4", "s32"),
]:
    CASES.append((f"m{m}n8k{k}", m, k, ab, ab, c, "", ""))
CASES.append(("m16n8k32", 16, 32, "u8", "s8", "s32", "", ""))
CASES.append(("m16n8k32", 16, 32, "e4m3", "e5m2", "f32", "", ""))
CASES.append(("m16n8k64", 16, 64, "s4", "u4", "s32", ".satfinite", ""))
CASES.append(("m16n8k32", 16, 32, "s8", "s8", "s32", ".satfinite", ""))
for m, k in ((8, 128), (16, 128), (16, 256)):
    for op in (".xor.popc", ".and.popc"):
        CASES.append((f"m{m}n8k{k}", m, k, "b1", "b1", "s32", "", op))

source = [
    "// Every shape and type of `mma`. Written by expected.py.",
    "",
    ".version 8.5", ".target sm_90", ".address_size 64",
]
tests = ["# Products of matrices: every shape and type of `mma`, on values whose sums are exact.", ""]


def kernel(name, instruction, counts, wide=False):
    """A kernel whose lane loads so many registers of a, b and c, and stores those of d."""
    bits, step = (64, 8) if wide else (32, 4)
    a, b, c = counts
    lines = [
        f".visible .entry {name} (.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)", "{",
        f"    .reg .b{bits} a<{a}>, b<{b}>, c<{c}>;", "    .reg .u64 p;", "    .reg .u32 t;", "    mov.u32 t, %tid.x;",
    ]
    for operand, count in zip("abc", counts):
        lines += [f"    ld.param.u64 p, [{operand}];", f"    mad.wide.u32 p, t, {step * count}, p;"]
        lines += [f"    ld.global.b{bits} {operand}{n}, [p+{step * n}];" for n in range(count)]
    listed = ["{" + ", ".join(f"{o}{n}" for n in range(count)) + "}" for o, count in zip("cabc", (c, a, b, c))]
    lines += [f"    {instruction} {', '.join(listed)};", "    ld.param.u64 p, [d];", f"    mad.wide.u32 p, t, {step * c}, p;"]
    lines += [f"    st.global.b{bits} [p+{step * n}], c{n};" for n in range(c)]
    return lines + ["    ret;", "}"]


def test(name, c_type):
    return [
        f"$ warpwise run products.ptx --entry {name} --grid 1 --block 32 --arg @{name}_a.npy --arg @{name}_b.npy "
        f"--arg @{name}_c.npy --arg {c_type}[{name_counts[name]}]=0 --out 3=d.npy",
        f"= d.npy expected_{name}.npy", "",
    ]


name_counts = {}
for seed, (shape, m, k, a_type, b_type, c_type, saturates, op) in enumerate(CASES):
    name = f"{shape}_{a_type}_{b_type}_{c_type}{saturates}{op}".replace(".", "_")
    (bits, low, high, encode), (_, b_low, b_high, b_encode) = TYPES[a_type], TYPES[b_type]
    a, b = small((m, k), 10 + seed, low, high), small((8, k), 50 + seed, b_low, b_high)
    c = small((m, 8), 90 + seed, -100, 100)
    if saturates:
        c = np.where(np.arange(c.size).reshape(c.shape) % 2, 2**31 - 50, -(2**31) + 50)
    if op:
        pairs = a[:, None, :] ^ b[None, :, :] if op.startswith(".xor") else a[:, None, :] & b[None, :, :]
        d = c + pairs.sum(axis=2)
    else:
        d = c + a @ b.T
    if saturates:
        d = np.clip(d, -(2**31), 2**31 - 1)
    in_a, in_b = fragments(a, bits, encode, False), fragments(b, bits, b_encode, True)
    if c_type == "f16":
        halves = lambda x: pack(16, result_fragment(x).astype(f16).view(u16).reshape(32, -1, 2))  # noqa: E731
        in_c, out, array = halves(c), halves(d), "u32"
    else:
        dtype = f32 if c_type == "f32" else i32
        in_c, out, array = result_fragment(c).astype(dtype), result_fragment(d).astype(dtype), {f32: "f32", i32: "s32"}[dtype]
    save(f"{name}_a", in_a.reshape(-1), u32)
    save(f"{name}_b", in_b.reshape(-1), u32)
    save(f"{name}_c", in_c.reshape(-1))
    save(f"expected_{name}", out.reshape(-1))
    name_counts[name] = out.size
    instruction = f"mma.sync.aligned.{shape}.row.col{saturates}.{c_type}.{a_type}.{b_type}.{c_type}{op}"
    source += kernel(name, instruction, (in_a.shape[1], in_b.shape[1], in_c.shape[1]))
    tests += test(name, array)

for seed, (m, k) in enumerate(((8, 4), (16, 4), (16, 8), (16, 16))):
    name = f"m{m}n8k{k}_f64"
    a, b, c = small((m, k), 200 + seed, -99, 99), small((8, k), 210 + seed, -99, 99), small((m, 8), 220 + seed, -99, 99)
    halves = m // 8
    in_a = np.stack([a[GROUP + 8 * (i % halves), 4 * (i // halves) + IN_GROUP] for i in range(halves * k // 4)], axis=1)
    in_b = np.stack([b[GROUP, 4 * i + IN_GROUP] for i in range(k // 4)], axis=1)
    save(f"{name}_a", in_a.reshape(-1), f64)
    save(f"{name}_b", in_b.reshape(-1), f64)
    save(f"{name}_c", result_fragment(c).reshape(-1), f64)
    out = save(f"expected_{name}", result_fragment(c + a @ b.T).reshape(-1), f64)
    name_counts[name] = out.size
    source += kernel(name, f"mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64", (in_a.shape[1], in_b.shape[1], 2 * halves), wide=True)
    tests += test(name, "f64")

(HERE / "products.ptx").write_text("\n".join(source) + "\n")
(HERE / "products.test").write_text("\n".join(tests))

# tiles.cu: four matrices of 8 by 8, row after row; lane l gets two elements of row (or column) l / 4 of each.
tiles = save("tiles", noise64(4 * 64, 300) & u64(0xFFFF), u16).reshape(4, 8, 8)
straight = np.stack([pack(16, tiles[n][GROUP[:, None], 2 * IN_GROUP[:, None] + np.arange(2)]) for n in range(4)], axis=1)
turned = np.stack([pack(16, tiles[n].T[GROUP[:, None], 2 * IN_GROUP[:, None] + np.arange(2)]) for n in range(4)], axis=1)
save("expected_straight", straight.reshape(-1), u32)
save("expected_turned", turned.reshape(-1), u32)
save("expected_stored", tiles.transpose(0, 2, 1).reshape(-1), u16)

# gemm.cu: c = a b for matrices of 64 by 64.
a, b = small((64, 64), 310, -4, 5), small((64, 64), 311, -4, 5)
save("gemm_a", a.reshape(-1), f16)
save("gemm_b", b.reshape(-1), f16)
save("expected_gemm", (a @ b).reshape(-1), f32)

# wmma.cu and wmma_ampere.cu: matrices in memory, by rows or columns, with gaps where the stride is larger.


def laid_out(matrix, by_rows, stride, dtype):
    """Rows (or columns) one after another, `stride` elements from one to the next; -1 between them."""
    lines = matrix if by_rows else matrix.T
    memory = np.full((lines.shape[0], stride), -1, dtype=i64)
    memory[:, : lines.shape[1]] = lines
    return memory.reshape(-1).astype(dtype)


wmma_tests = ["# Products of matrices through `wmma`, on values whose sums are exact.", ""]


def wmma(file, seed, name, shape, operand, low, high, total, rows_a, rows_b, rows_d, strides, factor=2, targets=("sm_80", "sm_90")):
    m, n, k = shape
    a, b, c = small((m, k), 400 + seed, low, high), small((k, n), 440 + seed, low, high), small((m, n), 480 + seed, -99, 99)
    save(f"wmma_{name}_a", laid_out(a, rows_a, strides[0], operand))
    save(f"wmma_{name}_b", laid_out(b, rows_b, strides[1], operand))
    save(f"wmma_{name}_c", laid_out(c, rows_d, strides[2], total))
    save(f"expected_wmma_{name}", laid_out(factor * c + a @ b, rows_d, strides[2], total))
    for target in targets:
        wmma_tests.extend([
            f"$ warpwise check {file}.{target}.ptx --entry {name} --grid 1 --block 32 --arg @wmma_{name}_a.npy "
            f"--arg @wmma_{name}_b.npy --arg @wmma_{name}_c.npy --out 2=d.npy",
            f"= d.npy expected_wmma_{name}.npy", "",
        ])


wmma("wmma", 0, "f16_row_col", (16, 16, 16), f16, -8, 9, f32, True, False, True, (16, 16, 16))
wmma("wmma", 1, "f16_col_row", (16, 16, 16), f16, -8, 9, f32, False, True, False, (16, 16, 16))
wmma("wmma", 2, "f16_tall", (32, 8, 16), f16, -8, 9, f32, True, True, True, (24, 16, 12))
wmma("wmma", 3, "f16_wide", (8, 32, 16), f16, -8, 9, f32, False, False, False, (16, 24, 8))
wmma("wmma", 4, "s8_row_col", (16, 16, 16), i8, -128, 128, i32, True, False, True, (16, 16, 16))
wmma("wmma", 5, "u8_col_row", (8, 32, 16), u8, 0, 256, i32, False, True, True, (16, 32, 32))
wmma("wmma_ampere", 7, "tf32", (16, 16, 8), f32, -8, 9, f32, False, False, True, (16, 8, 16), 1)
wmma("wmma_ampere", 8, "f64", (8, 8, 4), f64, -99, 99, f64, True, True, True, (4, 8, 8), 1)

a, b = small((16, 16), 520, -4, 5), small((16, 16), 521, -4, 5)
save("wmma_f16_sum_a", a.reshape(-1), f16)
save("wmma_f16_sum_b", b.T.reshape(-1), f16)
save("wmma_f16_sum_c", np.zeros(256), f16)
save("expected_wmma_f16_sum", (3 + a @ b).T.reshape(-1), f16)
a, b, c = small((16, 16), 530, -8, 9), small((16, 16), 531, -8, 9), small((16, 16), 532, -99, 99)
save("wmma_bf16_a", bf16_bits(a).astype(u16).reshape(-1), u16)
save("wmma_bf16_b", bf16_bits(b).astype(u16).reshape(-1), u16)
save("wmma_bf16_c", c.reshape(-1), f32)
save("expected_wmma_bf16", (c + a @ b).reshape(-1), f32)
a, b, c = small((8, 32), 540, -8, 8), small((8, 32), 541, -8, 8), small((8, 8), 542, -99, 99)
save("wmma_s4_a", pack(4, (a & 15).reshape(8, 4, 8)).reshape(-1), u32)
save("wmma_s4_b", pack(4, (b & 15).reshape(8, 4, 8)).reshape(-1), u32)
save("wmma_s4_c", c.reshape(-1), i32)
save("expected_wmma_s4", (c + a @ b.T).reshape(-1), i32)
a, b = small((8, 128), 550, 0, 2), small((8, 128), 551, 0, 2)
save("wmma_b1_a", pack(1, a.reshape(8, 4, 32)).reshape(-1), u32)
save("wmma_b1_b", pack(1, b.reshape(8, 4, 32)).reshape(-1), u32)
save("wmma_b1_c", c.reshape(-1), i32)
save("expected_wmma_b1", (c + (a[:, None, :] ^ b[None, :, :]).sum(axis=2)).reshape(-1), i32)
for file, name in (("wmma", "f16_sum"), ("wmma_ampere", "bf16"), ("wmma_ampere", "s4"), ("wmma_ampere", "b1")):
    for target in ("sm_80", "sm_90"):
        wmma_tests += [
            f"$ warpwise check {file}.{target}.ptx --entry {name} --grid 1 --block 32 --arg @wmma_{name}_a.npy "
            f"--arg @wmma_{name}_b.npy --arg @wmma_{name}_c.npy --out 2=d.npy",
            f"= d.npy expected_wmma_{name}.npy", "",
        ]
(HERE / "wmma.test").write_text("\n".join(wmma_tests))
