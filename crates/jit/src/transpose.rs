//! A square of words, sixteen to a vector of AVX-512, transposed in registers.

/// Rows, and columns.
pub(crate) const SIDE: usize = 16;

/// What an instruction makes of two vectors, in each part of 128 bits or of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The lower two words of both in turn.
    LowWords,
    /// The upper two words of both in turn.
    HighWords,
    /// The lower pair of words of each.
    LowPairs,
    /// The upper pair of words of each.
    HighPairs,
    /// The first and the third part of each.
    EvenParts,
    /// The second and the fourth part of each.
    OddParts,
}

/// Transposes vectors, which have names: an instruction writes to a name, the last vector's or that of one which is not needed any more.
/// At first nothing is needed of `free`; afterwards of another name. Columns are where rows were, in order.
pub(crate) fn transpose<R: Copy, E>(
    rows: &mut [R; SIDE],
    free: &mut R,
    mut op: impl FnMut(Step, R, [R; 2]) -> Result<(), E>,
) -> Result<(), E> {
    let mut pair = |one: usize, other: usize, steps: [Step; 2]| {
        let both = [rows[one], rows[other]];
        op(steps[0], *free, both)?;
        op(steps[1], rows[other], both)?;
        std::mem::swap(&mut rows[one], free);
        Ok(())
    };
    for first in (0..SIDE).step_by(4) {
        let words = [Step::LowWords, Step::HighWords];
        pair(first, first + 1, words)?;
        pair(first + 2, first + 3, words)?;
        let pairs = [Step::LowPairs, Step::HighPairs];
        pair(first, first + 2, pairs)?;
        pair(first + 1, first + 3, pairs)?;
    }
    let parts = [Step::EvenParts, Step::OddParts];
    for distance in [4, 8] {
        for first in (0..SIDE).filter(|nth| nth & distance == 0) {
            pair(first, first + distance, parts)?;
        }
    }
    // Of four, the second and the third column are in each other's place.
    for first in (0..SIDE).step_by(4) {
        rows.swap(first + 1, first + 2);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn columns_become_rows() {
        let mut registers: Vec<[usize; SIDE]> =
            (0..SIDE).map(|row| std::array::from_fn(|column| SIDE * row + column)).collect();
        registers.push([0; SIDE]);
        let mut names: [usize; SIDE] = std::array::from_fn(|nth| nth);
        let mut free = SIDE;
        let done: Result<(), Infallible> =
            transpose(&mut names, &mut free, |step, to, [one, other]| {
                let [one, other] = [one, other].map(|name| registers[name]);
                registers[to] = std::array::from_fn(|nth| {
                    let (part, word) = (nth / 4 * 4, nth % 4);
                    let parts = |odd: usize| {
                        let from = if nth < 8 { one } else { other };
                        from[(part / 4 % 2 * 2 + odd) * 4 + word]
                    };
                    let from = if word % 2 == 0 { one } else { other };
                    let pair = if word < 2 { one } else { other };
                    match step {
                        Step::LowWords => from[part + word / 2],
                        Step::HighWords => from[part + 2 + word / 2],
                        Step::LowPairs => pair[part + word % 2],
                        Step::HighPairs => pair[part + 2 + word % 2],
                        Step::EvenParts => parts(0),
                        Step::OddParts => parts(1),
                    }
                });
                Ok(())
            });
        assert_eq!(done, Ok(()));
        for (column, name) in names.into_iter().enumerate() {
            let expected: [usize; SIDE] = std::array::from_fn(|row| SIDE * row + column);
            assert_eq!(registers[name], expected, "column {column}");
        }
    }
}
