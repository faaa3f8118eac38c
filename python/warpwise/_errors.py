"""What can go wrong, as exceptions that tell whose turn it is."""

from __future__ import annotations

import json
from typing import Any

from ._diagnostics import Diagnostic, Place


class Error(Exception):
    """A module or a launch failed. The subclasses say whose turn it is."""

    #: What there is to say, the first error first.
    diagnostics: tuple[Diagnostic, ...] = ()
    #: How far it got: ``module``, ``launch`` or ``run``.
    stage: str = ""
    #: What the kernel had printed until then.
    printed: str = ""

    @property
    def place(self) -> Place | None:
        """Where it happened: the line that you wrote, if the module names it."""
        return next((it.places[0] for it in self.diagnostics if it.places), None)

    @property
    def file(self) -> str | None:
        """The file of :attr:`place`."""
        return self.place.file if self.place else None

    @property
    def line(self) -> int | None:
        """The line of :attr:`place`."""
        return self.place.line if self.place else None

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[Error], args: tuple[Any, ...], state: dict[str, Any]) -> Error:
    error = kind(*args)
    error.__dict__.update(state)
    return error


class BadInput(Error, ValueError):
    """The module or the launch breaks a rule: mend it."""


class ArgumentError(Error, TypeError):
    """An argument does not fit the kernel's parameter; the message names it."""


class Unsupported(Error, NotImplementedError):
    """The input is legal, and Warpwise does not implement it."""


class LimitReached(Error, RuntimeError):
    """A limit that is stated, or that the launch was given, was reached."""


class Fault(Error, RuntimeError):
    """The kernel was stopped: a bad access, a deadlock, a trap, a failed assertion. Arrays hold what it wrote so far."""

    #: What stopped it, in a word such as ``out of bounds``.
    kind: str = ""


class Bug(Error, AssertionError):
    """Warpwise is wrong. Please report it."""


_CLASSES: dict[str, type[Error]] = {
    "bad-input": BadInput,
    "unsupported": Unsupported,
    "limit": LimitReached,
    "undefined": Fault,
    "bug": Bug,
}


def from_failure(document: str) -> Error:
    """The exception that a failure of the library is."""
    data = json.loads(document)
    diagnostics = tuple(Diagnostic._of(it) for it in data["diagnostics"])
    error = _CLASSES[data["class"]]("\n".join(str(it) for it in diagnostics))
    error.diagnostics = diagnostics
    error.stage = data["stage"]
    error.printed = data["printed"]
    if isinstance(error, Fault):
        error.kind = data["fault"] or ""
    return error


def from_argument(message: str) -> Error:
    """The exception for an argument that does not fit."""
    error = ArgumentError(message)
    error.stage = "launch"
    return error
