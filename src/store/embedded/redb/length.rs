//! How long a file of redb is by its own header: what was cut off or appended is seen without opening it.
//!
//! Must not know: what lies in its pages.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::FILE;

const MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// Set in the byte behind it while the file is open; a process that is killed leaves it.
const OPEN: u8 = 2;

/// What a header says of its file's length.
struct Length {
    page: u64,
    /// Only of a file that was closed.
    whole: Option<u64>,
}

impl Length {
    fn read(file: &File) -> io::Result<Length> {
        let mut header = [0; 32];
        file.read_exact_at(&mut header, 0)?;
        if !header.starts_with(MAGIC) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let [page, pages_before, pages_in, full, rest] = [12, 16, 20, 24, 28].map(|at: usize| {
            let bytes = header.get(at..).and_then(|rest| rest.first_chunk());
            u64::from(u32::from_le_bytes(bytes.copied().unwrap_or_default()))
        });
        if page == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // A page of its own, regions, and one that is not full.
        let full = full.saturating_mul(pages_before.saturating_add(pages_in));
        let rest = if rest > 0 { pages_before.saturating_add(rest) } else { 0 };
        let pages = full.saturating_add(rest).saturating_add(1);
        let closed = header.get(MAGIC.len()).is_some_and(|flags| flags & OPEN == 0);
        Ok(Length { page, whole: closed.then(|| pages.saturating_mul(page)) })
    }
}

/// Is the file in this folder none that redb opens, by its beginning and length? Where there is none, there is nothing
/// to say.
pub fn is_odd(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(FILE)) else { return false };
    match (Length::read(&file), file.metadata()) {
        (Ok(Length { page, whole }), Ok(file)) => {
            file.len() % page != 0 || whole.is_some_and(|whole| file.len() < whole)
        }
        (Err(_), _) => true,
        (_, Err(_)) => false,
    }
}

/// Cuts off what was appended to the file in this folder; `false`: nothing was, as far as can be told.
pub fn cut(folder: &Path) -> io::Result<bool> {
    let file = File::options().read(true).write(true).open(folder.join(FILE))?;
    let Ok(Length { page, whole }) = Length::read(&file) else { return Ok(false) };
    let long = file.metadata()?.len();
    let good = whole.unwrap_or(long - long % page);
    let cuts = good < long;
    if cuts {
        file.set_len(good)?;
    }
    Ok(cuts)
}
