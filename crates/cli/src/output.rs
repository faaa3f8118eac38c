//! Output files, written whole or not at all.

use crate::npy::Array;
use std::io::{BufWriter, Write};
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
pub(crate) fn write(path: &Path, array: &Array, data: &[u8]) -> Result<(), String> {
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
    let fail = |why: std::io::Error| format!("cannot write {}: {why}", path.display());
    if is_special(path) {
        let file = std::fs::OpenOptions::new().write(true).open(path).map_err(fail)?;
        let mut buffered = BufWriter::new(file);
        return write(&mut buffered).and_then(|()| buffered.flush()).map_err(fail);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpwise-").suffix(suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The user's mask applies, as to any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // A link stays a link: what it points to is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut file = builder.tempfile_in(folder(path)).map_err(fail)?;
    let mut buffered = BufWriter::new(&mut file);
    write(&mut buffered).and_then(|()| buffered.flush()).map_err(fail)?;
    drop(buffered);
    // A file that is replaced keeps its permissions.
    if let Ok(old) = std::fs::metadata(path) {
        file.as_file().set_permissions(old.permissions()).map_err(fail)?;
    }
    file.persist(path).map_err(|failed| fail(failed.error))?;
    Ok(())
}
