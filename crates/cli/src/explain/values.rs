//! `--set NAME=SPEC`: what a register holds in each lane.

use crate::buffers;
use crate::spec::Spec;
use std::path::Path;
use warpwise::explain::Setting;
use warpwise::{ElementType, LaneMask};

/// Lanes of a warp.
const LANES: usize = 32;

/// What a register is taken to hold, or why it cannot.
pub(super) fn setting(name: &str, spec: &Spec) -> Result<Setting, String> {
    let (values, truth) = match spec {
        Spec::Scalar(scalar) => {
            let bits = (scalar.ty() == ElementType::B32).then(|| LaneMask(scalar.bits() as u32));
            ([scalar.bits(); LANES], bits)
        }
        Spec::Buffer { ty, count, fill } => {
            one_a_lane(name, *count)?;
            let mut elements = buffers::elements(*ty, *fill);
            (std::array::from_fn(|_| elements.next().unwrap_or(0)), None)
        }
        Spec::File(path) => (of_file(name, path)?, None),
        Spec::Bytes(_) | Spec::Texture(_) | Spec::Struct(_) | Spec::Reference(_) => {
            return Err(format!(
                "{name}: a register holds numbers: write TYPE:VALUE, TYPE[32]=VALUE or @FILE.npy"
            ));
        }
    };
    Ok(Setting { name: name.to_owned(), values, truth })
}

fn one_a_lane(name: &str, count: u64) -> Result<(), String> {
    match count == LANES as u64 {
        true => Ok(()),
        false => Err(format!("{name}: a warp has 32 lanes, and there are {count} numbers")),
    }
}

/// The numbers of a file.
fn of_file(name: &str, path: &Path) -> Result<[u64; LANES], String> {
    let (array, contents, mut file) = buffers::open(path)?;
    let size = array.element.bytes();
    one_a_lane(name, array.bytes / size as u64)?;
    let mut bytes = vec![0; size * LANES];
    let put = |offset: u64, piece: &[u8]| {
        let start = offset as usize;
        let to = bytes.get_mut(start..start + piece.len()).ok_or("it has too much data")?;
        to.copy_from_slice(piece);
        Ok(())
    };
    contents.read(&mut file, &array, put).map_err(|why| buffers::unreadable(path, &why))?;
    Ok(std::array::from_fn(|lane| {
        let number = &bytes[lane * size..(lane + 1) * size];
        number.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }))
}
