//! How much memory of the host allocations take. One test, so that nothing else of the process allocates meanwhile.
#![cfg(all(target_os = "linux", not(miri)))]

use warpwise_vm::Memory;

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux says it");
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("a number of pages") * 4096
}

#[test]
fn no_more_is_resident_than_what_lives_and_a_little() {
    let memory = Memory::new().expect("address space");
    let mut state = 9_u64;
    let mut number = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let bytes = vec![1; 1 << 18];
    let before = resident();
    let (mut live, mut held, mut written): (Vec<(u64, u64)>, u64, u64) = (Vec::new(), 0, 0);
    for step in 0..40_000 {
        // Many small ones and few large ones, in phases.
        let largest = if step / 10_000 % 2 == 0 { 10 } else { 18 };
        let bits = 2 + number(largest - 1);
        let count = 1 + number(1 << bits);
        let address = memory.allocate(count).expect("room");
        memory.write(address, &bytes[..count as usize]).expect("inside");
        (held, written) = (held + count, written + count);
        live.push((address, count));
        while live.len() > 300 {
            let (address, count) = live.swap_remove(number(live.len() as u64) as usize);
            memory.free(address).expect("allocated");
            held -= count;
        }
        if step % 1000 == 999 {
            // Pages of which parts live, what is given back together, quarantine, and the books.
            let most = held + 300 * 2 * 4096 + (16 << 20) + (256 << 16) + (8 << 20);
            let now = resident().saturating_sub(before);
            assert!(now <= most, "{now} bytes are resident, {held} live");
        }
    }
    assert!(written > 200 << 20, "much more was written than may stay: {written}");
}
