#!/usr/bin/env python3
"""What the kernels read of textures and surfaces, by the formulas of the CUDA C++ Programming Guide ("Texture Fetching",
"Cubemap Textures") in exact rationals, as an H100 rounds them."""

import sys
from fractions import Fraction as Q
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403
from texels import around, axis, mean_of_integers, random_floats, random_signed, sample, to_f32  # noqa: E402

save = saver(__file__)


def column(array):
    return [Q(float(value)) for value in array]


count = 512
W, H, D = 8, 5, 3
modes = ["wrap", "clamp", "mirror", "border"]
# Coordinates of texels, far out on both sides, and the same over a texture whose extent is one; many of them on
# the borders of texels and halfway between centres.
raw = [floats(count, seed, 32.0) for seed in (1, 2, 3)]
for which, array in enumerate(raw):
    array[: count // 4] = np.round(array[: count // 4] * 2) / 2
    array[count // 4 : count // 2] = np.round(array[count // 4 : count // 2] * 512) / 512
names = "xyz"
plain = [save(f"{name}", array, f32) for name, array in zip(names, raw)]
unit = [save(f"{name}_unit", array / f32(8), f32) for name, array in zip(names, raw)]
P, U = [column(array) for array in plain], [column(array) for array in unit]

line, plane, block = random_floats(W, 7), random_floats(W * H, 7), random_floats(W * H * D, 7)
for mode in modes:
    for filtering in ("point", "linear"):
        for normalized in (False, True):
            at = U if normalized else P
            name = f"{mode}_{filtering}_{'normalized' if normalized else 'texels'}"
            how = (mode, filtering == "linear", normalized)
            one = [sample(line, [W], [x], *how) for x in at[0]]
            two = [sample(plane, [W, H], [x, y], *how) for x, y in zip(*at[:2])]
            three = [sample(block, [W, H, D], [x, y, z], *how) for x, y, z in zip(*at)]
            for dimensions, row in (("1d", one), ("2d", two), ("3d", three)):
                save(f"expected_{dimensions}_{name}", [to_f32(value) for value in row], f32)

# Integers of 8 and 16 bits, signed and not, read as floats.
for bits in (8, 16):
    for signed in (False, True):
        top = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        values = random_signed(W * H * 4, 9, bits)
        if not signed:
            values = [value % (1 << bits) for value in values]

        def read(texels, at, linear):
            planes = around(texels, [W, H], at, "mirror", linear, True)
            value = mean_of_integers(planes, bits, signed) if linear else max(Q(planes[0][0][0], top), Q(-1))
            return to_f32(value)

        for filtering in ("point", "linear"):
            found = [[read(values[c::4], at, filtering == "linear") for c in range(4)] for at in zip(*U[:2])]
            save(f"expected_{'s' if signed else 'u'}{bits}_{filtering}", np.ravel(found), f32)

# Integers as they are, by index; outside is zero.
index = save("index", ints(count, 5, -4, 40), i32)
values = random_signed(32 * 4, 11, 16)
fetched = [[values[4 * i + c] if 0 <= i < 32 else 0 for c in range(4)] for i in map(int, index)]
save("expected_fetched", np.ravel(fetched), i32)

# The green of the four texels around, counterclockwise from the lower left.
green = random_floats(W * H * 4, 13)[1::4]
gathered = []
for x, y in zip(*P[:2]):
    (x0, _), (x1, _) = axis(x, W, "clamp", True, False)
    (y0, _), (y1, _) = axis(y, H, "clamp", True, False)
    gathered.append([to_f32(green[b * W + a]) for a, b in ((x0, y1), (x1, y1), (x1, y0), (x0, y0))])
save("expected_gathered", np.ravel(gathered), f32)

# Layers: those outside are the nearest.
layer = save("layer", ints(count, 6, 0, 5), i32)
layers = random_floats(W * H * 4, 15)
found = []
for x, y, l in zip(P[0], P[1], map(int, layer)):
    first = min(l, 3) * W * H
    found.append(to_f32(sample(layers[first : first + W * H], [W, H], [x, y], "border", True, False)))
save("expected_layered", found, f32)

# Directions.
N = 8
faces = random_floats(6 * N * N, 17)
found = []
for x, y, z in zip(*P):
    if abs(z) >= abs(x) and abs(z) >= abs(y):
        face, m, s, t = (4, z, x, -y) if z >= 0 else (5, -z, -x, -y)
    elif abs(y) >= abs(x):
        face, m, s, t = (2, y, x, z) if y >= 0 else (3, -y, x, -z)
    else:
        face, m, s, t = (0, x, -z, -y) if x >= 0 else (1, -x, z, -y)
    at = [(s / m + 1) / 2, (t / m + 1) / 2]
    found.append(to_f32(sample(faces[face * N * N : (face + 1) * N * N], [N, N], at, "clamp", False, True)))
save("expected_cube", found, f32)

# Surfaces. A border of one place around 6 x 4 texels is read as zero.
width, height = 6, 4
texels = np.arange(width * height).reshape(height, width)
read = np.zeros((height + 2, width + 2), i32)
read[1:-1, 1:-1] = texels
save("expected_read", np.ravel(read), i32)
save("expected_transposed", np.ravel(texels.T + 1), i32)
pairs = np.arange(3 * height * width * 2).reshape(3, height, width, 2)
clamped = pairs[2][np.clip(np.arange(-2, height + 2), 0, height - 1)][:, np.clip(np.arange(-2, width + 2), 0, width - 1)]
save("expected_nearest", np.ravel(clamped), i32)
sums = np.zeros(16, u32)
for i, x in enumerate(map(int, index)):
    if 0 <= x < 16:
        sums[x] += i
save("expected_sums", sums, u32)
save("expected_query", [W, H, 0], u32)

# Variables: element t ^ 5 of one texture, t of another, t of the first again, and its width.
lane = np.arange(32)
save("expected_references", (lane ^ 5) + lane + lane + 32, f32)
