//! Prints the kernel of a seed: `cargo run --release -p warpwise-generate --example show -- SEED`; as PTX with an architecture
//! behind it, as in `SEED 90`.

use warpwise_generate::{Case, Choices, generate, generate_for, ptx};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut choices = Choices::from_seed(seed);
    if let Some(target) = arguments.next().and_then(|target| target.parse().ok()) {
        let case = generate_for(&mut choices, target);
        let text = ptx::print(&ptx::portable(&case, target), target);
        return print!("{}", text.unwrap_or_else(|why| format!("// {why}\n")));
    }
    let case = generate(&mut choices);
    let Case { kernel, grid, cluster, block, words, .. } = &case;
    println!("; grid {grid:?}, cluster {cluster:?}, block {block:?}, words {words:x?}");
    print!("{kernel}");
}
