"""Messages, and the places that they point to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
