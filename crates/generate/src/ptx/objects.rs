//! What a kernel does with barrier objects and copies in bulk, in the forms in which the generator makes it: the words of the objects
//! are those of our own, so instructions of PTX take the place of what reads and writes them.

use super::clusters::Definitions;
use super::places::{place, scope_of};
use super::printer::Printer;
use ir::mbarrier as object;
use ir::{
    Access, Address, AsyncCopy, BinaryOp, Class, CompareOp, Completion, CopyProgress, Groups, Op,
    Ordering, Reg, Space, Src, UnaryOp, Update,
};

/// Where a state comes from.
enum State {
    /// It was read of the object there.
    Read(Address, Ordering),
    /// A thread has it from its arrival.
    Token(Reg),
}

/// What a step is.
enum Step {
    /// So many arrivals, by threads that stay or do not, and bytes that they expect.
    Arrive { count: Option<Reg>, drops: bool, expects: Option<Src> },
    /// Bytes that are to come.
    Expect(Src),
    /// Bytes that have come.
    Complete(Src),
}

impl Definitions<'_> {
    /// The state whose phase a register has, if it has one's.
    fn phase(&self, src: Src) -> Option<State> {
        let Op::Unary { op: UnaryOp::Low32, a, .. } = *self.of(src)? else { return None };
        self.shifted_state(a)
    }

    /// The same of a register in between.
    fn shifted_state(&self, src: Src) -> Option<State> {
        let Op::Binary { op: BinaryOp::ShrU64, a: Src::Reg(state), b, .. } = *self.of(src)? else {
            return None;
        };
        (b == Src::Imm(object::PHASE.into())).then_some(())?;
        let op = self.of(state.into())?;
        if let Op::Atomic { update: Update::Apply(BinaryOp::MbarrierStep), .. } = op {
            return Some(State::Token(state));
        }
        is_look(op).map(|(at, how)| State::Read(at, how))
    }

    /// Bytes that a register has in the place of transfers.
    fn transfers(&self, src: Src) -> Option<Src> {
        let Op::Binary { op: BinaryOp::Shl64, a, b, .. } = *self.of(src)? else { return None };
        (b == Src::Imm(object::TRANSFERS.into())).then_some(())?;
        let Op::Unary { op: UnaryOp::ZeroExtend32, a, .. } = *self.of(a)? else { return None };
        Some(a)
    }

    fn step(&self, src: Src) -> Option<Step> {
        let plain = |count, drops| Step::Arrive { count, drops, expects: None };
        if src == Src::Imm(object::ARRIVE) {
            return Some(plain(None, false));
        }
        if src == Src::Imm(object::DROP) {
            return Some(plain(None, true));
        }
        if let Some(bytes) = self.transfers(src) {
            return Some(Step::Expect(bytes));
        }
        let Op::Binary { op, a, b, .. } = *self.of(src)? else { return None };
        if let (BinaryOp::MulWideU32, Src::Reg(count), Src::Imm(one)) = (op, a, b) {
            return Some(plain(Some(count), one == object::DROP));
        }
        if (op, b) == (BinaryOp::Or64, Src::Imm(object::ARRIVE)) {
            let expects = Some(self.transfers(a)?);
            return Some(Step::Arrive { count: None, drops: false, expects });
        }
        if (op, a) == (BinaryOp::SubI64, Src::Imm(0)) {
            return Some(Step::Complete(self.transfers(b)?));
        }
        None
    }
}

/// Where a load looks at an object of the CTA. Other loads of shared memory have their address in a register, or 32 bits.
fn is_look(op: &Op) -> Option<(Address, Ordering)> {
    let Op::Load { space: Space::Shared, access: Access::B64, address, ordering, .. } = *op else {
        return None;
    };
    let is_of_object = matches!(address.base, Src::Imm(_))
        && matches!(ordering, Ordering::Relaxed(_) | Ordering::Acquire(_));
    is_of_object.then_some((address, ordering))
}

/// The space of an object: known to be the CTA's own where its address is a constant.
fn of(address: Address) -> &'static str {
    if matches!(address.base, Src::Imm(_)) { ".shared::cta" } else { ".shared::cluster" }
}

/// Prints an instruction, if it has to do with objects or copies in bulk; whether it has.
pub(super) fn print(p: &mut Printer<'_>, op: &Op) -> Result<bool, String> {
    match *op {
        Op::Store { ref values, space: Space::Shared, access: Access::B64, address, ordering } => {
            let [value] = values[..] else { return Ok(false) };
            if value == Src::Imm(0) && matches!(address.base, Src::Imm(_)) {
                let at = place(p, Space::Shared, address);
                p.line(format!("mbarrier.inval.shared::cta.b64 [{at}]"));
                return Ok(true);
            }
            let Some(Op::Binary { op: BinaryOp::MulWideU32, a, b, .. }) = p.definitions.of(value)
            else {
                return Ok(false);
            };
            if *b != Src::Imm(object::NEW) || ordering != Ordering::Weak {
                return Ok(false);
            }
            let (at, count) = (place(p, Space::Shared, address), p.src(*a, Class::W32));
            p.line(format!("mbarrier.init.shared::cta.b64 [{at}], {count}"));
            Ok(true)
        }
        // What follows from it is one instruction.
        Op::Load { .. } => Ok(is_look(op).is_some()),
        Op::Unary { op: UnaryOp::Low32, a, .. } => Ok(p.definitions.shifted_state(a).is_some()),
        Op::Binary { op: BinaryOp::ShrU64, d, .. } => {
            Ok(p.definitions.shifted_state(d.into()).is_some())
        }
        Op::Compare { op: CompareOp::NeI32, d, a, b } => {
            let Some(State::Read(address, ordering)) = p.definitions.phase(a) else {
                return Ok(false);
            };
            let at = place(p, Space::Shared, address);
            let scope = ordering.scope().map_or("", |scope| scope_of(p, scope));
            let d = p.reg(d);
            let how = format!("acquire{scope}.shared::cta.b64");
            if let Some(State::Token(token)) = p.definitions.phase(b) {
                let token = p.reg(token);
                p.line(format!("mbarrier.test_wait.{how} {d}, [{at}], {token}"));
            } else {
                let parity = p.src(b, Class::W32);
                p.line(format!("mbarrier.try_wait.parity.{how} {d}, [{at}], {parity}"));
            }
            Ok(true)
        }
        Op::Atomic {
            d,
            update: Update::Apply(BinaryOp::MbarrierStep),
            address,
            b,
            ordering,
            ..
        } => {
            step(p, d, address, b, ordering)?;
            Ok(true)
        }
        Op::Copy(ref copy) => copies(p, copy),
        Op::CopyProgress(CopyProgress::Fences) => {
            p.line("fence.proxy.async");
            Ok(true)
        }
        Op::CopyProgress(CopyProgress::Commits(Groups::Bulk)) => {
            p.line("cp.async.bulk.commit_group");
            Ok(true)
        }
        Op::CopyProgress(CopyProgress::Waits { of: Groups::Bulk, groups, reads }) => {
            let read = if reads { ".read" } else { "" };
            p.line(format!("cp.async.bulk.wait_group{read} {groups}"));
            Ok(true)
        }
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Compare { .. }
        | Op::Logic { .. }
        | Op::Select { .. }
        | Op::Special { .. }
        | Op::ActiveMask { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::Collective { .. }
        | Op::Barrier { .. }
        | Op::ClusterBarrier { .. }
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::CopyProgress(_)
        | Op::Host { .. } => Ok(false),
    }
}

fn step(
    p: &mut Printer<'_>,
    d: Option<Reg>,
    address: Address,
    by: Src,
    ordering: Ordering,
) -> Result<(), String> {
    let step = p.definitions.step(by).ok_or("a step that the generator does not make")?;
    let scope = ordering.scope().map_or("", |scope| scope_of(p, scope));
    let order = if ordering.releases() { "release" } else { "relaxed" };
    let how = format!("{order}{scope}{}.b64", of(address));
    // A copy tells of itself.
    if matches!(step, Step::Complete(_)) && std::mem::take(&mut p.is_told) {
        return Ok(());
    }
    let at = place(p, Space::Shared, address);
    match step {
        Step::Arrive { count, drops, expects } => {
            // What is returned by an object of another CTA is nothing.
            let d = match (d, address.base) {
                (Some(d), _) => p.reg(d),
                (None, Src::Imm(_)) => p.of_class(Class::W64),
                (None, Src::Reg(_)) => "_".to_owned(),
            };
            let what = if drops { "arrive_drop" } else { "arrive" };
            match (expects, count) {
                (Some(bytes), _) => {
                    let bytes = p.src(bytes, Class::W32);
                    p.line(format!("mbarrier.{what}.expect_tx.{how} {d}, [{at}], {bytes}"));
                }
                (None, Some(count)) => {
                    let count = p.reg(count);
                    p.line(format!("mbarrier.{what}.{how} {d}, [{at}], {count}"));
                }
                (None, None) => p.line(format!("mbarrier.{what}.{how} {d}, [{at}]")),
            }
        }
        Step::Expect(bytes) => {
            let bytes = p.src(bytes, Class::W32);
            p.line(format!("mbarrier.expect_tx.{how} [{at}], {bytes}"));
        }
        Step::Complete(bytes) => {
            let bytes = p.src(bytes, Class::W32);
            // The instruction itself orders nothing.
            if ordering.releases() {
                p.line(format!("fence.acq_rel{scope}"));
            }
            let how = format!("relaxed{scope}{}.b64", of(address));
            p.line(format!("mbarrier.complete_tx.{how} [{at}], {bytes}"));
        }
    }
    Ok(())
}

/// Copies in bulk.
fn copies(p: &mut Printer<'_>, copy: &AsyncCopy) -> Result<bool, String> {
    if copy.update.is_some() {
        return Err("copies that update are not made here".into());
    }
    let bytes = |p: &mut Printer<'_>| p.src(copy.bytes, Class::W32);
    match copy.until {
        Completion::Group(Groups::Plain) => Ok(false),
        Completion::Group(Groups::Bulk) => {
            let (to, from) = (place(p, copy.to.0, copy.to.1), place(p, copy.from.0, copy.from.1));
            let bytes = bytes(p);
            let how = "global.shared::cta.bulk_group";
            p.line(format!("cp.async.bulk.{how} [{to}], [{from}], {bytes}"));
            Ok(true)
        }
        Completion::Object(space, told) => {
            let (to, from) = (place(p, copy.to.0, copy.to.1), place(p, copy.from.0, copy.from.1));
            let (told, bytes) = (place(p, space, told), bytes(p));
            let from_space = match copy.from.0 {
                Space::Global => "global",
                Space::Shared => "shared::cta",
                other @ (Space::Generic | Space::Local | Space::Param) => {
                    return Err(format!("copies in bulk do not read {other:?}"));
                }
            };
            let how = format!("shared::cluster.{from_space}.mbarrier::complete_tx::bytes");
            p.line(format!("cp.async.bulk.{how} [{to}], [{from}], {bytes}, [{told}]"));
            p.is_told = true;
            Ok(true)
        }
    }
}
