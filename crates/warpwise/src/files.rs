//! Input files, read with a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of the largest input file; every offset in a text fits a span.
pub const MAX_FILE: u64 = 1 << 30;

/// The bytes of a file, which may be a device or a pipe that never ends.
///
/// # Errors
/// It cannot be read, or it has more than [`MAX_FILE`] bytes ([`io::ErrorKind::FileTooLarge`]).
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MAX_FILE)
}

fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        let message = format!("it has more than {most} bytes");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    };
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn files_without_end_are_refused() {
        let failed = read_at_most(Path::new("/dev/zero"), 1 << 16).err();
        assert_eq!(failed.map(|why| why.kind()), Some(io::ErrorKind::FileTooLarge));
        assert_eq!(read_at_most(Path::new("/dev/null"), 1).ok(), Some(Vec::new()));
    }
}
