//! Faults in words.

use crate::demangle::plain_name;
use crate::module::Kernel;
use crate::owner::{Number, Owner, Owners};
use diag::{Class, Diagnostic, Severity, Span};
use ir::tensor_map::BadTensor;
use ir::{Place, Space};
use vm::memory::BadFree;
use vm::texture::{ChannelKind, Format};
use vm::{Extent, Fault, FaultKind, Waiting, WaitingFor};

/// Addresses below this one come from a null pointer and an index.
const NULL_PAGE: u64 = 1 << 16;

/// At most this many waiting groups are listed.
const MAX_GROUPS: usize = 64;

impl Kernel {
    /// What a fault of this kernel was, where, for whom, and what to do.
    pub(crate) fn explain(&self, fault: &Fault, owners: &Owners) -> Diagnostic {
        let shown = |address| owners.shown(address);
        let (class, mut message) = headline(&fault.kind, &shown);
        if let FaultKind::StackOverflow { function: Some(number), bytes, .. } = &fault.kind
            && let Some(name) = self.lowered.functions.get(*number as usize)
        {
            let name = plain_name(name);
            message = format!("stack overflow: function `{name}` needs {bytes} bytes");
        }
        if let (FaultKind::Trap, Some(why)) = (&fault.kind, self.lowered.stops.get(&fault.place)) {
            message = (*why).to_owned();
        }
        let mut found = Diagnostic::new(Severity::Error, class, message);
        let anywhere =
            matches!(fault.kind, FaultKind::StepLimit { .. }) && fault.place == Place::default();
        if anywhere {
            if let Some(span) = self.span(fault.place) {
                found = found.label(span, "several CTAs were running");
            }
            found = found.note(
                "with one thread of the host (`--threads 1`) the report says where the kernel was",
            );
        } else if let Some(span) = self.span(fault.place) {
            found = found.label(span, format!("{}", fault.thread));
        } else {
            found = found.note(format!("{}", fault.thread));
        }
        match &fault.kind {
            FaultKind::OutOfBounds { space, of, address, bytes, peer, nearest, freed, .. } => {
                let global = matches!(of, Space::Global | Space::Generic);
                if is_null(*space, *address) {
                    found = found.note("the pointer is null, or an offset from null");
                } else if let Some(rank) = peer {
                    let note = match (freed, nearest) {
                        (Some(_), _) => format!(
                            "this is shared memory of the CTA of rank {rank} of the cluster, which has exited"
                        ),
                        (None, None) => format!("the cluster has no CTA of rank {rank}"),
                        (None, Some(Extent { start, end, .. })) => format!(
                            "the address leads to the CTA of rank {rank} of the cluster, which has {} of shared \
                             memory; the access {}",
                            count_bytes(end - start),
                            distance(*address, u64::from(*bytes), *start, *end)
                        ),
                    };
                    found = found.note(note);
                } else if let Some(Extent { start, end, .. }) = freed {
                    let whose = self
                        .begins(*start, owners)
                        .map_or(String::new(), |owner| format!(", {owner}"));
                    let size = end - start;
                    found = found.note(format!(
                        "the address is in memory that was freed: {:#x} to {:#x} ({size} bytes{whose})",
                        shown(*start),
                        shown(*end),
                    ));
                } else if let Some(Extent { start, end, .. }) = nearest {
                    let whose = self
                        .begins(*start, owners)
                        .map_or(String::new(), |owner| format!(", {owner}"));
                    let distance = distance(*address, u64::from(*bytes), *start, *end);
                    let size = end - start;
                    found = found.note(match space {
                        _ if global => format!(
                            "the nearest allocation is {:#x} to {:#x} ({size} bytes{whose}); the access {distance}",
                            shown(*start),
                            shown(*end),
                        ),
                        Space::Generic => format!(
                            "the address leads to the {} space, which is {:#x} to {:#x} ({size} bytes); the \
                             access {distance}",
                            word(*of),
                            shown(*start),
                            shown(*end),
                        ),
                        Space::Global | Space::Shared | Space::Local | Space::Param => format!(
                            "the {} space has {size} bytes; the access {distance}",
                            word(*space)
                        ),
                    });
                } else {
                    found = found.note(match global {
                        true => "nothing is allocated".to_owned(),
                        false if *of == Space::Shared => {
                            "the kernel has no shared memory: what it declares `.extern` is as large as the launch says, with `--smem`"
                                .to_owned()
                        }
                        false => format!("the kernel has no {} memory", word(*of)),
                    });
                }
            }
            FaultKind::Constant { of, address, .. } => {
                let owner = owners.of(*address).filter(|_| *of == Space::Global);
                if let Some((Owner::Variable(variable), inside)) = owner {
                    let name = plain_name(&variable.name);
                    found = found.note(format!("this is byte {inside} of the variable `{name}`"));
                }
                found = found.note(match of {
                    Space::Param => "a kernel only reads its parameters",
                    _ => "a kernel only reads `.const` variables; the host writes them before the launch",
                });
            }
            FaultKind::Misaligned { bytes, .. } => {
                found = found.note(format!(
                    "an access of {bytes} bytes needs an address that is a multiple of {bytes}"
                ));
            }
            FaultKind::BadBarrier { threads, .. } => {
                found = found.note("a CTA has the barriers 0 to 15");
                if let Some(threads) = threads {
                    found = found.note(format!(
                        "a barrier's thread count is a multiple of 32, and no larger than the CTA; \
                         this one is {threads}"
                    ));
                }
            }
            FaultKind::ArrivedTwice { .. } => {
                found =
                    found.help("let each thread wait (barrier.cluster.wait) between two arrivals");
            }
            FaultKind::Deadlock { waiting } => {
                let several = waiting.iter().any(|group| group.cta != fault.thread.cta);
                for group in waiting.iter().take(MAX_GROUPS) {
                    let [x, y, z] = group.cta;
                    let cta = if several { format!("CTA ({x},{y},{z}), ") } else { String::new() };
                    found = found.note(cta + &self.group(group));
                }
                if let Some(more) = waiting.len().checked_sub(MAX_GROUPS + 1) {
                    found = found.note(format!("and {} more", more + 1));
                }
                found = found.help(
                    "let every lane that a membermask or a barrier names reach it, or name fewer",
                );
            }
            FaultKind::StepLimit { .. } => {
                found = found.help("raise the limit if the kernel is not an endless loop");
            }
            FaultKind::Assertion { file, line, function, .. } => {
                found = found.note(format!("{file}:{line}, in `{function}`"));
            }
            FaultKind::NoFunction { address } => {
                if let Some(name) = self.image.function_at(*address) {
                    found = found.note(format!(
                        "this is the address of `{}`, which is no function with the parameters of the call",
                        plain_name(name)
                    ));
                }
                found = found.note(
                    "a call through a register goes to functions whose address is taken and whose \
                     parameters are those of the prototype",
                );
            }
            FaultKind::BadFree { why, .. } => {
                if let BadFree::Inside { start } = why {
                    found = found.note(format!("the block begins at {:#x}", shown(*start)));
                }
                found = found.help("free exactly what `malloc` returned, and once");
            }
            FaultKind::BadSurface { .. } => {
                found = found.help(
                    "make the surface of integers of that width, or access it by bytes (`sured.b`)",
                );
            }
            FaultKind::BadTensor { .. } => {
                found = found.help(
                    "make the map with `cuTensorMapEncodeTiled`, or with `tensormap.replace` and a fence behind it, \
                     and pass it as a `__grid_constant__` parameter or an address",
                );
            }
            FaultKind::StackOverflow { left, .. } => {
                found = found
                    .note(match left.cast_signed() {
                        1.. => format!("of the thread's stack {left} bytes are left"),
                        _ => "nothing is left of the thread's stack".to_owned(),
                    })
                    .help("give threads a larger stack with `--stack`, or let functions call themselves less deeply");
            }
            FaultKind::GivenUp => {
                found = found.help(
                    "mend what is reported and check again; `warpwise check` goes as far as `--max-steps` says",
                );
            }
            FaultKind::Trap | FaultKind::Interrupted => {}
        }
        found
    }

    fn span(&self, place: Place) -> Option<Span> {
        self.lowered.places.get(place.0 as usize).copied()
    }

    /// The variable, or the parameter whose buffer begins at an address.
    fn begins(&self, start: u64, owners: &Owners) -> Option<String> {
        let (owner, inside) = owners.of(start)?;
        let named = match owner {
            Owner::Parameter { nth, field, .. } => {
                format!(
                    "the buffer of parameter {}, {}",
                    Number(*nth, *field),
                    self.parameter_name(*nth)
                )
            }
            Owner::Variable(variable) => {
                format!("the variable `{}`", plain_name(&variable.name))
            }
        };
        (inside == 0).then_some(named)
    }

    fn group(&self, group: &Waiting) -> String {
        let lanes = match group.lanes.count() {
            1 => format!("lane {}", group.lanes.ranges()),
            _ => format!("lanes {}", group.lanes.ranges()),
        };
        let place = match self.span(group.place) {
            Some(span) => {
                let file = self.sources.file(span.file);
                let location = file.location(span.start);
                let text = file.slice(span);
                format!("at {}:{}:{} (`{text}`)", file.name(), location.line, location.column)
            }
            None => "at an unknown place".to_owned(),
        };
        let what = match group.waiting_for {
            WaitingFor::Lanes(members) => match members - group.lanes {
                missing if missing.is_empty() => "for a lane that cannot arrive".to_owned(),
                missing => format!(
                    "for lanes {} to execute the same collective with the same membermask",
                    missing.ranges()
                ),
            },
            WaitingFor::Barrier { id, arrived, expected } => {
                format!("at barrier {id}, which {arrived} of {expected} threads have reached")
            }
            WaitingFor::Cluster { arrived, expected } => {
                format!("for its cluster, of which {arrived} of {expected} threads have arrived")
            }
            WaitingFor::EndlessLoop => "in an endless loop in which nothing changes".to_owned(),
        };
        format!("warp {}, {lanes}: waits {place} {what}", group.warp)
    }
}

/// What a fault was in a sentence; `counted` is how reports show a device address.
pub(crate) fn headline(kind: &FaultKind, counted: &dyn Fn(u64) -> u64) -> (Class, String) {
    match kind {
        FaultKind::OutOfBounds { access, space, address, bytes, .. } => {
            let access = access.word();
            let at = shown(*space, *address, counted);
            let what = match space {
                _ if is_null(*space, *address) => {
                    format!("null pointer: {access} of {bytes} bytes at {at}")
                }
                _ => format!("{access} of {bytes} bytes out of bounds at {at}"),
            };
            (Class::Undefined, what)
        }
        FaultKind::Misaligned { access, space, address, bytes } => {
            let at = shown(*space, *address, counted);
            (Class::Undefined, format!("misaligned {} of {bytes} bytes at {at}", access.word()))
        }
        FaultKind::Constant { access, space, of, address, bytes } => {
            let what =
                if *of == Space::Param { "a parameter of the kernel" } else { "constant memory" };
            let (access, at) = (access.word(), shown(*space, *address, counted));
            (
                Class::Undefined,
                format!("{what} cannot be written: {access} of {bytes} bytes at {at}"),
            )
        }
        FaultKind::Trap => (Class::Undefined, "the kernel executed a trap".to_owned()),
        FaultKind::NoFunction { address } => (
            Class::Undefined,
            format!("call of {:#x}, which is no function's address", counted(*address)),
        ),
        FaultKind::BadFree { address, why } => {
            let why = match why {
                BadFree::Twice => "which was freed before",
                BadFree::Inside { .. } => "which lies inside a block that begins elsewhere",
                BadFree::NoBlock => "which no `malloc` of a kernel returned",
            };
            (Class::Undefined, format!("free of {:#x}, {why}", counted(*address)))
        }
        FaultKind::BadSurface { format: Format { channels, bits, kind }, bytes } => {
            let kind = match kind {
                ChannelKind::Unsigned | ChannelKind::Signed => "integers",
                ChannelKind::Float => "floats",
            };
            let what = format!(
                "a reduction of {} bits in a surface whose texels are {channels} {kind} of {bits} bits",
                8 * u32::from(*bytes)
            );
            (Class::Undefined, what)
        }
        FaultKind::BadTensor { why } => {
            let why = match why {
                BadTensor::NoMap => "what should be a tensor map is none",
                BadTensor::OtherRank => {
                    "the tensor map has another number of dimensions than the instruction"
                }
                BadTensor::OtherElements => {
                    "the tensor's elements have a type that the operation is not for"
                }
                BadTensor::Box => {
                    "the tensor map's box has rows of no multiple of 16 bytes, extents beyond 256 or steps beyond 8"
                }
            };
            (Class::Undefined, why.to_owned())
        }
        FaultKind::StackOverflow { function, bytes, .. } => {
            let what = if function.is_some() { "a call" } else { "`alloca`" };
            (Class::Limit, format!("stack overflow: {what} needs {bytes} bytes"))
        }
        FaultKind::Assertion { condition, .. } => {
            (Class::Undefined, format!("assertion `{condition}` failed"))
        }
        FaultKind::BadBarrier { id, .. } => {
            (Class::Undefined, format!("barrier {id} is not one that the CTA can complete"))
        }
        FaultKind::ArrivedTwice { lanes } => {
            let (what, them) = match lanes.count() {
                1 => (format!("lane {} arrives", lanes.ranges()), "it"),
                _ => (format!("lanes {} arrive", lanes.ranges()), "they"),
            };
            let what = format!(
                "{what} at the barrier of the cluster again, where {them} did not wait before"
            );
            (Class::Undefined, what)
        }
        FaultKind::Deadlock { .. } => (
            Class::Undefined,
            "deadlock: no lane of the CTA can run, and nothing that they wait for can happen"
                .to_owned(),
        ),
        FaultKind::StepLimit { limit } => {
            (Class::Limit, format!("stopped after {limit} warp instructions, the step limit"))
        }
        FaultKind::Interrupted => (Class::Limit, "interrupted".to_owned()),
        FaultKind::GivenUp => (
            Class::Limit,
            "stopped: something was found, and then for many warp instructions nothing new, and no CTA ended"
                .to_owned(),
        ),
    }
}

/// Whether an address of a space comes from a null pointer.
fn is_null(space: Space, address: u64) -> bool {
    matches!(space, Space::Global | Space::Generic) && address < NULL_PAGE
}

/// An address as the space counts.
fn shown(space: Space, address: u64, counted: &dyn Fn(u64) -> u64) -> String {
    match space {
        Space::Global => format!("global address {:#x}", counted(address)),
        Space::Generic => format!("generic address {:#x}", counted(address)),
        Space::Shared | Space::Local | Space::Param => {
            format!("{} address {address:#x}", word(space))
        }
    }
}

fn word(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic",
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Param => "parameter",
    }
}

/// How an access of `bytes` bytes lies to the range `start..end`.
fn distance(address: u64, bytes: u64, start: u64, end: u64) -> String {
    let count = count_bytes;
    if address >= end {
        match address - end {
            0 => "begins right at its end".to_owned(),
            gap => format!("begins {} past its end", count(gap)),
        }
    } else if address < start {
        format!("begins {} before its start", count(start - address))
    } else {
        let over = address.saturating_add(bytes).saturating_sub(end);
        format!("begins inside and reaches {} past its end", count(over))
    }
}

/// A number of bytes in words.
pub(crate) fn count_bytes(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}
