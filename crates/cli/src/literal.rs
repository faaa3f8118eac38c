//! Numbers as users write them.

use half::{bf16, f16};
use warpwise::{ElementType, Kind, Scalar};

/// A value of a type.
///
/// # Errors
/// The text is no number of the type, in words for the user.
pub(crate) fn parse(ty: ElementType, text: &str) -> Result<Scalar, String> {
    match ty.kind() {
        Kind::Unsigned | Kind::Signed | Kind::Bits => integer(ty, text),
        Kind::Float | Kind::Brain => float(ty, text),
    }
}

fn integer(ty: ElementType, text: &str) -> Result<Scalar, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2).map(|_| digits.split_at(2)) {
        Some(("0x" | "0X", rest)) => (16, rest),
        Some(("0o" | "0O", rest)) => (8, rest),
        Some(("0b" | "0B", rest)) => (2, rest),
        Some(_) | None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(format!("`{text}` is not an integer"));
    }
    let bits = 8 * ty.bytes() as u32;
    let (low, high) = match ty.kind() {
        Kind::Signed => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        Kind::Unsigned | Kind::Bits | Kind::Float | Kind::Brain => (0, (1_i128 << bits) - 1),
    };
    let magnitude = i128::from_str_radix(digits, radix).ok();
    let value = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    match value.filter(|value| (low..=high).contains(value)) {
        Some(value) => Ok(Scalar::new(ty, value as u64)),
        None => Err(format!("`{text}` is not in the range of {ty}, {low} to {high}")),
    }
}

fn float(ty: ElementType, text: &str) -> Result<Scalar, String> {
    if let Some(bits) = ptx_bits(ty, text) {
        return bits;
    }
    let wrong = || format!("`{text}` is not a number");
    if text.starts_with("0x") || text.starts_with("0X") {
        let bits = format!("b{}:{text}", 8 * ty.bytes());
        return Err(format!("`{text}` is not a decimal number; write {bits} to give the bits"));
    }
    let wide = || text.parse::<f64>().map_err(|_| wrong());
    Ok(match (ty.kind(), ty.bytes()) {
        (Kind::Brain, _) => bf16::from_f64(wide()?).into(),
        (_, 2) => f16::from_f64(wide()?).into(),
        (_, 4) => text.parse::<f32>().map_err(|_| wrong())?.into(),
        _ => wide()?.into(),
    })
}

/// The bits of a float as PTX writes them: `0f` and eight digits, `0d` and sixteen.
fn ptx_bits(ty: ElementType, text: &str) -> Option<Result<Scalar, String>> {
    let (digits, count) = match text.get(..2)? {
        "0f" | "0F" => (&text[2..], 8),
        "0d" | "0D" => (&text[2..], 16),
        _ => return None,
    };
    let bits = u64::from_str_radix(digits, 16).ok();
    let bits = bits.filter(|_| digits.len() == count && !digits.starts_with('+'));
    Some(match bits {
        None => Err(format!("`{text}` needs {count} hexadecimal digits")),
        Some(_) if 2 * ty.bytes() != count => Err(format!("`{text}` is not a value of {ty}")),
        Some(bits) => Ok(Scalar::new(ty, bits)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(ty: ElementType, text: &str) -> Option<u64> {
        parse(ty, text).ok().map(Scalar::bits)
    }

    #[test]
    fn integers_in_four_radixes_and_their_ranges() {
        use ElementType as T;
        assert_eq!(bits(T::S8, "-128"), Some(0x80));
        assert_eq!(bits(T::S8, "128"), None);
        assert_eq!(bits(T::U8, "255"), Some(255));
        assert_eq!(bits(T::U8, "-1"), None);
        assert_eq!(bits(T::S64, "-9223372036854775808"), Some(1 << 63));
        assert_eq!(bits(T::U64, "18446744073709551615"), Some(u64::MAX));
        assert_eq!(bits(T::U64, "18446744073709551616"), None);
        assert_eq!(bits(T::B32, "0xDEADbeef"), Some(0xdead_beef));
        assert_eq!(bits(T::B16, "0b101"), Some(5));
        assert_eq!(bits(T::U32, "0o17"), Some(15));
        for wrong in [
            "",
            "-",
            "0x",
            "1.0",
            "--1",
            "0x-1",
            "é",
            "99999999999999999999999999999999999999999999",
        ] {
            assert_eq!(bits(T::U32, wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn floats_in_decimal_words_and_bits() {
        use ElementType as T;
        assert_eq!(bits(T::F32, "-0.0"), Some(0x8000_0000));
        assert_eq!(bits(T::F32, "1e-45"), Some(1));
        assert_eq!(bits(T::F32, "inf"), Some(0x7f80_0000));
        assert_eq!(bits(T::F64, "-inf"), Some(0xfff0 << 48));
        assert_eq!(bits(T::F32, "0f7fffffff"), Some(0x7fff_ffff));
        assert_eq!(bits(T::F64, "0dFFF8000000000001"), Some(0xfff8_0000_0000_0001));
        assert_eq!(bits(T::F16, "65504"), Some(0x7bff));
        assert_eq!(bits(T::Bf16, "1"), Some(0x3f80));
        assert!(parse(T::F32, "nan").is_ok_and(|nan| nan.float().is_some_and(f64::is_nan)));
        for wrong in ["", "0x3f800000", "0f3f80000", "0d3ff0000000000000", "0f+f800000", "1,5"] {
            assert_eq!(bits(T::F32, wrong), None, "{wrong:?}");
        }
    }
}
