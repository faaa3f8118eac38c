//! Declarations: what their types need, and what their state space allows.

use super::Checker;
use crate::catalogue::Since;
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{Constant, Init, InitKind, Variable};
use crate::syntax::{Linkage, ScalarType, Space};
use crate::target::Lack;
use crate::types::{Kind, kind};

/// Bytes of the constant variables of a module, at most.
const MAX_CONST: u64 = 64 << 10;

/// What the type of a declaration needs.
fn since(ty: ScalarType) -> Option<Since> {
    match ty {
        ScalarType::F16x2 => Some(Since { ptx: (4, 2), sm: 53 }),
        ScalarType::B128 => Some(Since { ptx: (8, 3), sm: 70 }),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Checks a variable, register or parameter; at most one thing is wrong with it.
    pub(super) fn declaration(&mut self, variable: &'a Variable, is_parameter: bool) {
        let (name, ty, space) = (&variable.name, variable.ty, variable.space);
        let word = space.word();
        let refuse = |message: String| rules::DECLARATION.at(name.span, message);
        let wide = u64::from(ty.bits()) * u64::from(variable.vector.unwrap_or(1)) > 128;
        // A size of zero is none.
        let is_open = variable.dims.iter().any(|size| size.is_none_or(|size| size == 0));
        let inner = variable.dims.get(1..).unwrap_or_default();
        let error = if let Some(lack) = since(ty).and_then(|since| self.target.lacks(since)) {
            let needs = match lack {
                Lack::Version((major, minor)) => format!("PTX {major}.{minor}"),
                Lack::Architecture(sm) => format!("sm_{sm}"),
                Lack::Other(_) | Lack::Removed { .. } => "another target".to_owned(),
            };
            let message = format!("`{ty}` needs {needs} or later");
            rules::FEATURE.at(variable.span, message)
        } else if ty == ScalarType::Pred && space != Space::Reg {
            refuse(format!("predicates live in registers, not in .{word} space"))
        } else if wide || variable.vector == Some(8) {
            refuse(format!("`{name}` is a vector of more than 128 bits"))
        } else if space == Space::Reg && !variable.dims.is_empty() {
            refuse("registers have no arrays".to_owned())
                .help(format!("`{name}<4>` declares four registers"))
        } else if is_parameter && !inner.is_empty() {
            refuse(format!("the parameter `{name}` is an array of arrays"))
        } else if inner.contains(&Some(0)) {
            refuse(format!("`{name}` is an array of elements without a size"))
        } else if variable.vector.is_some() && is_parameter && self.in_kernel {
            refuse(format!("the parameter `{name}` of a kernel cannot be a vector"))
        } else if is_open && is_parameter && self.in_kernel {
            refuse(format!("the parameter `{name}` of a kernel has no size"))
        } else if is_open
            && !is_parameter
            && variable.linkage != Linkage::Extern
            && variable.init.is_none()
        {
            refuse(format!("`{name}` has no size")).help("give one, or declare it `.extern`")
        } else if variable.linkage == Linkage::Common && space != Space::Global {
            refuse("`.common` variables are in .global space".to_owned())
        } else if let Some(init) = &variable.init {
            return self.initial_value(variable, init);
        } else {
            return;
        };
        self.report(error);
    }

    fn initial_value(&mut self, variable: &'a Variable, init: &'a Init) {
        if variable.linkage == Linkage::Extern {
            let message =
                format!("`{}` is defined elsewhere and has no initial value here", variable.name);
            return self.report(rules::DECLARATION.at(init.span, message));
        }
        let mut sizes: Vec<Option<u64>> = variable.dims.clone();
        if let Some(count) = variable.vector {
            sizes.push(Some(u64::from(count)));
        }
        self.initial(variable, init, &sizes);
    }

    fn initial(&mut self, variable: &'a Variable, init: &'a Init, sizes: &[Option<u64>]) {
        let ty = variable.ty;
        let message = match &init.kind {
            InitKind::List(all) => {
                let nested = all.iter().any(|one| matches!(one.kind, InitKind::List(_)));
                // A flat list may fill several dimensions.
                let room = match nested {
                    true => sizes.first().copied().flatten(),
                    false => sizes.iter().try_fold(1u64, |room, size| room.checked_mul((*size)?)),
                };
                if let Some(extra) =
                    room.and_then(|room| all.get(usize::try_from(room).unwrap_or(usize::MAX)))
                {
                    let message = format!("`{}` has no room for this value", variable.name);
                    return self.report(rules::DECLARATION.at(extra.span, message));
                }
                let inner = if nested { sizes.get(1..).unwrap_or_default() } else { &[] };
                return all.iter().for_each(|one| self.initial(variable, one, inner));
            }
            InitKind::Constant(Constant::Int { .. }) if kind(ty) == Kind::Float => {
                format!("an integer cannot be the initial value of a {ty} variable")
            }
            InitKind::Constant(_) | InitKind::Field(_) => return,
            InitKind::Address(address) => {
                if self.names.find(&address.name).is_none() {
                    return self.undeclared(&address.name, "the variable");
                }
                let fits = address.mask.is_some()
                    || kind(ty) == Kind::Integer
                        && ty.bits() == if self.wide_addresses { 64 } else { 32 };
                if fits {
                    return;
                }
                format!("an address cannot be the initial value of a {ty} variable")
            }
        };
        self.report(rules::DECLARATION.at(init.span, message));
    }

    /// Counts the constant variables of the module.
    pub(super) fn constant_memory(&mut self, variable: &'a Variable) {
        if variable.space != Space::Const {
            return;
        }
        let before = self.constant_bytes;
        let start = layout::align_up(before, layout::alignment(variable));
        self.constant_bytes = start.saturating_add(layout::bytes(variable).unwrap_or(0));
        if before <= MAX_CONST && self.constant_bytes > MAX_CONST {
            let message = format!(
                "the constant variables up to `{}` need {} bytes; there are {MAX_CONST}",
                variable.name, self.constant_bytes
            );
            self.report(rules::DECLARATION.at(variable.name.span, message));
        }
    }
}
