//! Machine code in memory.

use crate::emit::{Emitted, emit};
use crate::exit::Exit;
use crate::head::Head;
use crate::input::Input;
use crate::lower::{Lowered, lower};
use ir::analysis::Shape;
use ir::{Interrupt, Reg};
use memmap2::{Mmap, MmapMut};
use serde::{Deserialize, Serialize};

/// Machine code of a kernel, ready to run where its level is available.
#[derive(Debug)]
pub struct Code {
    memory: Mmap,
    known: Known,
}

/// What is known of code beside its bytes. All of it, bytes included, is the same wherever it lies in memory.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    start: usize,
    /// By place: where it is entered, and what home rows must be then.
    entries: Vec<Entry>,
    /// By place: where it is entered with lanes that are apart, and at which offset.
    heads: Vec<(Head, usize)>,
    /// What home rows of the prologue must be.
    prologue: Vec<(Reg, Shape)>,
    exits: Vec<Exit>,
    sites: Vec<bool>,
    words: usize,
    performed: usize,
    waiting: Vec<(u32, Vec<Reg>)>,
    gang: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    place: u32,
    offset: usize,
    expected: Vec<(Reg, Shape)>,
}

/// Makes machine code of a kernel. `None` if it was interrupted; the error is a sentence that says why there is none.
pub fn compile(input: &Input<'_>, interrupt: &Interrupt<'_>) -> Option<Result<Code, String>> {
    let mut lowered = match lower(input, interrupt)? {
        Ok(lowered) => lowered,
        Err(why) => return Some(Err(why)),
    };
    let emitted = match emit(&mut lowered, input) {
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
        let Lowered { expected, prologue, heads, sites, performed, waiting, gang, .. } = lowered;
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
        let heads = heads.into_iter().map(|(_, head)| head);
        let mut heads: Vec<(Head, usize)> = heads.zip(emitted.heads).collect();
        heads.sort_by_key(|(head, _)| head.place);
        let Emitted { bytes, start, exits, words, .. } = emitted;
        let known = Known {
            start,
            entries,
            heads,
            prologue,
            exits,
            sites,
            words,
            performed,
            waiting,
            gang,
        };
        Code::of(&bytes, known)
    }

    fn of(bytes: &[u8], known: Known) -> Result<Code, String> {
        let memory = || -> std::io::Result<Mmap> {
            let mut memory = MmapMut::map_anon(bytes.len())?;
            memory.copy_from_slice(bytes);
            // From here on it can be executed, and not be written any more.
            memory.make_exec()
        };
        let memory =
            memory().map_err(|error| format!("the host gives no memory for code: {error}"))?;
        Ok(Code { memory, known })
    }

    /// The code as bytes that another process can run, of which [`Code::from_bytes`] makes the same code. Nothing in them depends
    /// on where anything lies in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.known, self.contents())).unwrap_or_default()
    }

    /// Code of the bytes that [`Code::to_bytes`] has made, by this version and for the same input ([`Input::key`]): whoever runs it
    /// relies on that. `None` if they are something else, as far as that shows, or the host gives no memory for code.
    pub fn from_bytes(bytes: &[u8]) -> Option<Code> {
        let (known, contents) = postcard::from_bytes::<(Known, Vec<u8>)>(bytes).ok()?;
        let entries = known.entries.iter().map(|entry| entry.offset);
        let heads = known.heads.iter().map(|(_, offset)| *offset);
        let offsets = entries.chain(heads).chain([known.start]);
        let inside = offsets.into_iter().all(|offset| offset < contents.len())
            && matches!(known.gang, 1 | 2);
        if inside { Code::of(&contents, known).ok() } else { None }
    }

    /// Where code begins: `unsafe extern "C" fn(*mut Context) -> u32`, whose result is the number of an exit.
    #[inline]
    pub fn start(&self) -> *const u8 {
        self.memory[self.known.start..].as_ptr()
    }

    /// The address at which a place is entered, for [`Context::entry`](crate::Context::entry), if it can be, and what the home rows
    /// of registers must be like then.
    #[inline]
    pub fn entry(&self, place: u32) -> Option<(u64, &[(Reg, Shape)])> {
        let nth = self.known.entries.binary_search_by_key(&place, |entry| entry.place).ok()?;
        let Entry { offset, expected, .. } = &self.known.entries[nth];
        Some((self.memory[*offset..].as_ptr() as u64, expected))
    }

    /// What the home rows of registers must be like that the prologue computes, wherever code is entered.
    #[inline]
    pub fn prologue(&self) -> &[(Reg, Shape)] {
        &self.known.prologue
    }

    /// The loop whose head is at a place, if code can be entered there with lanes that are apart, and the address where it is.
    #[inline]
    pub fn head(&self, place: u32) -> Option<(u64, &Head)> {
        let nth = self.known.heads.binary_search_by_key(&place, |(head, _)| head.place).ok()?;
        let (head, offset) = &self.known.heads[nth];
        Some((self.memory[*offset..].as_ptr() as u64, head))
    }

    /// Whether there are any.
    #[inline]
    pub fn has_heads(&self) -> bool {
        !self.known.heads.is_empty()
    }

    /// An exit.
    #[inline]
    pub fn exit(&self, number: u32) -> &Exit {
        &self.known.exits[number as usize]
    }

    /// The accesses that remember a region: for each, whether it writes.
    pub fn sites(&self) -> &[bool] {
        &self.known.sites
    }

    /// The places where lanes may wait that are apart from those that leave ([`crate::Apart::waiting`]), and the registers that they
    /// need.
    pub fn waiting(&self) -> &[(u32, Vec<Reg>)] {
        &self.known.waiting
    }

    /// Warps of a gang: so many run at once, and begin with one whose number is a multiple of this.
    #[inline]
    pub fn gang(&self) -> usize {
        self.known.gang
    }

    /// Words of 64 bits that must follow the context in memory.
    pub fn context_words(&self) -> usize {
        self.known.words
    }

    /// Instructions that the code always leaves to whoever runs it.
    pub fn performed(&self) -> usize {
        self.known.performed
    }

    /// Bytes of code and constants.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// The instructions and constants as they stand in memory.
    pub fn contents(&self) -> &[u8] {
        &self.memory
    }
}
