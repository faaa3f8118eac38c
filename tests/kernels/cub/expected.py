#!/usr/bin/env python3
"""Inputs and expected outputs of the CUB kernels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def scans(rows):
    inclusive = np.cumsum(rows, axis=1, dtype=rows.dtype)
    return inclusive, inclusive - rows


def block_reduce():
    x = save("reduce_in", ints(512, 1, -1000, 1000)).reshape(4, 128)
    result = np.stack([x.sum(1), x[:, :77].sum(1), x.max(1)], axis=1)
    save("expected_reduce", result.reshape(-1), i32)
    x = x.reshape(-1)[:400].reshape(4, 100)
    result = np.stack([x.sum(1), x[:, :77].sum(1), x.max(1)], axis=1)
    save("expected_reduce_100", result.reshape(-1), i32)

    x = floats(512, 2)
    x[[20, 90]] = -1.5  # a tie: the lower index wins
    save("arg_min_in", x)
    place = x.reshape(4, 128).argmin(1) + np.arange(4) * 128
    save("expected_arg_min_value", x[place])
    save("expected_arg_min_index", place, i32)


def block_scan():
    x = save("scan_in", ints(1024, 3, -100, 100)).reshape(2, 512)
    inclusive, exclusive = scans(x)
    save("expected_inclusive", inclusive.reshape(-1))
    save("expected_exclusive", exclusive.reshape(-1))
    save("expected_total", inclusive[:, -1])
    climbing = save("maximum_in", ints(500, 4, -300, 300) + np.arange(500, dtype=i32))
    save("expected_maximum", np.maximum.accumulate(climbing))


def warp():
    x = save("warp_in", ints(128, 5, -100, 100))
    for lanes in 32, 16, 4:
        inclusive, exclusive = scans(x.reshape(-1, lanes))
        save(f"expected_warp_inclusive_{lanes}", inclusive.reshape(-1))
        save(f"expected_warp_exclusive_{lanes}", exclusive.reshape(-1))
    save("expected_sum_7", x[:56].reshape(8, 7).sum(1), i32)
    wide = save("wide_in", noise64(64, 6).view(i64))
    save("expected_sum_8", wide.reshape(8, 8).sum(1))

    head = (noise(64, 7) % u32(5) == 0).astype(i32)
    head[[0, 32]] = 1
    save("head", head)
    sums, current = np.zeros(64, i32), 0
    for i in range(64):
        if head[i]:
            current = i
        sums[current] += x[i]
    save("expected_segmented", sums)
    keys = save("merge_in", ints(256, 8, -50, 50))
    save("expected_merge", np.sort(keys.reshape(4, 64), axis=1).reshape(-1))


def block_sort():
    x = save("sort_u32_in", noise(512, 9))
    save("expected_sort_u32", np.sort(x.reshape(2, 256), axis=1).reshape(-1))
    x = floats(384, 10, 64.0)
    x[[3, 200, 7]] = np.inf, -np.inf, 1e-40
    assert (x != 0).all()
    save("sort_f32_in", x)
    save("expected_sort_f32", np.sort(x.reshape(2, 192), axis=1)[:, ::-1].reshape(-1))
    x = save("sort_s16_in", noise(256, 11).astype(u16).view(i16))
    save("expected_sort_s16", np.sort(x.reshape(2, 128), axis=1).reshape(-1))
    x = noise(128, 12) & u32(0xFFFF03FF)
    save("sort_pairs_in", x)
    order = np.argsort(x >> u32(4) & u32(0xFFF), kind="stable")
    save("expected_pairs_keys", x[order])
    save("expected_pairs_origin", order, i32)
    x = save("sort_s64_in", noise64(256, 13).view(i64))
    save("expected_sort_s64", np.sort(x))


def block_pieces():
    x = save("exchange_in", ints(256, 14, -999, 999))
    save("expected_striped", x.reshape(4, 64).T.reshape(-1))
    save("expected_blocked", x.reshape(64, 4).T.reshape(-1))

    x = save("runs_in", ints(128, 15, 0, 2))
    different = np.ones(128, i32)
    different[1:] = x[1:] != x[:-1]
    save("expected_heads", different)
    deltas = x.copy()
    deltas[1:] = x[1:] - x[:-1]
    save("expected_differences", deltas)

    x = save("histogram_in", noise(256, 16).astype(u8))
    save("expected_histogram", np.bincount(x % 64, minlength=64), u32)
    x = save("rotate_in", ints(96, 17, -999, 999))
    save("expected_rotate", np.roll(x, -29))

    value = save("run_value", ints(64, 18, -99, 99))
    length = save("run_length", noise(64, 19) % u32(9) + u32(1))
    decoded = np.repeat(value, length)
    out = np.zeros(600, i32)
    out[: len(decoded)] = decoded
    save("expected_decoded", out)
    save("expected_decoded_total", [len(decoded)], u32)


def look_back():
    count = 3000
    values = save("look_back_in", ints(count, 31, -100, 100))
    save("expected_look_back", np.cumsum(values) - values, i32)
    lengths = ints(count, 32, 1, 9)
    keys = save("look_back_keys", np.repeat(np.arange(count), lengths)[:count], i32)
    # 32 tiles out of bounds (0) stand before those that are not ready (99), in cub::ScanTileStatus.
    status = np.zeros(32 + 32, np.uint64)
    status[32 : 32 + 6] = 99
    save("scan_state", status)
    save("key_state", np.stack([np.zeros_like(status), status], axis=1).reshape(-1))  # the status comes second
    runs = keys[-1] + 1
    padded = np.zeros((2, count), i32)
    padded[0, :runs] = np.arange(runs)
    np.add.at(padded[1], keys, values)
    save("expected_unique", padded[0])
    save("expected_key_sums", padded[1])
    save("expected_runs", [runs], i32)


def device_tiles():
    count, bits, tile = 2000, 6, 512
    keys = save("tiles_keys", noise(count, 41))
    origin = save("tiles_origin", np.arange(count), i32)

    def digits(keys, at):
        """Occurrences of each digit. The places behind the end of the last tile count as the largest key."""
        padded = np.concatenate([keys, np.full(-count % tile, M32, u32)])
        return np.bincount(padded >> u32(at) & u32(63), minlength=64)

    save("expected_tiles_bins", np.concatenate([digits(keys, at) for at in range(0, 32, bits)]), u32)
    for number in range(2):
        ends = np.cumsum(digits(keys, bits * number))
        save(f"tiles_starts_{number}", ends - digits(keys, bits * number), u32)
        save(f"expected_tiles_ends_{number}", ends, u32)
        order = np.argsort(keys >> u32(bits * number) & u32(63), kind="stable")
        keys, origin = keys[order], origin[order]
        save(f"tiles_keys_{number}", keys)
        save(f"tiles_origin_{number}", origin)

    x = save("tiles_in", ints(count, 42, -500, 500))
    third = x % 3 == 0
    selected = np.zeros(count, i32)
    selected[: third.sum()] = x[third]
    save("expected_tiles_selected", selected)
    save("expected_tiles_count", [third.sum()], i32)
    save("expected_tiles_parts", np.concatenate([x[third], x[~third][::-1]]))
    status = np.zeros(32 + 32, np.uint64)
    status[32 : 32 + 4] = 99
    save("tiles_state", status)
    starts = save("tiles_segments", [0, 700, 700, 701, count], i32)
    most = [max(x[a:b], default=-(2**31)) for a, b in zip(starts[:-1], starts[1:])]
    save("expected_tiles_maxima", most, i32)


block_reduce()
block_scan()
warp()
block_sort()
block_pieces()
look_back()
device_tiles()
