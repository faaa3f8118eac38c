//! Who calls whom in a kernel, and which functions are lowered once and called rather than in the place of each call.

use super::frames::Targets;
use super::scope::DeclaredFunction;
use crate::catalogue::{CALL, STACK};
use crate::syntax::ast::{Function, FunctionKind, OperandKind, Statement, StatementKind};
use crate::syntax::call::CallParts;
use std::collections::{HashMap, HashSet};

/// Instructions of a function that is called from several places, from which on it may be lowered once. A call takes some dozen
/// instructions itself.
const LARGE: u64 = 100;

/// Instructions by which a large function may make a kernel larger, if its body takes the place of each call.
const MUCH: u64 = 1 << 14;

/// The same for every function.
const TOO_MUCH: u64 = 1 << 17;

/// Calls in calls whose functions take their places. Those and the blocks around them may be nested as deep as `MAX_DEPTH` says.
const DEEP: usize = 64;

/// Instructions that a call counts as.
const CALL_COST: u64 = 16;

/// Which functions of a kernel are lowered once.
#[derive(Debug, Default)]
pub(super) struct CallGraph {
    /// Those that are, by name.
    once: HashMap<String, Once>,
    /// The functions that allocate from the stack themselves, by name.
    allocating: HashSet<String>,
}

/// How a function is called that is lowered once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Once {
    /// Callees have lower numbers than those who call them, but for functions that call each other in turn.
    pub(super) order: usize,
    /// The functions that may be called again before they have returned have the numbers of those whom they call so.
    pub(super) cycle: Option<usize>,
}

/// What one function does.
#[derive(Default)]
struct Body {
    /// Instructions of its own.
    size: u64,
    /// How often each function is called, as the text stands.
    calls: HashMap<usize, u64>,
    allocates: bool,
}

impl CallGraph {
    /// The graph of a kernel. Functions are those of its module, with addresses where calls through registers reach them.
    pub(super) fn of(kernel: &Function, functions: &[DeclaredFunction]) -> CallGraph {
        let by_name: HashMap<&str, usize> = (1..)
            .zip(functions)
            .filter(|(_, declared)| declared.function.kind == FunctionKind::Func)
            .map(|(number, declared)| (declared.function.name.as_str(), number))
            .collect();
        let read = |function: &Function| {
            let statements = function.body.as_deref().unwrap_or_default();
            let mut reader = Reader { by_name: &by_name, functions, tables: HashMap::new() };
            reader.tables(statements);
            let mut body = Body::default();
            reader.read(statements, &mut body);
            body
        };
        // The kernel is 0. What it does not reach is not looked at.
        let mut bodies: Vec<Option<Body>> = Vec::new();
        bodies.resize_with(functions.len() + 1, || None);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if bodies[at].is_some() {
                continue;
            }
            let body = match at.checked_sub(1) {
                None => read(kernel),
                Some(nth) => read(&functions[nth].function),
            };
            open.extend(body.calls.keys().copied());
            bodies[at] = Some(body);
        }
        let name = |at: usize| {
            at.checked_sub(1).map_or(kernel, |nth| &*functions[nth].function).name.to_string()
        };
        let callees = |body: &Option<Body>| {
            let mut callees: Vec<_> =
                body.iter().flat_map(|body| body.calls.keys().copied()).collect();
            callees.sort_unstable();
            callees
        };
        let edges: Vec<Vec<usize>> = bodies.iter().map(callees).collect();
        let mut graph = CallGraph::default();
        let allocate =
            |(_, body): &(usize, &Option<Body>)| body.as_ref().is_some_and(|body| body.allocates);
        let allocating = bodies.iter().enumerate().filter(allocate);
        graph.allocating = allocating.map(|(at, _)| name(at)).collect();
        let mut sites = vec![0u64; bodies.len()];
        for (callee, times) in bodies.iter().flatten().flat_map(|body| &body.calls) {
            sites[*callee] += times;
        }
        // Instructions with those of all callees whose bodies take the place of their calls; what a call adds.
        let mut added = vec![0u64; bodies.len()];
        // How deep such callees are nested in it, itself included.
        let mut depth = vec![0; bodies.len()];
        for (cycle, members) in ir::analysis::order::components(&edges).into_iter().enumerate() {
            let is_cycle = members.len() > 1 || members.iter().any(|at| edges[*at].contains(at));
            for at in members {
                let Some(body) = &bodies[at] else { continue };
                let inner = body.calls.iter().fold(0u64, |sum, (callee, times)| {
                    sum.saturating_add(times.saturating_mul(added[*callee]))
                });
                let size = body.size.saturating_add(inner);
                let more = size.saturating_mul(sites[at].saturating_sub(1));
                let pays_not = size >= LARGE && more >= MUCH || more >= TOO_MUCH;
                added[at] = size;
                depth[at] = 1 + body.calls.keys().map(|callee| depth[*callee]).max().unwrap_or(0);
                if at != 0 && (is_cycle || pays_not || depth[at] > DEEP) {
                    added[at] = CALL_COST;
                    depth[at] = 0;
                    let order = graph.once.len();
                    graph.once.insert(name(at), Once { order, cycle: is_cycle.then_some(cycle) });
                }
            }
        }
        graph
    }

    /// Whether a function is lowered once, and how.
    pub(super) fn once(&self, function: &str) -> Option<Once> {
        self.once.get(function).copied()
    }

    /// Whether a function, or the kernel, allocates from the stack itself.
    pub(super) fn allocates(&self, function: &str) -> bool {
        self.allocating.contains(function)
    }

    /// Whether a thread needs a stack.
    pub(super) fn needs_stack(&self) -> bool {
        !self.allocating.is_empty() || self.once.values().any(|once| once.cycle.is_some())
    }

    /// Whether every function takes the place of its calls, and nothing is allocated.
    pub(super) fn is_plain(&self) -> bool {
        self.once.is_empty() && self.allocating.is_empty()
    }
}

/// Reads what a function does.
struct Reader<'a> {
    by_name: &'a HashMap<&'a str, usize>,
    functions: &'a [DeclaredFunction],
    /// What calls through registers can reach, by label.
    tables: HashMap<&'a str, Targets>,
}

impl<'a> Reader<'a> {
    fn tables(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => self.tables(inner),
                StatementKind::CallPrototype(prototype) => {
                    self.tables.insert(&prototype.label, Targets::like(prototype));
                }
                StatementKind::CallTargets(table) => {
                    self.tables.insert(&table.label, Targets::among(table));
                }
                _ => {}
            }
        }
    }

    fn read(&self, statements: &[Statement], body: &mut Body) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => self.read(inner, body),
                StatementKind::Instruction(instruction) => {
                    body.size += 1;
                    body.allocates |= STACK.contains(&&*instruction.opcode);
                    if &*instruction.opcode == CALL
                        && let Some(parts) = CallParts::of(instruction)
                    {
                        self.call(&parts, body);
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&self, parts: &CallParts<'_>, body: &mut Body) {
        let name = |kind: &OperandKind| match kind {
            OperandKind::Name(name) => Some(name.to_string()),
            _ => None,
        };
        let Some(table) = parts.table else {
            let callee = name(&parts.callee.kind);
            if let Some(callee) = callee.and_then(|name| self.by_name.get(name.as_str())) {
                *body.calls.entry(*callee).or_default() += 1;
            }
            return;
        };
        let targets = name(&table.kind).and_then(|label| self.tables.get(label.as_str()));
        for (number, declared) in (1..).zip(self.functions) {
            if declared.can_be(targets) {
                *body.calls.entry(number).or_default() += 1;
            }
        }
    }
}
