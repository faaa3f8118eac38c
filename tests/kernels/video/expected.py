#!/usr/bin/env python3
"""Kernels of the video instructions, their inputs and expected outputs: PTX ISA 9.1, 9.7.18, its pseudo-code in Python's integers."""

import itertools
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
LANES = 32
TYPES = ["u32", "s32"]
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def extend(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def clamp(value, bits, signed):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return max(low, min(high, value))


# Scalar instructions.


def width(selector):
    return {"b": 8, "h": 16}[selector[0]] if selector else 32


def part(value, kind, selector):
    """partSelectSignExtend"""
    bits = width(selector)
    return extend(value >> (bits * int(selector[1])) if selector else value, bits, kind == "s32")


def finished(tmp, c, dtype, sat, second, dsel):
    """optSaturate, optSecondaryOp, optMerge"""
    signed = dtype == "s32"
    if sat:
        tmp = clamp(tmp, width(dsel), signed)
    if second:
        c = extend(c, 32, signed)
        tmp = {"add": tmp + c, "min": min(tmp, c), "max": max(tmp, c)}[second]
    if dsel:
        bits, at = width(dsel), width(dsel) * int(dsel[1])
        mask = ((1 << bits) - 1) << at
        tmp = tmp << at & mask | c & ~mask
    return tmp & M32


SCALAR = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}
SELECTORS = ["", "b0", "b1", "b2", "b3", "h0", "h1"]


def dotted(selector):
    return "." + selector if selector else ""


def ways(r):
    """How an instruction ends: secondary operation, selector of the result, whether there is a third operand."""
    yield None, "", False
    for second in "add", "min", "max":
        yield second, "", True
    yield None, r.choice(SELECTORS[1:5]), True
    yield None, r.choice(SELECTORS[5:]), True


def scalar(r):
    for (name, op), dtype, atype, btype, sat in itertools.product(SCALAR.items(), TYPES, TYPES, TYPES, [0, 1]):
        for second, dsel, third in r.sample(list(ways(r)), 3):
            asel, bsel = r.choice(SELECTORS), r.choice(["", r.choice(SELECTORS)])
            text = f"{name}.{dtype}.{atype}.{btype}" + ".sat" * sat + dotted(second)
            text += f" d{dotted(dsel)}, a{dotted(asel)}, b{dotted(bsel)}" + ", c" * third

            def model(a, b, c, op=op, dtype=dtype, atype=atype, btype=btype, sat=sat, s=second, d=dsel, x=asel, y=bsel):
                return finished(op(part(a, atype, x), part(b, btype, y)), c, dtype, sat, s, d)

            yield text, model


def shifts(r):
    for name, dtype, atype, sat, mode in itertools.product(["vshl", "vshr"], TYPES, TYPES, [0, 1], ["clamp", "wrap"]):
        for second, dsel, third in r.sample(list(ways(r)), 4):
            asel, bsel = r.choice(["", r.choice(SELECTORS)]), r.choice(SELECTORS)
            text = f"{name}.{dtype}.{atype}.u32" + ".sat" * sat + f".{mode}" + dotted(second)
            text += f" d{dotted(dsel)}, a{dotted(asel)}, b{dotted(bsel)}" + ", c" * third

            def model(a, b, c, name=name, dtype=dtype, atype=atype, sat=sat, mode=mode, s=second, d=dsel, x=asel, y=bsel):
                ta, tb = part(a, atype, x), part(b, "u32", y)
                tb = min(tb, 32) if mode == "clamp" else tb & 31
                return finished(ta << tb if name == "vshl" else ta >> tb, c, dtype, sat, s, d)

            yield text, model


def sets(r):
    for atype, btype, compare in itertools.product(TYPES, TYPES, COMPARE):
        for second, dsel, third in r.sample(list(ways(r)), 3):
            asel, bsel = r.choice(SELECTORS), r.choice(SELECTORS)
            text = f"vset.{atype}.{btype}.{compare}" + dotted(second)
            text += f" d{dotted(dsel)}, a{dotted(asel)}, b{dotted(bsel)}" + ", c" * third

            def model(a, b, c, atype=atype, btype=btype, compare=compare, s=second, d=dsel, x=asel, y=bsel):
                tmp = int(COMPARE[compare](part(a, atype, x), part(b, btype, y)))
                return finished(tmp, c, "u32", 0, s, d)

            yield text, model


def products(r):
    for atype, btype, sat, scale in itertools.product(TYPES, TYPES, [0, 1], ["", "shr7", "shr15"]):
        for form in "", "po", "a", "b", "c":
            asel, bsel = r.choice(["", r.choice(SELECTORS)]), r.choice(["", r.choice(SELECTORS)])
            final = atype == "s32" or btype == "s32" or form in ("a", "b", "c")
            dtype = "s32" if final else "u32"
            text = f"vmad.{dtype}.{atype}.{btype}" + ".po" * (form == "po") + ".sat" * sat + dotted(scale)
            sign = {name: "-" * (form == name) for name in "abc"}
            text += f" d, {sign['a']}a{dotted(asel)}, {sign['b']}b{dotted(bsel)}, {sign['c']}c"

            def model(a, b, c, atype=atype, btype=btype, sat=sat, scale=scale, form=form, final=final, x=asel, y=bsel):
                tmp, lsb = part(a, atype, x) * part(b, btype, y), 0
                if form == "po":
                    lsb = 1
                elif form in ("a", "b"):
                    tmp, lsb = ~tmp, 1
                elif form == "c":
                    c, lsb = ~c & M32, 1
                tmp += extend(c, 32, final) + lsb
                tmp >>= int(scale[3:] or 0)
                return (clamp(tmp, 32, final) if sat else tmp) & M32

            yield text, model


# SIMD instructions.

SIMD = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vavrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}


def elements(a, b, kind, selector, count):
    """extractAndSignExt"""
    bits = 32 // count
    both = [v >> bits * i for v in (a, b) for i in range(count)]
    return [extend(both[int(digit)], bits, kind == "s32") for digit in reversed(selector)]


def together(t, c, mask, add, count):
    bits = 32 // count
    if add:
        return (c + sum(t[i] for i in range(count) if str(i) in mask)) & M32
    d = 0
    for i in range(count):
        d |= ((t[i] if str(i) in mask else c >> bits * i) & ((1 << bits) - 1)) << bits * i
    return d


def spelled(r, count):
    """Mask and selectors: as text, and what they mean."""
    letter = "b" if count == 4 else "h"
    all_of = "".join(str(i) for i in reversed(range(2 * count)))
    mask, asel, bsel = all_of[count:], all_of[count:], all_of[:count]
    texts = ["", "", ""]
    if r.random() < 0.5:
        mask = "".join(digit for digit in mask if r.random() < 0.6) or "0"
        texts[0] = f".{letter}{mask}"
    if r.random() < 0.5:
        asel = "".join(r.choice(all_of) for _ in range(count))
        texts[1] = f".{letter}{asel}"
    if r.random() < 0.5:
        bsel = "".join(r.choice(all_of) for _ in range(count))
        texts[2] = f".{letter}{bsel}"
    return texts, (mask, asel, bsel)


def simd(r):
    for count, (name, op), dtype, atype, btype in itertools.product([2, 4], SIMD.items(), TYPES, TYPES, TYPES):
        for end in "", ".sat", ".add":
            (d, x, y), (mask, asel, bsel) = spelled(r, count)
            text = f"{name}{count}.{dtype}.{atype}.{btype}{end} d{d}, a{x}, b{y}, c"

            def model(a, b, c, o=op, n=count, dt=dtype, at=atype, bt=btype, end=end, m=mask, x=asel, y=bsel):
                pairs = zip(elements(a, b, at, x, n), elements(a, b, bt, y, n))
                t = [o(p, q) for p, q in pairs]
                if end == ".sat":
                    t = [clamp(v, 32 // n, dt == "s32") for v in t]
                return together(t, c, m, end == ".add", n)

            yield text, model


def simd_sets(r):
    for count, atype, btype, compare in itertools.product([2, 4], TYPES, TYPES, COMPARE):
        for end in "", ".add":
            (d, x, y), (mask, asel, bsel) = spelled(r, count)
            text = f"vset{count}.{atype}.{btype}.{compare}{end} d{d}, a{x}, b{y}, c"

            def model(a, b, c, n=count, at=atype, bt=btype, o=compare, end=end, m=mask, x=asel, y=bsel):
                pairs = zip(elements(a, b, at, x, n), elements(a, b, bt, y, n))
                t = [int(COMPARE[o](p, q)) for p, q in pairs]
                return together(t, c, m, end == ".add", n)

            yield text, model


def szext(_):
    """9.7.1.21"""
    for mode, kind in itertools.product(["clamp", "wrap"], TYPES):
        for amount in 0, 1, 7, 8, 31, 32, 33, 255, 256, 0xFFFFFFFF, None:

            def model(a, b, c, mode=mode, kind=kind, amount=amount):
                n = b & 0x3F if amount is None else amount
                low = n & 31
                if mode == "clamp" and n >= 32:
                    return a
                return extend(a, low, kind == "s32") & M32 if low else 0

            amount = "e" if amount is None else amount
            yield f"szext.{mode}.{kind} d, a, {amount}", model


def kernel(name, variants):
    """A kernel whose lanes execute every variant, each with other neighbours, and what it stores."""
    words = [
        [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF],
        [0, 1, 0x1F, 0x20, 0x21, 0x80, 0xFFFF, 0x80008000, 0x7FFF8000, 0x80000000, 0x80000001, 0xFFFFFFFF],
        [0, 1, 0xFF, 0x100, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF],
    ]
    inputs = []
    for nth, corners in enumerate(words):
        rest = noise(LANES - len(corners), 40 + nth)
        # Bytes at the edges are common.
        rest = [int(v) | (0x7F000080 if i % 3 == 0 else 0) for i, v in enumerate(rest)]
        inputs.append(corners + rest)
    text, expected = [], []
    for nth, (instruction, model) in enumerate(variants):
        text.append(f"    add.u32 i, lane, {nth}; and.b32 i, i, 31; mad.wide.u32 q, i, 4, pb; ld.global.u32 b, [q];")
        text.append(f"    mad.wide.u32 q, i, 4, pc; ld.global.u32 c, [q]; and.b32 e, b, 63;")
        text.append(f"    {instruction};")
        text.append(f"    st.global.u32 [out+{4 * LANES * nth}], d;")
        for lane in range(LANES):
            other = (lane + nth) % LANES
            expected.append(model(inputs[0][lane], inputs[1][other], inputs[2][other]))
    save(f"expected_{name}", np.array(expected, u32))
    for letter, values in zip("abc", inputs):
        save(letter, np.array(values, u32))
    head = f""".visible .entry {name}(.param .u64 in_a, .param .u64 in_b, .param .u64 in_c, .param .u64 result)
{{
    .reg .b32 a, b, c, d, e, i, lane;
    .reg .b64 pa, pb, pc, q, out;
    ld.param.u64 pa, [in_a];
    ld.param.u64 pb, [in_b];
    ld.param.u64 pc, [in_c];
    ld.param.u64 out, [result];
    mov.u32 lane, %tid.x;
    mad.wide.u32 q, lane, 4, pa;
    ld.global.u32 a, [q];
    mad.wide.u32 out, lane, 4, out;
"""
    return head + "\n".join(text) + "\n    ret;\n}\n", len(expected)


def main():
    families = [scalar, shifts, sets, products, simd, simd_sets, szext]
    ptx = "// Written by expected.py.\n.version 7.8\n.target sm_75\n.address_size 64\n\n"
    test = "# Video instructions, and szext, against the manual's pseudo-code (expected.py).\n"
    for family in families:
        text, count = kernel(family.__name__, family(random.Random(family.__name__)))
        ptx += text + "\n"
        test += f"\n$ warpwise run video.ptx --entry {family.__name__} --grid 1 --block 32 --arg @a.npy --arg @b.npy --arg @c.npy --arg u32[{count}]=0 --out 3=out.npy\n"
        test += f"= out.npy expected_{family.__name__}.npy\n"
    (HERE / "video.ptx").write_text(ptx.rstrip("\n") + "\n")
    (HERE / "video.test").write_text(test)


main()
