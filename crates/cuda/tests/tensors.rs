//! Copies of boxes of tensors: `cuTensorMapEncodeTiled`, and `cp.async.bulk.tensor` (PTX ISA 9.1, 5.5 "Tensors").
#![allow(unsafe_code)]

mod common;

use common::{address, call, made, result};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;

/// What both kernels begin with.
macro_rules! begin {
    () => {
        "    ld.param.u64 %rd3, [out];
    ld.param.u32 %r1, [x];
    ld.param.u32 %r2, [y];
    mov.u32 %r3, held;
    mov.u32 %r4, ready;
    mov.u32 %r5, %tid.x;
    setp.eq.u32 %p1, %r5, 0;
"
    };
}

/// How both expect a box.
macro_rules! expect {
    () => {
        "    @%p1 mbarrier.init.shared::cta.b64 [%r4], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [%r4], 512;
"
    };
}

/// How both wait for the box, and write it as it lies.
macro_rules! write {
    () => {
        "wait:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
    @!%p2 bra wait;
    shl.b32 %r6, %r5, 4;
    add.u32 %r7, %r3, %r6;
    ld.shared.v4.b32 {%r8, %r9, %r10, %r11}, [%r7];
    mul.wide.u32 %rd5, %r5, 16;
    add.u64 %rd6, %rd3, %rd5;
    st.global.v4.b32 [%rd6], {%r8, %r9, %r10, %r11};
"
    };
}

/// A thread copies a box of 8 rows of 64 bytes at given coordinates into shared memory, 32 threads copy that to memory as it
/// lies there, and the thread copies the box to another tensor.
const PTX: &[u8] = concat!(
    ".version 8.6
.target sm_90
.address_size 64
.visible .entry box(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 out,
                    .param .u32 x, .param .u32 y)
{
    .shared .align 1024 .b8 held[512];
    .shared .align 8 .b64 ready;
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
    mov.b64 %rd1, from;
    cvta.param.u64 %rd1, %rd1;
    mov.b64 %rd2, to;
    cvta.param.u64 %rd2, %rd2;
",
    begin!(),
    "",
    expect!(),
    "    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd1, {%r1, %r2}], [%r4];
",
    write!(),
    "    @%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r1, %r2}], [%r3];
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group 0;
    ret;
}
\0"
)
.as_bytes();

/// The same without a second tensor, by a map that a warp makes in shared memory and copies to memory.
const MADE: &[u8] = concat!(
    ".version 8.7
.target sm_120a
.address_size 64
.visible .entry box(.param .u64 tensor, .param .u64 map, .param .u64 out, .param .u32 x, .param .u32 y)
{
    .shared .align 1024 .b8 held[512];
    .shared .align 128 .b8 made[128];
    .shared .align 8 .b64 ready;
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [tensor];
    ld.param.u64 %rd2, [map];
",
    begin!(),
    "    mov.u32 %r12, made;
    shl.b32 %r13, %r5, 2;
    add.u32 %r14, %r12, %r13;
    st.shared.b32 [%r14], 0;
    bar.warp.sync -1;
    mov.u32 %r15, 37;
    mov.u32 %r16, 1;
    mov.u64 %rd7, 160;
    @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r12], %rd1;
    @%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r12], 0x1;
    @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r12], 0, 16;
    @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r12], 1, 8;
    @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r12], 0, %r15;
    @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r12], 1, 11;
    @%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r12], 0, %rd7;
    @%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r12], 0, %r16;
    @%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r12], 1, %r16;
    @%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r12], 0x7;
    @%p1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r12], 0x0;
    @%p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r12], 0x3;
    @%p1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r12], 0x0;
    bar.warp.sync -1;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [%r12], 0x80;
    fence.proxy.tensormap::generic.acquire.gpu [%rd2], 0x80;
",
    expect!(),
    "    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd2, {%r1, %r2}], [%r4];
",
    write!(),
    "    ret;
}
\0"
)
.as_bytes();

/// A tensor map, where kernels look for one.
#[repr(C, align(64))]
struct Map(CUtensorMap);

const WIDTH: usize = 37;
const HEIGHT: usize = 11;
/// Bytes from a row of the tensor to the next.
const PITCH: usize = 160;

/// A box of 8 rows of 16 elements, so many rows apart.
fn encoded(memory: CUdeviceptr, swizzle: u32, step: u32) -> Map {
    let mut map = Map(CUtensorMap { bytes: [0; 128] });
    let (words, tile) = (CU_TENSOR_MAP_DATA_TYPE_UINT32, [16, 8 * step]);
    assert_eq!(encode(&mut map, memory, words, (tile, step), swizzle), CUresult::SUCCESS);
    map
}

fn encode(
    map: &mut Map,
    memory: CUdeviceptr,
    kind: u32,
    (tile, step): ([u32; 2], u32),
    swizzle: u32,
) -> CUresult {
    let extents = [WIDTH as u64, HEIGHT as u64];
    let (stride, steps) = (PITCH as u64, [1u32, step]);
    result!(cuTensorMapEncodeTiled(
        Out::new(&mut map.0),
        kind,
        2,
        Address(memory),
        In::new(&extents[0]),
        In::new(&stride),
        In::new(&tile[0]),
        In::new(&steps[0]),
        CU_TENSOR_MAP_INTERLEAVE_NONE,
        swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    ))
}

fn element(x: i32, y: i32) -> u32 {
    let inside = (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y);
    if inside { (1000 * (y + 1) + x) as u32 } else { 0 }
}

/// Where a byte of a box lies in shared memory that begins at a multiple of 1024 bytes: CUDA driver API, `CUtensorMapSwizzle`: pieces of
/// 16 bytes are exchanged within 32, 64 or 128 bytes, by the number of the row of 128 bytes.
fn swizzled(byte: usize, span: usize) -> usize {
    let (pieces, row) = (span / 16, byte / 128);
    let piece = byte / 16 % pieces;
    // Rows of 32 and 64 bytes lie four and two beside each other.
    byte - 16 * piece + 16 * (piece ^ (row % pieces))
}

#[test]
fn a_box_is_what_lies_in_the_tensor() {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let module: CUmodule = made!(cuModuleLoadData(address(&PTX[0])));
    let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(c"box")));
    let bytes = PITCH * HEIGHT;
    let [from, to]: [CUdeviceptr; 2] =
        [made!(cuMemAlloc_v2(bytes as u64)), made!(cuMemAlloc_v2(bytes as u64))];
    let out: CUdeviceptr = made!(cuMemAlloc_v2(512));
    let mut rows = vec![0xdead_beef_u32; bytes / 4];
    for (y, row) in (0..).zip(rows.chunks_exact_mut(PITCH / 4)) {
        for (x, value) in (0..WIDTH as i32).zip(row) {
            *value = element(x, y);
        }
    }
    let at = |words: &mut [u32]| Address(words.as_mut_ptr().expose_provenance() as u64);
    call!(cuMemcpyHtoD_v2(from, at(&mut rows), bytes as u64));
    let corners = [(0, 0), (16, 3), (-5, -2), (30, 8), (21, 4), (-16, 0), (3, 11), (36, 10)];
    let swizzles = [
        (CU_TENSOR_MAP_SWIZZLE_NONE, 16),
        (CU_TENSOR_MAP_SWIZZLE_64B, 64),
        (CU_TENSOR_MAP_SWIZZLE_128B, 128),
    ];
    let plain = swizzles.map(|swizzle| (swizzle, 1));
    for ((swizzle, span), step) in plain.into_iter().chain([(swizzles[0], 3), (swizzles[1], 2)]) {
        let maps = [encoded(from, swizzle, step), encoded(to, swizzle, step)];
        let step = step as i32;
        for (x, y) in corners {
            call!(cuMemsetD32_v2(to, 7, bytes as u64 / 4));
            let mut arguments =
                [address(&maps[0]), address(&maps[1]), address(&out), address(&x), address(&y)];
            let (stream, arguments) = (CUstream(0), Out::new(&mut arguments[0]));
            call!(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, Out::null()));
            call!(cuCtxSynchronize());
            let mut held = [0u32; 128];
            call!(cuMemcpyDtoH_v2(at(&mut held), out, 512));
            let mut expected = [0u32; 128];
            for nth in 0..128 {
                let place = swizzled(4 * nth, span) / 4;
                let row = nth as i32 / 16;
                expected[place] = element(x + nth as i32 % 16, y + step * row);
            }
            assert_eq!(held, expected, "{x},{y}, {span}, {step}");
            let mut written = vec![0u32; bytes / 4];
            call!(cuMemcpyDtoH_v2(at(&mut written), to, bytes as u64));
            for (nth, value) in (0..).zip(written) {
                let (i, j) = (nth % (PITCH as i32 / 4), nth / (PITCH as i32 / 4));
                let is_of_row = (y..y + 8 * step).contains(&j) && (j - y) % step == 0;
                let is_of_box = (x..x + 16).contains(&i) && is_of_row && i < WIDTH as i32;
                assert_eq!(value, if is_of_box { element(i, j) } else { 7 }, "{x},{y}: {i},{j}");
            }
        }
    }
}

/// PTX ISA 9.1, 9.7.9.28 tensormap.replace.
#[test]
fn a_kernel_makes_a_tensor_map() {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let module: CUmodule = made!(cuModuleLoadData(address(&MADE[0])));
    let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(c"box")));
    let bytes = PITCH * HEIGHT;
    let tensor: CUdeviceptr = made!(cuMemAlloc_v2(bytes as u64));
    let [map, out]: [CUdeviceptr; 2] = [made!(cuMemAlloc_v2(128)), made!(cuMemAlloc_v2(512))];
    let mut rows: Vec<u32> = (0..bytes as u32 / 4).collect();
    let at = |words: &mut [u32]| Address(words.as_mut_ptr().expose_provenance() as u64);
    call!(cuMemcpyHtoD_v2(tensor, at(&mut rows), bytes as u64));
    for (x, y) in [(0, 0), (30, 8), (-3, 5)] {
        let mut arguments =
            [address(&tensor), address(&map), address(&out), address(&x), address(&y)];
        let (stream, arguments) = (CUstream(0), Out::new(&mut arguments[0]));
        call!(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, Out::null()));
        call!(cuCtxSynchronize());
        let mut held = [0u32; 128];
        call!(cuMemcpyDtoH_v2(at(&mut held), out, 512));
        let mut expected = [0u32; 128];
        for nth in 0..128 {
            let (i, j) = (x + nth % 16, y + nth / 16);
            let is_inside = element(i, j) != 0;
            let value = if is_inside { (j * PITCH as i32 / 4 + i) as u32 } else { 0 };
            expected[swizzled(4 * nth as usize, 128) / 4] = value;
        }
        assert_eq!(held, expected, "{x},{y}");
    }
}

/// The documentation of `cuTensorMapEncodeTiled` has the bounds.
#[test]
fn tensor_maps_that_cannot_be_are_refused() {
    call!(cuInit(0));
    let mut map = Map(CUtensorMap { bytes: [0; 128] });
    let (words, none) = (CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_SWIZZLE_NONE);
    let mut attempt =
        |memory, kind, tile, swizzle| encode(&mut map, memory, kind, (tile, 1), swizzle);
    assert_eq!(attempt(4096, words, [16, 8], none), CUresult::SUCCESS);
    assert_eq!(attempt(4096, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, [16, 8], none), CUresult::SUCCESS);
    let nibbles = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
    // The rows of the tensor would end in the middle of a byte.
    assert_eq!(attempt(4096, nibbles, [32, 8], none), CUresult::INVALID_VALUE);
    assert_eq!(attempt(4096, words, [16, 8], CU_TENSOR_MAP_SWIZZLE_64B), CUresult::SUCCESS);
    let wrong = CUresult::INVALID_VALUE;
    assert_eq!(attempt(4104, words, [16, 8], none), wrong);
    assert_eq!(attempt(0, words, [16, 8], none), wrong);
    assert_eq!(attempt(4096, words, [15, 8], none), wrong);
    assert_eq!(attempt(4096, words, [0, 8], none), wrong);
    assert_eq!(attempt(4096, words, [16, 257], none), wrong);
    assert_eq!(attempt(4096, words, [16, 8], CU_TENSOR_MAP_SWIZZLE_32B), wrong);
    assert_eq!(attempt(4096, 99, [16, 8], none), wrong);
    assert_eq!(attempt(4096, words, [16, 8], 99), wrong);
    let flushed = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
    assert_eq!(attempt(4096, flushed, [16, 8], none), CUresult::NOT_SUPPORTED);
    assert_eq!(encode(&mut map, 4096, words, ([16, 8], 9), none), wrong);
    assert_eq!(encode(&mut map, 4096, words, ([16, 8], 0), none), wrong);
    let elsewhere = Address(8192);
    call!(cuTensorMapReplaceAddress(Out::new(&mut map.0), elsewhere));
    assert_eq!(map.0.bytes, encoded(8192, CU_TENSOR_MAP_SWIZZLE_64B, 1).0.bytes);
    let mut other = Map(CUtensorMap { bytes: [0; 128] });
    assert_eq!(result!(cuTensorMapReplaceAddress(Out::new(&mut other.0), elsewhere)), wrong);
}
