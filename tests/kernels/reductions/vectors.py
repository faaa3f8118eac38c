#!/usr/bin/env python3
"""What `vectors.ptx` makes of its inputs: PTX ISA 9.1, atom and red with `.vec`, by which each element is updated by itself. A thread has
16 bytes of each operation. Sums are exact in all types."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def values(seed, dtype):
    return ((noise64(32 * 16 // np.dtype(dtype).itemsize, seed) % u64(400)).astype(i64) - 200).astype(dtype) / dtype(8)


old, by = [np.concatenate([values(nth, f32).view(u32), values(nth + 1, f16).view(u32), values(nth + 2, f16).view(u32)]) for nth in (1, 4)]
floats, halves, least = [slice(128 * nth, 128 * nth + 128) for nth in range(3)]
new = old.copy()
new[floats] = (old[floats].view(f32) + by[floats].view(f32)).view(u32)
new[halves] = (old[halves].view(f16) + by[halves].view(f16)).view(u32)
new[least] = np.minimum(old[least].view(f16), by[least].view(f16)).view(u32)
save("old_vectors", old, u32)
save("by_vectors", by, u32)
save("new_vectors", new, u32)
save("returned_vectors", old[floats], u32)
