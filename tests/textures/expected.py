#!/usr/bin/env python3
"""What threads read of textures with levels of detail, offsets, border colours and sRGB: expected.tsv, in exact rationals.

Texels, weights and addresses are by the CUDA C++ Programming Guide ("Texture Fetching"); levels of detail by OpenGL 4.6, 8.14 "Texture
Minification" (the guide has no formula); sRGB by IEC 61966-2-1; all with the bits that an H100 has (docs/conformance.md). Powers and
logarithms are computed with 60 digits. Only the standard library is used."""

import random
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as Q
from math import floor, trunc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from texels import around, cut, exponent, mean, to_f16, to_f32  # noqa: E402

getcontext().prec = 60
LEVEL = 512
random.seed(20)


def single(value):
    """The nearest binary32 of a random number, as a rational."""
    return Q(struct.unpack("<f", struct.pack("<f", value))[0])


def bits(value):
    """The bits of a rational that is a binary32."""
    return struct.unpack("<I", struct.pack("<f", float(value)))[0]


def half_bits(value):
    return struct.unpack("<H", struct.pack("<e", float(value)))[0]


def read(levels, at, how, border, offset=(0, 0)):
    """The mean of texels of levels, each with what it counts out of 256: (width, height, values)."""
    planes = [
        plane
        for (width, height, values), whole in levels
        for plane in around(values, [width, height], at, *how, offset, border, whole)
    ]
    return mean(planes) if how[1] or len(planes) > 1 else planes[0][0][0]


def mixed(levels, number, at, how, between, border):
    """The value at a number of a level out of 256, which is inside."""
    if not between:
        return read([(levels[(number + 128) // 256], 256)], at, how, border)
    low, part = divmod(number, 256)
    both = [(levels[low], 256 - part)] + ([(levels[low + 1], part)] if part else [])
    return read(both, at, how, border)


def inside(number, bias, least, most, count):
    """The number of a level out of 256."""
    parts = max(min(trunc(number * 256) + trunc(bias * 256), floor(most * 256)), floor(least * 256))
    return min(max(parts, 0), (count - 1) * 256)


def length(x, y):
    """About the length of a vector, as an H100 has it."""
    larger, smaller = max(abs(x), abs(y)), min(abs(x), abs(y))
    unit = Q(2) ** exponent(larger)
    if smaller:
        smaller = cut(smaller, Q(2) ** (exponent(smaller) - 10))
    return cut(larger, unit / 1024) + cut(smaller * Q(11, 32), unit / 512)


# What 8 bits behind the leading one have another logarithm for than that of the middle of what they stand for.
LOWER = {0, 61, 86, 108, 109, 110, 111, 115, 116, 117, 141, 162, 170, 255}


def logarithm(value):
    """The binary logarithm, by a table for 8 bits behind the leading one."""
    begin = exponent(value)
    place = floor(value / Q(2) ** begin * 256) - 256
    middle = Q((Decimal(2 * place + 513) / 512).ln() / Decimal(2).ln())
    return begin + Q(floor(middle * 256 + Q(1, 2)) - (place in LOWER), 256)


# Linear components of sRGB are multiples of units, which begin to grow there.
STEPS = (32, 48, 64, 96, 136, 184, 248)


def linear_of_srgb(raw):
    part = Q(raw, 255)
    if part <= Q(4045, 100000):
        exact = part * 100 / 1292
    else:
        base = (part + Q(55, 1000)) * 1000 / 1055
        exact = Q((Decimal("2.4") * (Decimal(base.numerator).ln() - Decimal(base.denominator).ln())).exp())
    unit = Q(2) ** (sum(raw >= step for step in STEPS) - 14)
    return floor(exact / unit + Q(1, 2)) * unit


W, H, COUNT = 16, 8, 5
levels, w, h = [], W, H
for _ in range(COUNT):
    levels.append((w, h, [single(random.uniform(-4, 4)) for _ in range(w * h)]))
    w, h = max(w // 2, 1), max(h // 2, 1)

lines = ["# Made by expected.py. Texels of the levels, as bits of binary32."]
for w, h, values in levels:
    lines.append("\t".join(["level", str(w), str(h)] + [f"{bits(value):08x}" for value in values]))
lines.append("# Kernel; mode; filter; filter of levels; normalized; bias, least and greatest level; border; numbers of a thread; result.")


def row(kernel, mode, linear, between, normalized, limits, border, numbers, result):
    words = [kernel, mode, "linear" if linear else "point", "linear" if between else "point", "yes" if normalized else "no"]
    words += [f"{bits(number):08x}" for number in limits] + [f"{bits(border):08x}"]
    words += [f"{bits(number):08x}" for number in numbers] + [f"{result:08x}"]
    lines.append("\t".join(words))


def place(normalized):
    x, y = random.uniform(-1.5, 2.5), random.uniform(-1.5, 2.5)
    if random.random() < 0.3:
        x, y = round(x * 64) / 64, round(y * 64) / 64
    return (single(x), single(y)) if normalized else (single(x * W), single(y * H))


PLAIN = (Q(0), Q(0), Q(100))
for mode in ("wrap", "clamp", "mirror", "border"):
    for linear in (False, True):
        border = single(random.uniform(-2, 2))
        for between in (False, True):
            how = (mode, linear, True)
            for nth in range(24):
                at = place(True)
                limits = PLAIN if nth < 16 else (Q(-5, 4), Q(1, 2), Q(11, 4))
                number = single(random.uniform(-1, 6)) if nth % 4 else Q(random.randrange(-2, 13), 2)
                value = mixed(levels, inside(number, *limits, COUNT), at, how, between, border)
                row("level", mode, linear, between, True, limits, border, [*at, number], bits(to_f32(value)))
            for nth in range(16):
                at = place(True)
                scale = Q(2) ** random.randrange(-1, 6)
                if nth % 2:
                    dx, dy = (scale / W, Q(0)), (Q(0), scale / H / 2)
                else:
                    dx, dy = [tuple(single(random.uniform(-0.2, 0.2)) for _ in range(2)) for _ in range(2)]
                longest = max(length(x * W, y * H) for x, y in (dx, dy))
                number = inside(logarithm(longest), *PLAIN, COUNT)
                value = mixed(levels, number, at, how, between, border)
                row("gradient", mode, linear, between, True, PLAIN, border, [*at, *dx, *dy], bits(to_f32(value)))
        for normalized in (False, True):
            how = (mode, linear, normalized)
            for _ in range(12):
                at = place(normalized)
                value = read([(levels[0], 256)], at, how, border)
                row("base", mode, linear, True, normalized, PLAIN, border, at, bits(to_f32(value)))
                value = read([(levels[0], 256)], at, how, border, (-3, 2))
                row("offset", mode, linear, True, normalized, PLAIN, border, at, bits(to_f32(value)))
                value = to_f32(read([(levels[0], 256)], at, how, border))
                row("half", mode, linear, True, normalized, PLAIN, border, at, half_bits(to_f16(value)))

lines.append("# Of each component of sRGB, the linear one.")
for raw in range(256):
    lines.append(f"srgb\t{raw}\t{bits(to_f32(linear_of_srgb(raw))):08x}")

Path(__file__).with_name("expected.tsv").write_text("\n".join(lines) + "\n")
