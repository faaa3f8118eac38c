//! Sets of registers, which are joined and compared by words.

use ir::Reg;

/// Any of the registers of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct RegSet(Vec<u64>);

/// Some registers of a kernel, mostly few: the words that hold any, each with its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regs(Box<[(usize, u64)]>);

/// The number of a register's word, and its bit.
#[inline]
fn place(reg: Reg) -> (usize, u64) {
    ((reg.0 / u64::BITS) as usize, 1 << (reg.0 % u64::BITS))
}

impl RegSet {
    /// An empty set that may hold registers below a number.
    pub(crate) fn new(registers: usize) -> RegSet {
        RegSet(vec![0; registers.div_ceil(u64::BITS as usize)])
    }

    /// Makes it empty.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline]
    pub(crate) fn contains(&self, reg: Reg) -> bool {
        let (nth, bit) = place(reg);
        self.0[nth] & bit != 0
    }

    /// Whether it holds all of some registers.
    #[inline]
    pub(crate) fn holds(&self, regs: &Regs) -> bool {
        regs.0.iter().all(|(nth, bits)| bits & !self.0[*nth] == 0)
    }

    /// Adds registers.
    #[inline]
    pub(crate) fn add(&mut self, regs: &Regs) {
        regs.0.iter().for_each(|(nth, bits)| self.0[*nth] |= bits);
    }

    /// Removes a register, and says whether it was there.
    pub(crate) fn remove(&mut self, reg: Reg) -> bool {
        let (nth, bit) = place(reg);
        let was_there = self.0[nth] & bit != 0;
        self.0[nth] &= !bit;
        was_there
    }
}

impl Regs {
    /// The registers, in ascending order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        self.0.iter().flat_map(|(nth, bits)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(Reg(*nth as u32 * u64::BITS + bit))
            })
        })
    }
}

impl FromIterator<Reg> for Regs {
    fn from_iter<I: IntoIterator<Item = Reg>>(regs: I) -> Regs {
        let mut words: Vec<(usize, u64)> = regs.into_iter().map(place).collect();
        words.sort_unstable();
        words.dedup_by(|(later, more), (nth, bits)| {
            let same = later == nth;
            *bits |= if same { *more } else { 0 };
            same
        });
        Regs(words.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_and_compared() {
        let some: Regs = [200, 3, 64, 63, 3].map(Reg).into_iter().collect();
        assert_eq!(some.iter().map(|reg| reg.0).collect::<Vec<_>>(), [3, 63, 64, 200]);
        let mut all = RegSet::new(201);
        assert!(!all.holds(&some) && all.holds(&Regs::default()));
        all.add(&some);
        assert!(all.holds(&some) && all.contains(Reg(200)) && !all.contains(Reg(199)));
        assert!(all.remove(Reg(64)) && !all.remove(Reg(64)) && !all.holds(&some));
        all.clear();
        assert!(!all.contains(Reg(3)));
    }
}
