//! The fields and unclaimed bits of an opcode.

use super::collect::DeclBuild;
use super::resolver::{Resolver, undeclared};
use crate::ast::{Constant, EncodingStatement, FieldDecl, FieldValue};
use crate::bits::{self, Bits, fits};
use crate::codes;
use crate::model::{Field, Role};
use crate::types::{Enumeration, RegisterError, Type, TypeKind, WIDEST_REGISTER};
use diag::{Class, Diagnostic};
use std::sync::Arc;

const MOST_FIELDS: usize = 256;

/// What `__Encoding` says about an opcode.
pub(super) struct Layout {
    pub fields: Vec<Field>,
    pub fixed: Bits,
    pub reserved: u128,
    pub ignored: Bits,
}

impl Resolver<'_> {
    pub(super) fn layout(
        &mut self,
        build: &DeclBuild,
        family: &[&DeclBuild],
        lineage: &[String],
    ) -> Layout {
        let mut fields: Vec<Field> = Vec::new();
        let mut ignored = Bits::default();
        for decl in family {
            for statement in &decl.decl.encoding {
                match statement {
                    EncodingStatement::Field(field) => {
                        if fields.len() >= MOST_FIELDS {
                            self.too_many(build);
                            break;
                        }
                        let field = self.field(field, decl, lineage);
                        self.add(&mut fields, field, decl);
                    }
                    EncodingStatement::Remove(name) => {
                        let before = fields.len();
                        fields.retain(|field| field.name.text != name.text);
                        if fields.len() == before {
                            let names: Vec<&str> =
                                fields.iter().map(|field| field.name.text.as_str()).collect();
                            let message = format!("no field `{}` to remove", name.text);
                            let otherwise = "remove fields that the opcode inherits";
                            let diagnostic =
                                undeclared(name.span, message, &name.text, &names, otherwise);
                            self.report(diagnostic);
                        }
                    }
                    EncodingStatement::Bits(bits) => {
                        let mask = bits.ranges.iter().fold(0, |mask, r| mask | r.mask());
                        ignored.mask &= !mask;
                        ignored.value &= !mask;
                        if bits.ignored {
                            ignored.mask |= mask;
                            self.ignored_value(bits, &mut ignored);
                        }
                    }
                }
            }
        }
        self.overlaps(&fields);
        self.attributes(&fields);
        let claimed = fields.iter().fold(0, |mask, field| mask | field.mask());
        ignored.mask &= !claimed;
        ignored.value &= !claimed;
        let mut fixed = Bits::default();
        for field in &fields {
            if let Role::Fixed(number) = field.role {
                fixed.mask |= field.mask();
                fixed.value |= field.place(number);
            }
        }
        Layout { fields, fixed, reserved: !(claimed | ignored.mask), ignored }
    }

    fn ignored_value(&mut self, bits: &crate::ast::BitsDecl, ignored: &mut Bits) {
        let Some((value, span)) = bits.value else { return };
        let width = bits.ranges.iter().map(|range| range.width).sum();
        if fits(value, width) {
            ignored.value |= bits::insert(value, &bits.ranges);
            return;
        }
        let diagnostic = Diagnostic::error(span, format!("{value} does not fit {width} bits"))
            .label(bits.span, "the bits are claimed here")
            .help("the value is that of the ignored bits alone, the first range lowest")
            .code(codes::FIT);
        self.report(diagnostic);
    }

    fn too_many(&mut self, build: &DeclBuild) {
        let message = format!("`{}` has more than {MOST_FIELDS} fields", build.decl.name.text);
        let mut diagnostic = Diagnostic::error(build.decl.name.span, message).code(codes::LIMIT);
        diagnostic.class = Class::Limit;
        self.report(diagnostic);
    }

    /// The field that a statement declares. One with a wrong type or constant is kept all the same, so
    /// that nothing else is reported for want of it.
    fn field(&mut self, decl: &FieldDecl, owner: &DeclBuild, lineage: &[String]) -> Field {
        let declared = self.field_type(decl, lineage);
        let width: u32 = decl.ranges.iter().map(|range| range.width).sum();
        let sound =
            declared.as_ref().is_some_and(|ty| !decl.broken && self.width_fits(decl, ty, width));
        let ty = declared.unwrap_or_else(|| unknown_type(decl));
        let role = match &decl.value {
            None => Role::Free,
            Some(value) if sound => self.role(decl, value, &ty, width).unwrap_or(Role::Default(0)),
            Some(_) => Role::Default(0),
        };
        Field {
            name: decl.name.clone(),
            ranges: decl.ranges.clone(),
            ranges_span: decl.ranges_span,
            ty,
            role,
            value_span: decl.value.as_ref().map(|value| value.span),
            owner: owner.decl.name.text.clone(),
            span: decl.span,
            source: decl.source,
            corrects: owner.corrected.get(&decl.name.text).cloned().unwrap_or_default(),
        }
    }

    fn field_type(&mut self, decl: &FieldDecl, lineage: &[String]) -> Option<Arc<Type>> {
        let name = &decl.type_name;
        let Some(ty) = self.types.get(&name.text) else {
            let names: Vec<&str> = self.types.list.iter().map(|ty| ty.name.as_str()).collect();
            let message = format!("type `{}` is not declared", name.text);
            let otherwise = "declare it with `__DefBitFieldType`, `__DefRegisterType` or \
                             `__DefImmediateType`";
            let mut diagnostic = undeclared(name.span, message, &name.text, &names, otherwise);
            let near = diagnostic.fix.as_ref().and_then(|fix| self.types.get(&fix.replacement));
            if let Some(near) = near {
                diagnostic =
                    diagnostic.label(near.span, format!("`{}` is declared here", near.name));
            }
            self.report(diagnostic);
            return None;
        };
        let innermost = lineage.last().cloned().unwrap_or_default();
        let key = (name.text.clone(), innermost);
        if let Some(view) = self.views.get(&key) {
            return Some(Arc::clone(view));
        }
        let Some(view) = ty.seen_from(lineage) else { return Some(Arc::clone(ty)) };
        let view = Arc::new(view);
        self.views.insert(key, Arc::clone(&view));
        Some(view)
    }

    fn width_fits(&mut self, decl: &FieldDecl, ty: &Type, width: u32) -> bool {
        let (fits, needed) = match (&ty.kind, ty.width) {
            (_, Some(needed)) => (width == needed, bits::count(needed)),
            (TypeKind::Register(_), None) => {
                (width <= WIDEST_REGISTER, format!("at most {WIDEST_REGISTER} bits"))
            }
            (TypeKind::Enumeration(_) | TypeKind::Immediate(_), None) => (true, String::new()),
        };
        if !fits {
            let message = format!(
                "field `{}` has {}, its type `{}` has {needed}",
                decl.name.text,
                bits::count(width),
                ty.name
            );
            let diagnostic = Diagnostic::error(decl.ranges_span, message)
                .label(ty.span, "the type is declared here")
                .help("give the field the width of its type, or declare a type of this width")
                .code(codes::FIT);
            self.report(diagnostic);
        }
        fits
    }

    fn role(
        &mut self,
        decl: &FieldDecl,
        value: &FieldValue,
        ty: &Type,
        width: u32,
    ) -> Option<Role> {
        let number = match &value.constant {
            Constant::Number(number) => Some(number.in_width(width)),
            Constant::Name(name) => self.named_constant(decl, value, name, ty, width)?,
        };
        let Some(number) = number else {
            let Constant::Name(name) = &value.constant else { return None };
            if value.fixed {
                return Some(Role::FixedOpen(name.clone()));
            }
            let message = format!("the default `{name}` of `{}` has no number", decl.name.text);
            let diagnostic = Diagnostic::error(value.span, message)
                .help(format!("number it: `__Refine {}` and `{name} = …;`", ty.name))
                .code(codes::OPEN_NUMBER);
            self.report(diagnostic);
            return None;
        };
        if !fits(number, width) {
            let message = format!("{number} does not fit the {width} bits of `{}`", decl.name.text);
            let diagnostic = Diagnostic::error(value.span, message)
                .label(decl.ranges_span, format!("{width} bits"))
                .help(format!("the largest value is {}", bits::low_mask(width)))
                .code(codes::FIT);
            self.report(diagnostic);
            return None;
        }
        if !ty.accepts(number, width) {
            let message = format!("type `{}` has no value {number}", ty.name);
            let diagnostic = Diagnostic::error(value.span, message)
                .label(ty.span, "the type is declared here")
                .help("name the value in the type, or use one that has a name")
                .code(codes::FIT);
            self.report(diagnostic);
            return None;
        }
        Some(if value.fixed { Role::Fixed(number) } else { Role::Default(number) })
    }

    /// The number of a named constant; `Some(None)` when an open type leaves it open.
    fn named_constant(
        &mut self,
        decl: &FieldDecl,
        value: &FieldValue,
        name: &str,
        ty: &Type,
        width: u32,
    ) -> Option<Option<u128>> {
        let (candidates, otherwise) = match &ty.kind {
            TypeKind::Enumeration(names) => {
                if let Some(found) = names.by_name(name) {
                    return Some(found.number);
                }
                if names.open {
                    return Some(None);
                }
                let candidates: Vec<&str> =
                    names.values.iter().map(|value| value.name.as_str()).collect();
                (candidates, format!("declare `{name};` in the type"))
            }
            TypeKind::Register(file) => match file.parse(name, width) {
                Ok(number) => return Some(Some(number)),
                Err(RegisterError::Named(other)) => {
                    let message = format!("register `{name}` is called `{other}`");
                    let diagnostic = Diagnostic::error(value.span, message)
                        .label(ty.span, "named here")
                        .help(format!("write `{other}`"))
                        .code(codes::FIT);
                    self.report(diagnostic);
                    return None;
                }
                Err(RegisterError::OutOfRange) => {
                    let last = file.last(width);
                    let message = format!("{width} bits have no register `{name}`");
                    let diagnostic = Diagnostic::error(value.span, message)
                        .label(decl.ranges_span, format!("{width} bits"))
                        .help(format!("the last numbered register is `{}{last}`", file.prefix))
                        .code(codes::FIT);
                    self.report(diagnostic);
                    return None;
                }
                Err(RegisterError::NotARegister) => {
                    let candidates = file.named.iter().map(|named| named.name.as_str()).collect();
                    (candidates, format!("registers of this type begin with `{}`", file.prefix))
                }
            },
            TypeKind::Immediate(_) => (Vec::new(), "write a number".to_owned()),
        };
        let message = format!("`{name}` is not a value of type `{}`", ty.name);
        let diagnostic = undeclared(value.span, message, name, &candidates, &otherwise)
            .label(ty.span, "the type is declared here");
        self.report(diagnostic);
        None
    }

    /// Adds a field. A field of the same name that was inherited may be narrowed in its place: the same
    /// bits, now with a constant.
    fn add(&mut self, fields: &mut Vec<Field>, field: Field, owner: &DeclBuild) {
        let Some(at) = fields.iter().position(|other| other.name.text == field.name.text) else {
            fields.push(field);
            return;
        };
        let old = &fields[at];
        let narrows = old.owner != field.owner && old.ranges == field.ranges && !old.is_fixed();
        if narrows {
            fields[at] = field;
            return;
        }
        let message =
            format!("field `{}` is declared twice in `{}`", field.name.text, owner.decl.name.text);
        let diagnostic = Diagnostic::error(field.name.span, message)
            .label(old.name.span, format!("first declared here, in {}", old.owner))
            .help(format!("rename one of them, or correct the first with `__Refine {}`", old.owner))
            .code(codes::DUPLICATE_FIELD);
        self.report(diagnostic);
    }

    fn overlaps(&mut self, fields: &[Field]) {
        for (index, field) in fields.iter().enumerate() {
            for other in &fields[..index] {
                let shared = field.mask() & other.mask();
                if shared == 0 {
                    continue;
                }
                let message = format!(
                    "fields `{}` and `{}` share {}",
                    other.name.text,
                    field.name.text,
                    bits::describe(shared)
                );
                let place = |field: &Field| {
                    format!(
                        "`{}` of {} is {}",
                        field.name.text,
                        field.owner,
                        bits::describe(field.mask())
                    )
                };
                let diagnostic = Diagnostic::error(field.ranges_span, message)
                    .label(field.ranges_span, place(field))
                    .label(other.ranges_span, place(other))
                    .help("move one of the fields to bits that no other field claims")
                    .code(codes::OVERLAP);
                self.report(diagnostic);
            }
        }
    }

    fn attributes(&mut self, fields: &[Field]) {
        for field in fields {
            let Some(attribute) = field.name.attribute() else { continue };
            let base = field.name.base();
            if field.name.is_control() || fields.iter().any(|other| other.name.text == base) {
                continue;
            }
            let names: Vec<&str> = fields
                .iter()
                .filter(|other| other.name.attribute().is_none())
                .map(|other| other.name.text.as_str())
                .collect();
            let message =
                format!("attribute `{attribute}` belongs to `{base}`, which has no field");
            let otherwise = "declare the field that the attribute modifies";
            let diagnostic = undeclared(field.name.span, message, base, &names, otherwise);
            self.report(diagnostic.code(codes::OPERAND));
        }
    }
}

/// Stands for a type that is not declared.
fn unknown_type(decl: &FieldDecl) -> Arc<Type> {
    Arc::new(Type {
        name: decl.type_name.text.clone(),
        width: None,
        kind: TypeKind::Enumeration(Enumeration { open: true, values: Vec::new() }),
        span: decl.type_name.span,
        source: decl.source,
    })
}
