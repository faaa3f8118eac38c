//! What is noted of values for one block, with room that serves for the next one, too.

/// Something for each value.
pub(super) struct PerBlock<T>(Vec<(u32, T)>);

/// No block.
const NONE: u32 = u32::MAX;

impl<T: Copy + Default> PerBlock<T> {
    /// For so many values, of which nothing is noted.
    pub(super) fn new(values: usize) -> PerBlock<T> {
        PerBlock(vec![(NONE, T::default()); values])
    }

    pub(super) fn get(&self, block: usize, value: usize) -> Option<T> {
        let (noted_for, noted) = self.0[value];
        (noted_for == block as u32).then_some(noted)
    }

    pub(super) fn set(&mut self, block: usize, value: usize, noted: T) {
        self.0[value] = (block as u32, noted);
    }

    /// Forgets all of it, so that the same blocks can be looked at for something else.
    pub(super) fn forget(&mut self) {
        self.0.iter_mut().for_each(|(noted_for, _)| *noted_for = NONE);
    }
}
