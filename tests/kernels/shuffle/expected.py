#!/usr/bin/env python3
"""Inputs and expected outputs of the shuffle kernels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
LANE = np.arange(32)


def modes():
    warps = 48
    a = save("modes_a", noise(32 * warps, 1))
    b = noise(32 * warps, 2) % u32(64)
    c = noise(32 * warps, 3) & u32(0x1F1F)
    # The first warps have the operands that compilers emit, and the corners, in every lane.
    corners = [(32, 0x1F), (33, 0x1F), (63, 0x1F), (0, 0), (1, 0), (1, 0x181F), (5, 0x1F1F), (31, 0)]
    for warp, (offset, clamp) in enumerate(corners):
        b[32 * warp : 32 * warp + 32] = offset
        c[32 * warp : 32 * warp + 32] = clamp
    # Bits that the instruction ignores.
    b[-512:] |= noise(512, 4) & ~u32(63)
    c[-512:] |= noise(512, 5) & ~u32(0x1F1F)
    save("modes_b", b)
    save("modes_c", c)
    for mode in "up", "down", "bfly", "idx":
        rows = [
            shuffle(mode, *(x[32 * w : 32 * w + 32] for x in (a, b, c))) for w in range(warps)
        ]
        save(f"expected_{mode}", np.concatenate([d for d, _ in rows]))
        save(f"expected_{mode}_p", np.concatenate([p for _, p in rows]), u32)

    fixed = [
        ("up", 32, 0), ("up", 33, 0), ("up", 63, 0),
        ("down", 32, 31), ("down", 33, 31), ("down", 63, 31),
        ("bfly", 33, 31), ("bfly", 63, 0x180F),
        ("idx", 33, 31), ("idx", 63, 0x1C07), ("idx", M32, 0x0B05),
        ("bfly", 5, 0xFFFFE013),
    ]  # fmt: skip
    warp = a[:32]
    save("expected_immediates", np.concatenate([shuffle(m, warp, b, c)[0] for m, b, c in fixed]))


def operands():
    v = save("operands_in", noise(32, 6))
    out = []
    out.append(np.roll(v, -1))
    up, p = shuffle("up", v, 3, 0)
    out.append(np.where(p, up, ~up))
    out.append(v[::-1])
    out.append(shuffle("bfly", v, 1, 0x1807)[0])
    out.append(shuffle("down", v, 8, 31)[0])
    small = (LANE & 3).astype(u32)
    out.append(shuffle("down", small, small, 31)[0])
    moved = (LANE >= 20) & (LANE < 24)
    out.append(np.where(moved, np.roll(v, 12), v))
    out.append(moved.astype(u32))
    out.append(v)  # five exchanges at distance 16, 8, 4, 2, 1 reverse the warp
    out[-1] = v[LANE ^ 31]
    save("expected_operands", np.concatenate(out))


def partial_warps():
    x = save("partial_in", ints(90, 7, -50, 50))
    warps = [(base, size) for block in (0, 45) for base, size in ((block, 32), (block + 32, 13))]
    forward, backward, ballots = x.copy(), x.copy(), np.zeros(90, u32)
    for base, size in warps:
        part = slice(base, base + size)
        forward[part] = np.cumsum(x[part])
        backward[part] = np.cumsum(x[part][::-1])[::-1]
        ballots[part] = mask_of(np.flatnonzero(x[part] >= 0))
    save("expected_scan_45", forward)
    save("expected_reverse_scan_45", backward)
    save("expected_ballot_45", ballots)

    v = save("warp_in", ints(32, 8, -1000, 1000))
    out = v.copy()
    upper = v[16:][np.arange(16) ^ 5]
    upper = upper + upper[(np.arange(16, 32) * 7) % 16]
    shifted = upper.copy()
    shifted[3:] = upper[:-3]
    out[16:] = upper - shifted
    save("expected_upper_half", out)

    out = np.full(32, -1, i32)
    out[10:] = np.cumsum(v[10:])
    save("expected_exited_lanes", out)

    rounds = save("rounds", noise(32, 9) % u32(50))
    rounds_of = [int(r) for r in rounds]
    seen, here = [0] * 32, set(range(32))
    for r in range(64):
        here -= {lane for lane in here if rounds_of[lane] == r}
        ballot = mask_of(lane for lane in here if (lane ^ r) & 1)
        for lane in here:
            seen[lane] = (seen[lane] * 31 + ballot) & M32
        here -= {lane for lane in here if r == rounds_of[lane] // 2 and lane & 8}
    save("expected_leaving_lanes", seen, u32)


def arms():
    v = save("arms_in", ints(32, 10, -1000, 1000))
    out = v.copy()
    out[0:8] = v[0:8][np.arange(8) ^ 1] * 3
    out[8:16] = np.concatenate([v[8:10], v[8:14]]) + 5
    out[16:24] = np.concatenate([v[19:24], v[21:24]]) - 7
    out[24:32] = v[24:32][::-1] ^ 9
    save("expected_four_arms", out)

    groups = [v[g::4] for g in range(4)]
    k = np.arange(8)
    groups[0] = groups[0] + groups[0][k ^ 1]
    groups[1] = groups[1] - v[29]
    groups[1] = groups[1][k ^ 2] + 1
    groups[2] = np.full(8, groups[2].max())
    groups[3] = np.roll(groups[3], -1)
    for g in range(4):
        out[g::4] = groups[g]
    save("expected_four_interleaved_arms", out)

    save("expected_masks_by_lane", v[LANE ^ 8] - v[LANE ^ 3])

    offered = np.where(LANE < 16, v * 5 + 1, v - 100)
    for lane in range(16, 32):
        offered[lane] += v[:lane].sum()
    source = np.where(LANE < 16, 31 - LANE, LANE * 3 % 32)
    got = offered[source]
    save("expected_two_places", np.where(LANE < 16, got + 1000, got * 2), i32)

    odd = v & 1 == 1
    ballot = mask_of(np.flatnonzero(np.where(odd, v > 0, v < 0)))
    same = np.array([mask_of(np.flatnonzero(v & 6 == x & 6)) for x in v], u32)
    save("expected_two_places_vote", np.where(odd, u32(ballot) ^ (same << u32(1)), u32(ballot) + same))

    third = LANE % 3 == 0
    cell = np.where(third, v * 2, v - 4)
    out = np.where(third, cell[(LANE + 1) % 32] + 1, cell[(LANE + 5) % 32] * 3)
    save("expected_warp_barrier", out, i32)


def wide():
    x = save("wide_u64", noise64(32, 11))
    save("expected_u64", np.cumsum(x, dtype=u64))
    x = save("wide_f64", doubles(32, 12))
    for distance in 16, 8, 4, 2, 1:
        x = x + x[LANE ^ distance]
    save("expected_f64", x)
    x = save("wide_f16", floats(32, 13).astype(f16))
    y = x
    for distance in 16, 8, 4, 2, 1:
        y = y + y[LANE ^ distance]
    save("expected_f16", y)
    pairs = save("wide_f16x2", floats(64, 14).astype(f16)).reshape(32, 2)
    below = np.concatenate([pairs[9:], pairs[23:]])
    save("expected_f16x2", np.maximum(pairs, below).reshape(-1))
    x = save("wide_s8", noise(32, 15).astype(u8).view(i8))
    save("expected_s8", x + x[LANE ^ 21])


modes()
operands()
partial_warps()
arms()
wide()
