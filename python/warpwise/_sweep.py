"""Many launches, on any executor."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Union

from . import _given
from ._errors import Error
from ._findings import Checked, Report
from ._kernel import Extents, Kernel


@dataclass(frozen=True)
class Launch:
    """A launch of a sweep: the kernel, its shape, its arguments, and options of :meth:`Kernel.launch`."""

    kernel: Kernel
    grid: Extents
    block: Extents
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    #: What it is called in the result.
    label: str = ""


@dataclass(frozen=True)
class Swept:
    """What came of a launch of a sweep."""

    launch: Launch
    #: The arguments as the launch left them: its own are not touched.
    args: tuple[Any, ...]
    #: What it did, or what a check has shown; neither if it failed.
    report: Report | None = None
    checked: Checked | None = None
    #: Why it failed.
    error: Error | None = None

    @property
    def ok(self) -> bool:
        """Whether it ended well, and a check found nothing."""
        return self.error is None and (self.checked is None or self.checked.ok)


def sweep(
    launches: Iterable[Launch], *, executor: Executor | None = None, check: bool = False
) -> list[Swept]:
    """Runs launches that have nothing to do with each other, and returns what came of each, in their order.

    Every launch works on copies of its arrays, and a kernel that is stopped stops no other. ``check`` looks for what is
    undefined in each. ``executor`` is one of ``concurrent.futures``, or one that works like those.
    """
    executor = _given.executor(executor)
    _given.flag(check, "check")
    launches = list(launches)
    tasks = [_task(nth, launch, check) for nth, launch in enumerate(launches)]
    if executor is None:
        return [Swept(launch, *run_launch(task)) for launch, task in zip(launches, tasks)]
    futures = [executor.submit(run_launch, task) for task in tasks]
    try:
        return [Swept(launch, *it.result()) for launch, it in zip(launches, futures)]
    finally:
        for future in futures:
            future.cancel()


def _task(nth: int, launch: Any, check: bool) -> bytes:
    """A launch with copies of its arrays."""
    if not (isinstance(launch, Launch) and isinstance(launch.kernel, Kernel)):
        raise TypeError(f"launches[{nth}] is {launch!r}: give warpwise.Launch(kernel, grid, block, args)")
    if not (isinstance(launch.args, (tuple, list)) and isinstance(launch.options, dict)):
        raise TypeError(f"launches[{nth}]: args are a tuple, and options a dict, by the names that Kernel.launch has")
    try:
        return pickle.dumps((launch, check), protocol=5)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise TypeError(f"launches[{nth}]: its arguments are copied, and one cannot be: {error}") from error


#: The fields of :class:`Swept` behind the launch.
Done = tuple[tuple[Any, ...], Union[Report, None], Union[Checked, None], Union[Error, None]]


def run_launch(task: bytes) -> Done:
    """Runs one; what an executor does."""
    launch, check = pickle.loads(task)
    run = launch.kernel.check if check else launch.kernel.launch
    try:
        done = run(launch.grid, launch.block, *launch.args, **launch.options)
    except Error as error:
        return launch.args, None, None, error
    report, checked = (done.report, done) if check else (done, None)
    return launch.args, report, checked, None
