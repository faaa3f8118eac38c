"""Elements of matrices as registers hold them: what `matrix`, `products` and `warpgroup` share."""

from support import *  # noqa: F403


def small(shape, seed, low, high):
    count = int(np.prod(shape))
    return (noise64(count, seed) % u64(high - low)).astype(i64).reshape(shape) + low


def bf16_bits(values):
    return (values.astype(f32).view(u32) >> 16).astype(u32)


def small_float(exponent, fraction, bias, codes):
    """Values and encodings of the first so many codes of a format without infinities, with both signs."""
    table = {}
    for code in reversed(range(codes)):
        field, low = code >> fraction, code & ((1 << fraction) - 1)
        significand = low / 2**fraction + (field != 0)
        table[significand * 2.0 ** (max(field, 1) - bias)] = code
        table[-significand * 2.0 ** (max(field, 1) - bias)] = code | 1 << (exponent + fraction)
    return np.array(sorted(table)), np.vectorize(lambda value: table[float(value)], otypes=[u32])


E4M3, e4m3_bits = small_float(4, 3, 7, 0x7F)
E2M3, e2m3_bits = small_float(2, 3, 1, 0x20)
E3M2, e3m2_bits = small_float(3, 2, 3, 0x20)
E2M1, e2m1_bits = small_float(2, 1, 1, 0x8)


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
