//! Files that are whole or not there: written beside their place, and put there when they are complete. So what
//! lay there before stays until then, whatever fails.
//!
//! Must not know: what is written.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Writes a file and puts it in place; what the system says against it is told with the file's name. Where no file but
/// a pipe or a terminal stands, it goes there at once.
pub(super) fn replace(path: &Path, write: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<()> {
    Begun::at(path)?.end(write)
}

/// A file that will be written. Whoever works long for what goes into it knows from the start that it can be.
pub(super) struct Begun {
    path: PathBuf,
    file: File,
    /// Where it lies until it is complete, and where it goes then.
    beside: Option<(PathBuf, PathBuf)>,
}

impl Begun {
    /// Begins a file beside its place.
    pub fn at(path: &Path) -> Result<Begun> {
        let told = || format!("cannot write {}", path.display());
        let stands = fs::metadata(path).ok();
        if stands.is_some_and(|what| !what.is_file()) {
            let file = File::create(path).with_context(told)?;
            return Ok(Begun { path: path.to_owned(), file, beside: None });
        }
        // Behind a link the file is replaced, not the link.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let begun = begun(&place);
        let file = File::create(&begun).with_context(told)?;
        Ok(Begun { path: path.to_owned(), file, beside: Some((begun, place)) })
    }

    /// Writes it and puts it in place.
    pub fn end(mut self, write: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<()> {
        let written = write(&mut self.file);
        if self.beside.is_none() {
            return written.map_err(|error| named(error, &self.path));
        }
        let written = written.and_then(|()| Ok(self.file.sync_all()?));
        written.map_err(|error| named(error, &self.path))?;
        let Some((begun, place)) = &self.beside else { return Ok(()) };
        fs::rename(begun, place)
            .with_context(|| format!("cannot put {} in place", self.path.display()))?;
        self.beside = None;
        Ok(())
    }
}

/// What was not ended leaves nothing.
impl Drop for Begun {
    fn drop(&mut self) {
        if let Some((begun, _)) = &self.beside {
            let _ = fs::remove_file(begun);
        }
    }
}

/// The error of a write with the file's name, if it is the system's and not of what is written.
fn named(error: anyhow::Error, path: &Path) -> anyhow::Error {
    if super::io_kind(error.as_ref()).is_none() {
        return error;
    }
    error.context(format!("cannot write {}", path.display()))
}

/// Where a file is written; readers of `*.parquet` and the like do not see it.
fn begun(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".begun");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

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
