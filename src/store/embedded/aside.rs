//! Files beside the databases that save work at the next start and can be made again.
//!
//! Must not know: what is in them.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use super::files::{ASIDE, NEW};
use crate::store::{Result, StoreError};

const BUFFER: usize = 1 << 20;

/// Writes the file; it appears whole or not at all.
pub fn put(
    dir: &Path,
    name: &str,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let folder = dir.join(ASIDE);
    let (path, unfinished) = (folder.join(name), folder.join(format!("{name}.{NEW}")));
    let mut written = || {
        std::fs::create_dir_all(&folder)?;
        let mut file = BufWriter::with_capacity(BUFFER, File::create(&unfinished)?);
        write(&mut file)?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&unfinished, &path)?;
        File::open(&folder)?.sync_all()
    };
    written().map_err(|source| StoreError::Io { what: format!("file {}", path.display()), source })
}

/// Opens the file, if it is there.
pub fn read(dir: &Path, name: &str) -> Result<Option<Box<dyn Read>>> {
    let path = dir.join(ASIDE).join(name);
    match File::open(&path) {
        Ok(file) => Ok(Some(Box::new(BufReader::with_capacity(BUFFER, file)))),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::Io { what: format!("file {}", path.display()), source }),
    }
}

/// Removes them all: the data that they were made from changes.
pub fn clear(dir: &Path) -> Result<()> {
    let folder = dir.join(ASIDE);
    match std::fs::remove_dir_all(&folder) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(StoreError::Io { what: format!("folder {}", folder.display()), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let text = || {
            let mut text = String::new();
            read(dir.path(), "x")
                .unwrap()
                .map(|mut file| file.read_to_string(&mut text).map(|_| text))
                .transpose()
                .unwrap()
        };
        assert_eq!(text(), None);
        put(dir.path(), "x", &mut |file| file.write_all(b"first")).unwrap();
        put(dir.path(), "x", &mut |file| file.write_all(b"second")).unwrap();
        assert_eq!(text().as_deref(), Some("second"));
        // One that was cut short never appears.
        let broken = put(dir.path(), "x", &mut |file| {
            file.write_all(b"third")?;
            Err(ErrorKind::Other.into())
        });
        assert!(broken.is_err());
        assert_eq!(text().as_deref(), Some("second"));
        clear(dir.path()).unwrap();
        clear(dir.path()).unwrap();
        assert_eq!(text(), None);
    }
}
