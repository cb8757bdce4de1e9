//! A report as PDF, printed by a Chromium that the machine has.
//!
//! Must not know: what a report says.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// Names that the program goes by.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// So long it may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Is this the name of a PDF file?
pub(super) fn is_wanted(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

/// Prints a page to a file.
///
/// # Errors
/// There is no Chromium, or it does not print.
pub(super) fn write(page: &str, path: &Path) -> Result<()> {
    let Some(program) = found(std::env::var_os("PATH")) else {
        bail!(
            "no Chromium is installed here ({}), which PDF needs: install one, or write the report to \
             an .html file and print that",
            NAMES.join(", ")
        );
    };
    let place = tempfile::tempdir().context("cannot make a folder for what is printed")?;
    let made = print(&program, page, place.path())?;
    std::fs::copy(&made, path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

fn found(path: Option<OsString>) -> Option<PathBuf> {
    let dirs: Vec<PathBuf> = std::env::split_paths(&path?).collect();
    let places = NAMES.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
    places.into_iter().find(|place| place.is_file())
}

fn print(program: &Path, page: &str, place: &Path) -> Result<PathBuf> {
    let (html, pdf) = (place.join("report.html"), place.join("report.pdf"));
    std::fs::write(&html, page).with_context(|| format!("cannot write {}", html.display()))?;
    let named = |name: &str, value: &Path| {
        let mut flag = OsString::from(name);
        flag.push(value);
        flag
    };
    let mut command = Command::new(program);
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"]);
    // The page loads nothing; the program itself shall not, either.
    command.args(["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"]);
    command.arg(named("--user-data-dir=", &place.join("profile")));
    if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        // It does not start as root otherwise. The page runs no script.
        command.arg("--no-sandbox");
    }
    command.arg(named("--print-to-pdf=", &pdf)).arg(named("file://", &html));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = program.display();
    let mut child = command.spawn().with_context(|| format!("{name} does not start"))?;
    let began = Instant::now();
    let ended = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if began.elapsed() > PATIENCE => break None,
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    match ended {
        Some(status) if status.success() && pdf.is_file() => Ok(pdf),
        Some(status) => {
            bail!("{name} printed no PDF ({status}): write an .html file and print that")
        }
        None => {
            let _ = child.kill();
            let _ = child.wait();
            bail!(
                "{name} took longer than {} s: write an .html file and print that",
                PATIENCE.as_secs()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_pdf_by_its_name() {
        for (name, wanted) in
            [("a.pdf", true), ("a.b.PDF", true), ("pdf", false), ("a.html", false)]
        {
            assert_eq!(is_wanted(Path::new(name)), wanted, "{name}");
        }
        assert_eq!(found(None), None);
        assert_eq!(found(Some("/nowhere:/nor/here".into())), None);
    }
}
