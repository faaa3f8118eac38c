"""Objects of every kind as arguments, shapes and options: a launch runs, or an error names what does not fit."""

from __future__ import annotations

import array
import ctypes
import decimal
import fractions
import io

import numpy as np
import pytest

import warpwise
from conftest import HEAD, SCALE, kernel

FLOATS = np.ones(64, np.float32)


class Structure(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int32)]


class Index:
    def __index__(self):
        return 3


class Float:
    def __float__(self):
        return 3.5


class Anything:
    def __getattr__(self, name):
        return self


class Callable:
    def __getattr__(self, name):
        return lambda *given, **named: 7


def with_attribute(name, value):
    return type("With", (), {name: value})()


def raising(name, error):
    def get(self):
        raise error

    return type("Raising", (), {name: property(get)})()


def interfaces():
    """Descriptions of arrays, right and wrong."""
    address = FLOATS.ctypes.data
    fields = {
        "shape": [(), (64,), [64], (0,), (-1,), (2**62,), "x", None, (1.5,), (2,) * 70, (2**31, 2**31)],
        "typestr": ["<f4", "", "<f", "<f0", "<f99999999999999999999", "f4", "é4", "<é", 4, None, "|O8", "<V0", ">f4"],
        "data": [None, (0, False), (16, False), (2**64 - 1, False), (2**64, False), (-1, False), (), "x", (address,), (address, True)],
        "strides": [(), (4,), (4, 4), (2**62,), (-(2**62),), (0,), (3,), "x", (1.5,)],
        "mask": [True],
    }
    own = {"shape": (64,), "typestr": "<f4", "data": (address, False), "version": 3}
    for field, values in fields.items():
        for value in values:
            for name in ("__array_interface__", "__cuda_array_interface__"):
                yield with_attribute(name, {**own, field: value})
                yield with_attribute(name, {**own, field: value, "typestr": "<V0", "strides": (4,)})


def objects():
    x = FLOATS.copy()
    fixed = x.copy()
    fixed.flags.writeable = False
    yield from [None, True, 0, 1, -1, 2**32 - 1, 2**32, 2**64 - 1, 2**64, -(2**63), -(2**64), 10**400]
    yield from [0.0, 1.5, float("nan"), float("inf"), 1e40, 1e308, 1j]
    yield from ["", "text", "\0", b"", b"12345678", bytearray(8), bytearray(256), memoryview(bytearray(256))[::2]]
    yield from [[], [1.0], (1, 2), {}, set(), range(4), iter([]), object(), type, len, ..., io.BytesIO(b"1"), ValueError("x")]
    yield from [decimal.Decimal("1.5"), fractions.Fraction(1, 3), Index(), Float(), Anything(), Callable()]
    yield from [array.array("f", [1.0] * 64), array.array("d", [1.0] * 64), array.array("f")]
    yield from [(ctypes.c_float * 64)(), (ctypes.c_float * 0)(), ctypes.c_float(1.5), ctypes.c_int(3), ctypes.c_bool(True)]
    yield from [ctypes.c_char(b"a"), ctypes.c_void_p(0), ctypes.c_void_p(16), ctypes.c_char_p(b"a"), ctypes.py_object(3)]
    yield from [ctypes.pointer(ctypes.c_float()), ctypes.byref(ctypes.c_int(3)), Structure(1, 2), (Structure * 4)()]
    yield from [x, fixed, x[::2], x[::-1], x[:0], x.reshape(8, 8).T, x.astype(">f4"), x.astype(np.float64), x.astype(object)]
    yield from [np.array(1.5, np.float32), np.array(7), np.array(None), np.array("s"), np.ma.masked_array(x), np.zeros((3, 0, 2))]
    yield from [np.broadcast_to(np.float32(1), (64,)), np.broadcast_to(np.float32(1), (2**44,)), np.array(["2020"], "datetime64[s]")]
    yield from [np.zeros(1, [("x", "<f4"), ("n", "<i4")]), np.zeros(1, [("x", "<f4"), ("n", "<i4")])[0], np.zeros(1, "V0"), np.void(b"")]
    yield from [np.float16(1), np.float64(1.5), np.longdouble(1), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.complex64(1)]
    yield from [np.str_("a"), np.bytes_(b"a"), np.datetime64("2020"), np.void(b"12345678")]
    for name in ("__array_interface__", "__cuda_array_interface__", "__dlpack__"):
        yield from [with_attribute(name, value) for value in (None, 7, {}, lambda *given, **named: 7)]
        yield from [raising(name, error) for error in (KeyError("x"), AttributeError("x"), RuntimeError("x"))]
    yield from interfaces()


#: Kernels that do nothing, with what fits them.
KERNELS = [
    (HEAD + kernel("pointer", ".param .u64 x", ""), [FLOATS]),
    (HEAD + kernel("structure", ".param .align 4 .b8 p[8]", ""), [b"12345678"]),
    (
        HEAD + kernel("numbers", ".param .u8 a, .param .s16 b, .param .u32 c, .param .f32 d, .param .f64 e, .param .b64 f", ""),
        [1, 2, 3, 4.0, 5.0, 6],
    ),
]


@pytest.mark.filterwarnings("ignore::Warning")
@pytest.mark.parametrize(("text", "good"), KERNELS, ids=["pointer", "structure", "numbers"])
def test_arguments(text, good):
    (target,) = warpwise.Module(text).values()
    ran = 0
    for place in range(len(good)):
        for given in objects():
            arguments = [*good[:place], given, *good[place + 1 :]]
            for how in (target.launch, target.check):
                try:
                    how(1, 32, *arguments)
                    ran += 1
                except warpwise.ArgumentError as error:
                    assert f"argument {place}, " in str(error), (given, error)
    assert ran > 10 * len(good)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("smem", [-1, 2**40, "x", 1.5, [1]]),
        ("cluster", [0, -1, "x", (1, 2, 3, 4)]),
        ("threads", [-1, "x"]),
        ("schedule", ["x", 7]),
        ("engine", ["x", "jit:avx9", 7]),
        ("max_steps", [-1, 2**64, "x"]),
        ("stack", [2**32, -1, "x"]),
        ("heap", [2**64, -1, "x"]),
        ("deterministic", ["x", 2.5]),
        ("memory", [7, [1], "x", [None]]),
        ("bogus", [1]),
    ],
)
def test_options(scale, name, values):
    for value in values:
        for how in (scale.launch, scale.check):
            with pytest.raises((warpwise.Error, TypeError), match=name):
                how(1, 32, FLOATS, 1.0, 0, **{name: value})


def test_shapes():
    scale = warpwise.Module(SCALE)["scale"]
    for value in [0, -1, 2**32, 2**40, "x", None, (), (1, 2, 3, 4), (0, 1), 1.5, "32", (1, "x"), object(), {1: 2}]:
        with pytest.raises(warpwise.ArgumentError, match="grid is "):
            scale.launch(value, 32, FLOATS, 1.0, 0)
        with pytest.raises(warpwise.ArgumentError, match="block is "):
            scale.check(1, value, FLOATS, 1.0, 0)
