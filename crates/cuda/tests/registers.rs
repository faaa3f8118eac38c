//! Limits of registers that programs give when they load and link.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;

const PTX: &[u8] = concat!(include_str!("kernels/kernels.ptx"), "\0").as_bytes();

fn registers(module: CUmodule) -> i32 {
    let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(c"take")));
    made!(cuFuncGetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, function))
}

#[test]
fn a_limit_is_heard_when_loading_and_linking() {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let (mut name, mut most) = (CU_JIT_MAX_REGISTERS, Address(12));
    let free = registers(made!(cuModuleLoadData(address(&PTX[0]))));
    assert!(free > 12, "{free}");
    let limited: CUmodule =
        made!(cuModuleLoadDataEx(address(&PTX[0]), 1, Out::new(&mut name), Out::new(&mut most)));
    assert_eq!(registers(limited), 12);
    // What is linked keeps the limit.
    let mut linking = CUlinkState::NULL;
    call!(cuLinkCreate_v2(1, Out::new(&mut name), Out::new(&mut most), Out::new(&mut linking)));
    call!(cuLinkAddData_v2(
        linking,
        CU_JIT_INPUT_PTX,
        address(&PTX[0]),
        PTX.len() as u64,
        Text::new(c"kernels.ptx"),
        0,
        Out::null(),
        Out::null()
    ));
    let (mut image, mut bytes) = (Address::NULL, 0u64);
    call!(cuLinkComplete(linking, Out::new(&mut image), Out::new(&mut bytes)));
    assert_eq!(registers(made!(cuModuleLoadData(image))), 12);
    let mut library = CUlibrary::NULL;
    call!(cuLibraryLoadData(
        Out::new(&mut library),
        image,
        Out::null(),
        Out::null(),
        0,
        Out::null(),
        Out::null(),
        0
    ));
    let module: CUmodule = made!(cuLibraryGetModule(library));
    assert_eq!(registers(module), 12);
    call!(cuLinkDestroy(linking));
}
