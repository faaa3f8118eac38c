//! Machine code in memory.

use crate::emit::{Emitted, emit};
use crate::exit::Exit;
use crate::input::Input;
use crate::lower::{Lowered, lower};
use ir::analysis::Shape;
use ir::{Interrupt, Reg};
use memmap2::{Mmap, MmapMut};

/// Machine code of a kernel, ready to run where its level is available.
#[derive(Debug)]
pub struct Code {
    memory: Mmap,
    start: usize,
    /// By place: where it is entered, and what home rows must be then.
    entries: Vec<Entry>,
    exits: Vec<Exit>,
    sites: Vec<bool>,
    words: usize,
    bytes: usize,
    performed: usize,
    pending: Vec<(u32, Vec<Reg>)>,
}

#[derive(Debug)]
struct Entry {
    place: u32,
    offset: usize,
    expected: Vec<(Reg, Shape)>,
}

/// Makes machine code of a kernel. `None` if it was interrupted; the error is a sentence that says why there is none.
pub fn compile(input: &Input<'_>, interrupt: &Interrupt<'_>) -> Option<Result<Code, String>> {
    let lowered = match lower(input, interrupt)? {
        Ok(lowered) => lowered,
        Err(why) => return Some(Err(why)),
    };
    let emitted = match emit(&lowered.func, &lowered.entries, input) {
        Ok(emitted) => emitted,
        Err(why) => return Some(Err(why)),
    };
    if interrupt.heard() {
        return None;
    }
    Some(Code::new(emitted, lowered))
}

impl Code {
    fn new(emitted: Emitted, lowered: Lowered) -> Result<Code, String> {
        let Lowered { expected, sites, performed, pending, .. } = lowered;
        let memory = || -> std::io::Result<Mmap> {
            let mut memory = MmapMut::map_anon(emitted.bytes.len())?;
            memory.copy_from_slice(&emitted.bytes);
            // From here on it can be executed, and not be written any more.
            memory.make_exec()
        };
        let memory =
            memory().map_err(|error| format!("the host gives no memory for code: {error}"))?;
        let mut entries: Vec<Entry> = emitted
            .entries
            .iter()
            .zip(expected)
            .map(|((place, offset), (_, expected))| Entry {
                place: *place,
                offset: *offset,
                expected,
            })
            .collect();
        entries.sort_by_key(|entry| entry.place);
        let bytes = emitted.bytes.len();
        let Emitted { start, exits, words, .. } = emitted;
        Ok(Code { memory, start, entries, exits, sites, words, bytes, performed, pending })
    }

    /// Where code begins: `unsafe extern "C" fn(*mut Context) -> u32`, whose result is the number of an exit.
    #[inline]
    pub fn start(&self) -> *const u8 {
        self.memory[self.start..].as_ptr()
    }

    /// The address at which a place is entered, for [`Context::entry`](crate::Context::entry), if it can be, and what the home rows
    /// of registers must be like then.
    #[inline]
    pub fn entry(&self, place: u32) -> Option<(u64, &[(Reg, Shape)])> {
        let nth = self.entries.binary_search_by_key(&place, |entry| entry.place).ok()?;
        let Entry { offset, expected, .. } = &self.entries[nth];
        Some((self.memory[*offset..].as_ptr() as u64, expected))
    }

    /// An exit.
    #[inline]
    pub fn exit(&self, number: u32) -> &Exit {
        &self.exits[number as usize]
    }

    /// The accesses that remember a region: for each, whether it writes.
    pub fn sites(&self) -> &[bool] {
        &self.sites
    }

    /// Of the lanes that are noted in [`Context::pending`](crate::Context::pending), the places where they stand, and the registers
    /// that they need.
    pub fn pending(&self) -> &[(u32, Vec<Reg>)] {
        &self.pending
    }

    /// Words of 64 bits that must follow the context in memory.
    pub fn context_words(&self) -> usize {
        self.words
    }

    /// Instructions that the code always leaves to whoever runs it.
    pub fn performed(&self) -> usize {
        self.performed
    }

    /// Bytes of code and constants.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The instructions and constants as they stand in memory.
    pub fn contents(&self) -> &[u8] {
        &self.memory
    }
}
