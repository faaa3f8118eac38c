//! What is done where most code does not come.

use crate::exit::Index;
use iced_x86::Register;

/// What is counted: elements of so many bytes, and how.
pub(super) type Counted = (u32, Index);

/// A window that has to be found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub(super) key: Register,
    pub(super) sites: Register,
    /// From the table of sites to the site.
    pub(super) disp: i64,
    /// Which of the code's functions finds it.
    pub(super) function: usize,
    pub(super) behind: usize,
}

/// An access whose lanes lie elsewhere than its site knows.
#[derive(Clone, Debug)]
pub(super) struct Served {
    pub(super) site: Option<u32>,
    /// By which the code is left if nobody can serve it.
    pub(super) exit: u32,
    pub(super) base: Register,
    pub(super) offsets: Vec<Register>,
    /// The lanes that execute; all if there is none.
    pub(super) lanes: Option<Register>,
    pub(super) behind: usize,
}

/// What is done where most code does not come.
#[derive(Clone, Debug)]
pub(super) enum Later {
    Apart(Apart),
    /// Words are loaded that are one for each vector, or lie anywhere.
    Load(Runs),
    /// The same where they lie anywhere.
    LoadEach(Runs),
    /// Words are stored that lie anywhere.
    StoreEach(Runs),
    /// Warps are counted of which there are lanes in the second set.
    Divergences {
        sets: [Register; 2],
        behind: usize,
    },
}

/// Words whose lanes lie apart, of a dense store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    pub(super) base: Register,
    pub(super) offsets: Register,
    pub(super) words: Register,
    pub(super) mask: Register,
    pub(super) behind: usize,
}

/// Vectors of words that may be runs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub(super) base: Register,
    pub(super) offsets: Vec<Register>,
    /// What is stored, or where it is loaded to: then those are the registers of the offsets.
    pub(super) words: Vec<Register>,
    pub(super) rooms: [Register; 2],
    pub(super) behind: usize,
}

impl Runs {
    /// Of offsets and as many words. Where the code goes on is not known yet.
    pub(super) fn new(base: Register, both: &[Register], rooms: [Register; 2]) -> Runs {
        let (offsets, words) = both.split_at(both.len() / 2);
        Runs { base, offsets: offsets.to_vec(), words: words.to_vec(), rooms, behind: 0 }
    }
}
