//! An observer sees every step before it takes effect, and watching changes nothing.

use ir::{Access, Address, BinaryOp, Builder, Class, Collective, CompareOp, Inst, Kernel, Members};
use ir::{Op, Ordering, Place, Pred, Reg, Space, Special, Src, Terminator, WarpRules};
use lanes::{LaneMask, ShflMode};
use warpwise_vm::{Arrival, Firing, Launch, Level, Memory, Observer, Schedule, View};

/// Writes down what it is told of.
#[derive(Default)]
struct Diary(Vec<String>);

impl Observer for Diary {
    fn begin(&mut self, view: &View<'_>) {
        self.0.push(format!("begin {} lanes", view.existing(0).0.count_ones()));
    }

    fn end(&mut self, _: &View<'_>) {
        self.0.push("end".into());
    }

    fn guard(&mut self, view: &View<'_>, guard: Pred, _: Place) {
        self.0.push(format!("guard {:#010x}", view.pred(guard, 0).0));
    }

    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        for (warp, lanes) in view.group() {
            let address = match &inst.op {
                Op::Store { address, .. } => format!(" at {:#x}", view.address(address, warp)[1]),
                _ => String::new(),
            };
            self.0.push(format!("{} in {:#010x}{address}", inst.op, lanes.0));
        }
    }

    fn leave(&mut self, view: &View<'_>, terminator: &Terminator, _: Place) {
        let lanes: Vec<u32> = view.group().map(|(_, lanes)| lanes.0).collect();
        let word = match terminator {
            Terminator::Jump(_) => "jump",
            Terminator::Branch { .. } => "branch",
            Terminator::Exit => "exit",
            Terminator::Trap => "trap",
        };
        self.0.push(format!("{word} {:#010x}", lanes[0]));
    }

    fn arrive(&mut self, _: &View<'_>, arrival: &Arrival<'_>) {
        let mask = arrival.membermask.unwrap_or(LaneMask::EMPTY).0;
        self.0.push(format!("arrive {:#010x} of {mask:#010x}", arrival.lanes.0));
    }

    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        let Op::Collective { what: Collective::Shfl { a, .. }, .. } = firing.parts[0].inst.op
        else {
            return;
        };
        let offered = view.w32(a, firing.warp);
        let (parts, lanes) = (firing.parts.len(), firing.participants.0);
        self.0.push(format!("fire {lanes:#010x} in {parts} parts, lane 5 offers {}", offered[5]));
    }
}

const OUT: u64 = 0;

/// Lanes 0 to 3 and the others of a warp shuffle at two instructions of one collective, and lane 1 alone stores.
fn kernel() -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let [lane, d, address] = [0; 3].map(|_| b.reg(Class::W32));
    let [few, one] = [0; 2].map(|_| b.reg(Class::Pred));
    let (left, right, join) = (b.block(), b.block(), b.block());
    let shuffle = |d: Reg| Op::Collective {
        what: Collective::Shfl {
            mode: ShflMode::Bfly,
            d,
            p: None,
            a: lane.into(),
            b: Src::Imm(4),
            c: Src::Imm(31),
        },
        members: Members::Mask(Src::Imm(u64::from(u32::MAX))),
        aligned: false,
    };
    b.push(Op::Special { d: lane, what: Special::Laneid });
    b.push(Op::Compare { op: CompareOp::LtU32, d: few, a: lane.into(), b: Src::Imm(4) });
    b.terminate(Terminator::Branch { p: few.into(), then: left, otherwise: right });
    for block in [left, right] {
        b.switch_to(block);
        b.push(shuffle(d));
        b.terminate(Terminator::Jump(join));
    }
    b.switch_to(join);
    b.binary_to(address, BinaryOp::Shl32, lane, Src::Imm(2));
    b.push(Op::Compare { op: CompareOp::EqI32, d: one, a: lane.into(), b: Src::Imm(1) });
    b.set_guard(Some(one.into()));
    b.push(Op::Store {
        values: vec![d.into()],
        space: Space::Shared,
        access: Access::B32,
        address: Address { base: address.into(), offset: OUT as i64 },
        ordering: Ordering::Weak,
    });
    b.set_guard(None);
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.shared_bytes = 128;
    kernel
}

#[test]
fn the_diary_of_two_arms_that_meet_in_a_shuffle() {
    let kernel = kernel();
    ir::verify(&kernel).expect("a valid kernel");
    let mut memory = Memory::new().expect("address space");
    let mut diary = Diary::default();
    let launch = Launch {
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_shared: 0,
        params: &[],
        image_base: 0,
        stack: 0,
        threads: 1,
        schedule: Schedule::Fair,
        max_steps: None,
        level: Level::detect(),
        deterministic: false,
        interrupted: &|| false,
        progress: &|_| {},
    };
    let outcome = warpwise_vm::launch_observed(&kernel, &launch, &mut memory, &mut diary);
    let outcome = outcome.expect("a possible launch");
    assert_eq!(outcome.fault, None);
    assert_eq!(
        diary.0,
        [
            "begin 32 lanes",
            "v0 = Laneid in 0xffffffff",
            "v3 = LtU32 v0, 0x4 in 0xffffffff",
            "branch 0xffffffff",
            "arrive 0x0000000f of 0xffffffff",
            "arrive 0xfffffff0 of 0xffffffff",
            "fire 0xffffffff in 2 parts, lane 5 offers 5",
            "jump 0x0000000f",
            "jump 0xfffffff0",
            "v2 = Shl32 v0, 0x2 in 0xffffffff",
            "v4 = EqI32 v0, 0x1 in 0xffffffff",
            "guard 0x00000002",
            "Store Shared B32 Weak [v2] = (v1) in 0x00000002 at 0x4",
            "exit 0xffffffff",
            "end",
        ]
    );
    let unobserved = warpwise_vm::launch(&kernel, &launch, &mut memory).expect("a possible launch");
    assert_eq!(unobserved.stats, outcome.stats);
}
