"""Warpwise in place of CUDA's driver, for the libraries of Python."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import warnings
from pathlib import Path

from . import _given, _state
from ._errors import Error

#: The folder of the package that has the command and the libraries.
NATIVE = Path(__file__).parent / "native"
#: The backend of this package for Triton.
BACKEND = {"TRITON_DEFAULT_BACKEND": "warpwise"}
#: The libraries that are loaded at once, by the names by which others ask for them; the last looks for runtimes to replace.
_LOADED = (
    "libcuda.so.1",
    "libcuda.so",
    "libcudart.so.11.0",
    "libcudart.so.12",
    "libcudart.so.13",
    "libnvJitLink.so.12",
    "libnvJitLink.so.13",
    "libwarpwise_cudart.so",
)
#: What keeps the libraries.
_kept: list[ctypes.CDLL] = []


def command() -> str:
    """The path of the command ``warpwise``."""
    path = NATIVE / "warpwise"
    if not path.is_file():
        raise Error(f"the command is not in {NATIVE}: this package was built without it (`cargo xtask wheel` builds it)")
    return str(path)


def environment(
    device: str | None = None, check: bool = False, *, report: str | None = None
) -> dict[str, str]:
    """The variables by which a process, and those that it starts, find Warpwise in place of CUDA."""
    options = ["--device", device] if device else []
    options += ["--check"] if check else []
    options += ["--report", report] if report else []
    asked = [command(), "driver", "--env", "--python", *options]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return {**dict(line.split("=", 1) for line in done.stdout.splitlines()), **BACKEND}


def is_active() -> bool:
    """Whether CUDA is Warpwise in this process."""
    return _state.active is not None or _state.started


def activate(device: str | None = None, check: bool = False, *, report: str | None = None) -> None:
    """Puts Warpwise in the place of CUDA, for this process and those that it starts.

    Call it before anything asks for CUDA, which is when libraries such as CuPy are imported. ``device`` is the
    architecture that they find, such as ``"sm_90"``. With ``check``, every launch is checked, those of
    :class:`~warpwise.Kernel`, too; what is found goes to standard error or to the file ``report``, and the process ends with
    status 1.

    >>> import warpwise
    >>> warpwise.activate(device="sm_90")
    >>> from numba import cuda
    """
    if device is not None:
        _given.text(device, "device")
    _given.flag(check, "check")
    if report is not None:
        report = _given.path(report, "report")
    wanted: dict[str, object] = {"device": device, "check": check, "report": report}
    if _state.active is not None:
        if _state.active != wanted:
            raise Error("CUDA is Warpwise already, with other settings, which a process cannot change any more")
        return
    if _state.started:
        _refuse_other(wanted)
        return
    if sys.platform != "linux":
        raise Error("programs for CUDA run on Linux alone")
    _refuse_what_is_loaded()
    settings = environment(device, check, report=report)
    folder = Path(settings["TRITON_LIBCUDA_PATH"])
    os.environ.update(settings)
    for name in _LOADED:
        _kept.append(ctypes.CDLL(str(folder / name), ctypes.RTLD_GLOBAL))
    _state.active = wanted
    _state.checks = check


def _refuse_other(wanted: dict[str, object]) -> None:
    """Says so where the process was started with other settings."""
    device, check = wanted["device"], wanted["check"]
    if device not in (None, os.environ.get("WARPWISE_DEVICE")) or (check and not _state.checks):
        raise Error("the process was started with Warpwise in the place of CUDA, and with other settings")


def _refuse_what_is_loaded() -> None:
    """Says so where another driver is there already."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
    other = [it for it in paths if os.path.basename(it).startswith("libcuda.so") and not _is_ours(it)]
    if other:
        raise Error(f"{other[0]} has been loaded already: activate before anything asks for CUDA")
    early = [name for name in ("cupy", "numba_cuda", "cuda.bindings.driver") if name in sys.modules]
    if early:
        warnings.warn(f"{early[0]} was imported before warpwise.activate(); it may have looked for CUDA", stacklevel=3)


def _is_ours(path: str) -> bool:
    return Path(path).resolve().parent == NATIVE.resolve()
