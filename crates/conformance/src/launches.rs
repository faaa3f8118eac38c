//! Launches that were saved (`warpwise run --save`), made again.

use crate::driver::{Asked, Driver, Refused, Shape};
use crate::told::Verdict;
use warpwise::{SavedBytes, SavedLaunch, SavedMemory};

/// The examples, and the tests of `run`: JSON, a line each, compressed.
const RECORDED: &[u8] = include_bytes!("../launches.lz4");

/// The launches in an archive, or in a file that `warpwise run --save` wrote.
///
/// # Errors
/// It is neither.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<SavedLaunch>, String> {
    let unpacked;
    let text = match bytes.first() {
        Some(b'{') => bytes,
        _ => {
            unpacked = lz4_flex::block::decompress_size_prepended(bytes)
                .map_err(|why| format!("it is neither JSON nor an archive of launches: {why}"))?;
            &unpacked
        }
    };
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(|why| why.to_string())).collect()
}

/// Those that are part of the program.
pub(crate) fn recorded() -> Result<Vec<SavedLaunch>, String> {
    parse(RECORDED)
}

/// Makes a launch, and compares what it leaves with what was saved. The launch with what the device left, if it ran.
pub(crate) fn run(driver: &Driver, launch: &SavedLaunch) -> (Verdict, Option<SavedLaunch>) {
    match left(driver, launch) {
        Ok(left) => {
            let lines = differences(launch, &left);
            let verdict = if lines.is_empty() { Verdict::Same } else { Verdict::Different(lines) };
            (verdict, Some(left))
        }
        Err(Refused { function: function @ "cuModuleLoadDataEx", why }) => {
            (Verdict::Refused(format!("{function}: {why}")), None)
        }
        Err(refused) => (Verdict::Stopped(refused.to_string()), None),
    }
}

/// The launch as the device leaves it: of memory that is saved behind the kernel, what the device has there.
fn left(driver: &Driver, launch: &SavedLaunch) -> Asked<SavedLaunch> {
    let module = driver.load(&launch.ptx)?;
    let function = module.function(&launch.kernel)?;
    let mut buffers = Vec::new();
    let mut places = Vec::new();
    for SavedMemory { variable, before, after } in &launch.memory {
        let known = before.as_ref().or(after.as_ref());
        let bytes = known.map_or(0, |bytes| bytes.0.len());
        let address = match variable {
            Some(name) => module.variable(name)?.0,
            None => {
                let memory = driver.allocate(bytes)?;
                let address = memory.address;
                buffers.push(memory);
                address
            }
        };
        if let Some(before) = before {
            driver.write(address, &before.0)?;
        }
        places.push(address);
    }
    let mut parameters = Vec::new();
    for parameter in &launch.parameters {
        let mut bytes = parameter.bytes.0.clone();
        for pointer in &parameter.pointers {
            let place = bytes.get_mut(pointer.offset..pointer.offset + 8);
            let address = places.get(pointer.buffer);
            let (Some(place), Some(address)) = (place, address) else {
                let why = "a parameter of the saved launch has an address outside of it";
                return Err(Refused { function: "cuLaunchKernelEx", why: why.to_owned() });
            };
            place.copy_from_slice(&address.to_le_bytes());
        }
        parameters.push(bytes);
    }
    let SavedLaunch { grid, block, cluster, dynamic_shared, .. } = *launch;
    function.launch(&Shape { grid, block, cluster, dynamic_shared }, &mut parameters)?;
    let mut left = launch.clone();
    for (memory, place) in left.memory.iter_mut().zip(places) {
        if let Some(SavedBytes(after)) = &mut memory.after {
            *after = driver.read(place, after.len())?;
        }
    }
    Ok(left)
}

/// What is not as it was saved.
fn differences(saved: &SavedLaunch, left: &SavedLaunch) -> Vec<String> {
    let mut lines = Vec::new();
    for (nth, (saved, left)) in saved.memory.iter().zip(&left.memory).enumerate() {
        if let (Some(SavedBytes(expected)), Some(SavedBytes(held))) = (&saved.after, &left.after) {
            let whose = saved.variable.clone().unwrap_or_else(|| format!("buffer {nth}"));
            lines.extend(words_that_differ(&whose, expected, held));
        }
    }
    lines
}

/// The 32-bit words that differ, a line each.
fn words_that_differ(whose: &str, expected: &[u8], held: &[u8]) -> Vec<String> {
    let words = expected.chunks(4).zip(held.chunks(4)).enumerate();
    let hex =
        |bytes: &[u8]| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
    words
        .filter(|(_, (expected, held))| expected != held)
        .map(|(nth, (expected, held))| {
            format!("{whose}, word {nth}: 0x{}, not 0x{}", hex(held), hex(expected))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_by_words() {
        let found = words_that_differ("buffer 0", &[1, 0, 0, 0, 2, 0], &[1, 0, 0, 0, 3, 1]);
        assert_eq!(found, ["buffer 0, word 1: 0x0103, not 0x0002"]);
    }

    #[test]
    fn recorded_launches_can_be_read() {
        let launches = recorded().expect("they are launches");
        assert!(launches.len() > 20, "{}", launches.len());
        for launch in &launches {
            assert!(launch.memory.iter().any(|memory| memory.after.is_some()), "{}", launch.name);
        }
        assert!(parse(b"no").is_err());
    }
}
