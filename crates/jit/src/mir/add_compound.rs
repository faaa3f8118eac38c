//! Adds what takes several machine instructions, with its operands.

use super::compound::Compound;
use super::{Func, Kind};
use crate::exit::Index;
use crate::transpose::{SIDE, transpose};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, RegClass, VReg};
use std::convert::Infallible;

/// A result that is written while operands are still read.
fn early(value: VReg) -> Operand {
    Operand::new(value, OperandConstraint::Reg, OperandKind::Def, OperandPos::Early)
}

impl Func {
    fn compound(&mut self, what: Compound, operands: &[Operand]) {
        self.push(Kind::Compound(what), operands, false);
    }

    /// Adds [`Compound::Window`].
    pub(crate) fn window(
        &mut self,
        (site, bytes, index): (u32, u32, Index),
        key: VReg,
        sites: VReg,
    ) {
        let operands = [key, sites].map(Operand::reg_use);
        self.compound(Compound::Window { site, bytes, index }, &operands);
    }

    /// Adds [`Compound::Region`].
    pub(crate) fn region(
        &mut self,
        (site, bytes, offset): (u32, u32, i32),
        sites: VReg,
    ) -> [VReg; 3] {
        let found = [0; 3].map(|_| self.value(RegClass::Int));
        let operands: Vec<Operand> =
            found.into_iter().map(early).chain([Operand::reg_use(sites)]).collect();
        self.compound(Compound::Region { site, bytes, offset }, &operands);
        found
    }

    /// Adds [`Compound::Bounds`].
    pub(crate) fn bounds(
        &mut self,
        wide: bool,
        last: VReg,
        offsets: &[VReg],
        before: Option<[VReg; 2]>,
    ) -> [VReg; 2] {
        let found = [0; 2].map(|_| self.value(RegClass::Float));
        let read = [last].into_iter().chain(offsets.iter().copied()).map(Operand::reg_use);
        let operands: Vec<Operand> = match before {
            None => found.into_iter().map(early).chain(read).collect(),
            Some(before) => {
                let tied = found.into_iter().zip(2..);
                let tied = tied.map(|(value, nth)| Operand::reg_reuse_def(value, nth));
                tied.chain(before.map(Operand::reg_use)).chain(read).collect()
            }
        };
        self.compound(Compound::Bounds { wide, new: before.is_none() }, &operands);
        found
    }

    /// Adds [`Compound::Outside`].
    pub(crate) fn outside(&mut self, bounds: [VReg; 2], constants: [u32; 2]) {
        let room = Operand::reg_temp(self.value(RegClass::Float));
        let [low, high] = bounds.map(Operand::reg_use);
        self.compound(Compound::Outside { constants }, &[low, high, room]);
    }

    /// Adds [`Compound::StoreRow`].
    pub(crate) fn store_row(&mut self, vectors: &[VReg], (scale, disp): (u32, i32)) {
        let operands: Vec<Operand> =
            vectors.iter().map(|vector| Operand::reg_use(*vector)).collect();
        self.compound(Compound::StoreRow { scale, disp }, &operands);
    }

    /// Adds [`Compound::Gather`].
    pub(crate) fn gather(
        &mut self,
        base: VReg,
        offsets: VReg,
        disp: i32,
        mask: Option<VReg>,
    ) -> VReg {
        let found = self.value(RegClass::Float);
        // It is cleared while the others are still read.
        let mut operands = vec![early(found)];
        operands.extend([base, offsets].into_iter().chain(mask).map(Operand::reg_use));
        self.compound(Compound::Gather { disp }, &operands);
        found
    }

    /// Adds [`Compound::Scatter`].
    pub(crate) fn scatter(&mut self, base: VReg, offsets: VReg, words: VReg, mask: Option<VReg>) {
        let operands: Vec<Operand> =
            [base, offsets, words].into_iter().chain(mask).map(Operand::reg_use).collect();
        self.compound(Compound::Scatter, &operands);
    }

    /// Adds [`Compound::ScatterDense`].
    pub(crate) fn scatter_dense(
        &mut self,
        base: VReg,
        offsets: VReg,
        words: VReg,
        mask: VReg,
        places: u32,
    ) {
        let rooms = [RegClass::Float, RegClass::Float, RegClass::Vector];
        let rooms = rooms.map(|class| Operand::reg_temp(self.value(class)));
        let read = [base, offsets, words, mask].map(Operand::reg_use);
        self.compound(Compound::ScatterDense { places }, &[&read[..], &rooms].concat());
    }

    /// Adds [`Compound::LoadRuns`].
    pub(crate) fn load_runs(&mut self, base: VReg, offsets: &[VReg], places: u32) -> Vec<VReg> {
        let found: Vec<VReg> = offsets.iter().map(|_| self.value(RegClass::Float)).collect();
        let mut operands = vec![Operand::reg_use(base)];
        operands.extend(offsets.iter().map(|vector| Operand::reg_use(*vector)));
        let results = (1..).zip(&found);
        operands.extend(results.map(|(nth, found)| Operand::reg_reuse_def(*found, nth)));
        operands.extend(self.rooms());
        self.compound(Compound::LoadRuns { places }, &operands);
        found
    }

    /// Adds [`Compound::StoreRuns`].
    pub(crate) fn store_runs(&mut self, base: VReg, offsets: &[VReg], words: &[VReg], places: u32) {
        let read = [&[base], offsets, words].concat();
        let read = read.into_iter().map(Operand::reg_use);
        let operands: Vec<Operand> = read.chain(self.rooms()).collect();
        self.compound(Compound::StoreRuns { places }, &operands);
    }

    /// Adds [`Compound::Addresses`].
    pub(crate) fn addresses(
        &mut self,
        index: Index,
        numbers: VReg,
        base: Option<VReg>,
        (scale, disp): (u32, i32),
    ) {
        let operands: Vec<Operand> =
            [numbers].into_iter().chain(base).map(Operand::reg_use).collect();
        self.compound(Compound::Addresses { index, scale, disp }, &operands);
    }

    /// Two vectors for what is computed on the way.
    fn rooms(&mut self) -> [Operand; 2] {
        [0; 2].map(|_| Operand::reg_temp(self.value(RegClass::Float)))
    }

    /// Adds [`Compound::Steps`].
    pub(crate) fn steps(&mut self, offsets: &[VReg], places: Option<u32>) {
        let rooms = self.rooms();
        let read = offsets.iter().map(|vector| Operand::reg_use(*vector));
        let operands: Vec<Operand> = read.chain(rooms).collect();
        self.compound(Compound::Steps { places }, &operands);
    }

    /// Adds [`Compound::MatchAny`].
    pub(crate) fn match_any(&mut self, vectors: &[VReg], warp: u8) {
        let rooms = [RegClass::Int, RegClass::Float].map(|class| self.value(class));
        let read = vectors.iter().map(|vector| Operand::reg_use(*vector));
        let operands: Vec<Operand> = read.chain(rooms.map(Operand::reg_temp)).collect();
        self.compound(Compound::MatchAny { warp }, &operands);
    }

    /// Adds [`Compound::CountLanes`].
    pub(crate) fn count_lanes(&mut self, lanes: VReg, count: u32) {
        let room = Operand::reg_temp(self.value(RegClass::Int));
        self.compound(Compound::CountLanes { count }, &[Operand::reg_use(lanes), room]);
    }

    /// Adds [`Compound::CountDivergences`].
    pub(crate) fn count_divergences(&mut self, one: VReg, other: VReg) {
        self.compound(Compound::CountDivergences, &[one, other].map(Operand::reg_use));
    }
    /// Adds [`Compound::LoadRows`]. The results are the columns that are used.
    pub(crate) fn load_rows(&mut self, start: VReg, step: i32, used: u16) -> Vec<VReg> {
        let all = [0; SIDE + 1].map(|_| self.value(RegClass::Float));
        let [mut names @ .., mut free] = all;
        let named: Result<(), Infallible> = transpose(&mut names, &mut free, |_, _, _| Ok(()));
        debug_assert!(named.is_ok(), "nothing is done");
        let found: Vec<VReg> =
            (0..SIDE).filter(|nth| used >> nth & 1 != 0).map(|nth| names[nth]).collect();
        let operand = |value: VReg| match found.contains(&value) {
            true => early(value),
            false => Operand::reg_temp(value),
        };
        let operands: Vec<Operand> =
            all.into_iter().map(operand).chain([Operand::reg_use(start)]).collect();
        self.compound(Compound::LoadRows { step, used }, &operands);
        found
    }

    /// Adds [`Compound::StoreRows`], with the columns that are used.
    pub(crate) fn store_rows(&mut self, start: VReg, step: i32, used: u16, columns: &[VReg]) {
        let mut operands: Vec<Operand> =
            [start].into_iter().chain(columns.iter().copied()).map(Operand::reg_use).collect();
        let mut next = 1;
        for nth in 0..=SIDE {
            let value = self.value(RegClass::Float);
            let is_used = nth < SIDE && used >> nth & 1 != 0;
            operands.push(match is_used {
                true => Operand::reg_reuse_def(value, next),
                false => Operand::reg_temp(value),
            });
            next += usize::from(is_used);
        }
        self.compound(Compound::StoreRows { step, used }, &operands);
    }
}
