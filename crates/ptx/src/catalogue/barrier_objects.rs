//! Barrier objects in shared memory, and fences between proxies.

mod phases;

use super::control::{fence, fence_of_cluster, fence_of_system};
use super::{Entry, Form, Need, hint, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use ir::{CopyProgress, Op};
use phases::{arrive, complete_tx, expect_tx, init, inval, pending_count, test_wait, try_wait};
pub(super) use phases::{have_come, update};

/// A form of `mbarrier` on the own CTA's shared memory, and perhaps on that of the cluster.
macro_rules! mbarrier {
    ($line:literal, $sem:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(
            concat!(
                "mbarrier.",
                $line,
                "; .sem = { ",
                $sem,
                " }; .scope = { .cta, .cluster }; \
                 .ss = { .shared, .shared::cta }"
            ),
            $ptx,
            $sm,
            $lower,
        )
        .needs(MBARRIER)
    };
}

/// A form of `mbarrier` on the barriers of several CTAs of the cluster.
macro_rules! multicast {
    ($words:literal, $operands:literal, $choices:literal) => {
        Form::legal(
            concat!(
                "mbarrier.",
                $words,
                "{.sem.scope}.ss.multicast::cluster::32b.b64 ",
                $operands,
                $choices,
                "; .scope = { .cta, .cluster }; .ss = { .shared::cluster }"
            ),
            (9, 4),
            107,
        )
        .family(&[107])
    };
}

/// What words of `mbarrier` need.
const MBARRIER: &[Need] = &[
    Need::new("shared::cta", (7, 8), 80),
    Need::new("acquire", (8, 0), 80),
    Need::new("release", (8, 0), 80),
    Need::new("relaxed", (8, 0), 90),
    Need::new("cta", (8, 0), 80),
    Need::new("cluster", (8, 0), 90),
    Need::new("expect_tx", (8, 0), 90),
    Need::new("layout::v0", (9, 3), 90),
    Need::new("layout::v1", (9, 3), 90),
    Need::new("phase_type::primary", (9, 3), 90),
    Need::new("phase_type::conditional", (9, 3), 90),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "mbarrier",
        section: "9.7.13.15 mbarrier",
        forms: &[
            Form::new("mbarrier.init!{.layout}{.ss}.b64 [reg far a:shared], count:u32(1..1048575); .layout = { .layout::v0, .layout::v1 }; .ss = { .shared, .shared::cta }", (7, 0), 80, init).needs(MBARRIER),
            Form::legal("mbarrier.check_layout!.layout{.ss}.b64 d:pred, [reg far a:shared]; .layout = { .layout::v0, .layout::v1 }; .ss = { .shared, .shared::cta }", (9, 3), 90),
            Form::new("mbarrier.inval!{.ss}.b64 [reg far a:shared]; .ss = { .shared, .shared::cta }", (7, 0), 80, inval),
            Form::new("mbarrier.expect_tx!{.relaxed.scope}{.ss}.b64 [reg far a:shared], tx_count:u32; .scope = { .cta, .cluster }; .ss = { .shared, .shared::cta, .shared::cluster }", (8, 0), 90, expect_tx),
            Form::new("mbarrier.complete_tx!{.relaxed.scope}{.ss}.b64 [reg far a:shared], tx_count:u32; .scope = { .cta, .cluster }; .ss = { .shared, .shared::cta, .shared::cluster }", (8, 0), 90, complete_tx),
            mbarrier!("drop!{.sem.scope}{.ss}.b64 d_:u64, [reg far a:shared]{, count:u32(1..9223372036854775807)}; .drop = { .arrive, .arrive_drop }", ".release, .relaxed", (7, 0), 80, arrive),
            Form::new("mbarrier.drop!.noComplete!{.release.cta}{.ss}.b64 d_:u64, [reg far a:shared], count:u32(1..9223372036854775807); .drop = { .arrive, .arrive_drop }; .ss = { .shared, .shared::cta }", (7, 0), 80, arrive).needs(MBARRIER),
            mbarrier!("drop!.expect_tx!{.sem.scope}{.ss}.b64 d_:u64, [reg far a:shared], tx_count:u32; .drop = { .arrive, .arrive_drop }", ".release, .relaxed", (8, 0), 90, arrive),
            Form::new("mbarrier.drop!{.sem.scope}.ss.b64 _, [reg far a:shared]{, count:u32(1..9223372036854775807)}; .drop = { .arrive, .arrive_drop }; .sem = { .release, .relaxed }; .scope = { .cta, .cluster }; .ss = { .shared::cluster }", (8, 0), 90, arrive),
            Form::new("mbarrier.drop!.expect_tx!{.sem.scope}.ss.b64 _, [reg far a:shared], tx_count:u32; .drop = { .arrive, .arrive_drop }; .sem = { .release, .relaxed }; .scope = { .cta, .cluster }; .ss = { .shared::cluster }", (8, 0), 90, arrive),
            Form::new("mbarrier.pending_count!.b64 d:u32, state:u64", (7, 0), 80, pending_count),
            mbarrier!("test_wait!{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], state:u64", ".acquire, .relaxed", (7, 0), 80, test_wait),
            mbarrier!("test_wait!.parity!{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], parity:u32(0|1)", ".acquire, .relaxed", (7, 1), 80, test_wait),
            mbarrier!("try_wait!{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], state:u64{, hint:u32}", ".acquire, .relaxed", (7, 8), 90, try_wait),
            mbarrier!("try_wait!.parity!{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], parity:u32(0|1){, hint:u32}", ".acquire, .relaxed", (7, 8), 90, try_wait),
            mbarrier!("test_wait!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, [reg far a:shared], state:u64", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("test_wait!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, report:b8, [reg far a:shared], state:u64", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("test_wait!.parity!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, [reg far a:shared], parity:u32(0|1)", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("test_wait!.parity!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, report:b8, [reg far a:shared], parity:u32", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("test_wait!.parity!.phase_type::conditional{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], parity:u32(0|1)", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("try_wait!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, [reg far a:shared], state:u64{, hint:u32}", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("try_wait!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, report:b8, [reg far a:shared], state:u64{, hint:u32}", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("try_wait!.parity!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, [reg far a:shared], parity:u32(0|1){, hint:u32}", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("try_wait!.parity!.phase_type::primary{.sem.scope}{.ss}.b64 d[|p]:pred, report:b8, [reg far a:shared], parity:u32{, hint:u32}", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            mbarrier!("try_wait!.parity!.phase_type::conditional{.sem.scope}{.ss}.b64 d:pred, [reg far a:shared], parity:u32(0|1){, hint:u32}", ".acquire, .relaxed", (9, 3), 90, not_implemented),
            multicast!("drop!", "_, [reg a:shared], mask:u32", "; .drop = { .arrive, .arrive_drop }; .sem = { .release, .relaxed }"),
            multicast!("drop!", "_, [reg a:shared], count:u32(1..9223372036854775807), mask:u32", "; .drop = { .arrive, .arrive_drop }; .sem = { .release, .relaxed }"),
            multicast!("drop!.expect_tx!", "_, [reg a:shared], tx_count:u32, mask:u32", "; .drop = { .arrive, .arrive_drop }; .sem = { .release, .relaxed }"),
            multicast!("tx!", "[reg a:shared], tx_count:u32, mask:u32", "; .tx = { .expect_tx, .complete_tx }; .sem = { .relaxed }"),
        ],
    },
    Entry {
        name: "fence.proxy",
        section: "9.7.13.4 fence",
        forms: &[
            Form::new("fence.proxy!.alias", (7, 5), 70, hint),
            Form::new("fence.proxy!.alias.sem.sys; .sem = { .acquire, .release }", (9, 4), 90, fence_of_system),
            Form::new("fence.proxy!.path.alias.sem.sys; .path = { .fabric::fabric, .fabric::generic, .generic::fabric }; .sem = { .acquire, .release }", (9, 3), 100, fence_of_system),
            Form::new("fence.proxy!.async{.ss}; .ss = { .global, .shared::cta, .shared::cluster }", (8, 0), 90, fence_of_copies),
            Form::new("fence.proxy!.tensormap::generic.release.scope; .scope = { .cta, .cluster, .gpu, .sys }", (8, 3), 90, fence),
            Form::new("fence.proxy!.tensormap::generic.acquire.scope [a:any], size:u32=(128); .scope = { .cta, .cluster, .gpu, .sys }", (8, 3), 90, fence),
            Form::new("fence.proxy!.async::generic.acquire.sync_restrict::shared::cluster.cluster", (8, 6), 90, fence_of_cluster),
            Form::new("fence.proxy!.async::generic.release.sync_restrict::shared::cta.cluster", (8, 6), 90, fence_for_copies),
            Form::new("fence.proxy!.async::generic.release.sync_restrict::shared::cluster::read.scope; .scope = { .cta, .cluster }", (9, 4), 90, fence),
        ],
    },
    Entry {
        name: "fence.mbarrier_init",
        section: "9.7.13.4 fence",
        forms: &[Form::new("fence.mbarrier_init.release.cluster", (8, 0), 90, fence_of_cluster)],
    },
];

/// What was written to the CTA's shared memory before is there for copies, and for others of the cluster.
fn fence_for_copies(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lo.b.push(Op::CopyProgress(CopyProgress::Fences));
    fence_of_cluster(lo, inst)
}

/// `fence.proxy.async`: copies are made in order, so it matters to observers alone.
fn fence_of_copies(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    if inst.word("ss") != Some("global") {
        lo.b.push(Op::CopyProgress(CopyProgress::Fences));
    }
    Ok(())
}
