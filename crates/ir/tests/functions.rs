//! Functions that are called: where their blocks stand, and what is needed behind a call.

use warpwise_ir::{
    BinaryOp, Block, BlockId, Builder, Class, CompareOp, Reg, Src, Terminator, UnaryOp, WarpRules,
    verify,
};

/// A kernel that calls a function in a loop and once behind it, with the registers that it keeps meanwhile: one for the loop and
/// one for what follows.
struct Caller {
    b: Builder,
    function: BlockId,
    kernel: BlockId,
    resumes: [BlockId; 2],
    kept: [Reg; 2],
}

fn caller() -> Caller {
    let mut b = Builder::new("k", WarpRules::Independent);
    let first = b.current();
    let [kernel, turn, function, exit, again, after, end] = [(); 7].map(|()| b.block());
    let [site, turns, last, scratch] = [(); 4].map(|()| b.reg(Class::W32));
    let mov = |b: &mut Builder, d: Reg, value: u64| b.unary_to(d, UnaryOp::Mov32, Src::Imm(value));
    let call = |b: &mut Builder, nth: u64, resume: BlockId| {
        mov(b, site, nth);
        b.flows(b.current(), vec![resume]);
        b.terminate(Terminator::Jump(function));
    };
    b.terminate(Terminator::Jump(kernel));
    b.flows(first, Vec::new());

    b.switch_to(function);
    mov(&mut b, scratch, 7);
    b.terminate(Terminator::Jump(exit));
    b.switch_to(exit);
    let p = b.compare(CompareOp::EqI32, site, Src::Imm(0)).into();
    b.terminate(Terminator::Branch { p, then: again, otherwise: after });
    b.flows(exit, Vec::new());

    b.switch_to(kernel);
    mov(&mut b, turns, 3);
    mov(&mut b, last, 4);
    b.terminate(Terminator::Jump(turn));
    b.switch_to(turn);
    call(&mut b, 0, again);
    b.switch_to(again);
    b.binary_to(turns, BinaryOp::SubI32, turns, Src::Imm(1));
    let p = b.compare(CompareOp::NeI32, turns, Src::Imm(0)).into();
    b.terminate(Terminator::Branch { p, then: turn, otherwise: end });
    b.switch_to(end);
    call(&mut b, 1, after);
    b.switch_to(after);
    b.binary_to(scratch, BinaryOp::AddI32, last, last);
    b.terminate(Terminator::Exit);
    Caller { b, function, kernel, resumes: [again, after], kept: [turns, last] }
}

#[test]
fn what_the_caller_needs_behind_a_call_is_not_what_other_callers_need() {
    let Caller { b, kernel, resumes, kept: [turns, last], .. } = caller();
    let live = b.live_in(kernel, &resumes).expect("it is small");
    let sorted = |mut regs: Vec<Reg>| {
        regs.sort_unstable();
        regs
    };
    let live: Vec<_> = live.into_iter().map(sorted).collect();
    assert_eq!(live, [vec![turns, last], vec![last]]);
}

#[test]
fn functions_stand_before_those_that_call_them_and_loops_stay_together() {
    let Caller { mut b, function, kernel, .. } = caller();
    b.lay_out(vec![function, kernel]);
    let kernel = b.finish();
    verify(&kernel).expect("it is well formed");
    let place = |found: &dyn Fn(&Block) -> bool| kernel.blocks.iter().position(found);
    let jumps_to = |to: u32| move |block: &Block| block.terminator == Terminator::Jump(BlockId(to));
    // Entry, function, its exit, kernel, the turn of the loop with its end, the call behind it, the end.
    assert_eq!(kernel.blocks.len(), 8);
    assert_eq!(kernel.blocks[0].terminator, Terminator::Jump(BlockId(3)));
    assert_eq!(place(&jumps_to(2)), Some(1));
    let Terminator::Branch { then, otherwise, .. } = kernel.blocks[2].terminator else {
        panic!("the function returns to one of two")
    };
    assert_eq!((then, otherwise), (BlockId(5), BlockId(7)));
    let calls: Vec<_> = (0..8).filter(|at| jumps_to(1)(&kernel.blocks[*at as usize])).collect();
    assert_eq!(calls, [4, 6]);
}
