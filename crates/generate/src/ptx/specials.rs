//! Special registers that are the same on every device, and how PTX gets them.

use ir::{Dim, Special};

/// How PTX gets the value of a special register.
pub(super) enum Shown {
    /// It has a register of this name.
    Register(String),
    /// It has one, a predicate.
    Predicate(&'static str),
    Constant(u32),
    /// It is computed of `%tid`: `%warpid` may be any number of a warp that is there (PTX ISA 9.1, 10.5).
    Warp,
    /// It is the generic address of a variable, a base of addresses that the kernel does not show.
    Window {
        variable: &'static str,
        space: &'static str,
    },
}

/// The same register where each CTA is a cluster of its own, as on devices that have no others.
pub(super) fn without_clusters(what: Special) -> Special {
    match what {
        Special::Clusterid(dim) => Special::Ctaid(dim),
        Special::Nclusterid(dim) => Special::Nctaid(dim),
        Special::ClusterNctaid(_) | Special::ClusterNctarank => Special::Constant(1),
        Special::ClusterCtaid(_)
        | Special::ClusterCtarank
        | Special::IsExplicitCluster
        | Special::ClusterWindow => Special::Constant(0),
        Special::Tid(_)
        | Special::Ntid(_)
        | Special::Ctaid(_)
        | Special::Nctaid(_)
        | Special::Laneid
        | Special::Warpid
        | Special::Nwarpid
        | Special::LanemaskEq
        | Special::LanemaskLe
        | Special::LanemaskLt
        | Special::LanemaskGe
        | Special::LanemaskGt
        | Special::Smid
        | Special::Nsmid
        | Special::Gridid
        | Special::Clock
        | Special::ClockHi
        | Special::Clock64
        | Special::Globaltimer
        | Special::GlobaltimerLo
        | Special::GlobaltimerHi
        | Special::DynamicSmemSize
        | Special::TotalSmemSize
        | Special::ImageBase
        | Special::SharedWindow
        | Special::LocalWindow
        | Special::ParamWindow
        | Special::DynamicSharedBase
        | Special::StackEnd
        | Special::Constant(_) => what,
    }
}

/// The same for each that the generator uses; `None` for those that a device has in its own way.
pub(super) fn shown(what: Special) -> Option<Shown> {
    let of_axis = |name: &str, dim: Dim| {
        let axis = match dim {
            Dim::X => "x",
            Dim::Y => "y",
            Dim::Z => "z",
        };
        Shown::Register(format!("{name}.{axis}"))
    };
    let named = |name: &str| Shown::Register(name.to_owned());
    Some(match what {
        Special::Tid(dim) => of_axis("tid", dim),
        Special::Ntid(dim) => of_axis("ntid", dim),
        Special::Ctaid(dim) => of_axis("ctaid", dim),
        Special::Nctaid(dim) => of_axis("nctaid", dim),
        Special::Laneid => named("laneid"),
        Special::LanemaskEq => named("lanemask_eq"),
        Special::LanemaskLe => named("lanemask_le"),
        Special::LanemaskLt => named("lanemask_lt"),
        Special::LanemaskGe => named("lanemask_ge"),
        Special::LanemaskGt => named("lanemask_gt"),
        Special::DynamicSmemSize => named("dynamic_smem_size"),
        Special::Constant(value) => Shown::Constant(value),
        Special::Warpid => Shown::Warp,
        Special::SharedWindow => Shown::Window { variable: "memory", space: "shared" },
        Special::LocalWindow => Shown::Window { variable: "scratch", space: "local" },
        Special::Clusterid(dim) => of_axis("clusterid", dim),
        Special::Nclusterid(dim) => of_axis("nclusterid", dim),
        Special::ClusterCtaid(dim) => of_axis("cluster_ctaid", dim),
        Special::ClusterNctaid(dim) => of_axis("cluster_nctaid", dim),
        Special::ClusterCtarank => named("cluster_ctarank"),
        Special::ClusterNctarank => named("cluster_nctarank"),
        Special::IsExplicitCluster => Shown::Predicate("is_explicit_cluster"),
        // What is made of it is not made of a number.
        Special::ClusterWindow => Shown::Constant(0),
        Special::Nwarpid
        | Special::Smid
        | Special::Nsmid
        | Special::Gridid
        | Special::Clock
        | Special::ClockHi
        | Special::Clock64
        | Special::Globaltimer
        | Special::GlobaltimerLo
        | Special::GlobaltimerHi
        | Special::TotalSmemSize
        | Special::ImageBase
        | Special::ParamWindow
        | Special::DynamicSharedBase
        | Special::StackEnd => return None,
    })
}
