//! Buffers on the device, made as the user says.

use crate::npy::{Array, Contents};
use crate::spec::{Fill, Spec};
use half::{bf16, f16};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use warpwise::{Arg, Buffer, Device, ElementType, Kind, Scalar};

/// The argument of one parameter.
#[derive(Debug)]
pub(crate) struct Argument {
    /// What the kernel receives.
    pub(crate) arg: Arg,
    /// What the buffer holds, if it is one.
    pub(crate) array: Option<(Buffer, Array)>,
}

/// Why an argument cannot be had.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It needs more memory than there is.
    Limit(String),
    /// A file is unreadable or wrong.
    File(String),
}

/// Makes the arguments of a kernel. `budget` is how many bytes all buffers together may have.
pub(crate) fn make(
    device: &mut Device,
    specs: &[Spec],
    mut budget: u64,
) -> Result<Vec<Argument>, Refusal> {
    let mut arguments = Vec::with_capacity(specs.len());
    for (nth, spec) in specs.iter().enumerate() {
        let mut reserve = |device: &mut Device, bytes: u64| {
            budget = budget.checked_sub(bytes).ok_or_else(|| {
                format!(
                    "argument {nth}: a buffer of {bytes} bytes is too large, the host has {budget} \
                     bytes for it"
                )
            })?;
            device.allocate(bytes).map_err(|error| format!("argument {nth}: {error}"))
        };
        arguments.push(match spec {
            Spec::Scalar(scalar) => Argument { arg: Arg::Scalar(*scalar), array: None },
            Spec::Bytes(bytes) => Argument { arg: Arg::Bytes(bytes.clone()), array: None },
            Spec::Buffer { ty, count, fill } => {
                let array = Array::flat(*ty, *count).ok_or_else(|| {
                    Refusal::Limit(format!("argument {nth}: {count} elements are too many"))
                })?;
                let buffer =
                    reserve(device, array.bytes).map_err(Refusal::Limit)?.of(array.element);
                fill_buffer(device, buffer, *ty, *fill).map_err(Refusal::Limit)?;
                Argument { arg: Arg::Buffer(buffer), array: Some((buffer, array)) }
            }
            Spec::File(path) => {
                let (array, contents, mut file) = open(path).map_err(Refusal::File)?;
                let buffer =
                    reserve(device, array.bytes).map_err(Refusal::Limit)?.of(array.element);
                let put = |offset: u64, piece: &[u8]| {
                    device.write(buffer, offset, piece).map_err(|error| error.to_string())
                };
                contents
                    .read(&mut file, &array, put)
                    .map_err(|why| Refusal::File(unreadable(path, &why)))?;
                Argument { arg: Arg::Buffer(buffer), array: Some((buffer, array)) }
            }
        });
    }
    Ok(arguments)
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

fn fill_buffer(
    device: &mut Device,
    buffer: Buffer,
    ty: ElementType,
    fill: Fill,
) -> Result<(), String> {
    const PIECE: u64 = 1 << 16;
    if matches!(fill, Fill::Value(value) if value.bits() == 0) {
        return Ok(());
    }
    let size = ty.bytes();
    let count = buffer.bytes / size as u64;
    let mut random = SplitMix64(match fill {
        Fill::Random(seed) => seed,
        Fill::Value(_) | Fill::Iota => 0,
    });
    let mut piece = Vec::new();
    let mut first = 0;
    while first < count {
        let last = count.min(first + PIECE);
        piece.clear();
        for nth in first..last {
            let value = element(ty, fill, nth, &mut random);
            piece.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        let offset = first * size as u64;
        device.write(buffer, offset, &piece).map_err(|error| error.to_string())?;
        first = last;
    }
    Ok(())
}

/// An element of a buffer, in their order.
pub(crate) fn element(ty: ElementType, fill: Fill, nth: u64, random: &mut SplitMix64) -> u64 {
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
