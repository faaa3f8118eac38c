//! Buffers on the device, made as the user says.

use crate::fill::Fill;
use crate::filled::Filled;
use crate::npy::{Array, Contents};
use crate::spec::{Spec, Subject};
use half::{bf16, f16};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use warpwise::texture::Texels;
use warpwise::{Arg, Buffer, Device, ElementType, Error, Kind, Module, Scalar};

/// The argument of one parameter.
#[derive(Debug)]
pub(crate) struct Argument {
    /// What the kernel receives.
    pub(crate) arg: Arg,
    /// What the buffer holds, if it is one.
    pub(crate) array: Option<Filled>,
    /// The buffers among the fields of a structure, by their index.
    pub(crate) fields: Vec<Option<Filled>>,
}

/// Why an argument cannot be had.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It needs more memory than there is.
    Limit(String),
    /// A file is unreadable or wrong.
    File(String),
    /// It asks for something that cannot be.
    Usage(String),
    /// The library says why.
    Library(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Library(error)
    }
}

/// An argument while others may be missing.
enum Draft {
    Ready(Arg, Option<Filled>),
    /// The buffer of another one.
    Reference(Subject),
    Struct(Vec<Draft>),
}

/// Makes buffers, arguments and the contents of variables.
pub(crate) struct Maker<'a> {
    pub(crate) device: &'a Device,
    pub(crate) module: &'a Module,
    /// Buffers that several launches share, by their names.
    pub(crate) shared: Option<&'a BTreeMap<String, Filled>>,
    /// The names of the parameters.
    pub(crate) names: Vec<String>,
    /// How many bytes may still be taken for buffers.
    pub(crate) budget: &'a mut u64,
}

impl Maker<'_> {
    /// Makes the arguments of a kernel.
    pub(crate) fn arguments(&mut self, specs: &[Spec]) -> Result<Vec<Argument>, Refusal> {
        let drafts = specs.iter().enumerate();
        let drafts = drafts
            .map(|(nth, spec)| self.draft(spec, &format!("argument {nth}")))
            .collect::<Result<Vec<_>, _>>()?;
        drafts.iter().map(|draft| self.argument(draft, &drafts)).collect()
    }

    /// Makes a buffer that is no argument.
    pub(crate) fn buffer(&mut self, spec: &Spec, whose: &str) -> Result<Filled, Refusal> {
        match self.draft(spec, whose)? {
            Draft::Ready(_, Some(filled)) => Ok(filled),
            Draft::Ready(_, None) | Draft::Reference(_) | Draft::Struct(_) => {
                Err(Refusal::Usage(format!("{whose} is no buffer")))
            }
        }
    }

    fn draft(&mut self, spec: &Spec, whose: &str) -> Result<Draft, Refusal> {
        Ok(match spec {
            Spec::Scalar(scalar) => Draft::Ready(Arg::Scalar(*scalar), None),
            Spec::Bytes(bytes) => Draft::Ready(Arg::Bytes(bytes.clone()), None),
            Spec::Reference(subject) => Draft::Reference(subject.clone()),
            Spec::Struct(fields) => {
                let fields = fields.iter().enumerate();
                let draft =
                    |(nth, field): (usize, &Spec)| self.draft(field, &format!("{whose}.{nth}"));
                Draft::Struct(fields.map(draft).collect::<Result<_, _>>()?)
            }
            Spec::Buffer { ty, count, fill } => {
                let array = Array::flat(*ty, *count).ok_or_else(|| {
                    Refusal::Limit(format!("{whose}: {count} elements are too many"))
                })?;
                let buffer = self.reserve(array.bytes, whose)?.of(array.element);
                let filled = Filled::new(buffer, array);
                fill_new(self.device, &filled, *ty, *fill).map_err(Refusal::Limit)?;
                Draft::Ready(Arg::Buffer(buffer), Some(filled))
            }
            Spec::Texture(spec) => {
                let too_many = || Refusal::Limit(format!("{whose}: these are too many texels"));
                let count = spec.count().unwrap_or(u64::MAX);
                let array = Array::flat(spec.ty, count).ok_or_else(too_many)?;
                let bytes = spec.texels.bytes().ok_or_else(too_many)?;
                let buffer = self.reserve(bytes, whose)?;
                let texels = Texels { address: buffer.address, ..spec.texels };
                let filled = Filled::texels(buffer, array, texels);
                fill_new(self.device, &filled, spec.ty, spec.fill).map_err(Refusal::Limit)?;
                let handle = match spec.texture(texels) {
                    Some(texture) => self.device.create_texture(texture)?,
                    None => self.device.create_surface(texels)?,
                };
                Draft::Ready(Arg::Scalar(handle.into()), Some(filled))
            }
            Spec::File(path) => {
                let (array, contents, file) = open(path).map_err(Refusal::File)?;
                let buffer = self.reserve(array.bytes, whose)?.of(array.element);
                self.read_into(buffer, path, (&array, &contents, file))?;
                Draft::Ready(Arg::Buffer(buffer), Some(Filled::new(buffer, array)))
            }
        })
    }

    fn reserve(&mut self, bytes: u64, whose: &str) -> Result<Buffer, Refusal> {
        let Some(left) = self.budget.checked_sub(bytes) else {
            let budget = *self.budget;
            return Err(Refusal::Limit(format!(
                "{whose}: a buffer of {bytes} bytes is too large, the host has {budget} bytes for it"
            )));
        };
        *self.budget = left;
        let made = self.device.allocate(bytes);
        made.map_err(|error| Refusal::Limit(format!("{whose}: {error}")))
    }

    fn read_into(
        &mut self,
        buffer: Buffer,
        path: &Path,
        (array, contents, mut file): (&Array, &Contents, BufReader<File>),
    ) -> Result<(), Refusal> {
        let put = |offset: u64, piece: &[u8]| {
            self.device.write(buffer, offset, piece).map_err(|error| error.to_string())
        };
        let read = contents.read(&mut file, array, put);
        read.map_err(|why| Refusal::File(unreadable(path, &why)))
    }

    fn argument(&mut self, draft: &Draft, all: &[Draft]) -> Result<Argument, Refusal> {
        Ok(match draft {
            Draft::Ready(arg, array) => {
                Argument { arg: arg.clone(), array: array.clone(), fields: Vec::new() }
            }
            Draft::Reference(subject) => {
                let filled = self.referred(subject, all)?;
                let arg = filled.buffer.into();
                Argument { arg, array: Some(filled), fields: Vec::new() }
            }
            Draft::Struct(drafts) => {
                let fields = drafts.iter().map(|field| self.argument(field, all));
                let fields: Vec<Argument> = fields.collect::<Result<_, _>>()?;
                let arg = Arg::Struct(fields.iter().map(|field| field.arg.clone()).collect());
                let fields = fields.into_iter().map(|field| field.array).collect();
                Argument { arg, array: None, fields }
            }
        })
    }

    /// The buffer that `&NAME` means.
    fn referred(&mut self, subject: &Subject, all: &[Draft]) -> Result<Filled, Refusal> {
        let refuse = |why: &str| Err(Refusal::Usage(format!("`&{subject}`: {why}")));
        let shared = |name: &String| self.shared.and_then(|shared| shared.get(name));
        let (nth, field) = match subject {
            Subject::Argument(nth, field) => (*nth, *field),
            Subject::Name(name) if shared(name).is_some() => {
                return shared(name).cloned().map_or_else(|| refuse("there is no such buffer"), Ok);
            }
            Subject::Name(name) => match self.names.iter().position(|known| known == name) {
                Some(nth) => (nth, None),
                None => return self.variable(name, None),
            },
        };
        let draft = match (all.get(nth), field) {
            (Some(Draft::Struct(fields)), Some(field)) => fields.get(field),
            (draft, None) => draft,
            (_, Some(_)) => return refuse("the argument is no structure"),
        };
        match draft {
            Some(Draft::Ready(_, Some(filled))) => Ok(filled.clone()),
            Some(Draft::Ready(_, None)) => refuse("the argument is not a buffer"),
            Some(Draft::Reference(_)) => refuse("it is the buffer of another argument itself"),
            Some(Draft::Struct(_)) => refuse(&format!(
                "the argument is a structure: its buffers are {nth}.0, {nth}.1 and so on"
            )),
            None => refuse("there is no such parameter"),
        }
    }

    /// A variable of the module, in the type that is said or declared.
    pub(crate) fn variable(
        &mut self,
        name: &str,
        element: Option<ElementType>,
    ) -> Result<Filled, Refusal> {
        let variable = self.module.variable(name)?;
        let element = element.unwrap_or(variable.element());
        let buffer = self.device.variable(self.module, variable.name())?;
        let count = variable.bytes() / element.bytes() as u64;
        match (buffer, Array::flat(element, count)) {
            (Some(buffer), Some(array)) => Ok(Filled::new(buffer, array)),
            _ => Err(Refusal::Limit(format!("`{name}` is too large"))),
        }
    }

    /// Gives a variable its contents. `all` are the arguments whose buffers it may point at. Returns what it holds, if that is
    /// an array; of a texture or a surface, the texels.
    pub(crate) fn set(
        &mut self,
        name: &str,
        spec: &Spec,
        all: &[Argument],
    ) -> Result<Option<Filled>, Refusal> {
        let variable = self.module.variable(name)?;
        let fits = |element, count| {
            let fits = variable.admits(element, count);
            fits.map_err(|why| Refusal::Usage(format!("--set {name}: {why}")))
        };
        match spec {
            Spec::Buffer { ty, count, fill } => {
                fits(*ty, *count)?;
                let filled = self.variable(name, Some(*ty))?;
                fill_all(self.device, &filled, *ty, *fill).map_err(Refusal::Limit)?;
                Ok(Some(filled))
            }
            Spec::File(path) => {
                let (array, contents, file) = open(path).map_err(Refusal::File)?;
                fits(array.element, array.bytes / array.element.bytes() as u64)?;
                let Filled { buffer, .. } = self.variable(name, None)?;
                self.read_into(buffer, path, (&array, &contents, file))?;
                Ok(Some(Filled::new(buffer, array)))
            }
            Spec::Scalar(_)
            | Spec::Bytes(_)
            | Spec::Texture(_)
            | Spec::Struct(_)
            | Spec::Reference(_) => {
                let draft = self.draft(spec, &format!("variable {name}"))?;
                let ready = all.iter().map(|it| match it.fields.is_empty() {
                    true => Draft::Ready(it.arg.clone(), it.array.clone()),
                    false => Draft::Struct(
                        it.fields
                            .iter()
                            .map(|field| Draft::Ready(it.arg.clone(), field.clone()))
                            .collect(),
                    ),
                });
                let value = self.argument(&draft, &ready.collect::<Vec<_>>())?;
                self.device.set_variable(self.module, name, &value.arg)?;
                match spec {
                    Spec::Texture(_) => Ok(value.array),
                    // A scalar in a variable of its size says what the variable holds.
                    Spec::Scalar(scalar) if scalar.ty().bytes() as u64 == variable.bytes() => {
                        self.variable(name, Some(scalar.ty())).map(Some)
                    }
                    _ => Ok(None),
                }
            }
        }
    }
}

pub(crate) fn unreadable(path: &Path, why: &str) -> String {
    format!("cannot read {}: {why}", path.display())
}

pub(crate) fn open(path: &Path) -> Result<(Array, Contents, BufReader<File>), String> {
    let file = File::open(path).map_err(|why| unreadable(path, &why.to_string()))?;
    let mut file = BufReader::new(file);
    let (array, contents) = Array::read_header(&mut file).map_err(|why| unreadable(path, &why))?;
    Ok((array, contents, file))
}

/// Fills a new buffer.
fn fill_new(device: &Device, to: &Filled, ty: ElementType, fill: Fill) -> Result<(), String> {
    match fill {
        Fill::Value(value) if value.bits() == 0 => Ok(()),
        _ => fill_all(device, to, ty, fill),
    }
}

fn fill_all(device: &Device, to: &Filled, ty: ElementType, fill: Fill) -> Result<(), String> {
    const PIECE: u64 = 1 << 16;
    let count = to.array.bytes / ty.bytes() as u64;
    let mut elements = elements(ty, fill);
    let mut first = 0;
    while first < count {
        let last = count.min(first + PIECE);
        let piece = bytes_of(ty, elements.by_ref().take((last - first) as usize));
        let offset = first * ty.bytes() as u64;
        to.write(device, offset, &piece).map_err(|error| error.to_string())?;
        first = last;
    }
    Ok(())
}

/// So many elements in the memory of the host.
pub(crate) fn filled(ty: ElementType, count: u64, fill: Fill) -> Vec<u8> {
    bytes_of(ty, elements(ty, fill).take(usize::try_from(count).unwrap_or(usize::MAX)))
}

fn bytes_of(ty: ElementType, elements: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in elements {
        bytes.extend_from_slice(&value.to_le_bytes()[..ty.bytes()]);
    }
    bytes
}

/// The elements of a buffer, in their order, without end.
pub(crate) fn elements(ty: ElementType, fill: Fill) -> impl Iterator<Item = u64> {
    let mut random = SplitMix64(match fill {
        Fill::Random(seed) => seed,
        Fill::Value(_) | Fill::Iota => 0,
    });
    (0..).map(move |nth| element(ty, fill, nth, &mut random))
}

/// The next element of a buffer.
fn element(ty: ElementType, fill: Fill, nth: u64, random: &mut SplitMix64) -> u64 {
    match fill {
        Fill::Value(value) => value.bits(),
        Fill::Iota => iota(ty, nth).bits(),
        Fill::Random(_) => uniform(ty, random.next()).bits(),
    }
}

/// A number from 0 on in a type.
fn iota(ty: ElementType, nth: u64) -> Scalar {
    match (ty.kind(), ty.bytes()) {
        (Kind::Unsigned | Kind::Signed | Kind::Bits, _) => Scalar::new(ty, nth),
        (Kind::Brain, _) => bf16::from_f64(nth as f64).into(),
        (Kind::Float, 2) => f16::from_f64(nth as f64).into(),
        (Kind::Float, 4) => (nth as f32).into(),
        (Kind::Float, _) => (nth as f64).into(),
    }
}

/// A value made of the topmost bits of a random word; floats are uniform in [0, 1).
fn uniform(ty: ElementType, word: u64) -> Scalar {
    let bits = 8 * ty.bytes() as u32;
    // As many bits as the significand holds, so that every value is exact and 1 is never reached.
    let fraction = |digits: u32| (word >> (64 - digits)) as f64 / (1_u64 << digits) as f64;
    match (ty.kind(), ty.bytes()) {
        (Kind::Unsigned | Kind::Signed | Kind::Bits, _) => Scalar::new(ty, word >> (64 - bits)),
        (Kind::Brain, _) => bf16::from_f64(fraction(8)).into(),
        (Kind::Float, 2) => f16::from_f64(fraction(11)).into(),
        (Kind::Float, 4) => (fraction(24) as f32).into(),
        (Kind::Float, _) => fraction(53).into(),
    }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// How many bytes the host can give to buffers: its memory, or the limit of the control group.
pub(crate) fn host_budget() -> u64 {
    const UNKNOWN: u64 = 16 << 30;
    let physical = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max");
    let limit = limit.ok().and_then(|text| text.trim().parse().ok());
    physical.unwrap_or(UNKNOWN).min(limit.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_words_are_those_of_splitmix64() {
        // The first outputs for the seed 1234567, as published with the reference implementation.
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn random_floats_stay_below_one() {
        for ty in [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64] {
            assert!(uniform(ty, u64::MAX).float().is_some_and(|value| value < 1.0), "{ty}");
            assert_eq!(uniform(ty, 0).float(), Some(0.0));
            assert_eq!(uniform(ty, 1 << 63).float(), Some(0.5));
        }
        assert_eq!(uniform(ElementType::U8, 0xab << 56).bits(), 0xab);
    }

    #[test]
    fn iota_wraps_integers_and_rounds_floats() {
        assert_eq!(iota(ElementType::U8, 257).bits(), 1);
        assert_eq!(iota(ElementType::F16, 2049).float(), Some(2048.0));
        assert_eq!(iota(ElementType::Bf16, 3).float(), Some(3.0));
    }
}
