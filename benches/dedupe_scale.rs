//! Search for copies and insertion at 10,000, 100,000 and more articles: time per arriving article
//! (median, 99 %, processor time), memory, work, and how the time grows. Full vectors are read back from a file,
//! as they are from the store.
//!
//!     cargo bench --bench dedupe_scale -- 10000 100000 1000000
//!
//! `TAU=0.85` sets another threshold. Articles are made up (`news`), unless `CORPUS=folder` names
//! one with `gold.jsonl`, whose texts are recombined two by two.

mod news;

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawler::dedupe::{Entry, Print, Rule, Search, Settings, similarity::sim};
use crawler::meter::cpu;
use crawler::model::{DAY, Millis, UrlKey};
use news::News;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Articles that arrive at each size.
const ARRIVALS: usize = 2_000;

/// Encoded vectors in a file: the bench's store.
struct Shelf {
    file: File,
    /// Offset and length by key, which counts from 0.
    spans: Mutex<Vec<(u64, u32)>>,
}

fn main() {
    let mut sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    sizes.sort_unstable();
    let tau = std::env::var("TAU").ok().and_then(|t| t.parse().ok());
    let tau = tau.unwrap_or(Settings::default().tau);
    let settings = Settings { tau, window: Settings::default().window };
    let mut texts = Texts::new();

    let path = std::env::temp_dir().join(format!("dedupe-scale-{}", std::process::id()));
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a file"));
    let file = File::open(&path).expect("the file");
    // Gone when the last handle is.
    std::fs::remove_file(&path).expect("the file");
    let shelf = Arc::new(Shelf { file, spans: Mutex::default() });
    let reader = shelf.clone();
    let mut search = Search::new(
        settings,
        Rule::default(),
        Box::new(move |key, _| {
            let (at, len) = *reader.spans.lock().ok()?.get(key.0 as usize)?;
            let mut bytes = vec![0; len as usize];
            reader.file.read_exact_at(&mut bytes, at).ok()?;
            Print::decode(&bytes).ok().map(Arc::new)
        }),
    );

    println!("tau {tau}");
    println!(
        "articles  median µs  99 % µs  max µs  bytes  window     read  sketched  verified  found  insert µs  decode+insert/s  window scan µs"
    );
    let mut lens: Vec<f64> = Vec::new();
    let mut offset = 0u64;
    let mut medians = Vec::new();
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let mut add = |search: &mut Search, at: Millis, print: &Print, insert: bool| {
        let bytes = print.encode();
        let key = {
            let mut spans = shelf.spans.lock().expect("no panic elsewhere");
            spans.push((offset, bytes.len() as u32));
            UrlKey(spans.len() as u128 - 1)
        };
        offset += bytes.len() as u64;
        writer.write_all(&bytes).expect("room on the disk");
        writer.flush().expect("room on the disk");
        // What a restart does.
        let started = cpu();
        if insert {
            let print = Print::decode(&bytes).expect("just encoded");
            let entry = Entry::of(&print.vector).expect("a text");
            search.enter(key, at, &entry, &print.marks);
        }
        (key, cpu() - started)
    };
    for size in sizes {
        let mut loading = Duration::ZERO;
        let held = search.len();
        while search.len() < size {
            let print = Print::of(&texts.next());
            lens.push(print.vector.len() as f64);
            let at = rng.random_range(0..30 * DAY);
            let (_, took) = add(&mut search, at, &print, true);
            loading += took;
        }
        let loaded = (size - held) as f64 / loading.as_secs_f64();
        let mut times = Vec::new();
        let mut inserts = Duration::ZERO;
        let (mut cells, mut read, mut sketched, mut verified, mut found) = (0, 0, 0, 0, 0);
        let (mut sharing, mut compared) = (0, 0);
        let mut sample = Vec::new();
        for _ in 0..ARRIVALS {
            let print = Print::of(&texts.next());
            let at = rng.random_range(0..30 * DAY);
            let (key, _) = add(&mut search, at, &print, false);
            let started = cpu();
            let (near, effort) = search.near_counting(key, at, &print);
            let between = cpu();
            search.insert(key, at, print.clone());
            search.settle();
            let done = cpu();
            times.push(done - started);
            inserts += done - between;
            cells += effort.cells;
            read += effort.read;
            sketched += effort.sketched;
            verified += effort.verified;
            found += near.copies.len();
            sharing += effort.sharing;
            compared += effort.compared;
            let vector = print.vector;
            lens.push(vector.len() as f64);
            if sample.len() < 400 {
                sample.push(vector);
            }
        }
        times.sort_unstable();
        let median = times[ARRIVALS / 2].as_secs_f64() * 1e6;
        let near = |len: f64| lens.iter().filter(|l| **l >= tau * len && tau * **l <= len).count();
        let window: usize = sample.iter().map(|v| near(v.len() as f64)).sum();
        let window = window as f64 / sample.len() as f64;
        // A plain scan compares everything on the length window: measured on pairs in memory.
        let started = cpu();
        let mut sum = 0.0;
        for (i, a) in sample.iter().enumerate() {
            sum += sample[..i].iter().map(|b| sim(a, b)).sum::<f64>();
        }
        let pairs = sample.len() * (sample.len() - 1) / 2;
        let each = (cpu() - started).as_secs_f64() * 1e6 / pairs as f64;
        std::hint::black_box(sum);
        let per = |n: usize| n as f64 / ARRIVALS as f64;
        println!(
            "{size:>8}  {median:>9.0}  {:>7.0}  {:>6.0}  {:>5.0}  {:>7.0}  {:>7.0}  {:>8.1}  {:>8.2}  {:>5.2}  {:>9.1}  {loaded:>15.0}  {:>14.0}",
            times[ARRIVALS * 99 / 100].as_secs_f64() * 1e6,
            times[ARRIVALS - 1].as_secs_f64() * 1e6,
            search.bytes().0 as f64 / search.len() as f64,
            window,
            per(cells) + per(read),
            per(sketched),
            per(verified),
            per(found),
            inserts.as_secs_f64() * 1e6 / ARRIVALS as f64,
            window * each,
        );
        println!(
            "marks: {:.0} bytes an article, {:.1} articles share some, {:.2} of them compared",
            search.bytes().1 as f64 / search.len() as f64,
            per(sharing),
            per(compared)
        );
        medians.push((size as f64, median));
    }
    let exponent = |a: (f64, f64), b: (f64, f64)| (b.1 / a.1).ln() / (b.0 / a.0).ln();
    for pair in medians.windows(2) {
        println!(
            "growth exponent {} to {}: {:.2}",
            pair[0].0,
            pair[1].0,
            exponent(pair[0], pair[1])
        );
    }
    if let (Some(first), Some(last)) = (medians.first(), medians.last())
        && medians.len() > 2
    {
        println!("growth exponent {} to {}: {:.2}", first.0, last.0, exponent(*first, *last));
    }
    saved(&search);
}

/// Writes it to a file and reads it back, as a restart does.
fn saved(search: &Search) {
    let mut file = tempfile::tempfile().expect("a file");
    let started = (Instant::now(), cpu());
    let mut to = BufWriter::with_capacity(1 << 20, &mut file);
    search.save(&mut to).expect("room on the disk");
    to.flush().expect("room on the disk");
    drop(to);
    println!(
        "saved: {:.1} s, {:.1} s of processor",
        started.0.elapsed().as_secs_f64(),
        (cpu() - started.1).as_secs_f64()
    );
    let bytes = file.stream_position().expect("a file");
    file.rewind().expect("a file");
    let started = (Instant::now(), cpu());
    let mut from = BufReader::with_capacity(1 << 20, &mut file);
    let mut again = Search::new(search.settings().clone(), search.rule(), Box::new(|_, _| None));
    again.load(&mut from).expect("as written");
    assert_eq!(again.len(), search.len());
    println!(
        "read back: {:.1} s, {:.1} s of processor, {} MB",
        started.0.elapsed().as_secs_f64(),
        (cpu() - started.1).as_secs_f64(),
        bytes / 1_000_000
    );
}

/// Where texts come from.
enum Texts {
    Made(Box<News>),
    Recombined { paragraphs: Vec<Vec<String>>, rng: Pcg64Mcg },
}

impl Texts {
    fn new() -> Texts {
        let Ok(folder) = std::env::var("CORPUS") else {
            return Texts::Made(Box::new(News::new(1)));
        };
        let gold = std::fs::read_to_string(format!("{folder}/gold.jsonl")).expect("gold.jsonl");
        let texts = gold.lines().filter_map(|line| {
            let page: serde_json::Value = serde_json::from_str(line).ok()?;
            let text = page.get("text")?.as_str()?;
            (text.len() > 400).then(|| text.lines().map(String::from).collect())
        });
        Texts::Recombined { paragraphs: texts.collect(), rng: Pcg64Mcg::seed_from_u64(1) }
    }

    fn next(&mut self) -> String {
        match self {
            Texts::Made(news) => news.next(),
            Texts::Recombined { paragraphs, rng } => {
                // Half of the paragraphs of two texts.
                let mut text = String::new();
                for _ in 0..2 {
                    let page = &paragraphs[rng.random_range(0..paragraphs.len())];
                    for line in page {
                        if rng.random_bool(0.5) {
                            text.push_str(line);
                            text.push('\n');
                        }
                    }
                }
                text
            }
        }
    }
}
