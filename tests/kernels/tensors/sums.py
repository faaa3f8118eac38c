#!/usr/bin/env python3
"""The kernels `sums.ptx`, in which a box of shared memory updates a tensor (PTX ISA 9.1, cp.reduce.async.bulk.tensor), their inputs, and
what numpy makes of those. A tensor has 11 rows of 148 bytes, 160 apart; a box has 8 rows of 64 bytes, and elements outside of the
tensor are left as they are."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)
HERE = Path(__file__).resolve().parent
ROWS, PITCH, WIDTH = 11, 160, 148
BOX = (8, 64)


def inc(old, by):
    return np.where(old >= by, 0, old + 1).astype(u32)


def dec(old, by):
    return np.where((old == 0) | (old > by), by, old - 1).astype(u32)


# The operation, the type and its number (9.7.9.28 tensormap.replace, `.elemtype`), numpy's, the operation, and where the box begins.
CASES = [
    ("add", "u32", 2, u32, np.add, (16, 2)),
    ("inc", "u32", 2, u32, inc, (0, 0)),
    ("dec", "u32", 2, u32, dec, (-3, 5)),
    ("min", "s32", 3, i32, np.minimum, (30, 8)),
    ("max", "u64", 4, u64, np.maximum, (-2, -2)),
    ("xor", "s64", 5, i64, np.bitwise_xor, (14, 5)),
    ("add", "f16", 6, f16, np.add, (60, -1)),
    ("add", "f32", 7, f32, np.add, (-5, 4)),
    ("add", "f64", 9, f64, np.add, (12, 1)),
]


def values(count, seed, dtype):
    """Small whole numbers, which floats add up exactly."""
    return (noise64(count, seed) % u64(60)).astype(dtype)


text = """// Made by sums.py.
.version 8.7
.target sm_90a
.address_size 64
"""
test = "# Boxes of shared memory update tensors, as sums.py has them.\n"
for nth, (op, ty, code, dtype, function, (x, y)) in enumerate(CASES):
    size = np.dtype(dtype).itemsize
    columns, width, pitch = BOX[1] // size, WIDTH // size, PITCH // size
    old, by = values(ROWS * pitch, 2 * nth, dtype), values(BOX[0] * columns, 2 * nth + 1, dtype)
    new, box = old.copy().reshape(ROWS, pitch), by.reshape(BOX[0], columns)
    for j in range(BOX[0]):
        for i in range(columns):
            if 0 <= x + i < width and 0 <= y + j < ROWS:
                at = (y + j, slice(x + i, x + i + 1))
                new[at] = function(new[at], box[j, i : i + 1])
    name = f"{op}_{ty}"
    save(f"old_{name}", old)
    save(f"by_{name}", by)
    save(f"new_{name}", new.reshape(-1))
    text += f"""
.visible .entry {name}(.param .u64 to, .param .u64 by, .param .u64 map, .param .s32 x, .param .s32 y)
{{
    .shared .align 128 .b8 held[512];
    .shared .align 128 .b8 made[128];
    .reg .pred %first;
    .reg .b32 %x, %y, %held, %made, %thread, %at, %v<4>;
    .reg .b64 %to, %by, %map;

    ld.param.u64 %to, [to];
    ld.param.u64 %by, [by];
    ld.param.u64 %map, [map];
    ld.param.s32 %x, [x];
    ld.param.s32 %y, [y];
    mov.u32 %held, held;
    mov.u32 %made, made;
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %first, %thread, 0;
    mad.lo.u32 %at, %thread, 4, %made;
    st.shared.b32 [%at], 0;
    mad.wide.u32 %by, %thread, 16, %by;
    mad.lo.u32 %at, %thread, 16, %held;
    ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%by];
    st.shared.v4.b32 [%at], {{%v0, %v1, %v2, %v3}};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @%first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%made], %to;
    @%first tensormap.replace.tile.rank.shared::cta.b1024.b32 [%made], 1;
    @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%made], 0, {columns};
    @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%made], 1, {BOX[0]};
    @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%made], 0, {width};
    @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%made], 1, {ROWS};
    @%first tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%made], 0, {PITCH};
    @%first tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%made], 0, 1;
    @%first tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%made], 1, 1;
    @%first tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%made], {code};
    @%first tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%made], 0;
    @%first tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%made], 0;
    @%first tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%made], 0;
    bar.sync 0;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%map], [%made], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%map], 128;
    @%first cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%map, {{%x, %y}}], [%held];
    @%first cp.async.bulk.commit_group;
    @%first cp.async.bulk.wait_group 0;
    ret;
}}
"""
    for command in "run", "check":
        test += f"""
$ warpwise {command} sums.ptx --entry {name} --grid 1 --block 32 --arg @old_{name}.npy --arg @by_{name}.npy --arg u8[128]=0 --arg s32:{x} --arg s32:{y} --expect 0=new_{name}.npy
"""
(HERE / "sums.ptx").write_text(text)
(HERE / "sums.test").write_text(test)
