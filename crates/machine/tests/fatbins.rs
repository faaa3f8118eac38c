//! Fat binaries that NVIDIA's compiler made (`tests/fatbin/record.sh`): their entries, their PTX against what the compiler
//! prints, the choice for a device, and any damage to them.

mod common;

use common::repository;
use proptest::prelude::*;
use warpwise_machine::fatbin::{self, Entry, Fatbin, FatbinError, Kind, Reach, Wrapper};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(repository(&format!("tests/fatbin/{name}"))).expect("a committed file")
}

fn compiled() -> String {
    String::from_utf8(file("add.ptx")).expect("it is text")
}

/// The text without comments, blanks and empty lines: those are dropped when PTX is put into a fat binary.
fn bare(text: &str) -> Vec<String> {
    let line = |line: &str| line.split("//").next().unwrap_or_default().replace([' ', '\t'], "");
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

fn ptx<'f, 'a>(fatbin: &'f Fatbin<'a>) -> &'f Entry<'a> {
    fatbin.entries.iter().find(|entry| entry.kind == Kind::Ptx).expect("it has PTX")
}

#[test]
fn ptx_is_the_compilers_however_it_is_packed() {
    for name in ["none.fatbin", "speed.fatbin", "size.fatbin"] {
        let bytes = file(name);
        let fatbin = Fatbin::parse(&bytes).expect(name);
        let kinds: Vec<Kind> = fatbin.entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [Kind::Cubin, Kind::Ptx], "{name}");
        let text = ptx(&fatbin).text().expect(name);
        assert_eq!(bare(&text), bare(&compiled()), "{name}");
        let cubin = fatbin.entries[0].data().expect("it is whole");
        assert!(warpwise_machine::cubin::is_elf(&cubin), "{name}");
        assert_eq!(fatbin::size(&bytes), Ok(bytes.len()));
    }
}

#[test]
fn what_is_written_is_what_is_read() {
    let text = compiled();
    for (sm, reach, target) in
        [(75, Reach::Later, "sm_75"), (90, Reach::Alone, "sm_90a"), (100, Reach::Family, "sm_100f")]
    {
        for text in [&*text, "", "1234567", "12345678"] {
            let bytes = fatbin::of_ptx(sm, reach, (8, 3), text);
            assert_eq!(fatbin::size(&bytes), Ok(bytes.len()));
            let fatbin = Fatbin::parse(&bytes).expect("it is whole");
            let [entry] = fatbin.entries.as_slice() else { panic!("{fatbin:?}") };
            assert_eq!(
                (entry.kind, entry.target(), entry.version),
                (Kind::Ptx, target.to_owned(), (8, 3))
            );
            assert_eq!(
                (&*entry.name, &*entry.options, entry.text()),
                ("", "", Ok(text.to_owned()))
            );
        }
    }
}

#[test]
fn entries_say_what_they_are_for() {
    let bytes = file("targets.fatbin");
    let fatbin = Fatbin::parse(&bytes).expect("it is whole");
    let mut targets: Vec<(Kind, String)> =
        fatbin.entries.iter().map(|entry| (entry.kind, entry.target())).collect();
    targets.sort_by(|a, b| a.1.cmp(&b.1));
    let of = |kind, name: &str| (kind, name.to_owned());
    let wanted = [
        of(Kind::Ptx, "sm_100f"),
        of(Kind::Ptx, "sm_75"),
        of(Kind::Cubin, "sm_80"),
        of(Kind::Ptx, "sm_90"),
        of(Kind::Ptx, "sm_90a"),
    ];
    assert_eq!(targets, wanted);
    for entry in fatbin.entries.iter().filter(|entry| entry.kind == Kind::Ptx) {
        assert_eq!(entry.name, "add.cu");
        assert_eq!(entry.options.trim(), "--generate-line-info");
        let text = entry.text().expect("it is whole");
        assert!(text.contains(&format!("\n.target {}\n", entry.target())), "{text}");
        let (major, minor) = entry.version;
        assert!(text.contains(&format!("\n.version {major}.{minor}\n")), "{text}");
    }
}

#[test]
fn the_best_ptx_for_a_device() {
    let bytes = file("targets.fatbin");
    let fatbin = Fatbin::parse(&bytes).expect("it is whole");
    for (sm, target) in [
        (70, None),
        (75, Some("sm_75")),
        (80, Some("sm_75")),
        (90, Some("sm_90a")),
        (100, Some("sm_100f")),
        (103, Some("sm_100f")),
        (120, Some("sm_90")),
    ] {
        assert_eq!(fatbin.ptx_for(sm).map(Entry::target).as_deref(), target, "sm_{sm}");
    }
    assert_eq!(fatbin.entries.iter().filter(|entry| entry.reach == Reach::Alone).count(), 1);
}

#[test]
fn containers_of_objects_are_found() {
    let (module, part) = (file("module.o"), file("part.o"));
    let module = fatbin::embedded(&module).expect("it is an object");
    let part = fatbin::embedded(&part).expect("it is an object");
    assert_eq!((module.modules.len(), module.parts.len()), (1, 0));
    assert_eq!((part.modules.len(), part.parts.len()), (0, 1));
    let text = ptx(&module.modules[0]).text().expect("it is whole");
    assert_eq!(bare(&text), bare(&compiled()));
    assert!(ptx(&part.parts[0]).text().is_ok_and(|text| text.contains(".entry add")));
}

#[test]
fn what_is_no_fat_binary_is_refused() {
    assert_eq!(Fatbin::parse(b""), Err(FatbinError::NotFatbin));
    assert_eq!(Fatbin::parse(b"//\n.version 8.0"), Err(FatbinError::NotFatbin));
    assert!(matches!(fatbin::embedded(b"\x7fELF"), Err(FatbinError::Elf(_))));
    let mut endless = file("none.fatbin");
    endless[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(Fatbin::parse(&endless), Err(FatbinError::Truncated(_))));
}

#[test]
fn wrappers_of_both_versions() {
    let wrapper = |version: u32| {
        let mut bytes = fatbin::WRAPPER_MAGIC.to_le_bytes().to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend([0x1000_u64, 0x2000].iter().flat_map(|address| address.to_le_bytes()));
        bytes
    };
    assert_eq!(Wrapper::parse(&wrapper(1)), Ok(Wrapper { container: 0x1000, list: None }));
    assert_eq!(Wrapper::parse(&wrapper(2)), Ok(Wrapper { container: 0x1000, list: Some(0x2000) }));
    assert_eq!(Wrapper::parse(&wrapper(3)), Err(FatbinError::NotFatbin));
    assert!(matches!(Wrapper::parse(&wrapper(2)[..20]), Err(FatbinError::Truncated(_))));
}

#[test]
fn a_packed_size_that_lies_is_found() {
    for name in ["speed.fatbin", "size.fatbin"] {
        let bytes = file(name);
        // The last entry is the PTX: its header stands where the one before it ends.
        let field = |at: usize| {
            let word = bytes[at..at + 8].first_chunk().expect("it is there");
            usize::try_from(u64::from_le_bytes(*word)).expect("it is a size")
        };
        let ptx = fatbin::HEADER_SIZE + 64 + field(fatbin::HEADER_SIZE + 8);
        let real = field(ptx + 56) as u64;
        for size in [1, real - 1, real + 1, 1 << 30, u64::MAX] {
            let mut bytes = bytes.clone();
            bytes[ptx + 56..ptx + 64].copy_from_slice(&size.to_le_bytes());
            let fatbin = Fatbin::parse(&bytes).expect("its parts are in place");
            let told = fatbin.entries[1].text();
            assert!(matches!(told, Err(FatbinError::Payload(_))), "{name} {size}: {told:?}");
        }
    }
}

proptest! {
    /// Damaged files are read or refused, and so are their payloads.
    #[test]
    fn damage_is_no_panic(
        nth in 0_usize..5,
        cut in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let name = ["none.fatbin", "speed.fatbin", "size.fatbin", "targets.fatbin", "part.o"][nth];
        let mut bytes = file(name);
        for (at, value) in damage {
            // Half of the damage is in the headers, which are small.
            let end = if value % 2 == 0 { 160 } else { bytes.len() };
            bytes[at.index(end)] = value;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            let mut all = fatbin::embedded(bytes).unwrap_or_default().parts;
            all.extend(Fatbin::parse(bytes));
            for entry in all.iter().flat_map(|fatbin| &fatbin.entries) {
                let _ = entry.text();
            }
        }
    }
}
