//! A kernel of a parsed module as warp IR.
//!
//! [`lower_kernel`] walks the statements of a kernel in order. Declarations open names (module `scope`),
//! labels become blocks, and each instruction is handed to the lowering of the catalogue form that it is
//! written in, which emits IR through [`Lowering`].

mod addressed;
mod call;
mod call_graph;
mod clusters;
mod demands;
mod errors;
mod frames;
mod functions;
mod labels;
pub(crate) mod layout;
mod lines;
mod lowering;
mod names;
mod opaque;
mod operands;
mod routine;
mod routines;
mod scope;
mod service;
mod stack;
mod variables;
mod vectors;
mod wide;

pub use crate::catalogue::Matched as Inst;
pub use crate::syntax::ast::kernels;
pub use crate::types::class_of;
pub use errors::Result;
pub use layout::{Image, NamedVariable, Object, Relocation};
pub use lines::SourceLines;
pub use lowering::{Lowering, Param};
pub use names::RegisterNames;
pub use operands::Extend;
pub use scope::Entity;
pub(crate) use service::is_service;

use crate::catalogue;
use crate::special;
use crate::syntax::ast::{
    self, Function, Instruction, Name, Statement, StatementKind, each_statement,
};
use crate::syntax::{Linkage, ScalarType, Space};
use crate::target::{self, Target};
use call_graph::CallGraph;
use demands::{CLUSTERS_SINCE, cluster_limits, register_limit, thread_limits};
use diag::{Diagnostic, Span};
use errors::{Errors, MAX_DEPTH, too_deep};
use frames::{LocalFrame, Targets};
use ir::{BlockId, Builder, ClusterLimits, Kernel, Place, Pred, Reg, Terminator, WarpRules};
use layout::{Row, SharedMemory, SharedOf, SharedVariable, align_up};
use routine::Routines;
use scope::{Placing, Scopes};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A kernel ready to run, with what the host must know of it.
#[derive(Clone, Debug)]
pub struct LoweredKernel {
    /// The code.
    pub kernel: Arc<Kernel>,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The variables in shared memory that it uses.
    pub shared: Vec<NamedVariable>,
    /// Bytes of static shared memory of a CTA, as the assembler counts them.
    pub static_shared: u64,
    /// The source text of each [`Place`].
    pub places: Vec<Span>,
    /// The source line of each [`Place`], as far as the module tells.
    pub lines: SourceLines,
    /// The registers that are declared one by one, in order; `None` for those that nothing uses.
    pub registers: Vec<Option<Reg>>,
    /// What registers are called in the text.
    pub register_names: RegisterNames,
    /// The names of the functions that are lowered once, by the numbers that [`ir::Service::StackOverflow`] tells.
    pub functions: Vec<String>,
    /// What is wrong where a [`Terminator::Trap`] is not the `trap` instruction: a sentence.
    pub stops: HashMap<Place, &'static str>,
    /// The most registers that a thread may have, as the kernel says (`.maxnreg`).
    pub max_registers: Option<u32>,
}

/// Lowers a kernel of a module.
///
/// # Errors
/// Every instruction and declaration that cannot be lowered, each with its place.
pub fn lower_kernel(
    module: &ast::Module,
    image: &Image,
    target: Target,
    function: &Function,
) -> std::result::Result<LoweredKernel, Vec<Diagnostic>> {
    let rules = if target.sm < 70 { WarpRules::Lockstep } else { WarpRules::Independent };
    let mut lowering = Lowering {
        b: Builder::new(function.name.as_str(), rules),
        relaxed: false,
        scopes: Scopes::new(module, image),
        places: vec![function.name.span],
        lines: SourceLines::new(module, function.name.as_str()),
        params: Vec::new(),
        param_row: Row::default(),
        param_bytes: 0,
        shared_memory: SharedMemory::default(),
        shared: HashMap::new(),
        shared_variables: Vec::new(),
        dynamic: None,
        reserved_shared: None,
        grid_workspace: image.grid_workspace,
        clusters: image.clusters && target.sm >= CLUSTERS_SINCE,
        flushes: declared(module).is_some_and(|sm| sm < SUBNORMALS),
        constants: image.constants.clone(),
        local_bytes: 0,
        frame: LocalFrame::default(),
        base: None,
        align: 1,
        call_graph: CallGraph::default(),
        routines: Routines::default(),
        stack: None,
        frames: Vec::new(),
        calls: Vec::new(),
        targets: HashMap::new(),
        table_entries: 0,
        stops: HashMap::new(),
        carry: None,
        qualifiers: HashMap::new(),
        depth: 0,
        errors: Errors::default(),
    };
    lowering.function(function);
    lowering.finish(function, cluster_limits(function, target)?)
}

/// The first architecture with subnormal numbers of binary32. For those before, code flushes them on whatever it runs.
const SUBNORMALS: u32 = 20;

/// The architecture that a module says it is for.
fn declared(module: &ast::Module) -> Option<u32> {
    module.target.iter().flat_map(|target| &target.names).find_map(|name| target::sm_number(name))
}

impl Lowering {
    fn function(&mut self, function: &Function) {
        self.call_graph = CallGraph::of(function, &self.scopes.functions);
        let (first, mut kernel) = (self.b.current(), self.b.current());
        if !self.call_graph.is_plain() {
            kernel = self.b.block();
            self.b.switch_to(kernel);
        }
        if self.call_graph.needs_stack() {
            self.open_stack();
        }
        self.scopes.push();
        for param in &function.params {
            self.parameter(param);
        }
        let body = function.body.as_deref().unwrap_or_default();
        self.frame = self.kernel_frame(body);
        self.local_bytes = self.frame.bytes();
        self.statements(body);
        self.scopes.pop();
        let frame = std::mem::take(&mut self.frame);
        self.routines.kernel_frame = self.frames.len();
        self.frames.push(frame.closed(self.places.len()));
        if kernel != first {
            let bytes = self.local_bytes;
            self.lower_routines();
            self.finish_routines([first, kernel], bytes);
        }
    }

    /// The frame of a kernel: the local variables of the module, then those of its body.
    fn kernel_frame(&mut self, body: &[Statement]) -> LocalFrame {
        let mut frame = LocalFrame::default();
        for (index, variable) in std::mem::take(&mut self.scopes.module_locals) {
            match frame.place(&variable) {
                Ok(offset) => {
                    let placed = scope::Variable { space: Space::Local, offset, base: None };
                    self.scopes.variables[index] = Placing::At(placed);
                }
                Err(error) => self.error(*error),
            }
        }
        frame.open(body);
        frame
    }

    /// Bytes of the variables in shared memory that the kernel uses, as the assembler counts them.
    fn static_shared(&mut self, kernel: &Function) -> u64 {
        let mut own = HashSet::new();
        each_statement(kernel.body.as_deref().unwrap_or_default(), &mut |statement| {
            if let StatementKind::Variable(variable) = &statement.kind {
                own.insert(variable.name.span);
            }
        });
        let mut all = std::mem::take(&mut self.shared_memory.variables);
        for variable in all.iter_mut().filter(|it| own.contains(&it.declared)) {
            variable.of = SharedOf::Kernel;
        }
        all.sort_by_key(|variable| (variable.of, variable.declared));
        layout::packed(all.iter().map(|variable| (variable.bytes, variable.align)))
    }

    fn finish(
        mut self,
        function: &Function,
        cluster: ClusterLimits,
    ) -> std::result::Result<LoweredKernel, Vec<Diagnostic>> {
        let threads = thread_limits(function);
        let reserved = self.reserved_shared.map_or(0, |_| special::RESERVED_SHARED);
        let static_shared = reserved.saturating_add(self.static_shared(function));
        let (shared_bytes, gaps) = self.shared_memory.finish();
        let sizes = [self.param_row.end, shared_bytes, self.local_bytes].map(u32::try_from);
        let [Ok(param_bytes), Ok(shared_bytes), Ok(local_bytes)] = sizes else {
            let message = "the kernel's variables need more than 4 GiB";
            self.errors.push(Diagnostic::error(function.name.span, message));
            return Err(self.errors.finish().err().unwrap_or_default());
        };
        self.errors.finish()?;
        let mut kernel = self.b.finish();
        kernel.param_bytes = param_bytes;
        kernel.shared_bytes = shared_bytes;
        // All of shared memory has fewer than 4 GiB.
        kernel.shared_gaps = gaps.iter().map(|gap| gap.start as u32..gap.end as u32).collect();
        if let Some(start) = self.reserved_shared {
            kernel.system_shared = start as u32..(start + special::RESERVED_SHARED) as u32;
        }
        kernel.local_bytes = local_bytes;
        kernel.frames = self.frames;
        kernel.has_stack = self.stack.is_some();
        let params = self.params.iter().map(|param| param.offset..param.offset + param.bytes);
        kernel.param_gaps = ir::gaps(params);
        kernel.threads = threads;
        kernel.cluster = cluster;
        kernel.drop_unread_results();
        if let Err(why) = ir::verify(&kernel) {
            let message = format!("this kernel was lowered wrongly: {why}");
            let bug = Diagnostic::new(diag::Severity::Error, diag::Class::Bug, message);
            return Err(vec![bug.label(function.name.span, "")]);
        }
        let registers = self.scopes.registers.iter().map(|register| register.reg).collect();
        let register_names = self.scopes.register_names.finish();
        let name = |routine: &routine::Routine| routine.function.name.to_string();
        let functions = self.routines.all.iter().map(name).collect();
        let Lowering { params, places, lines, dynamic, shared_variables: mut shared, .. } = self;
        if let Some(dynamic) = dynamic {
            shared.push(NamedVariable { offset: u64::from(kernel.shared_bytes), ..dynamic });
        }
        let kernel = Arc::new(kernel);
        Ok(LoweredKernel {
            kernel,
            params,
            shared,
            static_shared,
            places,
            lines,
            registers,
            register_names,
            functions,
            stops: self.stops,
            max_registers: register_limit(function),
        })
    }

    fn parameter(&mut self, variable: &ast::Variable) {
        let Ok(place) = self.param_row.place(variable) else {
            let message = "this parameter has no size";
            return self.error(Diagnostic::error(variable.span, message));
        };
        let bytes = place.end - place.start;
        let without_gaps = align_up(self.param_bytes, layout::alignment(variable));
        self.param_bytes = without_gaps.saturating_add(bytes);
        if self.param_bytes > 1 << 16 {
            let message = "the parameters need more than 65,536 bytes";
            return self.error(Diagnostic::error(variable.span, message));
        }
        self.params.push(Param {
            name: variable.name.to_string(),
            ty: variable.ty,
            offset: place.start as u32,
            block_offset: without_gaps as u32,
            align: layout::alignment(variable) as u32,
            bytes: bytes as u32,
            is_aggregate: !variable.dims.is_empty() || variable.vector.is_some(),
            is_pointer: variable.ptr.is_some(),
            span: variable.span,
        });
        let placing =
            Placing::At(scope::Variable { space: Space::Param, offset: place.start, base: None });
        let declared = self.scopes.declare_variable(variable, placing);
        self.report(declared);
    }

    /// Whether one more block or call may be opened in the ones that are open.
    fn has_depth(&self) -> bool {
        self.depth < MAX_DEPTH
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.open_labels(statements);
        for statement in statements {
            if self.errors.is_full() {
                return;
            }
            match &statement.kind {
                StatementKind::Block(_) if !self.has_depth() => {
                    self.error(too_deep(statement.span));
                }
                StatementKind::Block(inner) => {
                    self.depth += 1;
                    self.scopes.push();
                    self.statements(inner);
                    self.scopes.pop();
                    self.depth -= 1;
                }
                StatementKind::Variable(variable) => {
                    let declared = self.declare(variable);
                    self.report(declared);
                }
                StatementKind::Label(name) => {
                    if let Ok(Entity::Label(block)) = self.scopes.find(name) {
                        self.enter(block);
                    }
                }
                StatementKind::Instruction(instruction) => {
                    let lowered = self.instruction(instruction);
                    self.report(lowered);
                }
                StatementKind::Loc(loc) => self.lines.enter(loc),
                StatementKind::CallPrototype(prototype) => {
                    self.targets.insert(prototype.label.to_string(), Targets::like(prototype));
                }
                StatementKind::CallTargets(table) => {
                    self.targets.insert(table.label.to_string(), Targets::among(table));
                }
                StatementKind::BranchTargets(table) => {
                    let declared = self.declare_table(table);
                    self.report(declared);
                }
                StatementKind::Pragma(_) => {}
            }
        }
    }

    /// Labels are known in their whole scope, before and after the place where they stand.
    fn open_labels(&mut self, statements: &[Statement]) {
        for statement in statements {
            if let StatementKind::Label(name) = &statement.kind {
                let block = self.b.block();
                let declared = self.scopes.declare(name, Entity::Label(block));
                self.report(declared);
            }
        }
    }

    fn declare(&mut self, variable: &ast::Variable) -> Result {
        let (space, offset) = match variable.space {
            Space::Reg => return self.scopes.declare_register(variable),
            // What is passed to functions lies in the caller's local memory.
            Space::Local | Space::Param => {
                let placing = Placing::At(self.place_local(variable)?);
                return self.scopes.declare_variable(variable, placing);
            }
            Space::Shared if variable.linkage == Linkage::Extern => {
                let named = NamedVariable::of(variable, 0);
                self.scopes.unplaced.insert(self.scopes.variables.len(), named);
                return self.scopes.declare_variable(variable, Placing::Dynamic);
            }
            Space::Shared => (Space::Shared, self.place_shared(variable)?),
            Space::Global | Space::Const => {
                let Some(placing) = self.scopes.in_image(variable) else {
                    let message = "this variable has no size that memory could hold";
                    return Err(Box::new(Diagnostic::unsupported(variable.span, message)));
                };
                return self.scopes.declare_variable(variable, placing);
            }
            Space::Sreg | Space::Tex => {
                let message = "variables of this space are not implemented";
                return Err(Box::new(Diagnostic::unsupported(variable.span, message)));
            }
        };
        let placing = Placing::At(scope::Variable { space, offset, base: None });
        self.scopes.declare_variable(variable, placing)
    }

    /// Where a variable comes to stand in the function's frame.
    fn place_local(&mut self, variable: &ast::Variable) -> Result<scope::Variable> {
        let (space, offset, base) = (Space::Local, self.frame.place(variable)?, self.base);
        self.align = self.align.max(layout::alignment(variable));
        Ok(scope::Variable { space, offset, base })
    }

    /// Where the shared memory stands that is set aside for the system.
    fn reserved_shared(&mut self) -> u64 {
        let memory = &mut self.shared_memory;
        let reserve = || memory.place(special::RESERVED_SHARED, 16);
        *self.reserved_shared.get_or_insert_with(reserve)
    }

    /// A shared variable of a function is one for all its calls: it lives as long as the CTA.
    fn place_shared(&mut self, variable: &ast::Variable) -> Result<u64> {
        if let Some(offset) = self.shared.get(&variable.name.span) {
            return Ok(*offset);
        }
        let (bytes, align) = (layout::size(variable)?, layout::alignment(variable));
        let (of, declared) = (SharedOf::Function, variable.name.span);
        let offset = self.shared_memory.variable(SharedVariable { of, declared, bytes, align });
        self.shared.insert(variable.name.span, offset);
        self.shared_variables.push(NamedVariable::of(variable, offset));
        Ok(offset)
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result {
        self.places.push(instruction.span);
        let place = Place(self.places.len() as u32 - 1);
        self.b.set_place(place);
        self.lines.place(place);
        let guard = instruction.guard.as_ref().map(|guard| self.guard(guard, instruction));
        let guard = guard.transpose()?;
        self.b.set_guard(guard);
        let written_out = self.written_out(instruction);
        let instruction = written_out.as_ref().unwrap_or(instruction);
        let lowered = match &*instruction.opcode == catalogue::CALL {
            true => self.call(instruction),
            false => catalogue::find(instruction).and_then(|mut inst| {
                if self.flushes {
                    inst.flush();
                }
                (inst.form.form.lower)(self, &inst)
            }),
        };
        self.b.set_guard(None);
        self.relaxed = false;
        lowered
    }

    fn guard(&mut self, guard: &ast::Guard, instruction: &Instruction) -> Result<Pred> {
        let Entity::Register(index) = self.scopes.find(&guard.predicate)? else {
            let message = format!("`{}` is not a predicate register", guard.predicate);
            return Err(Box::new(Diagnostic::error(guard.span, message)));
        };
        if self.declared(index) != ScalarType::Pred {
            let message = format!(
                "a guard must be a predicate: `{}` is a {} register",
                guard.predicate,
                self.declared(index)
            );
            return Err(Box::new(Diagnostic::error(guard.predicate.span, message)));
        }
        let mut reg = self.register(index, &guard.predicate)?;
        // The instruction may overwrite its own guard before it is done.
        if instruction.operands.iter().any(|operand| mentions(operand, &guard.predicate)) {
            let copy = self.b.reg(ir::Class::Pred);
            self.b.pred_to(copy, reg);
            reg = copy;
        }
        Ok(if guard.negated { Pred::Not(reg) } else { Pred::Is(reg) })
    }

    /// Goes on in a block, which the code so far falls into.
    fn enter(&mut self, block: BlockId) {
        if !self.b.is_terminated() {
            self.b.terminate(Terminator::Jump(block));
        }
        self.b.switch_to(block);
    }

    /// Ends the block: lanes whose guard is true leave by `terminator`, the others go on.
    pub fn leave(&mut self, terminator: Terminator) {
        let Some(p) = self.b.guard() else {
            return self.b.terminate(terminator);
        };
        let otherwise = self.b.block();
        let then = match terminator {
            Terminator::Jump(to) => to,
            other => {
                let block = self.b.block();
                let current = self.b.current();
                self.b.switch_to(block);
                self.b.terminate(other);
                self.b.switch_to(current);
                block
            }
        };
        self.b.terminate(Terminator::Branch { p, then, otherwise });
        self.b.switch_to(otherwise);
    }

    /// Stops the kernel there, since the lanes whose guard is true ask for what is undefined: `why` is a sentence.
    pub fn stop(&mut self, why: &'static str) {
        self.stops.insert(self.b.place(), why);
        self.leave(Terminator::Trap);
    }

    /// The carry flag `CC.CF`, as a predicate.
    pub fn carry(&mut self) -> Reg {
        *self.carry.get_or_insert_with(|| self.b.reg(ir::Class::Pred))
    }

    /// What a name means.
    pub fn entity(&mut self, name: &Name) -> Result<Entity> {
        self.scopes.find(name)
    }

    /// The declared type of a register.
    pub fn declared(&self, index: usize) -> ScalarType {
        self.scopes.registers[index].ty
    }

    /// The virtual register of a declared one.
    pub fn register(&mut self, index: usize, name: &Name) -> Result<Reg> {
        let declared = &mut self.scopes.registers[index];
        if let Some(reg) = declared.reg {
            return Ok(reg);
        }
        let Some(class) = class_of(declared.ty) else {
            let message =
                format!("registers of type {} are legal PTX that is not implemented", declared.ty);
            return Err(Box::new(Diagnostic::unsupported(name.span, message)));
        };
        let reg = self.b.reg(class);
        self.scopes.registers[index].reg = Some(reg);
        self.scopes.register_names.add(reg, name);
        Ok(reg)
    }

    /// Where a variable stands: its space and its offset there, global and constant variables in the module's
    /// image. `None` is dynamic shared memory, which begins where static shared memory ends.
    ///
    /// # Errors
    /// The variable cannot be used; `operand` names it.
    fn placement(
        &mut self,
        index: usize,
        operand: &ast::Operand,
    ) -> Result<Option<scope::Variable>> {
        match self.scopes.variables[index] {
            Placing::At(placed) => Ok(Some(placed)),
            Placing::Dynamic => {
                self.shared_memory.use_dynamic();
                let named = || self.scopes.unplaced.get(&index).cloned();
                self.dynamic = self.dynamic.take().or_else(named);
                Ok(None)
            }
            Placing::Missing(declared) => {
                Err(Box::new(self.scopes.missing(declared, operand.span)))
            }
            Placing::ModuleShared { bytes, align } => {
                let named = self.scopes.unplaced.remove(&index);
                let (of, span) = (SharedOf::Module, named.as_ref().map(|named| named.span));
                let declared = span.unwrap_or(operand.span);
                let variable = SharedVariable { of, declared, bytes, align };
                let offset = self.shared_memory.variable(variable);
                let placed = scope::Variable { space: Space::Shared, offset, base: None };
                self.scopes.variables[index] = Placing::At(placed);
                if let Some(named) = named {
                    self.shared_variables.push(NamedVariable { offset, ..named });
                }
                Ok(Some(placed))
            }
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    fn report(&mut self, result: Result) {
        if let Err(diagnostic) = result {
            self.errors.push(*diagnostic);
        }
    }
}

/// Whether an operand names a register, at any depth.
fn mentions(operand: &ast::Operand, register: &Name) -> bool {
    use ast::OperandKind as K;
    match &operand.kind {
        K::Name(name) | K::NamePlus(name, _) => name == register,
        K::Negated(inner) | K::Minus(inner) => mentions(inner, register),
        K::Pair(first, second) => mentions(first, register) || mentions(second, register),
        K::Vector(all) | K::List(all) => all.iter().any(|operand| mentions(operand, register)),
        K::Component(..) | K::Constant(_) | K::Sink | K::Address(_) | K::Element(..) => false,
    }
}
