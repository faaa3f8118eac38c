"""Warpwise in the place of CUDA, in every way."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from test_plugin import CLIENT

PROGRAM = CLIENT + '''
import sys
count = ctypes.c_int()
cuda.cuInit(0)
major = ctypes.c_int()
cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
print("capability", major.value, flush=True)
race() if "race" in sys.argv else good()
cuda.cuCtxSynchronize()
print("done", sys.argv[1:], flush=True)
'''


def run(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WARPWISE", "LD_"))}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**clean, **environment}, timeout=100)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_activate(tmp_path):
    path = tmp_path / "program.py"
    path.write_text('import warpwise\nwarpwise.activate(device="sm_90")\nassert warpwise.is_active()\n' + PROGRAM)
    done = run(path, "a")
    assert (done.stdout, done.stderr) == ("capability 9\ndone ['a']\n", "")


def test_activate_with_checks(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import warpwise\nwarpwise.activate(check=True)\n" + PROGRAM)
    done = run(path, "race")
    assert "capability 12\ndone" in done.stdout and "error[R0" in done.stderr and done.returncode == 1
    assert run(path).returncode == 0


def test_activate_twice_and_wrongly(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        """
import warpwise
assert not warpwise.is_active()
try: warpwise.activate(device="sm_1")
except ValueError as error: print("device:", "there is no such device" in str(error))
warpwise.activate(device="sm_80")
warpwise.activate(device="sm_80")
try: warpwise.activate(device="sm_90")
except warpwise.Error as error: print(error)
"""
    )
    done = run(path)
    assert done.stderr == "" and done.stdout.startswith("device: True\nCUDA is Warpwise already")


def test_as_a_module(program):
    done = run("-m", "warpwise", "--device", "sm_80", program, "a", "-b")
    assert (done.stdout, done.stderr) == ("capability 8\ndone ['a', '-b']\n", "")
    done = run("-m", "warpwise", "--check", program, "race")
    assert "error[R0" in done.stderr and done.returncode == 1
    done = run("-m", "warpwise", "-c", "import sys, warpwise; print(warpwise.is_active(), sys.argv)", "x")
    assert done.stdout == "True ['-c', 'x']\n"
    flags = ["-Xdev", "-Xint_max_str_digits=5000", "-Wignore"]
    shown = "import sys; print(sys.flags.dev_mode, sys.flags.int_max_str_digits, sys.warnoptions)"
    assert run(*flags, "-m", "warpwise", "-c", shown).stdout == "True 5000 ['default', 'ignore']\n"
    shown = "import sys; print(sys.flags.optimize, sys.flags.dont_write_bytecode)"
    assert run("-O", "-Bm", "warpwise", "-c", shown).stdout == "1 1\n"
    assert run("-m", "warpwise").returncode == 2
    assert "WARPWISE" not in run("-m", "warpwise", "--help").stderr


def test_by_the_environment(program):
    done = run(program, WARPWISE="1")
    assert (done.stdout, done.stderr) == ("capability 12\ndone []\n", "")
    assert run(program, WARPWISE="sm_90").stdout.startswith("capability 9\n")
    done = run(program, "race", WARPWISE="check,sm_80")
    assert done.stdout.startswith("capability 8\n") and "error[R0" in done.stderr and done.returncode == 1
    done = run(program, WARPWISE="sideways")
    assert done.returncode == 2 and "WARPWISE=sideways: give 1, check" in done.stderr
    assert run("-c", "import warpwise; print(warpwise.is_active())", WARPWISE="0").stdout == "False\n"


def test_the_command():
    command = os.path.join(os.path.dirname(sys.executable), "warpwise")
    done = subprocess.run([command, "explain", "activemask.b32 d"], capture_output=True, text=True)
    assert done.returncode == 0 and "activemask" in done.stdout
    where = subprocess.run([command, "driver", "--path"], capture_output=True, text=True).stdout.strip()
    assert os.path.exists(os.path.join(where, "libcuda.so.1"))
