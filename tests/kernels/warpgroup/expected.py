#!/usr/bin/env python3
"""Products of matrices by a warpgroup, their inputs and expected outputs.

Writes `products.ptx`: kernels that copy an image of matrices to shared memory, multiply by `wgmma.mma_async` as two descriptors
say, and store the fragments of the result. Where elements lie follows PTX ISA 9.1, 9.7.15.5.1.1 "Register Fragments" and
9.7.15.5.1.2 "Shared Memory Matrix Layout" (canonical layouts, and the swizzle that is applied to them). Values are small enough
for every sum to be exact, in whatever order.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fragments import *  # noqa: E402, F403
from support import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
THREADS = np.arange(128)
WARP, LANE = THREADS // 32, THREADS % 32
GROUP, IN_GROUP = LANE // 4, LANE % 4

# Bytes that a swizzle permutes, and how a descriptor says so.
MODES = {16: 0, 128: 1, 64: 2, 32: 3}


def place(line, k, bits, width, turned, leading, stride):
    """The byte (for single bits: the bit) at which an element stands, before the swizzle."""
    per = 128 // bits  # T of the ISA: elements of 16 bytes
    units = width // 16
    if turned:
        within, unit = line % per, line // per
        if units == 1:
            unit_at = stride * unit
            k_at = 16 * (k % 8) + leading * (k // 8)
        else:
            unit_at = 16 * (unit % units) + leading * (unit // units)
            k_at = width * (k % 8) + stride * (k // 8)
    else:
        within, unit = k % per, k // per
        unit_at = (leading if units == 1 else 16) * unit
        k_at = width * (line % 8) + stride * (line // 8)
    return (unit_at + k_at) * 8 + within * bits


def swizzled(address, width, first):
    """Bits 4.. of an address change by bits 7..: as many as the swizzle has; `first` is where its pattern begins."""
    return address ^ (((address >> 7) - (first >> 7)) % (width // 16) << 4)


def put(image, matrix, at, bits, encode, width, turned, leading, stride, first=0):
    """Writes a matrix into an image of shared memory, and returns its descriptor."""
    for (line, k), value in np.ndenumerate(encode(matrix)):
        bit = place(line, k, bits, width, turned, leading, stride)
        address = swizzled(at + bit // 8, width, first)
        element = int(value) << bit % 8
        for byte in range((bits + 7) // 8):
            image[address + byte] |= element >> 8 * byte & 255
    assert not (at | leading | stride) & 15
    base = first >> 7 & 7
    return at >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | MODES[width] << 62


def rows_of(matrix, bits, encode):
    """The registers of a in a warpgroup: [thread][register]."""
    per = 32 // bits
    registers = []
    for block in range(2):
        for half in range(2):
            row = 16 * WARP + GROUP + 8 * half
            columns = (block * 4 * per + IN_GROUP * per)[:, None] + np.arange(per)[None, :]
            registers.append(pack(bits, encode(matrix[row[:, None], columns])))
    return np.stack(registers, axis=1)


def result(matrix):
    """The fragment of d: [thread][element]."""
    elements = []
    for first in range(0, matrix.shape[1], 8):
        for half in range(2):
            for column in range(2):
                elements.append(matrix[16 * WARP + GROUP + 8 * half, first + 2 * IN_GROUP + column])
    return np.stack(elements, axis=1)


source = [
    "// Products of a warpgroup. Written by expected.py.",
    "",
    ".version 8.4", ".target sm_90a", ".address_size 64",
    ".extern .shared .align 1024 .b8 smem[];",
]  # fmt: skip
tests = ["# Products of matrices by a warpgroup, on values whose sums are exact: the layouts of the ISA.", ""]


def kernel(name, instruction, count, in_registers, selector, over, end):
    """A kernel that multiplies once: image, how many words it has, a (in registers: its fragments; sparse: the metadata behind
    them), d, the descriptors of a and of b, and whether d counts."""
    held = 4 * in_registers
    sparse = "" if selector is None else f", e, {selector}"
    words = held + bool(sparse)
    # The registers of a may be the first ones of d, where what they held does not count.
    names = [f"a{nth}" if over and nth < 4 else f"d{nth}" for nth in range(count)]
    d = ", ".join(names)
    a = "{a0, a1, a2, a3}" if in_registers else "da"
    lines = [
        f".visible .entry {name} (.param .u64 image, .param .u32 words, .param .u64 a, .param .u64 d, .param .u64 a_desc, .param .u64 b_desc, .param .u32 counts)",
        "{",
        "    .reg .pred p;", f"    .reg .b32 d<{count}>, a<4>, w, t, n, s, c, e;", "    .reg .b64 g, h, da, db, first;",
        "    mov.u32 t, %tid.x;", "    mov.u32 s, smem;", "    ld.param.u32 n, [words];", "    ld.param.u64 g, [image];",
        # The image, one word a thread at a time.
        "copy:", "    setp.ge.u32 p, t, n;", "    @p bra copied;", "    mad.wide.u32 h, t, 4, g;", "    ld.global.b32 w, [h];",
        "    mad.lo.u32 c, t, 4, s;", "    st.shared.b32 [c], w;", "    add.u32 t, t, 128;", "    bra copy;",
        "copied:", "    fence.proxy.async.shared::cta;", "    bar.sync 0;",
        "    mov.u32 t, %tid.x;", "    ld.param.u64 g, [d];", f"    mad.wide.u32 g, t, {4 * count}, g;",
    ]  # fmt: skip
    lines += [f"    ld.global.b32 d{nth}, [g+{4 * nth}];" for nth in range(count)]
    if words:
        lines += ["    ld.param.u64 h, [a];", f"    mad.wide.u32 h, t, {4 * words}, h;"]
        lines += [f"    ld.global.b32 a{nth}, [h+{4 * nth}];" for nth in range(held)]
    if sparse:
        lines += [f"    ld.global.b32 e, [h+{4 * held}];"]
    lines += [
        "    shr.u32 s, s, 4;", "    cvt.u64.u32 first, s;",
        "    ld.param.u64 da, [a_desc];", "    add.u64 da, da, first;",
        "    ld.param.u64 db, [b_desc];", "    add.u64 db, db, first;",
        "    ld.param.u32 c, [counts];", "    setp.ne.u32 p, c, 0;",
        "    wgmma.fence.sync.aligned;",
        f"    {instruction} {{{d}}}, {a}, db{sparse}, p{end};",
        "    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;",
    ]  # fmt: skip
    lines += [f"    st.global.b32 [g+{4 * nth}], {name};" for nth, name in enumerate(names)]
    return lines + ["    ret;", "}"]


written = set()
seed = 600


def case(kernel_name, n, k, a_type, b_type, d_type, *, widths=(16, 16), turned=(False, False), in_registers=False, signs=(1, 1),
         counts=True, saturates="", first=0, selector=None, over=False):  # fmt: skip
    """A product of 64 by n elements; every keyword is a variation of the layout or of the operands."""
    global seed
    seed += 3
    (bits, low, high, encode), (_, b_low, b_high, b_encode) = TYPES[a_type], TYPES[b_type]
    a, b, c = small((64, k), seed, low, high), small((n, k), seed + 1, b_low, b_high), small((64, n), seed + 2, -90, 91)
    if saturates:
        c = np.where(np.arange(c.size).reshape(c.shape) % 2, 2**31 - 50, -(2**31) + 50)
    left, metadata = a, np.zeros((128, 0), u32)
    if selector is not None:
        found = [sparse(a[16 * warp : 16 * warp + 16], bits, selector, True, seed + 300 + warp) for warp in range(4)]
        a, left, metadata = (np.concatenate(parts) for parts in zip(*found))
    image = bytearray(1 << 16)
    where = first

    def described(matrix, bits, encode, width, is_turned):
        nonlocal where
        at, units, lines = where, width // 16, matrix.shape[0]
        along = matrix.shape[1] * bits // 128
        assert is_turned or units == 1 or along <= units
        core = 8 * width  # eight lines (turned: of k) of a swizzle's width
        if not is_turned:
            # Tiles with a gap of a core matrix between them; without a swizzle, the second unit far behind the first.
            stride = core + (0 if width == 128 else 128 * units)
            leading = (lines // 8) * stride + 64 if units == 1 else 16
            where += along * leading + (lines // 8) * stride
        else:
            tiles = -(-lines // (8 * units))
            if units == 1:
                stride, leading = core, core * (lines // 8) + 32
                where += matrix.shape[1] // 8 * leading
            else:
                leading, stride = matrix.shape[1] // 8 * core, core
                where += tiles * leading
        where = -(-where // 1024) * 1024 + first
        return put(image, matrix, at, bits, encode, width, is_turned, leading, stride, first)

    a_desc = 0 if in_registers else described(left, bits, encode, widths[0], turned[0])
    b_desc = described(b, bits, b_encode, widths[1], turned[1])
    if a_type == "b1":
        product = (a[:, None, :] & b[None, :, :]).sum(axis=2)
    else:
        product = signs[0] * signs[1] * (a @ b.T)
    d = product + (c if counts else 0)
    if saturates:
        d = np.clip(d, -(2**31), 2**31 - 1)
    if d_type == "f16":
        registers = lambda x: pack(16, result(x).astype(f16).view(u16).reshape(128, -1, 2))  # noqa: E731
    else:
        registers = lambda x: result(x).astype({"f32": f32, "s32": i32}[d_type]).view(u32)  # noqa: E731
    words = np.frombuffer(bytes(image[: -(-where // 4) * 4]), u32)
    count = registers(d).shape[1]
    name = f"{kernel_name}_{seed}"
    save(f"{name}_image", words)
    operands = np.concatenate([rows_of(left, bits, encode) if in_registers else np.zeros((128, 0), u32), metadata], axis=1)
    save(f"{name}_a", operands.reshape(-1) if operands.size else np.zeros(1), u32)
    save(f"{name}_d", registers(c).reshape(-1), u32)
    save(f"expected_{name}", registers(d).reshape(-1), u32)
    if kernel_name not in written:
        written.add(kernel_name)
        end = ""
        if a_type not in ("s8", "u8", "b1"):
            end = f", {signs[0]}, {signs[1]}"
        if a_type in ("f16", "bf16"):
            end += ("" if in_registers else f", {int(turned[0])}") + f", {int(turned[1])}"
        op = ".and.popc" if a_type == "b1" else ""
        variant = "" if selector is None else ".sp"
        instruction = f"wgmma.mma_async{variant}.sync.aligned.m64n{n}k{k}{saturates}.{d_type}.{a_type}.{b_type}{op}"
        source.extend(kernel(kernel_name, instruction, count, in_registers, selector, over, end))
    tests.extend([
        f"$ warpwise {command} products.ptx --entry {kernel_name} --grid 1 --block 128 --smem {4 * words.size} --arg @{name}_image.npy "
        f"--arg u32:{words.size} --arg @{name}_a.npy --arg @{name}_d.npy --arg u64:{a_desc} --arg u64:{b_desc} "
        f"--arg u32:{int(counts)} --expect 3=expected_{name}.npy\n" for command in ("run", "check")
    ])  # fmt: skip


for widths in ((16, 16), (32, 64), (64, 128), (128, 32)):
    case("along_k", 24, 16, "f16", "f16", "f32", widths=widths, counts=widths[0] != 32)
for widths in ((16, 16), (32, 64), (64, 128), (128, 32)):
    case("along_lines", 72, 16, "f16", "f16", "f16", widths=widths, turned=(True, True))
case("along_k", 24, 16, "f16", "f16", "f32", widths=(128, 128), first=384)
case("along_lines", 72, 16, "f16", "f16", "f16", widths=(128, 64), turned=(True, True), first=640)
case("rows_in_registers", 16, 16, "bf16", "bf16", "f32", widths=(0, 128), turned=(False, True), in_registers=True, signs=(-1, 1))
case("d_over_a", 24, 16, "f16", "f16", "f16", widths=(0, 16), in_registers=True, counts=False, over=True)
case("negated", 8, 16, "bf16", "bf16", "f32", widths=(64, 32), turned=(True, False), signs=(1, -1))
case("widest", 256, 16, "f16", "f16", "f32", widths=(128, 128), turned=(False, True))
case("tf32", 8, 8, "tf32", "tf32", "f32", widths=(128, 64), signs=(-1, -1))
case("tf32_in_registers", 40, 8, "tf32", "tf32", "f32", widths=(0, 32), in_registers=True)
case("e4m3", 40, 32, "e4m3", "e5m2", "f16", widths=(32, 128), signs=(-1, 1))
case("e5m2_in_registers", 8, 32, "e5m2", "e5m2", "f32", widths=(0, 64), in_registers=True, counts=False)
case("s8", 48, 32, "s8", "u8", "s32", widths=(128, 128))
case("u8_in_registers", 16, 32, "u8", "u8", "s32", widths=(0, 16), in_registers=True)
case("saturating", 24, 32, "s8", "s8", "s32", widths=(64, 64), saturates=".satfinite")
case("bits", 32, 256, "b1", "b1", "s32", widths=(16, 32))
case("bits_in_registers", 8, 256, "b1", "b1", "s32", widths=(0, 128), in_registers=True)
case("sparse", 24, 32, "f16", "f16", "f32", widths=(32, 128), selector=0)
case("sparse_turned", 16, 32, "bf16", "bf16", "f32", widths=(128, 64), turned=(True, True), selector=1, signs=(-1, 1))
case("sparse_tf32_in_registers", 8, 16, "tf32", "tf32", "f32", widths=(0, 64), in_registers=True, selector=1)
case("sparse_e4m3", 8, 64, "e4m3", "e4m3", "f16", widths=(16, 16), selector=0)
case("sparse_s8_in_registers", 16, 64, "s8", "u8", "s32", widths=(0, 128), in_registers=True, selector=0, saturates=".satfinite")

(HERE / "products.ptx").write_text("\n".join(source) + "\n")
(HERE / "products.test").write_text("\n".join(tests))

# gemm.cu: c = a b for matrices of 64 by 64.
a, b = small((64, 64), 700, -4, 5), small((64, 64), 701, -4, 5)
save("gemm_a", a.reshape(-1), f16)
save("gemm_b", b.reshape(-1), f16)
save("expected_gemm", (a @ b).reshape(-1), f32)
