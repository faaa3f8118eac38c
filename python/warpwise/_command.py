"""The command ``warpwise``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._activate import command


def main() -> NoReturn:
    """Becomes the command."""
    path = command()
    os.execv(path, [path, *sys.argv[1:]])
