//! Texture and surface references: `.texref` and `.surfref` variables of a module, bound by the driver's functions.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made, result, to_array};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;

/// Eight threads a row: each reads the texture at its place and adds 1000 to what it writes to memory and to the surface.
const PTX: &[u8] = b".version 7.8
.target sm_80
.address_size 64
.visible .global .texref table;
.visible .global .surfref drawn;
.visible .global .u32 number = 7;
.visible .entry sample(.param .u64 out)
{
    .reg .b32 %r<6>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [table, {%f1, %f2}];
    mad.lo.u32 %r3, %r2, 8, %r1;
    mad.wide.u32 %rd2, %r3, 4, %rd1;
    st.global.f32 [%rd2], %f3;
    ret;
}
.visible .entry line(.param .u64 out)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [table, {%r1}];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r3;
    ret;
}
.visible .entry draw()
{
    .reg .b32 %r<6>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mad.lo.u32 %r3, %r2, 8, %r1;
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [drawn, {%r4, %r2}], {%r3};
    ret;
}
\0";

fn module() -> CUmodule {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    made!(cuModuleLoadData(address(&PTX[0])))
}

fn function(module: CUmodule, name: &std::ffi::CStr) -> CUfunction {
    made!(cuModuleGetFunction(module, Text::new(name)))
}

/// Launches a kernel for 8 x 4 threads, whose argument is an address.
fn launch(function: CUfunction, out: CUdeviceptr) -> CUresult {
    let mut arguments = [address(&out)];
    let (stream, arguments) = (CUstream(0), Out::new(&mut arguments[0]));
    call!(cuLaunchKernel(function, 1, 1, 1, 8, 4, 1, 0, stream, arguments, Out::null()));
    result!(cuCtxSynchronize())
}

fn to_host<T>(value: &mut [T]) -> Address {
    Address(value.as_mut_ptr().expose_provenance() as u64)
}

fn allocated(bytes: u64) -> CUdeviceptr {
    made!(cuMemAlloc_v2(bytes))
}

fn array(values: &mut [f32; 32]) -> CUarray {
    let described =
        CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: CU_AD_FORMAT_FLOAT, channels: 1 };
    let array: CUarray = made!(cuArrayCreate_v2(In::new(&described)));
    let copy = to_array(to_host(values), 32, array, [32, 4]);
    call!(cuMemcpy2D_v2(In::new(&copy)));
    array
}

fn floats(from: CUdeviceptr) -> [f32; 32] {
    let mut values = [0.0; 32];
    call!(cuMemcpyDtoH_v2(to_host(&mut values), from, 128));
    values
}

#[test]
fn a_texture_reference_reads_what_it_is_bound_to() {
    let module = module();
    let table: CUtexref = made!(cuModuleGetTexRef(module, Text::new(c"table")));
    let again: CUtexref = made!(cuModuleGetTexRef(module, Text::new(c"table")));
    assert_eq!(table, again);
    let out = allocated(128);
    let mut counted: [f32; 32] = std::array::from_fn(|nth| nth as f32);
    let first = array(&mut counted);
    assert_eq!(result!(cuTexRefSetArray(table, first, 0)), CUresult::INVALID_VALUE);
    call!(cuTexRefSetArray(table, first, 1));
    let bound: CUarray = made!(cuTexRefGetArray(table));
    assert_eq!(bound, first);
    let sample = function(module, c"sample");
    assert_eq!(launch(sample, out), CUresult::SUCCESS);
    assert_eq!(floats(out), counted);

    // Another array, and between two texels their mean (CUDA C++ Programming Guide, "Linear Filtering").
    let mut squares: [f32; 32] = std::array::from_fn(|nth| (nth * nth) as f32);
    let second = array(&mut squares);
    call!(cuTexRefSetArray(table, second, 1));
    call!(cuTexRefSetFilterMode(table, CU_TR_FILTER_MODE_LINEAR));
    call!(cuTexRefSetAddressMode(table, 0, CU_TR_ADDRESS_MODE_CLAMP));
    call!(cuTexRefSetAddressMode(table, 1, CU_TR_ADDRESS_MODE_CLAMP));
    assert_eq!(launch(sample, out), CUresult::SUCCESS);
    // At x = 1, y = 1, which lies between the texels 0 and 1 of rows 0 and 1.
    let mean =
        |at: usize| (squares[at - 9] + squares[at - 8] + squares[at - 1] + squares[at]) / 4.0;
    let found = floats(out);
    assert_eq!(found[9..16], std::array::from_fn::<f32, 7, _>(|nth| mean(nth + 9)));

    // Rows in memory, one of them 512 bytes behind the one before.
    let (memory, mut none) = (allocated(2048), CUarray::NULL);
    for (row, values) in (0..).zip(counted.chunks_exact_mut(8)) {
        call!(cuMemcpyHtoD_v2(memory + 512 * row, to_host(values), 32));
    }
    call!(cuTexRefSetFilterMode(table, CU_TR_FILTER_MODE_POINT));
    let described =
        CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: CU_AD_FORMAT_FLOAT, channels: 1 };
    call!(cuTexRefSetAddress2D_v3(table, In::new(&described), memory, 512));
    let bound: CUdeviceptr = made!(cuTexRefGetAddress_v2(table));
    assert_eq!(bound, memory);
    assert_eq!(result!(cuTexRefGetArray(Out::new(&mut none), table)), CUresult::INVALID_VALUE);
    assert_eq!(launch(sample, out), CUresult::SUCCESS);
    assert_eq!(floats(out), counted);

    // Words of memory: pairs of 16 bits without a sign, of which the second one is read as it is.
    let mut words: [u32; 32] = std::array::from_fn(|nth| (nth as u32 + 100) << 16 | 5);
    call!(cuMemcpyHtoD_v2(memory, to_host(&mut words), 128));
    call!(cuTexRefSetFormat(table, CU_AD_FORMAT_UNSIGNED_INT16, 2));
    call!(cuTexRefSetFlags(table, 1));
    let offset: u64 = made!(cuTexRefSetAddress_v2(table, memory, 128));
    assert_eq!(offset, 0);
    assert_eq!(launch(function(module, c"line"), out), CUresult::SUCCESS);
    assert_eq!(
        floats(out)[..8].iter().map(|it| it.to_bits()).collect::<Vec<_>>(),
        (100..108).collect::<Vec<u32>>()
    );

    let (mut code, mut channels) = (0, 0);
    call!(cuTexRefGetFormat(Out::new(&mut code), Out::new(&mut channels), table));
    assert_eq!((code, channels), (CU_AD_FORMAT_UNSIGNED_INT16, 2));
    let flags: u32 = made!(cuTexRefGetFlags(table));
    assert_eq!(flags, 1);
    call!(cuModuleUnload(module));
    assert_eq!(result!(cuTexRefSetFlags(table, 1)), CUresult::INVALID_HANDLE);
}

#[test]
fn a_surface_reference_writes_its_array() {
    let module = module();
    let drawn: CUsurfref = made!(cuModuleGetSurfRef(module, Text::new(c"drawn")));
    let (array, mut none) = (array(&mut [0.0; 32]), CUarray::NULL);
    assert_eq!(result!(cuSurfRefGetArray(Out::new(&mut none), drawn)), CUresult::INVALID_VALUE);
    call!(cuSurfRefSetArray(drawn, array, 0));
    let bound: CUarray = made!(cuSurfRefGetArray(drawn));
    assert_eq!(bound, array);
    assert_eq!(launch(function(module, c"draw"), 0), CUresult::SUCCESS);
    let mut held = [0u32; 32];
    let to = to_host(&mut held);
    let copy = CUDA_MEMCPY2D {
        src_type: CU_MEMORYTYPE_ARRAY,
        src_array: array,
        dst_type: CU_MEMORYTYPE_HOST,
        dst_host: to,
        dst_pitch: 32,
        ..to_array(Address::NULL, 32, CUarray::NULL, [32, 4])
    };
    call!(cuMemcpy2D_v2(In::new(&copy)));
    assert_eq!(held, std::array::from_fn(|nth| nth as u32));
}

#[test]
fn what_is_no_reference_is_not_found() {
    let module = module();
    let mut texture = CUtexref::NULL;
    for name in [c"number", c"drawn", c"nothing"] {
        let found = result!(cuModuleGetTexRef(Out::new(&mut texture), module, Text::new(name)));
        assert_eq!(found, CUresult::NOT_FOUND, "{name:?}");
    }
    let (mut at, mut bytes) = (0, 0);
    let global = |name, at: &mut u64, bytes: &mut u64| {
        result!(cuModuleGetGlobal_v2(Out::new(at), Out::new(bytes), module, Text::new(name)))
    };
    assert_eq!(global(c"table", &mut at, &mut bytes), CUresult::NOT_FOUND);
    assert_eq!(global(c"number", &mut at, &mut bytes), CUresult::SUCCESS);
    let wild = CUtexref(12345);
    assert_eq!(result!(cuTexRefSetFlags(wild, 0)), CUresult::INVALID_HANDLE);
    let own: CUtexref = made!(cuTexRefCreate());
    call!(cuTexRefSetMaxAnisotropy(own, 4));
    let most: i32 = made!(cuTexRefGetMaxAnisotropy(own));
    assert_eq!(most, 4);
    assert_eq!(result!(cuTexRefSetAddressMode(own, 3, 0)), CUresult::INVALID_VALUE);
    call!(cuTexRefDestroy(own));
    let table: CUtexref = made!(cuModuleGetTexRef(module, Text::new(c"table")));
    assert_eq!(result!(cuTexRefDestroy(table)), CUresult::INVALID_VALUE);
}

/// PTX ISA 9.1, 5.3: a reference that is bound to nothing leads nowhere.
#[test]
fn a_kernel_that_reads_an_unbound_reference_is_stopped() {
    let module = module();
    let out = allocated(128);
    assert_eq!(launch(function(module, c"sample"), out), CUresult::ILLEGAL_ADDRESS);
}
