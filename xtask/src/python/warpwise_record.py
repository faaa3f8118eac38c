"""A plugin of pytest for suites that take hours: it takes every so-manieth test, or so many by chance, writes down what each one told as soon as it is over, and leaves
out those that were written down before."""

import json
import os
import random
import zlib
from pathlib import Path

import pytest

RECORD = Path(os.environ["WARPWISE_RECORD"])
# The tests that were written down when the session began: workers that begin later have to collect the same ones.
BEFORE = RECORD.with_suffix(".before")
# Tests are drawn with this seed: every worker draws the same ones, and so does whoever asks again.
SEED = 22


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        lines = RECORD.read_text().splitlines() if RECORD.exists() else []
        BEFORE.write_text("\n".join(json.loads(line)["test"] for line in lines))
        config.pluginmanager.register(Recorder())


# Behind `-m`, which leaves out tests that are none of the suite.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    RECORD.with_suffix(".all").write_text(str(len(items)))
    before, every = set(BEFORE.read_text().splitlines()), int(os.environ["WARPWISE_EVERY"])
    sample = {item.nodeid for item in items[::every]} - before
    most = os.environ.get("WARPWISE_SAMPLE")
    if most is not None:
        sample = set(random.Random(SEED).sample(sorted(sample), min(int(most), len(sample))))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in sample])
    # In an order in which those that were run are a fair sample, whenever the session is broken off.
    items[:] = sorted((item for item in items if item.nodeid in sample), key=lambda item: zlib.crc32(item.nodeid.encode()))


class Recorder:
    """Where the session is, which hears of all tests, whichever worker runs them."""

    def __init__(self):
        self.verdicts = {}

    def pytest_runtest_logreport(self, report):
        verdict, why = self.verdicts.pop(report.nodeid, ("passed", ""))
        if report.failed:
            verdict, why = "failed", reason(report)
        elif report.skipped and verdict != "failed" and not hasattr(report, "wasxfail"):
            verdict, why = "skipped", reason(report)
        # Of a test whose worker died, there is one report, of no phase.
        if report.when in ("setup", "call"):
            self.verdicts[report.nodeid] = verdict, why
            return
        write(report.nodeid, verdict, why)

    def pytest_collectreport(self, report):
        if report.failed:
            write(report.nodeid, "failed", reason(report))


def write(test, verdict, why):
    """One line at the end of the record."""
    with RECORD.open("a") as file:
        file.write(json.dumps({"test": test, "verdict": verdict, "why": why}) + "\n")


def reason(report):
    """The first line of what pytest shows of a test."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    text = crash.message if crash else str(report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0][:300] if lines else ""
