//! `cudaDeviceProp`: one list of its members for all versions of the runtime.

use crate::context;
use crate::driver;
use crate::generation::Generation;
use crate::status::{Result, Status};
use std::ffi::c_int;

/// What a member is.
#[derive(Clone, Copy)]
enum What {
    /// An `int` with the value of an attribute of the device.
    Int(c_int),
    /// A `size_t` with the value of an attribute.
    Size(c_int),
    /// The name, in 256 bytes.
    Name,
    Uuid,
    /// The locally unique identifier, which is Windows's: 8 bytes, and a word.
    Luid,
    /// Bytes of global memory.
    Memory,
}

/// A member.
struct Member {
    /// What it is called, for tests and readers.
    #[cfg_attr(not(test), expect(dead_code))]
    name: &'static str,
    what: What,
    /// The first and the last version that has it.
    versions: (Generation, Generation),
}

use Generation::{V11, V12, V13};
use What::{Int, Luid, Memory, Name, Size, Uuid};

const fn all(name: &'static str, what: What) -> Member {
    Member { name, what, versions: (V11, V13) }
}

const fn until_12(name: &'static str, what: What) -> Member {
    Member { name, what, versions: (V11, V12) }
}

const fn since_12(name: &'static str, what: What) -> Member {
    Member { name, what, versions: (V12, V13) }
}

const fn since_13(name: &'static str, what: What) -> Member {
    Member { name, what, versions: (V13, V13) }
}

/// The members in their order, with the attributes that they are (`CUdevice_attribute`).
const MEMBERS: &[Member] = &[
    all("name", Name),
    all("uuid", Uuid),
    all("luid", Luid),
    all("totalGlobalMem", Memory),
    all("sharedMemPerBlock", Size(8)),
    all("regsPerBlock", Int(12)),
    all("warpSize", Int(10)),
    all("memPitch", Size(11)),
    all("maxThreadsPerBlock", Int(1)),
    all("maxThreadsDim[0]", Int(2)),
    all("maxThreadsDim[1]", Int(3)),
    all("maxThreadsDim[2]", Int(4)),
    all("maxGridSize[0]", Int(5)),
    all("maxGridSize[1]", Int(6)),
    all("maxGridSize[2]", Int(7)),
    until_12("clockRate", Int(13)),
    all("totalConstMem", Size(9)),
    all("major", Int(75)),
    all("minor", Int(76)),
    all("textureAlignment", Size(14)),
    all("texturePitchAlignment", Size(51)),
    until_12("deviceOverlap", Int(15)),
    all("multiProcessorCount", Int(16)),
    until_12("kernelExecTimeoutEnabled", Int(17)),
    all("integrated", Int(18)),
    all("canMapHostMemory", Int(19)),
    until_12("computeMode", Int(20)),
    all("maxTexture1D", Int(21)),
    all("maxTexture1DMipmap", Int(77)),
    until_12("maxTexture1DLinear", Int(69)),
    all("maxTexture2D[0]", Int(22)),
    all("maxTexture2D[1]", Int(23)),
    all("maxTexture2DMipmap[0]", Int(73)),
    all("maxTexture2DMipmap[1]", Int(74)),
    all("maxTexture2DLinear[0]", Int(70)),
    all("maxTexture2DLinear[1]", Int(71)),
    all("maxTexture2DLinear[2]", Int(72)),
    all("maxTexture2DGather[0]", Int(45)),
    all("maxTexture2DGather[1]", Int(46)),
    all("maxTexture3D[0]", Int(24)),
    all("maxTexture3D[1]", Int(25)),
    all("maxTexture3D[2]", Int(26)),
    all("maxTexture3DAlt[0]", Int(47)),
    all("maxTexture3DAlt[1]", Int(48)),
    all("maxTexture3DAlt[2]", Int(49)),
    all("maxTextureCubemap", Int(52)),
    all("maxTexture1DLayered[0]", Int(42)),
    all("maxTexture1DLayered[1]", Int(43)),
    all("maxTexture2DLayered[0]", Int(27)),
    all("maxTexture2DLayered[1]", Int(28)),
    all("maxTexture2DLayered[2]", Int(29)),
    all("maxTextureCubemapLayered[0]", Int(53)),
    all("maxTextureCubemapLayered[1]", Int(54)),
    all("maxSurface1D", Int(55)),
    all("maxSurface2D[0]", Int(56)),
    all("maxSurface2D[1]", Int(57)),
    all("maxSurface3D[0]", Int(58)),
    all("maxSurface3D[1]", Int(59)),
    all("maxSurface3D[2]", Int(60)),
    all("maxSurface1DLayered[0]", Int(61)),
    all("maxSurface1DLayered[1]", Int(62)),
    all("maxSurface2DLayered[0]", Int(63)),
    all("maxSurface2DLayered[1]", Int(64)),
    all("maxSurface2DLayered[2]", Int(65)),
    all("maxSurfaceCubemap", Int(66)),
    all("maxSurfaceCubemapLayered[0]", Int(67)),
    all("maxSurfaceCubemapLayered[1]", Int(68)),
    all("surfaceAlignment", Size(30)),
    all("concurrentKernels", Int(31)),
    all("ECCEnabled", Int(32)),
    all("pciBusID", Int(33)),
    all("pciDeviceID", Int(34)),
    all("pciDomainID", Int(50)),
    all("tccDriver", Int(35)),
    all("asyncEngineCount", Int(40)),
    all("unifiedAddressing", Int(41)),
    until_12("memoryClockRate", Int(36)),
    all("memoryBusWidth", Int(37)),
    all("l2CacheSize", Int(38)),
    all("persistingL2CacheMaxSize", Int(108)),
    all("maxThreadsPerMultiProcessor", Int(39)),
    all("streamPrioritiesSupported", Int(78)),
    all("globalL1CacheSupported", Int(79)),
    all("localL1CacheSupported", Int(80)),
    all("sharedMemPerMultiprocessor", Size(81)),
    all("regsPerMultiprocessor", Int(82)),
    all("managedMemory", Int(83)),
    all("isMultiGpuBoard", Int(84)),
    all("multiGpuBoardGroupID", Int(85)),
    all("hostNativeAtomicSupported", Int(86)),
    until_12("singleToDoublePrecisionPerfRatio", Int(87)),
    all("pageableMemoryAccess", Int(88)),
    all("concurrentManagedAccess", Int(89)),
    all("computePreemptionSupported", Int(90)),
    all("canUseHostPointerForRegisteredMem", Int(91)),
    all("cooperativeLaunch", Int(95)),
    until_12("cooperativeMultiDeviceLaunch", Int(96)),
    all("sharedMemPerBlockOptin", Size(97)),
    all("pageableMemoryAccessUsesHostPageTables", Int(100)),
    all("directManagedMemAccessFromHost", Int(101)),
    all("maxBlocksPerMultiProcessor", Int(106)),
    all("accessPolicyMaxWindowSize", Int(109)),
    all("reservedSharedMemPerBlock", Size(111)),
    since_12("hostRegisterSupported", Int(99)),
    since_12("sparseCudaArraySupported", Int(112)),
    since_12("hostRegisterReadOnlySupported", Int(113)),
    since_12("timelineSemaphoreInteropSupported", Int(114)),
    since_12("memoryPoolsSupported", Int(115)),
    since_12("gpuDirectRDMASupported", Int(116)),
    since_12("gpuDirectRDMAFlushWritesOptions", Int(117)),
    since_12("gpuDirectRDMAWritesOrdering", Int(118)),
    since_12("memoryPoolSupportedHandleTypes", Int(119)),
    since_12("deferredMappingCudaArraySupported", Int(121)),
    since_12("ipcEventSupported", Int(125)),
    since_12("clusterLaunch", Int(120)),
    since_12("unifiedFunctionPointers", Int(129)),
    since_13("deviceNumaConfig", Int(130)),
    since_13("deviceNumaId", Int(131)),
    since_13("mpsEnabled", Int(133)),
    since_13("hostNumaId", Int(134)),
    since_13("gpuPciDeviceID", Int(139)),
    since_13("gpuPciSubsystemID", Int(140)),
    since_13("hostNumaMultinodeIpcSupported", Int(143)),
];

/// Words behind the last member that are reserved.
fn reserved(version: Generation) -> usize {
    match version {
        V11 => 0,
        V12 => 63,
        V13 => 56,
    }
}

/// Goes through the members of a version, each with its offset, and returns where the last one ends.
fn walk<E>(
    version: Generation,
    mut visit: impl FnMut(usize, &Member) -> std::result::Result<(), E>,
) -> std::result::Result<usize, E> {
    let mut end = 0_usize;
    let here = |member: &&Member| (member.versions.0..=member.versions.1).contains(&version);
    for member in MEMBERS.iter().filter(here) {
        let (size, alignment) = match member.what {
            Int(_) => (4, 4),
            Size(_) | Memory => (8, 8),
            Name => (256, 1),
            Uuid => (16, 1),
            Luid => (12, 1),
        };
        let begin = end.next_multiple_of(alignment);
        visit(begin, member)?;
        end = begin + size;
    }
    Ok(end)
}

/// Writes the properties of a device as a version of the runtime has them.
///
/// # Safety
/// `to` has room for a `cudaDeviceProp` of that version, or is null.
pub(crate) unsafe fn write(to: *mut u8, version: Generation, device: c_int) -> Result {
    if to.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    context::check(device)?;
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: the place of the result is ours.
        unsafe { driver::cuDeviceGetAttribute(&mut value, which, device) }.map(|()| value)
    };
    let end = walk(version, |offset, member| {
        // SAFETY: the member lies in the structure, and is of that type there.
        unsafe {
            let place = to.add(offset);
            match member.what {
                Int(which) => place.cast::<c_int>().write(attribute(which)?),
                Size(which) => {
                    place.cast::<usize>().write(usize::try_from(attribute(which)?).unwrap_or(0));
                }
                Name => driver::cuDeviceGetName(place.cast(), 256, device)?,
                Uuid => driver::cuDeviceGetUuid_v2(place.cast(), device)?,
                Luid => place.write_bytes(0, 12),
                Memory => driver::cuDeviceTotalMem_v2(place.cast(), device)?,
            }
        }
        Ok(())
    })?;
    // SAFETY: the reserved words are the rest of the structure.
    unsafe { to.add(end).write_bytes(0, 4 * reserved(version)) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// What a C compiler says of the headers of CUDA 12.9 and 13.5.
    const LAYOUTS: [(Generation, &str); 2] = [
        (V12, include_str!("../tests/layout/cudaDeviceProp.12.tsv")),
        (V13, include_str!("../tests/layout/cudaDeviceProp.13.tsv")),
    ];

    #[test]
    fn members_stand_where_compilers_put_them() {
        for (version, layout) in LAYOUTS {
            let mut ours = String::new();
            let walked = walk(version, |offset, member| {
                ours += &format!("{}\t{offset}\n", member.name);
                Ok::<(), Infallible>(())
            });
            let Ok(end) = walked;
            let size = (end + 4 * reserved(version)).next_multiple_of(8);
            ours += &format!("sizeof\t{size}\n");
            assert_eq!(ours, layout);
        }
    }
}
