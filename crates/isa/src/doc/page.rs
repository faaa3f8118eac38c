//! What a manual page says, independent of its format.

use crate::ast::{DeclKind, Fence, ProseSection, SectionKind, Source, SourceId};
use crate::bits::describe;
use crate::model::{Declaration, Description, Field, Opcode, Role};
use crate::types::TypeKind;

/// A page: an instruction with all its forms.
pub(super) struct Page<'d> {
    pub name: &'d str,
    pub decl: &'d Declaration,
    pub forms: Vec<&'d Opcode>,
}

/// An example with the words that it assembles to.
pub(super) struct Example {
    pub text: String,
    pub word: String,
}

/// One value of a modifier.
pub(super) struct Value {
    pub spelling: String,
    pub number: String,
    pub default: bool,
}

/// A modifier with its values.
pub(super) struct Modifier<'d> {
    pub name: &'d str,
    pub bits: String,
    pub values: Vec<Value>,
}

/// A row of the table of fields.
pub(super) struct FieldRow {
    pub name: String,
    pub bits: String,
    pub type_name: String,
    pub meaning: String,
    pub source: SourceId,
    /// How many statements this one corrects.
    pub corrects: usize,
}

/// A section of a page, with the form that it is about if it is not about all of them.
pub(super) struct Part<'d> {
    pub form: Option<&'d str>,
    pub section: &'d ProseSection,
}

/// The groups that say something about all their instructions, with what they say.
pub(super) fn groups(description: &Description) -> Vec<(&Declaration, Vec<&ProseSection>)> {
    let groups = description.decls.iter().filter(|decl| decl.kind == DeclKind::Group);
    let with_text = groups.map(|decl| {
        let sections = SectionKind::ALL.iter().filter_map(|kind| decl.sections.get(kind));
        (decl, sections.filter(|section| !section.is_blank()).collect::<Vec<_>>())
    });
    with_text.filter(|(_, sections)| !sections.is_empty()).collect()
}

/// What the manual calls a section.
pub(super) fn title(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Syntax => "Syntax",
        SectionKind::Description => "Description",
        SectionKind::OperandInfo => "Operands",
        SectionKind::ModifierInfo => "Modifiers",
        SectionKind::Semantics => "Semantics",
        SectionKind::Examples => "Examples",
    }
}

/// The lines of a code block of examples, with their words.
pub(super) fn examples(description: &Description, fence: &Fence) -> Vec<Example> {
    let lines = crate::check::example_lines(&fence.body);
    lines
        .into_iter()
        .map(|line| {
            let (file, start) = (line.span.file, line.span.start as usize);
            let word = match description.instruction_of_line(file, line.text, start) {
                Ok(instruction) => match instruction.word() {
                    Some(word) => format!("{word:#034x}"),
                    None => "a number is open".to_owned(),
                },
                Err(_) => "does not assemble".to_owned(),
            };
            Example { text: format!("{} ;", line.text), word }
        })
        .collect()
}

/// The pages in the order of the description.
pub(super) fn pages(description: &Description) -> Vec<Page<'_>> {
    let mut pages: Vec<Page<'_>> = Vec::new();
    for opcode in description.opcodes() {
        let name = opcode.optype.as_deref().unwrap_or(&opcode.name);
        match pages.iter_mut().find(|page| page.name == name) {
            Some(page) => page.forms.push(opcode),
            None => {
                let decl = description.decls.iter().find(|decl| decl.name == name);
                pages.extend(decl.map(|decl| Page { name, decl, forms: vec![opcode] }));
            }
        }
    }
    pages
}

impl<'d> Page<'d> {
    /// The sections of that kind: the instruction's own, and those of its forms, each once.
    pub(super) fn parts(&self, kind: SectionKind) -> Vec<Part<'d>> {
        let own = self.decl.sections.get(&kind).map(|section| (None, section));
        let of_forms = self
            .forms
            .iter()
            .filter_map(|form| Some((Some(form.name.as_str()), form.sections.get(&kind)?)));
        let mut parts: Vec<Part<'d>> = Vec::new();
        for (form, section) in own.into_iter().chain(of_forms) {
            let seen = parts.iter().any(|part| part.section.heading == section.heading);
            if !seen && !section.is_blank() {
                parts.push(Part { form, section });
            }
        }
        // What all forms inherit is about all of them.
        let shared = |section: &ProseSection| {
            let heading = |form: &&Opcode| form.sections.get(&kind).map(|own| own.heading);
            self.forms.iter().all(|form| heading(form) == Some(section.heading))
        };
        for part in &mut parts {
            part.form = part.form.filter(|_| !shared(part.section));
        }
        parts
    }

    /// Modifiers of all forms, each once.
    pub(super) fn modifiers(&self) -> Vec<Modifier<'d>> {
        let mut modifiers: Vec<Modifier<'d>> = Vec::new();
        for field in self.forms.iter().flat_map(|form| &form.fields) {
            let TypeKind::Enumeration(names) = &field.ty.kind else { continue };
            let seen = modifiers.iter().any(|modifier| modifier.name == field.name.text);
            let chosen = !field.is_fixed() && field.name.attribute().is_none();
            if seen || !chosen || field.name.is_control() {
                continue;
            }
            let values = names
                .values
                .iter()
                .map(|value| Value {
                    spelling: match value.spelling.as_str() {
                        "" => format!("(nothing: {})", value.name),
                        spelling => format!(".{spelling}"),
                    },
                    number: value.number.map_or("open".to_owned(), |number| number.to_string()),
                    default: value.number.is_some() && field.implied() == value.number,
                })
                .collect();
            modifiers.push(Modifier {
                name: &field.name.text,
                bits: describe(field.mask()),
                values,
            });
        }
        modifiers
    }
}

/// The rows of the table of fields, in the order of the word.
pub(super) fn field_rows(opcode: &Opcode) -> Vec<FieldRow> {
    let mut fields: Vec<&Field> = opcode.fields.iter().collect();
    fields.sort_by_key(|field| field.mask().trailing_zeros());
    fields
        .into_iter()
        .map(|field| FieldRow {
            name: field.name.text.clone(),
            bits: describe(field.mask()),
            type_name: field.ty.name.clone(),
            meaning: meaning(opcode, field),
            source: source_of(field),
            corrects: field.corrects.len(),
        })
        .collect()
}

/// Where the number of a fixed field comes from, otherwise where the field does.
fn source_of(field: &Field) -> SourceId {
    match (&field.role, &field.ty.kind) {
        (Role::Fixed(number), TypeKind::Enumeration(names)) => {
            names.by_number(*number).map_or(field.source, |value| value.source)
        }
        _ => field.source,
    }
}

fn named(field: &Field, number: u128) -> String {
    field.ty.name_of(number, field.width()).unwrap_or_else(|| format!("{number:#x}"))
}

fn meaning(opcode: &Opcode, field: &Field) -> String {
    let index = opcode.fields.iter().position(|other| std::ptr::eq(other, field));
    let mut parts: Vec<String> = Vec::new();
    match &field.role {
        Role::Fixed(number) => {
            let name = field.ty.name_of(*number, field.width());
            let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
            parts.push(format!("always {number:#x}{name}"));
        }
        Role::FixedOpen(name) => parts.push(format!("always {name}, whose number is open")),
        Role::Default(number) => parts.push(format!("default {}", named(field, *number))),
        Role::Free => {}
    }
    if let Some(index) = index {
        let named = opcode.operand_names().find(|(_, shown)| std::ptr::eq(*shown, field));
        parts.extend(named.map(|(name, _)| format!("operand {name}")));
        let reads = opcode.inputs.contains(&index);
        let writes = opcode.outputs.contains(&index);
        let direction = match (reads, writes) {
            (true, true) => Some("read and written"),
            (true, false) => Some("read"),
            (false, true) => Some("written"),
            (false, false) => None,
        };
        parts.extend(direction.map(str::to_owned));
        if opcode.guard == Some(index) {
            parts.push("the guard".to_owned());
        }
        parts.extend(width_text(opcode, index));
        if parts.is_empty() && matches!(field.ty.kind, TypeKind::Enumeration(_)) {
            parts.push("a modifier".to_owned());
        }
    }
    parts.join("; ")
}

/// The operand's width in bits, with the modifiers that change it.
fn width_text(opcode: &Opcode, index: usize) -> Option<String> {
    let (_, expr, _) = opcode.widths.iter().find(|(operand, _, _)| *operand == index)?;
    let values: Vec<u128> = opcode.fields.iter().map(|f| f.implied().unwrap_or(0)).collect();
    let usual = expr.evaluate(&values)?;
    let mut text = format!("{usual} bits");
    let mut depends = Vec::new();
    expr.fields(&mut depends);
    for field in depends {
        let TypeKind::Enumeration(names) = &opcode.fields[field].ty.kind else { continue };
        for value in &names.values {
            let mut changed = values.clone();
            changed[field] = value.number?;
            let bits = expr.evaluate(&changed)?;
            if bits != usual {
                text.push_str(&format!(", {bits} with .{}", value.spelling));
            }
        }
    }
    Some(text)
}

/// A provenance in words: `chosen: why`.
pub(super) fn source_text(source: &Source) -> String {
    match source.text.as_str() {
        "" => source.provenance.word().to_owned(),
        text => format!("{}: {text}", source.provenance.word()),
    }
}
