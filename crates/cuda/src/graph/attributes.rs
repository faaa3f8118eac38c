//! `cuGraphKernelNode*Attribute*`: what the launches of kernel nodes ask for beside their extents.

use super::object::{Node, Work, home};
use crate::abi::constants::{
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, CU_LAUNCH_ATTRIBUTE_PRIORITY,
};
use crate::abi::{
    Answer, CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue, CUresult, In, Out,
};
use crate::driver::driver;
use crate::launch_attributes::{clusters, extents};
use crate::operation::{Launch, Operation};
use std::sync::Arc;

/// The launch of a kernel node.
fn launch(node: &Node) -> Answer<&Arc<Launch>> {
    match &node.work {
        Work::Operation(Operation::Launch(launch)) => Ok(launch),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Whether an attribute says how a launch may be done, and not what comes of it.
fn is_hint(attribute: CUkernelNodeAttrID) -> bool {
    [
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        CU_LAUNCH_ATTRIBUTE_PRIORITY,
    ]
    .contains(&attribute)
}

fn set(node: &mut Node, attribute: CUkernelNodeAttrID, value: CUkernelNodeAttrValue) -> Answer {
    let launch = launch(node)?;
    let changed = match attribute {
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
            launch.asking(extents(value.words)[0] != 0, launch.cluster)
        }
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
            let cluster = Some(extents(value.words)).filter(|extents| *extents != [0; 3]);
            clusters(&launch.function, launch.grid, cluster, launch.shared)?;
            launch.asking(launch.cooperative, cluster)
        }
        hint if is_hint(hint) => {
            node.hints.insert(attribute, value);
            return Ok(());
        }
        _ => return Err(CUresult::INVALID_VALUE),
    };
    node.work = Work::Operation(Operation::Launch(Arc::new(changed)));
    Ok(())
}

fn get(node: &Node, attribute: CUkernelNodeAttrID) -> Answer<CUkernelNodeAttrValue> {
    let launch = launch(node)?;
    let mut words = [0; 8];
    match attribute {
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE => words[0] = launch.cooperative.into(),
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
            let [x, y, z] = launch.cluster.unwrap_or_default().map(u64::from);
            words[..2].copy_from_slice(&[x | y << 32, z]);
        }
        hint if is_hint(hint) => {
            return Ok(node.hints.get(&hint).copied().unwrap_or(CUkernelNodeAttrValue { words }));
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(CUkernelNodeAttrValue { words })
}

/// `cuGraphKernelNodeSetAttribute`.
pub(crate) fn set_attribute(
    node: CUgraphNode,
    attribute: CUkernelNodeAttrID,
    value: In<CUkernelNodeAttrValue>,
) -> Answer {
    driver()?;
    let value = value.get()?;
    home(node)?.with(node, |node| set(node, attribute, value))?
}

/// `cuGraphKernelNodeGetAttribute`.
pub(crate) fn attribute(
    node: CUgraphNode,
    attribute: CUkernelNodeAttrID,
    to: Out<CUkernelNodeAttrValue>,
) -> Answer {
    driver()?;
    to.set(home(node)?.with(node, |node| get(node, attribute))??)
}

/// `cuGraphKernelNodeCopyAttributes`.
pub(crate) fn copy_attributes(to: CUgraphNode, from: CUgraphNode) -> Answer {
    driver()?;
    let (launch, hints) =
        home(from)?.with(from, |node| Ok((Arc::clone(launch(node)?), node.hints.clone())))??;
    home(to)?.with(to, |node| {
        let own = self::launch(node)?;
        clusters(&own.function, own.grid, launch.cluster, own.shared)?;
        let changed = own.asking(launch.cooperative, launch.cluster);
        node.work = Work::Operation(Operation::Launch(Arc::new(changed)));
        node.hints = hints;
        Ok(())
    })?
}
