"""What launches and checks give back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from ._diagnostics import Diagnostic, Place
from ._errors import Error
from ._html import block, page


@dataclass(frozen=True)
class Report:
    """What a launch did."""

    #: What the kernel printed.
    printed: str
    #: Time from the first instruction to the last.
    seconds: float
    #: Instructions issued to warps, and executed by threads.
    warp_instructions: int
    thread_instructions: int
    #: Branches at which a warp went two ways.
    divergences: int
    ctas: int
    threads: int


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a kernel, as a run has shown it."""

    #: What it is about, such as ``W001``: ``docs/findings.md`` lists the codes.
    code: str
    #: ``error``, or ``warning`` if nothing can come of it with these inputs.
    severity: str
    #: One sentence with the values of the first time.
    message: str
    #: How many warp instructions it happened in.
    count: int
    #: The schedule under which it was seen; ``schedule=`` of a launch replays it.
    schedule: str
    #: Where: the line that you wrote if the module names it, else that of the PTX. The first is the instruction itself.
    places: tuple[Place, ...] = ()
    #: The functions that the instruction belongs to, the innermost first.
    functions: tuple[str, ...] = ()
    #: The first thread that it happened to: ``cta`` and ``thread`` as x, y, z, ``warp`` and ``lane``.
    thread: dict[str, Any] = field(default_factory=dict, repr=False)
    #: Masks of the warp's lanes, the first time: ``existing``, ``live``, ``taking_part``, ``outside``, ``wrong``.
    lanes: dict[str, int] | None = field(default=None, repr=False)
    #: All facts of the first time, by what kind of finding it is.
    detail: Any = field(default=None, repr=False)
    #: Everything in words, as the command prints it, with and without ANSI colours.
    text: str = field(default="", repr=False)
    coloured: str = field(default="", repr=False)

    @property
    def file(self) -> str | None:
        """The file of the instruction."""
        return self.places[0].file if self.places else None

    @property
    def line(self) -> int | None:
        """The line of the instruction."""
        return self.places[0].line if self.places else None

    def __str__(self) -> str:
        return self.text.rstrip()

    def __repr__(self) -> str:
        where = f" at {self.places[0]}" if self.places else ""
        return f"<{self.severity} {self.code}{where}: {self.message}>"

    def _repr_html_(self) -> str:
        return page(block(self.coloured))

    @property
    def _key(self) -> tuple[Any, ...]:
        """What makes it another finding than others: its code and its places."""
        return (self.code, *sorted((it.file, it.line, it.column) for it in self.places))

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Finding:
        told, finding = Diagnostic._of(data), data["finding"]
        return cls(
            code=finding["code"],
            severity=finding["severity"],
            message=finding["message"],
            count=finding["count"],
            schedule=finding["schedule"],
            places=told.places,
            functions=told.functions,
            thread=finding["thread"],
            lanes=finding["lanes"],
            detail=finding["detail"],
            text=told.text,
            coloured=told.coloured,
        )


@dataclass(frozen=True)
class Checked(Sequence[Finding]):
    """What a check has shown: a sequence of findings, empty if the kernel is fine.

    Arrays hold what the first run left, as after a launch.
    """

    #: The kernel's name.
    kernel: str
    #: What is wrong, in the order in which it first happened; what only other schedules show comes last.
    findings: tuple[Finding, ...]
    #: What else there is to say: what stopped the kernel if that is no finding, limits that were reached.
    remarks: tuple[Diagnostic, ...]
    #: What the first run did.
    report: Report
    #: What stopped the kernel, in a word, if it was stopped.
    fault: str | None = None
    #: How often the kernel ran.
    runs: int = 1
    #: How often something else happened after so many findings that no more were kept.
    dropped: int = 0
    #: Whether what the kernel does may depend on the schedule also where nothing is wrong.
    order_matters: bool = False
    #: Schedules that an exploration has tried, and whether no other can do anything else.
    schedules: int = 0
    covered: bool = False
    #: The report as SARIF 2.1.0, for code scanning.
    sarif: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """Whether nothing was found but warnings, and the kernel ran to its end."""
        return self.fault is None and all(it.severity != "error" for it in self.findings)

    @property
    def text(self) -> str:
        """The report, as the command prints it."""
        found = [it.text for it in self.findings]
        return "".join([*found, *(it.text for it in self.remarks)])

    def raise_if_wrong(self) -> None:
        """Raises :class:`FindingsError` unless :attr:`ok`."""
        if not self.ok:
            error = FindingsError(self.text.rstrip())
            error.stage, error.printed, error.checked = "run", self.report.printed, self
            error.diagnostics = (*map(_told, self.findings), *self.remarks)
            raise error

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return self.findings[index]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return self.text.rstrip() or self._summary()

    def __repr__(self) -> str:
        return "\n".join([f"<{self._summary()}>", *(f"  {it!r}" for it in self.findings)])

    def _repr_html_(self) -> str:
        told = [it.coloured for it in self.findings] + [it.coloured for it in self.remarks]
        return page(f"<p>{self._summary()}</p>{''.join(map(block, told))}")

    def _summary(self) -> str:
        found = len(self.findings)
        many = "1 finding" if found == 1 else f"{found or 'no'} findings"
        runs = "1 run" if self.runs == 1 else f"{self.runs} runs"
        stopped = f"; stopped: {self.fault}" if self.fault else ""
        return f"check of {self.kernel}: {many} in {runs}{stopped}"

    @classmethod
    def _of(cls, document: str) -> Checked:
        data = json.loads(document)
        told, explored = data["diagnostics"], data["explored"] or {}
        return cls(
            kernel=data["kernel"],
            findings=tuple(Finding._of(it) for it in told if it.get("finding")),
            remarks=tuple(Diagnostic._of(it) for it in told if not it.get("finding")),
            report=Report(data["printed"], data["seconds"], **data["stats"]),
            fault=data["fault"],
            runs=data["runs"],
            dropped=data["dropped"],
            order_matters=data["order_matters"],
            schedules=explored.get("schedules", 0),
            covered=explored.get("covered", False),
            sarif=data["sarif"],
        )


class FindingsError(Error, AssertionError):
    """A check found something."""

    #: What was found.
    checked: Checked | None = None


def _told(it: Finding) -> Diagnostic:
    kind, places = "undefined", it.places
    return Diagnostic(
        it.severity, kind, it.code, it.message, places, text=it.text, coloured=it.coloured
    )
