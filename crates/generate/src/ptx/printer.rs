//! A kernel in PTX under construction: registers, temporary ones, guards.

use super::clusters::Definitions;
use super::forms::{Form, form, row_of};
use ir::{Class, Kernel, Pred, Reg, Src};
use std::fmt::{Debug, Write as _};

/// The text so far, and how many temporary registers it has.
pub(super) struct Printer<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) target: u32,
    pub(super) definitions: Definitions<'k>,
    pub(super) body: String,
    /// Whether a copy was printed whose object is still to be told, which the copy does.
    pub(super) is_told: bool,
    /// The guard of the instruction that is printed, with its `@`.
    guard: String,
    temporary: [u32; 4],
}

/// The kinds of temporary registers: their prefix and type.
pub(super) const KINDS: [(&str, &str); 4] =
    [("%t", ".b32"), ("%x", ".b64"), ("%q", ".pred"), ("%h", ".b16")];

/// The number of a kind.
pub(super) const HALF: usize = 3;

fn kind_of(class: Class) -> usize {
    match class {
        Class::W32 => 0,
        Class::W64 => 1,
        Class::Pred => 2,
    }
}

impl<'k> Printer<'k> {
    pub(super) fn new(kernel: &'k Kernel, target: u32) -> Self {
        let definitions = Definitions::new(kernel);
        let (body, guard) = (String::new(), String::new());
        Printer { kernel, target, definitions, body, is_told: false, guard, temporary: [0; 4] }
    }

    /// The declarations of temporary registers.
    pub(super) fn declarations(&self) -> String {
        let mut out = String::new();
        for ((prefix, ty), count) in KINDS.iter().zip(self.temporary) {
            // Writing to a string does not fail.
            let _ = writeln!(out, "\t.reg {ty} {prefix}<{}>;", count.max(1));
        }
        out
    }

    pub(super) fn label(&mut self, block: usize) {
        let _ = writeln!(self.body, "B{block}:");
    }

    /// A line under the guard.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.body, "\t{}{};", self.guard, text.as_ref());
    }

    pub(super) fn temporary(&mut self, kind: usize) -> String {
        let number = self.temporary[kind];
        self.temporary[kind] += 1;
        format!("{}{number}", KINDS[kind].0)
    }

    pub(super) fn of_class(&mut self, class: Class) -> String {
        self.temporary(kind_of(class))
    }

    pub(super) fn reg(&self, reg: Reg) -> String {
        let prefix = ["%r", "%d", "%p"][kind_of(self.kernel.class(reg))];
        format!("{prefix}{}", reg.0)
    }

    /// An operand in a register.
    pub(super) fn src(&mut self, src: Src, class: Class) -> String {
        match (src, constant(src, class)) {
            (Src::Reg(reg), _) => self.reg(reg),
            (Src::Imm(_), value) => {
                let (made, ty) = (self.of_class(class), KINDS[kind_of(class)].1);
                self.line(format!("mov{ty} {made}, {}", value.unwrap_or(0)));
                made
            }
        }
    }

    /// A predicate in a register, not negated.
    pub(super) fn pred(&mut self, pred: Pred) -> String {
        match pred {
            Pred::Is(reg) => self.reg(reg),
            Pred::Not(reg) => {
                let made = self.of_class(Class::Pred);
                self.line(format!("not.pred {made}, {}", self.reg(reg)));
                made
            }
            Pred::Const(value) => {
                let made = self.of_class(Class::Pred);
                self.line(format!("setp.eq.u32 {made}, {}, 1", u32::from(value)));
                made
            }
        }
    }

    /// The register that a result goes to; one that nobody reads if there is none.
    pub(super) fn target_of(&mut self, reg: Option<Reg>, class: Class) -> String {
        match reg {
            Some(reg) => self.reg(reg),
            None => self.of_class(class),
        }
    }

    /// Prints under a guard; what a guard that is never true stands before is left out.
    pub(super) fn guarded(&mut self, guard: Option<Pred>, print: impl FnOnce(&mut Self)) {
        self.guard = match guard {
            None | Some(Pred::Const(true)) => String::new(),
            Some(Pred::Const(false)) => return,
            Some(Pred::Is(reg)) => format!("@{} ", self.reg(reg)),
            Some(Pred::Not(reg)) => format!("@!{} ", self.reg(reg)),
        };
        print(self);
        self.guard.clear();
    }

    /// Prints an operation of the tables.
    pub(super) fn scalar(&mut self, op: &impl Debug, d: Reg, operands: &[(Src, Class)]) {
        // What has no form was replaced before.
        let Some(Form { text, .. }) = form(op, self.target) else { return };
        let round = row_of(op).1;
        let whole = self.reg(d);
        let between = self.temporary(1);
        let half = self.temporary(HALF);
        for part in text.split("; ") {
            let (opcode, rest) = part.split_once(' ').unwrap_or((part, ""));
            let mut said = opcode.replace('@', round);
            said.push(' ');
            let ends = [',', ' ', '{', '}'];
            for piece in rest.split_inclusive(ends) {
                let (word, end) = piece.split_at(piece.find(ends).unwrap_or(piece.len()));
                match word {
                    "d" => said.push_str(&whole),
                    "dh" => said.push_str(&half),
                    "x" => said.push_str(&between),
                    _ => said.push_str(&self.operand(word, operands)),
                }
                said.push_str(end);
            }
            self.line(said);
            if rest.starts_with("dh") {
                self.line(format!("cvt.u32.u16 {whole}, {half}"));
            }
        }
    }

    /// A place in a form: an operand, as it is or as 16 bits, or a number.
    fn operand(&mut self, word: &str, operands: &[(Src, Class)]) -> String {
        let (name, is_half) = match word.strip_suffix('h') {
            Some(name) => (name, true),
            None => (word, false),
        };
        let at = ["a", "b", "c"].iter().position(|known| *known == name);
        let Some((src, class)) = at.and_then(|at| operands.get(at)) else {
            return word.to_owned();
        };
        let whole = self.src(*src, *class);
        if !is_half {
            return whole;
        }
        let half = self.temporary(HALF);
        self.line(format!("cvt.u16.u32 {half}, {whole}"));
        half
    }
}

/// A constant in the place of an operand, in as many bits as its class has.
fn constant(src: Src, class: Class) -> Option<u64> {
    match (src, class) {
        (Src::Reg(_), _) => None,
        (Src::Imm(value), Class::W32) => Some(u64::from(value as u32)),
        (Src::Imm(value), Class::W64 | Class::Pred) => Some(value),
    }
}
