//! Products of matrices as text: shape, types and registers as one operand.

use super::cursor::{Cursor, ParseError};
use super::operand::{List, Read, read_word};
use super::words::Word;
use crate::{Mma, Reg, Src};
use lanes::Product;
use lanes::product::{Adder, Factor, Layout, Sum};
use numeric::Round;
use std::fmt;

impl fmt::Display for Mma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Product { m, n, k, a, b, c, d, layout, satfinite, xor, adder, round } = self.product;
        write!(f, "{} m{m} n{n} k{k}", layout.word())?;
        write!(f, " {} {} {} {} {}", d.word(), a.word(), b.word(), c.word(), round.word())?;
        for (is_set, flag) in [(satfinite, SATFINITE), (xor, XOR)] {
            if is_set {
                write!(f, " {flag}")?;
            }
        }
        write!(f, " {} qualifiers {}", adder.word(), self.qualifiers)?;
        let results = self.d.iter().map(|d| d.map_or("_".to_owned(), |d| d.to_string()));
        write!(f, " d ({})", results.collect::<Vec<_>>().join(", "))?;
        for (name, sources) in [("a", &self.a), ("b", &self.b), ("c", &self.c)] {
            let sources = sources.iter().map(Src::to_string);
            write!(f, " {name} ({})", sources.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

const SATFINITE: &str = "satfinite";
const XOR: &str = "xor";

impl Read for Box<Mma> {
    const WHAT: &str = "a product of matrices (`mma m16 n8 k16 f32 …`)";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.peek();
        let layout: Layout = read_word(cursor)?;
        let [m, n, k] = ["m", "n", "k"].map(|name| cursor.numbered(name, Self::WHAT));
        let (m, n, k) = (m?, n?, k?);
        let d: Sum = read_word(cursor)?;
        let (a, b): (Factor, Factor) = (read_word(cursor)?, read_word(cursor)?);
        let (c, round): (Sum, Round) = (read_word(cursor)?, read_word(cursor)?);
        let (satfinite, xor) = (cursor.eat(SATFINITE), cursor.eat(XOR));
        let adder: Adder = read_word(cursor)?;
        cursor.expect("qualifiers")?;
        let qualifiers = cursor.word32("a number")?;
        let product = Product { m, n, k, a, b, c, d, layout, satfinite, xor, adder, round };
        if !product.is_valid() {
            return Err(start.unexpected(0, "a product of a shape and types that go together"));
        }
        let d = list(cursor, "d", |cursor| {
            Ok(if cursor.eat("_") { None } else { Some(Reg::read(cursor)?) })
        })?;
        let [a, b, c] = ["a", "b", "c"].map(|name| list(cursor, name, Src::read));
        Ok(Box::new(Mma { product, qualifiers, a: a?, b: b?, c: c?, d }))
    }
}

/// `name (item, item)`.
fn list<T>(
    cursor: &mut Cursor<'_>,
    name: &str,
    mut item: impl FnMut(&mut Cursor<'_>) -> Result<T, ParseError>,
) -> Result<Box<[T]>, ParseError> {
    cursor.expect(name)?;
    cursor.expect("(")?;
    let mut items = Vec::new();
    while !cursor.eat(")") {
        if !items.is_empty() {
            cursor.expect(",")?;
        }
        items.push(item(cursor)?);
    }
    Ok(items.into())
}
