//! Types of fields: how a number is spelled, and which numbers are values at all.

use crate::ast::{NumberValue, SourceId};
use crate::bits::{fits, low_mask};
use diag::Span;

/// A type that fields have.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its name in the description.
    pub name: String,
    /// Number of bits of its fields; `None` when every field says it for itself.
    pub width: Option<u32>,
    /// What its values are.
    pub kind: TypeKind,
    /// Where it is declared.
    pub span: Span,
    /// Where the declaration comes from.
    pub source: SourceId,
}

/// What the values of a type are.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// Named values; a number without a name is a hole.
    Enumeration(Enumeration),
    /// Registers of one register file.
    Register(RegisterFile),
    /// Numbers.
    Immediate(Immediate),
}

/// Named values.
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    /// Whether values may be used without being declared (`__DefOpenType`).
    pub open: bool,
    /// The values as far as they are declared.
    pub values: Vec<EnumValue>,
}

/// One named value.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The declaration in whose opcodes it holds; `None`: everywhere.
    pub owner: Option<String>,
    /// The name.
    pub name: String,
    /// The number; `None` when an open type leaves it open.
    pub number: Option<u128>,
    /// What assembly text shows: the name unless the description says otherwise. May be empty.
    pub spelling: String,
    /// Where it is declared.
    pub span: Span,
    /// Where the number comes from.
    pub source: SourceId,
}

/// Registers of one file.
#[derive(Clone, Debug, Default)]
pub struct RegisterFile {
    /// What stands before the register number: `R` of `R5`.
    pub prefix: String,
    /// What prose calls the file; `None` when the description does not say.
    pub file: Option<String>,
    /// The bit width of operands that are written as a pair, `R[2:3]`.
    pub pair: Option<u32>,
    /// Registers with a name of their own, such as the one that reads as zero.
    pub named: Vec<NamedRegister>,
}

/// A register with a name of its own.
#[derive(Clone, Debug)]
pub struct NamedRegister {
    /// The name.
    pub name: String,
    /// The number; all ones of whatever field holds it, or a plain number.
    pub(crate) number: NumberValue,
}

/// Numbers.
#[derive(Clone, Debug)]
pub struct Immediate {
    /// Two's complement rather than unsigned.
    pub signed: bool,
    /// The base that the disassembler prints: 10 or 16.
    pub radix: u32,
    /// The text shows the field's number times this.
    pub scale: u128,
    /// The text shows an address: the number plus the address of the word plus this.
    pub relative: Option<u128>,
    /// How the text shows an address that has a label.
    pub label: Option<LabelForm>,
}

/// How labels are named and written: `` `(.L_x_0) `` shows the label `.L_x_0` between marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelForm {
    /// Marks before the name.
    pub before: String,
    /// The name without its number.
    pub stem: String,
    /// Marks after the number.
    pub after: String,
    /// The address is one to which the machine adds a register: it is a label only in files that are yet to be
    /// linked, and takes a number each time it is named, even if it has a label.
    pub indirect: bool,
}

impl LabelForm {
    /// Reads the label of number 0; `None` when the text holds no such label.
    pub(crate) fn new(text: &str, indirect: bool) -> Option<Self> {
        let start = text.find(is_label_char)?;
        let length = text[start..].find(|c| !is_label_char(c)).unwrap_or(text.len() - start);
        let stem = text[start..start + length].strip_suffix('0')?;
        let after = &text[start + length..];
        let named = !stem.is_empty() && !stem.ends_with(|c: char| c.is_ascii_digit());
        let marks = |text: &str| !text.contains(|c: char| c == ';' || c == '/' || c.is_control());
        let whole = !after.contains(is_label_char) && marks(after) && marks(&text[..start]);
        (named && whole && !stem.starts_with(|c: char| c.is_ascii_digit())).then(|| LabelForm {
            before: text[..start].to_owned(),
            stem: stem.to_owned(),
            after: after.to_owned(),
            indirect,
        })
    }

    /// The label of that name as the text of an instruction shows it.
    pub(crate) fn show(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }
}

/// Whether a character may be part of a label.
pub(crate) fn is_label_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._$".contains(c)
}

impl Default for Immediate {
    fn default() -> Self {
        Immediate { signed: false, radix: 16, scale: 1, relative: None, label: None }
    }
}

/// Widest field of an immediate type, so that scaled values and addresses stay well inside 128 bits.
pub(crate) const WIDEST_IMMEDIATE: u32 = 64;
/// Widest field of a register type.
pub(crate) const WIDEST_REGISTER: u32 = 16;

impl NumberValue {
    /// The number in a field of `width` bits.
    pub(crate) fn in_width(self, width: u32) -> u128 {
        match self {
            NumberValue::Plain(value) => value,
            NumberValue::AllOnes => low_mask(width),
        }
    }
}

impl Enumeration {
    /// The value of that name.
    pub fn by_name(&self, name: &str) -> Option<&EnumValue> {
        self.values.iter().find(|value| value.name == name)
    }

    /// The value with that number.
    pub fn by_number(&self, number: u128) -> Option<&EnumValue> {
        self.values.iter().find(|value| value.number == Some(number))
    }
}

impl NamedRegister {
    /// The register's number in a field of `width` bits.
    pub fn number(&self, width: u32) -> u128 {
        self.number.in_width(width)
    }
}

/// A register as it is written: alone, or as a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterForm {
    Single,
    Pair,
}

impl RegisterFile {
    fn named_at(&self, number: u128, width: u32) -> Option<&NamedRegister> {
        self.named.iter().find(|named| named.number(width) == number)
    }

    /// How an operand of `bits` bits is written.
    pub(crate) fn form(&self, bits: Option<u128>) -> RegisterForm {
        match (self.pair, bits) {
            (Some(pair), Some(bits)) if u128::from(pair) == bits => RegisterForm::Pair,
            _ => RegisterForm::Single,
        }
    }

    /// The spelling of register `number` of a field `width` bits wide, or `None` when there is no such
    /// register: a pair needs a second register.
    pub(crate) fn text(&self, number: u128, width: u32, form: RegisterForm) -> Option<String> {
        if let Some(named) = self.named_at(number, width) {
            return Some(named.name.clone());
        }
        match form {
            RegisterForm::Single => Some(format!("{}{number}", self.prefix)),
            RegisterForm::Pair => {
                let second = number.checked_add(1)?;
                let exists = fits(second, width) && self.named_at(second, width).is_none();
                exists.then(|| format!("{}[{number}:{second}]", self.prefix))
            }
        }
    }

    /// The number of a register that is written alone.
    pub(crate) fn parse(&self, text: &str, width: u32) -> Result<u128, RegisterError> {
        if let Some(named) = self.named.iter().find(|named| named.name == text) {
            return Ok(named.number(width));
        }
        let digits = text.strip_prefix(&self.prefix).ok_or(RegisterError::NotARegister)?;
        let number = register_number(digits).ok_or(RegisterError::NotARegister)?;
        if let Some(named) = self.named_at(number, width) {
            return Err(RegisterError::Named(named.name.clone()));
        }
        if !fits(number, width) {
            return Err(RegisterError::OutOfRange);
        }
        Ok(number)
    }

    /// The highest register that is written with a number.
    pub(crate) fn last(&self, width: u32) -> u128 {
        let mut last = low_mask(width);
        while last > 0 && self.named_at(last, width).is_some() {
            last -= 1;
        }
        last
    }
}

/// Why a word is not a register of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegisterError {
    NotARegister,
    OutOfRange,
    /// The register has a name that must be used instead.
    Named(String),
}

/// A register number: decimal digits without leading zeros.
pub(crate) fn register_number(digits: &str) -> Option<u128> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits == "0" || !digits.starts_with('0');
    (plain && canonical && digits.len() <= 6).then(|| digits.parse().ok()).flatten()
}

impl Immediate {
    /// What the text shows for the number of a field `width` bits wide, in a word at `address`.
    pub(crate) fn text(&self, number: u128, width: u32, address: u64) -> String {
        let shown = self.shown(number, width, address);
        let sign = if shown < 0 { "-" } else { "" };
        let magnitude = shown.unsigned_abs();
        match self.radix {
            16 => format!("{sign}{magnitude:#x}"),
            _ => format!("{sign}{magnitude}"),
        }
    }

    pub(crate) fn shown(&self, number: u128, width: u32, address: u64) -> i128 {
        let scaled = self.signed_number(number, width).saturating_mul(to_i128(self.scale));
        scaled.saturating_add(self.base(address))
    }

    fn signed_number(&self, number: u128, width: u32) -> i128 {
        let value = to_i128(number);
        let negative = self.signed && width > 0 && number >> (width - 1) & 1 == 1;
        if negative { value - (1_i128 << width.min(126)) } else { value }
    }

    fn base(&self, address: u64) -> i128 {
        self.relative.map_or(0, |offset| i128::from(address) + to_i128(offset))
    }

    /// The number that makes the text show `shown`.
    pub(crate) fn parse(
        &self,
        shown: i128,
        width: u32,
        address: u64,
    ) -> Result<u128, ImmediateError> {
        let scaled = shown.checked_sub(self.base(address)).ok_or(ImmediateError::OutOfRange)?;
        let scale = to_i128(self.scale).max(1);
        if scaled % scale != 0 {
            return Err(ImmediateError::NotAMultiple);
        }
        let number = scaled / scale;
        let (low, high) = self.range(width);
        if number < low || number > high {
            return Err(ImmediateError::OutOfRange);
        }
        // Two's complement of the field's width.
        Ok(number.cast_unsigned() & low_mask(width))
    }

    fn range(&self, width: u32) -> (i128, i128) {
        let width = width.min(WIDEST_IMMEDIATE);
        match self.signed {
            true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
            false => (0, (1_i128 << width) - 1),
        }
    }

    /// The lowest and highest values that the text may show at `address`.
    pub(crate) fn shown_range(&self, width: u32, address: u64) -> (i128, i128) {
        let (low, high) = self.range(width);
        let scale = to_i128(self.scale);
        let base = self.base(address);
        (low * scale + base, high * scale + base)
    }
}

/// Why a number does not fit an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImmediateError {
    OutOfRange,
    NotAMultiple,
}

fn to_i128(value: u128) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

impl Type {
    /// Whether a field of `width` bits may hold `number`. Pairs are judged by the operand's bit width,
    /// not here.
    pub fn accepts(&self, number: u128, width: u32) -> bool {
        fits(number, width)
            && match &self.kind {
                TypeKind::Enumeration(names) => names.open || names.by_number(number).is_some(),
                TypeKind::Register(_) | TypeKind::Immediate(_) => true,
            }
    }

    /// The name of a number: of a value, or of a register. `None` for immediates and holes.
    pub fn name_of(&self, number: u128, width: u32) -> Option<String> {
        match &self.kind {
            TypeKind::Enumeration(names) => names.by_number(number).map(|v| v.name.clone()),
            TypeKind::Register(file) => file.text(number, width, RegisterForm::Single),
            TypeKind::Immediate(_) => None,
        }
    }

    /// The type as opcodes of `lineage` see it: values of other declarations are left out, and a
    /// value of the nearest declaration wins.
    pub(crate) fn seen_from(&self, lineage: &[String]) -> Option<Type> {
        let TypeKind::Enumeration(names) = &self.kind else { return None };
        if names.values.iter().all(|value| value.owner.is_none()) {
            return None;
        }
        let rank = |value: &EnumValue| match &value.owner {
            None => Some(0),
            Some(owner) => lineage.iter().position(|name| name == owner).map(|at| at + 1),
        };
        let mut values: Vec<(usize, EnumValue)> = Vec::new();
        for value in &names.values {
            let Some(rank) = rank(value) else { continue };
            match values.iter_mut().find(|(_, other)| other.name == value.name) {
                Some(slot) if slot.0 <= rank => *slot = (rank, value.clone()),
                Some(_) => {}
                None => values.push((rank, value.clone())),
            }
        }
        let values = values.into_iter().map(|(_, value)| value).collect();
        let kind = TypeKind::Enumeration(Enumeration { open: names.open, values });
        Some(Type { kind, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> RegisterFile {
        let named = vec![NamedRegister { name: "RZ".into(), number: NumberValue::AllOnes }];
        RegisterFile { prefix: "R".into(), file: None, pair: Some(64), named }
    }

    #[test]
    fn registers_have_one_spelling() {
        let file = file();
        assert_eq!(file.text(255, 8, RegisterForm::Single).as_deref(), Some("RZ"));
        assert_eq!(file.text(63, 6, RegisterForm::Pair).as_deref(), Some("RZ"));
        assert_eq!(file.text(2, 8, RegisterForm::Pair).as_deref(), Some("R[2:3]"));
        assert_eq!(file.text(254, 8, RegisterForm::Pair), None);
        assert_eq!(file.parse("R254", 8), Ok(254));
        assert_eq!(file.parse("R255", 8), Err(RegisterError::Named("RZ".into())));
        assert_eq!(file.parse("R256", 8), Err(RegisterError::OutOfRange));
        for wrong in ["R01", "R", "r1", "R-1", "RZ1", "R9999999"] {
            assert_eq!(file.parse(wrong, 8), Err(RegisterError::NotARegister), "{wrong}");
        }
    }

    #[test]
    fn immediates_are_signed_scaled_and_relative() {
        let plain = Immediate::default();
        assert_eq!(plain.text(0x1f, 5, 0), "0x1f");
        assert_eq!(plain.parse(32, 5, 0), Err(ImmediateError::OutOfRange));
        assert_eq!(plain.parse(-1, 5, 0), Err(ImmediateError::OutOfRange));
        let target =
            Immediate { signed: true, radix: 16, scale: 4, relative: Some(16), label: None };
        // 4 bytes before the next word, seen from address 0x20.
        assert_eq!(target.text(low_mask(56), 56, 0x20), "0x2c");
        assert_eq!(target.parse(0x2c, 56, 0x20), Ok(low_mask(56)));
        assert_eq!(target.text(1 << 55, 56, 0), "-0x1fffffffffffff0");
        assert_eq!(target.parse(0x2d, 56, 0x20), Err(ImmediateError::NotAMultiple));
    }
}
