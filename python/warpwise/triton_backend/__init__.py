"""Triton on Warpwise: kernels are compiled as for a GPU of NVIDIA, and may take tensors of the host.

Triton finds this by its entry point. It is used where Warpwise is in the place of CUDA. Arguments may then be tensors of a CPU
build of ``torch``, or arrays of NumPy in :class:`Array`.
"""

from __future__ import annotations

from typing import Any


class Array:
    """An array of NumPy as Triton's kernels take arguments; they work on its memory.

    >>> add[(4,)](Array(x), Array(y), Array(out), n, BLOCK=128)
    """

    def __init__(self, array: Any) -> None:
        if not array.flags.c_contiguous or not array.flags.writeable:
            raise ValueError("the array's elements do not lie one after another, or may not be written")
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def data_ptr(self) -> int:
        """Where its first element is."""
        return int(self.array.ctypes.data)

    def nbytes(self) -> int:
        """Bytes of its elements."""
        return int(self.array.nbytes)

    def element_size(self) -> int:
        """Bytes of an element."""
        return int(self.array.itemsize)

    def stride(self, dimension: int) -> int:
        """Elements from one to the next in a dimension."""
        return int(self.array.strides[dimension] // self.array.itemsize)

    def numel(self) -> int:
        """How many elements it has."""
        return int(self.array.size)
