"""Triton's driver for NVIDIA, with tensors of the host as arguments."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import triton.backends.nvidia.driver as nvidia

from . import Array

#: `cuMemHostRegister`: the memory is registered already.
_REGISTERED = 712
_PORTABLE_AND_MAPPED = 3
#: Triton makes atomic operations on 16 bits of compare-and-swap on the word around them, also of the only element of a tensor.
_WORD = 4
#: Where Triton's launch takes the memory that kernels and profilers have beside the arguments.
_SCRATCH = slice(11, 13)


@contextlib.contextmanager
def _reachable(values: Iterable[Any]) -> Iterator[None]:
    """Lets kernels reach the memory of tensors of the host."""
    cuda = ctypes.CDLL("libcuda.so.1")
    words = {(start - start % _WORD, end + -end % _WORD) for start, end in _ranges(values)}
    ranges = sorted(words)
    held: list[int] = []
    try:
        for start, end in _joined(ranges):
            address, size = ctypes.c_void_p(start), ctypes.c_size_t(end - start)
            result = cuda.cuMemHostRegister_v2(address, size, _PORTABLE_AND_MAPPED)
            if result == 0:
                held.append(start)
            elif result != _REGISTERED:
                raise RuntimeError(f"a tensor of the host cannot be reached by kernels: CUDA error {result}")
        yield
        if held:
            result = cuda.cuCtxSynchronize()
            if result != 0:
                raise RuntimeError(f"the kernel was stopped: CUDA error {result}; standard error has the report")
    finally:
        for start in held:
            cuda.cuMemHostUnregister(ctypes.c_void_p(start))


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that overlap as one: tensors may be views of others."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _ranges(values: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """The memory of the host that arguments lie in."""
    torch = sys.modules.get("torch")
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _ranges(value)
        elif isinstance(value, Array) and value.nbytes():
            yield value.data_ptr(), value.data_ptr() + value.nbytes()
        elif torch is not None and isinstance(value, torch.Tensor):
            storage = value.untyped_storage()
            if value.device.type == "cpu" and storage.nbytes():
                yield storage.data_ptr(), storage.data_ptr() + storage.nbytes()
        elif hasattr(value, "base"):
            # A descriptor of a tensor.
            yield from _ranges([value.base])


class _Launcher(nvidia.CudaLauncher):  # type: ignore[misc]
    """Launches with tensors of the host among the arguments."""

    launch: Any

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        launch = self.launch

        def reaching(*args: Any) -> None:
            # What the program's allocator (`triton.set_allocator`) gives may be memory of the host, too.
            with _reachable(args[_SCRATCH]):
                launch(*args)

        self.launch = reaching

    def __call__(self, *args: Any) -> None:
        # What stands before them is the grid, the stream, the function and what hooks are told.
        with _reachable(args[9:]):
            super().__call__(*args)


class WarpwiseDriver(nvidia.CudaDriver):  # type: ignore[misc]
    """The driver of Warpwise's devices."""

    def __init__(self) -> None:
        if (result := ctypes.CDLL("libcuda.so.1").cuInit(0)) != 0:
            raise RuntimeError(f"the driver does not begin: CUDA error {result}")
        # What the base has instead asks `torch` for devices, of which a build for CPUs has none.
        self.utils = nvidia.CudaUtils()
        self.launcher_cls = _Launcher
        self.get_device_capability = self._get_device_capability
        self.get_current_stream = self._get_current_stream
        self.get_current_device = self._get_current_device
        self.set_current_device = self._set_current_device

    def get_active_torch_device(self) -> Any:
        """Where tensors are made: on the host."""
        import torch

        return torch.device("cpu")

    @staticmethod
    def is_active() -> bool:
        """Where Warpwise is in the place of CUDA, and the environment asks for this driver."""
        return os.environ.get("TRITON_DEFAULT_BACKEND") == "warpwise"
