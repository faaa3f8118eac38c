//! State that begins anew with each CTA, and that most CTAs leave as it began.

use std::ops::{Deref, DerefMut};

/// A value, and whether it is still as it began. Nobody can change it unnoticed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anew<T> {
    value: T,
    is_changed: bool,
}

impl<T> Anew<T> {
    pub(crate) fn new(value: T) -> Anew<T> {
        Anew { value, is_changed: false }
    }

    /// Lets it begin anew, if it has been changed.
    pub(crate) fn restart(&mut self, restart: impl FnOnce(&mut T)) {
        if std::mem::take(&mut self.is_changed) {
            restart(&mut self.value);
        }
    }
}

impl<T> Deref for Anew<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Anew<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.is_changed = true;
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_changed_need_not_begin_anew() {
        let mut list = Anew::new(vec![1]);
        list.restart(|_| panic!("nobody changed it"));
        assert_eq!(list.len(), 1);
        list.push(2);
        list.restart(Vec::clear);
        assert!(list.is_empty());
        list.restart(|_| panic!("nobody changed it since"));
    }
}
