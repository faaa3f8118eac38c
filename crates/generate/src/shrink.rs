//! Fewer and simpler choices that still make a mismatch.

/// Choices that make a mismatch: those given, less as many as can be left out or made simpler within so many attempts. `fails` says
/// what the mismatch of choices is, if they make one.
pub fn shrink<M>(
    bytes: &[u8],
    mut attempts: u32,
    mut fails: impl FnMut(&[u8]) -> Option<M>,
) -> Option<(Vec<u8>, M)> {
    let mut best = bytes.to_vec();
    let mut mismatch = fails(&best)?;
    let mut size = best.len().next_power_of_two();
    while size > 0 {
        let mut at = 0;
        while at < best.len() && attempts > 0 {
            let end = (at + size).min(best.len());
            let mut shorter = best.clone();
            shorter.drain(at..end);
            let mut zeroed = best.clone();
            zeroed.iter_mut().take(end).skip(at).for_each(|byte| *byte = 0);
            let mut better = false;
            for candidate in [shorter, zeroed] {
                if attempts == 0 || candidate == best {
                    continue;
                }
                attempts -= 1;
                if let Some(found) = fails(&candidate) {
                    (best, mismatch, better) = (candidate, found, true);
                    break;
                }
            }
            if !better || best.get(at..end).is_some_and(|part| part.iter().all(|byte| *byte == 0)) {
                at += size;
            }
        }
        size /= 2;
    }
    Some((best, mismatch))
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn what_does_not_matter_is_left_out_or_zero() {
        let fails = |bytes: &[u8]| (bytes.len() > 1 && bytes.contains(&7)).then_some(bytes.len());
        assert_eq!(shrink(&[1, 2, 7, 3], 100, fails), Some((vec![7, 0], 2)));
        assert_eq!(shrink(&[1, 2, 3], 100, fails), None);
        // Without attempts it stays as it is.
        assert_eq!(shrink(&[1, 7], 0, fails), Some((vec![1, 7], 2)));
    }
}
