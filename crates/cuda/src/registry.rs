//! Handles: numbers that lead to objects, so that what is wild, freed or null is found out.

use crate::abi::{Answer, CUresult};
use std::sync::{Arc, PoisonError, RwLock};

/// What the upper byte of every handle is, so that none is an address of the process.
const MARK: u64 = 0x57;
/// Bits of the index, and of the number that tells who had it before.
const INDEX: u32 = 28;
const GENERATION: u32 = 20;

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Registry<T> {
    kind: u8,
    slots: RwLock<Slots<T>>,
}

#[derive(Debug)]
struct Slots<T> {
    all: Vec<Slot<T>>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u64,
    object: Option<Arc<T>>,
}

impl<T> Registry<T> {
    /// A registry without objects. `kind` is another one for each.
    pub(crate) const fn new(kind: u8) -> Registry<T> {
        Registry { kind, slots: RwLock::new(Slots { all: Vec::new(), free: Vec::new() }) }
    }

    fn handle_of(&self, generation: u64, index: usize) -> u64 {
        MARK << 56 | u64::from(self.kind) << 48 | generation << INDEX | index as u64
    }

    /// The index of a handle of this kind, and who has it.
    fn read(&self, handle: u64) -> Option<(usize, u64)> {
        let ours = MARK << 8 | u64::from(self.kind);
        let index = handle & ((1 << INDEX) - 1);
        let generation = handle >> INDEX & ((1 << GENERATION) - 1);
        (handle >> 48 == ours).then_some((index as usize, generation))
    }

    /// Takes an object in and gives it a handle.
    pub(crate) fn insert(&self, object: Arc<T>) -> u64 {
        self.insert_with(|_| object)
    }

    /// Takes an object in that knows its handle.
    pub(crate) fn insert_with(&self, make: impl FnOnce(u64) -> Arc<T>) -> u64 {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let index = slots.free.pop().unwrap_or(slots.all.len());
        if index == slots.all.len() {
            slots.all.push(Slot { generation: 1, object: None });
        }
        let handle = self.handle_of(slots.all[index].generation, index);
        slots.all[index].object = Some(make(handle));
        handle
    }

    /// The object of a handle.
    ///
    /// # Errors
    /// There is none: `CUDA_ERROR_INVALID_HANDLE`.
    pub(crate) fn get(&self, handle: u64) -> Answer<Arc<T>> {
        self.find(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// The object of a handle, if there is one.
    pub(crate) fn find(&self, handle: u64) -> Option<Arc<T>> {
        let (index, generation) = self.read(handle)?;
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.all.get(index).filter(|slot| slot.generation == generation)?;
        slot.object.clone()
    }

    /// The handle of the object that is meant.
    pub(crate) fn handle(&self, is: impl Fn(&T) -> bool) -> Option<u64> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let meant = |slot: &Slot<T>| slot.object.as_ref().is_some_and(|object| is(object));
        let index = slots.all.iter().position(meant)?;
        Some(self.handle_of(slots.all[index].generation, index))
    }

    /// All objects.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        slots.all.iter().filter_map(|slot| slot.object.clone()).collect()
    }

    /// Takes an object out. Its handle leads nowhere from now on.
    pub(crate) fn remove(&self, handle: u64) -> Answer<Arc<T>> {
        let wrong = CUresult::INVALID_HANDLE;
        let (index, generation) = self.read(handle).ok_or(wrong)?;
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.all.get_mut(index).filter(|slot| slot.generation == generation);
        let slot = slot.ok_or(wrong)?;
        let object = slot.object.take().ok_or(wrong)?;
        slot.generation = (slot.generation + 1) & ((1 << GENERATION) - 1);
        slots.free.push(index);
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_leads_to_its_object_alone() {
        let (one, other) = (Registry::new(1), Registry::<u32>::new(2));
        let first = one.insert(Arc::new(7));
        assert_eq!(one.find(first).as_deref(), Some(&7));
        assert_eq!(other.find(first), None);
        for wild in [0, 1, first + 1, first - 1, first ^ (1 << 40), u64::MAX, 0xdead_beef] {
            assert_eq!(one.find(wild), None, "{wild:#x}");
        }
        assert_eq!(one.remove(first).as_deref(), Ok(&7));
        assert!(one.remove(first).is_err());
        let second = one.insert(Arc::new(8));
        assert_ne!(first, second);
        assert_eq!((one.find(first), one.find(second).as_deref()), (None, Some(&8)));
    }
}
