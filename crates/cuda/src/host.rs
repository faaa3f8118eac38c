//! Addresses of the program that reach kernels by mistake.

use crate::driver::driver;
use warpwise::diag::Diagnostic;
use warpwise::{Fault, FaultKind};

/// How the library begins to say where an address without an allocation lies.
const NEAREST: [&str; 2] = ["the nearest allocation", "nothing is allocated"];

/// The diagnostics of a fault, where an address of the host's is called that.
pub(crate) fn explained(fault: Option<&Fault>, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut told = diagnostics.to_vec();
    let Some(FaultKind::OutOfBounds { address, .. }) = fault.map(|fault| &fault.kind) else {
        return told;
    };
    let is_device = driver().is_ok_and(|driver| driver.gpus.iter().any(|gpu| gpu.has(*address)));
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    if !is_device && is_mapped(&maps, *address) {
        let lost = |note: &String| NEAREST.iter().any(|start| note.starts_with(start));
        for diagnostic in told.iter_mut().filter(|told| told.notes.iter().any(lost)) {
            diagnostic.notes.retain(|note| !lost(note));
            diagnostic.notes.push(
                "the address is in memory of the host that no device reaches: on the stack, from `malloc`, or a variable of the program"
                    .to_owned(),
            );
            diagnostic.help = Some(
                "copy it to the device (`cudaMemcpy`), allocate it with `cudaMallocManaged` or `cudaMallocHost`, or register it \
                 (`cudaHostRegister`)"
                    .to_owned(),
            );
        }
    }
    told
}

/// Whether a range of `/proc/self/maps` that can be read holds an address.
fn is_mapped(maps: &str, address: u64) -> bool {
    maps.lines().any(|line| {
        let mut fields = line.split_whitespace();
        let range = fields.next().and_then(|range| range.split_once('-'));
        let can_be_read = fields.next().is_some_and(|access| access.starts_with('r'));
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        range.is_some_and(|(start, end)| match (number(start), number(end)) {
            (Some(start), Some(end)) => can_be_read && (start..end).contains(&address),
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_process_has_is_known() {
        let maps = "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0  [stack]\n\
                    7ffc00100000-7ffc00121000 ---p 00000000 00:00 0\n";
        assert!(is_mapped(maps, 0x7ffc_0000_1000));
        for other in [0, 0x7ffc_0002_1000, 0x7ffc_0010_0000] {
            assert!(!is_mapped(maps, other), "{other:#x}");
        }
    }
}
