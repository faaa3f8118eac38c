"""Elements of matrices as registers hold them: what `matrix` and `warpgroup` share."""

from support import *  # noqa: F403


def small(shape, seed, low, high):
    count = int(np.prod(shape))
    return (noise64(count, seed) % u64(high - low)).astype(i64).reshape(shape) + low


def bf16_bits(values):
    return (values.astype(f32).view(u32) >> 16).astype(u32)


def e4m3_bits(values):
    """Small integers as e4m3: by table of all codes."""
    table = {}
    for code in range(256):
        sign, exponent, fraction = code >> 7, code >> 3 & 15, code & 7
        if exponent == 15 and fraction == 7:
            continue
        value = fraction * 2.0**-9 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)
        table[-value if sign else value] = code
    return np.vectorize(lambda value: table[float(value)])(values).astype(u32)


def e5m2_bits(values):
    return (values.astype(f16).view(u16) >> 8).astype(u32)


# Name: bits, lowest and highest + 1 value, encoding.
TYPES = {
    "f16": (16, -8, 9, lambda v: v.astype(f16).view(u16).astype(u32)),
    "bf16": (16, -8, 9, bf16_bits),
    "tf32": (32, -8, 9, lambda v: v.astype(f32).view(u32) | u32(0x1FFF)),
    "e4m3": (8, -8, 9, e4m3_bits),
    "e5m2": (8, -4, 5, e5m2_bits),
    "s8": (8, -128, 128, lambda v: v.astype(u32) & u32(255)),
    "u8": (8, 0, 256, lambda v: v.astype(u32)),
    "s4": (4, -8, 8, lambda v: v.astype(u32) & u32(15)),
    "u4": (4, 0, 16, lambda v: v.astype(u32)),
    "b1": (1, 0, 2, lambda v: v.astype(u32)),
}


def pack(bits, encoded):
    """Registers from encoded elements, the last axis being the elements of a register, lowest first."""
    shifts = u32(bits) * np.arange(encoded.shape[-1], dtype=u32)
    return np.bitwise_or.reduce(encoded.astype(u32) << shifts, axis=-1)
