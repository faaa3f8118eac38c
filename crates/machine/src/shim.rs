//! Shared libraries that hold nothing but names.
//!
//! A program that was linked with a shared library asks for it by its name, and for functions of a version that is often
//! called like it. A shim has that name, defines that version, and needs the library that has the functions; the dynamic loader takes a
//! function without a version for one of any version.

use object::elf;
use object::endian::Endianness;
use object::write::elf::{FileHeader, ProgramHeader, Verdef, Writer};

/// A 64-bit ELF library of that name for this machine, which defines a version of the same name, and needs the other
/// library from its own folder.
pub fn library(soname: &str, needed: &str) -> Vec<u8> {
    // Writing to memory does not fail, and no number here is too large for its field.
    write(soname, needed).unwrap_or_default()
}

/// The loader maps whole pages.
const PAGE: u64 = 4096;

fn write(soname: &str, needed: &str) -> object::write::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut bytes);

    writer.reserve_file_header();
    writer.reserve_program_headers(3);
    let soname_string = writer.add_dynamic_string(soname.as_bytes());
    let needed_string = writer.add_dynamic_string(needed.as_bytes());
    let runpath_string = writer.add_dynamic_string(b"$ORIGIN");
    writer.reserve_null_dynamic_symbol_index();
    let hash = writer.reserve_hash(1, 1);
    let dynsym = writer.reserve_dynsym();
    let dynstr = writer.reserve_dynstr();
    let versym = writer.reserve_gnu_versym();
    let verdef = writer.reserve_gnu_verdef(2, 2);
    let dynamic = writer.reserve_dynamic(12);
    let end = writer.reserved_len();

    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_DYN,
        e_machine: if cfg!(target_arch = "aarch64") { elf::EM_AARCH64 } else { elf::EM_X86_64 },
        e_entry: 0,
        e_flags: 0,
    })?;
    writer.write_align_program_headers();
    let (dynamic_at, dynamic_size) = (dynamic as u64, (end - dynamic) as u64);
    for (p_type, p_flags, begin, size, p_align) in [
        // Older loaders write to the dynamic section.
        (elf::PT_LOAD, elf::PF_R | elf::PF_W, 0, end as u64, PAGE),
        (elf::PT_DYNAMIC, elf::PF_R | elf::PF_W, dynamic_at, dynamic_size, 8),
        (elf::PT_GNU_STACK, elf::PF_R | elf::PF_W, 0, 0, 16),
    ] {
        writer.write_program_header(&ProgramHeader {
            p_type,
            p_flags,
            p_offset: begin,
            p_vaddr: begin,
            p_paddr: begin,
            p_filesz: size,
            p_memsz: size,
            p_align,
        });
    }
    writer.write_hash(1, 1, |_| None);
    writer.write_null_dynamic_symbol();
    let strings = writer.dynstr_len() as u64;
    writer.write_dynstr();
    writer.write_null_gnu_versym();
    writer.write_align_gnu_verdef();
    for (index, flags) in [(1, elf::VER_FLG_BASE), (2, 0)] {
        let version = elf::VER_DEF_CURRENT;
        writer.write_gnu_verdef(&Verdef {
            version,
            flags,
            index,
            aux_count: 1,
            name: soname_string,
        });
    }
    writer.write_align_dynamic();
    writer.write_dynamic_string(elf::DT_SONAME, soname_string)?;
    writer.write_dynamic_string(elf::DT_NEEDED, needed_string)?;
    writer.write_dynamic_string(elf::DT_RUNPATH, runpath_string)?;
    for (tag, value) in [
        (elf::DT_HASH, hash as u64),
        (elf::DT_SYMTAB, dynsym as u64),
        (elf::DT_SYMENT, 24),
        (elf::DT_STRTAB, dynstr as u64),
        (elf::DT_STRSZ, strings),
        (elf::DT_VERSYM, versym as u64),
        (elf::DT_VERDEF, verdef as u64),
        (elf::DT_VERDEFNUM, 2),
        (elf::DT_NULL, 0),
    ] {
        writer.write_dynamic(tag, value)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::read::elf::{FileHeader as _, ProgramHeader as _};

    #[test]
    fn a_shim_has_its_names() {
        let bytes = library("libmine.so.7", "libother.so");
        let endian = Endianness::Little;
        let header = elf::FileHeader64::<Endianness>::parse(&*bytes).expect("it is an ELF file");
        let segments = header.program_headers(endian, &*bytes).expect("it has segments");
        let mut dynamic =
            segments.iter().filter_map(|segment| segment.dynamic(endian, &*bytes).ok()?);
        let dynamic = dynamic.next().expect("it has a dynamic section");
        let value = |tag: i64| {
            let entry = dynamic.iter().find(|entry| entry.d_tag.get(endian) == tag);
            entry.map(|entry| usize::try_from(entry.d_val.get(endian)).expect("it is an offset"))
        };
        let strings = value(elf::DT_STRTAB).expect("it has strings");
        let string = |tag| {
            let text = &bytes[strings + value(tag).expect("it is there")..];
            text.split(|byte| *byte == 0).next().map(String::from_utf8_lossy)
        };
        assert_eq!(string(elf::DT_SONAME).as_deref(), Some("libmine.so.7"));
        assert_eq!(string(elf::DT_NEEDED).as_deref(), Some("libother.so"));
        assert_eq!(string(elf::DT_RUNPATH).as_deref(), Some("$ORIGIN"));
        assert_eq!(value(elf::DT_VERDEFNUM), Some(2));
    }
}
