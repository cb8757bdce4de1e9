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
    let stands = fs::metadata(path).ok();
    if stands.is_some_and(|what| !what.is_file()) {
        let mut file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        return write(&mut file).map_err(|error| named(error, path));
    }
    // Behind a link the file is replaced, not the link.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let begun = begun(&place);
    let told = || format!("cannot write {}", path.display());
    let mut file = File::create(&begun).with_context(told)?;
    let written = write(&mut file).and_then(|()| Ok(file.sync_all()?));
    if written.is_err() {
        let _ = fs::remove_file(&begun);
    }
    written.map_err(|error| named(error, path))?;
    fs::rename(&begun, &place).with_context(|| format!("cannot put {} in place", path.display()))
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
