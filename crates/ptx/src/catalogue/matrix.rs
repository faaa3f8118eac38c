//! Matrices across a warp: loads and stores of fragments, and multiplication with accumulation.

use super::{Entry, Form};

mod byte_tiles;
mod fragment;
mod multiply;
mod product;
mod quad_pairs;
mod scaled;
mod shape;
mod sparse;
mod tiles;
mod warp_matrix;
mod wmma;

pub(super) use fragment::{Quad, WARP, aligned, begin, lane};
pub(super) use multiply::SUMS;
pub(super) use product::{Operands, described, in_parts, values, write};
pub(super) use sparse::with_zeros;

/// Architectures with matrix loads and stores of bytes.
const BYTES: &[u32] = &[100, 101, 103, 107, 110, 120, 121];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "ldmatrix",
        section: "9.7.14.5.15 ldmatrix",
        forms: &[
            Form::new("ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 d{num}:b32, [a]; .num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }", (6, 5), 75, tiles::load),
            Form::new("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 d{2num}:b32, [a]; .num = { .x1, .x2 }; .ss = { .shared, .shared::cta }", (8, 6), 100, byte_tiles::load_transposed).family(BYTES),
            Form::new("ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.format> d{num}:b32, [a]; .num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }; .format = { .b6x16_p32, .b4x16_p64 }", (8, 6), 100, byte_tiles::load_rows).family(BYTES),
            Form::new("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8x16.format> d{2num}:b32, [a]; .num = { .x1, .x2 }; .ss = { .shared, .shared::cta }; .format = { .b6x16_p32, .b4x16_p64 }", (8, 6), 100, byte_tiles::load_transposed).family(BYTES),
        ],
    },
    Entry {
        name: "stmatrix",
        section: "9.7.14.5.16 stmatrix",
        forms: &[
            Form::new("stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], b{num}:b32; .num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }", (7, 8), 90, tiles::store),
            Form::new("stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [a], b{num}:b32; .num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }", (8, 6), 100, byte_tiles::store_transposed).family(BYTES),
        ],
    },
    Entry { name: "mma", section: "9.7.14.5 mma", forms: multiply::FORMS },
    Entry { name: "wmma", section: "9.7.14.4 wmma", forms: wmma::FORMS },
];
