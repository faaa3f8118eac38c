//! Instructions that exist and are not implemented. Their operands are not checked beyond their names.

use super::{CALL, Entry};

macro_rules! others {
    ($($name:expr, $section:literal;)+) => {
        pub(super) const ENTRIES: &[Entry] =
            &[$(Entry { name: $name, section: $section, forms: &[] }),+];
    };
}

others! {
    "szext", "9.7.1.22 szext";
    "fns", "9.7.1.18 fns";
    "prefetch", "9.7.9.15 prefetch, prefetchu";
    "prefetchu", "9.7.9.15 prefetch, prefetchu";
    "applypriority", "9.7.9.16 applypriority";
    "discard", "9.7.9.17 discard";
    "createpolicy", "9.7.9.18 createpolicy";
    "st.async", "9.7.9.12 st.async";
    "st.bulk", "9.7.9.13 st.bulk";
    "multimem", "9.7.9.14 multimem";
    "mapa", "9.7.9.25 mapa";
    "getctarank", "9.7.9.26 getctarank";
    "cp", "9.7.9.27 Asynchronous copy";
    "tensormap", "9.7.9.28 tensormap.replace";
    "tex", "9.7.10.3 tex";
    "tld4", "9.7.10.4 tld4";
    "txq", "9.7.10.5 txq";
    "istypep", "9.7.10.6 istypep";
    "suld", "9.7.11.1 suld";
    "sust", "9.7.11.2 sust";
    "sured", "9.7.11.3 sured";
    "suq", "9.7.11.4 suq";
    "brx", "9.7.12.4 brx.idx";
    CALL, "9.7.12.5 call";
    "barrier.cluster", "9.7.13.3 barrier.cluster";
    "fence.proxy", "9.7.13.4 fence";
    "fence.mbarrier_init", "9.7.13.4 fence";
    "red.async", "9.7.13.7 red.async";
    "mbarrier", "9.7.13.16 mbarrier";
    "griddepcontrol", "9.7.13.14 griddepcontrol";
    "clusterlaunchcontrol", "9.7.13.18 clusterlaunchcontrol";
    "wmma", "9.7.14.4 wmma";
    "mma", "9.7.14.5 mma";
    "ldmatrix", "9.7.14.5.15 ldmatrix";
    "stmatrix", "9.7.14.5.16 stmatrix";
    "wgmma", "9.7.15 wgmma";
    "tcgen05", "9.7.16 tcgen05";
    "stacksave", "9.7.17.1 stacksave";
    "stackrestore", "9.7.17.2 stackrestore";
    "alloca", "9.7.17.3 alloca";
    "vadd", "9.7.18.1 vadd, vsub, vabsdiff, vmin, vmax";
    "vsub", "9.7.18.1 vadd, vsub, vabsdiff, vmin, vmax";
    "vabsdiff", "9.7.18.1 vadd, vsub, vabsdiff, vmin, vmax";
    "vmin", "9.7.18.1 vadd, vsub, vabsdiff, vmin, vmax";
    "vmax", "9.7.18.1 vadd, vsub, vabsdiff, vmin, vmax";
    "vshl", "9.7.18.2 vshl, vshr";
    "vshr", "9.7.18.2 vshl, vshr";
    "vmad", "9.7.18.3 vmad";
    "vset", "9.7.18.4 vset";
    "vadd2", "9.7.18.5 SIMD Video Instructions";
    "vsub2", "9.7.18.5 SIMD Video Instructions";
    "vavrg2", "9.7.18.5 SIMD Video Instructions";
    "vabsdiff2", "9.7.18.5 SIMD Video Instructions";
    "vmin2", "9.7.18.5 SIMD Video Instructions";
    "vmax2", "9.7.18.5 SIMD Video Instructions";
    "vset2", "9.7.18.5 SIMD Video Instructions";
    "vadd4", "9.7.18.5 SIMD Video Instructions";
    "vsub4", "9.7.18.5 SIMD Video Instructions";
    "vavrg4", "9.7.18.5 SIMD Video Instructions";
    "vabsdiff4", "9.7.18.5 SIMD Video Instructions";
    "vmin4", "9.7.18.5 SIMD Video Instructions";
    "vmax4", "9.7.18.5 SIMD Video Instructions";
    "vset4", "9.7.18.5 SIMD Video Instructions";
    "brkpt", "9.7.19.1 brkpt";
    "pmevent", "9.7.19.2 pmevent";
    "setmaxnreg", "9.7.19.5 setmaxnreg";
}
