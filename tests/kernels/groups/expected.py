#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels with cooperative groups."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)

x = save("input", ints(64, 1, -100, 100))
thread = np.arange(64)

rows = []
for size in 4, 8, 16, 32:
    sums = np.repeat(x.reshape(-1, size).sum(1), size)
    rows.append(sums * 64 + thread % size + 1000 * (thread // size))
save("expected_tile_sums", np.concatenate(rows), i32)

votes = []
for t in range(64):
    tile = x[t // 8 * 8 : t // 8 * 8 + 8]
    word = mask_of(np.flatnonzero(tile > 0))
    word |= int((tile > 90).any()) << 8 | int((tile > -80).all()) << 9
    word |= mask_of(np.flatnonzero((tile & 3) == (x[t] & 3))) << 16
    votes.append(word)
save("expected_tile_votes", votes, u32)

odd = x & 1 == 1
save("expected_together_sums", np.where(odd, x, 0), i32)
save("expected_together_sizes", odd.reshape(2, 32).sum(1), u32)

tiles, warps = x.reshape(-1, 16), x.reshape(-1, 32)
rows = [
    np.repeat(tiles.sum(1), 16),
    np.repeat(warps.max(1), 32),
    np.repeat(np.bitwise_xor.reduce(warps, axis=1), 32),
    np.cumsum(tiles, axis=1).reshape(-1),
    (np.cumsum(warps, axis=1) - warps).reshape(-1),
]
save("expected_reductions", np.concatenate(rows), i32)

labelled, halves = [], []
for t in range(64):
    warp = x[t // 32 * 32 : t // 32 * 32 + 32]
    lane = t % 32
    same = (warp & 3) == (x[t] & 3)
    labelled.append(int(warp[same].sum()) * 32 + int(same[:lane].sum()))
    side = (warp > 0) == (x[t] > 0)
    halves.append(int(side.sum()) * 32 + int(side[:lane].sum()))
save("expected_labels", labelled + halves, i32)

block, grid = (5, 4, 3), (2, 3, 2)
words = []
for _ in range(grid[2]):
    for cta_y in range(grid[1]):
        for _ in range(grid[0]):
            for rank in range(60):
                x_, y_, z_ = rank % 5, rank // 5 % 4, rank // 20
                words.append(x_ | y_ << 4 | z_ << 8 | rank % 32 << 12 | cta_y << 20)
save("expected_ranks", words, u32)

values = save("large_in", noise64(256, 21) % u64(50), i32)
for size in 64, 128:
    rows = values.reshape(-1, size)
    behind = np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]
    same = rows[:, 3:4] == rows[:, ::-1]
    save(f"expected_tile_{size}", (behind + 1000000 * same).reshape(-1), i32)

values = save("grid_in", noise64(300, 22) % u64(1000), i32)
for _ in range(4):
    values = values + np.roll(values, -1)
save("expected_grid", values, i32)
