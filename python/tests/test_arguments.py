"""What kernels can be given, and what is said of what they cannot."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest

import warpwise
from conftest import HEAD, kernel

ONES = np.ones(64, np.float32)


def described(**fields):
    """An object that describes an array of 64 floats, but for some fields."""
    own = {"shape": (64,), "typestr": "<f4", "data": (ONES.ctypes.data, False), "version": 3}
    return type("Described", (), {"__array_interface__": {**own, **fields}})()


class Raising:
    @property
    def __array_interface__(self):
        raise RuntimeError("it has none")


def test_numpy_in_place(scale):
    x = np.arange(64, dtype=np.float32)
    address = x.ctypes.data
    scale[2, 32](x, 2.0, 64)
    assert x.ctypes.data == address
    np.testing.assert_array_equal(x, 2 * np.arange(64))


def test_bounds_are_those_of_the_view(scale):
    x = np.ones(64, np.float32)
    with pytest.raises(warpwise.Fault, match="out of bounds"):
        scale[2, 32](x[:40], 2.0, 64)
    # The lanes of the second warp stopped before they wrote; nothing behind the view has changed.
    np.testing.assert_array_equal(x[40:], 1)


def test_views_of_one_array():
    add = HEAD + kernel(
        "add",
        ".param .u64 x, .param .u64 y",
        """
        ld.param.u64 %rd1, [x];
        ld.param.u64 %rd2, [y];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.s64 %rd1, %rd1, %rd3;
        add.s64 %rd2, %rd2, %rd3;
        ld.global.u32 %r2, [%rd1];
        add.u32 %r2, %r2, 100;
        st.global.u32 [%rd2], %r2;
        """,
    )
    x = np.arange(32, dtype=np.int32)
    module = warpwise.Module(add)
    module["add"][1, 16](x[:16], x[16:])
    np.testing.assert_array_equal(x[16:], np.arange(16) + 100)
    y = np.arange(32, dtype=np.int32)
    module["add"][1, 16](y[:20], y)  # They overlap.
    np.testing.assert_array_equal(y[:16], np.arange(16) + 100)
    module["add"][1, 16](y, y)
    np.testing.assert_array_equal(y[:16], np.arange(16) + 200)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2],
        lambda x: x[::-1],
        lambda x: x.reshape(16, 8).T,
        lambda x: x.reshape(2, 8, 8)[:, ::2, 1:5],
        lambda x: np.asfortranarray(x.reshape(16, 8)),
    ],
)
def test_other_layouts_come_back(scale, view):
    x = np.arange(128, dtype=np.float32)
    seen, expected = view(x), 3 * view(x)
    scale[4, 32](seen, 3.0, seen.size)
    np.testing.assert_array_equal(seen, expected)


def test_read_only_arrays(scale):
    x = np.ones(32, np.float32)
    x.flags.writeable = False
    with pytest.raises(warpwise.ArgumentError, match="argument 0, `x`: the array is read-only"):
        scale[1, 32](x, 2.0, 32)
    np.testing.assert_array_equal(x, 1)
    scale[1, 32](x, 2.0, 0)  # It is not written.


def test_buffers(scale):
    for make in (bytearray, lambda it: array.array("f", it), lambda it: memoryview(bytearray(it))):
        x = make(ONES.tobytes())
        scale[2, 32](x, 2.0, 64)
        np.testing.assert_array_equal(np.frombuffer(x, np.float32), 2)
    c = (ctypes.c_float * 64)(*ONES)
    scale[2, 32](c, 2.0, 64)
    assert list(c) == [2.0] * 64
    with pytest.raises(warpwise.ArgumentError, match="read-only"):
        scale[2, 32](ONES.tobytes(), 2.0, 64)


def test_cuda_array_interface(scale):
    x = ONES.copy()

    class Array:
        __cuda_array_interface__ = {
            "shape": (64,),
            "typestr": "<f4",
            "data": (x.ctypes.data, False),
            "strides": None,
            "version": 3,
        }

    scale[2, 32](Array(), 2.0, 64)
    np.testing.assert_array_equal(x, 2)


def test_memory_of_a_real_device_is_refused(scale):
    class Array:
        __cuda_array_interface__ = {"shape": (64,), "typestr": "<f4", "data": (4096, False), "version": 3}

    with pytest.raises(warpwise.ArgumentError, match="argument 0, `x`: .* real GPU"):
        scale[2, 32](Array(), 2.0, 64)


def test_dlpack(scale):
    x = ONES.copy()

    class Tensor:
        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

    scale[2, 32](Tensor(), 2.0, 64)
    np.testing.assert_array_equal(x, 2)


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int32)]


def test_structures():
    module = warpwise.Module(
        HEAD
        + kernel(
            "unpack",
            ".param .align 4 .b8 p[8], .param .u64 out",
            """
            ld.param.f32 %f1, [p];
            ld.param.s32 %r1, [p+4];
            cvt.rn.f32.s32 %f2, %r1;
            add.f32 %f3, %f1, %f2;
            ld.param.u64 %rd1, [out];
            st.global.f32 [%rd1], %f3;
            """,
        )
    )
    out = np.zeros(1, np.float32)
    record = np.array([(0.5, 41)], np.dtype([("x", "<f4"), ("n", "<i4")]))
    for point in (Point(0.5, 41), record[0], record, bytes(Point(0.5, 41))):
        out[:] = 0
        module["unpack"][1, 1](point, out)
        assert out[0] == 41.5
    for wrong, why in [
        (b"1234", "it has 4 bytes, and the parameter is a structure of 8 bytes"),
        (1.5, "a number for a structure of 8 bytes"),
        ("text", "an object of type `str` for a structure of 8 bytes"),
    ]:
        with pytest.raises(warpwise.ArgumentError, match=f"argument 0, `p`: {why}"):
            module["unpack"][1, 1](wrong, out)


def test_pointers_inside_structures():
    module = warpwise.Module(
        HEAD
        + kernel(
            "follow",
            ".param .align 8 .b8 p[16]",
            """
            ld.param.u64 %rd1, [p];
            ld.param.u32 %r1, [p+8];
            st.global.u32 [%rd1], %r1;
            """,
        )
    )
    out = np.zeros(1, np.uint32)
    pointer = np.array([(out.ctypes.data, 7)], np.dtype([("p", "<u8"), ("n", "<u8")]))[0]
    with pytest.raises(warpwise.Fault):
        module["follow"][1, 1](pointer)
    module["follow"].launch(1, 1, pointer, memory=[out])
    assert out[0] == 7


# Expected values are NumPy's conversions.
@pytest.mark.parametrize(
    ("declared", "load", "value", "expected"),
    [
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", -1, np.int32(-1)),
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", 2**32 - 1, np.uint32(2**32 - 1)),
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", np.int64(5), np.int32(5)),
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", True, np.int32(1)),
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", ctypes.c_int(-3), np.int32(-3)),
        (".u32", "ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1;", np.array(9), np.int32(9)),
        (".u64", "ld.param.u64 %rd2, [v]; st.global.u64 [%rd1], %rd2;", -2, np.int64(-2)),
        (".u16", "ld.param.u16 %h1, [v]; st.global.u16 [%rd1], %h1;", 65535, np.uint16(65535)),
        (".f32", "ld.param.f32 %f1, [v]; st.global.f32 [%rd1], %f1;", 0.1, np.float32(0.1)),
        (".f32", "ld.param.f32 %f1, [v]; st.global.f32 [%rd1], %f1;", 3, np.float32(3)),
        (".f32", "ld.param.f32 %f1, [v]; st.global.f32 [%rd1], %f1;", float("inf"), np.float32("inf")),
        (".f64", "ld.param.f64 %d1, [v]; st.global.f64 [%rd1], %d1;", np.float32(0.1), np.float64(np.float32(0.1))),
        (".b32", "ld.param.b32 %r1, [v]; st.global.u32 [%rd1], %r1;", 0.5, np.float32(0.5)),
    ],
)
def test_numbers(declared, load, value, expected):
    text = HEAD + kernel("put", f".param .u64 out, .param {declared} v", f"ld.param.u64 %rd1, [out]; {load}")
    out = np.zeros(1, expected.dtype)
    warpwise.Module(text)["put"][1, 1](out, value)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((ONES, 2.0), r"kernel `scale` takes 3 arguments, and 2 were given"),
        ((ONES, 2.0, 1.5), r"argument 2, `n`: 1.5 is a floating-point number"),
        ((ONES, 2.0, 2**32), r"argument 2, `n`: 4294967296 does not fit in `.u32`"),
        ((ONES, 2.0, 2**80), r"argument 2, `n`: .* does not fit in `.u32`"),
        ((ONES, 1e40, 64), r"argument 1, `factor`: 1e\+40 is too large for `.f32`"),
        ((ONES, 10**400, 64), r"argument 1, `factor`: .* is too large for `.f32`"),
        ((ONES, 1j, 64), r"argument 1, `factor`: an object of type `complex` for `.f32`"),
        ((ONES, np.complex64(1), 64), r"argument 1, `factor`: an object of type `complex64`"),
        ((ONES, ONES, 64), r"argument 1, `factor`: an array, and the parameter is a number"),
        ((ONES, None, 64), r"argument 1, `factor`: an object of type `NoneType`"),
        (([1.0], 2.0, 64), r"argument 0, `x`: an object of type `list` for `.u64`; give an array"),
        ((ONES.astype(">f4"), 2.0, 64), r"argument 0, `x`: an array of big-endian numbers"),
        ((np.array([None]), 2.0, 64), r"argument 0, `x`: an array of Python objects"),
        ((np.ma.masked_array(ONES), 2.0, 64), r"argument 0, `x`: an array with a mask"),
        ((ONES, np.str_("a"), 64), r"argument 1, `factor`: an object of type `str_` for `.f32`"),
        ((ONES, np.datetime64("2020"), 64), r"argument 1, `factor`: an object of type `datetime64`"),
        ((described(shape=(-1,)), 2.0, 64), r"argument 0, `x`: OverflowError"),
        ((described(shape=(2**62,)), 2.0, 64), r"argument 0, `x`: an array that is too large"),
        ((described(strides=(2**62,)), 2.0, 64), r"argument 0, `x`: an array whose memory is not there"),
        ((described(strides=(-(2**40),)), 2.0, 64), r"argument 0, `x`: an array whose memory is not there"),
        ((described(data=(16, False)), 2.0, 64), r"argument 0, `x`: an array whose memory is not there"),
        ((described(typestr="<f"), 2.0, 64), r"argument 0, `x`: an array of elements of the type `<f`"),
        ((np.broadcast_to(np.float32(1), (2**44,)), 2.0, 64), r"argument 0, `x`: an array of 70368744177664 bytes"),
        ((Raising(), 2.0, 64), r"argument 0, `x`: RuntimeError: it has none"),
        ((ctypes.pointer(ctypes.c_float()), 2.0, 64), r"argument 0, `x`: a pointer does not say"),
    ],
)
def test_arguments_that_do_not_fit(scale, arguments, why):
    with pytest.raises(warpwise.ArgumentError, match=why) as raised:
        scale[2, 32](*arguments)
    assert isinstance(raised.value, TypeError)


def test_null_pointers(scale):
    scale[1, 32](None, 2.0, 0)
    with pytest.raises(warpwise.Fault):
        scale[1, 32](None, 2.0, 1)


def test_empty_arrays(scale):
    scale[1, 32](np.zeros(0, np.float32), 2.0, 0)
    # Elements of no bytes.
    scale[1, 32](described(typestr="<V0", strides=(4,)), 2.0, 0)
    scale[1, 32](described(typestr="<V0", strides=(0, 0), shape=(2**31, 2**31)), 2.0, 0)


def test_memory_that_is_no_list(scale):
    with pytest.raises(TypeError, match="memory=7: give a list of arrays"):
        scale.launch(1, 32, ONES, 2.0, 0, memory=7)


def test_pointers_in_cpp_names():
    text = HEAD + kernel("_Z3putPf", ".param .u64 _Z3putPf_param_0", "ld.param.u64 %rd1, [_Z3putPf_param_0];")
    with pytest.raises(warpwise.BadInput, match="is a number, and the parameter is a pointer, `float\\*`"):
        warpwise.Module(text)["put"][1, 1](7)


def test_doubts(scale):
    told = scale.doubts(np.ones(4), 2.0, 4)
    assert len(told) == 1 and "argument 0 is f64, the kernel reads f32 from it" in told[0]
    assert scale.doubts(ONES, 2.0, 4) == []
