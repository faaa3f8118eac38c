//! What the attributes of a launch ask for, and which clusters are possible.

use crate::abi::constants::{
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, CU_LAUNCH_ATTRIBUTE_IGNORE,
    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
    CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
};
use crate::abi::{Answer, CUlaunchAttribute, CUresult, In};
use crate::function::Function;
use crate::say;
use warpwise::LaunchError;

/// What the attributes of a launch ask for: whether it is cooperative, and its clusters. The others are hints.
pub(crate) fn asked(
    attributes: In<CUlaunchAttribute>,
    count: u32,
) -> Answer<(bool, Option<[u32; 3]>)> {
    let (mut cooperative, mut cluster, mut preferred) = (false, None, None);
    for attribute in attributes.list(count as usize)? {
        let extents = extents(attribute.value);
        // Clusters of nothing are none (H100, driver 580.159).
        let said = Some(extents).filter(|extents| *extents != [0; 3]);
        match attribute.id {
            CU_LAUNCH_ATTRIBUTE_COOPERATIVE => cooperative = extents[0] != 0,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => cluster = said,
            CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => preferred = said,
            id if !is_possible(id, extents[0]) => return Err(CUresult::INVALID_VALUE),
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
            | CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT
            | CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => {
                say::once("events of launches, and nodes that kernels update, are not there");
                return Err(CUresult::NOT_SUPPORTED);
            }
            CU_LAUNCH_ATTRIBUTE_IGNORE..=CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    // Preferred clusters are made of those that there must be.
    if let (Some(preferred), Some(cluster)) = (preferred, cluster)
        && preferred.iter().zip(cluster).any(|(all, each)| each == 0 || !all.is_multiple_of(each))
    {
        return Err(CUresult::INVALID_CLUSTER_SIZE);
    }
    Ok((cooperative, cluster))
}

/// Whether an attribute of launches may have a value: an H100 (driver 580.159) refuses these.
fn is_possible(id: u32, value: u32) -> bool {
    match id {
        // One of streams alone.
        CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => false,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => value <= 2,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => value <= 1,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            (-1..=100).contains(&value.cast_signed())
        }
        _ => true,
    }
}

/// The first three words of 32 bits of an attribute's value.
pub(crate) fn extents(value: [u64; 8]) -> [u32; 3] {
    [value[0] as u32, (value[0] >> 32) as u32, value[1] as u32]
}

/// The extents of a launch's clusters; `None` if nobody says how large they are.
///
/// # Errors
/// They are not possible: `CUDA_ERROR_INVALID_CLUSTER_SIZE`.
pub(crate) fn clusters(
    function: &Function,
    grid: [u32; 3],
    asked: Option<[u32; 3]>,
    shared: u32,
) -> Answer<Option<[u32; 3]>> {
    warpwise::clusters(function.kernel.ir(), grid, asked, shared).map_err(|why| match why {
        LaunchError::NoClusters => CUresult::NOT_SUPPORTED,
        _ => CUresult::INVALID_CLUSTER_SIZE,
    })
}
