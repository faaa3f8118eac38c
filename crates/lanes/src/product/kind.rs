//! What is multiplied: shape, types and layout.

use numeric::Round;

/// The most registers that a lane has of one matrix.
pub const MOST_REGISTERS: usize = 8;

/// What the elements of `a` or `b` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are PTX type names")]
pub enum Factor {
    F16,
    Bf16,
    /// In 32 bits, of which the low 13 do not count.
    Tf32,
    E4m3,
    E5m2,
    /// In the low six bits of a byte.
    E2m3,
    /// In the low six bits of a byte.
    E3m2,
    /// In the middle of a byte.
    E2m1,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
}

impl Factor {
    /// Bits from one element to the next.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        match self {
            Factor::F64 => 64,
            Factor::Tf32 => 32,
            Factor::F16 | Factor::Bf16 => 16,
            Factor::E4m3 | Factor::E5m2 | Factor::E2m3 | Factor::E3m2 | Factor::E2m1 => 8,
            Factor::S8 | Factor::U8 => 8,
            Factor::S4 | Factor::U4 => 4,
            Factor::B1 => 1,
        }
    }

    /// Elements in a register, the first in the lowest bits.
    #[inline(always)]
    pub const fn per_register(self) -> usize {
        match self {
            Factor::F64 => 1,
            other => (u32::BITS / other.bits()) as usize,
        }
    }

    /// The bits of the first element of a register that count.
    #[inline(always)]
    pub const fn significant(self) -> u64 {
        match self {
            Factor::Tf32 => 0xffff_e000,
            Factor::E2m3 | Factor::E3m2 => 0x3f,
            Factor::E2m1 => 0x3c,
            other => u64::MAX >> (u64::BITS - other.bits()),
        }
    }

    /// Whether the elements are floats of at most 8 bits.
    #[inline(always)]
    pub const fn is_small_float(self) -> bool {
        matches!(self, Factor::E4m3 | Factor::E5m2 | Factor::E2m3 | Factor::E3m2 | Factor::E2m1)
    }

    /// Whether the elements are integers of several bits.
    #[inline(always)]
    pub const fn is_integer(self) -> bool {
        matches!(self, Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4)
    }
}

/// What the elements of `c` or `d` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are PTX type names")]
pub enum Sum {
    /// Two in a register.
    F16,
    F32,
    F64,
    S32,
}

/// How products of floats of at most 32 bits are summed up ([`sums`](super::sums)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adder {
    /// All of a row with `c` at once.
    Full,
    /// The elements in the lower halves of registers, then those in the upper halves, and only then `c`, rounded to nearest: what an
    /// assembler for sm_90 makes of `mma` with floats of 8 bits, for which there is no instruction.
    Halves,
    /// All at once with fewer bits: `wgmma` of floats of 8 bits on sm_90.
    Short,
}

/// How the elements of matrices lie in the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As the ISA has it for `mma` ("Matrix Fragments").
    Mma,
    /// That of `wmma`, which is nobody's business but its own: a lane holds a row of `a`, `c` and `d`, a column of `b`, or
    /// as much of it as its registers take. Neighbouring parts lie in lanes that are as far apart as there are rows
    /// (columns).
    Wmma,
}

/// A product of matrices with accumulation: `a` has `m` rows and `k` columns, `b` has `n` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows of `a`, `c` and `d`.
    pub m: u32,
    /// Columns of `b`, `c` and `d`.
    pub n: u32,
    /// Columns of `a`, rows of `b`.
    pub k: u32,
    /// The elements of `a`.
    pub a: Factor,
    /// The elements of `b`.
    pub b: Factor,
    /// The elements of `c`.
    pub c: Sum,
    /// The elements of `d`.
    pub d: Sum,
    /// How the elements lie in registers.
    pub layout: Layout,
    /// Clamps results (`.satfinite`): integers to the range of s32, floats to the largest number, and NaN becomes 0.
    pub satfinite: bool,
    /// Combines single bits by exclusive or, and not by and.
    pub xor: bool,
    /// How products of floats are summed up.
    pub adder: Adder,
    /// How sums of binary64 are rounded.
    pub round: Round,
}

/// Registers that a lane has of each matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "one per matrix")]
pub struct Registers {
    pub a: usize,
    pub b: usize,
    pub c: usize,
    pub d: usize,
}

impl Product {
    /// Whether the elements are binary64, and registers have 64 bits.
    #[inline(always)]
    pub const fn is_wide(&self) -> bool {
        matches!(self.a, Factor::F64)
    }

    /// Registers that hold a row of `a` or a column of `b`.
    #[inline(always)]
    pub const fn words(&self) -> usize {
        self.k as usize / self.a.per_register()
    }

    /// Elements of `c` or `d` that a lane holds.
    #[inline(always)]
    pub const fn sums(&self) -> usize {
        (self.m * self.n) as usize / crate::WARP
    }

    /// Registers that a lane has of each matrix.
    #[inline(always)]
    pub const fn registers(&self) -> Registers {
        Registers {
            a: self.factors(self.m, self.a),
            b: self.factors(self.n, self.b),
            c: self.sum_registers(self.c),
            d: self.sum_registers(self.d),
        }
    }

    #[inline(always)]
    const fn factors(&self, lines: u32, ty: Factor) -> usize {
        let elements = match (self.layout, ty) {
            // Fragments of binary16 hold every element several times: a lane has a whole row.
            (Layout::Wmma, Factor::F16) => self.k as usize,
            _ => (lines * self.k) as usize / crate::WARP,
        };
        elements / ty.per_register()
    }

    #[inline(always)]
    const fn sum_registers(&self, ty: Sum) -> usize {
        match ty {
            Sum::F16 => self.sums() / 2,
            Sum::F32 | Sum::F64 | Sum::S32 => self.sums(),
        }
    }

    /// Whether it is a product that this crate computes: of types that go together, in a shape whose fragments fill the
    /// lanes and take at most [`MOST_REGISTERS`] registers.
    pub fn is_valid(&self) -> bool {
        use Factor as F;
        let float = |sum| matches!(sum, Sum::F16 | Sum::F32);
        let types = match (self.a, self.b) {
            (F::F64, F::F64) => (self.c, self.d) == (Sum::F64, Sum::F64),
            (F::B1, F::B1) => (self.c, self.d) == (Sum::S32, Sum::S32),
            (F::F16, F::F16) | (F::Bf16, F::Bf16) | (F::Tf32, F::Tf32) => {
                float(self.c) && float(self.d)
            }
            (
                F::E4m3 | F::E5m2 | F::E2m3 | F::E3m2 | F::E2m1,
                F::E4m3 | F::E5m2 | F::E2m3 | F::E3m2 | F::E2m1,
            ) => float(self.c) && float(self.d),
            (F::S8 | F::U8, F::S8 | F::U8) | (F::S4 | F::U4, F::S4 | F::U4) => {
                (self.c, self.d) == (Sum::S32, Sum::S32)
            }
            _ => false,
        };
        let lines = match self.layout {
            Layout::Mma => matches!((self.m, self.n), (8 | 16, 8)),
            Layout::Wmma => matches!((self.m, self.n), (8, 8 | 32) | (16, 16) | (32, 8)),
        };
        let length = self.k.is_power_of_two()
            && self.k <= 256
            && match self.is_wide() {
                true => matches!(self.words(), 4 | 8 | 16),
                false => matches!(self.words(), 4 | 8),
            };
        if !(types && lines && length) {
            return false;
        }
        let Registers { a, b, c, d } = self.registers();
        [a, b, c, d].iter().all(|count| (1..=MOST_REGISTERS).contains(count))
    }
}
