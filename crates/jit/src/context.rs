//! What code and those who run it share.

use ir::analysis::GANG_LANES;
use lanes::WARP;
use std::mem::offset_of;

/// What [`Context::first_behind`] is before a gang has left.
pub(crate) const NOBODY: u64 = 1;

/// `MXCSR` for each way to round: to nearest even, down, up, toward zero. Nothing traps, and subnormal numbers are kept.
pub const CONTROLS: [u32; 4] = [0x1f80, 0x3f80, 0x5f80, 0x7f80];

/// Warps of a CTA, at most.
pub(crate) const MAX_WARPS: usize = 32;

/// Words of [`Context::given`].
pub(crate) const MAX_GIVEN: usize = 1 << 7;

/// Where machine code finds everything, and leaves what it knows. The words of [`crate::Code::context_words`] follow it in
/// memory: room for what has no register.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Context {
    /// All vector registers, when code was left in between.
    pub vectors: [[u64; 8]; 32],
    /// All general registers, when code was left in between.
    pub generals: [u64; 16],
    /// All mask registers, when code was left in between.
    pub masks: [u64; 8],
    /// Per first warp of a gang that needs nobody to go on with its values, by which exit it has left: at a barrier, or because its
    /// lanes exit.
    pub exits: [u32; MAX_WARPS],
    /// Per lane, how far its access lies from where all are counted from.
    pub offsets: [u32; GANG_LANES],
    /// What lanes store, or have loaded, one by one; and what atomics have found.
    pub elements: [[u64; GANG_LANES]; 2],
    /// What lanes access in place of memory once they have been served.
    pub served: [[u64; 4]; GANG_LANES],
    /// What code is given that is entered with lanes which are apart: see [`crate::Head`].
    pub given: [u64; MAX_GIVEN],
    /// Where code is entered: an address that [`crate::Code::entry`] gives.
    pub entry: u64,
    /// The register file of the CTA.
    pub registers: u64,
    /// The number of the first warp times 128: of the gang that is to run, and of that which has left last or calls.
    pub warp_bytes: u64,
    /// The same of the warp behind the last one that runs.
    pub end_bytes: u64,
    /// The same of the first one that runs: those before have exited, or are not in the group.
    pub begin_bytes: u64,
    /// The accesses that remember a region: pairs of its first address and its end, [`crate::SITE_BYTES`] from one to the next.
    pub sites: u64,
    /// The shared memory of the CTA on the host.
    pub shared: u64,
    /// The local memory of the CTA's first thread on the host.
    pub local: u64,
    /// Bytes of a warp's local memory.
    pub local_step: u64,
    /// The parameters on the host.
    pub params: u64,
    /// What is left of the gang's turn, in jumps backwards.
    pub fuel: i64,
    /// What the exchanges that run cost the turn beyond that: see [`crate::fuel::IN_VAIN`].
    pub in_vain: i64,
    /// What each gang's turn begins with.
    pub turn: i64,
    /// The least that a gang's turn had left.
    pub least: i64,
    /// Instructions of the front end that whole warps have executed.
    pub instructions: u64,
    /// Instructions of the front end that parts of warps have executed.
    pub masked_instructions: u64,
    /// The sum of the lanes of those.
    pub masked_lanes: u64,
    /// Branches at which lanes parted.
    pub divergences: u64,
    /// Performs the instruction at a place: `extern "C" fn(*mut Context, place: u32, lanes: u64) -> u32`, which is 0 if it did.
    pub perform: u64,
    /// Serves an access of these lanes that lies elsewhere than its site, or no site, knows: `extern "C" fn(*mut Context, exit: u32,
    /// lanes: u64, site: u64) -> u32`, which is 0 if it did. Registers are those of the exit, at the place of the access. It leaves what
    /// lanes have loaded in [`Context::served`], and where in [`Context::offsets`].
    pub serve: u64,
    /// Looks a region up for [`Context::site`]: `extern "C" fn(*mut Context) -> u32`, which is not 0 if it found one.
    pub find: u64,
    /// The functions of rows, by [`ir::RowOp::number`]: `extern "C" fn(d: *mut [u32; 32], a: *const [u32; 32], b: *const [u32; 32])`,
    /// where `d` may be one of the others; `b` is any row for those of one.
    pub row_functions: u64,
    /// [`CONTROLS`].
    pub rounding: [u32; 4],
    /// What a call is for: the address that [`Context::find`] looks for, and how many bytes from there on.
    pub address: u64,
    /// See [`Context::address`].
    pub bytes: u64,
    /// The access for which it looks.
    pub site: u64,
    /// `%ctaid`. Code goes on from CTA to CTA, so it says which one runs.
    pub cta: [u32; 4],
    /// The extents of the grid.
    pub grid: [u32; 4],
    /// How many CTAs may still be run behind this one, each at the next index of the grid.
    pub ctas_left: u64,
    /// Whether the warps that run are all threads of their CTA that live, so that they are all that barriers wait for.
    pub whole: u64,
    /// Where the CTA's first gang goes on, behind the barrier at which it has left; 0 if its lanes have exited, 1 if none has left.
    pub first_behind: u64,
    /// Not 0 if other gangs go on elsewhere.
    pub differ: u64,
    /// Where CTAs begin, and with how long a turn.
    pub start: u64,
    /// See [`Context::start`].
    pub first_turn: i64,
    /// If a gang's turn has less left at the end of a CTA, no other CTA is begun.
    pub enough: i64,
    /// For whoever runs the code.
    pub owner: u64,
}

impl Context {
    /// All zero.
    pub fn new() -> Context {
        Context {
            vectors: [[0; 8]; 32],
            generals: [0; 16],
            masks: [0; 8],
            exits: [0; MAX_WARPS],
            offsets: [0; GANG_LANES],
            elements: [[0; GANG_LANES]; 2],
            served: [[0; 4]; GANG_LANES],
            given: [0; MAX_GIVEN],
            entry: 0,
            registers: 0,
            warp_bytes: 0,
            end_bytes: 0,
            begin_bytes: 0,
            sites: 0,
            shared: 0,
            local: 0,
            local_step: 0,
            params: 0,
            fuel: 0,
            in_vain: 0,
            turn: 0,
            least: 0,
            instructions: 0,
            masked_instructions: 0,
            masked_lanes: 0,
            divergences: 0,
            perform: 0,
            serve: 0,
            find: 0,
            row_functions: 0,
            rounding: [0; 4],
            address: 0,
            bytes: 0,
            site: 0,
            cta: [0; 4],
            grid: [0; 4],
            ctas_left: 0,
            whole: 0,
            first_behind: 0,
            differ: 0,
            start: 0,
            first_turn: 0,
            enough: 0,
            owner: 0,
        }
    }
}

impl Context {
    /// The first warp of the gang that runs, or has left last.
    pub fn warp(&self) -> usize {
        self.warp_bytes as usize / (4 * WARP)
    }

    /// Makes these warps, whole gangs, those that run next, from an entry on.
    pub fn begin(&mut self, warps: std::ops::Range<usize>) {
        self.begin_bytes = (4 * WARP * warps.start) as u64;
        self.warp_bytes = self.begin_bytes;
        self.end_bytes = (4 * WARP * warps.end) as u64;
        self.fuel = self.turn;
        self.first_behind = NOBODY;
        self.differ = 0;
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

macro_rules! offsets {
    ($($name:ident = $field:ident;)*) => {
        $(pub(crate) const $name: i32 = offset_of!(Context, $field) as i32;)*
    };
}

offsets! {
    VECTORS = vectors;
    GENERALS = generals;
    MASKS = masks;
    ENTRY = entry;
    REGISTERS = registers;
    WARP_BYTES = warp_bytes;
    END_BYTES = end_bytes;
    BEGIN_BYTES = begin_bytes;
    SITES = sites;
    SHARED = shared;
    LOCAL = local;
    LOCAL_STEP = local_step;
    PARAMS = params;
    FUEL = fuel;
    IN_VAIN = in_vain;
    TURN = turn;
    LEAST = least;
    INSTRUCTIONS = instructions;
    MASKED_INSTRUCTIONS = masked_instructions;
    MASKED_LANES = masked_lanes;
    DIVERGENCES = divergences;
    PERFORM = perform;
    SERVE = serve;
    FIND = find;
    ROW_FUNCTIONS = row_functions;
    ROUNDING = rounding;
    ADDRESS = address;
    BYTES = bytes;
    SITE = site;
    CTA = cta;
    GRID = grid;
    CTAS_LEFT = ctas_left;
    WHOLE = whole;
    FIRST_BEHIND = first_behind;
    DIFFER = differ;
    START = start;
    FIRST_TURN = first_turn;
    ENOUGH = enough;
    EXITS = exits;
    OFFSETS = offsets;
    ELEMENTS = elements;
    SERVED = served;
    GIVEN = given;
}

/// Bytes from one of the context's elements of all lanes to the next.
pub(crate) const ELEMENT_BYTES: usize = size_of::<[u64; GANG_LANES]>();

/// Vectors are loaded and stored as whole lines of the cache.
const _: () =
    assert!(ELEMENTS % 64 == 0 && OFFSETS % 64 == 0 && SERVED % 64 == 0 && SPILLED % 64 == 0);

/// Where room begins for what has no register.
pub(crate) const SPILLED: i32 = size_of::<Context>() as i32;
