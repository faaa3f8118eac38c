//! The stable codes of everything this crate reports.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*
        /// Every code with its meaning, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    SYNTAX = "I001", "The description breaks the grammar.";
    HEADING = "I002", "An unknown heading or statement.";
    INCLUDE = "I003", "An included file cannot be read, or includes itself.";
    DUPLICATE = "I004", "A name is declared twice.";
    UNDECLARED = "I005", "A type, constant, parent or refined name is not declared.";
    INHERITANCE = "I006", "Parents form a cycle or are of the wrong kind.";
    DUPLICATE_FIELD = "I007", "A field name is used twice in one opcode.";
    OVERLAP = "I008", "Two fields claim the same bit.";
    FIT = "I009", "A value, a type or a place does not fit.";
    OPERAND = "I010", "An operand has no field.";
    ORDER = "I011", "`Order` is not the union of `InList` and `OutList`.";
    SYNTAX_OPERAND = "I012", "The syntax line names an operand that the opcode does not have.";
    MODIFIER = "I013", "A modifier that no field of the instruction has.";
    OPTIONAL = "I014", "A part in braces can be left out but has no default to stand for it.";
    MODIFIER_LIST = "I015", "The modifier list under the syntax line disagrees with the type.";
    MISSING = "I016", "A section that the opcode needs is missing.";
    WRONG_HEADING = "I017", "A section or statement stands under the wrong heading.";
    OTHER_INSTRUCTION = "I018", "The prose names another instruction.";
    REGISTER_FILE = "I019", "The register file in the prose contradicts the field.";
    EXAMPLE = "I020", "An example does not assemble.";
    AMBIGUOUS = "I021", "Two opcodes accept the same word.";
    SAME_TEXT = "I022", "Two opcodes have the same text.";
    BITWIDTH = "I023", "A bit width disagrees with the field.";
    OPEN_NUMBER = "I024", "The description leaves the number of a constant open.";
    CONTROL = "I025", "The syntax line names a control field that has no place.";
    LIMIT = "I026", "The description exceeds a limit.";
    EXPRESSION = "I027", "An expression cannot be evaluated.";
    COMBINATION = "I028", "The table of operand combinations disagrees with the forms.";
    ASM_SYNTAX = "A001", "The assembly text breaks the grammar of an assembly file.";
    ASM_MNEMONIC = "A002", "No opcode of the description has this mnemonic.";
    ASM_FORM = "A003", "The operands or modifiers fit no opcode of this mnemonic.";
    ASM_VALUE = "A004", "A value does not fit its field.";
    ASM_LABEL = "A005", "A label is undefined, defined twice, or out of reach.";
    ASM_AMBIGUOUS = "A006", "The text fits two opcodes.";
    ASM_DATA = "A007", "The data comment after an instruction is wrong.";
    ASM_REQUIRE = "A008", "A requirement of the opcode is violated.";
    ASM_OPEN = "A009", "The description leaves a number open that the word needs.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_documented() {
        let manual = include_str!("../../../docs/isa-language.md");
        for (nth, (code, _)) in ALL.iter().enumerate() {
            assert!(!ALL[..nth].iter().any(|(other, _)| other == code), "{code} twice");
            assert!(manual.contains(code), "{code} is missing in docs/isa-language.md");
        }
    }
}
