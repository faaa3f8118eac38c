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


def collectives():
    x = ints(128, 16, -50, 50)
    x[32:64] = np.abs(x[32:64]) + 1
    x[64:96] = -np.abs(x[64:96])
    save("votes_in", x)
    flags, ballots, halves = [], [], []
    for warp in x.reshape(4, 32):
        p = warp > 0
        word = int(p.all()) | int(p.any()) << 1 | int(p.all() or not p.any()) << 2
        flags += [word | int((~p).any()) << 3] * 32
        ballots += [mask_of(np.flatnonzero(p))] * 32
        low, high = p[:16], p[16:]
        word = int(low.all()) | int(low.all() or not low.any()) << 1
        halves += [word | mask_of(np.flatnonzero(low)) << 2] * 16
        halves += [int(high.any()) | int(high.sum()) << 1] * 16
    save("expected_flags", flags, u32)
    save("expected_ballots", ballots, u32)
    save("expected_half_votes", halves, u32)

    x = ints(128, 17, 0, 6)
    x[64:96] = 3
    wide = noise64(4, 18).view(i64)[x % 4]
    wide[32:64] = (wide[32] & ~255) + np.arange(32)
    save("match_in", x)
    save("match_wide", wide)
    any_, any_wide, all_, equal = [], [], [[], []], [[], []]
    for narrow, long in zip(x.reshape(4, 32), wide.reshape(4, 32)):
        any_ += [mask_of(np.flatnonzero(narrow == v)) for v in narrow]
        any_wide += [mask_of(np.flatnonzero(long == v)) for v in long]
        for k, values in enumerate((narrow, long & ~255)):
            same = bool((values == values[0]).all())
            all_[k] += [M32 if same else 0] * 32
            equal[k] += [int(same)] * 32
    save("expected_match_any", any_, u32)
    save("expected_match_any_wide", any_wide, u32)
    save("expected_match_all", all_[0] + all_[1], u32)
    save("expected_match_equal", equal[0] + equal[1], i32)

    matrices = noise(128, 19).astype(u16).reshape(2, 8, 8)
    save("matrices", matrices.reshape(-1).view(u32))
    save("expected_transposed", np.ascontiguousarray(matrices.transpose(0, 2, 1)).reshape(-1).view(u32))


def elect():
    third = LANE % 3 == 1
    stays = LANE >= 11
    leaders = [np.zeros(32), np.where(third, 1, 99), np.where(stays, 11, 99)]
    chosen = [LANE == 0, np.where(third, LANE == 1, 99), np.where(stays, LANE == 11, 99)]
    save("expected_leaders", np.concatenate(leaders), u32)
    save("expected_chosen", np.concatenate(chosen), u32)


def redux_float():
    canonical = 0x7FFFFFFF
    x = floats(128, 20, 8.0).view(u32)
    x[[35, 50, 63]] = 0x7FC00000, 0xFFFFFFFF, 0x7F800001
    x[64:96] = np.where(LANE % 2, u32(0x7FC00001), u32(0xFFC00000))
    x[96:128] = np.where(LANE % 2, u32(0), u32(0x80000000))
    save("redux_in", x.view(f32))
    rows = []
    for nan_wins in False, True:
        for absolute in False, True:
            for largest in False, True:
                row = []
                for warp in x.reshape(4, 32):
                    words = [int(v) & 0x7FFFFFFF if absolute else int(v) for v in warp]
                    numbers = [v for v in words if v & 0x7FFFFFFF <= 0x7F800000]
                    if not numbers or (nan_wins and len(numbers) < 32):
                        result = canonical
                    else:  # -0 comes before +0
                        key = lambda v: -(v & 0x7FFFFFFF) - 1 if v >> 31 else v  # noqa: E731
                        result = (max if largest else min)(numbers, key=key)
                    row += [result] * 32
                rows.append(row)
    save("expected_redux_float", np.array(rows, u32).view(f32).reshape(-1))


def legacy():
    v = save("legacy_in", ints(32, 21, -99, 99))
    one, q = LANE & 3 == 1, v > 0
    apart = np.where(one, mask_of(np.flatnonzero(one & ~q)), mask_of(np.flatnonzero(~one & q)))
    verdict = np.where(one, q[one].any(), q[~one].all())
    together = np.full(32, mask_of(np.flatnonzero(q)))
    guarded = np.where(q, mask_of(np.flatnonzero(q & one)), 0)
    halves = v[LANE ^ 5] - v
    halves[16] = v[16]
    halves[17:] = v[16:31] + v[17:]
    rounds = [sum(4 * (8 - k) for k in range((lane & 7) + 1)) for lane in LANE]
    rows = [apart, verdict, together, guarded, halves, rounds]
    save("expected_legacy", np.array([[int(w) & M32 for w in row] for row in rows], u32).reshape(-1))


def spellings():
    v = save("spellings_in", ints(32, 22, -999, 999))
    raised = shuffle("up", v, 3, 0)[0]
    rows = [
        raised,
        np.full(32, v[31]),
        np.full(32, mask_of(np.flatnonzero(v > 0))),
        [mask_of(np.flatnonzero(raised == w)) for w in raised],
        np.full(32, v.max()),
        shuffle("down", v, 5, 31)[0],
        v[LANE ^ 13],
        np.full(32, 0x12345),
        np.roll(v, -1),
        np.where(LANE < 8, 0x3F800000 + LANE, 0x3F800000 - LANE)[LANE ^ 16],
        [1000 + (0 if lane == 0 else -(-100 // lane) * lane) for lane in LANE],
        [((int(w) & M32) << 16 | (int(w) & M32) >> 16) + int(w) for w in v],
        v[LANE ^ np.array([1, 2, 4, 8])[LANE & 3]] + 4,
    ]
    save("expected_spellings", np.array([[int(w) & M32 for w in row] for row in rows], u32).reshape(-1))


modes()
operands()
partial_warps()
arms()
wide()
collectives()
elect()
redux_float()
legacy()
spellings()
