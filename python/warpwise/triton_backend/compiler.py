"""The compiler is Triton's own for NVIDIA; an entry point of Triton must name one."""

from __future__ import annotations

from typing import Any

import triton.backends.nvidia.compiler as nvidia


class WarpwiseBackend(nvidia.CUDABackend):  # type: ignore[misc]
    """Compiles nothing: targets are those of NVIDIA."""

    @staticmethod
    def supports_target(target: Any) -> bool:
        """No target is this one's alone."""
        return False
