"""Kernels for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpwise

pytest_plugins = ["pytester"]

#: What every module begins with.
HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"


def kernel(name: str, parameters: str, body: str) -> str:
    """A kernel as PTX, with some registers."""
    registers = ".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .b64 %rd<16>;"
    return f".visible .entry {name}({parameters}) {{\n{registers}\n{body}\nret;\n}}\n"


#: x[i] *= factor for i < n.
SCALE = HEAD + kernel(
    "scale",
    ".param .u64 x, .param .f32 factor, .param .u32 n",
    """
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
    """,
)

#: All lanes of a warp write the number of their thread to one place, and read it without a barrier.
RACE = HEAD + kernel(
    "race",
    ".param .u64 x",
    """
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    """,
)

#: Never ends.
FOREVER = HEAD + kernel(
    "forever",
    ".param .u64 x",
    """
    ld.param.u64 %rd1, [x];
    again:
    ld.volatile.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd1], %r1;
    bra again;
    """,
)


@pytest.fixture
def scale() -> warpwise.Kernel:
    return warpwise.Module(SCALE, name="scale.ptx")["scale"]


@pytest.fixture
def examples() -> Path:
    """The examples of the project."""
    return Path(__file__).parents[2] / "examples"
