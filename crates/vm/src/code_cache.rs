//! Machine code on disk: what one process has made, others need not make again.
//!
//! A folder of the user has a file for each piece of code, named by everything that the code depends on ([`jit::Key`]). Files are
//! written whole and renamed, so processes may share the folder; each holds a digest of its name and its contents, without which it
//! is ignored. Who can write to the folder decides what this process executes: it is the user's alone, or it is not used.

use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};

/// Bytes that a user's code takes on disk, at most.
const USER_LIMIT: u64 = 256 << 20;
/// The folder of the code in that for caches.
const FOLDER: &str = "code";
/// How names of code end, and how those of files begin that are not whole yet.
const ENDING: &str = "code";
const UNFINISHED: &str = "unfinished-";
/// Files that nobody has finished for so long are left behind by a process that has ended.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// The time at which a file was used is noted if the last one was so long ago.
const NOTED: Duration = Duration::from_secs(600);

/// The folder for files of Warpwise that can be made again: `WARPWISE_CACHE_DIR`, or `warpwise` in the folder that the rules of the desktop
/// say.
///
/// # Errors
/// The environment names none; the sentence says which variables to set.
pub fn cache_folder() -> Result<PathBuf, String> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(own) = absolute("WARPWISE_CACHE_DIR") {
        return Ok(own);
    }
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let cache = cache.ok_or(
        "there is no folder for caches: set WARPWISE_CACHE_DIR, XDG_CACHE_HOME or HOME to an absolute path",
    )?;
    Ok(cache.join("warpwise"))
}

/// A folder in which machine code is kept. It can be used from several threads and processes at once. Clones are one cache.
#[derive(Clone, Debug)]
pub struct CodeCache(Arc<Folder>);

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    limit: u64,
    /// Bytes that may be written before it is seen to that there are not too many.
    room: AtomicU64,
}

impl CodeCache {
    /// The user's cache, in the folder [`cache_folder`]. `None` if the environment says `WARPWISE_CACHE=0`, or there can be no
    /// such folder: code is made anew then.
    pub fn of_user() -> Option<CodeCache> {
        if env::var_os("WARPWISE_CACHE").is_some_and(|value| value == OsStr::new("0")) {
            return None;
        }
        CodeCache::open(&cache_folder().ok()?.join(FOLDER), USER_LIMIT).ok()
    }

    /// A cache in a folder of its own, which is made if it is not there, of so many bytes at most.
    ///
    /// # Errors
    /// The folder cannot be made, or somebody else may write to it.
    pub fn open(folder: &Path, limit: u64) -> io::Result<CodeCache> {
        make(folder)?;
        if !is_own(&fs::metadata(folder)?) {
            let why = format!("others may write to {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let room = AtomicU64::new(0);
        Ok(CodeCache(Arc::new(Folder { path: folder.to_owned(), limit, room })))
    }

    fn file(&self, key: &jit::Key) -> PathBuf {
        let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.path.join(format!("{name}.{ENDING}"))
    }

    /// What is kept for a key.
    pub(crate) fn find(&self, key: &jit::Key) -> Option<Vec<u8>> {
        let path = self.file(key);
        let bytes = fs::read(&path).ok()?;
        let (digest, contents) = bytes.split_first_chunk()?;
        if *digest != digest_of(key, contents) {
            // It would be found again and again.
            let _ = fs::remove_file(&path);
            return None;
        }
        note_use(&path);
        Some(contents.to_owned())
    }

    /// Keeps something for a key, if it can be written.
    pub(crate) fn keep(&self, key: &jit::Key, contents: &[u8]) {
        let bytes = (contents.len() + size_of::<jit::Key>()) as u64;
        if bytes > self.0.limit / 2 {
            return;
        }
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.0.path)?;
            file.write_all(&digest_of(key, contents))?;
            file.write_all(contents)?;
            file.persist(self.file(key))?;
            Ok(())
        };
        // Code is there to spare time: where there is no room on disk, it is made again.
        if write().is_ok() && self.takes(bytes) {
            let kept = self.0.trim();
            // Several processes may write at once: each looks again long before the folder is full.
            self.0.room.store((self.0.limit - kept) / 8, Ordering::Relaxed);
        }
    }

    /// Takes note that so much was written. Whether it is time to see to it that there is not too much.
    fn takes(&self, bytes: u64) -> bool {
        let less = |room: u64| room.checked_sub(bytes);
        self.0.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}

/// The digest that a file begins with.
fn digest_of(key: &jit::Key, contents: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(key);
    digest.update(contents);
    digest.finalize().into()
}

impl Folder {
    /// Removes files until there are not too many: what was used last is kept. How many bytes are left.
    fn trim(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.path) else { return self.limit };
        let now = SystemTime::now();
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let (path, Ok(data)) = (entry.path(), entry.metadata()) else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let is_old = || now.duration_since(used).is_ok_and(|age| age > LEFT_BEHIND);
            if path.extension() == Some(OsStr::new(ENDING)) {
                files.push((used, data.len(), path));
            } else if entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
                && is_old()
            {
                let _ = fs::remove_file(path);
            }
        }
        let mut all: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        if all > self.limit {
            files.sort();
            for (_, bytes, path) in files {
                if all <= self.limit / 4 * 3 {
                    break;
                }
                // Another process may have been faster.
                let _ = fs::remove_file(path);
                all -= bytes;
            }
        }
        all
    }
}

/// Notes that a file was used, if that was not noted lately.
fn note_use(path: &Path) {
    let noted = fs::metadata(path).and_then(|data| data.modified());
    let now = SystemTime::now();
    let is_recent = |at| now.duration_since(at).is_ok_and(|age| age < NOTED);
    if !noted.is_ok_and(is_recent)
        && let Ok(file) = fs::File::options().append(true).open(path)
    {
        let _ = file.set_modified(now);
    }
}

#[cfg(unix)]
fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => Err(why),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether a folder is this user's, and nobody else may write to it.
#[cfg(unix)]
fn is_own(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the function only says who the user is.
    let user = unsafe { libc::geteuid() };
    folder.is_dir() && folder.uid() == user && folder.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    // Machine code is made on Unix alone.
    false
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    fn key(number: u8) -> jit::Key {
        [number; 32]
    }

    fn opened(limit: u64) -> (tempfile::TempDir, CodeCache) {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = CodeCache::open(&folder.path().join("a/b"), limit).expect("it can be made");
        (folder, cache)
    }

    fn bytes(cache: &CodeCache) -> u64 {
        let files = fs::read_dir(&cache.0.path).expect("a folder");
        files.map(|file| file.and_then(|file| file.metadata()).expect("a file").len()).sum()
    }

    #[test]
    fn what_is_kept_is_found_by_its_key_alone() {
        let (_folder, cache) = opened(1 << 20);
        assert_eq!(cache.find(&key(1)), None);
        cache.keep(&key(1), b"one");
        cache.keep(&key(2), b"");
        assert_eq!(cache.find(&key(1)).as_deref(), Some(&b"one"[..]));
        assert_eq!(cache.find(&key(2)).as_deref(), Some(&b""[..]));
        assert_eq!(cache.find(&key(3)), None);
        // A file that somebody has renamed is not taken for another.
        fs::rename(cache.file(&key(1)), cache.file(&key(3))).expect("renamed");
        assert_eq!(cache.find(&key(3)), None);
    }

    #[test]
    fn what_is_damaged_is_ignored_and_made_again() {
        let (_folder, cache) = opened(1 << 20);
        cache.keep(&key(1), b"some contents");
        let good = fs::read(cache.file(&key(1))).expect("a file");
        let cut = (0..good.len()).map(|length| good[..length].to_vec());
        let flipped = (0..8 * good.len()).map(|bit| {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            bad
        });
        let longer = [good.iter().copied().chain([0]).collect::<Vec<u8>>()];
        for bad in cut.chain(flipped).chain(longer) {
            fs::write(cache.file(&key(1)), &bad).expect("written");
            assert_eq!(cache.find(&key(1)), None, "{bad:?}");
        }
        cache.keep(&key(1), b"some contents");
        assert!(cache.find(&key(1)).is_some());
    }

    #[test]
    fn it_has_a_bound_and_keeps_what_was_used_last() {
        let limit = 10_000;
        let (_folder, cache) = opened(limit);
        let long_ago = SystemTime::now() - Duration::from_secs(100_000);
        for number in 0..200_u8 {
            cache.keep(&key(number), &[number; 500]);
            assert!(bytes(&cache) <= limit, "after {number}");
            // The first is used all the time; the others lie there.
            if number > 0 {
                let file = fs::File::options().append(true).open(cache.file(&key(number)));
                let at = long_ago + Duration::from_secs(number.into());
                file.and_then(|file| file.set_modified(at)).expect("a time");
            }
            assert!(cache.find(&key(0)).is_some(), "after {number}");
        }
        assert!(cache.find(&key(199)).is_some() && cache.find(&key(1)).is_none());
        // Nothing is kept that takes most of the room.
        cache.keep(&key(250), &[0; 6000]);
        assert_eq!(cache.find(&key(250)), None);
    }

    #[test]
    fn what_a_process_has_left_behind_is_removed() {
        let (_folder, cache) = opened(1 << 20);
        let left = cache.0.path.join(format!("{UNFINISHED}1"));
        fs::write(&left, b"half").expect("written");
        let at = SystemTime::now() - 2 * LEFT_BEHIND;
        fs::File::options().append(true).open(&left).and_then(|it| it.set_modified(at)).expect("");
        let recent = cache.0.path.join(format!("{UNFINISHED}2"));
        fs::write(&recent, b"half").expect("written");
        cache.keep(&key(1), b"one");
        assert!(!left.exists() && recent.exists());
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("changed");
        assert!(CodeCache::open(folder.path(), 1 << 20).is_err());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("changed");
        assert!(CodeCache::open(folder.path(), 1 << 20).is_ok());
        let file = folder.path().join("file");
        fs::write(&file, b"").expect("written");
        assert!(CodeCache::open(&file, 1 << 20).is_err());
    }

    #[test]
    fn many_may_read_and_write_at_once() {
        let (_folder, cache) = opened(20_000);
        let contents = |number: u8| vec![number; 200 + usize::from(number)];
        std::thread::scope(|scope| {
            for thread in 0..8_u8 {
                // As another process would, with a count of its own.
                let cache = CodeCache::open(&cache.0.path, 20_000).expect("it is there");
                scope.spawn(move || {
                    for round in 0..400_u16 {
                        let number = (round.wrapping_mul(37) as u8).wrapping_add(thread) % 100;
                        if let Some(found) = cache.find(&key(number)) {
                            assert_eq!(found, contents(number));
                        }
                        cache.keep(&key(number), &contents(number));
                    }
                });
            }
        });
        cache.keep(&key(255), b"the last");
        assert!(bytes(&cache) <= 20_000);
    }
}
