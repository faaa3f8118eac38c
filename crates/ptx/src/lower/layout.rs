//! Sizes and places of variables, and the image of a module's global and constant variables.

use super::addressed::{addressed, reads_special};
use super::demands::concerns_clusters;
use super::errors::Result;
use super::opaque;
use super::variables::{Declared, Missing, Variables};
use crate::special;
use crate::syntax::ast::{
    Constant, Init, InitKind, Module, Statement, StatementKind, Variable, kernels,
};
use crate::syntax::{ScalarType, Space};
use diag::{Diagnostic, Span};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the largest image.
const MAX_IMAGE: u64 = 1 << 32;

/// `value` rounded up to a multiple of a power of two.
pub(crate) fn align_up(value: u64, align: u64) -> u64 {
    value.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX)
}

/// Bytes of one scalar in memory.
pub(super) fn scalar_bytes(ty: ScalarType) -> u64 {
    u64::from(ty.bits()).div_ceil(8)
}

/// Bytes of a variable; `None` where its size is open, or absurd.
pub(crate) fn bytes(variable: &Variable) -> Option<u64> {
    let element = scalar_bytes(variable.ty) * u64::from(variable.vector.unwrap_or(1));
    let mut dims = variable.dims.iter();
    let open_first = matches!(dims.clone().next(), Some(None));
    let first = match (open_first, &variable.init) {
        (false, _) => 1,
        (true, Some(Init { kind: InitKind::List(elements), .. })) => elements.len() as u64,
        (true, _) => return None,
    };
    if open_first {
        dims.next();
    }
    let count = dims.try_fold(first, |count, dim| count.checked_mul((*dim)?))?;
    count.checked_mul(element).filter(|bytes| *bytes < MAX_IMAGE)
}

/// Alignment of a variable in bytes: as declared, else that of its element.
pub(crate) fn alignment(variable: &Variable) -> u64 {
    let natural = scalar_bytes(variable.ty) * u64::from(variable.vector.unwrap_or(1));
    variable.align.map_or(natural, u64::from).max(1)
}

/// Whose a variable in shared memory is, in the order in which the assembler lays them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedOf {
    /// The kernel declares it.
    Kernel,
    /// The module does.
    Module,
    /// A function that the kernel calls does.
    Function,
}

/// A variable in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedVariable {
    pub(super) of: SharedOf,
    /// Where it is declared.
    pub(super) declared: Span,
    pub(super) bytes: u64,
    pub(super) align: u64,
}

/// Bytes of variables that lie one behind the other without gaps, each a size and an alignment.
pub(crate) fn packed(variables: impl IntoIterator<Item = (u64, u64)>) -> u64 {
    variables.into_iter().fold(0, |end, (bytes, align)| align_up(end, align).saturating_add(bytes))
}

/// Shared memory while it is laid out: one variable behind the other, with gaps that nothing may access.
#[derive(Debug, Default)]
pub(super) struct SharedMemory {
    pub(super) variables: Vec<SharedVariable>,
    end: u64,
    gaps: Vec<Range<u64>>,
    /// Whether dynamic shared memory is used, which follows.
    dynamic: bool,
}

impl SharedMemory {
    /// Where a variable comes to stand.
    pub(super) fn variable(&mut self, variable: SharedVariable) -> u64 {
        self.variables.push(variable);
        self.place(variable.bytes, variable.align)
    }

    /// Where so many bytes come to stand.
    pub(super) fn place(&mut self, bytes: u64, align: u64) -> u64 {
        // Arrays on the lines of memory are what detectors are fast with.
        let start = self.gap(if bytes >= LINE { align.max(LINE) } else { align });
        self.end = start.saturating_add(bytes);
        start
    }

    /// Dynamic shared memory follows all variables.
    pub(super) fn use_dynamic(&mut self) {
        self.dynamic = true;
    }

    /// The size of all, aligned for any access, and the gaps.
    pub(super) fn finish(mut self) -> (u64, Vec<Range<u64>>) {
        if self.dynamic {
            self.end = self.gap(if self.end == 0 { DYNAMIC_ALIGN } else { LINE });
        }
        let size = align_up(self.end, DYNAMIC_ALIGN);
        self.gaps.push(self.end..size);
        self.gaps.retain(|gap| !gap.is_empty());
        (size, self.gaps)
    }

    /// Where the next variable may begin.
    fn gap(&mut self, align: u64) -> u64 {
        let gap = if self.end == 0 { 0 } else { GAP };
        let start = align_up(self.end.saturating_add(gap), align);
        self.gaps.push(self.end..start);
        start
    }
}

/// Bytes that a warp accesses at once, if each lane accesses a word.
const LINE: u64 = 128;

/// Bytes to which dynamic shared memory is aligned, at least.
const DYNAMIC_ALIGN: u64 = 16;

/// The bytes of a variable in memory.
///
/// # Errors
/// The variable has no size.
pub(super) fn size(variable: &Variable) -> Result<u64> {
    let message = "this variable has no size";
    bytes(variable).ok_or_else(|| Box::new(Diagnostic::error(variable.span, message)))
}

/// Variables while they are laid out: one behind the other, with gaps around arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub(super) end: u64,
    /// Whether the last variable is an array.
    array: bool,
}

impl Row {
    /// Goes on at an address that is aligned.
    pub(super) fn align(self, align: u64) -> Row {
        Row { end: align_up(self.end, align), ..self }
    }

    /// Where a variable comes to stand.
    ///
    /// # Errors
    /// The variable has no size.
    pub(super) fn place(&mut self, variable: &Variable) -> Result<Range<u64>> {
        let bytes = size(variable)?;
        let array = !variable.dims.is_empty();
        let gap = if self.end > 0 && (array || self.array) { GAP } else { 0 };
        let start = align_up(self.end.saturating_add(gap), alignment(variable));
        *self = Row { end: start.saturating_add(bytes), array };
        Ok(start..self.end)
    }
}

/// Where the variables of a body that live in local memory end, if they begin at `start`: those of its local space,
/// and those that it passes to functions.
pub(super) fn end_of_locals(start: Row, body: &[Statement]) -> Row {
    body.iter().fold(start, |mut end, statement| match &statement.kind {
        StatementKind::Block(inner) => end_of_locals(end, inner),
        StatementKind::Variable(variable)
            if matches!(variable.space, Space::Local | Space::Param) =>
        {
            // A variable without a size is reported where it is declared.
            let _ = end.place(variable);
            end
        }
        _ => end,
    })
}

/// An address inside the image that depends on where the image stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the field in the image.
    pub at: u64,
    /// Bytes of the field.
    pub bytes: u32,
    /// Offset in the image that the address means.
    pub target: u64,
    /// How far right the address is shifted before its low bytes are stored.
    pub shift: u32,
}

/// A variable of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Where it begins in the image.
    pub offset: u64,
    /// Bytes that it has.
    pub bytes: u64,
    /// Whether kernels may only read it.
    pub constant: bool,
}

/// A variable as hosts and reports know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVariable {
    /// Its name in the module.
    pub name: String,
    /// Its space: global, constant or shared.
    pub space: Space,
    /// Offset in the image, or in shared memory.
    pub offset: u64,
    /// Its size; 0 for dynamic shared memory, which is as large as the launch says.
    pub bytes: u64,
    /// The type of one scalar.
    pub ty: ScalarType,
    /// Scalars of an element: more than 1 in arrays of vectors.
    pub vector: u32,
    /// Whether it has dimensions.
    pub is_array: bool,
    /// Where it is declared.
    pub span: Span,
}

impl NamedVariable {
    /// A declared variable.
    pub(super) fn of(variable: &Variable, offset: u64) -> NamedVariable {
        NamedVariable {
            name: variable.name.to_string(),
            space: variable.space,
            offset,
            bytes: bytes(variable).unwrap_or(0),
            ty: variable.ty,
            vector: u32::from(variable.vector.unwrap_or(1)),
            is_array: !variable.dims.is_empty(),
            span: variable.name.span,
        }
    }

    /// The size of an element; `None` for arrays of `.b8`, as compilers declare everything that has no name in PTX.
    pub fn element(&self) -> Option<u64> {
        let untyped = self.is_array && self.ty == ScalarType::B8;
        (!untyped).then(|| scalar_bytes(self.ty) * u64::from(self.vector))
    }
}

/// The global and constant variables of a module: where each stands in one block, and what it holds.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The variables.
    pub objects: Vec<Object>,
    /// What is not zero: offset and bytes.
    pub contents: Vec<(u64, Vec<u8>)>,
    /// The variables by name, in source order.
    pub variables: Vec<NamedVariable>,
    /// Bytes of the constant ones as the assembler counts them, which lie without gaps.
    pub constant_bytes: u64,
    /// Addresses in it.
    pub relocations: Vec<Relocation>,
    /// Offsets from the first constant variable to the end of the last. No global variable lies between.
    pub(super) constants: Range<u64>,
    /// Where the barrier of the grid stands, if something reads where it is.
    pub(super) grid_workspace: Option<u64>,
    /// Whether its instructions have to do with clusters of CTAs.
    pub(super) clusters: bool,
    /// The variables of the module by name.
    offsets: HashMap<String, u64>,
    places: Arc<Places>,
    /// The names of the variables of functions, by offset.
    functions: HashMap<String, u64>,
}

/// Where the variables of an image stand, by the places of their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    offsets: HashMap<Span, u64>,
    missing: HashMap<Span, Missing>,
}

impl Places {
    /// The offset of a variable in the image.
    ///
    /// # Errors
    /// Why it cannot be used; `None` if it is declared only and stands elsewhere in the module.
    pub(super) fn of(&self, variable: Span) -> std::result::Result<u64, Option<&Missing>> {
        match self.missing.get(&variable) {
            Some(missing) => Err(Some(missing)),
            None => self.offsets.get(&variable).copied().ok_or(None),
        }
    }
}

/// The address of the first function, and what lies between one and the next. No memory is there.
const FUNCTIONS: u64 = 64;
const FUNCTION: u64 = 16;

/// Bytes between variables, at least, so that an access past the end of one does not reach the next.
pub(super) const GAP: u64 = 64;

impl Image {
    /// Lays out the variables of a module. Variables whose initial values make no sense are reported.
    pub fn of(module: &Module, errors: &mut Vec<Diagnostic>) -> Image {
        let mut image = Image { clusters: concerns_clusters(module), ..Image::default() };
        let kernels = kernels(module).map(|kernel| kernel.name.to_string());
        for name in kernels.chain(addressed(module)) {
            let next = FUNCTIONS + FUNCTION * image.functions.len() as u64;
            image.functions.entry(name).or_insert(next);
        }
        let variables = Variables::of(module);
        let mut places = Places { offsets: HashMap::new(), missing: variables.missing() };
        let mut end = 0;
        let is_constant = |declared: &Declared<'_>| declared.variable.space == Space::Const;
        let constants = variables.defined().filter(is_constant);
        let globals = variables.defined().filter(|declared| !is_constant(declared));
        for declared in constants.chain(globals) {
            let variable = declared.variable;
            let Some(bytes) = bytes(variable) else {
                let message = format!("`{}` has no size that memory could hold", variable.name);
                errors.push(Diagnostic::unsupported(variable.span, message));
                continue;
            };
            let offset = align_up(end + GAP, alignment(variable).max(16));
            end = offset.saturating_add(bytes);
            if end > MAX_IMAGE {
                let message = "the module's variables need more than 4 GiB";
                errors.push(Diagnostic::error(variable.span, message));
                return image;
            }
            let constant = is_constant(&declared);
            if constant {
                let first = image.objects.first().map_or(offset, |object| object.offset);
                image.constants = first..end;
                image.constant_bytes =
                    align_up(image.constant_bytes, alignment(variable)).saturating_add(bytes);
            }
            image.objects.push(Object { offset, bytes, constant });
            image.variables.push(NamedVariable::of(variable, offset));
            places.offsets.insert(variable.name.span, offset);
            if variables.is_of_module(declared) {
                image.offsets.insert(variable.name.to_string(), offset);
            }
        }
        image.variables.sort_by_key(|variable| (variable.span.file, variable.span.start));
        if reads_special(module, special::Value::is_grid_workspace) {
            let offset = align_up(end + GAP, 16);
            let (bytes, constant) = (special::GRID_WORKSPACE, false);
            image.objects.push(Object { offset, bytes, constant });
            image.grid_workspace = Some(offset);
        }
        for declared in variables.defined() {
            let variable = declared.variable;
            let offset = places.offsets.get(&variable.name.span);
            if let (ScalarType::SamplerRef, [], Some(offset)) =
                (variable.ty, &*variable.dims, offset)
            {
                image.contents.push((*offset, opaque::handle(variable).to_le_bytes().to_vec()));
                continue;
            }
            let (Some(init), Some(offset)) = (&variable.init, offset.copied()) else { continue };
            let (limit, data) = (bytes(variable).unwrap_or(0), Vec::new());
            let (image, of) = (&mut image, (&variables, declared));
            let mut writer = Writer { image, of, places: &places, at: offset, limit, data, errors };
            let dims: Vec<u64> = variable.dims.iter().map(|dim| dim.unwrap_or(0)).collect();
            writer.value(variable, init, &dims);
            let mut data = std::mem::take(&mut writer.data);
            data.truncate(limit as usize);
            writer.image.contents.push((offset, data));
        }
        image.places = Arc::new(places);
        image
    }

    /// Where its variables stand.
    pub(super) fn places(&self) -> &Arc<Places> {
        &self.places
    }

    /// The address of a function; `None` where it is no kernel and the module never takes it.
    pub(super) fn function(&self, name: &str) -> Option<u64> {
        self.functions.get(name).copied()
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<&str> {
        let mut functions = self.functions.iter();
        functions.find(|(_, at)| **at == address).map(|(name, _)| name.as_str())
    }

    /// The offset of a variable of the module.
    pub fn offset(&self, name: &str) -> Option<u64> {
        self.offsets.get(name).copied()
    }
}

/// Writes an initial value from `at` on.
struct Writer<'a> {
    image: &'a mut Image,
    /// The variable, among all.
    of: (&'a Variables<'a>, Declared<'a>),
    places: &'a Places,
    at: u64,
    /// Bytes of the variable; what an initial value has beyond them is dropped.
    limit: u64,
    data: Vec<u8>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Writer<'_> {
    fn value(&mut self, variable: &Variable, init: &Init, dims: &[u64]) {
        let width = scalar_bytes(variable.ty) as usize;
        match &init.kind {
            InitKind::List(elements) => {
                let inner = dims.get(1..).unwrap_or(&[]);
                let start = self.data.len();
                let element = width as u64 * u64::from(variable.vector.unwrap_or(1));
                let below = inner.iter().fold(element, |bytes, dim| bytes.saturating_mul(*dim));
                for (nth, element) in elements.iter().enumerate() {
                    if matches!(element.kind, InitKind::List(_)) {
                        // A nested list fills its row, whatever it leaves out.
                        self.value(variable, element, inner);
                        let end = below.saturating_mul(nth as u64 + 1).saturating_add(start as u64);
                        if end <= self.limit {
                            self.data.resize(self.data.len().max(end as usize), 0);
                        }
                    } else {
                        self.value(variable, element, inner);
                    }
                }
            }
            InitKind::Constant(constant) => {
                let bits = match (constant, variable.ty) {
                    (Constant::Int { bits, .. }, _) => *bits,
                    (Constant::F32(bits), ScalarType::F64) => {
                        ir::UnaryOp::F32ToF64.eval([u64::from(*bits)])
                    }
                    (Constant::F32(bits), _) => u64::from(*bits),
                    (Constant::F64(bits), ScalarType::F32) => {
                        ir::UnaryOp::F64ToF32(ir::Round::NearestEven).eval([*bits])
                    }
                    (Constant::F64(bits), _) => *bits,
                };
                self.data.extend_from_slice(&bits.to_le_bytes()[..width.min(8)]);
            }
            // The variable counts as missing.
            InitKind::Field(_) => {}
            InitKind::Address(address) => {
                if let Some(function) = self.image.function(&address.name) {
                    let value = function.wrapping_add(address.offset.cast_unsigned());
                    self.data.extend_from_slice(&value.to_le_bytes()[..width.min(8)]);
                    return;
                }
                let (variables, declared) = self.of;
                let named = variables.named(address, declared);
                let target = match named.map(|named| self.places.of(named.name.span)) {
                    Some(Ok(offset)) => offset,
                    // The variable that holds the address is missing, too.
                    Some(Err(Some(_))) => {
                        self.data.resize(self.data.len() + width, 0);
                        return;
                    }
                    Some(Err(None)) | None => {
                        let message = format!("`{}` has no address in this module", address.name);
                        self.errors.push(Diagnostic::unsupported(init.span, message));
                        return;
                    }
                };
                let shift = address.mask.map_or(0, u64::trailing_zeros);
                let at = self.at + self.data.len() as u64;
                let target = target.wrapping_add(address.offset.cast_unsigned());
                let bytes = width.min(8) as u32;
                self.image.relocations.push(Relocation { at, bytes, target, shift });
                self.data.resize(self.data.len() + width, 0);
            }
        }
    }
}
