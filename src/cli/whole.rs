//! Files that are whole or not there: written beside their place, and put there when they are complete. So what
//! lay there before stays until then, whatever fails.
//!
//! Must not know: what is written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::NamedTempFile;

/// Writes a file and puts it in place; what the system says against it is told with the file's name. Where no file but
/// a pipe or a terminal stands, it goes there at once.
pub(super) fn replace(path: &Path, write: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<()> {
    Begun::at(path)?.end(write)
}

/// A file that will be written. Whoever works long for what goes into it knows from the start that it can be.
pub(super) struct Begun {
    path: PathBuf,
    file: Output,
}

enum Output {
    /// A pipe, a terminal, or what the system has opened already.
    Open(File),
    /// Beside the place where it goes when it is complete. What was not ended leaves nothing.
    Beside(NamedTempFile, PathBuf),
}

impl Begun {
    /// Begins a file beside its place.
    pub fn at(path: &Path) -> Result<Begun> {
        let begun = Begun::begin(path);
        let file = begun.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Begun { path: path.to_owned(), file })
    }

    fn begin(path: &Path) -> io::Result<Output> {
        if let Some(Ok(open)) = number(path).map(again) {
            return Ok(Output::Open(open.into()));
        }
        let stands = fs::metadata(path).ok();
        if stands.as_ref().is_some_and(|what| !what.is_file()) || is_open(path) {
            // What a shell has written there before stays.
            return Ok(Output::Open(File::options().append(true).open(path)?));
        }
        // Behind a link the file is replaced, not the link.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // Readers of `*.parquet` and the like do not see it.
        let mut name = OsString::from(".");
        name.push(place.file_name().filter(|name| name.len() <= 200).unwrap_or_default());
        name.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name).suffix(".begun");
        if stands.is_none() {
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder(&place))?;
        if let Some(stands) = stands {
            file.as_file().set_permissions(stands.permissions())?;
        }
        Ok(Output::Beside(file, place))
    }

    /// Writes it and puts it in place.
    pub fn end(self, write: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<()> {
        let path = self.path;
        match self.file {
            Output::Open(mut file) => write(&mut file).map_err(|error| named(error, &path)),
            Output::Beside(mut begun, place) => {
                let file = begun.as_file_mut();
                let written = write(file).and_then(|()| Ok(file.sync_all()?));
                written.map_err(|error| named(error, &path))?;
                let put = begun.persist(place).map_err(|error| error.error);
                put.with_context(|| format!("cannot put {} in place", path.display()))?;
                Ok(())
            }
        }
    }
}

/// The folder that a file lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Does a name stand for what this process has open: `/dev/stdout`, `/proc/self/fd/1`?
fn is_open(path: &Path) -> bool {
    let folder = fs::canonicalize(folder(path));
    folder.is_ok_and(|folder| folder == Path::new("/dev") || folder.starts_with("/proc"))
}

/// The number of what this process has open under a name.
fn number(path: &Path) -> Option<i32> {
    let folder = fs::canonicalize(folder(path)).ok()?;
    let name = path.file_name()?.to_str()?;
    if folder == Path::new("/dev") {
        return match name {
            "stdout" => Some(1),
            "stderr" => Some(2),
            _ => None,
        };
    }
    let own = Path::new("/proc").join(std::process::id().to_string());
    (folder.starts_with(own) && folder.ends_with("fd")).then(|| name.parse().ok())?
}

/// The same once more, with the position that it has: opened anew by its name, it would have one of its own, and
/// whatever is written through the other would go over what is written here.
fn again(number: i32) -> io::Result<OwnedFd> {
    match number {
        1 => io::stdout().as_fd().try_clone_to_owned(),
        2 => io::stderr().as_fd().try_clone_to_owned(),
        number => foreign(number),
    }
}

/// What whoever started this process has opened for it. Some containers do not permit it.
#[cfg(target_os = "linux")]
fn foreign(number: i32) -> io::Result<OwnedFd> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(own, number, PidfdGetfdFlags::empty())?)
}

/// Elsewhere to open it by its name is the same.
#[cfg(not(target_os = "linux"))]
fn foreign(_: i32) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does a name stand for standard output? What is told of the file then belongs elsewhere.
pub(super) fn is_output(path: &Path) -> bool {
    number(path) == Some(1)
}

/// The error of a write with the file's name, if it is the system's and not of what is written.
fn named(error: anyhow::Error, path: &Path) -> anyhow::Error {
    if super::io_kind(error.as_ref()).is_none() {
        return error;
    }
    error.context(format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Two runs wrote into one file beside the place, and the one that failed removed it.
    #[test]
    fn runs_do_not_share_what_they_have_begun() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept.csv");
        let (ended, left) = (Begun::at(&path).unwrap(), Begun::at(&path).unwrap());
        drop(left);
        ended.end(&mut |file| Ok(file.write_all(b"one")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        fs::write(dir.path().join("usual"), "").unwrap();
        let usual = fs::metadata(dir.path().join("usual")).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), usual);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        replace(&path, &mut |file| Ok(file.write_all(b"two")?)).unwrap();
        assert_eq!((mode(), fs::read_to_string(&path).unwrap().as_str()), (0o600, "two"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    /// The file that a shell had opened for the output was replaced, and what it wrote before was lost; later, what it
    /// wrote behind it was written over its beginning.
    #[test]
    fn an_open_file_is_written_to() {
        use std::os::fd::AsRawFd;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        let mut open = File::create(&path).unwrap();
        open.write_all(b"before ").unwrap();
        let at = format!("/proc/self/fd/{}", open.as_raw_fd());
        replace(Path::new(&at), &mut |file| Ok(file.write_all(b"after")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before after");
        // A container may forbid it.
        if foreign(open.as_raw_fd()).is_ok() {
            open.write_all(b" behind").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "before after behind");
        }
    }

    #[test]
    fn what_lay_there_stays_until_the_new_file_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept.csv");
        fs::write(&path, "before").unwrap();
        let failed = replace(&path, &mut |file| {
            file.write_all(b"half")?;
            anyhow::bail!("no store")
        });
        assert_eq!(failed.unwrap_err().to_string(), "no store");
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        let link = dir.path().join("link.csv");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, &mut |file| Ok(file.write_all(b"after")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        let names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        replace(Path::new("/dev/null"), &mut |file| Ok(file.write_all(b"gone")?)).unwrap();
    }
}
