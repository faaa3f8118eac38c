//! Any bytes: a description loads or is refused, and what loads has a manual, and pseudo-code that is
//! checked.

#![no_main]

use diag::Sources;
use isa::{Description, Loaded};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::new();
    let mut files = |path: &str, _: Option<&str>| match path {
        "fuzz.isa" => Ok(Loaded { name: path.into(), text: text.clone().into_owned() }),
        "warp.isa" => {
            Ok(Loaded { name: path.into(), text: include_str!("../../isa/warp.isa").into() })
        }
        "warp-base.isa" => {
            Ok(Loaded { name: path.into(), text: include_str!("../../isa/warp-base.isa").into() })
        }
        _ => Err("no such file".to_owned()),
    };
    let Ok(description) = Description::load("fuzz.isa", &mut files, &mut sources) else { return };
    machine::check(&description);
    isa::doc::markdown(&description);
    isa::doc::html(&description);
});
