//! What a launch asks for, and whether a kernel can do it.

use crate::engine::EngineChoice;
use crate::schedule::Schedule;
use ir::{CLUSTER_STRIDE, ClusterLimits, Kernel, MAX_CLUSTER, PORTABLE_CLUSTER};
use std::fmt;

/// Threads of the largest CTA (CUDA C++ Programming Guide, "Compute Capabilities").
pub const MAX_THREADS: u64 = 1024;
/// Bytes of shared memory of the largest CTA, system use included.
pub const MAX_SHARED: u64 = 228 << 10;
/// Bytes of local memory of a thread.
pub const MAX_LOCAL: u64 = 512 << 10;

/// Bytes that kernels may allocate unless the host says otherwise (CUDA C++ Programming Guide, "Dynamic Global Memory
/// Allocation and Operations").
pub const HEAP_LIMIT: u64 = 8 << 20;

/// Kilohertz of `%clock` unless the host says otherwise: a tick is a nanosecond.
pub const CLOCK_KHZ: u32 = 1_000_000;

/// The stack of a thread where a launch does not say how large it is, in bytes. It is sixteen times CUDA's, because frames are
/// larger here: every register that is needed behind a recursive call is saved whole, and arrays lie apart.
pub const DEFAULT_STACK: u32 = 16 << 10;

const _: () = assert!(MAX_SHARED <= CLUSTER_STRIDE && MAX_LOCAL <= ir::WINDOW / 2);
const _: () = assert!((MAX_CLUSTER as u64 + 1) * CLUSTER_STRIDE <= ir::WINDOW / 2);

/// How to launch a kernel.
pub struct Launch<'a> {
    /// The grid's extents in CTAs.
    pub grid: [u32; 3],
    /// The CTA's extents in threads.
    pub block: [u32; 3],
    /// The cluster's extents in CTAs; `None` is what the kernel says, or a cluster for each CTA.
    pub cluster: Option<[u32; 3]>,
    /// Whether all CTAs are resident at once, as in a cooperative launch. Otherwise more begin only when those that have begun
    /// are done or get nowhere.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter space, laid out as the kernel declares it.
    pub params: &'a [u8],
    /// Where the module's variables stand.
    pub image_base: u64,
    /// Host threads; 0 takes all cores.
    pub threads: usize,
    /// Bytes of the stack that a thread has, if the kernel needs one ([`Kernel::has_stack`]).
    pub stack: u32,
    /// The free choices.
    pub schedule: Schedule,
    /// Whether equal launches do the same, also what they read from clocks: one host thread, on which time is counted. So it
    /// is for every schedule but the fair ones, and for runs that are observed.
    pub deterministic: bool,
    /// Kilohertz of `%clock`, which is the host's time where it is not counted.
    pub clock_khz: u32,
    /// Warp instructions after which the kernel is stopped.
    pub max_steps: Option<u64>,
    /// Branches that lanes take before others run that wait meanwhile. Strong accesses count for several: they may be part of a
    /// wait, and then going on is no progress. [`TURN`] suits all kernels; results depend on it where they depend on the schedule.
    pub turn: u32,
    /// Bytes that kernels may have allocated with `malloc` at one time, in this launch and before: a `malloc` of more
    /// returns null. The host's own default is [`HEAP_LIMIT`].
    pub heap_limit: u64,
    /// How many kernels launched each other before this one.
    pub depth: u32,
    /// What executes the kernel.
    pub engine: EngineChoice,
    /// Asked now and then whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Told that the kernel is prepared and begins, by 0, and then now and then how many CTAs are done.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// The default of [`Launch::turn`].
pub const TURN: u32 = 1 << 14;

impl<'a> Launch<'a> {
    /// A launch of these extents on all cores, with the best engine, under the default schedule and without limits other than
    /// those that the host has by default.
    pub fn new(grid: [u32; 3], block: [u32; 3], params: &'a [u8]) -> Launch<'a> {
        Launch {
            grid,
            block,
            cluster: None,
            cooperative: false,
            dynamic_shared: 0,
            params,
            image_base: 0,
            threads: 0,
            stack: DEFAULT_STACK,
            schedule: Schedule::default(),
            deterministic: false,
            clock_khz: CLOCK_KHZ,
            max_steps: None,
            turn: TURN,
            heap_limit: HEAP_LIMIT,
            depth: 0,
            engine: EngineChoice::Auto,
            interrupted: &|| false,
            progress: &|_| (),
        }
    }
}

/// Why a launch did not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// An extent is zero or above its limit.
    Extents {
        /// "grid", "block" or "cluster".
        what: &'static str,
        /// What was asked for.
        extents: [u32; 3],
        /// The limits.
        limits: [u64; 3],
    },
    /// Too many threads in a CTA.
    TooManyThreads {
        /// Threads asked for.
        threads: u64,
        /// The limit: the hardware's, or the kernel's `.maxntid`.
        limit: u64,
    },
    /// The kernel demands another CTA shape (`.reqntid`).
    RequiredShape {
        /// The shape that it demands.
        required: [u32; 3],
    },
    /// The kernel's target has no clusters of several CTAs.
    NoClusters,
    /// The kernel demands another cluster shape (`.reqnctapercluster`).
    RequiredCluster {
        /// The shape that it demands.
        required: [u32; 3],
        /// The shape that was asked for.
        given: [u32; 3],
    },
    /// The launch must say which shape clusters have (`.explicitcluster`).
    ExplicitCluster,
    /// Too many CTAs in a cluster.
    TooManyCtas {
        /// CTAs asked for.
        ctas: u64,
        /// The limit: the kernel's `.maxclusterrank`, or what every device can run.
        limit: u32,
        /// Whether the kernel says so.
        declared: bool,
    },
    /// The grid is no multiple of the cluster.
    PartialCluster {
        /// The grid's extents.
        grid: [u32; 3],
        /// The cluster's.
        cluster: [u32; 3],
    },
    /// Too much memory of a space.
    TooMuchMemory {
        /// "shared" or "local".
        space: &'static str,
        /// Bytes asked for.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The parameter space has another size.
    Params {
        /// Bytes given.
        given: usize,
        /// Bytes wanted.
        wanted: u32,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Extents { what, extents: [x, y, z], limits: [lx, ly, lz] } => {
                write!(
                    f,
                    "a {what} of {x},{y},{z} is not possible: each extent is 1 to {lx},{ly},{lz}"
                )
            }
            LaunchError::TooManyThreads { threads, limit } => {
                write!(f, "{threads} threads in a CTA are too many: the limit is {limit}")
            }
            LaunchError::RequiredShape { required: [x, y, z] } => {
                write!(f, "the kernel requires a block of {x},{y},{z} (.reqntid)")
            }
            LaunchError::NoClusters => {
                f.write_str("clusters of several CTAs need a kernel of target sm_90 or later")
            }
            LaunchError::RequiredCluster { required: [x, y, z], given: [gx, gy, gz] } => {
                write!(
                    f,
                    "the kernel requires a cluster of {x},{y},{z} (.reqnctapercluster), not of {gx},{gy},{gz}"
                )
            }
            LaunchError::ExplicitCluster => f.write_str(
                "the kernel wants to be told how large its clusters are (.explicitcluster)",
            ),
            LaunchError::TooManyCtas { ctas, limit, declared: true } => {
                write!(
                    f,
                    "{ctas} CTAs in a cluster are too many: the kernel's limit is {limit} (.maxclusterrank)"
                )
            }
            LaunchError::TooManyCtas { ctas, limit, declared: false } => {
                write!(
                    f,
                    "{ctas} CTAs in a cluster are too many: {limit} is what every device can run; up to \
                     {MAX_CLUSTER} need a kernel that says so (.maxclusterrank or .reqnctapercluster)"
                )
            }
            LaunchError::PartialCluster { grid: [x, y, z], cluster: [cx, cy, cz] } => {
                write!(f, "a grid of {x},{y},{z} is no multiple of the cluster of {cx},{cy},{cz}")
            }
            LaunchError::TooMuchMemory { space, bytes, limit } => {
                write!(f, "{bytes} bytes of {space} memory are too many: the limit is {limit}")
            }
            LaunchError::Params { given, wanted } => {
                write!(f, "{given} bytes of parameters were given, the kernel has {wanted}")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

/// The extents of a launch's clusters in CTAs, by what the kernel demands, the grid and what was asked for; `None` if nobody says
/// how large they are, so that each CTA is one.
///
/// # Errors
/// The clusters are not possible.
pub fn clusters(
    kernel: &Kernel,
    grid: [u32; 3],
    given: Option<[u32; 3]>,
    dynamic_shared: u32,
) -> Result<Option<[u32; 3]>, LaunchError> {
    let ClusterLimits { available, required, explicit, maximum } = kernel.cluster;
    let cluster = match (given, required) {
        (Some(given), Some(required)) if given != required => {
            return Err(LaunchError::RequiredCluster { required, given });
        }
        (None, None) if explicit => return Err(LaunchError::ExplicitCluster),
        (given, required) => given.or(required),
    };
    let Some(extents) = cluster else { return Ok(None) };
    let ctas = product(extents);
    if ctas == 0 {
        let limits = [u64::from(PORTABLE_CLUSTER); 3];
        return Err(LaunchError::Extents { what: "cluster", extents, limits });
    }
    if ctas > 1 && !available {
        return Err(LaunchError::NoClusters);
    }
    let (limit, declared) = match (maximum, required) {
        (Some(maximum), _) => (maximum.min(MAX_CLUSTER), true),
        (None, Some(_)) => (MAX_CLUSTER, false),
        (None, None) => (PORTABLE_CLUSTER, false),
    };
    if ctas > u64::from(limit) {
        return Err(LaunchError::TooManyCtas { ctas, limit, declared });
    }
    // Between variables lie gaps, which do not count to the limit of a CTA.
    let shared = u64::from(kernel.shared_bytes) + u64::from(dynamic_shared);
    if ctas > 1 && shared > CLUSTER_STRIDE {
        let (space, limit) = ("shared", CLUSTER_STRIDE);
        return Err(LaunchError::TooMuchMemory { space, bytes: shared, limit });
    }
    if grid.iter().zip(extents).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
        return Err(LaunchError::PartialCluster { grid, cluster: extents });
    }
    Ok(cluster)
}

/// The product of extents, or the largest number if it is larger: whatever a kernel or a launch says.
fn product(extents: [u32; 3]) -> u64 {
    extents.iter().fold(1, |product: u64, extent| product.saturating_mul(u64::from(*extent)))
}

/// Whether the kernel can be launched so.
pub(super) fn check(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
    let within = |extents: [u32; 3], limits: [u64; 3]| {
        extents.iter().zip(limits).all(|(extent, limit)| (1..=limit).contains(&u64::from(*extent)))
    };
    let limits = [(1 << 31) - 1, 65535, 65535];
    if !within(launch.grid, limits) {
        return Err(LaunchError::Extents { what: "grid", extents: launch.grid, limits });
    }
    let limits = [1024, 1024, 64];
    if !within(launch.block, limits) {
        return Err(LaunchError::Extents { what: "block", extents: launch.block, limits });
    }
    if let Some(required) = kernel.threads.required.filter(|required| *required != launch.block) {
        return Err(LaunchError::RequiredShape { required });
    }
    let threads = product(launch.block);
    let limit = kernel.threads.maximum.map_or(MAX_THREADS, product).min(MAX_THREADS);
    if threads > limit {
        return Err(LaunchError::TooManyThreads { threads, limit });
    }
    let shared = kernel.shared_bytes_of_variables(launch.dynamic_shared);
    let local = kernel.local_bytes_with(launch.stack);
    for (space, bytes, limit) in [("shared", shared, MAX_SHARED), ("local", local, MAX_LOCAL)] {
        if bytes > limit {
            return Err(LaunchError::TooMuchMemory { space, bytes, limit });
        }
    }
    if launch.params.len() != kernel.param_bytes as usize {
        let (given, wanted) = (launch.params.len(), kernel.param_bytes);
        return Err(LaunchError::Params { given, wanted });
    }
    Ok(())
}
