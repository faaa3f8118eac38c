"""Run and check GPU kernels on any CPU, without a GPU.

A module is PTX: text, a file, a fat binary, or a program as ``nvcc`` built it::

    >>> import numpy as np
    >>> import warpwise
    >>> scale = warpwise.Module("scale.ptx")["scale"]
    >>> x = np.arange(128, dtype=np.float32)
    >>> scale[4, 32](x, 2.0, 128)          # grid of 4 CTAs of 32 threads; x is changed in place

``scale.check(4, 32, x, 2.0, 128)`` runs it and returns what the ISA leaves undefined: races, missing lanes in
shuffles, deadlocks, accesses out of bounds, each with the line that you wrote. ``scale.explore(...)`` does so under
other schedules, too. What stops a kernel is an exception, :class:`Fault`, with the place.

Unmodified programs of numba-cuda, CuPy, Triton and cuda-python run after :func:`activate`, under
``python -m warpwise program.py``, or with ``WARPWISE=1`` in the environment; their tests under ``pytest --warpwise``.

``warpwise.explain("__shfl_up_sync(0xffffffff, x, 1)")`` shows what an instruction does, lane by lane.
"""

from ._activate import activate, is_active
from ._diagnostics import Diagnostic, Place
from ._errors import ArgumentError, BadInput, Bug, Error, Fault, LimitReached, Unsupported
from ._explain import Explanation, explain
from ._findings import Checked, Finding, FindingsError, Report
from ._kernel import Kernel, Launcher, Module, Parameter
from ._sweep import Launch, Swept, sweep
from ._warpwise import __version__, targets

__all__ = [
    "ArgumentError",
    "BadInput",
    "Bug",
    "Checked",
    "Diagnostic",
    "Error",
    "Explanation",
    "Fault",
    "Finding",
    "FindingsError",
    "Kernel",
    "Launch",
    "Launcher",
    "LimitReached",
    "Module",
    "Parameter",
    "Place",
    "Report",
    "Swept",
    "Unsupported",
    "__version__",
    "activate",
    "explain",
    "is_active",
    "sweep",
    "targets",
]

# Messages and `help` say the names by which they are imported.
for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith(f"{__name__}._"):
        globals()[_name].__module__ = __name__
