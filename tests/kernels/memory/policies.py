#!/usr/bin/env python3
"""What `policies.ptx` makes of fractions and ranges: libcu++, `cuda/__annotated_ptr/access_property_encoding.h`, and the sixteenths of
NVIDIA's assembler, which multiplies a fraction by 15.99."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
UNCHANGED, FIRST, LAST, NORMAL = range(4)


def fraction(primary, secondary, part):
    sixteenths = int(f32(part) * f32(15.99))
    return sixteenths << 52 | secondary << 56 | primary << 57 | 2 << 59


def block(primary, secondary, address, size, total):
    scale = max((total - 1).bit_length() - 19, 0)
    bytes = 1 << 12 + scale
    start = address // bytes
    count = min(-(-(address + size) // bytes) - start, 127)
    return count << 37 | (start & 127) << 44 | scale << 52 | secondary << 56 | primary << 57 | 3 << 59


for nth, (address, size, total, part) in enumerate(
    [(0x7F0012345680, 5000, 70000, 0.5), (0x100000000, 1 << 20, 1 << 30, 0.3), (4096 * 130, 4096, 1 << 19, 1.0)]
):
    whole = [fraction(primary, UNCHANGED, 1) for primary in (LAST, NORMAL, FIRST, UNCHANGED)]
    parts = [fraction(LAST, FIRST, part), fraction(FIRST, UNCHANGED, part)]
    ranges = [block(LAST, FIRST, address, size, total), block(NORMAL, UNCHANGED, address, size, total)]
    save(f"expected_policies_{nth}", whole + parts + ranges + [0x14F0000000000000], u64)
