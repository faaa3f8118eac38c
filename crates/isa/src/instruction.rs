//! One instruction: an opcode with the values of its fields.

use crate::bits::describe;
use crate::model::{Field, Opcode, Role};
use crate::types::TypeKind;
use crate::unknown::Reason;

/// An opcode with the numbers of all its fields, and with the bits that no field claims.
#[derive(Clone, Debug)]
pub struct Instruction<'d> {
    opcode: &'d Opcode,
    values: Vec<u128>,
    ignored: u128,
}

impl PartialEq for Instruction<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.opcode, other.opcode)
            && self.values == other.values
            && self.ignored == other.ignored
    }
}

impl Eq for Instruction<'_> {}

impl<'d> Instruction<'d> {
    /// `values` are parallel to the opcode's fields and already validated.
    pub(crate) fn new(opcode: &'d Opcode, values: Vec<u128>, ignored: u128) -> Self {
        Instruction { opcode, values, ignored }
    }

    /// Its opcode.
    pub fn opcode(&self) -> &'d Opcode {
        self.opcode
    }

    /// The number in the field of that name, such as `rd` or `pg.not`.
    pub fn value(&self, field: &str) -> Option<u128> {
        self.opcode.field_index(field).map(|index| self.values[index])
    }

    /// The name of the value in the field, where its type has names: `UP`, `RZ`.
    pub fn value_name(&self, field: &str) -> Option<String> {
        let index = self.opcode.field_index(field)?;
        let field = &self.opcode.fields[index];
        match &field.role {
            Role::FixedOpen(name) => Some(name.clone()),
            Role::Fixed(_) | Role::Default(_) | Role::Free => {
                field.ty.name_of(self.values[index], field.width())
            }
        }
    }

    /// The number in the field, as the signed number that a signed immediate stands for.
    pub fn signed_value(&self, field: &str) -> Option<i128> {
        let index = self.opcode.field_index(field)?;
        let field = &self.opcode.fields[index];
        let number = i128::try_from(self.values[index]).ok()?;
        match &field.ty.kind {
            TypeKind::Immediate(immediate) if immediate.signed => {
                let width = field.width();
                let negative = number >> (width - 1) & 1 == 1;
                Some(if negative { number - (1 << width) } else { number })
            }
            TypeKind::Immediate(_) | TypeKind::Register(_) | TypeKind::Enumeration(_) => {
                Some(number)
            }
        }
    }

    /// The number that the text shows for an immediate in a word at `address` (in bytes): sign, scale and
    /// the base of a relative one applied. `None` for other fields.
    pub fn shown_value(&self, field: &str, address: u64) -> Option<i128> {
        let index = self.opcode.field_index(field)?;
        let field = &self.opcode.fields[index];
        match &field.ty.kind {
            TypeKind::Immediate(immediate) => {
                Some(immediate.shown(self.values[index], field.width(), address))
            }
            TypeKind::Register(_) | TypeKind::Enumeration(_) => None,
        }
    }

    /// The width in bits that the description states for an operand under this instruction's modifiers.
    pub fn operand_bits(&self, field: &str) -> Option<u128> {
        let index = self.opcode.field_index(field)?;
        self.opcode.operand_bits(index, &self.values)
    }

    /// Every field with its number, in the order of the opcode.
    pub fn fields(&self) -> impl Iterator<Item = (&'d Field, u128)> + '_ {
        self.opcode.fields.iter().zip(self.values.iter().copied())
    }

    /// The numbers, parallel to the opcode's fields.
    pub fn values(&self) -> &[u128] {
        &self.values
    }

    /// The bits that no field claims and that may be anything, at their places in the word.
    pub fn ignored(&self) -> u128 {
        self.ignored
    }

    /// The word. `None` when the description leaves a number open.
    pub fn word(&self) -> Option<u128> {
        if self.opcode.open_fields().next().is_some() {
            return None;
        }
        let fields = self.opcode.fields.iter().zip(&self.values);
        Some(fields.fold(self.ignored, |word, (field, number)| word | field.place(*number)))
    }
}

/// Why field values make no word of an opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The opcode has no field of this name.
    NoSuchField(String),
    /// No value for a field that has no default.
    Missing(String),
    /// A number does not fit the bits of its field.
    TooLarge {
        /// The field.
        field: String,
        /// The number.
        number: u128,
        /// The bits of the field.
        width: u32,
    },
    /// A value for a field whose number is fixed to another.
    Fixed {
        /// The field.
        field: String,
        /// The number that it must have.
        number: u128,
    },
    /// The values are no instruction: a hole, no pair, a requirement.
    Invalid(Reason),
    /// The description leaves the number of a constant open.
    Open {
        /// The field.
        field: String,
        /// The constant.
        constant: String,
    },
}

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EncodeError::NoSuchField(name) => write!(f, "the opcode has no field `{name}`"),
            EncodeError::Missing(name) => write!(f, "field `{name}` has no value and no default"),
            EncodeError::TooLarge { field, number, width } => {
                write!(f, "{number} does not fit the {width} bits of `{field}`")
            }
            EncodeError::Fixed { field, number } => {
                write!(f, "field `{field}` is always {number}")
            }
            EncodeError::Invalid(reason) => reason.fmt(f),
            EncodeError::Open { field, constant } => {
                write!(f, "the description gives no number for {field} == {constant}")
            }
        }
    }
}

impl std::error::Error for EncodeError {}

impl Opcode {
    /// The instruction with these field values; other fields take their defaults.
    ///
    /// # Errors
    /// [`EncodeError`] when a value is missing, does not fit, or names nothing.
    pub fn instruction(&self, fields: &[(&str, u128)]) -> Result<Instruction<'_>, EncodeError> {
        let mut values: Vec<Option<u128>> = self.fields.iter().map(Field::implied).collect();
        for (name, number) in fields {
            let index = self
                .field_index(name)
                .ok_or_else(|| EncodeError::NoSuchField((*name).to_owned()))?;
            let field = &self.fields[index];
            if !crate::bits::fits(*number, field.width()) {
                let (field, width) = (field.name.text.clone(), field.width());
                return Err(EncodeError::TooLarge { field, number: *number, width });
            }
            if let Role::Fixed(fixed) = field.role
                && fixed != *number
            {
                let field = field.name.text.clone();
                return Err(EncodeError::Fixed { field, number: fixed });
            }
            values[index] = Some(*number);
        }
        let mut numbers = Vec::with_capacity(values.len());
        for (field, value) in self.fields.iter().zip(values) {
            match (value, &field.role) {
                (Some(number), _) => numbers.push(number),
                // An instruction of an open opcode has text and values, though no word.
                (None, Role::FixedOpen(_)) => numbers.push(0),
                (None, Role::Fixed(_) | Role::Default(_) | Role::Free) => {
                    return Err(EncodeError::Missing(field.name.text.clone()));
                }
            }
        }
        self.validate(&numbers).map_err(EncodeError::Invalid)?;
        Ok(Instruction::new(self, numbers, self.ignored.value))
    }

    /// The word with these field values; other fields take their defaults.
    ///
    /// # Errors
    /// [`EncodeError`] when a value is missing, does not fit, or names nothing, or when the description
    /// leaves a number of the word open.
    pub fn encode(&self, fields: &[(&str, u128)]) -> Result<u128, EncodeError> {
        let instruction = self.instruction(fields)?;
        if let Some(field) = self.open_fields().next() {
            let constant = match &field.role {
                Role::FixedOpen(name) => name.clone(),
                Role::Fixed(_) | Role::Default(_) | Role::Free => String::new(),
            };
            return Err(EncodeError::Open { field: field.name.text.clone(), constant });
        }
        let word = instruction
            .fields()
            .fold(instruction.ignored(), |word, (field, number)| word | field.place(number));
        debug_assert_eq!(word & self.reserved, 0, "{}", describe(word & self.reserved));
        Ok(word)
    }

    /// Whether the field values make an instruction: every number names something, pairs exist,
    /// requirements hold.
    pub(crate) fn validate(&self, values: &[u128]) -> Result<(), Reason> {
        for (index, (field, number)) in self.fields.iter().zip(values).enumerate() {
            if matches!(field.role, Role::FixedOpen(_)) {
                continue;
            }
            if !field.ty.accepts(*number, field.width()) {
                return Err(Reason::Hole {
                    opcode: self.name.clone(),
                    field: field.name.text.clone(),
                    type_name: field.ty.name.clone(),
                    number: *number,
                });
            }
            if matches!(field.ty.kind, TypeKind::Register(_)) && !self.has_register(index, values) {
                return Err(Reason::NoPair {
                    opcode: self.name.clone(),
                    field: field.name.text.clone(),
                    number: *number,
                });
            }
        }
        for requirement in &self.requirements {
            if requirement.expr.evaluate(values).unwrap_or(0) == 0 {
                return Err(Reason::Requirement {
                    opcode: self.name.clone(),
                    requirement: requirement.reason.clone(),
                });
            }
        }
        Ok(())
    }
}
