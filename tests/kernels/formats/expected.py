#!/usr/bin/env python3
"""Conversions to and from formats of 8, 6 and 4 bits, and their expected results by exact search among all codes.

Writes `formats.ptx` and `formats.test`: a kernel per conversion, whose thread converts a pair. PTX ISA 9.1, 9.7.9.21 `cvt`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
THREADS = 256

# Name: bits of an element in a pair, bits of exponent and fraction, bias, the largest code, and what a NaN becomes.
FORMATS = {
    "e4m3x2": (8, 4, 3, 7, 0x7E, 0x7F),
    "e5m2x2": (8, 5, 2, 15, 0x7B, 0x7F),
    "e2m3x2": (8, 2, 3, 1, 0x1F, 0x1F),
    "e3m2x2": (8, 3, 2, 3, 0x1F, 0x1F),
    "e2m1x2": (4, 2, 1, 1, 0x07, 0x07),
}


def magnitude(code, exponent, fraction, bias):
    """The value of a code without its sign."""
    field, low = code >> fraction, code & ((1 << fraction) - 1)
    return (low / 2**fraction + (field != 0)) * 2.0 ** (max(field, 1) - bias)


def encoded(value, name, relu):
    """To nearest even, and to the largest number beyond it."""
    _, exponent, fraction, bias, largest, nan = FORMATS[name]
    if np.isnan(value):
        return nan
    if relu and np.signbit(value):
        return 0
    codes = np.arange(largest + 1)
    values = np.array([magnitude(int(code), exponent, fraction, bias) for code in codes])
    distance = np.abs(values - min(abs(value), 1e9))
    nearest = codes[distance == distance.min()]
    code = int(nearest[nearest % 2 == 0][0] if len(nearest) == 2 else nearest[0])
    return code | int(np.signbit(value)) << (exponent + fraction)


def decoded(code, name, relu):
    _, exponent, fraction, bias, _, _ = FORMATS[name]
    sign, low = code >> (exponent + fraction) & 1, code & ((1 << (exponent + fraction)) - 1)
    if name == "e4m3x2" and low == 0x7F or name == "e5m2x2" and low > 0x7C:
        return np.nan
    value = np.inf if name == "e5m2x2" and low == 0x7C else magnitude(low, exponent, fraction, bias)
    return (0.0 if relu else -value) if sign else value


def power(value, up, finite):
    """The exponent of a power of two below or above, with a bias of 127."""
    if np.isnan(value):
        return 0xFF
    value = abs(float(value))
    codes = range(0xFF)
    if up:
        found = next((code for code in codes if 2.0 ** (code - 127) >= value), 0xFF)
    else:
        found = 0xFF if np.isinf(value) else max((code for code in codes if 2.0 ** (code - 127) <= value), default=0)
    return 0xFE if finite and found == 0xFF else found


def bf16_bits(values):
    """Of numbers that are bf16."""
    bits = np.asarray(values, f32).view(u32)
    return np.where(np.isnan(values), u32(0x7FFF), bits >> u32(16)).astype(u32)


def f16_bits(values):
    bits = np.asarray(values).astype(f16).view(u16).astype(u32)
    return np.where(np.isnan(values), u32(0x7FFF), bits)


source = ["// Conversions to and from formats of 8, 6 and 4 bits. Written by expected.py.", "", ".version 9.2", ".target sm_120a", ".address_size 64"]
tests = ["# Conversions to and from formats of 8, 6 and 4 bits, bit for bit.", ""]


def kernel(name, mnemonic, operands, d_bits, data, expected):
    """A kernel that converts an element of the array `data` a thread, or two."""
    save(f"expected_{name}", expected, u32)
    wide = {8: "cvt.u32.u8 x, d;", 16: "cvt.u32.u16 x, d;", 32: "mov.b32 x, d;"}[d_bits]
    lines = [
        f".visible .entry {name} (.param .u64 in, .param .u64 out)", "{",
        "    .reg .b32 a32, c32, x;", "    .reg .b16 a16;", "    .reg .b8 a8;", f"    .reg .b{d_bits} d;",
        "    .reg .u64 p;", "    .reg .u32 t;", "    mov.u32 t, %tid.x;", "    ld.param.u64 p, [in];", "    mad.wide.u32 p, t, 4, p;",
        "    ld.global.b32 a32, [p];", "    cvt.u16.u32 a16, a32;", "    cvt.u8.u32 a8, a32;",
        *([f"    ld.global.b32 c32, [p+{4 * THREADS}];"] if "c32" in operands else []),
        f"    {mnemonic} d, {operands};", f"    {wide}", "    ld.param.u64 p, [out];", "    mad.wide.u32 p, t, 4, p;",
        "    st.global.b32 [p], x;", "    ret;", "}",
    ]
    source.extend(lines)
    tests.extend([
        f"$ warpwise run formats.ptx --entry {name} --grid 1 --block {THREADS} --arg @{data}.npy --arg u32[{THREADS}]=0 --out 1=d.npy",
        f"= d.npy expected_{name}.npy", "",
    ])


# Numbers of every exponent near those formats, ties among them; zeros, extremes, infinities and NaNs.
random = noise(2 * THREADS, 1)
field = u32(127) + (random >> u32(8)) % u32(36) - u32(20)
few = np.where(random % u32(3) == 0, u32(0x7F_FFFF), u32(0x70_0000))
singles = (random & u32(0x8000_0000)) | field << u32(23) | (noise(2 * THREADS, 2) & few)
special = [0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F7FFFFF, 0x00000001, 0x00400000, 0x00400001, 0x003FFFFF,
           0x00800000, 0x7F000000, 0x7F000001, 0x7EFFFFFF, 0x00600000, 0x80700000, 0x3F800000, 0x3F800001, 0xC0000000]
singles[: 13 * len(special) : 13] = special
singles[7 : 7 + 17 * len(special) : 17] = special
save("singles", singles, u32)
with np.errstate(all="ignore"):
    halves = singles.view(f32).astype(f16)
pairs = {"f16x2": halves.view(u16), "bf16x2": (singles >> u32(16)).astype(u16)}
values = {"f16x2": halves.astype(f64), "bf16x2": (singles & u32(0xFFFF_0000)).view(f32).astype(f64)}
for name, array in pairs.items():
    save(f"pairs_{name}", array.view(u32))
t = np.arange(THREADS)
save("codes", t | (7 * t + 3 & 255) << 8, u32)
save("codes_of_6", (t | (7 * t + 3 & 255) << 8) & 0x3F3F, u32)

for name, (bits, exponent, fraction, _, _, _) in FORMATS.items():
    d_bits = 2 * bits
    for relu in ("", ".relu"):
        suffix = relu.replace(".", "_")
        of = singles.view(f32).astype(f64)
        single = [encoded(a, name, relu) << bits | encoded(b, name, relu) for a, b in zip(of[:THREADS], of[THREADS:])]
        kernel(f"{name}_f32{suffix}", f"cvt.rn.satfinite{relu}.{name}.f32", "a32, c32", d_bits, "singles", single)
        for half, of in values.items():
            pair = [encoded(high, name, relu) << bits | encoded(low, name, relu) for low, high in zip(of[::2], of[1::2])]
            kernel(f"{name}_{half}{suffix}", f"cvt.rn.satfinite{relu}.{name}.{half}", "a32", d_bits, f"pairs_{half}", pair)
        codes = "codes_of_6" if exponent + fraction == 5 else "codes"
        data = np.load(HERE / f"{codes}.npy")
        pair = [[decoded(int(word) >> shift, name, relu) for word in data] for shift in (0, bits)]
        operand = "a8" if bits == 4 else "a16"
        for half, to in (("f16x2", f16_bits), ("bf16x2", bf16_bits)):
            low, high = [to(np.array(part)) for part in pair]
            kernel(f"{half}_{name}{suffix}", f"cvt.rn{relu}.{half}.{name}", operand, 32, codes, low | high << u32(16))

for rounding in ("rz", "rp"):
    for finite in ("", ".satfinite"):
        suffix = f"_{rounding}{finite}".replace(".", "_")
        of = singles.view(f32).astype(f64)
        up = rounding == "rp"
        single = [power(a, up, finite) << 8 | power(b, up, finite) for a, b in zip(of[:THREADS], of[THREADS:])]
        kernel(f"ue8m0x2_f32{suffix}", f"cvt.{rounding}{finite}.ue8m0x2.f32", "a32, c32", 16, "singles", single)
        of = values["bf16x2"]
        pair = [power(high, up, finite) << 8 | power(low, up, finite) for low, high in zip(of[::2], of[1::2])]
        kernel(f"ue8m0x2_bf16x2{suffix}", f"cvt.{rounding}{finite}.ue8m0x2.bf16x2", "a32", 16, "pairs_bf16x2", pair)
data = np.load(HERE / "codes.npy")
low, high = [bf16_bits(np.array([np.nan if code == 255 else 2.0 ** (int(code) - 127) for code in data >> u32(shift) & u32(255)])) for shift in (0, 8)]
kernel("bf16x2_ue8m0x2", "cvt.rn.bf16x2.ue8m0x2", "a16", 32, "codes", low | high << u32(16))

(HERE / "formats.ptx").write_text("\n".join(source) + "\n")
(HERE / "formats.test").write_text("\n".join(tests))
