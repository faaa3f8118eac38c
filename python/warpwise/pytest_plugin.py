"""``pytest --warpwise[=check]``: tests of code for GPUs, without one.

``--warpwise`` puts Warpwise in the place of CUDA before any test is imported. ``--warpwise=check`` looks at every launch, too: a
finding fails the test that made it, and stands in its report and in JUnit. ``--warpwise-device sm_90`` chooses the device;
tests with the marker ``warpwise_device("sm_90", "sm_120")`` run on these alone, and with ``warpwise_device(">=sm_80")`` on those
from an architecture on. With ``pytest-xdist`` every worker has a device of its own.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_OPTION = "--warpwise"
_MODES = ("run", "check")
#: The device that there is unless another is asked for (docs/cuda-programs.md).
_DEFAULT = "sm_120"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("warpwise", "GPUs that are not there")
    group.addoption(
        _OPTION,
        nargs="?",
        const="run",
        default=None,
        metavar="check",
        help="run kernels on this CPU; with =check, fail tests whose launches do what is undefined",
    )
    group.addoption("--warpwise-device", default=None, metavar="sm_XX", help="the device that tests find")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Activates before anything of the tests is imported."""
    mode = early_config.known_args_namespace.warpwise
    if mode is None:
        return
    # What follows the option is a path, unless it is written with `=`.
    if _OPTION in args:
        args[args.index(_OPTION)] = f"{_OPTION}=run"
        mode = "run"
    if mode not in _MODES:
        raise pytest.UsageError(f"{_OPTION}={mode}: give {_OPTION}, or {_OPTION}=check")
    from warpwise import Error, _state, activate

    watch = _Watch(Path(tempfile.mkdtemp(prefix="warpwise-"))) if mode == "check" else None
    if watch:
        os.environ["WARPWISE_FINDINGS"] = str(watch.findings)
        # Each test is told, also of what another one was told.
        os.environ["WARPWISE_REPEAT"] = "1"
    device = early_config.known_args_namespace.warpwise_device
    try:
        if _state.started and watch:
            # A worker: its parent's settings, but reports of its own.
            os.environ["WARPWISE_REPORT"] = str(watch.report)
        else:
            activate(device, mode == "check", report=str(watch.report) if watch else None)
    except (Error, ValueError) as error:
        raise pytest.UsageError(str(error)) from error
    if watch:
        early_config.pluginmanager.register(watch, "warpwise-watch")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers",
        "warpwise_device(*names): run on these devices alone, such as 'sm_90' or '>=sm_80', when pytest is given --warpwise",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says where kernels run."""
    if config.getoption("warpwise", None) is None:
        return None
    from warpwise import __version__

    checks = ", every launch is checked" if config.getoption("warpwise") == "check" else ""
    return f"warpwise {__version__}: {_device(config)} on this CPU{checks}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out tests of other devices."""
    if item.config.getoption("warpwise", None) is None:
        return
    device = _device(item.config)
    for marker in item.iter_markers("warpwise_device"):
        if not any(_is_meant(str(name), device) for name in marker.args):
            pytest.skip(f"for {', '.join(map(str, marker.args))}; this is {device}")


def _device(config: pytest.Config) -> str:
    asked: str | None = config.getoption("warpwise_device", None)
    return asked or os.environ.get("WARPWISE_DEVICE") or _DEFAULT


def _is_meant(name: str, device: str) -> bool:
    if name.startswith(">="):
        return _number(device) >= _number(name)
    return name == device


def _number(target: str) -> int:
    return int("".join(filter(str.isdigit, target)) or 0)


class _Watch:
    """Gives findings to the tests that made them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: Every finding is a line of the first, and the second has all in words.
        self.findings = folder / "findings"
        self.report = folder / "report"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Launches of fixtures."""
        return (yield from self._watched(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Launches of the test."""
        return (yield from self._watched(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Launches behind it."""
        return (yield from self._watched(item))

    def pytest_unconfigure(self) -> None:
        """Nobody reads the files any more."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _watched(self, item: pytest.Item) -> Generator[None, Any, Any]:
        before = _size(self.findings), _size(self.report)
        try:
            result = yield
        except BaseException:
            # The test has failed for a reason of its own, perhaps for this one.
            if text := self._look(item, *before):
                item.add_report_section("call", "warpwise", text)
            raise
        if text := self._look(item, *before):
            pytest.fail(f"warpwise has found something:\n\n{text}", pytrace=False)
        return result

    def _look(self, item: pytest.Item, found: int, told: int) -> str:
        """What has been found since, in words."""
        _synchronize()
        kernels = sorted(set(_behind(self.findings, found).split("\n")) - {""})
        if not kernels:
            return ""
        text = _behind(self.report, told).rstrip()
        item.user_properties.append(("warpwise", ", ".join(kernels)))
        return text


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _behind(path: Path, offset: int) -> str:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _synchronize() -> None:
    """Waits for what the test has launched."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return
    # Without a context there is nothing to wait for.
    driver.cuCtxSynchronize()
