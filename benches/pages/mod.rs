//! Made-up news pages that weigh what today's weigh: about 290 KB, of which 27 % scripts, 17 %
//! styles, 12 % SVG, and a few kilobytes of article; `CRAWLER_BENCH_BYTES` says another weight. With
//! `CRAWLER_BENCH_PAGES=DIR` the `.html` files of a folder are measured instead.

use std::fmt::Write;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const SIZE: usize = 290_000;
/// Words of an article; the median of the English press is about as many.
const WORDS: usize = 620;

/// The page of a seed; other seeds give other articles in other furniture.
pub fn page(seed: u64) -> String {
    let size = std::env::var("CRAWLER_BENCH_BYTES").ok();
    let size = size.map_or(SIZE, |bytes| bytes.parse().expect("a number of bytes"));
    let (scripts, styles, drawings) = (size * 27 / 100, size * 17 / 100, size * 12 / 100);
    let rng = &mut Pcg64Mcg::seed_from_u64(seed);
    let title = sentence(rng, 9);
    let mut html = String::with_capacity(size + 4_096);
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} | \
         The Daily Bench</title>\n<meta property=\"og:title\" content=\"{title}\">\n<meta \
         property=\"article:published_time\" content=\"2026-11-20T{:02}:{:02}:00Z\">\n",
        seed % 24,
        seed / 24 % 60
    );
    let style = filled(styles, |n| {
        format!(
            ".card-{n}__media--wide>.btn:hover{{margin:{n}px 0 auto;color:#{n:06x};transition:all \
             .3s ease-in-out}}\n"
        )
    });
    let _ = writeln!(html, "<style>\n{style}</style>");
    script(&mut html, scripts / 2);
    html.push_str("</head>\n<body class=\"page page--article\">\n");
    menu(&mut html, rng);
    icons(&mut html, drawings);
    html.push_str("<main>");
    html.push_str(&article(rng, &title));
    html.push_str("</main>\n");
    let mut rest = size.saturating_sub(html.len() + scripts / 2);
    let mut n = 0;
    while rest > 0 {
        let before = html.len();
        teaser(&mut html, rng, n);
        n += 1;
        rest = rest.saturating_sub(html.len() - before);
    }
    script(&mut html, scripts / 2);
    html.push_str(
        "<footer class=\"footer\"><a href=\"/imprint\">Imprint</a></footer></body></html>",
    );
    html
}

/// Is a folder measured instead of made-up pages?
pub fn are_given() -> bool {
    std::env::var_os("CRAWLER_BENCH_PAGES").is_some()
}

/// The pages to measure: a folder's, or `n` made-up ones.
pub fn pages(n: u64) -> Vec<Vec<u8>> {
    let Ok(dir) = std::env::var("CRAWLER_BENCH_PAGES") else {
        return (0..n).map(|seed| page(seed).into_bytes()).collect();
    };
    let mut paths: Vec<_> = std::fs::read_dir(&dir)
        .unwrap_or_else(|e| panic!("CRAWLER_BENCH_PAGES={dir}: {e}"))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "html"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "CRAWLER_BENCH_PAGES={dir} has no .html files");
    // Spread over the folder: neighbours often come from one site.
    let stride = (paths.len() / n as usize).max(1);
    paths.iter().step_by(stride).map(|p| std::fs::read(p).expect("a readable page")).collect()
}

fn filled(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 256);
    for n in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&piece(n));
    }
    text
}

fn script(html: &mut String, size: usize) {
    let code = filled(size, |n| {
        format!(
            "window.__state[{n}]={{\"id\":\"m{n:x}\",\"kind\":\"<div class='ad'>\",\"score\":{n}.5,\
             \"next\":function(e){{return e&&e.t<{n}?e.q||null:\"slot-{n}\"}}}};\n"
        )
    });
    let _ = writeln!(html, "<script>\n{code}</script>");
}

fn icons(html: &mut String, size: usize) {
    let paths = filled(size, |n| {
        format!(
            "<symbol id=\"icon-{n}\" viewBox=\"0 0 24 24\"><path d=\"M{n}.5 4.2c-1.1 0-2 .9-2 \
             2v{n}l7.4-3.1z\" fill-rule=\"evenodd\"/></symbol>\n"
        )
    });
    let _ = writeln!(html, "<svg style=\"display:none\">{paths}</svg>");
}

fn menu(html: &mut String, rng: &mut Pcg64Mcg) {
    html.push_str("<header><nav class=\"nav nav--main\"><ul>\n");
    for n in 0..60 {
        let _ = writeln!(
            html,
            "<li class=\"nav__item\"><a class=\"nav__link\" href=\"/section/{n}\" \
             data-track='{{\"pos\":{n}}}'>{}</a></li>",
            word(rng)
        );
    }
    html.push_str("</ul></nav></header>\n");
}

fn article(rng: &mut Pcg64Mcg, title: &str) -> String {
    let mut html = format!(
        "<article class=\"article\" itemscope><h1 class=\"article__title\">{title}</h1>\n<p \
         class=\"article__lead\">{}</p>\n<figure><img src=\"/i/1.jpg\" alt=\"\"><figcaption>{}\
         </figcaption></figure>\n",
        sentence(rng, 24),
        sentence(rng, 11)
    );
    let mut words = 0;
    while words < WORDS {
        html.push_str("<p>");
        for _ in 0..rng.random_range(2..5) {
            let length = rng.random_range(9..24);
            words += length;
            let _ = write!(html, "{} ", sentence(rng, length));
        }
        let _ = writeln!(html, "<a href=\"/topic/{words}\">{}</a>.</p>", word(rng));
    }
    html.push_str("</article>");
    html
}

fn teaser(html: &mut String, rng: &mut Pcg64Mcg, n: usize) {
    let _ = writeln!(
        html,
        "<div class=\"grid__cell grid__cell--{m} js-lazy\" data-id=\"{n}\"><div class=\"card \
         card--teaser\"><a class=\"card__link\" href=\"/2026/11/20/{n}\" aria-label=\"\"><span \
         class=\"card__media\"><img class=\"img\" loading=\"lazy\" srcset=\"/i/{n}-320.jpg 320w, \
         /i/{n}-640.jpg 640w\" alt=\"\"></span><h3 class=\"card__title\"><span>{}</span></h3></a>\
         <p class=\"card__text\">{}</p><time class=\"card__time\">{m} min ago</time></div></div>",
        sentence(rng, 8),
        sentence(rng, 15),
        m = n % 60,
    );
}

/// A made-up word: rank r has probability ~ 1/r, and the first ranks are English function words.
fn word(rng: &mut Pcg64Mcg) -> String {
    const COMMON: [&str; 40] = [
        "the", "of", "to", "and", "a", "in", "that", "for", "is", "on", "with", "was", "it", "as",
        "at", "by", "he", "from", "be", "said", "has", "have", "an", "are", "his", "not", "will",
        "who", "but", "they", "which", "this", "their", "had", "were", "been", "more", "one",
        "about", "would",
    ];
    const PARTS: [&str; 16] = [
        "ba", "ren", "to", "lis", "mar", "ke", "sun", "dor", "vi", "tal", "pe", "gor", "hin", "lo",
        "wes", "ta",
    ];
    let rank = (40_000f64.ln() * rng.random_range(0.0..1.0)).exp() as usize;
    match COMMON.get(rank) {
        Some(word) => (*word).to_owned(),
        None => {
            let mut word = String::new();
            let mut rest = rank;
            while rest > 0 {
                word.push_str(PARTS[rest % 16]);
                rest /= 16;
            }
            word
        }
    }
}

fn sentence(rng: &mut Pcg64Mcg, words: usize) -> String {
    let mut text = word(rng);
    text[..1].make_ascii_uppercase();
    for _ in 1..words {
        text.push(' ');
        text.push_str(&word(rng));
    }
    text.push('.');
    text
}
