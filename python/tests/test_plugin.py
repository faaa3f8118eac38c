"""The plugin of pytest, with a library that uses CUDA's driver by ctypes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from conftest import RACE, SCALE

#: A launch by CUDA's driver interface, as clients make it.
CLIENT = f'''
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")

def launch(text, name, words, values, block):
    def call(function, *arguments):
        result = getattr(cuda, function)(*arguments)
        assert result == 0, (function, result)
    call("cuInit", 0)
    context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), text.encode())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * words))
    call("cuMemsetD32_v2", memory, 0, ctypes.c_size_t(words))
    slots = [memory, *values]
    pointers = (ctypes.c_void_p * len(slots))(*(ctypes.addressof(it) for it in slots))
    call("cuLaunchKernel", kernel, 1, 1, 1, block, 1, 1, 0, None, pointers, None)

RACE = {RACE!r}
SCALE = {SCALE!r}

def good():
    launch(SCALE, "scale", 32, [ctypes.c_float(2), ctypes.c_int(32)], 32)

def race():
    launch(RACE, "race", 1, [], 64)
'''

TESTS = """
import pytest
from client import good, race

def test_good(): good()
def test_race(): race()
def test_good_again(): good()

@pytest.fixture
def racing():
    race()

def test_fixture(racing): pass

def test_fails_itself():
    race()
    assert False, "its own reason"
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    pytester.makepyfile(client=CLIENT, test_it=TESTS)
    for name in ("LD_PRELOAD", "WARPWISE_CHECK", "WARPWISE_REPORT", "WARPWISE_FINDINGS", "WARPWISE_REPEAT"):
        monkeypatch.delenv(name, raising=False)
    return pytester


def test_runs(project):
    result = project.runpytest_subprocess("--warpwise")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["warpwise *: sm_120 on this CPU"])


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_findings_fail_the_tests_that_made_them(project, workers):
    result = project.runpytest_subprocess("--warpwise=check", "--junitxml=out.xml", *workers)
    result.assert_outcomes(passed=2, failed=2, errors=1)
    result.stdout.fnmatch_lines(["*warpwise has found something:*", "*two warps of one CTA access global memory*"])
    result.stdout.fnmatch_lines(["*its own reason*", "*Captured warpwise call*", "*two warps of one CTA*"])
    result.stdout.no_fnmatch_line("*Warning*")
    cases = {it.get("name"): it for it in ET.parse(project.path / "out.xml").iter("testcase")}
    told = cases["test_race"].find("failure")
    assert told is not None and "error[R0" in told.get("message", "") + (told.text or "")
    assert cases["test_good"].find("failure") is None and cases["test_good_again"].find("failure") is None
    assert "its own reason" in ET.tostring(cases["test_fails_itself"]).decode()
    properties = cases["test_race"].find("properties")
    assert properties is not None and "race" in ET.tostring(properties).decode()


def test_devices(project):
    project.makepyfile(
        test_it="""
        import pytest
        @pytest.mark.warpwise_device("sm_90")
        def test_hopper(): pass
        @pytest.mark.warpwise_device("sm_80", "sm_86")
        def test_ampere(): pass
        @pytest.mark.warpwise_device(">=sm_80")
        def test_from_ampere_on(): pass
        """
    )
    result = project.runpytest_subprocess("--strict-markers", "--warpwise", "--warpwise-device", "sm_90", "-rs")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["*for sm_80, sm_86; this is sm_90"])
    # Without the option the marker means nothing.
    project.runpytest_subprocess("--strict-markers").assert_outcomes(passed=3)


def test_a_path_behind_the_option(project):
    project.runpytest_subprocess("--warpwise", "test_it.py::test_good").assert_outcomes(passed=1)


def test_wrong_options(project):
    result = project.runpytest_subprocess("--warpwise=sideways")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--warpwise=sideways: give --warpwise, or --warpwise=check"])
    result = project.runpytest_subprocess("--warpwise", "--warpwise-device", "sm_1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no such device*"])


def test_own_kernels(project):
    project.makepyfile(
        test_it=f"""
        import numpy as np, warpwise
        def test_race():
            warpwise.Module({RACE!r})["race"][1, 64](np.zeros(1, np.uint32))
        """
    )
    project.runpytest_subprocess("--warpwise").assert_outcomes(passed=1)
    result = project.runpytest_subprocess("--warpwise=check")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*FindingsError*"])
