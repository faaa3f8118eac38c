//! A launch with all that it reads and what it leaves, to be made again by any driver.

use crate::device::{Buffer, Device};
use crate::error::{Error, Stage};
use crate::launch::{Arg, LaunchConfig};
use crate::module::{Kernel, Module};
use diag::Class;
use serde::{Deserialize, Serialize};

/// Bytes; in documents, two hexadecimal digits each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SavedBytes(pub Vec<u8>);

impl From<SavedBytes> for String {
    fn from(bytes: SavedBytes) -> String {
        bytes.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl TryFrom<String> for SavedBytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digit = |letter: u8| char::from(letter).to_digit(16).map(|digit| digit as u8);
        let pair = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        bytes.map(SavedBytes).ok_or_else(|| "bytes are two hexadecimal digits each".to_owned())
    }
}

/// A place in a parameter that holds the address of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPointer {
    /// Bytes from the start of the parameter.
    pub offset: usize,
    /// Which buffer.
    pub buffer: usize,
}

/// A parameter of a saved launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedParameter {
    /// Its bytes; addresses are those of the run that was saved.
    pub bytes: SavedBytes,
    /// The addresses in it.
    pub pointers: Vec<SavedPointer>,
}

/// Memory of a saved launch: a buffer, or a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMemory {
    /// The variable's name; nothing for a buffer.
    pub variable: Option<String>,
    /// What it holds before; nothing for a variable that keeps its initial value.
    pub before: Option<SavedBytes>,
    /// What it holds behind the kernel, if that is defined and asked for.
    pub after: Option<SavedBytes>,
}

/// A launch with all that it reads and what it leaves: what `warpwise run --save` writes, and `warpwise-conformance` makes
/// again on any CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedLaunch {
    /// What people call it.
    pub name: String,
    /// The module.
    pub ptx: String,
    /// The kernel.
    pub kernel: String,
    /// Extents of the grid in CTAs.
    pub grid: [u32; 3],
    /// Extents of a CTA in threads.
    pub block: [u32; 3],
    /// Extents of a cluster in CTAs, if the launch says so.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameters.
    pub parameters: Vec<SavedParameter>,
    /// Buffers, by their numbers in the parameters; then variables.
    pub memory: Vec<SavedMemory>,
}

/// A launch that is being saved: made before it runs.
#[derive(Debug)]
pub struct Saving {
    launch: SavedLaunch,
    places: Vec<Buffer>,
}

fn refuse(why: impl Into<String>) -> Error {
    Error::message(Stage::Launch, Class::Unsupported, format!("it cannot be saved: {}", why.into()))
}

/// The buffers of an argument, in order.
fn buffers(arg: &Arg, found: &mut Vec<Buffer>) {
    match arg {
        Arg::Buffer(buffer) if !found.iter().any(|known| known.address == buffer.address) => {
            found.push(*buffer);
        }
        Arg::Struct(fields) => fields.iter().for_each(|field| buffers(field, found)),
        Arg::Buffer(_) | Arg::Scalar(_) | Arg::Bytes(_) => {}
    }
}

/// The argument with another address for a buffer.
fn moved(arg: &Arg, from: u64, to: u64) -> Arg {
    match arg {
        Arg::Buffer(buffer) if buffer.address == from => {
            Arg::Buffer(Buffer { address: to, ..*buffer })
        }
        Arg::Struct(fields) => {
            Arg::Struct(fields.iter().map(|field| moved(field, from, to)).collect())
        }
        Arg::Buffer(_) | Arg::Scalar(_) | Arg::Bytes(_) => arg.clone(),
    }
}

impl Saving {
    /// Takes note of a launch that has not run: the text of the module (its only file), the kernel with its arguments, and the variables that were
    /// given a value.
    ///
    /// # Errors
    /// The arguments do not fit, or memory holds addresses of other memory, which no other driver has.
    pub fn new(
        device: &Device,
        (module, ptx): (&Module, &str),
        (kernel, args): (&Kernel, &[Arg]),
        config: &LaunchConfig<'_>,
        set: &[&str],
    ) -> Result<Saving, Error> {
        let mut places = Vec::new();
        args.iter().for_each(|arg| buffers(arg, &mut places));
        let plain = kernel.pack(args)?;
        // Where a buffer's address goes is where other bytes stand if it has another one.
        let elsewhere = places.iter().map(|place| {
            let other: Vec<Arg> =
                args.iter().map(|arg| moved(arg, place.address, !place.address)).collect();
            kernel.pack(&other)
        });
        let elsewhere: Vec<Vec<u8>> = elsewhere.collect::<Result<_, _>>()?;
        let parameters = kernel.params().iter().map(|param| {
            let range = param.offset as usize..(param.offset + param.bytes) as usize;
            let bytes = plain.get(range.clone()).unwrap_or_default();
            let mut pointers = Vec::new();
            for (buffer, other) in elsewhere.iter().enumerate() {
                let other = other.get(range.clone()).unwrap_or_default();
                let words = bytes.chunks(8).zip(other.chunks(8)).enumerate();
                let differing = words.filter(|(_, (one, other))| one != other);
                pointers.extend(differing.map(|(nth, _)| SavedPointer { offset: 8 * nth, buffer }));
            }
            SavedParameter { bytes: SavedBytes(bytes.to_vec()), pointers }
        });
        let mut launch = SavedLaunch {
            name: kernel.plain_name(),
            ptx: ptx.to_owned(),
            kernel: kernel.name().to_owned(),
            grid: config.grid.0,
            block: config.block.0,
            cluster: config.cluster.map(|cluster| cluster.0),
            dynamic_shared: config.dynamic_shared,
            parameters: parameters.collect(),
            memory: Vec::new(),
        };
        for place in &places {
            let before = Some(SavedBytes(device.bytes(*place)?));
            launch.memory.push(SavedMemory { variable: None, before, after: None });
        }
        let count = places.len();
        for name in set {
            let name = module.variable(name)?.name().to_owned();
            let Some(place) = device.variable(module, &name)? else { continue };
            let before = Some(SavedBytes(device.bytes(place)?));
            launch.memory.push(SavedMemory { variable: Some(name), before, after: None });
            places.push(place);
        }
        let held = launch.memory.iter().filter_map(|memory| memory.before.as_ref());
        let words = held.flat_map(|bytes| bytes.0.chunks_exact(8));
        let is_address = |word: &[u8]| {
            places.iter().take(count).any(|place| word == place.address.to_le_bytes())
        };
        if words.into_iter().any(is_address) {
            return Err(refuse("memory holds addresses of other memory"));
        }
        Ok(Saving { launch, places })
    }

    /// What the kernel left in a buffer, or in a variable of this name, is part of the launch.
    ///
    /// # Errors
    /// The memory is not the launch's.
    pub fn keep(
        &mut self,
        device: &Device,
        place: Buffer,
        variable: Option<&str>,
    ) -> Result<(), Error> {
        let held = Some(SavedBytes(device.bytes(place)?));
        let known = self.places.iter().position(|known| known.address == place.address);
        match (known.and_then(|nth| self.launch.memory.get_mut(nth)), variable) {
            (Some(memory), _) => memory.after = held,
            (None, Some(name)) => {
                self.places.push(place);
                let variable = Some(name.to_owned());
                self.launch.memory.push(SavedMemory { variable, before: None, after: held });
            }
            (None, None) => return Err(refuse("a result is in memory that no argument names")),
        }
        Ok(())
    }

    /// The launch.
    pub fn done(self) -> SavedLaunch {
        self.launch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_digits() {
        let bytes = SavedBytes(vec![0, 0x7f, 0xff]);
        let text = String::from(bytes.clone());
        assert_eq!(text, "007fff");
        assert_eq!(SavedBytes::try_from(text), Ok(bytes));
        for wrong in ["0", "0g", "00f"] {
            assert!(SavedBytes::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
