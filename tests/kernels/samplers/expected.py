#!/usr/bin/env python3
"""What is read through samplers apart from textures and with offsets in layers, by the formulas of the CUDA C++ Programming Guide, and
what stores and reductions by formats leave in surfaces: integers saturate and numbers round to nearest even (OpenCL C 3.0, write_image)."""

import sys
from fractions import Fraction as Q
from math import floor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403
from texels import axis, random_floats, sample, to_f32  # noqa: E402

save = saver(__file__)
count, W, H = 512, 8, 5


def column(array):
    return [Q(float(value)) for value in array]


# Coordinates far out on both sides, many of them on borders of texels and halfway between centres.
raw = [floats(count, seed, 32.0) for seed in (21, 22)]
for array in raw:
    array[: count // 4] = np.round(array[: count // 4] * 2) / 2
    array[count // 4 : count // 2] = np.round(array[count // 4 : count // 2] * 512) / 512
x, y = [save(name, array, f32) for name, array in zip(("x", "y"), raw)]
ux, uy = [save(f"{name}_unit", array / f32(8), f32) for name, array in zip(("x", "y"), raw)]
plane = random_floats(W * H, 7)
unit = list(zip(column(ux), column(uy)))
rows = [
    ("clamp", False, True),
    ("wrap", True, True),
    ("border", False, True),
    (("mirror", "clamp"), True, True),
    ("clamp", True, False),
    ("border", True, True),
]
found = [[to_f32(sample(plane, [W, H], at, *how)) for at in unit] for how in rows]
save("expected_samplers", np.ravel(np.array(found, dtype=float)), f32)
# clamp_to_edge, clamp_to_border, mirror and wrap are 3, 4, 1 and 0; 8 texels; then of which types handles are.
save("expected_query", [3, 4, 1, 0, 0, 1, 0, 1, W, 1, 0, 1, 0, 0], u32)

# Layers: offsets count texels of the layer, and the layer stays.
layer = save("layer", ints(count, 23, 0, 5), i32)
layers = random_floats(W * H * 4, 15)
found = []
for at, l in zip(zip(column(x), column(y)), map(int, layer)):
    values = layers[min(l, 3) * W * H :][: W * H]
    how = (values, [W, H], at, "border")
    row = [sample(*how, True, False, (3, -2)), sample(*how, True, False, (-2, 3))]
    (x0, _), (x1, _) = axis(at[0], W, "border", True, False, 3)
    (y0, _), (y1, _) = axis(at[1], H, "border", True, False, -2)
    texel = lambda a, b: Q(0) if a is None or b is None else values[b * W + a]
    row += [texel(x0, y1), texel(x1, y1), texel(x1, y0), texel(x0, y0)]
    whole = [Q(floor(place)) for place in at]
    row += [sample(values, [W, H], whole, "border", False, False, (-2, -2)), sample(layers, [W, H], whole, "border", False, False)]
    found.append([to_f32(value) for value in row])
save("expected_layers", np.ravel(np.array(found, dtype=float)), f32)
found = []
for place, l in zip(column(x), map(int, layer)):
    found.append(to_f32(sample(layers[min(l, 3) * W :][:W], [W], [place], "clamp", True, False, (7,))))
save("expected_lines", np.array(found, dtype=float), f32)

# Stores: 6 x 4 texels of four values each, of which a format takes what it has.
values = noise(24 * 4, 31)
values[::3] = values[::3] >> 20
values[1::5] = (-(values[1::5] >> 20).astype(i64)).astype(u32)
save("integers", values, u32)
shaped = values.reshape(4, 6, 4)
for bits, channels in ((8, 4), (8, 1), (16, 2), (16, 4), (32, 1), (32, 4)):
    top = (1 << bits) - 1
    unsigned = np.minimum(shaped[..., :channels], u32(top))
    save(f"expected_u{bits}x{channels}", np.ravel(unsigned), {8: u8, 16: u16, 32: u32}[bits])
    signed = np.clip(shaped[..., :channels].view(i32), -(top // 2) - 1, top // 2)
    save(f"expected_s{bits}x{channels}", np.ravel(signed), {8: i8, 16: i16, 32: i32}[bits])
numbers = floats(24 * 4, 33, 4.0)
numbers[:8] = [65504, 65519, 65520, -1e30, 6e-8, 2e-8, float("inf"), -0.0]
save("numbers", numbers, f32)
shaped = numbers.reshape(4, 6, 4)
with np.errstate(over="ignore"):
    save("expected_f16x2", np.ravel(shaped[..., :2]).astype(f16), f16)
    save("expected_f16x4", np.ravel(shaped).astype(f16), f16)
save("expected_f32x2", np.ravel(shaped[..., :2]), f32)

# Thread t stores its value at texel 3t - 5 of 32.
line = np.zeros(32, i16)
for t in range(16):
    if 0 <= 3 * t - 5 < 32:
        line[3 * t - 5] = np.clip(values[t : t + 1].view(i32)[0], -32768, 32767)
save("expected_line", line, i16)

# Texel (1, 2) of 3 layers or planes of 4 x 3 gets two values of its thread; the fourth is not there.
deep = np.full((3, 3, 4, 4), 7, u8)
for t in range(3):
    deep[t, 2, 1, :2] = np.minimum(values[2 * t : 2 * t + 2], 255)
save("expected_deep", np.ravel(deep), u8)

# Reductions of 64 threads in texels that begin as 9.
operands = values[:64]
for name, view in (("u32", u32), ("s32", i32)):
    image = np.full((5, 8), 9, view)
    for t in range(64):
        v, x = operands[t : t + 1].view(view)[0], t % 8
        image[0, x] = np.array(int(image[0, x]) + int(v) & M32, dtype=np.int64).astype(u32).view(view)
        image[1, x], image[2, x] = min(image[1, x], v), max(image[2, x], v)
        image[3, x], image[4, x] = image[3, x] & v, image[4, x] | v
    save(f"expected_reduced_{name}", np.ravel(image), view)
wide = save("wide", noise64(64, 35), u64)
for name, view, part in (("u32x2", u64, u32), ("s32x2", i64, i32)):
    # Texels of two integers begin as 9 and 9.
    image = np.full((2, 8), 9 << 32 | 9, view)
    for t in range(64):
        v, x = wide[t : t + 1].view(view)[0], t % 8
        image[0, x], image[1, x] = min(image[0, x], v), max(image[1, x], v)
    save(f"expected_reduced_{name}", np.ravel(image).view(part), part)
