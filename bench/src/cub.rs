//! Loops beside the kernels of `cub.cu`: device-wide algorithms whose tiles wait for those before them.

use crate::row::Row;
use warpwise::{Device, EngineChoice, Error, LaunchConfig, Module};

const SCAN_TILE: usize = 128 * 15;
const SCAN_TILES: usize = 2048;
const SORT_TILE: usize = 384 * 21;
const SORT_TILES: usize = 256;
const DIGITS: usize = 256;

/// The sums of all elements before each.
fn scan(input: &[i32], out: &mut [i32]) {
    let mut sum = 0i32;
    for (out, value) in out.iter_mut().zip(input) {
        *out = sum;
        sum = sum.wrapping_add(*value);
    }
}

/// One pass of a radix sort, by the lowest digit: `starts` says where each digit's keys go.
fn sort_pass(
    keys: &[u32],
    values: &[u32],
    (keys_out, values_out): &mut (Vec<u32>, Vec<u32>),
    starts: &[u32],
) {
    let mut places: [u32; DIGITS] = std::array::from_fn(|digit| starts[digit]);
    for (key, value) in keys.iter().zip(values) {
        let place = &mut places[*key as usize % DIGITS];
        keys_out[*place as usize] = *key;
        values_out[*place as usize] = *value;
        *place += 1;
    }
}

/// The rows of the table.
pub(crate) fn rows<'a>(device: &'a Device, module: &'a Module) -> Result<Vec<Row<'a>>, Error> {
    let noise = |count: usize| (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ i >> 7);

    let count = SCAN_TILES * SCAN_TILE;
    let numbers: Vec<i32> = noise(count).map(|word| (word >> 20) as i32 - 2048).collect();
    let mut sums = vec![0; count];
    scan(&numbers, &mut sums);
    let (from, to) = (device.upload(&numbers)?, device.upload(&sums)?);
    let states = device.upload(&vec![0u64; SCAN_TILES + 32])?;
    let begin = module.kernel("begin_scan")?;
    let begin_scan = move || {
        let grid = (SCAN_TILES as u32 + 32).div_ceil(128);
        let interpreted = EngineChoice::interpreter();
        let config = LaunchConfig { engine: interpreted, ..LaunchConfig::new(grid, 128) };
        begin.launch(device, &config, &[states.into(), (SCAN_TILES as i32).into()]).map(|_| ())
    };
    let scanned = sums.iter().map(|sum| sum.cast_unsigned()).collect();

    let pairs = SORT_TILES * SORT_TILE;
    let keys: Vec<u32> = noise(pairs).collect();
    let values: Vec<u32> = (0..pairs as u32).collect();
    let mut starts = [0u32; DIGITS];
    keys.iter().for_each(|key| starts[*key as usize % DIGITS] += 1);
    let mut before = 0;
    for start in &mut starts {
        before += std::mem::replace(start, before);
    }
    let mut sorted = (vec![0; pairs], vec![0; pairs]);
    sort_pass(&keys, &values, &mut sorted, &starts);
    let wanted = sorted.1.clone();
    let (keys_in, values_in) = (device.upload(&keys)?, device.upload(&values)?);
    let (keys_out, values_out) = (device.upload(&keys)?, device.upload(&values)?);
    let (first, ends) = (device.upload(&starts)?, device.upload(&starts)?);
    let look_back = vec![0u32; SORT_TILES * DIGITS];
    let (counts, next) = (device.upload(&look_back)?, device.upload(&[0u32])?);

    Ok(vec![
        Row {
            name: "cub scan",
            kernel: "scan",
            module,
            grid: [SCAN_TILES as u32, 1, 1],
            block: [128, 1, 1],
            args: vec![
                from.into(),
                to.into(),
                states.into(),
                (SCAN_TILES as i32).into(),
                (count as i32).into(),
            ],
            native: Box::new(move |_| scan(&numbers, &mut sums)),
            before: Box::new(begin_scan),
            result: to,
            wanted: scanned,
        },
        Row {
            name: "cub sort",
            kernel: "sort_sweep",
            module,
            grid: [SORT_TILES as u32, 1, 1],
            block: [384, 1, 1],
            args: vec![
                keys_in.into(),
                values_in.into(),
                keys_out.into(),
                values_out.into(),
                first.into(),
                ends.into(),
                counts.into(),
                next.into(),
                (pairs as i32).into(),
                0i32.into(),
            ],
            native: Box::new(move |_| sort_pass(&keys, &values, &mut sorted, &starts)),
            before: Box::new(move || {
                device.write(counts, 0, &look_back)?;
                device.write(next, 0, &[0u32])
            }),
            result: values_out,
            wanted,
        },
    ])
}
