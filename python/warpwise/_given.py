"""What callers give by name, looked at before it is used: who gives something else is told which one it was."""

from __future__ import annotations

import operator
import os
from typing import Any


def text(value: Any, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{what}={value!r}: give a str, and no {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what}: at {error.start} there is half of a character, {value[error.start]!r}") from None
    return value


def path(value: Any, what: str) -> str:
    """The path of a file."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{what}={value!r}: give a path, and no {type(value).__name__}") from None


def number(value: Any, what: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}={value!r}: give a whole number, and no {type(value).__name__}") from None
    if not least <= found <= most:
        raise ValueError(f"{what}={found}: give a number from {least} to {most}")
    return found


def flag(value: Any, what: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise TypeError(f"{what}={value!r}: give True or False")
    return value


def executor(value: Any) -> Any:
    """What runs tasks, or nothing."""
    if value is not None and not callable(getattr(value, "submit", None)):
        raise TypeError(f"executor={value!r}: give an executor of concurrent.futures, or one that has its `submit`")
    return value


def contents(value: Any, what: str) -> bytes:
    """The bytes of something that has some."""
    try:
        view = memoryview(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{what}={value!r}: give bytes, or an array with as many, and no {kind}") from None
    if "O" in view.format:
        raise TypeError(f"{what}: an array of Python objects, which kernels cannot read")
    return view.tobytes()
