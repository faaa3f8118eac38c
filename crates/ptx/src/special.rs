//! Special registers (PTX ISA 9.1, 10 "Special Registers"): one row each.

use crate::catalogue::Since;
use crate::nearest::nearest;
use crate::syntax::ScalarType;
use foldhash::{HashMap, HashMapExt};
use ir::{Dim, Special};
use std::sync::OnceLock;

/// What a special register holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// A value.
    Scalar(Special),
    /// Components `.x`, `.y` and `.z`; `.w` is zero.
    Vector(fn(Dim) -> Special),
    /// An offset in shared memory.
    Reserved(u64),
    /// Half of the address of what a grid synchronises with.
    GridWorkspace(Half),
}

/// Half of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Bits 31:0.
    Low,
    /// Bits 63:32.
    High,
}

/// What a special register or a component of one holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// This.
    Of(Special),
    /// A place in shared memory, counted from the start of what is set aside for the system.
    Reserved(u64),
    /// Half of the address of what a grid synchronises with.
    GridWorkspace(Half),
}

impl Value {
    pub(crate) fn is_grid_workspace(self) -> bool {
        matches!(self, Value::GridWorkspace(_))
    }
}

/// Bytes of what a grid synchronises with: its size and a barrier, both of 32 bits.
pub(crate) const GRID_WORKSPACE: u64 = 8;

/// Bytes of shared memory that are set aside for the system.
pub(crate) const RESERVED_SHARED: u64 = 1024;

/// A special register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpecialRegister {
    /// Its name; one that ends in `#` stands for the names with a number in its place.
    pub(crate) name: &'static str,
    /// Its type, of one component.
    pub(crate) ty: ScalarType,
    /// What it holds.
    pub(crate) content: Content,
    /// What it needs.
    pub(crate) since: Since,
}

const fn scalar(
    name: &'static str,
    ty: ScalarType,
    what: Special,
    ptx: (u32, u32),
    sm: u32,
) -> SpecialRegister {
    SpecialRegister { name, ty, content: Content::Scalar(what), since: Since { ptx, sm } }
}

const fn vector(
    name: &'static str,
    what: fn(Dim) -> Special,
    ptx: (u32, u32),
    sm: u32,
) -> SpecialRegister {
    let (ty, content) = (ScalarType::U32, Content::Vector(what));
    SpecialRegister { name, ty, content, since: Since { ptx, sm } }
}

const fn reserved(name: &'static str, offset: u64) -> SpecialRegister {
    let since = Since { ptx: (7, 6), sm: 80 };
    SpecialRegister { name, ty: B32, content: Content::Reserved(offset), since }
}

const fn grid_workspace(name: &'static str, half: Half) -> SpecialRegister {
    let (content, since) = (Content::GridWorkspace(half), Since { ptx: (2, 1), sm: 10 });
    SpecialRegister { name, ty: B32, content, since }
}

use ScalarType::{B32, Pred, U32, U64};

const ZERO: Special = Special::Constant(0);
const CAPACITY: Special = Special::Constant(RESERVED_SHARED as u32);

pub(crate) const REGISTERS: &[SpecialRegister] = &[
    vector("%tid", Special::Tid, (1, 0), 10),
    vector("%ntid", Special::Ntid, (1, 0), 10),
    vector("%ctaid", Special::Ctaid, (1, 0), 10),
    vector("%nctaid", Special::Nctaid, (1, 0), 10),
    scalar("%laneid", U32, Special::Laneid, (1, 3), 10),
    scalar("%warpid", U32, Special::Warpid, (1, 3), 10),
    scalar("%nwarpid", U32, Special::Nwarpid, (2, 0), 20),
    scalar("%smid", U32, Special::Smid, (1, 3), 10),
    scalar("%nsmid", U32, Special::Nsmid, (2, 0), 20),
    scalar("%gridid", U64, Special::Gridid, (1, 0), 10),
    scalar("%is_explicit_cluster", Pred, Special::IsExplicitCluster, (7, 8), 90),
    vector("%clusterid", Special::Clusterid, (7, 8), 90),
    vector("%nclusterid", Special::Nclusterid, (7, 8), 90),
    vector("%cluster_ctaid", Special::ClusterCtaid, (7, 8), 90),
    vector("%cluster_nctaid", Special::ClusterNctaid, (7, 8), 90),
    scalar("%cluster_ctarank", U32, Special::ClusterCtarank, (7, 8), 90),
    scalar("%cluster_nctarank", U32, Special::ClusterNctarank, (7, 8), 90),
    scalar("%lanemask_eq", U32, Special::LanemaskEq, (2, 0), 20),
    scalar("%lanemask_le", U32, Special::LanemaskLe, (2, 0), 20),
    scalar("%lanemask_lt", U32, Special::LanemaskLt, (2, 0), 20),
    scalar("%lanemask_ge", U32, Special::LanemaskGe, (2, 0), 20),
    scalar("%lanemask_gt", U32, Special::LanemaskGt, (2, 0), 20),
    scalar("%clock", U32, Special::Clock, (1, 0), 10),
    scalar("%clock_hi", U32, Special::ClockHi, (5, 0), 20),
    scalar("%clock64", U64, Special::Clock64, (2, 0), 20),
    scalar("%pm#", U32, ZERO, (1, 3), 10),
    scalar("%pm#_64", U64, ZERO, (4, 0), 50),
    scalar("%envreg#", B32, ZERO, (2, 1), 10),
    // What CUDA's driver tells of a cooperative launch, and every launch is one here.
    grid_workspace("%envreg1", Half::High),
    grid_workspace("%envreg2", Half::Low),
    scalar("%globaltimer", U64, Special::Globaltimer, (3, 1), 30),
    scalar("%globaltimer_lo", U32, Special::GlobaltimerLo, (3, 1), 30),
    scalar("%globaltimer_hi", U32, Special::GlobaltimerHi, (3, 1), 30),
    // CUDA's headers keep the barriers of groups of several warps from the last of these on.
    reserved("%reserved_smem_offset_begin", 0),
    reserved("%reserved_smem_offset_end", RESERVED_SHARED),
    scalar("%reserved_smem_offset_cap", B32, CAPACITY, (7, 6), 80),
    reserved("%reserved_smem_offset_0", 0),
    reserved("%reserved_smem_offset_1", RESERVED_SHARED / 2),
    scalar("%total_smem_size", U32, Special::TotalSmemSize, (4, 1), 20),
    scalar("%aggr_smem_size", U32, Special::TotalSmemSize, (8, 1), 90),
    scalar("%dynamic_smem_size", U32, Special::DynamicSmemSize, (4, 1), 20),
    scalar("%current_graph_exec", U64, ZERO, (8, 0), 50),
];

/// How many registers each name with `#` stands for.
fn count(name: &str) -> u32 {
    if name.starts_with("%pm") { 8 } else { 32 }
}

/// The special register of that name.
pub(crate) fn find(name: &str) -> Option<&'static SpecialRegister> {
    static NAMES: OnceLock<HashMap<String, &'static SpecialRegister>> = OnceLock::new();
    let build = || {
        let mut names = HashMap::new();
        for register in REGISTERS {
            match register.name.contains('#') {
                true => names.extend(
                    (0..count(register.name))
                        .map(|number| (register.name.replace('#', &number.to_string()), register)),
                ),
                false => _ = names.insert(register.name.to_owned(), register),
            }
        }
        names
    };
    // All of them begin with `%`, and so do most registers of compilers.
    name.starts_with('%').then(|| NAMES.get_or_init(build).get(name).copied())?
}

/// The special register whose name is nearest to a misspelled one.
pub(crate) fn nearest_name(name: &str) -> Option<&'static str> {
    let plain = REGISTERS.iter().map(|register| register.name).filter(|name| !name.contains('#'));
    nearest(name, plain)
}

impl SpecialRegister {
    /// Whether it has components.
    pub(crate) fn is_vector(&self) -> bool {
        matches!(self.content, Content::Vector(_))
    }

    /// What it holds, in the component of that letter where it has components. `None`: it does not have
    /// that component, or none.
    pub(crate) fn component(&self, part: Option<&str>) -> Option<Value> {
        match (self.content, part) {
            (Content::Scalar(what), None) => Some(Value::Of(what)),
            (Content::Reserved(offset), None) => Some(Value::Reserved(offset)),
            (Content::GridWorkspace(half), None) => Some(Value::GridWorkspace(half)),
            (Content::Scalar(_) | Content::Reserved(_) | Content::GridWorkspace(_), Some(_)) => {
                None
            }
            (Content::Vector(vector), part) => {
                let what = match part {
                    Some("x" | "r") | None => vector(Dim::X),
                    Some("y" | "g") => vector(Dim::Y),
                    Some("z" | "b") => vector(Dim::Z),
                    Some("w" | "a") => ZERO,
                    Some(_) => return None,
                };
                Some(Value::Of(what))
            }
        }
    }
}
