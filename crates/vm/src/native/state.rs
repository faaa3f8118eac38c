//! What a frame keeps for machine code.

use crate::plan::Pc;
use jit::Found;
use std::fmt;
use std::mem::size_of;

/// A cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// The context of code, with the words behind it, and where it was left.
pub(crate) struct State {
    memory: Vec<Line>,
    /// Where code was left last that cannot go on there, if it could be entered there with the same lanes: the interpreter is next.
    pub(super) left_at: Option<Pc>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("left_at", &self.left_at).finish_non_exhaustive()
    }
}

impl State {
    pub(super) fn new(code: &jit::Code) -> State {
        let bytes = size_of::<jit::Context>() + 8 * code.context_words();
        State { memory: vec![Line([0; 8]); bytes.div_ceil(64)], left_at: None }
    }

    /// The context: all zero at first.
    pub(super) fn context(&mut self) -> *mut jit::Context {
        self.memory.as_mut_ptr().cast()
    }

    /// The same to be read.
    pub(super) fn known(&self) -> &jit::Context {
        // SAFETY: the memory begins with a context, which is nothing but numbers.
        unsafe { &*self.memory.as_ptr().cast() }
    }

    /// A word of 64 bits of what code has left somewhere.
    pub(super) fn word_of(&self, found: &Found, nth: usize) -> u64 {
        let context = self.known();
        match *found {
            Found::General(number) => context.generals[usize::from(number) % 16],
            Found::Vector(number) => context.vectors[usize::from(number) % 32][nth % 8],
            Found::Mask(number) => context.masks[usize::from(number) % 8],
            Found::Spilled(at) => self.word(at as usize + nth),
        }
    }

    /// A word behind the context.
    fn word(&self, nth: usize) -> u64 {
        let at = size_of::<jit::Context>() / 8 + nth;
        self.memory.get(at / 8).map_or(0, |line| line.0[at % 8])
    }
}
