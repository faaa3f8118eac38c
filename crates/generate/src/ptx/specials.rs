//! Special registers that are the same on every device, and how PTX gets them.

use ir::{Dim, Special};

/// How PTX gets the value of a special register.
pub(super) enum Shown {
    /// It has a register of this name.
    Register(String),
    Constant(u32),
    /// It is computed of `%tid`: `%warpid` may be any number of a warp that is there (PTX ISA 9.1, 10.5).
    Warp,
    /// It is the generic address of a variable, a base of addresses that the kernel does not show.
    Window {
        variable: &'static str,
        space: &'static str,
    },
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
        Special::Clusterid(_)
        | Special::Nclusterid(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterNctaid(_)
        | Special::ClusterCtarank
        | Special::ClusterNctarank
        | Special::IsExplicitCluster
        | Special::ClusterWindow
        | Special::Nwarpid
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
