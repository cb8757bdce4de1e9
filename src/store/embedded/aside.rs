//! Files beside the databases that save work at the next start and can be made again.
//!
//! Must not know: what is in them.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use crate::store::{Result, StoreError};

const BUFFER: usize = 1 << 20;

/// Writes `dir/name`; it appears whole or not at all.
pub fn put(
    dir: &Path,
    name: &str,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let path = dir.join(name);
    let unfinished = dir.join(format!("{name}.new"));
    let mut written = || {
        let mut file = BufWriter::with_capacity(BUFFER, File::create(&unfinished)?);
        write(&mut file)?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&unfinished, &path)
    };
    written().map_err(|source| StoreError::Io { what: format!("file {}", path.display()), source })
}

/// Opens `dir/name` and unlinks it.
pub fn take(dir: &Path, name: &str) -> Result<Option<Box<dyn Read>>> {
    let path = dir.join(name);
    let io = |source| StoreError::Io { what: format!("file {}", path.display()), source };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(io(e)),
    };
    std::fs::remove_file(&path).map_err(io)?;
    Ok(Some(Box::new(BufReader::with_capacity(BUFFER, file))))
}
