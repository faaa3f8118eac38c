//! Results beside the arrays that they should be.

use crate::buffers::{self, Refusal};
use crate::npy::Array;
use std::path::Path;
use warpwise::diag::{Class, Diagnostic, Severity};
use warpwise::{Comparison, Difference, ElementType, Kind, Tolerance};

/// An array in the memory of the host; little-endian, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) array: Array,
    pub(crate) bytes: Vec<u8>,
}

/// The type and shape of a file's array.
pub(crate) fn header(path: &Path) -> Result<Array, Refusal> {
    buffers::open(path).map(|(array, ..)| array).map_err(Refusal::File)
}

/// A file's array.
pub(crate) fn load(path: &Path) -> Result<Loaded, Refusal> {
    let (array, contents, mut file) = buffers::open(path).map_err(Refusal::File)?;
    if array.bytes > buffers::host_budget() {
        let message = format!("{}: {} bytes are too many", path.display(), array.bytes);
        return Err(Refusal::Limit(message));
    }
    let mut bytes = Vec::new();
    let put = |_: u64, piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    let read = contents.read(&mut file, &array, put);
    read.map_err(|why| Refusal::File(buffers::unreadable(path, &why)))?;
    Ok(Loaded { array, bytes })
}

/// The type in which two arrays are compared.
///
/// # Errors
/// Their types or shapes differ; both are named.
pub(crate) fn comparable(got: &Array, expected: &Array) -> Result<ElementType, String> {
    let (have, want) = (got.element, expected.element);
    // Numpy has no name for bits, nor for bfloat16: `--out` writes them as unsigned integers.
    let unnamed = |ty: ElementType| matches!(ty.kind(), Kind::Bits | Kind::Brain);
    let unsigned = |ty: ElementType| matches!(ty.kind(), Kind::Unsigned | Kind::Bits);
    let ty = match have.bytes() == want.bytes() {
        true if have == want => have,
        true if unnamed(have) && unsigned(want) => have,
        true if have.kind() == Kind::Bits => want,
        true if want.kind() == Kind::Bits => have,
        _ => {
            return Err(format!("it holds {have}, and what is expected is {want}"));
        }
    };
    let count = |array: &Array| array.bytes / array.element.bytes() as u64;
    let shaped = |array: &Array| array.shape.len() > 1;
    let differ = shaped(got) && shaped(expected) && got.shape != expected.shape;
    match count(got) == count(expected) && !differ {
        true => Ok(ty),
        false => Err(format!(
            "its shape is {}, and what is expected has {}",
            tuple(&got.shape),
            tuple(&expected.shape)
        )),
    }
}

/// Extents as numpy writes them.
fn tuple(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        all => format!("({})", all.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Where an element stands in an array.
pub(crate) fn position(mut index: u64, array: &Array) -> Vec<u64> {
    // A complex number is two elements.
    let count: u64 = array.shape.iter().product();
    let parts = (array.bytes / array.element.bytes() as u64).checked_div(count).unwrap_or(1);
    index /= parts.max(1);
    let mut position: Vec<u64> = Vec::new();
    for extent in array.shape.iter().rev() {
        position.push(index % extent.max(&1));
        index /= extent.max(&1);
    }
    position.reverse();
    position
}

/// What is told of a result that is not as expected. `whose` has those elements, and `like` says what was expected.
pub(crate) fn unlike(
    whose: &str,
    like: &str,
    found: &Comparison,
    shape: &Array,
    tolerance: Tolerance,
) -> Diagnostic {
    let Comparison { elements, differing, first, .. } = found;
    let verb = if *differing == 1 { "is" } else { "are" };
    let message = format!("{differing} of {elements} elements of {whose} {verb} not as in {like}");
    let mut lines: Vec<String> = first.iter().map(|one| line(one, shape)).collect();
    match differing - first.len() as u64 {
        0 => {}
        more => lines.push(format!("... and {more} more")),
    }
    let rule = match (tolerance, found.max_ulps) {
        (Tolerance::Close { rtol, atol }, _) => {
            format!("allowed is {atol:?} + {rtol:?} * |expected|")
        }
        (Tolerance::Exact, None) => "compared bit for bit".to_owned(),
        (Tolerance::Exact, Some(ulps)) => format!(
            "compared bit for bit; the largest difference is {ulps} ulp: a tolerance (rtol, atol) allows for rounding"
        ),
    };
    Diagnostic::new(Severity::Error, Class::Mismatch, message).note(lines.join("\n")).note(rule)
}

fn line(difference: &Difference, shape: &Array) -> String {
    let at: Vec<String> = position(difference.index, shape).iter().map(u64::to_string).collect();
    let Difference { got, expected, .. } = difference;
    let (mut is, mut should) = (got.to_string(), expected.to_string());
    if is == should {
        // NaNs that differ in their payload.
        is += &format!(" (0x{:x})", got.bits());
        should += &format!(" (0x{:x})", expected.bits());
    }
    let ulps = difference.ulps().map_or(String::new(), |ulps| format!(" ({ulps} ulp)"));
    format!("[{}] is {is}, expected {should}{ulps}", at.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as T;

    fn array(ty: T, shape: &[u64]) -> Array {
        let flat = Array::flat(ty, shape.iter().product()).expect("it is small");
        Array { shape: shape.to_vec(), ..flat }
    }

    #[test]
    fn types_and_shapes_that_can_be_compared() {
        let of = |got: (T, &[u64]), expected: (T, &[u64])| {
            comparable(&array(got.0, got.1), &array(expected.0, expected.1))
        };
        assert_eq!(of((T::F32, &[6]), (T::F32, &[6])), Ok(T::F32));
        assert_eq!(of((T::F32, &[6]), (T::F32, &[2, 3])), Ok(T::F32));
        assert_eq!(of((T::Bf16, &[6]), (T::U16, &[6])), Ok(T::Bf16));
        assert_eq!(of((T::B32, &[6]), (T::U32, &[6])), Ok(T::B32));
        assert_eq!(of((T::B32, &[6]), (T::F32, &[6])), Ok(T::F32));
        assert!(of((T::S32, &[6]), (T::U32, &[6])).is_err());
        assert!(of((T::F32, &[6]), (T::F64, &[6])).is_err());
        assert!(of((T::F32, &[6]), (T::F32, &[7])).is_err());
        assert!(of((T::F32, &[3, 2]), (T::F32, &[2, 3])).is_err());
    }

    #[test]
    fn elements_are_called_by_their_place() {
        assert_eq!(position(7, &array(T::U8, &[10])), [7]);
        assert_eq!(position(7, &array(T::U8, &[2, 5])), [1, 2]);
        assert_eq!(position(23, &array(T::U8, &[2, 3, 4])), [1, 2, 3]);
    }
}
