//! Kernels that launch kernels, as `nvcc -rdc=true` compiles them.

use warpwise::{Arg, Device, DeviceWork, Extents, LaunchConfig, Module, in_order};

const PTX: &str = include_str!("kernels/launches.ptx");

/// What `parent` leaves of 64 words: `append` counts in the first.
fn run(below: i32) -> Vec<i32> {
    let module = Module::from_ptx("launches.ptx", PTX).expect("a program");
    let device = Device::new().expect("the host gives memory");
    let list = device.upload(&[0_i32; 64]).expect("it fits");
    let kernel = module.kernel("parent").expect("it lowers");
    let args = [Arg::Buffer(list), below.into()];
    let report = kernel.launch(&device, &LaunchConfig::new(1, 1), &args).expect("it runs");
    assert!(report.launched.is_empty());
    // Each `parent` and both of its `append`.
    assert_eq!(report.stats.ctas, 3 * (below as u64 + 1));
    assert_eq!(device.memory().blocks(), [], "the arguments are gone");
    device.download(list).expect("it is there")
}

/// Launches are done in their order, with all that they launch; what is behind everything comes last (CUDA C++ Programming Guide,
/// "Tail Launch Stream").
#[test]
fn what_kernels_launch_is_done_in_order() {
    let list = run(1);
    assert_eq!(list[..6], [4, 1, 0, 4, 4, 0]);
    // A fill, a copy, and `cudaErrorInvalidConfiguration` of a block of 2048 threads.
    assert_eq!(list[61..], [9, 0x1111_1111, 0x1111_1111]);
}

/// Who launches one kernel after another does the rest itself.
#[test]
fn a_launch_with_packed_arguments_leaves_the_rest_to_its_caller() {
    let module = Module::from_ptx("launches.ptx", PTX).expect("a program");
    let device = Device::new().expect("the host gives memory");
    let list = device.upload(&[0_i32; 64]).expect("it fits");
    let kernel = module.kernel("parent").expect("it lowers");
    let packed = kernel.arguments(|nth, _, place| match nth {
        0 => place.copy_from_slice(&list.address.to_le_bytes()),
        _ => place.copy_from_slice(&0_i32.to_le_bytes()),
    });
    let config = LaunchConfig::new(1, 1);
    let report = kernel.launch_packed(&device, &config, &packed).expect("it runs");
    assert_eq!(device.download::<i32>(list).expect("it is there")[0], 0);
    let work: Vec<&DeviceWork> = in_order(&report.launched).map(|launch| &launch.work).collect();
    let at = |nth: u64| list.address + 4 * nth;
    let one = Extents([1; 3]);
    let (name, grid, block, dynamic_shared) = ("append".to_owned(), one, one, 0);
    let append = DeviceWork::Kernel { name, grid, block, dynamic_shared };
    let fill = DeviceWork::Fill { to: at(62), value: 0x11, bytes: 4 };
    let copy = DeviceWork::Copy { from: at(62), to: at(63), bytes: 4 };
    assert_eq!(work, [&append, &fill, &copy, &append]);
    let last = report.launched.iter().filter(|launch| launch.is_tail);
    assert_eq!(last.count(), 1);
}

/// A check is about the kernel that it was asked for.
#[test]
fn a_check_leaves_what_is_launched() {
    let module = Module::from_ptx("launches.ptx", PTX).expect("a program");
    let device = Device::new().expect("the host gives memory");
    let list = device.upload(&[0_i32; 64]).expect("it fits");
    let kernel = module.kernel("parent").expect("it lowers");
    let args = [Arg::Buffer(list), 1_i32.into()];
    let options = Default::default();
    let checked = kernel.check(&device, &LaunchConfig::new(1, 1), options, &args).expect("it runs");
    assert!(checked.findings.is_empty(), "{:?}", checked.diagnostics);
    assert_eq!(checked.report.launched.len(), 5);
}
