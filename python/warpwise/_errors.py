"""What can go wrong, as exceptions that tell whose turn it is."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._findings import Checked


@dataclass(frozen=True)
class Place:
    """A range of a file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    #: What is said about this place.
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message, with where it points."""

    #: ``error``, ``warning`` or ``note``.
    severity: str
    #: Whose fault it is: ``bad-input``, ``unsupported``, ``limit``, ``undefined`` or ``bug``.
    kind: str
    #: A stable code such as ``W001``, or nothing.
    code: str
    message: str
    #: Where; the first is the primary place.
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    #: The functions that it is about, the innermost first.
    functions: tuple[str, ...] = ()
    #: Everything, as the command prints it.
    text: str = field(default="", repr=False)
    #: The same with ANSI colours.
    coloured: str = field(default="", repr=False)

    def __str__(self) -> str:
        return self.text.rstrip()

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Diagnostic:
        places = (
            Place(it["file"], it["line"], it["column"], it.get("text", ""))
            for it in data["places"]
        )
        return cls(
            severity=data["severity"],
            kind=data["class"],
            code=data.get("code", ""),
            message=data["message"],
            places=tuple(places),
            notes=tuple(data.get("notes", ())),
            help=data.get("help"),
            functions=tuple(data.get("functions", ())),
            text=data["text"],
            coloured=data["coloured"],
        )


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

    #: What stopped it, in a word such as ``out-of-bounds``.
    kind: str = ""


class Bug(Error, AssertionError):
    """Warpwise is wrong. Please report it."""


class FindingsError(Error, AssertionError):
    """A check found something."""

    #: What was found.
    checked: Checked | None = None


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
