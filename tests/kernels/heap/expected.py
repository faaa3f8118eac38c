#!/usr/bin/env python3
"""Inputs and expected outputs of the kernels that allocate memory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)

count = 1000
numbers = save("numbers", noise(count, 11) % u32(100_000), u32)


def list_sum(number):
    """Nodes are pushed in front, so the last comes first."""
    total = 0
    for k in reversed(range(number % 8 + 1)):
        total = (total * 3 + number * k) & M64
    return total


save("expected_lists", [list_sum(int(number)) for number in numbers], u64)
# Thread t destroys t + 1 objects, whose amounts are 1, 2, ...
save("expected_destroyed", [sum(1 + k for t in range(64) for k in range(t + 1))], u32)
i = 255 - np.arange(256)
save("expected_taken", [sum(int(t) + k for k in range(int(t) + 1)) for t in i], u32)
t = np.arange(96)
save("expected_shared", (t // 32 * 32 + 31 - t % 32) * 5, u32)
