//! Kernels as text, and back: for tests, for reports, and to see what an instruction lowers to.
//!
//! ```text
//! kernel "k" independent                      ; or `lockstep`
//! params 24, gaps 4..8                        ; each of these lines may be left out
//! shared 192, gaps 4..16, system 184..192
//! local 64
//! stack                                       ; threads have one
//! frame 3..17, variables 0..4 8..16           ; the places of a call, and where its variables stand
//! threads required 32 1 1                     ; and `threads maximum`
//! registers v0-v3 w32, v4 w64, v5 pred
//! block0:
//!     v4 = load.param.b64 [0x0] at 7          ; `at`: the place, 0 if left out
//!     v0 = special.tid.x
//!     v5 = LtU32 v0, 0x10
//!     @!v5 v1 = shfl.bfly v0, 0x1, 0x1f, members 0xffff0000
//!     branch v5, block1, block1
//! block1:
//!     store.global.b32 [v4+8], v1
//!     exit
//! ```
//!
//! An instruction reads `guard results = name.modifiers operands place`. Names that begin with a capital are rows of
//! [`table`](crate::table), with their rounding mode; the others stand in `forms.rs`, which is the one place that says in which order
//! the fields of an operation are written and read. `_` stands for a result that is dropped or an operand that is
//! missing; at the end of a list it is left out. A comment begins with `;`.

mod copy;
mod cursor;
mod forms;
mod matrix;
mod modifier;
mod operand;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod words;

pub use cursor::ParseError;
pub use parse::parse;
