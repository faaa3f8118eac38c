"""What reading a texture means, by the formulas of the CUDA C++ Programming Guide ("Texture Fetching") in exact rationals. Only the
standard library is used."""

from fractions import Fraction as Q
from math import floor

M64 = 0xFFFFFFFFFFFFFFFF


def words(count, seed):
    """SplitMix64, which fills what is given as `rand:SEED`."""
    state, found = seed, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & M64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        found.append(z ^ (z >> 31))
    return found


def random_floats(count, seed):
    return [Q(word >> 40, 1 << 24) for word in words(count, seed)]


def random_signed(count, seed, bits):
    return [(word >> (64 - bits)) - ((word >> 63) << bits) for word in words(count, seed)]


def rounded(value, digits, least):
    """The nearest number of so many binary digits, ties to even; `least` is the exponent of the smallest one's last digit."""
    if value == 0:
        return Q(0)
    exponent = least
    while abs(value) / Q(2) ** exponent >= 1 << digits:
        exponent += 1
    return round(value / Q(2) ** exponent) * Q(2) ** exponent


def to_f32(value):
    return rounded(value, 24, -149)


def to_f16(value):
    return rounded(value, 11, -24)


def frac(x):
    return x - floor(x)


def axis(x, n, mode, linear, normalized, offset=0):
    """The texels of an axis, with their weights: (index or None, weight)."""
    if normalized:
        x = x * n
    elif mode in ("wrap", "mirror"):
        mode = "clamp"
    x += offset
    if mode == "mirror":
        u = x / n
        x = (frac(u) if floor(u) % 2 == 0 else 1 - frac(u)) * n
        mode = "clamp"

    def texel(i):
        if mode == "border":
            return i if 0 <= i < n else None
        if mode == "wrap":
            return i % n
        return min(max(i, 0), n - 1)

    if not linear:
        return [(texel(floor(x)), Q(1))]
    b = x - Q(1, 2)
    # 8 bits behind the point; the nearest such number.
    alpha = Q(floor(frac(b) * 256 + Q(1, 2)), 256)
    return [(texel(floor(b)), 1 - alpha), (texel(floor(b) + 1), alpha)]


def sample(values, extents, at, mode, linear, normalized, offset=(0, 0, 0), border=Q(0)):
    """`values` in rows; extents and coordinates from the innermost on; `mode` is one for all axes, or one of each."""
    footprint = [(0, Q(1))]
    stride = 1
    modes = [mode] * len(extents) if isinstance(mode, str) else mode
    for x, n, by, mode in zip(at, extents, offset, modes):
        step = []
        for base, weight in footprint:
            for index, w in axis(x, n, mode, linear, normalized, by):
                place = None if base is None or index is None else base + index * stride
                step.append((place, weight * w))
        footprint = step
        stride *= n
    return sum((weight * (border if place is None else values[place]) for place, weight in footprint), Q(0))
