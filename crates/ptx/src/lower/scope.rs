//! What names mean at a point of a kernel.

use super::errors::Result;
use super::frames::Targets;
use super::layout::{self, Image, NamedVariable, Places};
use super::names::RegisterNames;
use crate::nearest::nearest;
use crate::special;
use crate::syntax::ast::{self, Function, FunctionKind, Item, Name};
use crate::syntax::{Linkage, ScalarType, Space};
use diag::{Diagnostic, Span};
use ir::{BlockId, Reg};
use std::collections::HashMap;
use std::sync::Arc;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A declared register, by index.
    Register(usize),
    /// A declared register of vector type, with so many elements: registers called `name.x`, `name.y` and so on.
    Vector(u8),
    /// A variable or parameter, by index.
    Variable(usize),
    /// A label.
    Label(BlockId),
    /// A function, by index.
    Function(usize),
    /// A special register.
    Special,
}

/// A declared register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub(super) ty: ScalarType,
    /// Its virtual register, once it is used.
    pub(super) reg: Option<Reg>,
    /// In the place of it, of 128 bits: its low half and its high half.
    pub(super) halves: Option<[Reg; 2]>,
}

/// A variable with an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) space: Space,
    pub(super) offset: u64,
    /// Holds where the frame begins from which the offset counts; `None` where that is at 0.
    pub(super) base: Option<Reg>,
}

/// Where a variable stands, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placing {
    /// Here.
    At(Variable),
    /// In dynamic shared memory.
    Dynamic,
    /// Nowhere that is known: the variable whose name stands here cannot be used.
    Missing(Span),
    /// A shared variable of the module: it gets its place when the kernel first uses it.
    ModuleShared { bytes: u64, align: u64 },
}

/// `%r<N>`: `N` registers of one type, of which only those that are used come into being.
#[derive(Clone, Debug)]
struct Range {
    prefix: Name,
    count: u32,
    ty: ScalarType,
    vector: Option<u8>,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    names: HashMap<String, (Entity, Span)>,
    ranges: Vec<Range>,
    /// What tables of labels lead to, by their own labels.
    tables: HashMap<String, Vec<BlockId>>,
}

/// The scopes of a function that waits for one that it called.
#[derive(Debug)]
pub(super) struct CallerScopes(Vec<Scope>);

/// Nested scopes, innermost last; the first is the module's.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    pub(super) registers: Vec<Register>,
    /// What those are called that have come into being.
    pub(super) register_names: RegisterNames,
    pub(super) variables: Vec<Placing>,
    /// The type of one scalar of each variable.
    pub(super) scalars: Vec<ScalarType>,
    /// The local variables of the module, which modules before PTX 3.0 can have, by index.
    pub(super) module_locals: Vec<(usize, ast::Variable)>,
    /// Whether registers of vector type are declared.
    pub(super) has_vectors: bool,
    pub(super) functions: Vec<DeclaredFunction>,
    places: Arc<Places>,
    /// Shared variables whose place is not known from the start, by index.
    pub(super) unplaced: HashMap<usize, NamedVariable>,
}

/// A function of the module.
#[derive(Clone, Debug)]
pub(super) struct DeclaredFunction {
    /// Its definition, or a declaration if there is none.
    pub(super) function: Arc<Function>,
    /// Its address; `None` where it is no kernel and the module never takes it.
    pub(super) address: Option<u64>,
}

impl DeclaredFunction {
    /// Whether a call through a register can reach it that goes to one of these; `None` is all.
    pub(super) fn can_be(&self, targets: Option<&Targets>) -> bool {
        self.function.kind == FunctionKind::Func
            && self.address.is_some()
            && targets.is_none_or(|targets| targets.has(&self.function))
    }
}

impl Scopes {
    /// The scope of a module. Names declared twice are the module's business and reported elsewhere.
    pub(super) fn new(module: &ast::Module, image: &Image) -> Self {
        let mut scopes = Scopes {
            scopes: vec![Scope::default()],
            registers: Vec::new(),
            register_names: RegisterNames::default(),
            variables: Vec::new(),
            scalars: Vec::new(),
            module_locals: Vec::new(),
            has_vectors: false,
            functions: Vec::new(),
            places: Arc::clone(image.places()),
            unplaced: HashMap::new(),
        };
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    let (names, name) = (&mut scopes.scopes[0].names, &function.name);
                    let known = names.get(&**name);
                    // A function may be declared any number of times, and defined once.
                    if let Some((Entity::Function(index), _)) = known {
                        if function.body.is_some() {
                            scopes.functions[*index].function = Arc::clone(function);
                        }
                        continue;
                    }
                    let address = image.function(&function.name);
                    let definition = Arc::clone(function);
                    scopes.functions.push(DeclaredFunction { function: definition, address });
                    let entity = Entity::Function(scopes.functions.len() - 1);
                    names.insert(name.to_string(), (entity, name.span));
                }
                Item::Variable(variable) => {
                    let placing = match variable.space {
                        Space::Shared if variable.linkage == Linkage::Extern => Placing::Dynamic,
                        Space::Shared => Placing::ModuleShared {
                            bytes: layout::bytes(variable).unwrap_or(0),
                            align: layout::alignment(variable),
                        },
                        Space::Global | Space::Const => match scopes.in_image(variable) {
                            Some(placing) => placing,
                            None => continue,
                        },
                        Space::Reg => {
                            // A register declared twice is reported elsewhere.
                            let _ = scopes.declare_register(variable);
                            continue;
                        }
                        // It gets its place with the kernel's own.
                        Space::Local => {
                            let index = scopes.variables.len();
                            scopes.module_locals.push((index, (**variable).clone()));
                            Placing::At(Variable { space: Space::Local, offset: 0, base: None })
                        }
                        Space::Param | Space::Sreg | Space::Tex => continue,
                    };
                    if variable.space == Space::Shared {
                        let named = NamedVariable::of(variable, 0);
                        scopes.unplaced.insert(scopes.variables.len(), named);
                    }
                    scopes.variables.push(placing);
                    scopes.scalars.push(variable.ty);
                    let entity = Entity::Variable(scopes.variables.len() - 1);
                    let names = &mut scopes.scopes[0].names;
                    names.insert(variable.name.to_string(), (entity, variable.name.span));
                }
                Item::Directive(_) => {}
            }
        }
        scopes
    }

    /// Where a global or constant variable stands; `None` if another declaration says it.
    pub(super) fn in_image(&self, variable: &ast::Variable) -> Option<Placing> {
        match self.places.of(variable.name.span) {
            Ok(offset) => Some(Placing::At(Variable { space: variable.space, offset, base: None })),
            Err(Some(_)) => Some(Placing::Missing(variable.name.span)),
            Err(None) => None,
        }
    }

    /// Why a variable, whose name stands at `declared`, cannot be used at `place`.
    pub(super) fn missing(&self, declared: Span, place: Span) -> Diagnostic {
        match self.places.of(declared) {
            Err(Some(missing)) => Diagnostic::unsupported(place, missing.message.clone())
                .label(missing.span, missing.what),
            Ok(_) | Err(None) => Diagnostic::unsupported(place, "this variable has no address"),
        }
    }

    pub(super) fn push(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn pop(&mut self) {
        self.scopes.pop();
    }

    /// Leaves the caller's scopes for those of a function, which sees the module's names and its own.
    pub(super) fn enter_function(&mut self) -> CallerScopes {
        let caller = CallerScopes(self.scopes.split_off(1));
        self.push();
        caller
    }

    /// Goes back to the scopes of the caller.
    pub(super) fn leave_function(&mut self, caller: CallerScopes) {
        self.scopes.truncate(1);
        self.scopes.extend(caller.0);
    }

    /// Declares a table of labels in the innermost scope.
    pub(super) fn declare_table(&mut self, name: &Name, blocks: Vec<BlockId>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tables.insert(name.to_string(), blocks);
        }
    }

    /// What the table of that name leads to here.
    pub(super) fn table(&self, name: &Name) -> Option<&Vec<BlockId>> {
        self.scopes.iter().rev().find_map(|scope| scope.tables.get(&**name))
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, entity: Entity) -> Result {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if let Some((_, first)) = scope.names.get(&**name) {
            let error = Diagnostic::error(name.span, format!("`{name}` is declared twice"))
                .label(name.span, "the second declaration")
                .label(*first, "the first declaration");
            return Err(Box::new(error));
        }
        scope.names.insert(name.to_string(), (entity, name.span));
        Ok(())
    }

    pub(super) fn declare_variable(
        &mut self,
        variable: &ast::Variable,
        placing: Placing,
    ) -> Result {
        self.variables.push(placing);
        self.scalars.push(variable.ty);
        self.declare(&variable.name, Entity::Variable(self.variables.len() - 1))
    }

    /// Declares a register whose virtual register is there already.
    pub(super) fn declare_register_in(&mut self, name: &Name, ty: ScalarType, reg: Reg) -> Result {
        self.registers.push(Register { ty, reg: Some(reg), halves: None });
        self.register_names.add(reg, name);
        self.declare(name, Entity::Register(self.registers.len() - 1))
    }

    /// Declares a register of vector type, whose elements have these virtual registers if they are there already.
    pub(super) fn declare_vector(
        &mut self,
        variable: &ast::Variable,
        count: u8,
        regs: &[Reg],
    ) -> Result {
        self.declare(&variable.name, Entity::Vector(count))?;
        for nth in 0..usize::from(count) {
            let reg = regs.get(nth).copied();
            self.registers.push(Register { ty: variable.ty, reg, halves: None });
            let name = element_name(&variable.name, nth);
            reg.into_iter().for_each(|reg| self.register_names.add(reg, &name));
            self.declare(&name, Entity::Register(self.registers.len() - 1))?;
        }
        self.has_vectors = true;
        Ok(())
    }

    /// Declares a register or a range of them.
    pub(super) fn declare_register(&mut self, variable: &ast::Variable) -> Result {
        let (name, ty, vector) = (&variable.name, variable.ty, variable.vector);
        if !variable.dims.is_empty() {
            let message = "arrays of registers are not implemented";
            return Err(Box::new(Diagnostic::unsupported(variable.span, message)));
        }
        self.has_vectors |= vector.is_some();
        match (variable.range, self.scopes.last_mut(), vector) {
            (Some(count), Some(scope), _) => {
                scope.ranges.push(Range { prefix: name.clone(), count, ty, vector });
                Ok(())
            }
            (_, _, Some(count)) => self.declare_vector(variable, count, &[]),
            _ => {
                self.registers.push(Register { ty, reg: None, halves: None });
                self.declare(name, Entity::Register(self.registers.len() - 1))
            }
        }
    }

    /// What a name means here. Registers of a range come into being when they are first named.
    pub(super) fn find(&mut self, name: &Name) -> Result<Entity> {
        for depth in (0..self.scopes.len()).rev() {
            let scope = &mut self.scopes[depth];
            if let Some((entity, _)) = scope.names.get(&**name) {
                return Ok(*entity);
            }
            let in_range = scope.ranges.iter().find_map(|range| {
                let number = range.number(name).filter(|number| *number < range.count)?;
                Some((format!("{}{number}", range.prefix), range))
            });
            if let Some((canonical, range)) = in_range {
                // `%r01` is `%r1`.
                if let Some((entity, _)) = scope.names.get(&canonical) {
                    return Ok(*entity);
                }
                let (ty, span) = (range.ty, range.prefix.span);
                let entity = match range.vector {
                    Some(count) => {
                        let name = Name::new(canonical.as_str(), span);
                        for nth in 0..usize::from(count) {
                            self.registers.push(Register { ty, reg: None, halves: None });
                            let element = Entity::Register(self.registers.len() - 1);
                            scope
                                .names
                                .insert(element_name(&name, nth).to_string(), (element, span));
                        }
                        Entity::Vector(count)
                    }
                    None => {
                        self.registers.push(Register { ty, reg: None, halves: None });
                        Entity::Register(self.registers.len() - 1)
                    }
                };
                scope.names.insert(canonical, (entity, span));
                return Ok(entity);
            }
        }
        if special::find(name).is_some() {
            return Ok(Entity::Special);
        }
        Err(Box::new(self.undeclared(name)))
    }

    fn undeclared(&self, name: &Name) -> Diagnostic {
        let error = Diagnostic::error(name.span, format!("`{name}` is not declared"));
        let ranges = || self.scopes.iter().flat_map(|scope| &scope.ranges);
        let beyond = ranges().find(|range| range.number(name).is_some());
        if let Some(range) = beyond {
            let Range { prefix, count, .. } = range;
            return error
                .label(
                    prefix.span,
                    format!("`{prefix}<{count}>` declares {count} registers, from 0"),
                )
                .help("declare more registers");
        }
        let declared = self.scopes.iter().flat_map(|scope| scope.names.keys());
        match nearest(name, declared.map(String::as_str)).or_else(|| special::nearest_name(name)) {
            Some(near) => error.help(format!("did you mean `{near}`?")).fix(name.span, near),
            None => error,
        }
    }
}

/// The elements of a vector, and what else they are called (PTX ISA 9.1, 5.4.2 Vectors).
const ELEMENTS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

/// The number of the element that a component names.
pub(super) fn element_number(part: &str) -> Option<usize> {
    ELEMENTS.iter().position(|names| names.contains(&part))
}

/// What the register is called that is an element of a register of vector type. No name of the source has a dot.
pub(super) fn element_name(vector: &Name, nth: usize) -> Name {
    Name::new(format!("{vector}.{}", ELEMENTS[nth % ELEMENTS.len()][0]), vector.span)
}

impl Range {
    /// `n` if the name is the prefix followed by the number `n`. Leading zeros do not count.
    fn number(&self, name: &str) -> Option<u32> {
        let digits = name.strip_prefix(&*self.prefix)?;
        let number = digits.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| digits.parse().ok()).flatten()
    }
}
