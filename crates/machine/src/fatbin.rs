//! Fat binaries: the containers in which `nvcc` keeps the PTX and the machine code of a program.
//!
//! A *container* is a header and entries, one behind another, each with what it was compiled for and a payload that may be
//! compressed. A *wrapper* is what a program registers: it leads to a container, or, of a program that was linked from
//! relocatable device code, to a list of containers whose PTX makes one program together. Executables and objects keep
//! containers in the ELF sections [`SECTIONS`].
//!
//! Layout: what NVIDIA's `fatbinary` 12.1 to 13.5 writes; little endian, no field aligned beyond 8 bytes.

use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::fmt;
use std::io::Read;

/// The first word of a container.
pub const MAGIC: u32 = 0xba55_ed50;

/// The first word of a wrapper.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Bytes of a wrapper.
pub const WRAPPER_SIZE: usize = 24;

/// Bytes of the header of a container.
pub const HEADER_SIZE: usize = 16;

/// The ELF sections with containers: those of programs, and those of relocatable device code.
pub const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Bytes of the largest payload that is unpacked; every offset in a text fits a span.
const MAX_PAYLOAD: u64 = 1 << 30;

/// Bytes of the fixed part of the header of an entry.
const ENTRY_SIZE: usize = 64;

/// Bits of the flags of an entry.
mod flags {
    /// Addresses of 64 bits, for Linux.
    pub(super) const PLAIN: u64 = 0x11;
    pub(super) const LZ4: u64 = 0x2000;
    pub(super) const ZSTD: u64 = 0x8000;
    pub(super) const ARCHITECTURE: u64 = 0x10_0000;
    pub(super) const FAMILY: u64 = 0x20_0000;
}

/// Why bytes cannot be read as a fat binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FatbinError {
    /// It does not begin as a container does, or is of a version that is not known.
    NotFatbin,
    /// It ends before its parts do.
    Truncated(&'static str),
    /// The header of an entry contradicts itself.
    Entry(&'static str),
    /// A payload cannot be unpacked.
    Payload(String),
    /// The ELF file around it is broken.
    Elf(String),
}

impl fmt::Display for FatbinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FatbinError::NotFatbin => write!(f, "it is not a fat binary of a known version"),
            FatbinError::Truncated(what) => {
                write!(f, "the fat binary ends in the middle of {what}")
            }
            FatbinError::Entry(what) => write!(f, "an entry of the fat binary is broken: {what}"),
            FatbinError::Payload(why) => {
                write!(f, "an entry of the fat binary cannot be unpacked: {why}")
            }
            FatbinError::Elf(why) => write!(f, "the ELF file cannot be read: {why}"),
        }
    }
}

impl std::error::Error for FatbinError {}

type Result<T> = std::result::Result<T, FatbinError>;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// Machine code: a cubin.
    Cubin,
    /// Anything else, by its number.
    Other(u16),
}

/// On which devices an entry runs, beside those of its own architecture; those that reach far come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// `sm_90`: on all later ones, if it is PTX.
    Later,
    /// `sm_100f`: on later ones of the family.
    Family,
    /// `sm_90a`: on no others.
    Alone,
}

impl Reach {
    const ALL: [Reach; 3] = [Reach::Later, Reach::Family, Reach::Alone];

    /// What names of targets end with.
    fn suffix(self) -> &'static str {
        match self {
            Reach::Later => "",
            Reach::Family => "f",
            Reach::Alone => "a",
        }
    }

    /// That of the target of a name: `sm_90a`.
    pub fn of(target: &str) -> Reach {
        let named = Reach::ALL.into_iter().rev().find(|reach| target.ends_with(reach.suffix()));
        named.unwrap_or(Reach::Later)
    }
}

/// An image in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// The number of its architecture: 90.
    pub sm: u32,
    /// On which other devices it runs.
    pub reach: Reach,
    /// Two numbers; of PTX its version, `(9, 5)`.
    pub version: (u16, u16),
    /// The name of the source file, if it was compiled with line information.
    pub name: Cow<'a, str>,
    /// Flags for the assembler, such as `--generate-line-info`.
    pub options: Cow<'a, str>,
    /// Its flags as they stand.
    pub flags: u64,
    payload: &'a [u8],
    /// Bytes of the payload when unpacked; 0 if it is not packed.
    unpacked: u64,
}

impl Entry<'_> {
    /// The target: `sm_90a`.
    pub fn target(&self) -> String {
        format!("sm_{}{}", self.sm, self.reach.suffix())
    }

    /// Whether a device, whose architecture has that number, can take this entry if it is PTX.
    pub fn runs_on(&self, sm: u32) -> bool {
        match self.reach {
            Reach::Later => self.sm <= sm,
            Reach::Family => self.sm <= sm && self.sm / 10 == sm / 10,
            Reach::Alone => self.sm == sm,
        }
    }

    /// The payload as it was before it was packed.
    ///
    /// # Errors
    /// It is packed in an unknown way, broken, not of the size that the entry states, or larger than 1 GiB.
    pub fn data(&self) -> Result<Cow<'_, [u8]>> {
        if self.unpacked == 0 {
            return Ok(Cow::Borrowed(self.payload));
        }
        let fail = |why: &dyn fmt::Display| FatbinError::Payload(why.to_string());
        let size = usize::try_from(self.unpacked)
            .ok()
            .filter(|_| self.unpacked <= MAX_PAYLOAD)
            .ok_or_else(|| fail(&format_args!("it has more than {MAX_PAYLOAD} bytes")))?;
        let data = match self.flags & (flags::LZ4 | flags::ZSTD) {
            flags::LZ4 => {
                // A byte makes 255 at most. So a header that lies does not make us ask for memory.
                if size > self.payload.len().saturating_mul(255) {
                    return Err(fail(&"its packed form is too short"));
                }
                lz4_flex::block::decompress(self.payload, size).map_err(|why| fail(&why))?
            }
            flags::ZSTD => {
                let mut data = Vec::new();
                ruzstd::decoding::StreamingDecoder::new(self.payload)
                    .map_err(|why| fail(&why))?
                    .take(self.unpacked + 1)
                    .read_to_end(&mut data)
                    .map_err(|why| fail(&why))?;
                data
            }
            _ => return Err(fail(&"it is packed in an unknown way")),
        };
        match data.len() == size {
            true => Ok(Cow::Owned(data)),
            false => Err(fail(&format_args!("it has {} bytes instead of {size}", data.len()))),
        }
    }

    /// The text of an entry of PTX, without the NUL and the padding behind it.
    ///
    /// # Errors
    /// As for [`Entry::data`], or it is not UTF-8.
    pub fn text(&self) -> Result<String> {
        let data = self.data()?;
        let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
        let text = std::str::from_utf8(&data[..end]);
        text.map(str::to_owned).map_err(|why| FatbinError::Payload(why.to_string()))
    }
}

/// A container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fatbin<'a> {
    /// Its entries in their order.
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Fatbin<'a> {
    /// Reads the container at the beginning of `bytes`; others may stand behind it ([`size`]).
    ///
    /// # Errors
    /// It is not a container, or a broken one.
    pub fn parse(bytes: &'a [u8]) -> Result<Fatbin<'a>> {
        let whole = bytes.get(..size(bytes)?).ok_or(FatbinError::Truncated("its entries"))?;
        let mut rest = &whole[HEADER_SIZE..];
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let entry;
            (entry, rest) = parse_entry(rest)?;
            entries.push(entry);
        }
        Ok(Fatbin { entries })
    }

    /// The PTX for a device, whose architecture has that number: of what runs there, the one for the highest architecture, and of
    /// those the one that reaches least far.
    pub fn ptx_for(&self, sm: u32) -> Option<&Entry<'a>> {
        let fits = |entry: &&Entry<'a>| entry.kind == Kind::Ptx && entry.runs_on(sm);
        self.entries.iter().filter(fits).max_by_key(|entry| (entry.sm, entry.reach))
    }

    /// Whether the text of one of its entries is such a one. What cannot be read is none.
    pub fn any_ptx(&self, is_it: impl Fn(&str) -> bool) -> bool {
        let mut all = self.entries.iter().filter(|entry| entry.kind == Kind::Ptx);
        all.any(|entry| entry.text().is_ok_and(|text| is_it(&text)))
    }
}

/// A container with one entry, which is PTX as it stands.
pub fn of_ptx(sm: u32, reach: Reach, version: (u16, u16), text: &str) -> Vec<u8> {
    // Behind the fixed part stands where the options of the assembler are, without which NVIDIA's tools take no PTX.
    let (options, head) = (ENTRY_SIZE, ENTRY_SIZE + 16);
    let payload = (text.len() + 1).next_multiple_of(8);
    let flags = flags::PLAIN
        | match reach {
            Reach::Later => 0,
            Reach::Family => flags::FAMILY,
            Reach::Alone => flags::ARCHITECTURE,
        };
    let mut out = Vec::with_capacity(HEADER_SIZE + head + payload);
    out.extend(MAGIC.to_le_bytes());
    out.extend(1_u16.to_le_bytes());
    out.extend((HEADER_SIZE as u16).to_le_bytes());
    out.extend(((head + payload) as u64).to_le_bytes());
    // The fields of the entry in their order, as `parse_entry` reads them.
    out.extend([1_u16, 0x101].map(u16::to_le_bytes).concat());
    out.extend((head as u32).to_le_bytes());
    out.extend((payload as u64).to_le_bytes());
    out.extend([0, options as u32].map(u32::to_le_bytes).concat());
    out.extend([version.1, version.0].map(u16::to_le_bytes).concat());
    out.extend([sm, 0, 0].map(u32::to_le_bytes).concat());
    out.extend([flags, 0, 0].map(u64::to_le_bytes).concat());
    out.extend([options as u32 + 8, 0, 0, 0].map(u32::to_le_bytes).concat());
    out.extend(text.as_bytes());
    out.resize(HEADER_SIZE + head + payload, 0);
    out
}

/// Whether bytes begin as a container does.
pub fn is_fatbin(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Bytes of the container that begins with that header, header and entries; more than there are if it was cut off.
///
/// # Errors
/// It is not the header of a container.
pub fn size(header: &[u8]) -> Result<usize> {
    if !is_fatbin(header) {
        return Err(FatbinError::NotFatbin);
    }
    let fields = Fields(header);
    let cut = FatbinError::Truncated("its header");
    let (Some(version), Some(head)) = (fields.u16(4), fields.u16(6)) else { return Err(cut) };
    let entries = fields.u64(8).ok_or(cut)?;
    if version != 1 || usize::from(head) != HEADER_SIZE {
        return Err(FatbinError::NotFatbin);
    }
    let entries = usize::try_from(entries).ok();
    entries
        .and_then(|entries| entries.checked_add(HEADER_SIZE))
        .ok_or(FatbinError::Truncated("its entries"))
}

/// What a program registers: the address of a container, and of a list of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The address of the container; of a program with a list, the container has the linked machine code alone.
    pub container: u64,
    /// The address of the list, if there is one: addresses of containers of relocatable code, and 0 behind the last.
    pub list: Option<u64>,
}

impl Wrapper {
    /// Reads a wrapper.
    ///
    /// # Errors
    /// It is none, or of an unknown version.
    pub fn parse(bytes: &[u8]) -> Result<Wrapper> {
        let fields = Fields(bytes);
        if fields.u32(0) != Some(WRAPPER_MAGIC) {
            return Err(FatbinError::NotFatbin);
        }
        let (Some(version), Some(container), Some(list)) =
            (fields.u32(4), fields.u64(8), fields.u64(16))
        else {
            return Err(FatbinError::Truncated("its wrapper"));
        };
        match version {
            1 => Ok(Wrapper { container, list: None }),
            2 => Ok(Wrapper { container, list: Some(list).filter(|list| *list != 0) }),
            _ => Err(FatbinError::NotFatbin),
        }
    }
}

/// The containers of an executable, a library or an object, in the order of their sections and places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedded<'a> {
    /// Those of whole programs: each is a module of its own.
    pub modules: Vec<Fatbin<'a>>,
    /// Those of relocatable device code: they make one module together.
    pub parts: Vec<Fatbin<'a>>,
}

/// Finds the containers in an ELF file.
///
/// # Errors
/// It is not an ELF file, or a container in it is broken.
pub fn embedded(file: &[u8]) -> Result<Embedded<'_>> {
    let broken = |why: object::Error| FatbinError::Elf(why.to_string());
    let file = object::File::parse(file).map_err(broken)?;
    let mut found = Embedded::default();
    for section in file.sections() {
        let Ok(name) = section.name() else { continue };
        let Some(nth) = SECTIONS.iter().position(|known| *known == name) else { continue };
        let all = containers(section.data().map_err(broken)?)?;
        match nth {
            0 => found.modules.extend(all),
            _ => found.parts.extend(all),
        }
    }
    Ok(found)
}

/// Containers that stand one behind another, with zeros between them.
fn containers(mut bytes: &[u8]) -> Result<Vec<Fatbin<'_>>> {
    let mut found = Vec::new();
    loop {
        let begin = bytes.iter().position(|byte| *byte != 0);
        let Some(begin) = begin else { return Ok(found) };
        bytes = &bytes[begin..];
        found.push(Fatbin::parse(bytes)?);
        bytes = &bytes[size(bytes)?..];
    }
}

/// Reads the entry that `bytes` begin with, and returns what is behind it.
fn parse_entry(bytes: &[u8]) -> Result<(Entry<'_>, &[u8])> {
    let cut = FatbinError::Truncated("the header of an entry");
    let fixed = Fields(bytes.get(..ENTRY_SIZE).ok_or(cut.clone())?);
    // `fixed` has all of these; a missing one would be told as the cut that it is.
    let u16_at = |at| fixed.u16(at).ok_or(cut.clone());
    let u32_at = |at| fixed.u32(at).ok_or(cut.clone());
    let u64_at = |at| fixed.u64(at).ok_or(cut.clone());
    let kind = match u16_at(0)? {
        1 => Kind::Ptx,
        2 => Kind::Cubin,
        other => Kind::Other(other),
    };
    let header = index(u32_at(4)?.into());
    if header < ENTRY_SIZE {
        return Err(FatbinError::Entry("its header is too short"));
    }
    let padded = index(u64_at(8)?);
    let head = bytes.get(..header).ok_or(cut.clone())?;
    let behind = &bytes[header..];
    let payload = behind.get(..padded).ok_or(FatbinError::Truncated("a payload"))?;
    let rest = &behind[padded..];

    let (packed, unpacked) = (index(u32_at(16)?.into()), u64_at(56)?);
    let payload = match packed {
        0 => payload,
        _ if unpacked == 0 => return Err(FatbinError::Entry("its size when unpacked is missing")),
        _ => payload.get(..packed).ok_or(FatbinError::Entry("it is larger than its place"))?,
    };
    let flags = u64_at(40)?;
    let reach = match flags & (flags::ARCHITECTURE | flags::FAMILY) {
        0 => Reach::Later,
        flags::FAMILY => Reach::Family,
        _ => Reach::Alone,
    };
    let text = |offset: usize, length: usize| {
        let bytes = offset.checked_add(length).and_then(|end| head.get(offset..end));
        let bytes = bytes.ok_or(FatbinError::Entry("a name lies outside of its header"))?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]))
    };
    let name = text(index(u32_at(32)?.into()), index(u32_at(36)?.into()))?;
    // Of machine code other data stands where PTX has its options.
    let options = match (kind, index(u32_at(20)?.into())) {
        (Kind::Ptx, place) if place != 0 => {
            let place = Fields(head.get(place..).unwrap_or_default());
            let (Some(offset), Some(length)) = (place.u32(0), place.u32(4)) else {
                return Err(FatbinError::Entry("its options lie outside of its header"));
            };
            text(index(offset.into()), index(length.into()))?
        }
        _ => Cow::Borrowed(""),
    };
    let entry = Entry {
        kind,
        sm: u32_at(28)?,
        reach,
        version: (u16_at(26)?, u16_at(24)?),
        name,
        options,
        flags,
        payload,
        unpacked: if packed == 0 { 0 } else { unpacked },
    };
    Ok((entry, rest))
}

/// A size or offset as an index; one that no memory holds is behind the end of everything.
fn index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Numbers at offsets; `None` behind the end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..)?.first_chunk().copied()
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }
}
