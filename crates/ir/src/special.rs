//! Special registers: what a thread can ask about itself and its launch.

/// A dimension of a grid or CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// The fastest-varying.
    X,
    /// The middle one.
    Y,
    /// The slowest-varying.
    Z,
}

impl Dim {
    /// Where it stands among the three, 0 to 2.
    #[inline]
    pub fn index(self) -> usize {
        match self {
            Dim::X => 0,
            Dim::Y => 1,
            Dim::Z => 2,
        }
    }
}

/// A special register (PTX ISA 9.1, 10 "Special Registers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`: the thread's index in its CTA.
    Tid(Dim),
    /// `%ntid`: the CTA's extent.
    Ntid(Dim),
    /// `%ctaid`: the CTA's index in the grid.
    Ctaid(Dim),
    /// `%nctaid`: the grid's extent.
    Nctaid(Dim),
    /// `%clusterid`: the cluster's index in the grid, counted in clusters.
    Clusterid(Dim),
    /// `%nclusterid`: the grid's extent in clusters.
    Nclusterid(Dim),
    /// `%cluster_ctaid`: the CTA's index in its cluster.
    ClusterCtaid(Dim),
    /// `%cluster_nctaid`: the cluster's extent in CTAs.
    ClusterNctaid(Dim),
    /// `%cluster_ctarank`: the CTA's number in its cluster; x varies fastest.
    ClusterCtarank,
    /// `%cluster_nctarank`: CTAs of the cluster.
    ClusterNctarank,
    /// `%is_explicit_cluster`: 1 if the launch or the kernel says how large clusters are, else 0.
    IsExplicitCluster,
    /// The address in shared memory at which that of the cluster's CTA of rank 0 appears; that of each other rank lies
    /// [`CLUSTER_STRIDE`](crate::CLUSTER_STRIDE) bytes behind that of the one before it. 0, where a CTA's own memory always
    /// begins, if it has no other CTAs.
    ClusterWindow,
    /// `%laneid`.
    Laneid,
    /// `%warpid`: the warp's index in its CTA.
    Warpid,
    /// `%nwarpid`: warps of the CTA.
    Nwarpid,
    /// `%lanemask_eq`.
    LanemaskEq,
    /// `%lanemask_le`.
    LanemaskLe,
    /// `%lanemask_lt`.
    LanemaskLt,
    /// `%lanemask_ge`.
    LanemaskGe,
    /// `%lanemask_gt`.
    LanemaskGt,
    /// `%smid`: which multiprocessor; the CTA's linear index modulo [`Special::Nsmid`].
    Smid,
    /// `%nsmid`.
    Nsmid,
    /// `%gridid`, 64 bits.
    Gridid,
    /// `%clock`: low half of [`Special::Clock64`].
    Clock,
    /// `%clock_hi`: high half of [`Special::Clock64`].
    ClockHi,
    /// `%clock64`: a counter that grows with every instruction, 64 bits.
    Clock64,
    /// `%globaltimer`: nanoseconds, 64 bits.
    Globaltimer,
    /// `%globaltimer_lo`.
    GlobaltimerLo,
    /// `%globaltimer_hi`.
    GlobaltimerHi,
    /// `%dynamic_smem_size`: bytes.
    DynamicSmemSize,
    /// `%total_smem_size`: bytes, static and dynamic together.
    TotalSmemSize,
    /// The address at which the module's global and constant variables stand, 64 bits. Not a register of
    /// the ISA: front ends use it to form addresses of variables.
    ImageBase,
    /// The generic address at which shared memory appears.
    SharedWindow,
    /// The generic address at which local memory appears.
    LocalWindow,
    /// The generic address at which the parameter space appears.
    ParamWindow,
    /// The offset at which dynamic shared memory begins, behind the static part.
    DynamicSharedBase,
    /// The address in local memory at which the stack of a thread ends, 64 bits.
    StackEnd,
    /// A register that is the same constant in every launch.
    Constant(u32),
}

impl Special {
    /// Whether it counts cycles of a multiprocessor.
    pub fn is_clock(self) -> bool {
        matches!(self, Special::Clock | Special::ClockHi | Special::Clock64)
    }

    /// Whether it tells the time of the device.
    pub fn is_global_timer(self) -> bool {
        matches!(self, Special::Globaltimer | Special::GlobaltimerLo | Special::GlobaltimerHi)
    }

    /// Whether the register has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(
            self,
            Special::Gridid
                | Special::Clock64
                | Special::Globaltimer
                | Special::ImageBase
                | Special::SharedWindow
                | Special::LocalWindow
                | Special::ParamWindow
                | Special::StackEnd
        )
    }

    /// Whether a thread reads the same value in every CTA of a launch, at any time.
    pub fn is_launch_invariant(self) -> bool {
        matches!(self.varies(), Varies::Never | Varies::ByThread)
    }

    /// Whether every thread of a CTA reads the same value, at any time.
    pub fn is_cta_invariant(self) -> bool {
        matches!(self.varies(), Varies::Never | Varies::ByCta)
    }

    /// Whether a thread can read different values at different times.
    pub fn varies_by_time(self) -> bool {
        matches!(self.varies(), Varies::ByTime)
    }

    fn varies(self) -> Varies {
        match self {
            Special::Ntid(_)
            | Special::Nctaid(_)
            | Special::Nclusterid(_)
            | Special::ClusterNctaid(_)
            | Special::ClusterNctarank
            | Special::IsExplicitCluster
            | Special::ClusterWindow
            | Special::Nwarpid
            | Special::Nsmid
            | Special::Gridid
            | Special::DynamicSmemSize
            | Special::TotalSmemSize
            | Special::ImageBase
            | Special::SharedWindow
            | Special::LocalWindow
            | Special::ParamWindow
            | Special::DynamicSharedBase
            | Special::StackEnd
            | Special::Constant(_) => Varies::Never,
            Special::Tid(_)
            | Special::Laneid
            | Special::Warpid
            | Special::LanemaskEq
            | Special::LanemaskLe
            | Special::LanemaskLt
            | Special::LanemaskGe
            | Special::LanemaskGt => Varies::ByThread,
            Special::Ctaid(_)
            | Special::Clusterid(_)
            | Special::ClusterCtaid(_)
            | Special::ClusterCtarank
            | Special::Smid => Varies::ByCta,
            Special::Clock
            | Special::ClockHi
            | Special::Clock64
            | Special::Globaltimer
            | Special::GlobaltimerLo
            | Special::GlobaltimerHi => Varies::ByTime,
        }
    }
}

/// What the value of a special register depends on within a launch.
enum Varies {
    Never,
    ByThread,
    ByCta,
    ByTime,
}
