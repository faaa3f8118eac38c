//! The table of functions against the names that NVIDIA's runtimes export (12.9 and 13.5).

use std::collections::BTreeSet;

#[test]
fn every_function_is_there_once() {
    let theirs: BTreeSet<&str> = include_str!("exported.txt").lines().collect();
    let ours: Vec<&str> = cudart::functions().map(|(name, _)| name).collect();
    let once: BTreeSet<&str> = ours.iter().copied().collect();
    assert_eq!(ours.len(), once.len());
    let missing: Vec<_> = theirs.difference(&once).collect();
    let invented: Vec<_> = once.difference(&theirs).collect();
    assert!(
        missing.is_empty() && invented.is_empty(),
        "missing {missing:?}, invented {invented:?}"
    );
}

#[test]
fn most_functions_work() {
    let working = cudart::functions().filter(|(_, works)| *works).count();
    assert!(working > 300, "{working}");
}
