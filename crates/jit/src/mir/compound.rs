//! What takes several machine instructions, and is one for everybody who looks at them until they are encoded: what is computed on the way
//! is nobody else's.

use crate::exit::Index;
use iced_x86::Mnemonic;

/// Several instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compound {
    /// Sees to it that the window of a site is that of the first operand, an address from which numbers count elements of so many
    /// bytes. The second is the table of sites.
    Window { site: u32, bytes: u32, index: Index },
    /// The region of a site, for elements of so many bytes: the first operand becomes its beginning, the second the last offset at which
    /// an element begins (of 31 bits; negative where none does), and the third what is subtracted from an address to get its offset,
    /// so many bytes further on. The fourth is the table of sites.
    Region { site: u32, bytes: u32, offset: i32 },
    /// The first operand becomes the bits that any of several offsets has, the second those that the distance of any to the last one
    /// has. Both begin with what follows, unless they are new; then come the last one, and the offsets, in lanes of 64 bits or of 32.
    Bounds { wide: bool, new: bool },
    /// A condition of not equal says that such bits tell of an offset that is too large, or of one that is no multiple: the first
    /// operand has bits of the second constant, or the second of the first. A temporary follows.
    Outside { constants: [u32; 2] },
    /// Stores vectors one after the other: so far into rows of registers.
    StoreRow { scale: u32, disp: i32 },
    /// The first operand becomes the words at offsets, the third, from a base, the second, and so many bytes further; those of a mask,
    /// the fourth, if there is one, and zero in other lanes.
    Gather { disp: i32 },
    /// Stores words, the third operand, at offsets, the second, from a base, the first: those of a mask, the fourth, if there is one
    /// (AVX-512). In ascending order of lanes.
    Scatter,
    /// The same of a mask whose lanes may lie one after the other, such as elements that a kernel keeps of many. Three temporaries
    /// follow; `places` is the constant of lane numbers times the bytes of a word.
    ScatterDense { places: u32 },
    /// Loads words at offsets, vectors behind the first operand, which is the base. The results take their places. Two temporaries
    /// follow. Where each vector's words lie one after the other, or are one, they are loaded as such; `places` is as above.
    LoadRuns { places: u32 },
    /// Stores words, in ascending order of lanes: the base, vectors of offsets, as many of words, and two temporaries (AVX-512).
    StoreRuns { places: u32 },
    /// Stores addresses of 64 bits that a vector of numbers counts, the first operand, from one that the second has in all lanes if
    /// there is one: so far into rows of registers.
    Addresses { index: Index, scale: u32, disp: i32 },
    /// Loads a row of words for each lane of a vector, so many bytes from one to the next: those of its sixteen that are used, a bit each. The
    /// operands are what columns become, and one more, in the order that [`Func::load_rows`] knows, and where the first row is.
    ///
    /// [`Func::load_rows`]: super::Func::load_rows
    LoadRows { step: i32, used: u16 },
    /// Stores such rows: where the first is, the columns that are used, and, in their order and then one more, what each and those that are
    /// not used become, which is nothing.
    StoreRows { step: i32, used: u16 },
    /// A condition of not equal says that, of vectors of offsets, some lane is not as far from its vector's first one as this
    /// constant says, or elsewhere, if there is none. Two temporaries follow.
    Steps { places: Option<u32> },
    /// Finds, for each lane of a warp, the lanes that hold the same word. The vectors of the warp are there, and the first of the context's
    /// elements have their words; the second get a bit for each lane found. A temporary of general registers and one of vectors follow.
    MatchAny { warp: u8 },
    /// Counts so many instructions of the front end, which the lanes of the first operand have executed, for each warp of which there
    /// are some. A temporary follows.
    CountLanes { count: u32 },
    /// Counts the warps of which there are lanes in both operands.
    CountDivergences,
}

impl Compound {
    /// What it leaves in the flags, if it changes them.
    pub(super) fn flags(self) -> Option<Mnemonic> {
        match self {
            Compound::Steps { .. } | Compound::Outside { .. } => Some(Mnemonic::Vptest),
            Compound::Window { .. }
            | Compound::Region { .. }
            | Compound::ScatterDense { .. }
            | Compound::LoadRuns { .. }
            | Compound::StoreRuns { .. }
            | Compound::MatchAny { .. }
            | Compound::CountLanes { .. }
            | Compound::CountDivergences => Some(Mnemonic::INVALID),
            Compound::Bounds { .. }
            | Compound::StoreRow { .. }
            | Compound::Gather { .. }
            | Compound::Scatter
            | Compound::LoadRows { .. }
            | Compound::StoreRows { .. }
            | Compound::Addresses { .. } => None,
        }
    }
}
