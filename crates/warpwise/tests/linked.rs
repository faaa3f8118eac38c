//! Linked programs, blocks of arguments, attributes, and modules that are loaded and unloaded, as users of the library see them.

use std::fs;
use std::path::{Path, PathBuf};
use warpwise::{
    Arg, Device, Error, Fault, LaunchConfig, Linker, Linking, Module, Scalar, fatbin, ptx_of_bytes,
};

const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

fn module(text: &str) -> Module {
    Module::from_ptx("test.ptx", format!("{HEAD}{text}")).expect("the module is well formed")
}

fn linked(texts: &[(&str, &str)]) -> Result<Module, Error> {
    let mut linker = Linker::new();
    for (name, text) in texts {
        linker.add_ptx(*name, format!("{HEAD}{text}"))?;
    }
    linker.link()
}

const CALLS: &str = "
    .extern .func (.param .b32 r) f(.param .b32 x);
    .visible .entry k(.param .u64 p) {
        { .param .b32 x; .param .b32 r; st.param.b32 [x], 1; call (r), f, (x); }
        ret;
    }";

#[test]
fn errors_point_into_every_file_concerned() {
    let wide = ".visible .func (.param .b32 r) f(.param .b64 x) { st.param.b32 [r], 1; ret; }";
    let error = linked(&[("a.ptx", CALLS), ("b.ptx", wide)]).expect_err("the widths differ");
    let failure = error.failure();
    let found = &failure.diagnostics[0];
    let files: Vec<&str> =
        found.labels.iter().map(|label| failure.sources.file(label.span.file).name()).collect();
    assert!(files.contains(&"a.ptx") && files.contains(&"b.ptx"), "{files:?}");
    assert!(matches!(error, Error::BadInput(_)));
    let text = failure.render(false);
    assert!(text.contains("a.ptx:5:") && text.contains("b.ptx:4:"), "{text}");
}

/// nvlink 13.5 refuses it; nvJitLink 13.5 says "Prototype doesn't match", and links it all the same.
#[test]
fn a_result_that_a_function_has_not_is_let_pass_while_a_program_runs() {
    let calls = "
        .extern .global .u32 seen;
        .extern .func (.param .b64 r) f(.param .b32 x);
        .visible .entry k(.param .u64 p) {
            .reg .b32 %r; .reg .b64 %rd<2>;
            ld.param.u64 %rd0, [p];
            { .param .b32 x; .param .b64 r; st.param.b32 [x], 6; call (r), f, (x); ld.param.b64 %rd1, [r]; }
            ld.global.u32 %r, [seen];
            st.global.u32 [%rd0], %r;
            ret;
        }";
    let nothing = ".visible .global .u32 seen;
        .visible .func f(.param .b32 x)
        { .reg .b32 %r; ld.param.b32 %r, [x]; mul.lo.s32 %r, %r, 7; st.global.u32 [seen], %r; ret; }";
    let link_two = |linking, first: &str, second: &str| {
        let mut linker = Linker::at(linking);
        for (name, text) in [("a.ptx", first), ("b.ptx", second)] {
            linker.add_ptx(name, format!("{HEAD}{text}")).expect("the module is well formed");
        }
        linker.link()
    };
    let link = |linking, second: &str| link_two(linking, calls, second);
    let program = link(Linking::WhileRunning, nothing).expect("it links");
    let said: Vec<_> = program.warnings().iter().map(|it| it.message.as_str()).collect();
    assert!(
        matches!(said[..], [one] if one.contains("Prototype doesn't match for 'f' in 'b.ptx'"))
    );
    let device = Device::new().expect("the host gives memory");
    let out = device.allocate(4).expect("it fits");
    let kernel = program.kernel("k").expect("it lowers");
    kernel.launch(&device, &LaunchConfig::new(1, 32), &[out.into()]).expect("it runs");
    assert_eq!(device.download::<u32>(out).expect("it is there"), [42]);

    assert!(link(Linking::Before, nothing).is_err());
    let wide = nothing.replace("f(.param .b32 x)", "f(.param .b32 x, .param .b32 y)");
    assert!(link(Linking::WhileRunning, &wide).is_err());
    let other = nothing.replace(".func f", ".func (.param .b32 r) f");
    assert!(link(Linking::WhileRunning, &other).is_err());
    let variable = ".extern .global .u32 f; .visible .entry k() { ret; }";
    assert!(link_two(Linking::WhileRunning, variable, nothing).is_err());
}

#[test]
fn a_program_of_nothing_is_refused() {
    assert!(matches!(Linker::new().link(), Err(Error::BadInput(_))));
}

#[test]
fn findings_of_a_linked_kernel_name_the_file() {
    let far = ".visible .func (.param .b32 r) f(.param .b32 x)
        { .reg .b64 %rd; mov.u64 %rd, 0; .loc 1 7 3
          st.global.u32 [%rd], 1; st.param.b32 [r], 1; ret; }
        .file 1 \"b.cu\"";
    let calls = format!("{CALLS}\n.file 1 \"a.cu\"");
    let program = linked(&[("a.ptx", &calls), ("b.ptx", far)]).expect("it links");
    let device = Device::new().expect("the host gives memory");
    let out = device.allocate(4).expect("it fits");
    let kernel = program.kernel("k").expect("it lowers");
    let error = kernel.launch(&device, &LaunchConfig::new(1, 1), &[out.into()]);
    let text = error.expect_err("it stores at 0").to_string();
    assert!(text.contains("b.ptx:6:") && text.contains("b.cu:7"), "{text}");
}

/// Offsets 0, 16, 36, 40 and 48 by the rules of C for `struct { uint8_t; alignas(16) uint8_t[20]; uint16_t; double; uint64_t }`.
const BLOCK: &str = "
    .visible .entry copy(.param .u8 a, .param .align 16 .b8 s[20], .param .u16 b, .param .f64 c, .param .u64 out)
    .reqntid 4, 2, 1
    {
        .reg .b16 %h<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [out];
        ld.param.u8 %h1, [a];
        st.global.u16 [%rd1], %h1;
        ld.param.u32 %r1, [s+16];
        st.global.u32 [%rd1+4], %r1;
        ld.param.u16 %h1, [b];
        st.global.u16 [%rd1+8], %h1;
        ld.param.b64 %rd2, [c];
        st.global.b64 [%rd1+16], %rd2;
        ret;
    }";

#[test]
fn blocks_of_arguments_are_those_of_the_abi() {
    let kernel = module(BLOCK).kernel("copy").expect("it lowers");
    let places: Vec<(u32, u32, u32)> =
        kernel.params().iter().map(|it| (it.block_offset, it.bytes, it.align)).collect();
    assert_eq!(places, [(0, 1, 1), (16, 20, 16), (36, 2, 2), (40, 8, 8), (48, 8, 8)]);
    assert_eq!(kernel.param_block_bytes(), 56);
    let device = Device::new().expect("the host gives memory");
    let config = LaunchConfig::new(1, [4, 2]);
    let s: Vec<u8> = (100..120).collect();
    let run = |launch: &dyn Fn(u64) -> Result<(), Error>| {
        let out = device.allocate(24).expect("it fits");
        launch(out.address).expect("it runs");
        device.bytes(out).expect("it is there")
    };
    let by_spec = run(&|out| {
        let args = [
            Arg::Scalar(Scalar::from(200_u8)),
            Arg::Bytes(s.clone()),
            Arg::Scalar(Scalar::from(7_u16)),
            Arg::Scalar(Scalar::from(2.5_f64)),
            Arg::Scalar(Scalar::from(out)),
        ];
        kernel.launch(&device, &config, &args).map(drop)
    });
    let block = |out: u64| {
        let mut block = vec![0xee_u8; 64];
        block[0] = 200;
        block[16..36].copy_from_slice(&s);
        block[36..38].copy_from_slice(&7_u16.to_le_bytes());
        block[40..48].copy_from_slice(&2.5_f64.to_le_bytes());
        block[48..56].copy_from_slice(&out.to_le_bytes());
        block
    };
    for bytes in [56, 64] {
        let by_block =
            run(&|out| kernel.launch_with_params(&device, &config, &block(out)[..bytes]).map(drop));
        assert_eq!(by_block, by_spec);
    }
    let by_bytes = run(&|out| {
        let block = block(out);
        let args = [&block[..1], &block[16..36], &block[36..38], &block[40..48], &block[48..56]];
        kernel.launch_with_bytes(&device, &config, &args).map(drop)
    });
    assert_eq!(by_bytes, by_spec);
    let mut expected = vec![200, 0, 0, 0, 116, 117, 118, 119, 7, 0, 0, 0, 0, 0, 0, 0];
    expected.extend(2.5_f64.to_le_bytes());
    assert_eq!(by_spec, expected);
    for wrong in [0, 55, 65] {
        let refused = kernel.launch_with_params(&device, &config, &vec![0; wrong]);
        assert!(matches!(refused, Err(Error::BadInput(_))), "{wrong}");
    }
    assert!(matches!(kernel.launch_with_bytes(&device, &config, &[&[1]]), Err(Error::BadInput(_))));
}

#[test]
fn attributes_of_kernels() {
    let kernel = module(BLOCK).kernel("copy").expect("it lowers");
    let attributes = kernel.attributes();
    assert_eq!((attributes.param_bytes, attributes.max_threads_per_block), (56, 8));
    assert_eq!(attributes.required_block, Some([4, 2, 1]));
    assert_eq!((attributes.ptx_version, attributes.target.as_str()), ((7, 8), "sm_80"));
    // An address, and another value of 64 bits.
    assert_eq!(attributes.estimated_registers, Some(4));
    // It may run as another architecture than that which it was written for.
    let mut other = module(BLOCK);
    other.retarget("sm_90").expect("an architecture");
    let attributes = other.kernel("copy").expect("it lowers").attributes();
    assert!(attributes.target.starts_with("sm_90"), "{}", attributes.target);
    assert_eq!(attributes.written_for, 80);

    let memory = "
        .visible .const .u32 table[10];
        .const .align 8 .b8 more[8];
        .visible .entry k(.param .u64 out) .maxntid 64, 4, 1 {
            .shared .u32 tile[33];
            .local .u64 spill[3];
            st.shared.u32 [tile], 1;
            st.local.u32 [spill], 1;
            ret;
        }
        .visible .entry wide(.param .u64 out) .maxntid 1024, 2, 1 { ret; }";
    let module = module(memory);
    let attributes = module.kernel("k").expect("it lowers").attributes();
    assert_eq!(attributes.static_shared_bytes, 132);
    assert_eq!((attributes.local_bytes, attributes.constant_bytes), (24, 48));
    assert_eq!((attributes.max_threads_per_block, attributes.required_block), (256, None));
    let wide = module.kernel("wide").expect("it lowers").attributes();
    assert_eq!((wide.max_threads_per_block, wide.estimated_registers), (1024, Some(0)));
}

/// NVIDIA's assembler (`ptxas -v -arch=sm_80`) says 65 bytes smem and 26 bytes cmem[3].
#[test]
fn attributes_count_what_alignment_costs() {
    let module = module(
        "
        .shared .b8 first[5];
        .const .b8 small[3];
        .shared .align 16 .b32 second;
        .const .align 8 .b64 large[2];
        .const .b16 last;
        .func inner() { .shared .b8 of_inner[3]; st.volatile.shared.u8 [of_inner], 1; ret; }
        .func outer() { .shared .align 8 .b8 of_outer[9]; st.volatile.shared.u8 [of_outer], 1; call inner; ret; }
        .visible .entry k() {
            .shared .b8 own[7];
            .shared .align 32 .b8 more[1];
            st.volatile.shared.u8 [second], 1;
            st.volatile.shared.u8 [more], 1;
            st.volatile.shared.u8 [first], 1;
            st.volatile.shared.u8 [own], 1;
            call outer;
            ret;
        }",
    );
    let attributes = module.kernel("k").expect("it lowers").attributes();
    assert_eq!((attributes.static_shared_bytes, attributes.constant_bytes), (65, 26));
}

const COUNTER: &str = "
    .visible .global .u32 counter = 5;
    .visible .entry bump() {
        .reg .b32 %r;
        ld.global.u32 %r, [counter];
        add.u32 %r, %r, 1;
        st.global.u32 [counter], %r;
        ret;
    }
    .visible .entry poke(.param .u64 p) {
        .reg .b64 %rd;
        ld.param.u64 %rd, [p];
        st.global.u32 [%rd], 1;
        ret;
    }";

#[test]
fn modules_are_unloaded_with_their_variables() {
    let module = module(COUNTER);
    let (bump, poke) = (module.kernel("bump").unwrap(), module.kernel("poke").unwrap());
    let device = Device::new().expect("the host gives memory");
    let config = LaunchConfig::new(1, 1);
    assert!(!device.unload(&module).expect("nothing is wrong"));
    device.load(&module).expect("it fits");
    let counter = device.variable(&module, "counter").unwrap().expect("it has one");
    bump.launch(&device, &config, &[]).expect("it runs");
    assert_eq!(device.download::<u32>(counter).ok(), Some(vec![6]));
    // A clone is the same module.
    assert!(device.unload(&module.clone()).expect("it is loaded"));
    assert!(!device.unload(&module).expect("nothing is wrong"));
    assert!(device.download::<u32>(counter).is_err(), "the address is no longer valid");
    let other = Module::from_ptx("other.ptx", format!("{HEAD}{COUNTER}")).unwrap();
    let error = other.kernel("poke").unwrap().launch(
        &device,
        &config,
        &[Arg::Bytes(counter.address.to_le_bytes().to_vec())],
    );
    // `other` has memory of its own, elsewhere or in the same place; what is there is its counter then.
    let elsewhere = device.variable(&other, "counter").unwrap().expect("it has one").address;
    match error {
        Ok(_) => assert_eq!(elsewhere, counter.address),
        Err(error) => assert!(error.failure().fault.is_some()),
    }
    let fault: Option<Fault> = poke
        .launch(&device, &config, &[Arg::Scalar(Scalar::from(1_u64 << 20))])
        .expect_err("nothing is there")
        .failure()
        .fault
        .clone();
    assert!(fault.is_some());
    // Loaded anew, with initial values.
    bump.launch(&device, &config, &[]).expect("it runs");
    let counter = device.variable(&module, "counter").unwrap().expect("it has one");
    assert_eq!(device.download::<u32>(counter).ok(), Some(vec![6]));
}

fn ptx_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => ptx_files(&path, found),
            false if path.extension().is_some_and(|it| it == "ptx") => found.push(path),
            false => {}
        }
    }
}

/// All pairs of a sample of the modules of the repository: a program, or errors, and no panic. A module that other modules see
/// something of cannot be linked with itself.
#[test]
fn any_two_modules_link_or_say_why_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["tests", "examples"] {
        ptx_files(&root.join(folder), &mut paths);
    }
    paths.sort();
    let texts = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
    let small =
        texts.filter(|text| text.len() < 12_000 && Module::from_ptx("a", text.clone()).is_ok());
    let all: Vec<String> = small.collect();
    let sample: Vec<&String> = all.iter().step_by(all.len().div_ceil(40).max(1)).collect();
    assert!(sample.len() >= 20, "{}", sample.len());
    let (mut linked, mut refused) = (0, 0);
    for (nth, first) in sample.iter().enumerate() {
        for (other, second) in sample.iter().enumerate() {
            let mut linker = Linker::new();
            linker.add_ptx("a.ptx", first.as_str()).expect("it was read before");
            linker.add_ptx("b.ptx", second.as_str()).expect("it was read before");
            match linker.link() {
                Ok(program) => {
                    linked += 1;
                    let names: Vec<String> = program.kernels().map(str::to_owned).collect();
                    for name in names {
                        // A kernel of a module alone may be refused, too.
                        let _ = program.kernel(&name).map(|kernel| kernel.attributes());
                    }
                    let shares = first.contains(".visible .entry");
                    assert!(nth != other || !shares, "two of the same:\n{first}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(!matches!(error, Error::Bug(_)), "{error}");
                    assert!(!error.failure().diagnostics.is_empty());
                }
            }
        }
    }
    assert!(linked > 0 && refused >= sample.len() / 2, "{linked} {refused}");
}

/// `grid.sync()` as `nvcc -rdc=true` calls it.
#[test]
fn what_programs_call_of_the_device_runtime_is_there() {
    let program = module(
        ".extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
        .extern .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r; .reg .b64 %rd;
            ld.param.u64 %rd, [out];
            {
                .param .b32 scope; .param .b32 flags; .param .b64 handle; .param .b32 result;
                st.param.b32 [scope], 1;
                call (handle), cudaCGGetIntrinsicHandle, (scope);
                st.param.b32 [flags], 0;
                call (result), cudaCGSynchronize, (handle, flags);
                ld.param.b32 %r, [result];
            }
            st.global.u32 [%rd], %r;
            ret;
        }",
    );
    assert_eq!(program.info().externs, Vec::<String>::new());
    let device = Device::new().expect("the host gives memory");
    let out = device.upload(&[7_u32]).expect("it fits");
    let kernel = program.kernel("k").expect("it lowers");
    kernel.launch(&device, &LaunchConfig::new(1, 32), &[out.into()]).expect("it runs");
    assert_eq!(device.download::<u32>(out).expect("it is there"), [0]);
}

/// `nvcc -rdc=true` links every program with a library that calls what NVIDIA's driver has.
#[test]
fn nvidias_device_runtime_is_no_module_of_a_program() {
    let library = format!("{HEAD}.extern .func __cuda_syscall_CGS_sync;");
    let reach = fatbin::Reach::of("sm_80");
    let found = ptx_of_bytes("library", fatbin::of_ptx(80, reach, (7, 8), &library));
    assert!(found.is_err_and(|why| why.to_string().contains("has no PTX")));
    let found = ptx_of_bytes("program", fatbin::of_ptx(80, reach, (7, 8), HEAD));
    assert_eq!(found.expect("a module").len(), 1);
}
