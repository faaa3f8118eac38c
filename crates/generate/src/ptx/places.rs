//! Addresses and scopes, as instructions name them.

use super::printer::Printer;
use ir::{Address, Class, Scope, Space, Src};

/// An address as instructions take it. Those of the IR in shared, local and parameter memory begin at 0.
pub(super) fn place(p: &mut Printer<'_>, space: Space, address: Address) -> String {
    let variable = match space {
        Space::Global | Space::Generic => {
            let base = p.src(address.base, Class::W64);
            return plus(&base, address.offset);
        }
        Space::Shared => "memory",
        Space::Local => "scratch",
        Space::Param => "args",
    };
    let offset = match address.base {
        Src::Imm(at) => return plus(variable, at as i64 + address.offset),
        Src::Reg(_) => p.src(address.base, Class::W32),
    };
    if space == Space::Shared {
        // Where memory of another CTA begins, less where the variable does, may be below 0.
        let base = p.of_class(Class::W32);
        p.line(format!("mov.u32 {base}, {variable}"));
        p.line(format!("add.u32 {base}, {base}, {offset}"));
        return plus(&base, address.offset);
    }
    let [base, wide] = [0; 2].map(|_| p.of_class(Class::W64));
    p.line(format!("mov.u64 {base}, {variable}"));
    p.line(format!("cvt.u64.u32 {wide}, {offset}"));
    p.line(format!("add.s64 {base}, {base}, {wide}"));
    plus(&base, address.offset)
}

fn plus(base: &str, offset: i64) -> String {
    if offset == 0 { base.to_owned() } else { format!("{base}+{offset}") }
}

pub(super) fn scope_of(p: &Printer<'_>, scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => ".cta",
        Scope::Cluster if p.target >= 90 => ".cluster",
        Scope::Cluster | Scope::Gpu => ".gpu",
        Scope::Sys => ".sys",
    }
}
