//! Prints the kernel of a seed: `cargo run --release -p warpwise-generate --example show -- SEED`.

use warpwise_generate::{Choices, generate};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let case = generate(&mut Choices::from_seed(seed));
    println!("; grid {:?}, block {:?}, words {:x?}", case.grid, case.block, case.words);
    print!("{}", case.kernel);
}
