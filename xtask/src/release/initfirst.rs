//! A mark of shared libraries that not every linker can set.

use object::elf::{DF_1_INITFIRST, DT_FLAGS_1, FileHeader64, SHT_DYNAMIC};
use object::read::elf::{Dyn as _, FileHeader as _, SectionHeader as _};
use object::{Endian as _, Endianness};
use std::fs;
use std::path::Path;

/// Bytes of an entry of the dynamic section, and of its tag, which stands before the value.
const ENTRY: usize = 16;
const TAG: usize = 8;

/// Marks a library whose constructors must run before those of all others (`-z initfirst`, which zig's linker does not know).
///
/// # Errors
/// It is no shared library of 64 bits, or it has no flags to which one could be added.
pub(super) fn mark(library: &Path) -> Result<(), String> {
    let fail = |why: &dyn std::fmt::Display| format!("{}: {why}", library.display());
    let mut bytes = fs::read(library).map_err(|why| fail(&why))?;
    let (place, flags, endian) = flags(&bytes)
        .map_err(|why| fail(&why))?
        .ok_or_else(|| fail(&"its dynamic section has no flags: link it with `-z now`"))?;
    let marked = endian.write_u64(flags | u64::from(DF_1_INITFIRST));
    let value = bytes.get_mut(place..place + marked.len()).ok_or_else(|| fail(&"it is cut off"))?;
    value.copy_from_slice(&marked);
    fs::write(library, bytes).map_err(|why| fail(&why))
}

/// Where the flags are, and what they are.
fn flags(bytes: &[u8]) -> Result<Option<(usize, u64, Endianness)>, object::read::Error> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    for section in header.section_headers(endian, bytes)? {
        if section.sh_type(endian) != SHT_DYNAMIC {
            continue;
        }
        let Some((entries, _)) = section.dynamic(endian, bytes)? else { continue };
        let nth = entries.iter().position(|entry| entry.tag(endian) == DT_FLAGS_1);
        if let Some(nth) = nth {
            let begin = section.sh_offset(endian) as usize;
            return Ok(Some((begin + nth * ENTRY + TAG, entries[nth].d_val(endian), endian)));
        }
    }
    Ok(None)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_marked_file_has_its_other_flags_still() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let file = place.path().join("copy");
        // A program has such flags, too: it was linked like the library.
        let own = std::env::current_exe().expect("the test has a path");
        fs::copy(own, &file).expect("it can be copied");
        let read = || flags(&fs::read(&file).expect("readable")).expect("an ELF file");
        let (place_of, before, _) = read().expect("flags");
        mark(&file).expect("marked");
        let (place_after, after, _) = read().expect("flags");
        assert_eq!((place_of, before | u64::from(DF_1_INITFIRST)), (place_after, after));
    }

    #[test]
    fn what_is_no_library_is_an_error() {
        let file = tempfile::NamedTempFile::new().expect("a file can be made");
        assert!(mark(file.path()).is_err());
    }
}
