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
            let distance = strsim::osa_distance(&lower, &other);
            let allowed = (wanted.len().max(candidate.len()) / 3).max(1);
            let score = if contained && lower.len() > 1 { distance.min(1) } else { distance };
            (score <= allowed).then_some((score, candidate))
        })
        .min_by_key(|(score, _)| *score)
        .map(|(_, candidate)| candidate)
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
