//! How large grids and CTAs are.

use std::fmt;
use std::str::FromStr;

/// Extents in x, y and z; the missing ones are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extents(pub [u32; 3]);

impl From<u32> for Extents {
    fn from(x: u32) -> Self {
        Extents([x, 1, 1])
    }
}

impl From<[u32; 2]> for Extents {
    fn from([x, y]: [u32; 2]) -> Self {
        Extents([x, y, 1])
    }
}

impl From<[u32; 3]> for Extents {
    fn from(extents: [u32; 3]) -> Self {
        Extents(extents)
    }
}

impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "{x},{y},{z}")
    }
}

impl FromStr for Extents {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut extents = [1; 3];
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > extents.len() {
            return Err("more than three extents: write X[,Y[,Z]]".to_owned());
        }
        for (extent, part) in extents.iter_mut().zip(parts) {
            *extent = match part.trim().parse() {
                Ok(0) | Err(_) => {
                    return Err(format!("`{part}` is not an extent: write a number from 1 on"));
                }
                Ok(value) => value,
            };
        }
        Ok(Extents(extents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_read_one_to_three_numbers() {
        assert_eq!("7".parse(), Ok(Extents([7, 1, 1])));
        assert_eq!("7,8".parse(), Ok(Extents([7, 8, 1])));
        assert_eq!("7,8,9".parse(), Ok(Extents([7, 8, 9])));
        for wrong in ["", "0", "1,", "1,2,3,4", "-1", "4294967296", "a"] {
            assert!(wrong.parse::<Extents>().is_err(), "{wrong:?}");
        }
    }
}
