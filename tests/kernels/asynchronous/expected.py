#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels that copy asynchronously."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)

tiles = save("tiles", noise64(5 * 128, 3) % u64(1 << 20), i32).reshape(5, 128)
save("expected_staged", (tiles + 3 * np.roll(tiles, -1, axis=1)).reshape(-1), i32)

vectors = save("vectors", noise64(64 * 4, 4) & u64(M32), u32).reshape(64, 4)
octets = vectors.view(u8).reshape(64, 16).copy()
for thread in range(50):
    octets[thread, 16 - thread % 17 :] = 0
octets[50:] = 0
save("expected_filled", octets.reshape(-1).view(u32), u32)

blocks = save("blocks", noise64(3 * 256, 5) & u64(0xFFFF), i32).reshape(3, 256)
save("expected_grouped", blocks[:, ::-1].reshape(-1), i32)

sizes = np.zeros((32, 16), dtype=u8)
for thread in range(31):
    size = min(thread, 16)
    sizes[thread, :size] = (16 * thread + np.arange(size)) & 255
sizes[31] = np.tile(np.array([31, 0, 0, 0], dtype=u8), 4)
save("expected_sizes", sizes.reshape(-1).view(u32), u32)
