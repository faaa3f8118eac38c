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
    "brx", "9.7.12.4 brx.idx";
    CALL, "9.7.12.5 call";
}
