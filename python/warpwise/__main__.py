"""``python -m warpwise program.py``: runs a program of Python with Warpwise in the place of CUDA.

Options stand before the program: ``--device sm_90``, ``--check``, ``--report FILE``, as those of ``warpwise exec``; ``-m module``
runs a module, ``-c code`` runs code.
"""

from __future__ import annotations

import os
import sys

from ._activate import BACKEND, command
from ._errors import Error

#: Options of ``warpwise exec`` that a value follows.
_WITH_VALUE = {"--device", "--devices", "--engine", "--report", "--only", "--skip", "--first"}


def main() -> int:
    """Runs the program; what it returns is an exit status."""
    given = sys.argv[1:]
    at = 0
    while at < len(given) and given[at].startswith("--"):
        at += 2 if given[at] in _WITH_VALUE else 1
    options, program = given[:at], given[at:]
    if not program or "--help" in options:
        print(__doc__, file=sys.stdout if "--help" in options else sys.stderr)
        return 0 if "--help" in options else 2
    interpreter = [sys.executable, *_flags()]
    path = command()
    os.environ.update(BACKEND)
    os.execv(path, [path, "exec", *options, *interpreter, *program])


def _flags() -> list[str]:
    """The flags that this interpreter was started with: what stands before ``-m warpwise``, perhaps in one word with it."""
    flags: list[str] = []
    for word, following in zip(sys.orig_argv[1:], sys.orig_argv[2:]):
        if following == "warpwise" and word.startswith("-") and word.endswith("m"):
            return flags + [word[:-1]] * (word != "-m")
        flags.append(word)
    return []


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"warpwise: {error}")
