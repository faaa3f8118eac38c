//! Number literals (PTX ISA 9.1, constants).

use super::ast::Constant;

/// Why a literal is refused, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLiteral {
    pub(super) problem: String,
    pub(super) help: &'static str,
}

fn bad(problem: impl Into<String>, help: &'static str) -> BadLiteral {
    BadLiteral { problem: problem.into(), help }
}

/// The value of a literal as the lexer cuts it out.
///
/// Hexadecimal integers keep their low 64 bits, as NVIDIA's assembler does; all others must fit.
pub(super) fn parse(text: &str) -> Result<Constant, BadLiteral> {
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => float_bits(&text[2..], 8).map(|bits| Constant::F32(bits as u32)),
        [b'0', b'd' | b'D', ..] => float_bits(&text[2..], 16).map(Constant::F64),
        [b'0', b'x' | b'X', ..] => integer(&text[2..], 16),
        [b'0', b'b' | b'B', ..] => integer(&text[2..], 2),
        _ if is_decimal_float(text) => decimal_float(text),
        [b'0', b'0'..=b'9', ..] => integer(&text[1..], 8),
        _ => integer(text, 10),
    }
}

/// The unsigned 32-bit value of a plain integer, as directives take it.
pub(super) fn parse_u32(text: &str) -> Option<u32> {
    parse(text).ok()?.integer()?.try_into().ok()
}

fn is_decimal_float(text: &str) -> bool {
    let mantissa = text.trim_start_matches(|char: char| char.is_ascii_digit());
    mantissa.starts_with(['.', 'e', 'E'])
}

fn decimal_float(text: &str) -> Result<Constant, BadLiteral> {
    let Ok(value) = text.parse::<f64>() else {
        let help = "write digits, at most one dot, and an exponent such as `e-3`; it has no suffix";
        return Err(bad("this is not a floating-point literal", help));
    };
    if value.is_infinite() {
        let help = "write an infinity as `0d7FF0000000000000` or `0f7F800000`";
        return Err(bad("this number is too large for a 64-bit float", help));
    }
    Ok(Constant::F64(value.to_bits()))
}

fn float_bits(digits: &str, count: usize) -> Result<u64, BadLiteral> {
    let help = match count {
        8 => "write the 32 bits as 8 hexadecimal digits: 1.0 is `0f3F800000`",
        _ => "write the 64 bits as 16 hexadecimal digits: 1.0 is `0d3FF0000000000000`",
    };
    if let Some(other) = digits.chars().find(|char| !char.is_ascii_hexdigit()) {
        return Err(bad(format!("`{other}` is not a hexadecimal digit"), help));
    }
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if digits.len() == count => Ok(bits),
        _ => Err(bad(
            format!("{count} hexadecimal digits belong here, found {}", digits.len()),
            help,
        )),
    }
}

fn integer(text: &str, radix: u32) -> Result<Constant, BadLiteral> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    let (kind, help) = match radix {
        2 => ("binary", "binary literals use the digits 0 and 1, then `U` if unsigned: `0b101U`"),
        8 => ("octal", "a leading 0 makes a number octal: use the digits 0 to 7, or drop the 0"),
        16 => ("hexadecimal", "write digits 0-9 and a-f, then `U` if unsigned: `0x1FU`"),
        _ => ("decimal", "write decimal digits, then `U` if unsigned: `31U`"),
    };
    if digits.is_empty() {
        return Err(bad(format!("this {kind} literal has no digits"), help));
    }
    let mut bits: u64 = 0;
    for char in digits.chars() {
        let Some(digit) = char.to_digit(radix) else {
            let problem = match char {
                'u' => "the suffix of an unsigned literal is a capital `U`".to_owned(),
                _ => format!("`{char}` is no {kind} digit"),
            };
            return Err(bad(problem, help));
        };
        let next = bits
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)));
        bits = match next {
            Some(value) => value,
            None if radix == 16 => bits << 4 | u64::from(digit),
            None => {
                let help = "integers have 64 bits; the largest is 18446744073709551615";
                return Err(bad("this number does not fit in 64 bits", help));
            }
        };
    }
    let unsigned = digits.len() < text.len() || bits > i64::MAX as u64;
    Ok(Constant::Int { bits, unsigned })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(bits: u64, unsigned: bool) -> Option<Constant> {
        Some(Constant::Int { bits, unsigned })
    }

    /// Values and refusals as the manual's literal grammar and NVIDIA's assembler have them.
    #[test]
    fn literal_forms() {
        let table = [
            ("0", int(0, false)),
            ("0U", int(0, true)),
            ("31", int(31, false)),
            ("31U", int(31, true)),
            ("037", int(31, false)),
            ("017U", int(15, true)),
            ("0b11111", int(31, false)),
            ("0B11", int(3, false)),
            ("0x1f", int(31, false)),
            ("0X1FU", int(31, true)),
            ("9223372036854775807", int(i64::MAX as u64, false)),
            ("9223372036854775808", int(1 << 63, true)),
            ("0xffffffffffffffff", int(u64::MAX, true)),
            ("18446744073709551615", int(u64::MAX, true)),
            ("0x10000000000000003", int(3, false)),
            ("01777777777777777777777", int(u64::MAX, true)),
            ("0f3F800000", Some(Constant::F32(0x3f80_0000))),
            ("0F3f800000", Some(Constant::F32(0x3f80_0000))),
            ("0f7fffffff", Some(Constant::F32(0x7fff_ffff))),
            ("0d3FF0000000000000", Some(Constant::F64(0x3ff0_0000_0000_0000))),
            ("0D3ff0000000000000", Some(Constant::F64(0x3ff0_0000_0000_0000))),
            ("1.0", Some(Constant::F64(0x3ff0_0000_0000_0000))),
            ("1.", Some(Constant::F64(0x3ff0_0000_0000_0000))),
            (".5", Some(Constant::F64(0x3fe0_0000_0000_0000))),
            ("1e0", Some(Constant::F64(0x3ff0_0000_0000_0000))),
            ("5.0e-1", Some(Constant::F64(0x3fe0_0000_0000_0000))),
            ("08.5", Some(Constant::F64(0x4021_0000_0000_0000))),
            ("18446744073709551616", None),
            ("02000000000000000000000", None),
            ("0x", None),
            ("0b", None),
            ("0xU", None),
            ("08", None),
            ("0b2", None),
            ("0x1fu", None),
            ("31u", None),
            ("31L", None),
            ("12abc", None),
            ("0f3F8", None),
            ("0f3F8000001", None),
            ("0f3F80000G", None),
            ("0f", None),
            ("0d3F800000", None),
            ("1.5U", None),
            ("1.5f", None),
            ("1e", None),
            ("1e400", None),
            ("0x1p3", None),
        ];
        for (text, value) in table {
            assert_eq!(parse(text).ok(), value, "{text}");
        }
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        let problem = |text| parse(text).unwrap_err().problem;
        assert_eq!(problem("0f3F8"), "8 hexadecimal digits belong here, found 3");
        assert_eq!(problem("0x1fu"), "the suffix of an unsigned literal is a capital `U`");
        assert_eq!(problem("089"), "`8` is no octal digit");
    }
}
