//! Addresses that are numbers of 32 bits counted from one address: accesses check the numbers, and nobody computes 64 bits.

use super::Lower;
use super::each_lane::{Accessed, Reached};
use super::value::{FLOAT, Form, INT, Indexed, Value, mask_class};
use super::values::words;
use crate::exit::Index;
use crate::isa::{Family, U, V};
use crate::mir::{Base, Mem, O};
use crate::window;
use iced_x86::Code;
use ir::{BinaryOp, Class, Op, Reg, Src, TernaryOp, UnaryOp};
use regalloc2::{RegClass, VReg};

impl Lower<'_> {
    /// Computes a result as numbers that count from an address. Says whether it is one.
    pub(super) fn indexed_op(&mut self, op: &Op, d: Reg) -> bool {
        if self.class(d) != Class::W64 {
            return false;
        }
        let found = match op {
            Op::Unary { op: UnaryOp::SignExtend32, a, .. } => self.numbers(*a, true, 1),
            Op::Unary { op: UnaryOp::ZeroExtend32, a, .. } => self.numbers(*a, false, 1),
            Op::Unary { op: UnaryOp::Mov64, a, .. } => self.indexed(*a),
            Op::Binary { op: BinaryOp::MulWideS32, a, b, .. } => self.product(*a, *b, true),
            Op::Binary { op: BinaryOp::MulWideU32, a, b, .. } => self.product(*a, *b, false),
            Op::Binary { op: BinaryOp::Shl64, a, b: Src::Imm(by), .. } => {
                self.shifted_index(*a, *by as u32)
            }
            Op::Binary { op: BinaryOp::AddI64, a, b, .. } => {
                self.counted_from(*a, *b).or_else(|| self.counted_from(*b, *a))
            }
            Op::Ternary { op: TernaryOp::MadWideS32, a, b, c, .. } => {
                let product = self.product(*a, *b, true);
                product.and_then(|product| self.counted_on(product, *c))
            }
            Op::Ternary { op: TernaryOp::MadWideU32, a, b, c, .. } => {
                let product = self.product(*a, *b, false);
                product.and_then(|product| self.counted_on(product, *c))
            }
            _ => None,
        };
        let Some(indexed) = found else { return false };
        self.set(d, Value { indexed: Some(indexed), ..Value::default() });
        true
    }

    /// What is known of a value as numbers that count from an address.
    fn indexed(&self, src: Src) -> Option<Indexed> {
        let Src::Reg(reg) = src else { return None };
        self.known(reg).indexed
    }

    /// Numbers that vary, times a power of two.
    fn numbers(&mut self, src: Src, signed: bool, factor: u64) -> Option<Indexed> {
        let Src::Reg(reg) = src else { return None };
        let varies = self.form(reg) == Form::Vectors;
        let is_number = varies && self.class(reg) == Class::W32 && factor.is_power_of_two();
        let shift = factor.trailing_zeros() as u8;
        (is_number && shift < 16).then(|| {
            self.canonical(reg);
            Indexed { base: None, numbers: self.vectors(reg), index: Index { signed, shift } }
        })
    }

    fn product(&mut self, a: Src, b: Src, signed: bool) -> Option<Indexed> {
        match (a, b) {
            (numbers, Src::Imm(factor)) | (Src::Imm(factor), numbers) => {
                self.numbers(numbers, signed, factor & u64::from(u32::MAX))
            }
            (Src::Reg(_), Src::Reg(_)) => None,
        }
    }

    fn shifted_index(&self, a: Src, by: u32) -> Option<Indexed> {
        let indexed = self.indexed(a).filter(|indexed| indexed.base.is_none())?;
        let shift = u32::from(indexed.index.shift).checked_add(by).filter(|shift| *shift < 16)?;
        let index = Index { shift: shift as u8, ..indexed.index };
        Some(Indexed { index, ..indexed })
    }

    /// Numbers, counted from an address that is the same in all lanes.
    fn counted_from(&mut self, numbers: Src, base: Src) -> Option<Indexed> {
        let indexed = self.indexed(numbers)?;
        self.counted_on(indexed, base)
    }

    fn counted_on(&mut self, indexed: Indexed, base: Src) -> Option<Indexed> {
        if !self.is_uniform(base) {
            return None;
        }
        let more = self.scalar_src(base, Class::W64);
        let base = match indexed.base {
            None => more,
            Some(base) => self.tied(Code::Add_r64_rm64, base, O::U(more)),
        };
        Some(Indexed { base: Some(base), ..indexed })
    }

    /// Writes them to a home row.
    pub(super) fn write_addresses(&mut self, indexed: &Indexed, reg: Reg) {
        let Indexed { base, numbers, index } = indexed;
        let base = base.map(|base| self.broadcast(base, Class::W64));
        for (nth, numbers) in numbers.iter().enumerate() {
            let place = self.place_in_rows(reg, 2 * nth);
            self.func.addresses(*index, *numbers, base, place);
        }
    }

    /// The values themselves.
    pub(super) fn addresses(&mut self, indexed: &Indexed) -> Vec<VReg> {
        let Indexed { base, numbers, index } = indexed;
        let base = base.map(|base| self.broadcast(base, Class::W64));
        let widen = if index.signed { U::WidenS } else { U::WidenZero };
        let mut all = Vec::new();
        for numbers in numbers.iter() {
            let upper = self.immediate(U::UpperHalf, *numbers, 1);
            for half in [*numbers, upper] {
                let mut value = self.unary(widen, O::U(half));
                if index.shift > 0 {
                    value = self.shift(U::ShlQ, value, index.shift);
                }
                if let Some(base) = base {
                    value = self.binary(V::AddQ, base, O::U(value));
                }
                all.push(value);
            }
        }
        all
    }

    /// What an access knows of its addresses as numbers, if that serves it.
    pub(super) fn served_by_numbers(&self, accessed: &Accessed<'_>) -> Option<Indexed> {
        let Src::Reg(reg) = accessed.address.base else { return None };
        let value = self.known(reg);
        let indexed = value.indexed.filter(|indexed| indexed.base.is_some())?;
        let bytes = accessed.size * accessed.count as u32;
        // Elements are aligned if the first is.
        (bytes.trailing_zeros() <= u32::from(indexed.index.shift)).then_some(indexed)
    }

    /// Checks the lanes by their numbers; a condition of not equal says that some cannot be served.
    pub(super) fn reached_by_numbers(
        &mut self,
        accessed: &Accessed<'_>,
        indexed: &Indexed,
        masks: Option<&[VReg]>,
    ) -> Reached {
        let Indexed { base, numbers, index } = indexed;
        let site = self.site(accessed.writes);
        let disp = site as i32 * crate::SITE_BYTES as i32;
        let [sites, key] = [0; 2].map(|_| self.func.value(INT));
        let table = Mem::new(Base::Context, crate::context::SITES);
        self.func.x(Code::Mov_r64_rm64, &[O::D(sites), O::M(table)]);
        let of_site = |offset: i32| Mem::new(Base::Value(sites), disp + offset);
        let base = base.unwrap_or(key);
        let from = Mem::new(Base::Value(base), accessed.address.offset as i32);
        self.func.x(Code::Lea_r64_m, &[O::D(key), O::M(from)]);
        let bytes = accessed.size * accessed.count as u32;
        self.func.window((site, bytes, *index), key, sites);
        let first = self.unary(U::BroadcastMemory, O::M(of_site(window::FIRST)));
        let count = self.unary(U::BroadcastMemory, O::M(of_site(window::COUNT)));
        let start = self.func.value(INT);
        self.func.x(Code::Mov_r64_rm64, &[O::D(start), O::M(of_site(window::START))]);
        // How far each is from the first, with the upper bit turned.
        let far: Vec<VReg> =
            numbers.iter().map(|numbers| self.binary(V::SubD, *numbers, O::U(first))).collect();
        let upper = self.pool(words(window::UPPER));
        let offsets = far
            .iter()
            .map(|far| match index.shift {
                0 => self.binary(V::Xor, *far, O::M(upper)),
                shift => self.shift(U::ShlD, *far, shift),
            })
            .collect();
        self.are_any_beyond(far, count, masks);
        Reached { base: start, offsets, site: Some(site), local: None }
    }

    /// A condition of not equal says that some lane's distance is not below a count, as signed numbers.
    fn are_any_beyond(&mut self, far: Vec<VReg>, count: VReg, masks: Option<&[VReg]>) {
        // If all lanes execute, it is enough to ask the greatest.
        let far: Vec<VReg> = match masks {
            Some(_) => far,
            None => far
                .into_iter()
                .reduce(|one, other| self.binary(V::MaxSD, one, O::U(other)))
                .into_iter()
                .collect(),
        };
        let mut any: Option<VReg> = None;
        for (nth, far) in far.iter().enumerate() {
            let beyond = self.func.value(mask_class(self.family));
            match self.family {
                Family::Avx512 => {
                    const NOT_GREATER: u8 = 2;
                    let code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
                    let mut operands =
                        vec![O::D(beyond), O::U(count), O::U(*far), O::I8(NOT_GREATER)];
                    operands.extend(masks.map(|masks| O::Masked(masks[nth])));
                    self.func.x(code, &operands);
                }
                Family::Avx2 => {
                    let inside = self.func.value(FLOAT);
                    let greater = Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256;
                    self.func.x(greater, &[O::D(inside), O::U(count), O::U(*far)]);
                    let executing = match masks {
                        Some(masks) => O::U(masks[nth]),
                        None => O::M(self.pool([0xff; 64])),
                    };
                    let code = V::AndNot.code(self.family);
                    self.func.x(code, &[O::D(beyond), O::U(inside), executing]);
                }
            }
            any = Some(match any {
                None => beyond,
                Some(any) => {
                    let both = self.func.value(mask_class(self.family));
                    let code = match self.family {
                        Family::Avx2 => V::Or.code(self.family),
                        Family::Avx512 => Code::VEX_Korw_kr_kr_kr,
                    };
                    self.func.x(code, &[O::D(both), O::U(any), O::U(beyond)]);
                    both
                }
            });
        }
        let Some(any) = any else { return };
        match any.class() {
            RegClass::Vector => self.func.x(Code::VEX_Kortestw_kr_kr, &[O::U(any), O::U(any)]),
            RegClass::Int | RegClass::Float => self.is_any_set(any),
        }
    }
}
