//! texts CORPORA_DIR OUT_DIR CORPUS… [--only PEER]: the texts that Rust extractors find, as
//! OUT_DIR/<corpus>/<peer>.jsonl, one `{"id", "text", "seconds"}` a page (CPU seconds of decoding and
//! extraction; `error` where the extractor gave one). A file that is complete is not written again.

use std::io::Write;
use std::path::{Path, PathBuf};

use crawler::decode;
use crawler_peers::{PEERS, cpu_seconds, guarded, on_large_stack, pages};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpora, out, names @ ..] = arguments.as_slice() else {
        eprintln!("usage: texts CORPORA_DIR OUT_DIR CORPUS…");
        std::process::exit(2);
    };
    // A panic of a peer is written down as its error.
    std::panic::set_hook(Box::new(|_| {}));
    let (corpora, out) = (PathBuf::from(corpora), PathBuf::from(out));
    let names = names.to_vec();
    let failed = on_large_stack(move || {
        let mut failed = false;
        for name in names {
            if let Err(error) = corpus(&corpora.join(&name), &out.join(&name), &name) {
                eprintln!("{name}: {error}");
                failed = true;
            }
        }
        failed
    });
    std::process::exit(i32::from(failed));
}

fn corpus(folder: &Path, out: &Path, name: &str) -> Result<()> {
    let pages = pages(folder)?;
    std::fs::create_dir_all(out)?;
    for (peer, extract) in PEERS {
        let path = out.join(format!("{peer}.jsonl"));
        if path.exists() {
            continue;
        }
        let part = path.with_extension("part");
        let mut file = std::io::BufWriter::new(std::fs::File::create(&part)?);
        let (mut spent, mut empty, mut slowest) = (0.0, 0, (0.0, ""));
        for page in &pages {
            let began = cpu_seconds();
            let html = decode::html(&page.bytes, None, None).text;
            let found = guarded(extract, &html, page.url.as_deref());
            let seconds = cpu_seconds() - began;
            spent += seconds;
            if seconds > slowest.0 {
                slowest = (seconds, &page.id);
            }
            let line = match found {
                Ok(text) => {
                    empty += u32::from(text.trim().is_empty());
                    json!({ "id": page.id, "text": text, "seconds": seconds })
                }
                Err(error) => {
                    empty += 1;
                    json!({ "id": page.id, "text": "", "seconds": seconds, "error": error })
                }
            };
            writeln!(file, "{line}")?;
        }
        file.flush()?;
        std::fs::rename(&part, &path)?;
        println!(
            "{name} {peer}: {} pages, {empty} empty, {spent:.1} CPU s, slowest {:.2} s ({})",
            pages.len(),
            slowest.0,
            slowest.1
        );
    }
    Ok(())
}
