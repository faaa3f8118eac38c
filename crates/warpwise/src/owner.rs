//! Which buffer or variable an address of device memory belongs to, and how reports name the address.

use crate::demangle::plain_name;
use crate::device::Buffer;
use crate::element::ElementType;
use crate::launch::Arg;
use crate::module::Kernel;
use ir::{CLUSTER_STRIDE, MAX_CLUSTER, Space};
use ptx::NamedVariable;
use sanitize::At;
use std::fmt;
use vm::memory::{BASE, lead};

/// What holds a byte of device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The buffer of a parameter.
    Parameter {
        /// The parameter's index.
        nth: usize,
        /// The index of the field, for buffers in structures.
        field: Option<usize>,
        /// The type of its elements.
        element: Option<ElementType>,
    },
    /// A variable of the module.
    Variable(NamedVariable),
}

/// The number of a parameter: `2`, or `2.1` for the second field of a structure.
pub(crate) struct Number(pub(crate) usize, pub(crate) Option<usize>);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(field) => write!(f, "{}.{field}", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Bytes of device memory that have a name.
#[derive(Clone, Debug)]
struct Owned {
    start: u64,
    bytes: u64,
    owner: Owner,
}

/// Everything that has a name in a launch of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    /// The first address of the device's memory.
    base: u64,
    owned: Vec<Owned>,
    shared: Vec<NamedVariable>,
}

/// What is at a device address.
pub(crate) struct Element {
    /// In words.
    pub(crate) name: String,
    /// Its type; a byte if nothing is known.
    pub(crate) element: ElementType,
    /// Where it begins.
    pub(crate) start: u64,
}

/// Addresses that lie so far from the device's memory have nothing to do with it.
const FAR: u64 = 1 << 44;

impl Owners {
    /// Whose memory is whose when a kernel runs with these arguments. `image_base` is where the module's variables lie,
    /// `base` where the device's memory begins.
    pub(crate) fn new(kernel: &Kernel, args: &[Arg], image_base: u64, base: u64) -> Owners {
        let mut owned = Vec::new();
        let mut buffer = |nth, field, Buffer { address, bytes, element }: Buffer| {
            let owner = Owner::Parameter { nth, field, element };
            // A buffer of no bytes is where it begins.
            owned.push(Owned { start: address, bytes: bytes.max(1), owner });
        };
        for (nth, arg) in args.iter().enumerate() {
            match arg {
                Arg::Buffer(it) => buffer(nth, None, *it),
                Arg::Struct(fields) => {
                    for (field, inner) in fields.iter().enumerate() {
                        if let Arg::Buffer(it) = inner {
                            buffer(nth, Some(field), *it);
                        }
                    }
                }
                Arg::Scalar(_) | Arg::Bytes(_) => {}
            }
        }
        owned.extend(kernel.image.variables.iter().map(|variable| Owned {
            start: image_base + variable.offset,
            bytes: variable.bytes,
            owner: Owner::Variable(variable.clone()),
        }));
        Owners { base, owned, shared: kernel.lowered.shared.clone() }
    }

    /// What holds the byte at a device address, and the byte's number in it.
    pub(crate) fn of(&self, address: u64) -> Option<(&Owner, u64)> {
        self.owned.iter().find_map(|it| {
            let inside = address.checked_sub(it.start)?;
            (inside < it.bytes).then_some((&it.owner, inside))
        })
    }

    /// A device address as reports show it: counted from a base that is the same in every run.
    pub(crate) fn shown(&self, address: u64) -> u64 {
        let offset = address.wrapping_sub(self.base);
        match offset.wrapping_add(FAR) < 2 * FAR {
            true => BASE.wrapping_add(offset),
            false => address,
        }
    }

    /// The element that holds a byte of device memory.
    pub(crate) fn element(&self, address: u64) -> Element {
        let byte = |name| Element { name, element: ElementType::B8, start: address };
        match self.of(address) {
            Some((Owner::Parameter { nth, field, element }, inside)) => {
                let whose = format!("of the buffer of parameter {}", Number(*nth, *field));
                let Some(element) = *element else { return byte(format!("byte {inside} {whose}")) };
                let size = element.bytes() as u64;
                let name = format!("element {} {whose}", inside / size);
                Element { name, element, start: address - inside % size }
            }
            Some((Owner::Variable(variable), inside)) => {
                let name = plain_name(&variable.name);
                byte(format!("byte {inside} of the variable `{name}`"))
            }
            None => byte(format!("the byte at {:#x}", self.shown(address))),
        }
    }

    /// What an access touches, in words that are the same in every run.
    pub(crate) fn words(&self, at: At) -> String {
        let At { space, address, bytes } = at;
        match space {
            Space::Shared => {
                // Those of other CTAs of the cluster begin further on.
                let (inside, rank) =
                    (address % CLUSTER_STRIDE, (address / CLUSTER_STRIDE).checked_sub(1));
                let named = self.of_shared(inside, bytes);
                let of_rank = rank.map(|rank| format!("in the CTA of rank {rank}"));
                let of_rank = of_rank.filter(|_| rank < Some(MAX_CLUSTER.into()));
                match (named, of_rank) {
                    (Some(named), None) => format!("{address:#x} ({named})"),
                    (Some(named), Some(of_rank)) => format!("{address:#x} ({named} {of_rank})"),
                    (None, Some(of_rank)) => format!("{address:#x} ({inside:#x} {of_rank})"),
                    (None, None) => format!("{address:#x}"),
                }
            }
            Space::Global => self.of_global(at),
            Space::Generic => match lead(address) {
                (Space::Shared, address) => {
                    let inner = self.words(At { space: Space::Shared, address, bytes });
                    format!("{inner} of shared memory")
                }
                (Space::Local, offset) => format!("{offset:#x} of local memory"),
                (Space::Param, offset) => format!("{offset:#x} of the parameters"),
                (Space::Global | Space::Generic, _) => self.of_global(at),
            },
            Space::Local | Space::Param => format!("{address:#x}"),
        }
    }

    fn of_global(&self, At { address, bytes, .. }: At) -> String {
        match self.of(address) {
            Some((Owner::Parameter { nth, field, element }, inside)) => {
                let number = Number(*nth, *field);
                match element.map(|element| element.bytes() as u64) {
                    Some(size) => {
                        format!("argument {number}, element {} (byte {inside})", inside / size)
                    }
                    None => format!("argument {number}, byte {inside}"),
                }
            }
            Some((Owner::Variable(variable), inside)) => element(variable, inside, bytes),
            None => format!("{:#x}", self.shown(address)),
        }
    }

    /// The variable at an address of shared memory.
    fn of_shared(&self, address: u64, bytes: u64) -> Option<String> {
        self.shared.iter().find_map(|variable| {
            let inside = address.checked_sub(variable.offset)?;
            // Dynamic shared memory comes last.
            let holds = inside < variable.bytes || variable.bytes == 0;
            holds.then(|| element(variable, inside, bytes))
        })
    }
}

/// An element of a variable: `tile[33]`.
fn element(variable: &NamedVariable, inside: u64, access: u64) -> String {
    let name = plain_name(&variable.name);
    // Compilers declare arrays as bytes; elements are what is accessed.
    // One of several does not tell how large they are.
    let size = variable.element().or((access <= 8).then_some(access.max(1)));
    match size.filter(|size| inside.is_multiple_of(*size)) {
        Some(1) if variable.is_array => format!("`{name}[{inside}]`"),
        Some(size) if variable.is_array => format!("`{name}[{}]`, byte {inside}", inside / size),
        Some(_) if inside == 0 => format!("`{name}`"),
        _ => format!("`{name}`, byte {inside}"),
    }
}
