//! Variables of a module, as hosts see them.

use crate::demangle::plain_name;
use crate::device::{Buffer, Device};
use crate::element::{ElementType, Kind, element_of};
use crate::error::{Error, Stage};
use crate::launch::{Arg, Misfit, Place, bytes_of, shown};
use crate::module::{Module, say_which};
use crate::names::{self, Found};
use diag::{Class, Diagnostic, Severity};
use ptx::NamedVariable;
use ptx::syntax::{ScalarType, Space};
use std::sync::Arc;

/// A `.global` or `.const` variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    declared: NamedVariable,
}

impl Variable {
    /// Its name in the module, mangled if it is one of C++.
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.declared.bytes
    }

    /// The declared type of its elements. Compilers declare arrays as `b8`, whatever they hold.
    pub fn element(&self) -> ElementType {
        element_of(self.declared.ty).unwrap_or(ElementType::B8)
    }

    /// Whether it stands for a texture: a `.texref`, which holds the handle of one.
    pub fn is_texture(&self) -> bool {
        self.declared.ty == ScalarType::TexRef
    }

    /// Whether it stands for a surface: a `.surfref`.
    pub fn is_surface(&self) -> bool {
        self.declared.ty == ScalarType::SurfRef
    }

    /// Its declaration without the name, such as `.f32[4]`.
    pub fn declaration(&self) -> String {
        shown(&self.place())
    }

    fn place(&self) -> Place {
        let NamedVariable { ty, bytes, vector, is_array, .. } = self.declared;
        Place { ty, bytes, is_aggregate: is_array || vector > 1 }
    }

    /// Whether `count` elements of a type may be all that it holds.
    ///
    /// # Errors
    /// The size or the type is another; both are named.
    pub fn admits(&self, element: ElementType, count: u64) -> Result<(), String> {
        let bytes = count.saturating_mul(element.bytes() as u64);
        let (name, declaration) = (plain_name(self.name()), self.declaration());
        if bytes != self.bytes() {
            return Err(format!(
                "`{element}[{count}]` has {bytes} bytes, and `{name}`, `{declaration}`, has {}",
                self.bytes()
            ));
        }
        let declared = self.element();
        let fits = match (declared.kind(), element.kind()) {
            (_, Kind::Bits) => true,
            (Kind::Bits, _) => declared.bytes() == 1 || declared.bytes() == element.bytes(),
            (Kind::Unsigned | Kind::Signed, Kind::Unsigned | Kind::Signed) => {
                declared.bytes() == element.bytes()
            }
            (one, other) => one == other && declared.bytes() == element.bytes(),
        };
        match fits {
            true => Ok(()),
            false => Err(format!(
                "`{element}[{count}]` holds {element}, and `{name}` is declared `{declaration}`"
            )),
        }
    }
}

impl Module {
    /// Its `.global` and `.const` variables, in source order.
    pub fn variables(&self) -> impl Iterator<Item = Variable> {
        self.image().variables.iter().map(|declared| Variable { declared: declared.clone() })
    }

    /// A variable by its name in the module, or by that in C++ if only one is called so: `ns::counter`, or `counter`.
    ///
    /// # Errors
    /// There is no such variable, or several.
    pub fn variable(&self, name: &str) -> Result<Variable, Error> {
        let refuse = |message: String, help: Option<String>| {
            let mut error = Diagnostic::new(Severity::Error, Class::BadInput, message);
            error.help = help;
            Err(Error::new(Stage::Launch, Arc::clone(self.sources()), vec![error]))
        };
        let all: Vec<Variable> = self.variables().collect();
        let symbols: Vec<&str> = all.iter().map(Variable::name).collect();
        match names::find(name, &symbols, false) {
            Found::One(nth) => Ok(all[nth].clone()),
            Found::None => {
                let names: Vec<String> =
                    all.iter().map(|variable| plain_name(variable.name())).collect();
                let near = ptx::nearest(name, names.iter().map(String::as_str));
                let help = match (near, names.as_slice()) {
                    (Some(near), _) => format!("did you mean `{near}`?"),
                    (None, []) => {
                        "the module has no variables in global or constant memory".to_owned()
                    }
                    (None, names) => format!("its variables are {}", names.join(", ")),
                };
                refuse(format!("the module has no variable `{name}`"), Some(help))
            }
            Found::Several(several) => {
                let message = format!("the module has several variables `{name}`");
                refuse(message, Some(say_which(&several)))
            }
        }
    }
}

impl Device {
    /// Where a variable of a module stands; loads the module on this device if no kernel of it has run yet. It is read and written
    /// like any buffer, and keeps its initial value until then. `None` if the module has none of this name
    /// ([`Module::variable`] says why).
    ///
    /// # Errors
    /// The module's variables do not fit.
    pub fn variable(&self, module: &Module, name: &str) -> Result<Option<Buffer>, Error> {
        let Ok(variable) = module.variable(name) else { return Ok(None) };
        let base = self.load_image(module.image())?;
        let NamedVariable { offset, bytes, .. } = variable.declared;
        Ok(Some(Buffer { address: base + offset, bytes, element: None }))
    }

    /// Gives a variable of a module a value, as a parameter of its type would take it.
    ///
    /// # Errors
    /// There is no such variable, or the value does not fit it.
    pub fn set_variable(&self, module: &Module, name: &str, value: &Arg) -> Result<(), Error> {
        let variable = module.variable(name)?;
        let place = variable.place();
        let raw = match value {
            // Compilers declare structures and arrays as bytes.
            Arg::Scalar(scalar)
                if place.is_aggregate
                    && place.ty == ScalarType::B8
                    && place.bytes == scalar.ty().bytes() as u64 =>
            {
                Ok(scalar.bits().to_le_bytes()[..scalar.ty().bytes()].to_vec())
            }
            _ => bytes_of(value, &place),
        };
        let bytes = raw.map_err(|(why, help): Misfit| {
            let name = plain_name(variable.name());
            let space = match variable.declared.space {
                Space::Const => "constant",
                _ => "global",
            };
            let message = format!("the value does not fit the {space} variable `{name}`: {why}");
            let span = variable.declared.span;
            let mut error = Diagnostic::error(span, message).label(span, "the variable");
            error.help = help;
            Error::new(Stage::Launch, Arc::clone(module.sources()), vec![error])
        })?;
        match self.variable(module, name)? {
            Some(buffer) => self.write(buffer, 0, &bytes),
            None => Ok(()),
        }
    }
}
