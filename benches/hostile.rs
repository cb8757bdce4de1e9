//! Looks for pages and feeds whose cost grows faster than their length: pieces of markup and text that the
//! program knows, put together at random and repeated, once and four times as often. Prints those that take
//! more than [`FACTOR`] times the time, the slowest first, and what the slowest of all took.
//!
//! `CRAWLER_SEED` begins elsewhere (1), `CRAWLER_TRIES` says how many (1,000).

use crawler::extract::{self, Hints, Limits, Model};
use crawler::feed;
use crawler::mention::{Lexicon, mentions};
use crawler::model::Brand;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Bytes of the shorter document; the longer one has four times as many.
const BYTES: usize = 150_000;
/// A document of four times the length may take so many times the time …
const FACTOR: f64 = 7.0;
/// … if that is more than so many seconds.
const LEAST: f64 = 0.1;
/// Pieces of one motif.
const PIECES: u64 = 5;

/// `#` is another number each time; what is behind `|` closes the piece where motifs are nested.
const MARKUP: &[&str] = &[
    "<div>|</div>",
    "<div class=c#>|</div>",
    "<div id=i#>|</div>",
    "<p>|</p>",
    "<p>",
    "</p>",
    "</div>",
    "<article>|</article>",
    "<section>|</section>",
    "<h1>Plant opens</h1>",
    "<h1>Title # here</h1>",
    "<h2>Part #</h2>",
    "<a href=/x>Reuters</a>",
    "<a href=/news/#/plant-opens>",
    "</a>",
    "<table><tr><td>|</td></tr></table>",
    "<table>",
    "<tr>",
    "<td>",
    "<li>",
    "<ul>|</ul>",
    "<blockquote>|</blockquote>",
    "<br>",
    "<span class=byline>By Ann Archer</span>",
    "<span class=author#>|</span>",
    "<span>",
    "<b>",
    "<i>",
    "</b>",
    "<nobr>",
    "<font size=#>",
    "<time datetime=2024-05-12>",
    "<meta property=og:title content='Plant #'>",
    "<meta name=author content='Ann Archer #'>",
    "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Plant #\",\"author\":{\"name\":\"Ann Archer\"}}</script>",
    "<script type=application/ld+json>[[[[{\"@graph\":[",
    "<style>.c#{display:none}</style>",
    "<style>#i# .c# > div{display:none}</style>",
    "<style>@media print{",
    "<style>",
    "</style>",
    "<img alt='A plant #'>",
    "<figure><figcaption>|</figcaption></figure>",
    "<form>",
    "<button>",
    "<!-- x -->",
    "<!--",
    "<title>Plant #</title>",
    "<svg>|</svg>",
    "<math>|</math>",
    "<template>|</template>",
    "<select><option>",
    "<textarea>",
    "<iframe>",
    "<noscript>",
    "<div style=display:none>|</div>",
    "<div hidden>|</div>",
    "<div class='comments comment-#'>|</div>",
    "<div class=related>|</div>",
    "<div itemprop=author>|</div>",
    "<a rel=author href=/author/#>Ann Archer</a>",
    "<pre>|</pre>",
    "<code>|</code>",
    "<dl><dt>|</dt></dl>",
    "<nav>|</nav>",
    "<footer>|</footer>",
    "<p style='color:#'>",
    "<x-#>",
    "<b a# b# c#>",
];
const TEXT: &[&str] = &[
    "The plant opened on Monday, and the mayor spoke of a good day for the town. ",
    "word ",
    "Acme ",
    "Acme12 ",
    "By Ann Archer ",
    "Ann Archer # ",
    "12 May 2024 ",
    "12.05.24 ",
    "(Reuters) ",
    "Reuters ",
    "(AP",
    "© ",
    "Photo: ",
    "Read more: ",
    "3 comments ",
    "# comments ",
    "Leave a reply ",
    "Twitter ",
    "follow us on ",
    "Reporting by ",
    "Source: ",
    "... ",
    "   ",
    "\n",
    "\u{a0}",
    "e\u{301}",
    "\u{301}",
    "漢字。",
    "新华社",
    "ßß",
    "\u{130}",
    "&amp;",
    "&#x41;",
    "&notanentity",
    "http://x.example/# ",
    "@ann ",
    "#",
    ". ",
    "! ",
    "? ",
    ", ",
    ": ",
    " - ",
    " | ",
    "\" ",
    "“",
    "”",
    "' ",
    "( ",
    ") ",
    "[",
    "]",
    "LONDON, ",
    "Related articles ",
    "contributed to this report ",
    "10:3",
    "Jan ",
    "1",
    "А",
    "คำ",
    "日本語",
    "한국어로 ",
    "ـ",
    "\u{200d}",
    "\u{feff}",
    "<",
    "</",
    "&",
    "=",
    "{",
    "}",
    "@media ",
    ".c# ",
    "#i# ",
    ">",
    "*",
    "~ ",
    "/*",
    "*/",
    "\\",
    "url(",
    "<![CDATA[",
    "]]>",
    "<?x",
    "</script>",
    "<item>",
    "</item>",
    "<link>http://x.example/#</link>",
    "<title>",
    "</title>",
    "<entry>",
    "<description>",
    "<guid>",
    "<pubDate>Mon, 12 May 2024 10:00:00 GMT</pubDate>",
    "{\"items\":[",
    "{\"url\":\"http://x.example/#\"},",
    "<!DOCTYPE x [",
    "<!ENTITY a \"b\">",
    "<loc>",
];
const ARTICLE: &str = "<title>Plant opens - The Herald</title><body><main><h1>Plant opens</h1><p>By Ann Archer<p>12 May 2024<p>The plant opened on \
     Monday, and the mayor spoke of a good day for the town, which had waited for it since the flood took the old one away. \
     <p>Work began two years ago, said the mayor, who thanked everybody for their patience and the many hours at night. \
     <p>Another hundred people will find work there, most of them from the villages along the river, as Acme wrote.";

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn piece(&mut self) -> &'static str {
        let list = if self.below(2) == 0 { MARKUP } else { TEXT };
        list[self.below(list.len() as u64) as usize]
    }
}

/// What a document is made of: a beginning, one or two motifs, each as often as its share of the bytes asks for, an end.
#[derive(Clone, Debug)]
struct Recipe {
    kind: Kind,
    before: Option<&'static str>,
    motifs: Vec<Vec<&'static str>>,
    nested: bool,
    after: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Page,
    Section,
    Feed,
}

impl Recipe {
    fn new(random: &mut Random) -> Recipe {
        let kind = [Kind::Page, Kind::Page, Kind::Page, Kind::Page, Kind::Section, Kind::Feed]
            [random.below(6) as usize];
        let before = match kind {
            Kind::Feed => Some(
                ["<rss><channel>", "<feed>", "<urlset>", "{", "{\"items\":["]
                    [random.below(5) as usize],
            ),
            _ => [
                Some(ARTICLE),
                None,
                Some("<head>"),
                Some("<article><h1>Plant opens</h1>"),
                Some("<style>"),
            ][random.below(5) as usize],
        };
        let motif =
            |random: &mut Random| (0..=random.below(PIECES)).map(|_| random.piece()).collect();
        let motifs = (0..=random.below(3) / 2).map(|_| motif(random)).collect();
        let after = ["", "x", "</p>", ".", " Acme said so.", "</div>", "<p>The end.</p>"]
            [random.below(7) as usize];
        Recipe { kind, before, motifs, nested: random.below(3) == 0, after }
    }

    fn make(&self, bytes: usize) -> String {
        let mut made = self.before.unwrap_or("").to_owned();
        let mut ends: Vec<&str> = Vec::new();
        let mut numbers = 0..;
        for (nth, motif) in self.motifs.iter().enumerate() {
            while made.len() < bytes * (nth + 1) / self.motifs.len() {
                let number = numbers.next().unwrap_or(0).to_string();
                for piece in motif {
                    let (start, end) = piece.split_once('|').unwrap_or((piece, ""));
                    made.push_str(&start.replacen('#', &number, 4));
                    if self.nested {
                        ends.push(end);
                    } else {
                        made.push_str(end);
                    }
                }
            }
        }
        made.extend(ends.into_iter().rev());
        made.push_str(self.after);
        made
    }
}

fn main() {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let tries = number("CRAWLER_TRIES", 1_000);
    let mut random = Random(number("CRAWLER_SEED", 1));
    let model = Model::embedded();
    let brand = |name: &str| Brand { name: name.into(), whole_word: true, ..Brand::default() };
    let near = Brand {
        require: vec!["plant".into(), "word".into()],
        within: 20,
        exclude: vec!["Ann Archer".into()],
        ..brand("Acme")
    };
    let lexicon =
        Lexicon::build(&[near, brand("Reuters"), brand("Twitter"), brand("漢字")]).expect("brands");
    let take = |recipe: &Recipe, bytes: usize| {
        let text = recipe.make(bytes);
        let from = cpu();
        match recipe.kind {
            Kind::Page => {
                let hints =
                    Hints { url: Some("https://x.example/a/plant-opens"), ..Hints::default() };
                let found = extract::article(&text, &hints, &model, &Limits::default());
                std::hint::black_box(mentions(&lexicon, &found.article, "x.example"));
            }
            Kind::Section => {
                _ = std::hint::black_box(feed::section::parse(
                    &text,
                    "https://x.example/",
                    &feed::Settings::default(),
                ))
            }
            Kind::Feed => {
                _ = std::hint::black_box(feed::parse_text(
                    &text,
                    None,
                    "https://x.example/",
                    &feed::Settings::default(),
                ))
            }
        }
        cpu() - from
    };
    let mut found: Vec<(f64, f64, Recipe)> = Vec::new();
    let mut slowest: Vec<(f64, Recipe)> = Vec::new();
    for _ in 0..tries {
        let recipe = Recipe::new(&mut random);
        let long = take(&recipe, 4 * BYTES);
        slowest.push((long, recipe.clone()));
        if long < LEAST {
            continue;
        }
        let short = take(&recipe, BYTES);
        if long > FACTOR * short {
            println!("{:8.3} s, {:5.1} times, {recipe:?}", long, long / short);
            found.push((long, long / short, recipe));
        }
    }
    println!("\n{tries} documents, {} of them grow faster than their length", found.len());
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (time, recipe) in slowest.iter().take(25) {
        println!("{time:8.3} s {recipe:?}");
    }
}

fn cpu() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
