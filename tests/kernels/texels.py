"""What reading a texture means, by the formulas of the CUDA C++ Programming Guide ("Texture Fetching") in exact rationals, with the numbers of few
bits that an H100 has (docs/conformance.md). Only the standard library is used."""

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


def cut(value, unit):
    """A multiple of the unit, towards zero."""
    quotient = abs(value) / unit
    return (floor(quotient) if value >= 0 else -floor(quotient)) * unit


def away(value, digits, least):
    """The nearest number of so many binary digits, ties away from zero."""
    if value == 0:
        return Q(0)
    unit = max(Q(2) ** (exponent(value) - digits + 1), Q(2) ** least)
    nearest = floor(abs(value) / unit + Q(1, 2)) * unit
    return nearest if value > 0 else -nearest


def exponent(value):
    """That of the power of two that a number begins with."""
    found = 0
    while abs(value) >= Q(2) ** (found + 1):
        found += 1
    while abs(value) < Q(2) ** found:
        found -= 1
    return found


def place(x, n, mode, normalized, offset):
    """A coordinate in texels, whether the texture lies reversed there, and the mode in force."""
    if not normalized:
        return x + offset, False, "clamp" if mode in ("wrap", "mirror") else mode
    parts = 1 << max(21, (n - 1).bit_length() + 8)
    whole = floor(x) if mode in ("wrap", "mirror") else 0
    x = Q(floor((x - whole) * parts), parts) * n + offset
    if mode != "mirror":
        return x, False, mode
    times = floor(x / n)
    return x - times * n, (whole + times) % 2 != 0, mode


def axis(x, n, mode, linear, normalized, offset=0):
    """The texels of an axis, with their weights: (index or None, weight out of 256)."""
    x, turned, mode = place(x, n, mode, normalized, offset)

    def texel(i):
        if mode == "border":
            return i if 0 <= i < n else None
        if mode == "wrap":
            return i % n
        i = min(max(i, 0), n - 1)
        return n - 1 - i if turned else i

    if not linear:
        return [(texel(floor(x)), 256)]
    low, high = divmod(floor((x - Q(1, 2)) * 256 + Q(1, 2)), 256)
    if mode == "clamp" and not 0 <= low < n - 1:
        high = 0
    return [(texel(low), 256 - high), (texel(low + 1), high)]


def weights(whole, high):
    """How much each of the texels around counts, of the whole of them: by plane, row and column."""
    x, y, z = (list(high) + [0, 0])[:3]
    behind = (whole * z + 127) // 256
    found = []
    for plane in (whole - behind, behind):
        right = (plane * x + 128) // 256
        left = plane - right
        lower = ((left * y + 127) // 256, (right * y + 128) // 256)
        found += [left - lower[0], right - lower[1], *lower]
    return found


def around(values, extents, at, mode, linear, normalized, offset=(0, 0, 0), border=Q(0), whole=256):
    """The texels around, with their weights, four at a time. `values` in rows; extents and coordinates from the innermost on; `mode` is
    one for all axes, or one of each."""
    modes = [mode] * len(extents) if isinstance(mode, str) else mode
    extents, at = list(extents), list(at)
    if linear and len(extents) == 1 and mode == "border":
        # A row at 0 of a plane, of which half is border.
        extents, at, modes = extents + [1], at + [Q(0)], [mode] * 2
    axes = [axis(x, n, mode, linear, normalized, by) for x, n, by, mode in zip(at, extents, list(offset) + [0], modes)]
    places = [0]
    stride = 1
    for taps, n in zip(axes, extents):
        places = [None if base is None or index is None else base + index * stride for index, _ in taps for base in places]
        stride *= n
    texels = [border if place is None else values[place] for place in places]
    if not linear:
        return [[(texels[0], whole)]]
    all_weights = weights(whole, [taps[1][1] for taps in axes])
    pairs = list(zip(texels, all_weights))
    return [pairs[first : first + 4] for first in range(0, len(pairs), 4)]


def mean(planes, digits=24, least=-126):
    """The mean of texels that are floats of so many digits, in a binary format whose smallest normal number has that exponent."""
    total, top = Q(0), None
    for plane in planes:
        begin = max([exponent(value) for value, weight in plane if weight > 0 and value != 0] + [least])
        unit = Q(2) ** (begin - digits - 3)
        here = sum((cut(value, unit) * weight for value, weight in plane), Q(0))
        if top is None:
            total, top = here, begin
            continue
        # Exponents are counted as binary32 counts them; units are multiples of sixteen of each other.
        top = (max(top, begin) + 127) // 4 * 4 - 127
        unit = Q(2) ** (top - digits - 3)
        total = (floor(total / unit) + floor(here / unit)) * unit
    return away(total / 256, digits, least - digits + 1)


def mean_of_integers(planes, bits, signed):
    """The mean of integers that are read as floats: one of 16 bits, divided by the largest."""
    total = sum(value * weight for plane in planes for value, weight in plane)
    if not signed:
        return Q((total * (257 if bits == 8 else 1) + 128) // 256, 65535)
    found = total + (total + 64 + 16 * (total // 4096)) // 128 if bits == 8 else (total + 128) // 256
    return max(Q(found, 32767), Q(-1))


def sample(values, extents, at, mode, linear, normalized, offset=(0, 0, 0), border=Q(0)):
    """What is read of floats."""
    planes = around(values, extents, at, mode, linear, normalized, offset, border)
    return mean(planes) if linear else planes[0][0][0]
