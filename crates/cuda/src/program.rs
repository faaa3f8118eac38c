//! Images: what programs hand over as code, and the module that is made of it.
#![allow(unsafe_code)]

use crate::abi::{Address, Answer, CUresult};
use crate::fault;
use crate::gpu::Gpu;
use crate::say;
use std::sync::Arc;
use warpwise::device_runtime::is_nvidias;
use warpwise::fatbin::{
    Fatbin, FatbinError, HEADER_SIZE, WRAPPER_MAGIC, WRAPPER_SIZE, Wrapper, is_fatbin, size,
};
use warpwise::{Error, Module};

/// Containers of one program, at most.
const MAX_PARTS: usize = 1 << 16;
/// How machine code begins, and the intermediate code of link-time optimisation.
const ELF: [u8; 4] = *b"\x7fELF";
const LTO: [u8; 4] = [0xed, 0x43, 0x4e, 0x7f];

/// What stands between the parts of what [`Image::linked`] writes: a comment of PTX.
const SEPARATOR: &str = "\n// warpwise: the next of the modules that are linked\n";

/// How a linked image begins that has a limit of registers: a comment of PTX.
const LIMIT: &str = "// warpwise: the most registers of a thread: ";

/// A part of an image.
#[derive(Clone, Debug)]
enum Part {
    Ptx(String),
    Fatbin(Vec<u8>),
}

/// What a program hands over as code: it makes one module. It is copied, because programs free it.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    parts: Vec<Part>,
    /// The file that it is, or that it stands in.
    file: Option<String>,
    /// The most registers that a thread of its kernels may have.
    max_registers: Option<u32>,
}

/// Why there is no module: the result, and in words.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) result: CUresult,
    pub(crate) words: String,
}

impl Refused {
    fn new(result: CUresult, words: impl Into<String>) -> Refused {
        Refused { result, words: words.into() }
    }

    fn no_ptx(target: &str) -> Refused {
        let words = format!(
            "the image has no PTX that {target} can take, and Warpwise runs no machine code: embed PTX with `nvcc -arch=sm_75`, or \
             `-gencode arch=compute_75,code=compute_75` beside what is there (NVCC_APPEND_FLAGS adds it without a change of makefiles)"
        );
        Refused::new(CUresult::NO_BINARY_FOR_GPU, words)
    }

    /// Says why, and gives the result.
    pub(crate) fn said(self) -> CUresult {
        say::note(&self.words);
        self.result
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused::new(fault::of_module(&error), error.to_string())
    }
}

/// The first bytes at an address.
fn bytes(at: Address, count: usize) -> Answer<Vec<u8>> {
    at.to::<u8>().bytes(count)
}

/// The container at an address.
fn container(at: Address) -> Answer<Part> {
    let size = size(&bytes(at, HEADER_SIZE)?).map_err(|_| CUresult::INVALID_IMAGE)?;
    Ok(Part::Fatbin(bytes(at, size)?))
}

impl Image {
    /// An image of texts.
    pub(crate) fn of_texts(texts: Vec<String>) -> Image {
        Image::of_parts(texts.into_iter().map(Part::Ptx).collect())
    }

    fn of_parts(parts: Vec<Part>) -> Image {
        Image { parts, file: None, max_registers: None }
    }

    /// The image, with such a limit if there is one.
    pub(crate) fn limited(self, max_registers: Option<u32>) -> Image {
        Image { max_registers: max_registers.or(self.max_registers), ..self }
    }

    /// The most registers that a thread of its kernels may have.
    pub(crate) fn max_registers(&self) -> Option<u32> {
        self.max_registers
    }

    /// The image at an address of the process: a wrapper, a container, or PTX that ends in NUL.
    ///
    /// # Errors
    /// It is none of these.
    pub(crate) fn read(at: Address) -> Result<Image, Refused> {
        Ok(Image { file: holder(at), ..Image::at(at)? })
    }

    fn at(at: Address) -> Result<Image, Refused> {
        let plain = |result| Refused::new(result, "the image is no PTX and no fat binary");
        let head = bytes(at, 4).map_err(plain)?;
        let one = |part| Ok(Image::of_parts(vec![part]));
        if is_fatbin(&head) {
            return one(container(at).map_err(plain)?);
        }
        if head == WRAPPER_MAGIC.to_le_bytes() {
            let wrapper = bytes(at, WRAPPER_SIZE).map_err(plain)?;
            let wrapper = Wrapper::parse(&wrapper).map_err(|_| plain(CUresult::INVALID_IMAGE))?;
            let Some(list) = wrapper.list else {
                return one(container(Address(wrapper.container)).map_err(plain)?);
            };
            let list = Address(list).to::<u64>();
            let all = (0..MAX_PARTS).map(|nth| list.at(nth).unwrap_or(0));
            let parts = all.take_while(|at| *at != 0).map(|at| container(Address(at)));
            let parts = parts.collect::<Answer<_>>().map_err(plain)?;
            return Ok(Image::of_parts(parts));
        }
        Image::of_bytes(match starts_text(&head) {
            true => at.text().bytes().map_err(plain)?,
            false => head,
        })
    }

    /// The image that a file is.
    ///
    /// # Errors
    /// It cannot be read, or it is none.
    pub(crate) fn of_file(path: &str) -> Result<Image, Refused> {
        let bytes = std::fs::read(path).map_err(|why| Refused {
            result: CUresult::FILE_NOT_FOUND,
            words: format!("cannot read {path}: {why}"),
        })?;
        Ok(Image { file: Some(path.to_owned()), ..Image::of_bytes(bytes)? })
    }

    /// The image that bytes are: a container, or PTX.
    ///
    /// # Errors
    /// They are neither.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<Image, Refused> {
        if is_fatbin(&bytes) {
            return Ok(Image::of_parts(vec![Part::Fatbin(bytes)]));
        }
        if bytes.starts_with(&ELF) || bytes.starts_with(&LTO) {
            return Err(Refused::no_ptx("a device"));
        }
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        match std::str::from_utf8(&bytes[..end]) {
            Ok(text) if is_ptx(text) => {
                let most =
                    text.strip_prefix(LIMIT).and_then(|rest| rest.lines().next()?.parse().ok());
                let texts = text.split(SEPARATOR).map(str::to_owned).collect();
                Ok(Image::of_texts(texts).limited(most))
            }
            _ => {
                Err(Refused::new(CUresult::INVALID_IMAGE, "the image is no PTX and no fat binary"))
            }
        }
    }

    /// One text of its parts, which [`Image::of_bytes`] takes apart again.
    pub(crate) fn linked(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Ptx(text) => Some(text.as_str()),
            Part::Fatbin(_) => None,
        });
        let limit = self.max_registers.map_or(String::new(), |most| format!("{LIMIT}{most}\n"));
        limit + &texts.collect::<Vec<_>>().join(SEPARATOR)
    }

    /// The PTX of its parts for a device. NVIDIA's device runtime is none of them: ours takes its place.
    ///
    /// # Errors
    /// A part has none, or cannot be read.
    pub(crate) fn texts(&self, gpu: &Gpu) -> Result<Vec<String>, Refused> {
        let (major, minor) = gpu.capability();
        let mut texts = Vec::new();
        for part in &self.parts {
            let text = match part {
                Part::Ptx(text) => Some(text.clone()),
                Part::Fatbin(bytes) => {
                    let wrong = |why: FatbinError| {
                        Refused::new(CUresult::INVALID_IMAGE, format!("the fat binary: {why}"))
                    };
                    let fatbin = Fatbin::parse(bytes).map_err(wrong)?;
                    let entry = fatbin.ptx_for(10 * major + minor);
                    let text = entry.map(|entry| entry.text().map_err(wrong)).transpose()?;
                    // Its machine code is for every device, its PTX for the newest alone.
                    if text.is_none() && !fatbin.any_ptx(is_nvidias) {
                        return Err(Refused::no_ptx(&gpu.properties.target));
                    }
                    text
                }
            };
            texts.extend(text.filter(|text| !is_nvidias(text)));
        }
        if texts.is_empty() {
            return Err(Refused::no_ptx(&gpu.properties.target));
        }
        Ok(texts)
    }

    /// The module for a device. Modules of the same text share their code.
    ///
    /// # Errors
    /// There is no PTX for it, or something is wrong with it.
    pub(crate) fn module(&self, gpu: &Gpu) -> Result<Arc<Module>, Refused> {
        let no_memory = |result| Refused::new(result, "the device has no memory");
        let session = gpu.session().map_err(no_memory)?;
        let texts = self.texts(gpu)?;
        let file = self.file.as_deref().unwrap_or("module");
        let stem = file.strip_suffix(".ptx").unwrap_or(file);
        let names: Vec<String> = match texts.len() {
            1 => vec![format!("{stem}.ptx")],
            count => (1..=count).map(|nth| format!("{stem}-{nth}.ptx")).collect(),
        };
        let parts = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str()));
        Ok(session.program(&parts.collect::<Vec<_>>())?)
    }
}

/// The name of the program or library that holds an address, without its folder; nothing for memory that the program has made.
#[cfg(target_os = "linux")]
fn holder(at: Address) -> Option<String> {
    let mut found = Holder { file: Address::NULL, _rest: [0; 3] };
    // SAFETY: the structure is the C library's `Dl_info`; the address is only looked up.
    let known = unsafe { dladdr(at, &mut found) } != 0 && !found.file.is_null();
    let path = if known { found.file.text().get().ok()? } else { return None };
    Some(path.rsplit('/').next().unwrap_or(&path).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn holder(_at: Address) -> Option<String> {
    None
}

/// `Dl_info`: the path of what holds an address, and three more words.
#[cfg(target_os = "linux")]
#[repr(C)]
struct Holder {
    file: Address,
    _rest: [u64; 3],
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    /// Says what was loaded at an address; 0 if nothing was.
    fn dladdr(address: Address, found: &mut Holder) -> std::ffi::c_int;
}

/// Whether bytes may begin a text.
fn starts_text(bytes: &[u8]) -> bool {
    let first = bytes.iter().take(4).take_while(|byte| **byte != 0);
    !bytes.is_empty()
        && bytes[0] != 0
        && first.clone().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// Whether a text begins as PTX does: behind blanks and comments comes its version. What does not is no image at all, and no PTX with
/// a mistake (H100, driver 580.159).
fn is_ptx(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n'),
            (_, Some(comment)) => comment.split_once("*/"),
            (None, None) => return rest.starts_with(".version"),
        };
        rest = comment.map_or("", |(_, behind)| behind.trim_start());
    }
}
