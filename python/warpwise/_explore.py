"""Many schedules of one launch, on any executor."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Protocol

from . import _given
from ._findings import Checked, Finding

#: Schedules of one task. What a task finds depends on its schedules alone, so that it does not matter who runs it; an even
#: number, since walks and priorities take turns.
BATCH = 32
#: Runs of an exploration of every schedule, at most.
LIMIT = 100_000
#: Schedules that one call explores, at most: what each batch finds is kept until all have been merged.
MOST = 1_000_000


class Batch(Protocol):
    """A launch that can be explored, here or, pickled, anywhere else."""

    def __call__(self, count: int, seed: int | None) -> str:
        """Runs it under ``count`` schedules from a seed, or under all of them, and returns the document of what was found."""


def explore(launch: Batch, n: int | None, seed: int, executor: Executor | None) -> Checked:
    """Explores in batches, and merges what they find in the order of their schedules."""
    executor = _given.executor(executor)
    seed = _given.number(seed, "seed", 0, 2**64 - 1 - MOST)
    if n is None:
        return Checked._of(launch(LIMIT, None))
    n = _given.number(n, "n", 1, MOST)
    batches = [(min(BATCH, n - first), seed + first) for first in range(0, n, BATCH)]
    # Every batch begins with what the arrays hold now; the first leaves in them what a launch does.
    rest = batches[1:]
    task = pickle.dumps(launch, protocol=5) if rest else b""
    if executor is None:
        later = [run_batch(task, *batch) for batch in rest]
        found = [launch(*batches[0]), *later]
    else:
        futures = [executor.submit(run_batch, task, *batch) for batch in rest]
        try:
            found = [launch(*batches[0]), *(future.result() for future in futures)]
        finally:
            for future in futures:
                future.cancel()
    return merged([Checked._of(document) for document in found])


def run_batch(task: bytes, count: int, seed: int) -> str:
    """Runs a batch on copies of the arrays; what an executor does."""
    launch: Batch = pickle.loads(task)
    return launch(count, seed)


def merged(parts: list[Checked]) -> Checked:
    """What one exploration would have found: of findings at equal places, the first; and the first that is an error."""
    first, found = parts[0], list(parts[0].findings)
    for part in parts[1:]:
        known = {it._key: nth for nth, it in enumerate(found)}
        for finding in part.findings:
            at = known.get(finding._key)
            if at is None:
                known[finding._key] = len(found)
                found.append(finding)
            elif _is_worse(finding, found[at]):
                found[at] = finding
    return replace(
        first,
        findings=tuple(found),
        runs=sum(part.runs for part in parts),
        schedules=sum(part.schedules for part in parts),
        dropped=max(part.dropped for part in parts),
        sarif=_sarif(parts),
    )


def _is_worse(one: Finding, other: Finding) -> bool:
    return one.severity == "error" and other.severity != "error"


def _sarif(parts: list[Checked]) -> dict[str, Any]:
    """The report of the first part, with the results of the others that are new."""
    whole: dict[str, Any] = pickle.loads(pickle.dumps(parts[0].sarif))
    results = whole["runs"][0]["results"]
    known = {_print(it) for it in results}
    for part in parts[1:]:
        for result in part.sarif["runs"][0]["results"]:
            if _print(result) not in known:
                known.add(_print(result))
                results.append(result)
    return whole


def _print(result: dict[str, Any]) -> str:
    return repr(sorted(result.get("partialFingerprints", {}).items()))
