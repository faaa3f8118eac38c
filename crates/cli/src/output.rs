//! Output files, written whole or not at all.

use crate::interrupt;
use crate::npy::Array;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The folder that a file lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

/// Whether something other than a file stands at the path, which cannot be replaced: a pipe, a device.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Finds out before a long run what would keep a file from being written after it.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let fail = |why: &str| Err(format!("cannot write {}: {why}", path.display()));
    if path.is_dir() {
        return fail("it is a folder");
    }
    match folder(path).is_dir() {
        true => Ok(()),
        false => fail("its folder does not exist"),
    }
}

/// Writes an array. A file of this name is replaced in one step, once the new one is complete.
pub(crate) fn write(path: &Path, array: &Array, data: impl Read) -> Result<(), String> {
    replace(path, ".npy", |file| array.write(file, data))
}

/// Writes a file of plain bytes. A file of this name is replaced in one step, once the new one is complete.
pub(crate) fn write_bytes(path: &Path, data: &[u8]) -> Result<(), String> {
    replace(path, "", |file| file.write_all(data))
}

fn replace(
    path: &Path,
    suffix: &str,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), String> {
    let done = match is_special(path) {
        // Nothing is left of it that could be cleaned up, and who reads it may never do so.
        true => std::fs::OpenOptions::new().write(true).open(path).and_then(|file| {
            let mut buffered = BufWriter::new(file);
            write(&mut buffered).and_then(|()| buffered.flush())
        }),
        false => {
            interrupt::tidily(|ends| whole(path, suffix, |file| write(&mut Pieces { file, ends })))
        }
    };
    done.map_err(|why| format!("cannot write {}: {why}", path.display()))
}

/// Writes pieces of some milliseconds, and no more of them once the command is to end.
struct Pieces<'a> {
    file: &'a mut dyn Write,
    ends: &'a dyn Fn() -> bool,
}

/// Bytes of the largest piece.
const PIECE: usize = 1 << 22;

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match (self.ends)() {
            true => Err(std::io::Error::other("interrupted")),
            false => self.file.write(&bytes[..bytes.len().min(PIECE)]),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

fn whole(
    path: &Path,
    suffix: &str,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    // A link stays a link: what it points to is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    #[cfg(target_os = "linux")]
    if let Some(file) = unnamed(folder(path)) {
        fill(&file, path, write)?;
        return name(&file, path);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The user's mask applies, as to any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder(path))?;
    fill(file.as_file(), path, write)?;
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// What names of files that are not complete begin with.
const PREFIX: &str = ".warpwise-";

/// Writes the contents of a file that will stand at `path`.
fn fill(
    file: &File,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut buffered = BufWriter::new(file);
    write(&mut buffered).and_then(|()| buffered.flush())?;
    drop(buffered);
    // A file that is replaced keeps its permissions.
    match std::fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(_) => Ok(()),
    }
}

/// A file that has no name yet: nothing is left of it however the program ends. `None` where the file system has none such.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    // The user's mask applies, as to any new file.
    // It gets its name by way of its number.
    let numbered = Path::new("/proc/self/fd").is_dir();
    numbered.then(|| open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)).flatten()
}

/// Gives a complete file its name. Where a file of this name is replaced, the new one has another name for a moment.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| linkat(CWD, itself.as_str(), CWD, to, AtFlags::SYMLINK_FOLLOW);
    match link(path) {
        Err(rustix::io::Errno::EXIST) => {}
        done => return Ok(done?),
    }
    let number = std::process::id();
    for nth in 0..u32::MAX {
        let beside = folder(path).join(format!("{PREFIX}{number}-{nth}"));
        match link(&beside) {
            Err(rustix::io::Errno::EXIST) => {}
            done => {
                done?;
                return std::fs::rename(&beside, path).inspect_err(|_| {
                    let _ = std::fs::remove_file(&beside);
                });
            }
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}
