#!/usr/bin/env python3
"""Expected outputs of the kernels that could fault and do not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)

save("expected_iota", np.arange(64), u32)
save("expected_42", [42], u32)
