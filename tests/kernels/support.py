"""What the `expected.py` of every theme needs: input data and warp-wide reference functions."""

from pathlib import Path

import numpy as np

u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
f16, f32, f64 = np.float16, np.float32, np.float64
M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


def saver(script):
    """A function that saves arrays beside `script`."""
    folder = Path(script).resolve().parent

    def save(name, array, dtype=None):
        array = np.ascontiguousarray(array, dtype=dtype)
        np.save(folder / f"{name}.npy", array)
        return array

    return save


def noise64(count, seed):
    """`count` well mixed 64-bit words: the same on every machine and with every numpy."""
    x = np.arange(count, dtype=u64) + u64(seed << 32)
    x = (x ^ (x >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> u64(27))) * u64(0x94D049BB133111EB)
    return x ^ (x >> u64(31))


def noise(count, seed):
    """`count` well mixed 32-bit words."""
    return (noise64(count, seed) >> u64(32)).astype(u32)


def ints(count, seed, low, high):
    """int32 values from `low` up to and including `high`."""
    return (noise64(count, seed) % u64(high - low + 1)).astype(i64).astype(i32) + i32(low)


def floats(count, seed, scale=1.0):
    """float32 values in [-scale, scale) with 24 significant bits; `scale` is a power of two."""
    return ((noise(count, seed) >> 8).astype(f32) - f32(1 << 23)) * f32(scale / (1 << 23))


def doubles(count, seed, scale=1.0):
    """float64 values in [-scale, scale) with 53 significant bits; `scale` is a power of two."""
    return ((noise64(count, seed) >> u64(11)).astype(f64) - f64(1 << 52)) * f64(scale / (1 << 52))


def shuffle_source(mode, lane, b, c):
    """Source lane and predicate of `shfl` for one lane, by the manual's pseudo-code."""
    bval, cval, mask = b & 31, c & 31, (c >> 8) & 31
    max_lane = (lane & mask) | (cval & ~mask & 31)
    min_lane = lane & mask
    if mode == "up":
        j = lane - bval
        in_range = j >= max_lane
    elif mode == "down":
        j = lane + bval
        in_range = j <= max_lane
    elif mode == "bfly":
        j = lane ^ bval
        in_range = j <= max_lane
    elif mode == "idx":
        j = min_lane | (bval & ~mask & 31)
        in_range = j <= max_lane
    else:
        raise ValueError(mode)
    return (j if in_range else lane), in_range


def shuffle(mode, values, b, c):
    """One warp's `shfl`: (value, predicate) per lane. `b` and `c` are numbers or one per lane."""
    lanes = len(values)
    b = np.broadcast_to(b, lanes)
    c = np.broadcast_to(c, lanes)
    picked = [shuffle_source(mode, lane, int(b[lane]), int(c[lane])) for lane in range(lanes)]
    source = [j for j, _ in picked]
    return values[source], np.array([p for _, p in picked])


def mask_of(lanes):
    """The bit mask of an iterable of lane numbers."""
    return sum(1 << lane for lane in set(int(lane) for lane in lanes))
