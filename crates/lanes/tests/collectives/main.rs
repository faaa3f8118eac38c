//! The collectives against a second, independent evaluation of their definitions.

mod elect;
mod lane_mask;
mod matching;
mod movmatrix;
mod product;
mod pseudo;
mod pseudo_language;
mod redux_f32;
mod redux_integer;
mod samples;
mod shfl;
mod shfl_undefined;
mod vote;
