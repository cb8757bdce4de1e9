//! Files that people write: configurations and lists of brands.
//!
//! Must not know: what stands in them.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// The text of a file: UTF-8, or UTF-16 with a byte order mark, as some editors save what they call Unicode.
///
/// # Errors
/// It cannot be read (`what` says what it would have been), or it is in another encoding; the line is named.
pub fn text(file: &Path, what: &str) -> Result<String> {
    let bytes = std::fs::read(file)
        .with_context(|| format!("cannot read the {what} {}", file.display()))?;
    let unit = |of: fn([u8; 2]) -> u16| {
        bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect::<Vec<u16>>()
    };
    let units = match bytes.as_slice() {
        [0xFF, 0xFE, ..] => Some(unit(u16::from_le_bytes)),
        [0xFE, 0xFF, ..] => Some(unit(u16::from_be_bytes)),
        _ => None,
    };
    if let Some(units) = units {
        let text = String::from_utf16(&units).ok().filter(|_| bytes.len() % 2 == 0);
        return text.with_context(|| format!("{} is damaged: save it as UTF-8", file.display()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
            bail!("{}: line {line} is not in UTF-8: save the file as UTF-8", file.display())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_encodings_are_read_or_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("brands.txt");
        let read = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            text(&file, "brand list").map_err(|error| format!("{error:#}"))
        };
        assert_eq!(read("Müller\n".as_bytes()).unwrap(), "Müller\n");
        assert_eq!(read(b"\xFF\xFEM\0\xFC\0").unwrap(), "Mü");
        assert_eq!(read(b"\xFE\xFF\0M\0\xFC").unwrap(), "Mü");
        assert!(
            read(b"Acme\nM\xFCller\n")
                .unwrap_err()
                .ends_with("brands.txt: line 2 is not in UTF-8: save the file as UTF-8")
        );
        for damaged in [&b"\xFF\xFEM"[..], b"\xFF\xFE\0\xD8"] {
            assert!(read(damaged).unwrap_err().contains("is damaged"), "{damaged:?}");
        }
        let missing = text(Path::new("nowhere.txt"), "brand list").unwrap_err();
        assert!(missing.to_string().starts_with("cannot read the brand list nowhere.txt"));
    }
}
