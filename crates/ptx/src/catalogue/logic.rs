//! Logic: bitwise functions, and functions of predicates.

use super::step::Step;
use super::{Entry, Form};
use crate::lower::{Inst, Lowering, Result};
use ir::{BinaryOp, Class, CompareOp, Op, Pred, Src, TernaryOp, UnaryOp};

/// Truth tables of predicates (see [`Op::Logic`]).
const AND: u8 = 0b1000;
const OR: u8 = 0b1110;
const XOR: u8 = 0b0110;

/// The predicate that holds where both do, in all lanes, whatever the guard of the instruction.
pub(super) fn both(lo: &mut Lowering, one: Option<Pred>, other: Pred) -> Pred {
    let Some(one) = one else { return other };
    let d = lo.b.reg(Class::Pred);
    let guard = lo.b.guard();
    lo.b.set_guard(None);
    lo.b.push(Op::Logic { table: AND, d, a: one, b: other });
    lo.b.set_guard(guard);
    d.into()
}

macro_rules! bitwise {
    ($name:literal, $section:literal, $narrow:ident, $wide:ident, $table:ident) => {
        Entry {
            name: $name,
            section: $section,
            forms: &[
                Form::new(
                    concat!($name, ".type d, a, b; .type = { .b16, .b32, .b64 }"),
                    (1, 0),
                    10,
                    |lo, inst| binary(lo, inst, BinaryOp::$narrow, BinaryOp::$wide),
                ),
                Form::new(
                    concat!($name, ".pred d, {!}a:pred, {!}b:pred"),
                    (1, 0),
                    10,
                    |lo, inst| predicates(lo, inst, $table),
                ),
            ],
        }
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    bitwise!("and", "9.7.8.1 and", And32, And64, AND),
    bitwise!("or", "9.7.8.2 or", Or32, Or64, OR),
    bitwise!("xor", "9.7.8.3 xor", Xor32, Xor64, XOR),
    Entry {
        name: "not",
        section: "9.7.8.4 not",
        forms: &[
            Form::new("not.type d, a; .type = { .b16, .b32, .b64 }", (1, 0), 10, not),
            Form::new("not.pred d, {!}a:pred", (1, 0), 10, not_predicate),
        ],
    },
    Entry {
        name: "cnot",
        section: "9.7.8.5 cnot",
        forms: &[Form::new("cnot.type d, a; .type = { .b16, .b32, .b64 }", (1, 0), 10, cnot)],
    },
    Entry {
        name: "lop3",
        section: "9.7.8.6 lop3",
        forms: &[
            Form::new("lop3.b32 d_, a, b, c, immLut:u32=", (4, 3), 50, lop3),
            Form::new(
                "lop3.op.b32 d_|p, a, b, c, immLut:u32=, {!}q; .op = { .or, .and }",
                (8, 2),
                70,
                lop3_predicate,
            ),
        ],
    },
];

fn binary(lo: &mut Lowering, inst: &Inst<'_>, narrow: BinaryOp, wide: BinaryOp) -> Result {
    let op = if inst.ty("type").bits() == 64 { wide } else { narrow };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Binary(op, a, b).write(lo, inst)
}

fn predicates(lo: &mut Lowering, inst: &Inst<'_>, table: u8) -> Result {
    let (a, b) = (lo.predicate(inst, "a")?, lo.predicate(inst, "b")?);
    let d = lo.result(inst, "d")?;
    lo.b.push(Op::Logic { table, d, a, b });
    Ok(())
}

fn not(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.value(inst, "a")?;
    let step = match inst.ty("type").bits() {
        64 => Step::Unary(UnaryOp::Not64, a),
        16 => Step::Binary(BinaryOp::Xor32, a, Src::Imm(0xffff)),
        _ => Step::Unary(UnaryOp::Not32, a),
    };
    step.write(lo, inst)
}

fn not_predicate(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let a = lo.predicate(inst, "a")?;
    let d = lo.result(inst, "d")?;
    lo.b.pred_to(d, a.negated());
    Ok(())
}

fn cnot(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (equal, class) = match inst.ty("type").bits() {
        64 => (CompareOp::EqI64, Class::W64),
        _ => (CompareOp::EqI32, Class::W32),
    };
    let a = lo.value(inst, "a")?;
    let is_zero = lo.b.compare(equal, a, Src::Imm(0));
    Step::Select(class, is_zero.into(), Src::Imm(1), Src::Imm(0)).write(lo, inst)
}

/// The bitwise function of the three operands that `immLut` describes.
fn lookup(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Step> {
    let inputs = [lo.value(inst, "a")?, lo.value(inst, "b")?, lo.value(inst, "c")?];
    match lo.value(inst, "immLut")? {
        // The assembler takes the low 8 bits.
        Src::Imm(table) => Ok(Function::of(table as u8, &[0, 1, 2]).emit(lo, inputs)),
        Src::Reg(_) => {
            let operand = lo.operand(inst, "immLut")?;
            lo.reject(operand, "the truth table must be a constant")
        }
    }
}

fn lop3(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    lookup(lo, inst)?.write(lo, inst)
}

fn lop3_predicate(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let value = lookup(lo, inst)?.value(lo);
    let q: Pred = lo.predicate(inst, "q")?;
    let p = lo.result_predicate(inst, "d")?;
    let any = lo.b.compare(CompareOp::NeI32, value, Src::Imm(0));
    if let Some(p) = p {
        let table = if inst.word("op") == Some("or") { OR } else { AND };
        lo.b.push(Op::Logic { table, d: p, a: any.into(), b: q });
    }
    Step::Value(value).write(lo, inst)
}

/// A bitwise function of up to three inputs as a tree of operations.
enum Function {
    Constant(bool),
    Input(usize),
    Not(Box<Function>),
    And(usize, Box<Function>),
    Or(usize, Box<Function>),
    Xor(usize, Box<Function>),
    /// Where the input is clear the first, where it is set the second.
    Choose(usize, Box<Function>, Box<Function>),
}

/// For each input, the truth table of the function that returns it.
const INPUT_TABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Function {
    /// The cheapest tree that splits the table at one input after another. Only inputs in `inputs` matter.
    fn of(table: u8, inputs: &[usize]) -> Function {
        match table {
            0 => return Function::Constant(false),
            0xff => return Function::Constant(true),
            _ => {}
        }
        let splits = inputs.iter().map(|input| Function::split(table, *input, inputs));
        splits.min_by_key(Function::cost).unwrap_or(Function::Constant(false))
    }

    fn split(table: u8, input: usize, inputs: &[usize]) -> Function {
        let set = INPUT_TABLES[input];
        let step = 4 >> input;
        // Both halves of the table, spread over all of it.
        let when_clear = table & !set | (table & !set) << step;
        let when_set = table & set | (table & set) >> step;
        let others: Vec<usize> = inputs.iter().copied().filter(|other| *other != input).collect();
        let function = |table| Box::new(Function::of(table, &others));
        match (when_clear, when_set) {
            (0, 0xff) => Function::Input(input),
            (0xff, 0) => Function::Not(Box::new(Function::Input(input))),
            (clear, set) if clear == set => *function(clear),
            (0, set) => Function::And(input, function(set)),
            (clear, 0xff) => Function::Or(input, function(clear)),
            (clear, set) if clear == !set => Function::Xor(input, function(clear)),
            (clear, set) => Function::Choose(input, function(clear), function(set)),
        }
    }

    /// How many operations the tree needs.
    fn cost(&self) -> usize {
        match self {
            Function::Constant(_) | Function::Input(_) => 0,
            Function::Not(a) => 1 + a.cost(),
            Function::And(_, a) | Function::Or(_, a) | Function::Xor(_, a) => 1 + a.cost(),
            Function::Choose(_, clear, set) => 1 + clear.cost() + set.cost(),
        }
    }

    fn emit(&self, lo: &mut Lowering, inputs: [Src; 3]) -> Step {
        let mut value = |function: &Function| function.emit(lo, inputs).value(lo);
        match self {
            Function::Constant(false) => Step::Value(Src::Imm(0)),
            Function::Constant(true) => Step::Value(Src::Imm(u64::from(u32::MAX))),
            Function::Input(input) => Step::Value(inputs[*input]),
            Function::Not(a) => Step::Unary(UnaryOp::Not32, value(a)),
            Function::And(input, a) => Step::Binary(BinaryOp::And32, inputs[*input], value(a)),
            Function::Or(input, a) => Step::Binary(BinaryOp::Or32, inputs[*input], value(a)),
            Function::Xor(input, a) => Step::Binary(BinaryOp::Xor32, inputs[*input], value(a)),
            Function::Choose(input, clear, set) => {
                let (clear, set) = (value(clear), value(set));
                Step::Ternary(TernaryOp::BitSelect32, inputs[*input], clear, set)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Function;

    fn eval(function: &Function, inputs: [bool; 3]) -> bool {
        match function {
            Function::Constant(value) => *value,
            Function::Input(input) => inputs[*input],
            Function::Not(a) => !eval(a, inputs),
            Function::And(input, a) => inputs[*input] && eval(a, inputs),
            Function::Or(input, a) => inputs[*input] || eval(a, inputs),
            Function::Xor(input, a) => inputs[*input] != eval(a, inputs),
            Function::Choose(input, clear, set) => {
                eval(if inputs[*input] { set } else { clear }, inputs)
            }
        }
    }

    #[test]
    fn every_truth_table_becomes_its_function() {
        for table in 0..=u8::MAX {
            let function = Function::of(table, &[0, 1, 2]);
            for row in 0..8 {
                let inputs = [row & 4 != 0, row & 2 != 0, row & 1 != 0];
                assert_eq!(eval(&function, inputs), table >> row & 1 != 0, "{table:#x}, row {row}");
            }
            assert!(function.cost() <= 5, "{table:#x}");
        }
    }

    #[test]
    fn common_tables_take_few_operations() {
        // a^b^c, a&b&c, (a&b)|c, a?b:c, a&~b
        for (table, operations) in [(0x96, 2), (0x80, 2), (0xea, 2), (0xca, 1), (0x30, 1)] {
            assert_eq!(Function::of(table, &[0, 1, 2]).cost(), operations, "{table:#x}");
        }
    }
}
