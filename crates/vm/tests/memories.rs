//! Many devices in one process: a hundred terabytes of addresses.

use ir::Space;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise_vm::Memory;
use warpwise_vm::memory::{BASE, lead};

#[test]
fn each_reaches_memory_of_the_host() {
    let host: Vec<Box<AtomicU32>> = (0..4).map(|nth| Box::new(AtomicU32::new(nth))).collect();
    let mut memories = Vec::new();
    for nth in 0..100 {
        let memory = Memory::new().expect("the host reserves a range");
        for (value, word) in host.iter().enumerate() {
            // SAFETY: an atomic, which outlives the memory.
            let mapped = unsafe { memory.map_host(NonNull::from(&**word).cast(), 4) };
            let address = mapped.unwrap_or_else(|why| panic!("device {nth}: {why}"));
            let mut held = [0; 4];
            memory.read(address, &mut held).expect("it is mapped");
            assert_eq!(u32::from_le_bytes(held), value as u32);
        }
        // Shared, local and parameter memory have addresses that no other memory has.
        let own = memory.allocate(4).expect("there is room");
        assert_eq!(lead(own), (Space::Global, own));
        memories.push(memory);
    }
    assert!(memories.iter().any(|memory| memory.base() != BASE));
    assert_eq!(host[1].load(Ordering::Relaxed), 1);
}
