#!/usr/bin/env python3
"""The kernels `each.ptx` and `clusters.ptx`, which update memory by that of others (PTX ISA 9.1, cp.reduce.async.bulk), one case
after the other, 128 bytes each; what they find, what it is updated by, and what numpy makes of both."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
BYTES = 128


def bf16(bits):
    """The numbers of binary32 that these bits of bf16 are."""
    return (bits.astype(u32) << 16).view(f32)


def to_bf16(numbers):
    """Rounded to nearest even."""
    bits = numbers.view(u32).astype(u64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def flushed(numbers):
    """Subnormals are zeros of their sign."""
    small = np.abs(numbers) < np.float32(2.0**-126)
    return np.where(small, np.copysign(np.float32(0), numbers), numbers)


def bits(seed, dtype):
    noise = noise64(BYTES // np.dtype(dtype).itemsize, seed)
    return noise.astype(np.dtype(f"u{np.dtype(dtype).itemsize}")).view(dtype)


def halves(seed):
    """Multiples of 2^-8 below 16: sums are rounded."""
    return ((noise64(BYTES // 2, seed) % u64(8191)).astype(np.int64) - 4095).astype(np.float64) / 256


def mixed(seed):
    """Some of the numbers are subnormal, and some sums."""
    numbers = ((noise64(32, seed) >> u64(40)).astype(np.int64) - (1 << 23)).astype(f32)
    numbers[::4] *= np.float32(2.0**-149)
    numbers[1::4] *= np.float32(2.0**-147)
    numbers[2::4] *= np.float32(1.1)
    return numbers


def bf16s(seed):
    """Eight bits of significand and exponents within ten of each other: sums are exact in binary32."""
    noise = noise64(BYTES // 2, seed)
    significand, exponent = noise & u64(0x7F), u64(122) + (noise >> u64(8)) % u64(10)
    return (exponent << u64(7) | significand | (noise >> u64(20) & u64(1)) << u64(15)).astype(np.uint16)


def inc(old, by):
    return np.where(old >= by, 0, old + 1).astype(u32)


def dec(old, by):
    return np.where((old == 0) | (old > by), by, old - 1).astype(u32)


BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
LEAST = {"min": np.minimum, "max": np.maximum}
TYPES = {"u32": u32, "s32": i32, "u64": u64, "s64": np.int64, "b32": u32, "b64": u64, "f64": np.float64}

cases = []


def case(words, old, by, new):
    for part in old, by, new:
        assert part.nbytes == BYTES
    cases.append((words, old, by, new))


def integers(op, ty, function):
    seed = 10 * len(cases)
    old, by = bits(seed + 1, TYPES[ty]), bits(seed + 2, TYPES[ty])
    case(f"{op}.{ty}", old, by, function(old, by))


def counters(op, function):
    old, by = bits(7, u32) % u32(50), bits(8, u32) % u32(50)
    case(f"{op}.u32", old, by, function(old, by))


for op, function in BITS.items():
    integers(op, "b32", function)
for op, function in LEAST.items():
    integers(op, "u32", function)
    integers(op, "s32", function)
integers("add", "u32", np.add)
integers("add", "s32", np.add)
integers("add", "u64", np.add)
counters("inc", inc)
counters("dec", dec)
SHARED = len(cases)
for op, function in BITS.items():
    integers(op, "b64", function)
for op, function in LEAST.items():
    integers(op, "u64", function)
    integers(op, "s64", function)
    old, by = halves(3).astype(np.float16), halves(4).astype(np.float16)
    case(f"{op}.f16", old, by, function(old, by))
    old, by = bf16s(5), bf16s(6)
    case(f"{op}.bf16", old, by, to_bf16(function(bf16(old), bf16(by))))
old, by = mixed(11), mixed(12)
case("add.f32", old, by, flushed(flushed(old) + flushed(by)))
case("add.noftz.f32", old, by, old + by)
old, by = mixed(13)[:16].astype(f64) / 3, mixed(14)[:16].astype(f64) / 7
case("add.f64", old, by, old + by)
old, by = halves(15).astype(np.float16), halves(16).astype(np.float16)
case("add.noftz.f16", old, by, (old.astype(f32) + by.astype(f32)).astype(np.float16))
old, by = bf16s(17), bf16s(18)
case("add.noftz.bf16", old, by, to_bf16(bf16(old) + bf16(by)))


def words(nth):
    return np.concatenate([np.ascontiguousarray(each[nth]).view(u32) for each in cases])


for name, nth in ("old", 1), ("by", 2), ("expected", 3):
    save(name, words(nth), u32)
    save(f"{name}_shared", words(nth)[: SHARED * BYTES // 4], u32)

HEAD = """// Made by cases.py.
.version 9.4
.target sm_90
.address_size 64
"""

BEFORE = """
    .reg .pred %first, %more, %done;
    .reg .b32 %thread, %at, %end, %v<4>, %far, %bar;
    .reg .b64 %to, %by, %from, %state;
    ld.param.u64 %to, [to];
    ld.param.u64 %by, [by];
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %first, %thread, 0;
    mov.u32 %at, held;
    mad.lo.u32 %at, %thread, 16, %at;
    mov.u32 %end, held;
    add.u32 %end, %end, SIZE;
    mad.wide.u32 %from, %thread, 16, SOURCE;
fill:
    setp.lt.u32 %more, %at, %end;
    @!%more bra filled;
    ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%from];
    st.shared.v4.b32 [%at], {%v0, %v1, %v2, %v3};
    add.u32 %at, %at, 512;
    add.u64 %from, %from, 512;
    bra fill;
filled:
    fence.proxy.async.shared::cta;
"""


def kernel(name, parameters, held, before, body):
    return f".visible .entry {name}({parameters})\n{{\n{held}{before}{body}    ret;\n}}\n"


def each():
    size = BYTES * len(cases)
    body = "    bar.sync 0;\n    @!%first ret;\n    mov.u32 %at, held;\n"
    for nth, (words, *_) in enumerate(cases):
        place = f"[%to+{BYTES * nth}], [held+{BYTES * nth}], {BYTES}"
        body += f"    cp.reduce.async.bulk.global.shared::cta.bulk_group.{words} {place};\n"
    body += "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n"
    before = BEFORE.replace("SIZE", str(size)).replace("SOURCE", "%by")
    held = f"    .shared .align 128 .b8 held[{size}];\n"
    text = kernel("each", ".param .u64 to, .param .u64 by", held, before, body)
    (HERE / "each.ptx").write_text(HEAD + "\n" + text)


def clusters():
    """The second CTA of a cluster updates the memory of the first."""
    size = BYTES * SHARED
    body = """    mov.u32 %bar, ready;
    mov.u32 %v0, %cluster_ctarank;
    @%first mbarrier.init.shared::cta.b64 [%bar], 1;
    @%first fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.eq.u32 %more, %v0, 0;
    @%more bra waits;
    @!%first bra over;
    mapa.shared::cluster.u32 %bar, %bar, 0;
    mov.u32 %far, held;
    mapa.shared::cluster.u32 %far, %far, 0;
"""
    for nth, (words, *_) in enumerate(cases[:SHARED]):
        place = f"[%far+{BYTES * nth}], [held+{BYTES * nth}], {BYTES}, [%bar]"
        how = "shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        body += f"    cp.reduce.async.bulk.{how}.{words} {place};\n"
    body += f"""    bra over;
waits:
    @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], {size};
again:
    mbarrier.try_wait.parity.shared::cta.b64 %done, [%bar], 0;
    @!%done bra again;
    mov.u32 %at, held;
    mad.lo.u32 %at, %thread, 16, %at;
    mad.wide.u32 %to, %thread, 16, %to;
empty:
    setp.lt.u32 %more, %at, %end;
    @!%more bra over;
    ld.shared.v4.b32 {{%v0, %v1, %v2, %v3}}, [%at];
    st.global.v4.b32 [%to], {{%v0, %v1, %v2, %v3}};
    add.u32 %at, %at, 512;
    add.u64 %to, %to, 512;
    bra empty;
over:
    barrier.cluster.arrive;
    barrier.cluster.wait;
"""
    before = BEFORE.replace("SIZE", str(size)).replace("SOURCE", "%by")
    which = "    mov.u32 %v0, %cluster_ctarank;\n    setp.eq.u32 %more, %v0, 0;\n    selp.b64 %by, %to, %by, %more;\n    mov.u32 %at, held;\n"
    before = before.replace("    mov.u32 %at, held;\n", which, 1)
    held = f"    .shared .align 128 .b8 held[{size}];\n    .shared .align 8 .b64 ready;\n"
    text = kernel("clusters", ".param .u64 to, .param .u64 by", held, before, body)
    (HERE / "clusters.ptx").write_text(HEAD + "\n" + text)


each()
clusters()
