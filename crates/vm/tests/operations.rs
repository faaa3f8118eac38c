//! Every scalar operation by every engine, on special and random values, against its row in the tables of crate `ir`.

use ir::{
    Access, Address, BinaryOp, Builder, Class, CompareOp, Dim, Kernel, Op, Ordering, Reg, Space,
    Special, Src, TernaryOp, UnaryOp, WarpRules,
};
use warpwise_vm::{EngineChoice, Executable, Launch, Memory};

const THREADS: u32 = 128;
/// Operations of a kernel.
const OPERATIONS: usize = 32;
/// What results hold before, where operations are guarded.
const BEFORE: u64 = 0x5555_5555;

/// An operation of any number of operands, with a predicate as a number.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
    Compare(CompareOp),
}

impl Operation {
    fn all() -> Vec<Operation> {
        let unary = UnaryOp::all().map(Operation::Unary);
        let binary = BinaryOp::all().map(Operation::Binary);
        let ternary = TernaryOp::all().map(Operation::Ternary);
        unary.chain(binary).chain(ternary).chain(CompareOp::all().map(Operation::Compare)).collect()
    }

    fn classes(self) -> (Vec<Class>, Class) {
        match self {
            Operation::Unary(op) => (op.signature().0.to_vec(), op.signature().1),
            Operation::Binary(op) => (op.signature().0.to_vec(), op.signature().1),
            Operation::Ternary(op) => (op.signature().0.to_vec(), op.signature().1),
            Operation::Compare(op) => (op.signature().0.to_vec(), op.signature().1),
        }
    }

    fn eval(self, values: [u64; 3]) -> u64 {
        let (classes, _) = self.classes();
        let [a, b, c] = [0, 1, 2].map(|nth| match classes.get(nth) {
            Some(Class::W32) => values[nth] & 0xffff_ffff,
            _ => values[nth],
        });
        match self {
            Operation::Unary(op) => op.eval([a]),
            Operation::Binary(op) => op.eval([a, b]),
            Operation::Ternary(op) => op.eval([a, b, c]),
            Operation::Compare(op) => op.eval([a, b]),
        }
    }

    /// The operation on registers of its classes; `d` is one of its result's.
    fn op(self, d: Reg, [a, b, c]: [Src; 3]) -> Op {
        match self {
            Operation::Unary(op) => Op::Unary { op, d, a },
            Operation::Binary(op) => Op::Binary { op, d, a, b },
            Operation::Ternary(op) => Op::Ternary { op, d, a, b, c },
            Operation::Compare(op) => Op::Compare { op, d, a, b },
        }
    }
}

fn quads(base: Reg, offset: i64) -> (Space, Access, Address, Ordering) {
    (Space::Global, Access::B64, Address { base: Src::Reg(base), offset }, Ordering::Weak)
}

/// Thread `t` computes all operations of its three values, and stores the results one after the other. If `guarded`, threads whose
/// numbers are multiples of 3 do not.
fn kernel(operations: &[Operation], guarded: bool) -> Kernel {
    let mut b = Builder::new("k", WarpRules::Independent);
    let [from, to] = [0, 8].map(|offset| {
        let d = b.reg(Class::W64);
        let address = Address { base: Src::Imm(offset), offset: 0 };
        let (space, access, ordering) = (Space::Param, Access::B64, Ordering::Weak);
        b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        d
    });
    let t = b.reg(Class::W32);
    b.push(Op::Special { d: t, what: Special::Tid(Dim::X) });
    let at = b.binary(BinaryOp::MulWideU32, t, Src::Imm(8));
    let from = b.binary(BinaryOp::AddI64, from, at);
    let step = i64::from(8 * THREADS);
    let values: Vec<(Reg, Reg)> = (0..3)
        .map(|nth| {
            let whole = b.reg(Class::W64);
            let (space, access, address, ordering) = quads(from, nth * step);
            b.push(Op::Load { d: vec![Some(whole)], space, access, address, ordering });
            let low = b.reg(Class::W32);
            b.unary_to(low, UnaryOp::Low32, whole);
            (whole, low)
        })
        .collect();
    let third = b.binary(BinaryOp::RemU32, t, Src::Imm(3));
    let guard = b.compare(CompareOp::NeI32, third, Src::Imm(0));
    let to = b.binary(BinaryOp::AddI64, to, at);
    for (nth, operation) in operations.iter().enumerate() {
        let (classes, class) = operation.classes();
        let operand = |nth: usize| match classes.get(nth) {
            Some(Class::W32) => values[nth].1.into(),
            _ => values[nth].0.into(),
        };
        let d = b.reg(class);
        if guarded {
            match class {
                Class::Pred => b.pred_to(d, ir::Pred::Const(false)),
                Class::W32 | Class::W64 => b.copy_to(d, Src::Imm(BEFORE)),
            }
            b.set_guard(Some(guard.into()));
        }
        b.push(operation.op(d, [0, 1, 2].map(operand)));
        b.set_guard(None);
        let wide = b.reg(Class::W64);
        match class {
            Class::W64 => b.copy_to(wide, d),
            Class::W32 => b.unary_to(wide, UnaryOp::ZeroExtend32, d),
            Class::Pred => {
                b.push(Op::Select { d: wide, a: Src::Imm(1), b: Src::Imm(0), p: d.into() });
            }
        }
        let (space, access, address, ordering) = quads(to, nth as i64 * step);
        b.push(Op::Store { values: vec![wide.into()], space, access, address, ordering });
    }
    b.terminate(ir::Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 16;
    kernel
}

/// Values at which operations have edges, and others.
fn values() -> Vec<u64> {
    let words = [
        0u32,
        1,
        2,
        0x7f,
        0x80,
        0xff,
        0x7c00,
        0x7e01,
        0x8000,
        0xffff,
        0x7f_ffff,
        0x80_0000,
        0x3f80_0000,
        0x4eff_ffff,
        0x4f00_0000,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xbf80_0000,
        0xcf00_0000,
        0xff80_0000,
        0xffc0_0001,
        0xffff_ffff,
    ];
    let quads = [
        0x000f_ffff_ffff_ffff,
        0x3ff0_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_0000,
        0x8000_0000_0000_0000,
        0xbff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0xfff8_0000_0000_0123,
        u64::MAX,
    ];
    let mut all: Vec<u64> = words.into_iter().map(u64::from).chain(quads).collect();
    let mut state = 1u64;
    while all.len() < 3 * THREADS as usize {
        // A generator of Knuth's, whose upper bits are good enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (kind, bits) = (state >> 60, state.rotate_left(23));
        all.push(match kind {
            0..4 => u64::from((bits as i32 as f32 / 1e6).to_bits()),
            4..8 => (bits.cast_signed() as f64 / 1e15).to_bits(),
            _ => all[bits as usize % (words.len() + quads.len())],
        });
    }
    all
}

/// What operations give that differs by an engine, as sentences.
fn differences(operations: &[Operation], guarded: bool, values: &[u64]) -> Vec<String> {
    let kernel = kernel(operations, guarded);
    ir::verify(&kernel).expect("a valid kernel");
    let mut found = Vec::new();
    for engine in EngineChoice::available() {
        let executable = Executable::new(kernel.clone());
        let memory = Memory::new().expect("address space");
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let from = memory.allocate(bytes.len() as u64).expect("space");
        memory.write(from, &bytes).expect("inside");
        let mut results = vec![0; 8 * THREADS as usize * operations.len()];
        let to = memory.allocate(results.len() as u64).expect("space");
        let params: Vec<u8> = [from, to].iter().flat_map(|value| value.to_le_bytes()).collect();
        let launch = Launch { engine, ..Launch::new([1; 3], [THREADS, 1, 1], &params) };
        let outcome = warpwise_vm::launch(&executable, &launch, &memory).expect("possible");
        assert_eq!(outcome.fault, None, "{engine}");
        memory.read(to, &mut results).expect("inside");
        let mut results = results.chunks_exact(8);
        for operation in operations {
            for t in 0..THREADS as usize {
                let operands = [0, 1, 2].map(|nth| values[nth * THREADS as usize + t]);
                let expected = match operation.classes().1 {
                    _ if !guarded || t % 3 != 0 => operation.eval(operands),
                    Class::Pred => 0,
                    Class::W32 | Class::W64 => BEFORE,
                };
                let result = results.next().unwrap_or_default();
                if result != expected.to_le_bytes() {
                    found.push(format!(
                        "{engine}: {operation:?} of {operands:x?}, guarded: {guarded}: {expected:x}, found {result:x?}"
                    ));
                }
            }
        }
    }
    found
}

#[test]
fn every_engine_computes_every_operation_as_its_row_says() {
    let all = values();
    let mut found = Vec::new();
    for operations in Operation::all().chunks(OPERATIONS) {
        for (rotated, guarded) in [(0, false), (1, false), (37, true)] {
            // Values meet others in each turn.
            let mut values = all.clone();
            values[THREADS as usize..].rotate_left(rotated);
            values[2 * THREADS as usize..].rotate_left(rotated);
            found.extend(differences(operations, guarded, &values));
        }
    }
    assert!(
        found.is_empty(),
        "{} differ\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
}
