//! Arguments that deserve a look, and those that do not, for kernels as nvcc compiles them (`tests/run/meaning`).

use std::path::Path;
use warpwise::{Arg, Device, ElementType as T, Module};

/// What is said of the arguments of a kernel, if each is a buffer of elements of a type; `None` is a number.
fn doubts(kernel: &str, types: &[Option<T>]) -> Vec<String> {
    let mut all = Vec::new();
    for target in ["sm_90", "sm_100"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/meaning");
        let module = Module::from_ptx_file(folder.join(format!("meaning.{target}.ptx")));
        let kernel = module.and_then(|it| it.kernel(kernel)).expect("it is lowered");
        let device = Device::new().expect("the host gives memory");
        let args = types.iter().map(|ty| match ty {
            Some(ty) => Arg::Buffer(device.allocate(512).expect("it fits").of(*ty)),
            None => Arg::from(4_u32),
        });
        let found = kernel.doubts(&args.collect::<Vec<_>>());
        all.push(found.into_iter().map(|it| it.message).collect::<Vec<_>>());
    }
    assert_eq!(all[0], all[1], "both targets are the same kernel");
    all.swap_remove(0)
}

#[test]
fn nothing_is_said_of_what_may_be_meant() {
    let (f32s, f64s) = (Some(T::F32), Some(T::F64));
    for (kernel, types) in [
        ("_Z5scalePKfPfif", vec![f32s, f32s, None, None]),
        ("_Z5scalePKfPfif", vec![Some(T::B32), Some(T::U8), None, None]),
        ("scale_c", vec![f32s, f32s, None]),
        ("scale_c", vec![Some(T::B64), Some(T::S8), None]),
        ("total_c", vec![f64s, f64s, None]),
        ("copy_c", vec![f32s, f64s]),
        ("copy_c", vec![Some(T::S16), Some(T::U64)]),
        ("_Z4copyPKvPhl", vec![f64s, f64s, None]),
        ("signs_c", vec![f32s, Some(T::U32)]),
    ] {
        assert_eq!(doubts(kernel, &types), Vec::<String>::new(), "{kernel} {types:?}");
    }
}

#[test]
fn types_that_are_not_the_kernels_are_told() {
    let (f32s, f64s) = (Some(T::F32), Some(T::F64));
    for (kernel, types, expected) in [
        ("scale_c", vec![f64s, f32s, None], "argument 0 is f64, the kernel reads f32 from it"),
        ("scale_c", vec![f32s, f64s, None], "argument 1 is f64, the kernel writes f32 to it"),
        (
            "total_c",
            vec![Some(T::S64), f64s, None],
            "argument 0 is s64, the kernel reads f64 from it",
        ),
        (
            "_Z5scalePKfPfif",
            vec![f64s, f32s, None, None],
            "argument 0 is f64, the kernel reads f32 from it",
        ),
    ] {
        assert_eq!(doubts(kernel, &types), [expected], "{kernel}");
    }
}
