//! State that every CTA has for itself, while CTAs take turns.

use foldhash::{HashMap, HashMapExt};

/// The state of each CTA that has begun and not ended. That of the CTA asked for last is at hand. States are large, so they stay
/// where they are.
#[derive(Debug)]
pub(crate) struct PerCta<T> {
    current: Option<(u64, Box<T>)>,
    others: HashMap<u64, Box<T>>,
    /// States of CTAs that have ended, to be used again.
    spare: Vec<Box<T>>,
}

impl<T> PerCta<T> {
    pub(crate) fn new() -> PerCta<T> {
        PerCta { current: None, others: HashMap::new(), spare: Vec::new() }
    }

    /// A CTA begins with a state that is used again, or new.
    pub(crate) fn begin(
        &mut self,
        cta: u64,
        restart: impl FnOnce(&mut T),
        new: impl FnOnce() -> T,
    ) {
        let state = match self.spare.pop() {
            Some(mut state) => {
                restart(&mut state);
                state
            }
            None => Box::new(new()),
        };
        if let Some((id, state)) = self.current.replace((cta, state)) {
            self.others.insert(id, state);
        }
    }

    /// A CTA has ended.
    pub(crate) fn end(&mut self, cta: u64) {
        let ended = match self.current.take_if(|(id, _)| *id == cta) {
            Some((_, state)) => Some(state),
            None => self.others.remove(&cta),
        };
        self.spare.extend(ended);
    }

    /// The state of a CTA; `None` if it has not begun.
    #[inline]
    pub(crate) fn get(&mut self, cta: u64) -> Option<&mut T> {
        if self.current.as_ref().is_none_or(|(id, _)| *id != cta) {
            let state = self.others.remove(&cta)?;
            if let Some((id, state)) = self.current.replace((cta, state)) {
                self.others.insert(id, state);
            }
        }
        self.current.as_mut().map(|(_, state)| &mut **state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctas_take_turns_and_states_are_used_again() {
        let mut states = PerCta::new();
        states.begin(1, |_| (), || 10);
        states.begin(2, |_| (), || 20);
        assert_eq!((states.get(1).copied(), states.get(2).copied()), (Some(10), Some(20)));
        assert_eq!(states.get(3), None);
        states.end(1);
        assert_eq!(states.get(1), None);
        states.begin(3, |state| *state += 1, || 0);
        assert_eq!((states.get(3).copied(), states.get(2).copied()), (Some(11), Some(20)));
    }
}
