//! Looks for documents whose cost grows faster than their length: pieces of markup and text that the program
//! knows, put together at random and repeated, up to a length and up to four times that. Prints those that take more
//! than [`FACTOR`] times the time, and again at sixteen times the length, and the slowest of all. `scripts/prove-linear` is this with many tries.
//!
//! `CRAWLER_SEED` begins elsewhere (1), `CRAWLER_TRIES` says how many documents (1,000), `CRAWLER_KB` how long the
//! longer ones are (600).

use crawler::dedupe::Print;
use crawler::dedupe::rule::{Rule, judge};
use crawler::extract::{self, Hints, Limits, Model};
use crawler::feed;
use crawler::frontier::{Robots, address};
use crawler::mention::{Lexicon, mentions};
use crawler::meter::cpu;
use crawler::model::Brand;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A document and a longer one: so many times its bytes.
const LONGER: usize = 4;
/// A document of four times the length may take so many times the time …
const FACTOR: f64 = 7.0;
/// … if that is more than so many seconds a megabyte.
const LEAST: f64 = 0.15;
/// Pieces of one motif, at most.
const PIECES: u64 = 6;
/// The slowest documents that are printed.
const SLOWEST: usize = 10;

// `#` is another number each time; what is behind `|` closes a piece, at its end or, where motifs are nested, at
// the document's.
#[rustfmt::skip]
const MARKUP: &[&str] = &[
    "<div>|</div>", "<div class=c#>|</div>", "<div id=i#>|</div>", "<p>|</p>", "<p>", "</p>", "</div>", "<b a# b# c#>",
    "<article>|</article>", "<section>|</section>", "<h1>Plant opens</h1>", "<h1>Title # here</h1>", "<h2>Part #</h2>",
    "<a href=/x>Reuters</a>", "<a href=/news/#/plant-opens>", "</a>", "<table><tr><td>|</td></tr></table>", "<table>",
    "<tr>", "<td>", "<li>", "<ul>|</ul>", "<blockquote>|</blockquote>", "<br>", "<span>", "<b>", "<i>", "</b>", "<nobr>",
    "<span class=byline>By Ann Archer</span>", "<span class=author#>|</span>", "<font size=#>", "<p style='color:#'>",
    "<time datetime=2024-05-12>", "<meta property=og:title content='Plant #'>", "<meta name=author content='Ann Archer #'>",
    "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Plant #\",\"author\":{\"name\":\"A B\"}}</script>",
    "<script type=application/ld+json>[[[[{\"@graph\":[", "<style>.c#{display:none}</style>", "<style>@media print{",
    "<style>#i# .c# > div{display:none}</style>", "<style>", "</style>", "<img alt='A plant #'>", "<form>", "<button>",
    "<figure><figcaption>|</figcaption></figure>", "<!-- x -->", "<!--", "<title>Plant #</title>", "<svg>|</svg>",
    "<math>|</math>", "<template>|</template>", "<select><option>", "<textarea>", "<iframe>", "<noscript>", "<x-#>",
    "<div style=display:none>|</div>", "<div hidden>|</div>", "<div class='comments comment-#'>|</div>", "<dl><dt>|</dt></dl>",
    "<div class=related>|</div>", "<div itemprop=author>|</div>", "<a rel=author href=/author/#>Ann Archer</a>", "<hr>",
    "<pre>|</pre>", "<code>|</code>", "<nav>|</nav>", "<footer>|</footer>", "<link rel=canonical href=/x/#>", "<base href=/y/#>",
    "<div itemscope itemtype='https://schema.org/Comment'>|</div>", "<div itemscope>|</div>",
    "<meta itemprop=datePublished content=2024-05-#>", "<li class=comment id=comment-#>", "<mtext mathsize=#>|</mtext>",
    "<semantics>|</semantics>", "<div><template shadowrootmode=open>|</template></div>", "<slot hidden name=#>|</slot>",
    "<meta http-equiv=refresh content='9;/x#'>", "<main>|</main>", "<h1>", "</h1>", "<h3>|</h3>", "<ol><li>|</ol>",
];
#[rustfmt::skip]
const TEXT: &[&str] = &[
    "The plant opened on Monday, and the mayor spoke of a good day for the town. ", "word ", "Acme ", "Acme12 ", "Acme",
    "By Ann Archer ", "Ann Archer # ", "12 May 2024 ", "12.05.24 ", "(Reuters) ", "Reuters ", "(AP", "© ", "Photo: ",
    "Read more: ", "3 comments ", "# comments ", "Leave a reply ", "Twitter ", "follow us on ", "Reporting by ", "Source: ",
    "... ", "   ", "\n", "\u{a0}", "e\u{301}", "\u{301}", "漢字。", "漢", "新华社", "ßß", "\u{130}", "&amp;", "&#x41;", "&notanentity",
    "http://x.example/# ", "@ann ", "#", ". ", "! ", "!", "? ", ", ", ": ", " - ", " | ", "\" ", "“", "”", "' ", "( ", ") ", "[", "]",
    "LONDON, ", "Related articles ", "contributed to this report ", "10:3", "Jan ", "1", "А", "คำ", "日本語", "한국어로 ", "ـ",
    "\u{200d}", "\u{feff}", "<", "</", "&", "=", "{", "}", "@media ", ".c# ", "#i# ", ">", "*", "~ ", "/*", "*/", "\\", "url(",
    "<![CDATA[", "]]>", "<?x", "</script>", "plant ", "-", "_", "/", "page not found ", "Anonymous says: ", "#. ", "â€™", "Ã©",
    "Written by ", "Last updated: ", "Von Ann Archer ", "Автор: ", "Foto: dpa", "(dpa/AFP) ", "Mit Material von dpa", "12. Mai ",
    "5 мая 2024 ", "2024年5月12日", "· ", "» ", "Dr. ", "U.S. ", "a.", "1,000.00 ", "www.", "a@x.example ", "Follow ", "関連記事", "Bild: ",
    "{\"@type\":\"Person\",\"name\":\"Ann #\"},", "\"", "{\"a\":", "\"articleBody\":\"", "\"author\":[", ",", ":", ";", "not(", "%", "\u{0}",
];
#[rustfmt::skip]
const FEED: &[&str] = &[
    "<item>|</item>", "<item>", "</item>", "<link>http://x.example/#</link>", "<title>", "</title>", "<title>Plant #</title>",
    "<entry>|</entry>", "<description>", "<description>|</description>", "<content:encoded><![CDATA[|]]></content:encoded>",
    "<guid>#</guid>", "<pubDate>Mon, 12 May 2024 10:00:00 GMT</pubDate>", "{\"items\":[", "{\"url\":\"http://x.example/#\"},",
    "{\"a\":", "[", "]", "}", ",", "\"", "\\", "<!DOCTYPE x [", "<!ENTITY a \"b\">", "&a;", "<loc>http://x.example/#</loc>",
    "<url>|</url>", "<sitemap>", "<outline xmlUrl='http://x.example/#'>", "<outline>|</outline>", "<dc:date>", "<a:b>",
    "xmlns:a#='b' ", "<![CDATA[", "]]>", "<?x", "?>", "<!--", "-->", "&#38;", "&amp;amp;", "http://x.example/#\n", "\n", "\u{b}",
];
#[rustfmt::skip]
const ROBOTS: &[&str] = &[
    "User-agent: crawler\n", "User-agent: b#\n", "User-agent: *\n", "Disallow: /a", "Allow: /", "Disallow: /a*#\n", "*", "*a",
    "a", "$", "\n", "\r", "Crawl-delay: #\n", "Sitemap: http://x.example/#\n", ":", " ", "%41", "#", "é", "\u{0}",
];
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    ARTICLE, ARTICLE, "", "<head>", "<article><h1>Plant opens</h1>", "<style>", "<script type=application/ld+json>[",
    "<p>The plant <a href='", "<p class='", "<p style='", "<title>", "<div style='", "<div class='", "<div id='", "<a href='",
    "<div itemprop='", "<span class='", "<table><tr><td class='", "<div data-page='", "<time datetime='", "<meta content='",
    "<div itemscope itemtype='", "<div class=comments><div class='comment ", "<math mathsize='",
];
/// What may stand between two motifs.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "", "", "", "'>", "<div>", "<p>", "<a href=/x>", "<span>", "<ul>", "<table><tr><td>", "</div>", "</style>", "</script>",
    "<div class=comments>", "<article>", "<b>", "<section id=i1>", "</title>",
];
const FEEDS: &[&str] =
    &["<rss><channel>", "<feed>", "<urlset>", "{", "{\"items\":[", "<opml><body>", ""];
const ENDS: &[&str] =
    &["", "x", "</p>", ".", " Acme said so.", "</div>", "<p>The end.</p>", "'>x", "]", "$\n"];
const ARTICLE: &str = "<title>Plant opens - The Herald</title><body><main><h1>Plant opens</h1><p>By Ann \
     Archer<p>12 May 2024<p>The plant opened on Monday, and the mayor spoke of a good day for the town, \
     which had waited for it since the flood took the old one away. <p>Work began two years ago, said the \
     mayor, who thanked everybody for their patience and the many hours at night. <p>Another hundred people \
     will find work there, most of them from the villages along the river, as Acme wrote.";

#[derive(Clone, Copy, Debug)]
enum Kind {
    Page,
    /// A page that is read for links to articles and feeds.
    Links,
    Feed,
    Robots,
}
const KINDS: &[Kind] =
    &[Kind::Page, Kind::Page, Kind::Page, Kind::Page, Kind::Links, Kind::Feed, Kind::Robots];

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// What a document is made of: a beginning, one or two motifs, each as often as its share of the bytes asks
/// for, an end.
#[derive(Clone, Debug)]
struct Recipe {
    kind: Kind,
    beginning: &'static str,
    motifs: Vec<Vec<&'static str>>,
    between: &'static str,
    nested: bool,
    end: &'static str,
}

impl Recipe {
    fn new(random: &mut Random) -> Recipe {
        let kind = random.one_of(KINDS);
        let beginning = match kind {
            Kind::Feed => random.one_of(FEEDS),
            Kind::Robots => "User-agent: *\n",
            Kind::Page | Kind::Links => random.one_of(BEGINNINGS),
        };
        let pieces = |random: &mut Random| match kind {
            Kind::Robots if random.below(5) > 0 => ROBOTS,
            Kind::Feed if random.below(3) > 0 => FEED,
            _ if random.below(2) == 0 => MARKUP,
            _ => TEXT,
        };
        let motif = |random: &mut Random| {
            let pieces = (0..=random.below(PIECES - 1)).map(|_| {
                let list = pieces(random);
                random.one_of(list)
            });
            pieces.collect()
        };
        let motifs = (0..=random.below(2)).map(|_| motif(random)).collect();
        Recipe {
            kind,
            beginning,
            motifs,
            between: random.one_of(BETWEEN),
            nested: random.below(3) == 0,
            end: random.one_of(ENDS),
        }
    }

    fn make(&self, bytes: usize) -> String {
        let mut made = self.beginning.to_owned();
        let mut ends: Vec<&str> = Vec::new();
        let mut numbers = 0..;
        for (nth, motif) in self.motifs.iter().enumerate() {
            if nth > 0 {
                made.push_str(self.between);
            }
            while made.len() < bytes * (nth + 1) / self.motifs.len() {
                let number = numbers.next().unwrap_or(0).to_string();
                for piece in motif {
                    let (start, end) = piece.split_once('|').unwrap_or((piece, ""));
                    made.push_str(&start.replace('#', &number));
                    if self.nested {
                        ends.push(end);
                    } else {
                        made.push_str(end);
                    }
                }
            }
        }
        made.extend(ends.into_iter().rev());
        made.push_str(self.end);
        made
    }
}

impl std::fmt::Display for Recipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Recipe { kind, beginning, motifs, between, nested, end } = self;
        let beginning = if *beginning == ARTICLE { "an article" } else { beginning };
        let nested = if *nested { ", nested" } else { "" };
        write!(f, "{kind:?}, {beginning:?}, ")?;
        for (nth, motif) in motifs.iter().enumerate() {
            if nth > 0 {
                write!(f, "{between:?}, ")?;
            }
            write!(f, "many {motif:?}{nested}, ")?;
        }
        write!(f, "{end:?}")
    }
}

struct Bench {
    model: Model,
    lexicon: Lexicon,
    settings: feed::Settings,
    paths: Vec<url::Url>,
}

const BASE: &str = "https://x.example/";

impl Bench {
    fn new() -> Bench {
        let brand = |name: &str| Brand { name: name.into(), whole_word: true, ..Brand::default() };
        let near = Brand {
            require: vec!["plant".into(), "word".into()],
            within: 20,
            exclude: vec!["Ann Archer".into()],
            ..brand("Acme")
        };
        let brands = [near, brand("Reuters"), brand("Twitter"), brand("漢字")];
        let paths = ["a/b?c=d".to_owned(), "a".repeat(1_000), "aab".repeat(500)];
        let url = |path| address(&format!("{BASE}{path}"), None).expect("an address").url;
        Bench {
            model: Model::embedded(),
            lexicon: Lexicon::build(&brands).expect("brands that are valid"),
            settings: feed::Settings::default(),
            paths: paths.into_iter().map(url).collect(),
        }
    }

    /// CPU seconds that a document takes.
    fn time(&self, recipe: &Recipe, bytes: usize) -> f64 {
        let text = recipe.make(bytes);
        let from = cpu();
        match recipe.kind {
            Kind::Page => self.page(&text),
            Kind::Links => {
                std::hint::black_box(feed::section::parse(&text, BASE, &self.settings));
                std::hint::black_box(feed::section::sections(&text, BASE));
                std::hint::black_box(feed::discover::links(&text, BASE));
            }
            Kind::Feed => {
                _ = std::hint::black_box(feed::parse_text(&text, None, BASE, &self.settings));
                std::hint::black_box(feed::list::parse(&text));
                std::hint::black_box(feed::opml::parse(&text));
            }
            Kind::Robots => {
                let rules = Robots::parse(text.as_bytes(), "crawler");
                self.paths.iter().for_each(|url| _ = std::hint::black_box(rules.decide(url)));
            }
        }
        (cpu() - from).as_secs_f64()
    }

    /// What becomes of a page: an article, its mentions, its place among copies.
    fn page(&self, text: &str) {
        let url = Some("https://x.example/a/plant-opens");
        let text = crawler::decode::html(text.as_bytes(), None, None).text;
        let hints = Hints { url, ..Hints::default() };
        let found = extract::article(&text, &hints, &self.model, &Limits::default());
        std::hint::black_box(mentions(&self.lexicon, &found.article, "x.example"));
        let print = Print::of(&found.article.text);
        std::hint::black_box(judge(Rule::default(), 0.9, &print, &print));
    }
}

fn main() {
    let number = |name: &str, usual: u64| match std::env::var(name) {
        Ok(set) => set.parse().unwrap_or_else(|_| panic!("{name}: no number: {set}")),
        Err(_) => usual,
    };
    let tries = number("CRAWLER_TRIES", 1_000);
    let seed = number("CRAWLER_SEED", 1);
    let kilobytes = number("CRAWLER_KB", 600);
    let bytes = kilobytes as usize * 1_000;
    let bench = Bench::new();
    let mut random = Random(seed);
    let mut faster = 0;
    let mut all: Vec<(f64, Recipe)> = Vec::new();
    for _ in 0..tries {
        let recipe = Recipe::new(&mut random);
        let long = bench.time(&recipe, bytes);
        if long > LEAST * bytes as f64 * 1e-6 {
            let short = bench.time(&recipe, bytes / LONGER);
            // Once more, since counted limits stop what only begins like that.
            if long > FACTOR * short && bench.time(&recipe, bytes * LONGER) > FACTOR * long {
                println!("{long:.3} s, {:.1} times: {recipe}", long / short);
                faster += 1;
            }
        }
        all.push((long, recipe));
    }
    println!(
        "{tries} documents of {kilobytes} KB, seed {seed}: {faster} grow faster than their length; {} MB of memory at most",
        peak()
    );
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\nThe slowest:");
    all.iter().take(SLOWEST).for_each(|(time, recipe)| println!("{time:.3} s: {recipe}"));
}

/// The most megabytes of memory that this process had.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) / 1_024
}
