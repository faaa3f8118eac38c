//! The rules of `lint`: one row each, with its code, what it says, and where the manual says so.

use diag::{Class, Diagnostic, Reason, Severity, Span};

/// The manual that states the rules.
const MANUAL: &str = "PTX ISA 9.1";

/// The section of a rule that each instruction's own section states for it.
const OF_INSTRUCTION: &str = "the section of the instruction";

/// Whether a code belongs to a rule about the words and operands of one instruction.
pub(crate) fn is_of_instruction(code: &str) -> bool {
    INSTRUCTION.code <= code && code <= VECTOR.code
}

/// Names the section of the instruction that a diagnostic is about.
pub(crate) fn in_section(diagnostic: &mut Diagnostic, section: &'static str) {
    if let Some(reason) = &mut diagnostic.reason
        && reason.section == OF_INSTRUCTION
    {
        reason.section = section;
    }
}

/// A rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable code.
    pub code: &'static str,
    /// A short name in words and hyphens.
    pub name: &'static str,
    /// How bad a breach is.
    pub severity: Severity,
    /// Whose fault a breach is.
    pub class: Class,
    /// The rule in one sentence.
    pub summary: &'static str,
    /// Where it is written.
    pub section: &'static str,
}

impl Rule {
    /// A breach at `span`.
    pub(crate) fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.severity, self.class, message).label(span, "");
        self.broken_by(&mut diagnostic);
        diagnostic
    }

    /// States that a diagnostic reports a breach.
    pub(crate) fn broken_by(&self, diagnostic: &mut Diagnostic) {
        diagnostic.code = self.code;
        let reason = Reason { rule: self.summary, manual: MANUAL, section: self.section };
        diagnostic.reason = Some(reason);
    }
}

macro_rules! rules {
    ($($(#[$kind:ident])? $id:ident $code:literal $name:literal $summary:literal $section:expr;)+) => {
        $(
            #[doc = concat!($code, ": ", $summary)]
            pub(crate) static $id: Rule = Rule {
                code: $code,
                name: $name,
                severity: rules!(@severity $($kind)?),
                class: rules!(@class $($kind)?),
                summary: $summary,
                section: $section,
            };
        )+

        /// Every rule, in the order of their codes.
        pub static RULES: &[&Rule] = &[$(&$id),+];
    };
    (@severity) => { Severity::Error };
    (@severity advice) => { Severity::Warning };
    (@severity unsupported) => { Severity::Error };
    (@severity note) => { Severity::Note };
    (@class unsupported) => { Class::Unsupported };
    (@class $($kind:ident)?) => { Class::BadInput };
}

rules! {
    SYNTAX "P001" "syntax"
        "The text follows the grammar of PTX."
        "4 Syntax";
    HEADER "P002" "module-header"
        "A module begins with `.version` and `.target`, in this order."
        "11.1 PTX Module Directives";
    VERSION "P003" "unknown-version"
        "`.version` names a PTX ISA version that exists."
        "11.1.1 .version";
    TARGET "P004" "unknown-target"
        "`.target` names an architecture that exists."
        "11.1.2 .target";
    TARGET_VERSION "P005" "version-too-old-for-target"
        "A target needs the PTX ISA version that introduced it."
        "11.1.2 .target";
    FEATURE "P006" "feature-of-directive"
        "Directives and types of declarations need the PTX ISA version and target that introduced them."
        "11 Directives";
    TARGET_OPTION "P007" "target-option"
        "Behind the architecture, `.target` names options that the module and the architecture have."
        "11.1.2 .target";
    ADDRESS_SIZE "P008" "address-size"
        "Addresses have 64 bits."
        "11.1.3 .address_size";
    DUPLICATE "P010" "declared-twice"
        "A scope declares a name once; a function's prototypes agree with it."
        "5.4 Variables";
    DECLARATION "P011" "declaration"
        "Variables, parameters and functions are declared where and as their state space allows."
        "5 State Spaces, Types, and Variables";
    UNDECLARED "P012" "undeclared-name"
        "A name is declared before it is used."
        "4.4 Identifiers";
    LABEL "P013" "branch-target"
        "A branch goes to a label of its own function."
        "9.7.12.3 bra";
    SHARED_SIZE "P014" "shared-memory-size"
        "The static shared memory of a kernel is at most 48 KiB."
        "5.1.7 Shared State Space";
    CALL "P015" "call-signature"
        "A call passes what the function declares, and receives what it returns, which is read after it."
        "9.7.12.5 call";
    DEBUG "P016" "debug-information"
        "`.loc` refers to labels and places that exist."
        "11.5 Debugging Directives";
    INSTRUCTION "P020" "unknown-instruction"
        "The mnemonic is an instruction of PTX."
        "9.7 Instructions";
    MODIFIER "P021" "modifier"
        "An instruction takes the modifiers of one of its forms, each once."
        OF_INSTRUCTION;
    MISSING_MODIFIER "P022" "missing-modifier"
        "An instruction has the modifiers that its form requires."
        OF_INSTRUCTION;
    FORM_VERSION "P023" "form-needs-newer-version"
        "A form of an instruction needs the PTX ISA version that introduced it."
        OF_INSTRUCTION;
    FORM_TARGET "P024" "form-needs-other-target"
        "A form of an instruction needs a target that has it."
        OF_INSTRUCTION;
    FORM_REMOVED "P025" "form-removed"
        "A form that was removed is no longer there."
        OF_INSTRUCTION;
    OPERAND_COUNT "P030" "operand-count"
        "An instruction takes as many operands as its form."
        OF_INSTRUCTION;
    OPERAND_KIND "P031" "operand-kind"
        "An operand is a register, constant, address, vector, predicate or label as the form wants."
        OF_INSTRUCTION;
    OPERAND_TYPE "P032" "operand-type"
        "The type of a register agrees in kind and size with the type that the instruction gives its operand."
        "9.4 Type Information for Instructions and Operands";
    CONSTANT "P033" "constant"
        "A constant is of the kind, and in the range, that its operand takes."
        "4.5 Constants";
    SINK "P034" "sink"
        "`_` stands in the place of a result only where the form allows it."
        OF_INSTRUCTION;
    SPECIAL "P035" "special-register"
        "A special register is read by `mov` and `cvt` in its own width."
        "10 Special Registers";
    GUARD "P036" "guard"
        "A guard is a predicate register; accesses to parameters of calls have none."
        "9.3 Predicated Execution";
    ADDRESS "P037" "address"
        "An address is a register or a variable in the state space that the instruction accesses."
        "6.4 Using Addresses, Arrays, and Vectors";
    VECTOR "P038" "vector"
        "A vector has as many elements as the instruction says, all of one kind."
        "6.4.3 Vectors as Operands";
    #[advice] DEPRECATED "P101" "deprecated-form"
        "A deprecated form is missing on newer targets."
        OF_INSTRUCTION;
    #[advice] EARLY_VERSION "P102" "before-its-version"
        "The manual dates a form to a later PTX ISA version than the assembler does."
        OF_INSTRUCTION;
    #[note] WORD_ORDER "P103" "modifier-order"
        "The manual gives the modifiers of an instruction an order."
        "9.1 Format and Semantics of Instruction Descriptions";
    #[advice] REPEATED_WORD "P104" "modifier-repeated"
        "Repeating a modifier has no effect."
        "9.1 Format and Semantics of Instruction Descriptions";
    #[advice] CUT_CONSTANT "P105" "constant-cut"
        "A constant that does not fit its operand's type is cut to its low bits."
        "4.5 Constants";
    #[advice] SUM_OPERAND "P106" "sum-as-operand"
        "The manual has no operands of the form `register+constant` outside of addresses."
        "6 Instruction Operands";
    #[advice] LOOSE_RESULT "P107" "predicate-result-dropped"
        "`d|_` is written where the instruction has no predicate result."
        "6 Instruction Operands";
    #[advice] LOOSE_VECTOR "P108" "vector-of-other-type"
        "The elements of a vector are registers of the type that the instruction gives them."
        "9.4 Type Information for Instructions and Operands";
    #[advice] SPECIAL_ADDRESS "P109" "special-register-as-address"
        "Addresses are in registers, not in special registers."
        "6.4.1 Addresses as Operands";
    #[advice] SHUFFLE_WIDTH "P110" "shuffle-width"
        "The operand `c` of a shuffle describes segments of a power of two of lanes."
        "9.7.9.6 shfl.sync";
    #[advice] SHUFFLE_CROSSING "P111" "shuffle-crosses-segments"
        "A butterfly shuffle stays in its segment only if its lane mask is smaller than the segment."
        "9.7.9.6 shfl.sync";
    #[advice] EMPTY_MASK "P112" "empty-membermask"
        "The executing lane must be in its membermask."
        "9.7.13 Parallel Synchronization and Communication Instructions";
    #[advice] NARROW_MASK "P113" "narrow-membermask"
        "A constant membermask must hold every lane that reaches the instruction."
        "9.7.13 Parallel Synchronization and Communication Instructions";
    #[advice] SPLIT_SHUFFLE "P114" "halves-shuffled-differently"
        "The halves of a 64-bit value travel by shuffles with the same operands."
        "9.7.9.6 shfl.sync";
    #[advice] FUNCTION_OPERAND "P115" "function-as-operand"
        "Only `mov` takes the address of a function."
        "9.7.9.3 mov";
    #[advice] MIXED_CARRY "P116" "carry-of-other-kind"
        "The flag of a sum is its carry, that of a subtraction says that nothing was borrowed: a chain keeps to one of them."
        "9.7.2 Extended-Precision Integer Arithmetic Instructions";
    #[advice] ACTIVE_MASK "W009" "activemask-as-membermask"
        "The lanes that happen to be active are not the lanes that must take part."
        "9.7.13.11 activemask";
}

/// The rule of that code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == code)
}
