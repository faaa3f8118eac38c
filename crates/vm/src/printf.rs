//! What `printf` writes: the conversions of the C standard that device code has (CUDA C++ Programming Guide,
//! "Formatted Output").

/// Longest field, and most digits behind the point: what is asked for beyond is cut.
const MAX_FIELD: usize = 4096;

/// Where the values of a format come from. Errors are addresses that cannot be read.
pub(crate) trait Values {
    /// The next value, of 4 or 8 bytes.
    fn next(&mut self, bytes: u32) -> Result<u64, u64>;

    /// The C string at an address.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, u64>;
}

/// One conversion: `%`, flags, width, precision, length, letter.
#[derive(Clone, Copy, Debug, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer.
    bytes: u32,
}

/// Appends the text of a format to `out` and returns how many values it took.
///
/// # Errors
/// The address of a value or string that cannot be read.
pub(crate) fn format(
    format: &[u8],
    values: &mut impl Values,
    out: &mut Vec<u8>,
) -> Result<u32, u64> {
    let mut taken = 0;
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..percent]);
        let after = &rest[percent + 1..];
        let (conversion, length) = parse(after, values)?;
        let Some(letter) = after.get(length) else {
            // A format that ends inside a conversion is printed as it is.
            out.extend_from_slice(&rest[percent..]);
            return Ok(taken);
        };
        match *letter {
            b'%' => out.push(b'%'),
            letter => match conversion.text(letter, values)? {
                Some(text) => {
                    out.extend_from_slice(&text);
                    taken += 1;
                }
                None => out.extend_from_slice(&rest[percent..percent + length + 2]),
            },
        }
        rest = &after[length + 1..];
    }
    out.extend_from_slice(rest);
    Ok(taken)
}

/// Reads flags, width, precision and length; also returns how many bytes they are.
fn parse(text: &[u8], values: &mut impl Values) -> Result<(Conversion, usize), u64> {
    let mut found = Conversion { bytes: 4, ..Conversion::default() };
    let mut at = 0;
    while let Some(flag) = text.get(at) {
        match flag {
            b'-' => found.left = true,
            b'+' => found.plus = true,
            b' ' => found.space = true,
            b'#' => found.alternate = true,
            b'0' => found.zero = true,
            _ => break,
        }
        at += 1;
    }
    let width = number(text, &mut at, values)?;
    found.left |= width < 0;
    found.width = (width.unsigned_abs() as usize).min(MAX_FIELD);
    if text.get(at) == Some(&b'.') {
        at += 1;
        let precision = number(text, &mut at, values)?;
        found.precision = usize::try_from(precision).ok().map(|digits| digits.min(MAX_FIELD));
    }
    while let Some(length) = text.get(at) {
        found.bytes = match length {
            b'h' => found.bytes / 2,
            b'l' | b'j' | b'z' | b't' | b'L' => 8,
            _ => break,
        };
        at += 1;
    }
    Ok((found, at))
}

/// A number in the format, or the next value where `*` stands; 0 where neither does.
fn number(text: &[u8], at: &mut usize, values: &mut impl Values) -> Result<i32, u64> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Ok((values.next(4)? as u32).cast_signed());
    }
    let mut value = 0i32;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
        *at += 1;
    }
    Ok(value)
}

impl Conversion {
    /// The text of the next value; `None` for letters that convert nothing.
    fn text(&self, letter: u8, values: &mut impl Values) -> Result<Option<Vec<u8>>, u64> {
        Ok(Some(match letter {
            b'd' | b'i' => {
                let value = self.integer(values)?;
                let shift = 64 - 8 * self.bytes.max(1);
                let value = (value << shift).cast_signed() >> shift;
                self.whole(self.sign(value < 0), &value.unsigned_abs().to_string())
            }
            b'u' => self.whole("", &self.integer(values)?.to_string()),
            b'o' => {
                let digits = format!("{:o}", self.integer(values)?);
                let lead = if self.alternate && !digits.starts_with('0') { "0" } else { "" };
                self.whole("", &format!("{lead}{digits}"))
            }
            b'x' | b'X' => {
                let value = self.integer(values)?;
                let prefix = match (self.alternate && value != 0, letter) {
                    (false, _) => "",
                    (true, b'x') => "0x",
                    (true, _) => "0X",
                };
                let digits = format!("{value:x}");
                let digits = if letter == b'x' { digits } else { digits.to_uppercase() };
                self.whole(prefix, &digits)
            }
            b'p' => match values.next(8)? {
                0 => self.pad(b"(nil)".to_vec()),
                address => self.pad(format!("{address:#x}").into_bytes()),
            },
            b'c' => self.pad(vec![values.next(4)? as u8]),
            b's' => {
                let mut text = match values.next(8)? {
                    0 => b"(null)".to_vec(),
                    address => values.text(address)?,
                };
                text.truncate(self.precision.unwrap_or(usize::MAX));
                self.pad(text)
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(values.next(8)?);
                let lower = self.float(letter.to_ascii_lowercase(), value);
                if letter.is_ascii_uppercase() { lower.to_ascii_uppercase() } else { lower }
            }
            _ => return Ok(None),
        }))
    }

    /// The next integer, without a sign.
    fn integer(&self, values: &mut impl Values) -> Result<u64, u64> {
        let value = values.next(self.bytes.max(4))?;
        let bits = 8 * self.bytes.max(1);
        Ok(value & (u64::MAX >> (64 - bits)))
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// An integer: as many digits as the precision asks for, none for a zero that needs none.
    fn whole(&self, prefix: &str, digits: &str) -> Vec<u8> {
        match self.precision {
            Some(0) if digits == "0" => self.pad(prefix.into()),
            Some(least) => self.pad(format!("{prefix}{digits:0>least$}").into_bytes()),
            None => self.pad_zeros(prefix, digits),
        }
    }

    /// Fills the field with spaces.
    fn pad(&self, mut text: Vec<u8>) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let at = if self.left { text.len() } else { 0 };
        text.splice(at..at, std::iter::repeat_n(b' ', missing));
        text
    }

    /// Fills the field with zeros behind the prefix, if the flags say so.
    fn pad_zeros(&self, prefix: &str, digits: &str) -> Vec<u8> {
        if self.zero && !self.left {
            let missing = self.width.saturating_sub(prefix.len() + digits.len());
            return format!("{prefix}{}{digits}", "0".repeat(missing)).into_bytes();
        }
        self.pad(format!("{prefix}{digits}").into_bytes())
    }

    fn float(&self, letter: u8, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let value = value.abs();
        if value.is_nan() || value.is_infinite() {
            let word = if value.is_nan() { "nan" } else { "inf" };
            return self.pad(format!("{sign}{word}").into_bytes());
        }
        match letter {
            b'f' => self.pad_zeros(sign, &self.fixed(value, self.precision.unwrap_or(6))),
            b'e' => self.pad_zeros(sign, &self.scientific(value, self.precision.unwrap_or(6))),
            b'g' => self.pad_zeros(sign, &self.shortest(value)),
            _ => self.pad_zeros(&format!("{sign}0x"), &self.hexadecimal(value)),
        }
    }

    /// `ddd.ddd`
    fn fixed(&self, value: f64, digits: usize) -> String {
        let point = if self.alternate && digits == 0 { "." } else { "" };
        format!("{value:.digits$}{point}")
    }

    /// `d.ddde±dd`
    fn scientific(&self, value: f64, digits: usize) -> String {
        let (mantissa, exponent) = scientific(value, digits);
        let point = if self.alternate && digits == 0 { "." } else { "" };
        format!("{mantissa}{point}{}", exponent_text(exponent))
    }

    /// The shorter of both, without zeros at the end.
    fn shortest(&self, value: f64) -> String {
        let digits = self.precision.unwrap_or(6).max(1);
        let (mantissa, exponent) = scientific(value, digits - 1);
        let trim = |text: String| match self.alternate || !text.contains('.') {
            true => text,
            false => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        };
        if exponent < -4 || exponent >= digits as i32 {
            return trim(mantissa) + &exponent_text(exponent);
        }
        trim(self.fixed(value, (digits as i32 - 1 - exponent) as usize))
    }

    /// `h.hhhp±d`
    fn hexadecimal(&self, value: f64) -> String {
        const FRACTION_BITS: u32 = 52;
        let bits = value.to_bits();
        let biased = (bits >> FRACTION_BITS) as i32;
        let mut significand = bits & ((1 << FRACTION_BITS) - 1);
        let exponent = match (biased, significand) {
            (0, 0) => 0,
            (0, _) => -1022,
            _ => {
                significand |= 1 << FRACTION_BITS;
                biased - 1023
            }
        };
        if let Some(digits) = self.precision.filter(|digits| *digits < 13) {
            let dropped = FRACTION_BITS - 4 * digits as u32;
            let (half, kept) = (1u64 << (dropped - 1), significand >> dropped);
            let rest = significand & ((1 << dropped) - 1);
            let up = rest > half || (rest == half && kept & 1 == 1);
            significand = (kept + u64::from(up)) << dropped;
        }
        let whole = significand >> FRACTION_BITS;
        let fraction = format!("{:013x}", significand & ((1 << FRACTION_BITS) - 1));
        let fraction = match self.precision {
            None => fraction.trim_end_matches('0').to_owned(),
            Some(digits) if digits <= fraction.len() => fraction[..digits].to_owned(),
            Some(digits) => format!("{fraction:0<digits$}"),
        };
        let point = if fraction.is_empty() && !self.alternate { "" } else { "." };
        format!("{whole:x}{point}{fraction}p{exponent:+}")
    }
}

/// `d.ddd` with so many digits behind the point, and the exponent of ten.
fn scientific(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

/// An exponent of ten has two digits or more.
fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values one after another; strings are the bytes of their address.
    struct List(Vec<u64>);

    impl Values for List {
        fn next(&mut self, _bytes: u32) -> Result<u64, u64> {
            if self.0.is_empty() { Err(0) } else { Ok(self.0.remove(0)) }
        }

        fn text(&mut self, address: u64) -> Result<Vec<u8>, u64> {
            Ok(address.to_string().into_bytes())
        }
    }

    fn printed(text: &str, values: &[u64]) -> String {
        let mut out = Vec::new();
        format(text.as_bytes(), &mut List(values.to_vec()), &mut out).expect("there are values");
        String::from_utf8(out).expect("it is text")
    }

    /// What glibc 2.36 prints: `cargo xtask record printf`.
    #[test]
    fn it_prints_what_c_prints() {
        let table = include_str!("../tests/printf.tsv");
        let mut rows = 0;
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let [text, value, wanted] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("three columns: {line}");
            };
            let value = u64::from_str_radix(value, 16).expect("hexadecimal");
            assert_eq!(printed(text, &[value]), wanted, "{text} of {value:#x}");
            rows += 1;
        }
        assert!(rows > 1000);
    }

    #[test]
    fn what_is_no_conversion_is_text() {
        assert_eq!(printed("100%", &[]), "100%");
        assert_eq!(printed("%y %d%%", &[3]), "%y 3%");
        assert_eq!(printed("%*d|%-*d|%.*f", &[5, 7, 4, 8, 1, 2.25f64.to_bits()]), "    7|8   |2.2");
        assert_eq!(printed("%.3s|%6s|%-6s|%s", &[12345, 42, 42, 0]), "123|    42|42    |(null)");
        assert_eq!(printed("%c%3c", &[65, 66]), "A  B");
        assert_eq!(printed("%p %p", &[0, 4096]), "(nil) 0x1000");
        assert_eq!(printed("%99999999d", &[1]).len(), MAX_FIELD);
    }
}
