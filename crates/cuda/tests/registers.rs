//! Limits of registers that programs give when they load and link.
#![allow(unsafe_code)]

mod common;

use common::{address, call, made};
use cuda::abi::constants::*;
use cuda::abi::*;
use cuda::functions::*;
use std::ffi::CString;

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

/// A kernel that needs 60 values at one time. NVIDIA's assembler (13.5) gives it 72 registers, 32 with `.maxnreg 32`, also with
/// `-maxrregcount 24`, and 24 with that option alone.
fn crowded(directive: &str) -> CString {
    let word = |nth: usize, op: &str| match op {
        "ld" => format!("ld.volatile.global.u32 %r{nth}, [%rd1+{}];", 4 * nth),
        _ => format!("st.volatile.global.u32 [%rd1+{}], %r{nth};", 4 * nth),
    };
    let body: Vec<String> =
        ["ld", "st"].iter().flat_map(|op| (0..60).map(|it| word(it, op))).collect();
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry take(.param .u64 p) {directive}\n{{\n\
         .reg .b64 %rd<2>;\n.reg .b32 %r<60>;\nld.param.u64 %rd1, [p];\n{}\nret;\n}}\n",
        body.join("\n")
    );
    CString::new(text).expect("no zeros")
}

#[test]
fn a_kernels_own_limit_is_stronger() {
    call!(cuInit(0));
    let _: CUcontext = made!(cuCtxCreate_v4(Out::null(), 0, 0));
    let load = |text: &CString, most: u64| -> CUmodule {
        let (mut name, mut most) = (CU_JIT_MAX_REGISTERS, Address(most));
        let image = address(&text.as_bytes_with_nul()[0]);
        made!(cuModuleLoadDataEx(
            image,
            u32::from(most.0 > 0),
            Out::new(&mut name),
            Out::new(&mut most)
        ))
    };
    let free = registers(load(&crowded(""), 0));
    assert!((60..=80).contains(&free), "{free}");
    assert_eq!(registers(load(&crowded(""), 24)), 24);
    assert_eq!(registers(load(&crowded(".maxnreg 32"), 0)), 32);
    assert_eq!(registers(load(&crowded(".maxnreg 32"), 24)), 32);
    // 65,536 registers of a multiprocessor: 32 of a thread leave room for the 48 warps that it can hold, 64 do not.
    let resident = |directive: &str| -> i32 {
        let module = load(&crowded(directive), 0);
        let function: CUfunction = made!(cuModuleGetFunction(module, Text::new(c"take")));
        made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 64, 0))
    };
    assert_eq!((resident(".maxnreg 32"), resident(".maxnreg 64")), (24, 16));
}
