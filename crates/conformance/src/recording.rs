//! Recordings: what a device's functions give, as the distances from Warpwise's results, compressed.

use serde::{Deserialize, Serialize};
use warpwise::SavedBytes;

/// What was recorded of a device.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// The version of the driver.
    pub(crate) driver: String,
    /// The name of the device.
    pub(crate) device: String,
    /// Its compute capability: 90 is 9.0.
    pub(crate) capability: u32,
    /// The functions.
    pub(crate) functions: Vec<Recorded>,
}

/// A function in a recording.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// Its instruction.
    pub(crate) name: String,
    /// The inputs are the multiples of this number.
    pub(crate) stride: u32,
    /// How many there are.
    pub(crate) count: u64,
    /// Runs of equal distances, in the order of the inputs: see [`Runs`].
    runs: SavedBytes,
}

/// Distances in order, as runs: a number, zigzag, and how often it comes, both in groups of 7 bits, the lowest first; then
/// compressed as an LZ4 block behind its size.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    bytes: Vec<u8>,
    distance: i64,
    length: u64,
}

fn put(mut value: u64, to: &mut Vec<u8>) {
    while value > 0x7f {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

impl Runs {
    /// The next distance.
    pub(crate) fn push(&mut self, distance: i64) {
        if distance != self.distance {
            self.end();
            self.distance = distance;
        }
        self.length += 1;
    }

    fn end(&mut self) {
        if self.length > 0 {
            put((self.distance << 1 ^ self.distance >> 63) as u64, &mut self.bytes);
            put(self.length, &mut self.bytes);
            self.length = 0;
        }
    }

    /// The function's part of a recording.
    pub(crate) fn recorded(mut self, name: &str, stride: u32, count: u64) -> Recorded {
        self.end();
        let runs = SavedBytes(lz4_flex::block::compress_prepend_size(&self.bytes));
        Recorded { name: name.to_owned(), stride, count, runs }
    }
}

impl Recorded {
    /// The runs: a distance and how often it comes.
    ///
    /// # Errors
    /// The bytes are not those of a recording.
    pub(crate) fn runs(&self) -> Result<Vec<(i64, u64)>, String> {
        let bytes = lz4_flex::block::decompress_size_prepended(&self.runs.0)
            .map_err(|why| format!("the recording of {}: {why}", self.name))?;
        let mut rest = bytes.as_slice();
        let mut runs = Vec::new();
        while !rest.is_empty() {
            let (Some(zigzag), Some(length)) = (take(&mut rest), take(&mut rest)) else {
                return Err(format!("the recording of {} ends within a run", self.name));
            };
            runs.push(((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64), length));
        }
        Ok(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_back() {
        let distances = [0, 0, 0, 1, -1, -1, 300, -(1 << 40), 0];
        let mut runs = Runs::default();
        distances.iter().for_each(|distance| runs.push(*distance));
        let recorded = runs.recorded("f", 1, distances.len() as u64);
        let text = serde_json::to_string(&recorded).expect("it is JSON");
        let again: Recorded = serde_json::from_str(&text).expect("it is a recording");
        let runs = again.runs().expect("it is whole");
        assert_eq!(runs, [(0, 3), (1, 1), (-1, 2), (300, 1), (-(1 << 40), 1), (0, 1)]);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let runs = SavedBytes(lz4_flex::block::compress_prepend_size(&[0x80]));
        let recorded = Recorded { name: "f".to_owned(), stride: 1, count: 1, runs };
        assert!(recorded.runs().is_err_and(|why| why.contains("within a run")));
        let none = Recorded { runs: SavedBytes(vec![9, 9]), ..recorded };
        assert!(none.runs().is_err());
    }
}
