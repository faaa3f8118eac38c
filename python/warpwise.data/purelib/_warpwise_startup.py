"""What ``warpwise.pth`` runs when an interpreter starts that is to find Warpwise in place of CUDA.

With ``WARPWISE=1`` in the environment the interpreter begins anew with the libraries in front, so that nothing is missed.
``WARPWISE=check`` checks every launch, and ``WARPWISE=sm_90`` chooses the device; both go together: ``WARPWISE=check,sm_90``.
"""

import os
import sys


def start():
    """Begins anew, unless the libraries are in front already."""
    # Others look at modules that are there, such as pytest, which warns of those that it cannot rewrite any more.
    sys.modules.pop(__name__, None)
    asked = os.environ.get("WARPWISE", "")
    if "libwarpwise_cudart" in os.environ.get("LD_PRELOAD", ""):
        # Triton has a driver for devices, and one that takes tensors of the host as well.
        os.environ.setdefault("TRITON_DEFAULT_BACKEND", "warpwise")
        return
    if asked in ("", "0") or sys.platform != "linux":
        return
    words = [word for word in asked.split(",") if word not in ("1", "")]
    device = next((word for word in words if word.startswith("sm_")), None)
    if any(word not in ("check", device) for word in words):
        _end(f"WARPWISE={asked}: give 1, check, an architecture such as sm_90, or several with commas")
    try:
        from warpwise._activate import environment

        os.environ.update(environment(device, "check" in words))
    except Exception as error:
        _end(str(error))
    os.execv(sys.executable, sys.orig_argv)


def _end(why):
    # An exception would only be printed, and the interpreter would go on.
    sys.stderr.write(f"warpwise: {why}\n")
    sys.stderr.flush()
    os._exit(2)
