//! What the attributes of a launch ask for, and which clusters are possible.

use crate::abi::constants::{
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
};
use crate::abi::{Answer, CUlaunchAttribute, CUresult, In};
use crate::function::Function;
use warpwise::LaunchError;

/// What the attributes of a launch ask for: whether it is cooperative, and its clusters. The others are hints.
pub(crate) fn asked(
    attributes: In<CUlaunchAttribute>,
    count: u32,
) -> Answer<(bool, Option<[u32; 3]>)> {
    let (mut cooperative, mut cluster) = (false, None);
    for attribute in attributes.list(count as usize)? {
        let [low, high] = [attribute.value[0] as u32, (attribute.value[0] >> 32) as u32];
        match attribute.id {
            CU_LAUNCH_ATTRIBUTE_COOPERATIVE => cooperative = low != 0,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                cluster = Some([low, high, attribute.value[1] as u32]);
            }
            _ => {}
        }
    }
    Ok((cooperative, cluster))
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
