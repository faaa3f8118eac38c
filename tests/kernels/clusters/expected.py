#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels whose CTAs form clusters."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def clusters(grid, cluster):
    """The CTAs of a grid by linear index: cluster's index, index and rank in the cluster."""
    for number in range(grid[0] * grid[1] * grid[2]):
        at = (number % grid[0], number // grid[0] % grid[1], number // grid[0] // grid[1])
        inside = [a % c for a, c in zip(at, cluster)]
        yield [a // c for a, c in zip(at, cluster)], inside, inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])


def ranks(name, grid, cluster, explicit):
    counts = [g // c for g, c in zip(grid, cluster)]
    rows = [
        [*of, *counts, *inside, *cluster, rank, int(np.prod(cluster)), explicit, 0]
        for of, inside, rank in clusters(grid, cluster)
    ]
    save(name, np.array(rows).reshape(-1), u32)


ranks("expected_ranks", (4, 6, 2), (2, 2, 1), 1)
ranks("expected_ranks_cube", (2, 4, 4), (1, 2, 4), 1)
ranks("expected_ranks_alone", (3, 2, 1), (1, 1, 1), 0)
ranks("expected_ranks_told", (3, 2, 1), (1, 1, 1), 1)

values = save("values", noise(3000, 7))
for bins, ctas in (96, 4), (64, 8), (48, 1):
    save(f"expected_histogram_{ctas}", np.bincount(values % bins, minlength=bins), u32)

row = save("row", ints(512, 3, -1000, 1000))
rows = row.reshape(8, 64)
for size, rounds in (4, 3), (8, 11), (2, 4):
    start = np.arange(8) // size * size
    # After so many rounds a CTA holds the row of the one so many before it.
    source = start + (np.arange(8) - start - rounds) % size
    save(f"expected_ring_{size}", rows[source].reshape(-1) + rounds, i32)

told = [
    [100 + (rank - 1) % 4, (rank - 1) % 4, rank + 10 * 0 + 20 + 40 + 80] for _ in range(2) for rank in range(4)
]
save("expected_told", np.array(told).reshape(-1), i32)

save("expected_chain", [3 ** (7 - rank) for rank in range(8)], i32)

arrivals = np.zeros((16, 32))
arrivals[[0, 8]] = 255
save("expected_arrivals", arrivals.reshape(-1), i32)

vectors = save("vectors", ints(8 * 128, 5, 0, 99))
sent = []
for cta in range(8):
    before = cta // 4 * 4 + (cta % 4 - 1) % 4
    theirs = vectors.reshape(8, 128)[before]
    sent.append(np.concatenate([theirs, np.full(32, 1000 + theirs[::4].sum())]))
save("expected_sent", np.array(sent).reshape(-1), i32)

small = save("small", ints(8 * 32, 9, -500, 500))
bulk = []
for cta in range(8):
    before = cta // 4 * 4 + (cta % 4 - 1) % 4
    everywhere = small[:32] if cta % 2 == 0 else np.full(32, -1)
    bulk.append(np.concatenate([2 * small.reshape(8, 32)[before], everywhere]))
save("expected_bulk", np.array(bulk).reshape(-1), i32)

save("expected_pairs", [(cta ^ 1) ** 2 for cta in range(8)], i32)

triangle = np.arange(64) * (np.arange(64) - 1) // 2
save("expected_split", rows[np.arange(8) ^ 1][:, ::-1].reshape(-1) + np.tile(triangle, 8), i32)
