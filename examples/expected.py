#!/usr/bin/env python3
"""Writes the inputs and the expected outputs of the examples.

Each function below states what a kernel computes, in numpy and without reference to any GPU
instruction. Sums of floats follow the order in which the kernel adds, so all results are exact.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
u32, i32, f32 = np.uint32, np.int32, np.float32


def save(name, array):
    np.save(HERE / name, np.ascontiguousarray(array))


def noise(count, seed):
    """`count` well mixed 32-bit words: the same on every machine and with every numpy."""
    x = np.arange(count, dtype=np.uint64) + np.uint64(seed << 32)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x >> np.uint64(32)).astype(u32)


def small_ints(count, seed):
    """Integers from -100 to 100."""
    return (noise(count, seed) % 201).astype(i32) - 100


def small_floats(count, seed):
    """Floats from -1 to 1 with 24 significant bits."""
    return ((noise(count, seed) >> 8).astype(f32) - f32(1 << 23)) / f32(1 << 23)


def segments(array, width):
    return array.reshape(-1, width)


def inclusive_scan():
    x = small_ints(128, 1)
    save("inclusive_scan/input.npy", x)
    for width in 32, 16, 8:
        sums = np.cumsum(segments(x, width), axis=1, dtype=i32)
        save(f"inclusive_scan/expected_{width}.npy", sums.reshape(-1))


def reverse_scan():
    x = small_ints(128, 2)
    save("reverse_scan/input.npy", x)
    for width in 32, 16, 8:
        backwards = segments(x, width)[:, ::-1]
        sums = np.cumsum(backwards, axis=1, dtype=i32)[:, ::-1]
        save(f"reverse_scan/expected_{width}.npy", sums.reshape(-1))


def butterfly_sum(x, width):
    x = segments(x, width)
    lane = np.arange(width)
    distance = width // 2
    while distance:
        x = x + x[:, lane ^ distance]
        distance //= 2
    return x.reshape(-1)


def butterfly_reduction():
    x = small_floats(128, 3)
    y = noise(128, 4).astype(i32)
    save("butterfly_reduction/floats.npy", x)
    save("butterfly_reduction/ints.npy", y)
    for width in 32, 16, 8:
        save(f"butterfly_reduction/expected_sum_{width}.npy", butterfly_sum(x, width))
        largest = segments(y, width).max(axis=1)
        save(f"butterfly_reduction/expected_max_{width}.npy", np.repeat(largest, width))


def broadcast():
    x = small_floats(128, 5)
    source = (noise(128, 6) % 32).astype(i32)
    save("broadcast/input.npy", x)
    save("broadcast/source.npy", source)
    for width, lane in (32, 21), (16, 5), (8, 7):
        save(f"broadcast/expected_{width}.npy", np.repeat(segments(x, width)[:, lane], width))
    gathered = np.take_along_axis(segments(x, 32), segments(source, 32), axis=1)
    save("broadcast/expected_gather.npy", gathered.reshape(-1))


def halving_sum(x):
    """Adds the upper half of the last axis to the lower half until one element is left."""
    while x.shape[-1] > 1:
        half = x.shape[-1] // 2
        x = x[..., :half] + x[..., half:]
    return x[..., 0]


def block_reduction():
    count, grid, block = 3000, 4, 256
    x = small_floats(count, 7)
    save("block_reduction/input.npy", x)

    stride = grid * block
    padded = np.zeros(-(-count // stride) * stride, f32)
    padded[:count] = x
    per_thread = np.zeros(stride, f32)
    for turn in padded.reshape(-1, stride):
        per_thread = per_thread + turn
    per_warp = halving_sum(per_thread.reshape(grid, block // 32, 32))
    partial = np.zeros((grid, 32), f32)
    partial[:, : block // 32] = per_warp
    save("block_reduction/expected_block_sum.npy", halving_sum(partial))

    blocks = -(-count // block)
    padded = np.zeros(blocks * block, f32)
    padded[:count] = x
    save("block_reduction/expected_tree_sum.npy", halving_sum(padded.reshape(blocks, block)))


def compact(rows):
    out, counts = np.zeros_like(rows), []
    for row, target in zip(rows, out):
        kept = row[row > 0]
        target[: len(kept)] = kept
        counts.append(len(kept))
    return out.reshape(-1), np.array(counts, u32)


def stream_compaction():
    x = small_ints(512, 8)
    save("stream_compaction/input.npy", x)
    out, counts = compact(segments(x, 32))
    save("stream_compaction/expected_warp.npy", out)
    save("stream_compaction/expected_warp_count.npy", counts)

    shortened = x.copy()
    shortened[500:] = 0
    out, counts = compact(segments(shortened, 256))
    save("stream_compaction/expected_block.npy", out)
    save("stream_compaction/expected_block_count.npy", counts)


def aggregated_atomics():
    x = noise(1000, 9)
    save("aggregated_atomics/input.npy", x)
    save("aggregated_atomics/expected_multiples.npy", np.array([(x % 3 == 0).sum()], u32))
    bins = np.bincount(x % 16, minlength=16).astype(u32)
    save("aggregated_atomics/expected_histogram.npy", bins)

    one_warp = noise(32, 10)
    odd = one_warp[one_warp % 2 == 1]
    slots = np.zeros(32, u32)
    slots[: len(odd)] = odd
    save("aggregated_atomics/warp.npy", one_warp)
    save("aggregated_atomics/expected_slots.npy", slots)
    save("aggregated_atomics/expected_next.npy", np.array([len(odd)], u32))


def redux():
    x = noise(128, 11)
    save("redux/unsigned.npy", x)
    save("redux/signed.npy", x.view(i32))
    # Most bits set in one half of the words and most clear in the other, so that neither the
    # conjunction nor the disjunction of a warp is trivial.
    bits = np.where(np.arange(128) < 64, x | ~u32(0x00FF00FF), x & u32(0x0F0F0000))
    save("redux/bits.npy", bits)

    for name, values in ("unsigned", x), ("signed", x.view(i32)):
        warps = segments(values, 32)
        results = {
            "add": warps.sum(axis=1, dtype=values.dtype),
            "min": warps.min(axis=1),
            "max": warps.max(axis=1),
        }
        for operation, result in results.items():
            save(f"redux/expected_{name}_{operation}.npy", np.repeat(result, 32))
    for operation, ufunc in ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor):
        result = ufunc.reduce(segments(bits, 32), axis=1)
        save(f"redux/expected_bits_{operation}.npy", np.repeat(result, 32))

    halves = segments(x, 16)
    out = np.empty_like(halves)
    out[0::2] = halves[0::2].sum(axis=1, dtype=u32)[:, None]
    out[1::2] = halves[1::2].max(axis=1)[:, None]
    save("redux/expected_halves.npy", out.reshape(-1))


def counting_sort():
    keys = noise(3000, 14) % 200
    save("counting_sort/keys.npy", keys)
    counts = np.bincount(keys, minlength=256).astype(u32)
    save("counting_sort/expected_counts.npy", counts)
    # Every run has grown to its end when its keys have been moved.
    save("counting_sort/expected_ends.npy", np.cumsum(counts, dtype=u32))
    save("counting_sort/expected_sorted.npy", np.sort(keys))


def legacy_shfl():
    x = small_ints(128, 12)
    save("legacy_shfl/input.npy", x)
    sums = np.cumsum(segments(x, 32), axis=1, dtype=i32)
    save("legacy_shfl/expected_scan.npy", sums.reshape(-1))

    mixed = noise(128, 13)
    mixed[32:64] |= u32(1)
    mixed[64:96] &= ~u32(1)
    save("legacy_shfl/words.npy", mixed)
    odd = segments(mixed % 2 == 1, 32)
    ballot = (odd.astype(u32) << np.arange(32, dtype=u32)).sum(axis=1, dtype=u32)
    every, some = odd.all(axis=1), odd.any(axis=1)
    flags = every + 2 * some + 4 * (every | ~some)
    save("legacy_shfl/expected_ballot.npy", np.repeat(ballot, 32))
    save("legacy_shfl/expected_flags.npy", np.repeat(flags.astype(u32), 32))


inclusive_scan()
reverse_scan()
butterfly_reduction()
broadcast()
block_reduction()
stream_compaction()
aggregated_atomics()
redux()
legacy_shfl()
counting_sort()
