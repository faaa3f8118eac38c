//! What registers of a kernel are called in its PTX.

use ir::Reg;

/// The names of virtual registers that the text declares: all in one string.
#[derive(Clone, Debug, Default)]
pub struct RegisterNames {
    text: String,
    /// Each register with the first byte of its name and its length; sorted once all are there.
    names: Vec<(Reg, u32, u32)>,
}

impl RegisterNames {
    /// Adds a name.
    pub(super) fn add(&mut self, reg: Reg, name: &str) {
        self.names.push((reg, self.text.len() as u32, name.len() as u32));
        self.text.push_str(name);
    }

    /// All names are there. A register with several, such as one that is passed to a function, keeps the first.
    pub(super) fn finish(mut self) -> RegisterNames {
        self.names.sort_by_key(|(reg, ..)| reg.0);
        self.names.dedup_by_key(|(reg, ..)| *reg);
        self.names.shrink_to_fit();
        self
    }

    /// The name of a register; `None` for those that lowering made.
    pub fn of(&self, reg: Reg) -> Option<&str> {
        let at = self.names.binary_search_by_key(&reg.0, |(reg, ..)| reg.0).ok()?;
        self.name(at)
    }

    /// The registers with their names, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Reg, &str)> {
        (0..self.names.len()).filter_map(|at| Some((self.names[at].0, self.name(at)?)))
    }

    fn name(&self, at: usize) -> Option<&str> {
        let (_, start, length) = *self.names.get(at)?;
        self.text.get(start as usize..(start + length) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_keep_their_first_name() {
        let mut names = RegisterNames::default();
        for (reg, name) in [(7, "%r1"), (2, "%p1"), (7, "formal"), (3, "%v.x")] {
            names.add(Reg(reg), name);
        }
        let names = names.finish();
        let of = |reg| names.of(Reg(reg));
        assert_eq!([of(7), of(2), of(3), of(4)], [Some("%r1"), Some("%p1"), Some("%v.x"), None]);
        let all: Vec<(Reg, &str)> = names.iter().collect();
        assert_eq!(all, [(Reg(2), "%p1"), (Reg(3), "%v.x"), (Reg(7), "%r1")]);
    }
}
