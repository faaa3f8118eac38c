//! The nearest of a list of names, for messages that ask "did you mean".

/// The candidate most like `wanted`, when one is like it at all. Case counts less than letters, and a
/// candidate that contains the wanted name, or the other way round, counts as near.
pub(crate) fn nearest<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const LONGEST: usize = 64;
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let lower = wanted.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= LONGEST)
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let contained = other.ends_with(&lower) || lower.ends_with(&other);
            let distance = distance(&lower, &other);
            let allowed = (wanted.len().max(candidate.len()) / 3).max(1);
            let score = if contained && lower.len() > 1 { distance.min(1) } else { distance };
            (score <= allowed).then_some((score, candidate))
        })
        .min_by_key(|(score, _)| *score)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in bytes.
fn distance(left: &str, right: &str) -> usize {
    let right = right.as_bytes();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typos_and_shortened_names() {
        assert_eq!(nearest("type", ["mode", "dtype", "reduxop"]), Some("dtype"));
        assert_eq!(nearest("op", ["dtype", "reduxop"]), Some("reduxop"));
        assert_eq!(nearest("Rge", ["Reg", "UReg", "Pred"]), Some("Reg"));
        assert_eq!(nearest("elephant", ["Reg", "UReg"]), None);
        assert_eq!(nearest("", ["Reg"]), None);
    }
}
