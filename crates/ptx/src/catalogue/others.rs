//! Instructions that exist and are not implemented. Their operands are not checked beyond their names.

use super::{CALL, Entry};

macro_rules! others {
    ($($name:expr, $section:literal;)+) => {
        pub(super) const ENTRIES: &[Entry] =
            &[$(Entry { name: $name, section: $section, forms: &[] }),+];
    };
}

others! {
    "multimem", "9.7.9.14 multimem";
    "tcgen05.ld.red", "9.7.16.8.3 tcgen05.ld";
    "tcgen05.mma.ws", "9.7.16.10.9.3 tcgen05.mma.ws";
    "brx", "9.7.12.4 brx.idx";
    CALL, "9.7.12.5 call";
}
