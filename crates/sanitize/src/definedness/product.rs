//! Products of matrices: undefined elements of a row of `a`, a column of `b` and of `c` that reach an element of `d`.

use super::collective::Taint;
use super::{Row, Scene};
use crate::shadow::{Origin, transfer};
use ir::{Mma, Src};
use lanes::product::{Factor, Place, Product};
use lanes::{LaneMask, Lanes, WARP};
use vm::{Firing, Part};

/// A register full of elements: their undefined bits, all bits as the run has them, and where the undefined ones come from.
#[derive(Clone, Copy)]
struct Word {
    undefined: u64,
    value: u64,
    origin: Origin,
    /// The lane that holds it, if that does not take part.
    absent: Option<u32>,
}

/// The registers of one matrix.
type Matrix = Vec<Lanes<Word>>;

/// Rows of `a` or columns of `b`, register by register.
type Lines = Vec<Vec<Word>>;

impl Scene<'_, '_> {
    /// The results of the lanes of a part. What other lanes offer stands in the registers of their own instructions.
    pub(super) fn product(&mut self, firing: &Firing<'_>, part: &Part<'_>, mma: &Mma) {
        let product = &mma.product;
        let a = self.matrix(firing, mma, |mma| &mma.a);
        let b = self.matrix(firing, mma, |mma| &mma.b);
        let c = self.matrix(firing, mma, |mma| &mma.c);
        let words = product.words();
        let rows = lines(product.m, words, &a, |row, word| product.place_in_a(row, word));
        let columns = lines(product.n, words, &b, |column, word| product.place_in_b(column, word));
        let (lost, sources) = lost(product, part.lanes, &rows, &columns);
        if !lost.is_empty() && self.pedantic {
            self.report_lost(firing, part, lost, &sources);
        }
        let mut results = vec![[(0, Origin::NONE); WARP]; mma.d.len()];
        for (row, of_a) in rows.iter().enumerate() {
            for (column, of_b) in columns.iter().enumerate() {
                let (lane, nth) = product.place_of_sum(row, column);
                let (register, shift) = product.c.place(nth);
                let c = c[register][lane];
                let c = Word { undefined: c.undefined >> shift, ..c };
                let (bits, mut origin) = element(product, of_a, of_b, c);
                let absent = |word: &Word| word.absent.is_some();
                if lost.contains(lane as u32) && of_a.iter().chain(of_b).any(absent) {
                    let from = (lane as u32, sources[lane]);
                    origin = self.born_of_lost_lane(firing, part, lost, from).computed();
                }
                let (register, shift) = product.d.place(nth);
                let result = &mut results[register][lane];
                if bits != 0 && result.0 == 0 {
                    result.1 = origin;
                }
                result.0 |= bits << shift;
            }
        }
        let stray = self.strays(firing, part);
        for (d, results) in mma.d.iter().zip(&results) {
            let Some(d) = *d else { continue };
            for lane in part.lanes {
                let (bits, origin) = match stray.contains(lane) {
                    true => {
                        let full = transfer::full(self.cta.registers.class(d));
                        (full, self.born_astray(firing, part, lane))
                    }
                    false => results[lane as usize],
                };
                self.cta.registers.set(d, firing.warp, lane, bits, origin);
            }
        }
    }

    /// The registers of a matrix, of each lane those of its own instruction. What lanes would bring that do not take part
    /// is undefined.
    fn matrix(&mut self, firing: &Firing<'_>, mma: &Mma, which: fn(&Mma) -> &[Src]) -> Matrix {
        let (warp, view) = (firing.warp, self.view);
        let absent: Lanes<Word> = std::array::from_fn(|lane| Word {
            undefined: transfer::full(mma.class()),
            value: 0,
            origin: Origin::NONE,
            absent: Some(lane as u32),
        });
        let mut found = vec![absent; which(mma).len()];
        for part in firing.parts {
            let ir::Op::Collective { what: ir::Collective::Mma(theirs), .. } = &part.inst.op else {
                continue;
            };
            for (words, src) in found.iter_mut().zip(which(theirs)) {
                let values = Row::of(view, *src, theirs.class(), warp);
                for lane in part.lanes & firing.participants {
                    let (undefined, value) = (self.bits(*src, warp, lane), values.at(lane));
                    let origin = match super::reg_of(*src).filter(|_| undefined != 0) {
                        Some(reg) => self.origin(reg, warp, lane, part.inst.place),
                        None => Origin::NONE,
                    };
                    words[lane as usize] = Word { undefined, value, origin, absent: None };
                }
            }
        }
        found
    }
}

fn lines(
    count: u32,
    words: usize,
    matrix: &Matrix,
    place: impl Fn(usize, usize) -> Place,
) -> Lines {
    let word = |line, word| {
        let Place { register, lane } = place(line, word);
        matrix[register][lane]
    };
    (0..count as usize).map(|line| (0..words).map(|nth| word(line, nth)).collect()).collect()
}

/// The lanes that need what a lane holds that does not take part, and for each the first such lane.
fn lost(
    product: &Product,
    lanes: LaneMask,
    rows: &Lines,
    columns: &Lines,
) -> (LaneMask, Lanes<u32>) {
    let (mut lost, mut sources) = (LaneMask::EMPTY, [0; WARP]);
    let absent = |line: &Vec<Word>| line.iter().find_map(|word| word.absent);
    let rows: Vec<Option<u32>> = rows.iter().map(absent).collect();
    let columns: Vec<Option<u32>> = columns.iter().map(absent).collect();
    for (row, of_a) in rows.iter().enumerate() {
        for (column, of_b) in columns.iter().enumerate() {
            let (lane, _) = product.place_of_sum(row, column);
            let Some(source) = of_a.or(*of_b).filter(|_| lanes.contains(lane as u32)) else {
                continue;
            };
            if !lost.contains(lane as u32) {
                lost |= LaneMask::single(lane as u32);
                sources[lane] = source;
            }
        }
    }
    (lost, sources)
}

/// The undefined bits of an element of `d`, from a row of `a`, a column of `b` and an element of `c`. They come from what was
/// added last.
fn element(product: &Product, row: &[Word], column: &[Word], c: Word) -> Taint {
    let full = match product.d {
        lanes::product::Sum::F16 => 0xffff,
        lanes::product::Sum::F32 | lanes::product::Sum::S32 => 0xffff_ffff,
        lanes::product::Sum::F64 => u64::MAX,
    };
    let last = row.iter().zip(column).rev().find(|(a, b)| changes(product, a, b));
    if let Some((a, b)) = last {
        let from = if a.undefined != 0 { a } else { b };
        return (full, from.origin.computed());
    }
    let undefined = match product.c {
        lanes::product::Sum::F16 => c.undefined & 0xffff,
        lanes::product::Sum::F32 | lanes::product::Sum::S32 | lanes::product::Sum::F64 => {
            c.undefined
        }
    };
    let carries = product.a.is_integer() || product.a == Factor::B1;
    let bits = match (undefined, carries && !product.satfinite) {
        (0, _) => return (0, Origin::NONE),
        // Carries go left.
        (_, true) => (undefined | undefined.wrapping_neg()) & full,
        (_, false) => full,
    };
    (bits, c.origin.computed())
}

/// Whether undefined bits of two registers can change the sum of the products of their elements.
fn changes(product: &Product, a: &Word, b: &Word) -> bool {
    if a.undefined | b.undefined == 0 {
        return false;
    }
    let zero_decides = product.a.is_integer() || product.a == Factor::B1 && !product.xor;
    (0..product.a.per_register()).any(|nth| {
        let element = |factor: Factor| factor.significant() << (factor.bits() as usize * nth);
        let [of_a, of_b] = [product.a, product.b].map(element);
        let [sa, va] = [a.undefined, a.value].map(|bits| bits & of_a);
        let [sb, vb] = [b.undefined, b.value].map(|bits| bits & of_b);
        match zero_decides {
            // Nothing times zero is zero.
            true => sa != 0 && sb | vb != 0 || sb != 0 && sa | va != 0,
            false => sa | sb != 0,
        }
    })
}
