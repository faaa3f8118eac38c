"""What is no module, no name, no schedule, no launch or no device is refused in a sentence that names it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warpwise
from conftest import HEAD, SCALE, kernel

ONES = np.ones(64, np.float32)
#: A module with a variable.
TABLE = HEAD + ".visible .global .align 4 .b8 table[16];\n" + kernel("nothing", "", "")


class Holds:
    """What a compiler has made, but nothing that is PTX."""

    asm = {"ptx": 3}


@pytest.mark.parametrize(
    ("source", "error", "why"),
    [
        (None, TypeError, "no NoneType"),
        (3, TypeError, "no int"),
        (io.BytesIO(SCALE.encode()), TypeError, "no BytesIO"),
        ([[SCALE]], TypeError, "no list"),
        ({"ptx": SCALE}, TypeError, "no dict"),
        (np.frombuffer(SCALE.encode(), np.uint8), TypeError, "no ndarray"),
        (Holds(), TypeError, "no int"),
        ([], warpwise.BadInput, "at least one module"),
        ("", warpwise.BadInput, "this text is empty"),
        (b"", warpwise.BadInput, "holds no PTX"),
        ("\n \n", warpwise.BadInput, "holds no PTX"),
        ("no/such.ptx", warpwise.BadInput, "cannot read no/such.ptx"),
        (Path("/"), warpwise.BadInput, "cannot read /"),
        (Path("a\0b"), warpwise.BadInput, "NUL"),
        (b"\x7fELF", warpwise.BadInput, "cannot read <bytes>"),
        (b"\x50\xed\x55\xba" + bytes(60), warpwise.BadInput, "not a fat binary"),
        (SCALE.encode("utf-16"), warpwise.BadInput, "is not UTF-8"),
        (SCALE[:200], warpwise.BadInput, "found the end of the file"),
        ("// \udc80\n" + SCALE, ValueError, "source: at 3 there is half of a character"),
        ([SCALE, SCALE], warpwise.BadInput, "Multiple definition of 'scale'"),
        (sys.executable, warpwise.BadInput, "has no PTX"),
    ],
)
def test_sources(source, error, why):
    with pytest.raises(error, match=why):
        warpwise.Module(source)


def test_a_module_by_its_path(tmp_path):
    file = tmp_path / "scale.ptx"
    file.write_text(SCALE)
    for path in (file, str(file)):
        assert warpwise.Module(path).kernels == ["scale"]
    for held in (SCALE.encode(), bytearray(SCALE.encode()), SCALE + "\0"):
        assert warpwise.Module(held).kernels == ["scale"]


@pytest.mark.parametrize(
    ("named", "error", "why"),
    [
        ({"target": 90}, TypeError, "target=90: give a str, and no int"),
        ({"target": b"sm_90"}, TypeError, "target=b'sm_90': give a str, and no bytes"),
        ({"target": "sm_9999"}, warpwise.BadInput, "`sm_9999` is not an architecture"),
        ({"target": ""}, warpwise.BadInput, "is not an architecture"),
        ({"name": 3}, TypeError, "name=3: give a str, and no int"),
        ({"name": "\udc80"}, ValueError, "name: at 0 there is half of a character"),
    ],
)
def test_names_of_modules(named, error, why):
    with pytest.raises(error, match=why):
        warpwise.Module(SCALE, **named)


@pytest.mark.parametrize("name", [3, None, b"scale", ["scale"], ("scale",)])
def test_names_that_are_none(name):
    module = warpwise.Module(TABLE)
    for use in (module.kernel, module.__getitem__, module.read, lambda it: module.write(it, b"")):
        with pytest.raises(TypeError, match="name=.*: give a str, and no "):
            use(name)
    assert name not in module


def test_names_that_are_not_there():
    module = warpwise.Module(TABLE)
    for use in (module.kernel, module.read, lambda it: module.write(it, b"")):
        with pytest.raises(warpwise.BadInput, match="has no (kernel|variable) `other`"):
            use("other")
        with pytest.raises(ValueError, match="half of a character"):
            use("\udc80")
    with pytest.raises(AttributeError, match="the module has no kernel 'other'; it has nothing"):
        _ = module.other
    # One that was never loaded, as a copy that went wrong.
    with pytest.raises(AttributeError, match="a module has no attribute 'kernels'"):
        _ = warpwise.Module.__new__(warpwise.Module).kernels


@pytest.mark.parametrize(
    ("value", "error", "why"),
    [
        (None, TypeError, "value=None: give bytes"),
        (7, TypeError, "value=7: give bytes"),
        ("text", TypeError, "value='text': give bytes"),
        ([1, 2], TypeError, "give bytes, or an array with as many, and no list"),
        (np.array([None, None]), TypeError, "an array of Python objects"),
        (bytes(15), warpwise.BadInput, "it has 15 bytes, and `.b8\\[16\\]` has 16"),
        (bytes(17), warpwise.BadInput, "it has 17 bytes"),
    ],
)
def test_values_of_variables(value, error, why):
    module = warpwise.Module(TABLE)
    module.write("table", np.arange(8, dtype=np.float32)[::2])
    with pytest.raises(error, match=why):
        module.write("table", value)
    np.testing.assert_array_equal(module.read("table", np.float32), [0, 2, 4, 6])
    with pytest.raises((TypeError, ValueError)):
        module.read("table", "S3")


def test_shapes_that_no_device_has(scale):
    for grid, block in [(2**31, 32), ((1, 65536), 32), ((1, 1, 65536), 32), (1, 1025), (1, (32, 33)), (1, (1, 1, 65))]:
        for how in (scale.launch, scale.check):
            with pytest.raises(warpwise.LimitReached, match="is not possible|threads"):
                how(grid, block, ONES, 1.0, 0)
    for shape in (1, (1,), (1, 32, 0, 0), None, "ab"):
        with pytest.raises(TypeError, match=r"write kernel\[grid, block\]"):
            scale[shape]


@pytest.mark.parametrize(
    ("named", "error", "why"),
    [
        ({"n": 0}, ValueError, "n=0: give a number from 1"),
        ({"n": -1}, ValueError, "n=-1"),
        ({"n": 2**70}, ValueError, "n=1180591620717411303424"),
        ({"n": 1.5}, TypeError, "n=1.5: give a whole number, and no float"),
        ({"n": "x"}, TypeError, "n='x'"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"seed": 2**64}, ValueError, "seed=18446744073709551616"),
        ({"seed": None}, TypeError, "seed=None: give a whole number"),
        ({"executor": 3}, TypeError, "executor=3: give an executor"),
        ({"pedantic": "x"}, TypeError, "pedantic='x': give True or False"),
        ({"bogus": 1}, TypeError, "there is no option 'bogus'"),
    ],
)
def test_explorations(scale, named, error, why):
    with pytest.raises(error, match=why):
        scale.explore(1, 32, ONES, 1.0, 0, **{"n": 2, **named})


def test_checks(scale):
    with pytest.raises(TypeError, match="pedantic=1: give True or False"):
        scale.check(1, 32, ONES, 1.0, 0, pedantic=1)


def test_sweeps(scale):
    good = warpwise.Launch(scale, 1, 32, (ONES, 1.0, 0))
    for bad, why in [
        (3, r"launches\[1\] is 3: give warpwise.Launch"),
        (warpwise.Launch(None, 1, 32), r"launches\[1\] is Launch\(kernel=None"),
        (warpwise.Launch(scale, 1, 32, 3), r"launches\[1\]: args are a tuple"),
        (warpwise.Launch(scale, 1, 32, ONES), r"launches\[1\]: args are a tuple"),
        (warpwise.Launch(scale, 1, 32, (), None), r"options a dict"),
        (warpwise.Launch(scale, 1, 32, (lambda: 0, 1.0, 0)), r"launches\[1\]: its arguments are copied, and one cannot be"),
    ]:
        with pytest.raises(TypeError, match=why):
            warpwise.sweep([good, bad])
    with pytest.raises(TypeError, match="executor=3: give an executor"):
        warpwise.sweep([good], executor=3)
    with pytest.raises(TypeError, match="check='yes': give True or False"):
        warpwise.sweep([good], check="yes")
    (swept,) = warpwise.sweep([warpwise.Launch(scale, 1, 32, (ONES,))])
    assert isinstance(swept.error, warpwise.ArgumentError) and not swept.ok


@pytest.mark.parametrize("instruction", [None, 3, b"shfl", ["shfl"]])
def test_explanations(instruction):
    with pytest.raises(TypeError, match="instruction=.*: give a str, and no "):
        warpwise.explain(instruction)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("activate(3)", "TypeError: device=3: give a str, and no int"),
        ("activate(b'sm_90')", "TypeError: device=b'sm_90': give a str, and no bytes"),
        ("activate('sm_1')", "there is no such device"),
        ("activate(check='yes')", "TypeError: check='yes': give True or False"),
        ("activate(report=3)", "TypeError: report=3: give a path, and no int"),
        ("activate('sm_90'); warpwise.activate('sm_80')", "CUDA is Warpwise already, with other settings"),
    ],
)
def test_devices(call, why):
    done = subprocess.run([sys.executable, "-c", f"import warpwise; warpwise.{call}"], capture_output=True, text=True)
    assert done.returncode == 1 and why in done.stderr
