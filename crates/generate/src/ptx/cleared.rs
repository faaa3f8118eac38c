//! The memory of CTAs and threads, cleared before anything else runs: on a device it holds what was there before, and the
//! reference says that it is zero.

use super::portable::CLUSTERS;
use crate::case::Case;
use std::fmt::Write as _;

/// The declarations of a kernel's shared and local memory, and what clears them. The registers and labels are named like nothing
/// else.
pub(super) fn memory(case: &Case, target: u32) -> String {
    let bytes = |bytes: u32| bytes.max(1).next_multiple_of(16);
    let (shared, local) = (bytes(case.kernel.shared_bytes), bytes(case.kernel.local_bytes));
    let mut out = format!(
        "\t.shared .align 16 .b8 memory[{shared}];\n\t.local .align 16 .b8 scratch[{local}];\n\
         \t.reg .b32 %c<8>;\n\t.reg .pred %cleared;\n\tmov.b32 %c7, 0;\n"
    );
    for at in (0..local).step_by(4) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\tst.local.b32 [scratch+{at}], %c7;");
    }
    for (nth, special) in
        ["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z"].iter().enumerate()
    {
        let _ = writeln!(out, "\tmov.u32 %c{nth}, %{special};");
    }
    let _ = write!(
        out,
        "\tmad.lo.u32 %c1, %c2, %c4, %c1;\n\tmad.lo.u32 %c0, %c1, %c3, %c0;\n\
         \tmul.lo.u32 %c3, %c3, %c4;\n\tmul.lo.u32 %c3, %c3, %c5;\n\
         \tshl.b32 %c0, %c0, 2;\n\tshl.b32 %c3, %c3, 2;\n\
         CLEAR:\n\tsetp.ge.u32 %cleared, %c0, {shared};\n\t@%cleared bra CLEARED;\n\
         \tmov.u32 %c6, memory;\n\tadd.u32 %c6, %c6, %c0;\n\tst.shared.b32 [%c6], %c7;\n\
         \tadd.u32 %c0, %c0, %c3;\n\tbra CLEAR;\n\
         CLEARED:\n\tbarrier.sync 0;\n"
    );
    if target >= CLUSTERS {
        out.push_str("\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n");
    }
    out
}
