//! The symbols of modules: what each module says about a name, and which definition all of them mean.

use super::live::{self, Mentions};
use super::time::Linking;
use crate::lower::{is_service, layout};
use crate::resolve::redeclaration;
use crate::syntax::ast::{Function, FunctionKind, Item, Module, Name, Variable};
use crate::syntax::{Linkage, ScalarType, Space};
use diag::{Diagnostic, Sources, Span};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What a module does with a symbol, the weakest first: a stronger definition replaces a weaker one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// It is declared, and defined elsewhere.
    Extern,
    /// `.weak`.
    Weak,
    /// `.common`.
    Common,
    /// `.visible`.
    Strong,
}

/// What a symbol is.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Function(Arc<Function>),
    Variable(Variable),
}

impl Node {
    fn name(&self) -> &Name {
        match self {
            Node::Function(function) => &function.name,
            Node::Variable(variable) => &variable.name,
        }
    }

    /// Functions are in no space that a variable can be in, and neither are kernels, textures, samplers and surfaces.
    fn space(&self) -> (Option<FunctionKind>, Option<Space>, Option<ScalarType>) {
        match self {
            Node::Function(function) => (Some(function.kind), None, None),
            Node::Variable(variable) => (None, Some(variable.space), self.opaque()),
        }
    }

    /// The type of a texture, a sampler or a surface.
    fn opaque(&self) -> Option<ScalarType> {
        use ScalarType::{SamplerRef, SurfRef, TexRef};
        match self {
            Node::Function(_) => None,
            Node::Variable(it) => {
                Some(it.ty).filter(|ty| matches!(ty, TexRef | SamplerRef | SurfRef))
            }
        }
    }
}

/// What one module says about a name that other modules see, too.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The number of the module.
    pub(super) module: usize,
    pub(super) binding: Binding,
    /// The definition, or a declaration.
    pub(super) node: Node,
}

/// The names of some modules.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// Names that several modules may share, each with what the modules say, in their order.
    pub(super) shared: BTreeMap<String, Vec<Shared>>,
    /// Names that are a module's own, by module.
    pub(super) own: Vec<Vec<Name>>,
    /// What the definitions of each module name.
    pub(super) mentions: Vec<Vec<Mentions>>,
}

impl Symbols {
    /// Adds the next module.
    pub(super) fn add(&mut self, module: &mut Module) {
        let nth = self.own.len();
        let mut own = Vec::new();
        let mut found: BTreeMap<String, Vec<Node>> = BTreeMap::new();
        for item in &module.items {
            let node = match item {
                Item::Function(function) => Node::Function(Arc::clone(function)),
                Item::Variable(variable) => Node::Variable((**variable).clone()),
                Item::Directive(_) => continue,
            };
            found.entry(node.name().to_string()).or_default().push(node);
        }
        let names: HashSet<String> = found.keys().cloned().collect();
        let mentions = module.items.iter_mut().filter_map(|item| live::mentions(item, &names));
        self.mentions.push(mentions.collect());
        for (name, nodes) in found {
            match binding(&nodes) {
                None => own.extend(nodes.first().map(|node| node.name().clone())),
                Some((binding, node)) => {
                    let shared = Shared { module: nth, binding, node: node.clone() };
                    self.shared.entry(name).or_default().push(shared);
                }
            }
        }
        self.own.push(own);
    }

    /// The definition that every module means, if there is one.
    pub(super) fn definition(shared: &[Shared]) -> Option<&Shared> {
        let strongest = shared.iter().map(|it| it.binding).max()?;
        let all = || shared.iter().filter(|it| it.binding == strongest);
        match strongest {
            Binding::Extern => None,
            // The first of the largest.
            Binding::Common => {
                all().reduce(|one, other| if bytes(other) > bytes(one) { other } else { one })
            }
            Binding::Weak | Binding::Strong => all().next(),
        }
    }

    /// Everything that does not fit together, in the terms of NVIDIA's linker, and what does not matter to it as warnings.
    pub(super) fn mistakes(&self, sources: &Sources, linking: Linking) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let used = live::used(&self.mentions, |module, name| match self.shared.get(name) {
            Some(shared) => Symbols::definition(shared).map(|it| it.module),
            None => Some(module),
        });
        for (name, shared) in &self.shared {
            self.mismatches(name, shared, (sources, linking), &mut found);
            if Symbols::definition(shared).is_none() {
                undefined(name, shared, &used, sources, &mut found);
            }
        }
        found
    }

    fn mismatches(
        &self,
        name: &str,
        shared: &[Shared],
        (sources, linking): (&Sources, Linking),
        errors: &mut Vec<Diagnostic>,
    ) {
        let Some((first, others)) = shared.split_first() else { return };
        // A declaration may leave the size open; the first that says it counts.
        let sized = shared.iter().find(|it| bytes(it).is_some()).unwrap_or(first);
        let mut strong = Some(first).filter(|it| it.binding == Binding::Strong);
        for other in others {
            let differs =
                |one: &'_ Shared| Some((differs(name, one, other, sources)?, one.node.name().span));
            if let Some(((message, said, at), first)) = differs(first).or_else(|| differs(sized)) {
                let is_harmless = linking == Linking::WhileRunning && has_no_result(shared, other);
                let found = match is_harmless {
                    true => Diagnostic::warning(at, message)
                        .note("what its callers take for its result is undefined"),
                    false => Diagnostic::error(at, message),
                };
                errors.push(found.label(first, said));
                continue;
            }
            match strong {
                Some(strong) if other.binding == Binding::Strong => {
                    let [second, first] = [other, strong].map(|it| it.node.name().span);
                    let message = format!(
                        "Multiple definition of '{name}' in '{}', first defined in '{}'",
                        file(sources, second),
                        file(sources, first)
                    );
                    let error = Diagnostic::error(second, message);
                    errors.push(error.label(first, "first defined here"));
                }
                Some(_) => {}
                None => strong = Some(other).filter(|it| it.binding == Binding::Strong),
            }
        }
    }
}

/// The name of the file in which something stands.
pub(super) fn file(sources: &Sources, span: Span) -> &str {
    sources.file(span.file).name()
}

/// How other modules see a name, with its definition or a declaration; `None` if they do not.
fn binding(nodes: &[Node]) -> Option<(Binding, &Node)> {
    let first = nodes.first()?;
    let linkages = || {
        nodes.iter().map(|node| match node {
            Node::Function(function) => function.linkage,
            Node::Variable(variable) => variable.linkage,
        })
    };
    let defined = nodes.iter().find(|node| match node {
        Node::Function(function) => function.body.is_some(),
        Node::Variable(variable) => variable.linkage != Linkage::Extern,
    });
    let has = |linkage| linkages().any(|it| it == linkage);
    let binding = match defined {
        None => return Some((Binding::Extern, first)),
        // A prototype may say what the definition leaves out.
        Some(_) if has(Linkage::Visible) => Binding::Strong,
        Some(_) if has(Linkage::Weak) => Binding::Weak,
        Some(_) if has(Linkage::Common) => Binding::Common,
        Some(_) => return None,
    };
    defined.map(|node| (binding, node))
}

/// Whether all that is wrong with what modules say about a function, up to `other`, is that some expect a result and the definition has none.
fn has_no_result(shared: &[Shared], other: &Shared) -> bool {
    let definition = Symbols::definition(shared).map(|it| &it.node);
    let Some(Node::Function(definition)) = definition else { return false };
    let alike = |it: &Shared| match &it.node {
        Node::Function(it) => {
            redeclaration::layout(definition, it).is_none()
                || redeclaration::differ_in_having_results(definition, it)
        }
        Node::Variable(_) => false,
    };
    definition.returns.is_empty() && shared.first().is_some_and(alike) && alike(other)
}

/// Bytes of a variable; `None` of functions and where the size is open, as that of dynamic shared memory is.
fn bytes(shared: &Shared) -> Option<u64> {
    match &shared.node {
        Node::Function(_) => None,
        Node::Variable(variable) => layout::bytes(variable).filter(|bytes| *bytes > 0),
    }
}

/// In what two modules contradict each other about a symbol: the message, what the first says, where the other says it.
fn differs(
    name: &str,
    first: &Shared,
    other: &Shared,
    sources: &Sources,
) -> Option<(String, String, Span)> {
    let span = other.node.name().span;
    let places = |said: &str| {
        let [there, here] = [span, first.node.name().span].map(|span| file(sources, span));
        format!("for '{name}' in '{there}', first {said} in '{here}'")
    };
    match (&first.node, &other.node) {
        (one, another) if one.space() != another.space() => {
            let message = format!("Memory space doesn't match {}", places("specified"));
            Some((message, "first specified here".to_owned(), span))
        }
        (Node::Function(one), Node::Function(another)) => {
            let (what, at) = redeclaration::layout(one, another)?;
            let message = format!("Prototype doesn't match {}: {what}", places("defined"));
            Some((message, "first defined here".to_owned(), at.span))
        }
        (Node::Variable(_), Node::Variable(_)) => {
            // A declaration may leave its first dimension open; definitions that merge may differ in size, and so may a common
            // one and one with a value.
            let (size, wanted) = (bytes(other)?, bytes(first)?);
            let has_value =
                |it: &Shared| matches!(&it.node, Node::Variable(it) if it.init.is_some());
            let merge = match (first.binding, other.binding) {
                (Binding::Common, Binding::Common) => true,
                (Binding::Common, Binding::Strong) => wanted <= size && has_value(other),
                (Binding::Strong, Binding::Common) => size <= wanted && has_value(first),
                (Binding::Extern | Binding::Weak | Binding::Common | Binding::Strong, _) => false,
            };
            if merge || size == wanted {
                return None;
            }
            let message = format!("Size doesn't match {}", places("specified"));
            Some((
                format!("{message}: {size} bytes, and {wanted}"),
                "first specified here".to_owned(),
                span,
            ))
        }
        (Node::Function(_), Node::Variable(_)) | (Node::Variable(_), Node::Function(_)) => None,
    }
}

/// Reports the modules that need a symbol that none defines. As for NVIDIA's linker, those are the modules that use a function
/// where it can be reached, and that declare a variable.
fn undefined(
    name: &str,
    shared: &[Shared],
    used: &[HashMap<&str, Span>],
    sources: &Sources,
    errors: &mut Vec<Diagnostic>,
) {
    for it @ Shared { node, module, .. } in shared {
        let used = used.get(*module).and_then(|used| used.get(name)).copied();
        let declared = node.name().span;
        let place = match node {
            Node::Function(function) if function.kind == FunctionKind::Entry => continue,
            Node::Function(_) if is_service(name) => continue,
            Node::Function(_) => used,
            // Dynamic shared memory.
            Node::Variable(variable) if variable.space == Space::Shared && bytes(it).is_none() => {
                continue;
            }
            Node::Variable(_) => Some(used.unwrap_or(declared)),
        };
        let Some(place) = place else { continue };
        let file = file(sources, place);
        let message = format!("Undefined reference to '{name}' in '{file}'");
        let mut error = Diagnostic::error(place, message);
        if place != declared {
            error = error.label(declared, "declared here");
        }
        errors.push(error);
    }
}
