"""What :func:`warpwise.activate`, or how the process was started, means for it."""

from __future__ import annotations

import os

#: The library that is loaded before all else where Warpwise is in the place of CUDA.
_PRELOADED = "libwarpwise_cudart"
#: Whether the process was started like that.
started = _PRELOADED in os.environ.get("LD_PRELOAD", "")
#: Whether launches of kernels are checked.
checks = started and os.environ.get("WARPWISE_CHECK", "0") not in ("", "0")
#: The settings that the process was activated with.
active: dict[str, object] | None = None
