//! Tests against independent oracles: `rustc_apfloat`, the manual's pseudo-code, 128-bit
//! integers, and values computed with mpmath.

use warpwise_numeric as numeric;

mod approx;
mod bits;
mod compare;
mod convert;
mod double;
mod half;
mod int;
mod oracle;
mod samples;
mod single;
mod tiny;
