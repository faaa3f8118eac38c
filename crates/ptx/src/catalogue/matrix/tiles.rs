//! What `ldmatrix` and `stmatrix` do.
//!
//! Lane `8 i + r` holds the address of row `r` of matrix `i`, 16 bytes. Lane `l` loads or stores two elements of each
//! matrix: of row `l / 4`, or of that column if the matrix is transposed. So it asks the lane that knows the row for its address.

use super::fragment::{Quad, aligned, begin, further, shuffle};
use super::product::write;
use crate::catalogue::memory::space;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use ir::{Access, Address, BinaryOp, Class, MatrixWork, Op, Ordering, Space, Src};

/// Bytes of an element, and of what a lane has of a row.
const ELEMENT: u64 = 2;
const PAIR: u64 = 4;
/// Bytes of a row, to which its address is aligned.
const ROW: u64 = 16;

pub(super) fn load(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Load);
    let operand = lo.operand(inst, "d")?;
    let elements = lo.elements(operand);
    let tiles = Tiles::of(lo, inst, MatrixWork::Load, elements.len())?;
    let mut found = Vec::with_capacity(elements.len());
    for nth in 0..elements.len() {
        found.push(if inst.has("trans") {
            let low = tiles.load(lo, nth, Part::Column(0), Access::U16);
            let high = tiles.load(lo, nth, Part::Column(1), Access::U16);
            lo.b.binary(BinaryOp::Pack32, low, high).into()
        } else {
            tiles.load(lo, nth, Part::Row, Access::B32)
        });
    }
    write(lo, inst, &found)
}

pub(super) fn store(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    begin(lo, inst, MatrixWork::Store);
    let operand = lo.operand(inst, "b")?;
    let elements = lo.elements(operand);
    let tiles = Tiles::of(lo, inst, MatrixWork::Store, elements.len())?;
    for (nth, element) in elements.iter().enumerate() {
        let value = lo.value_of(element, ScalarType::B32)?;
        if inst.has("trans") {
            let high = lo.b.binary(BinaryOp::ShrU32, value, Src::Imm(16)).into();
            for (part, value) in [(0, value), (1, high)] {
                tiles.store(lo, nth, Part::Column(part), Access::U16, value);
            }
        } else {
            tiles.store(lo, nth, Part::Row, Access::B32, value);
        }
    }
    Ok(())
}

/// What a lane has of a matrix.
#[derive(Clone, Copy)]
enum Part {
    /// Two neighbours of a row.
    Row,
    /// The upper (0) or lower (1) of two neighbours of a column.
    Column(u64),
}

/// The operands that loads and stores share.
pub(super) struct Tiles {
    pub(super) quad: Quad,
    base: Src,
    offset: i64,
    pub(super) space: Space,
}

impl Tiles {
    /// Of so many times eight rows.
    pub(super) fn of(
        lo: &mut Lowering,
        inst: &Inst<'_>,
        work: MatrixWork,
        matrices: usize,
    ) -> Result<Tiles> {
        let (address, named) = lo.address(inst, "a")?;
        let space = space(lo, inst.space(), named);
        // Rows are read and written whole.
        aligned(lo, work, (address, space), ROW, 8 * matrices);
        Ok(Tiles { quad: Quad::new(lo), base: address.base, offset: address.offset, space })
    }

    /// The address of the part that the lane has of matrix `nth`.
    fn address(&self, lo: &mut Lowering, nth: usize, part: Part) -> Address {
        let first = Src::Imm(8 * nth as u64);
        let (row, bytes, at) = match part {
            Part::Row => (self.quad.group, PAIR, self.quad.within),
            Part::Column(second) => {
                let twice = lo.b.binary(BinaryOp::Shl32, self.quad.within, Src::Imm(1));
                let row = lo.b.binary(BinaryOp::AddI32, twice, Src::Imm(second));
                (row.into(), ELEMENT, self.quad.group)
            }
        };
        let from = lo.b.binary(BinaryOp::AddI32, row, first);
        let inside = lo.b.binary(BinaryOp::MulLo32, at, Src::Imm(bytes));
        let row = self.row(lo, from.into());
        self.inside(lo, row, inside.into())
    }

    /// Where the row begins whose address that lane has.
    pub(super) fn row(&self, lo: &mut Lowering, from: Src) -> Src {
        shuffle(lo, self.base, from)
    }

    /// The address so many bytes behind the beginning of a row.
    pub(super) fn inside(&self, lo: &mut Lowering, row: Src, bytes: Src) -> Address {
        Address { base: further(lo, row, bytes), offset: self.offset }
    }

    fn load(&self, lo: &mut Lowering, nth: usize, part: Part, access: Access) -> Src {
        let address = self.address(lo, nth, part);
        let (d, space) = (lo.b.reg(Class::W32), self.space);
        lo.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering: Ordering::Weak });
        d.into()
    }

    fn store(&self, lo: &mut Lowering, nth: usize, part: Part, access: Access, value: Src) {
        let address = self.address(lo, nth, part);
        let (values, space) = (vec![value], self.space);
        lo.b.push(Op::Store { values, space, access, address, ordering: Ordering::Weak });
    }
}
