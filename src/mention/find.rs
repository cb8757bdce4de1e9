//! Mentions in articles: where a brand is named, in which zone, and the rows that tallies sum.
//!
//! Must not know: how names are searched for, the store.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::calls::calls;
use super::credit::credits;
use super::fold::{fold, is_apostrophe, is_mark};
use super::letters::is_word;
use super::lexicon::{Hit, Lexicon, Scan, resolve};
use super::{density, sense};
use crate::model::{
    Article, ArticleRecord, Label, Mention, MentionRow, TITLE_UNSEEN, Zone, is_spaceless,
};

/// A text of the article with its place.
struct Passage<'a> {
    /// `None`: the metadata title.
    block: Option<u32>,
    text: &'a str,
    zone: Zone,
    scan: Scan,
}

/// All mentions in an article, in page order; a metadata title that no block shows comes first.
///
/// `outlet` is the registered domain it appeared at; its name at the end or beginning of a title
/// ("… | Example News") is no mention by the article and goes to the clutter. What is beyond the cap of
/// [`density`] is *stuffed*, what people have answered to be something else stands in its own zone.
pub fn mentions(lexicon: &Lexicon, article: &Article, outlet: &str) -> Vec<Mention> {
    let language = language(article);
    let mut passages = passages(article);
    for passage in &mut passages {
        passage.scan = lexicon.scan(passage.text, language.as_deref());
    }
    let required = required(lexicon, &passages);
    let mut found = Vec::new();
    for passage in passages {
        let Scan { mut names, required: near } = passage.scan;
        names.retain(|hit| match lexicon.brands().get(hit.brand) {
            Some(brand) if brand.require.is_empty() => true,
            Some(brand) if brand.within == 0 => required.get(hit.brand) == Some(&true),
            Some(brand) => is_near(passage.text, hit, &near, brand.within),
            None => false,
        });
        if names.is_empty() {
            continue;
        }
        let aside = match passage.zone {
            Zone::Title => vec![(parted(own_name(passage.text, article, outlet)), Zone::Clutter)],
            Zone::Lead | Zone::Body => {
                let folded = fold(passage.text);
                let credits = credits(passage.text, &folded);
                vec![(parted(credits), Zone::Credit), (calls(&folded), Zone::Clutter)]
            }
            _ => Vec::new(),
        };
        for hit in resolve(names) {
            let instead = aside.iter().find(|(ranges, _)| stands_in(hit.start, ranges));
            let (Some(brand), Some(matched), Ok(start), Ok(end)) = (
                lexicon.brands().get(hit.brand),
                passage.text.get(hit.start..hit.end),
                u32::try_from(hit.start),
                u32::try_from(hit.end),
            ) else {
                continue;
            };
            found.push(Mention {
                brand: brand.name.clone(),
                matched: matched.to_owned(),
                block: passage.block,
                start,
                end,
                zone: instead.map_or(passage.zone, |(_, zone)| *zone),
            });
        }
    }
    sense::decide(lexicon.judges(), article, outlet, &mut found);
    density::stop(&mut found, || counted_words(article));
    found
}

/// The texts of the article's title, lead and body: where mentions count.
pub fn counted(article: &Article) -> impl Iterator<Item = (Zone, &str)> {
    let passages = passages(article).into_iter();
    passages.filter(|passage| passage.zone.counted()).map(|passage| (passage.zone, passage.text))
}

/// The zone of each block, in page order: where a name that stands in it belongs.
pub fn zones(article: &Article) -> Vec<Zone> {
    let passages = passages(article).into_iter();
    passages.filter(|passage| passage.block.is_some()).map(|passage| passage.zone).collect()
}

/// Words in the zones that count.
fn counted_words(article: &Article) -> u32 {
    let counted = passages(article).into_iter().filter(|passage| passage.zone.counted());
    counted.fold(0, |sum, passage| sum.saturating_add(words(passage.text.chars(), u32::MAX)))
}

/// One row per brand that is mentioned at all, in the lexicon's order.
pub fn rows(lexicon: &Lexicon, record: &ArticleRecord, mentions: &[Mention]) -> Vec<MentionRow> {
    let language = language(&record.article);
    // By brand first: there may be thousands of them, few of which an article names.
    let mut named: HashMap<&str, Vec<Mention>> = HashMap::new();
    for mention in mentions {
        named.entry(&mention.brand).or_default().push(mention.clone());
    }
    let mut rows = Vec::new();
    for brand in lexicon.brands() {
        if named.is_empty() {
            break;
        }
        let Some(mentions) = named.remove(brand.name.as_str()) else { continue };
        let counted = mentions.iter().filter(|m| m.zone.counted()).count() as u32;
        rows.push(MentionRow {
            brand: brand.name.clone(),
            day: record.published.day,
            article: record.key,
            outlet: record.outlet.clone(),
            language: language.clone(),
            feed: record.feed,
            backlog: record.backlog,
            own_outlet: brand.outlets.iter().any(|o| o.eq_ignore_ascii_case(&record.outlet)),
            counted,
            suppressed: mentions.len() as u32 - counted,
            mentions,
        });
    }
    rows
}

fn zone(label: Label) -> Zone {
    match label {
        Label::Title | Label::Subtitle => Zone::Title,
        Label::Introduction => Zone::Lead,
        Label::Paragraph | Label::Heading => Zone::Body,
        Label::Caption => Zone::Caption,
        Label::Credit => Zone::Credit,
        Label::Comment => Zone::Comment,
        Label::Repeated => Zone::Repeated,
        // Whatever else stands on a page is not the article.
        _ => Zone::Clutter,
    }
}

fn passages(article: &Article) -> Vec<Passage<'_>> {
    let mut passages = Vec::with_capacity(article.blocks.len() + 1);
    let mut titles: HashSet<String> = HashSet::new();
    let shown = article.blocks.iter().any(|b| b.label == Label::Title);
    if let Some(title) = article.title.as_ref().filter(|_| !shown) {
        let text = title.value.as_str();
        titles.insert(fold(text).text);
        let unseen = article.signals.iter().any(|signal| signal == TITLE_UNSEEN);
        let zone = if unseen { Zone::Unseen } else { Zone::Title };
        passages.push(Passage { block: None, text, zone, scan: Scan::default() });
    }
    for (number, block) in (0u32..).zip(&article.blocks) {
        let mut zone = zone(block.label);
        // A title shown twice (page head and article head) is one title.
        if zone == Zone::Title && !titles.insert(fold(&block.text).text) {
            zone = Zone::Clutter;
        }
        let text = block.text.as_str();
        passages.push(Passage { block: Some(number), text, zone, scan: Scan::default() });
    }
    passages
}

/// Which brands' required words occur in the counted zones.
fn required(lexicon: &Lexicon, passages: &[Passage<'_>]) -> Vec<bool> {
    let mut seen = vec![false; lexicon.brands().len()];
    for passage in passages.iter().filter(|p| p.zone.counted()) {
        for hit in &passage.scan.required {
            if let Some(brand) = seen.get_mut(hit.brand) {
                *brand = true;
            }
        }
    }
    seen
}

/// Stretches as such that are sorted and do not overlap.
fn parted(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut parted: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match parted.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => parted.push(range),
        }
    }
    parted
}

/// Is a place in one of these, sorted and apart?
fn stands_in(at: usize, ranges: &[Range<usize>]) -> bool {
    let behind = ranges.partition_point(|range| range.end <= at);
    ranges.get(behind).is_some_and(|range| range.contains(&at))
}

/// Is one of the brand's required words at most `within` words away from the hit?
fn is_near(text: &str, hit: &Hit, required: &[Hit], within: u32) -> bool {
    // Sorted by brand and start: the nearest on either side are the neighbours of the hit's place.
    let place = required.partition_point(|r| (r.brand, r.start) < (hit.brand, hit.start));
    let own = |r: &&Hit| r.brand == hit.brand;
    let before = place.checked_sub(1).and_then(|i| required.get(i)).filter(own);
    let after = required.get(place).filter(own);
    let distance = |from: usize, to: usize| {
        let between = text.get(from..to).unwrap_or_default();
        // "Ford's car", "Ford™'s car": the "s" is of the name.
        let own = between.trim_start_matches(is_mark).strip_prefix(is_apostrophe);
        let own = own.and_then(|own| own.strip_prefix(['s', 'S']));
        let rest = own.filter(|rest| !rest.starts_with(|c| is_word(c) && !is_mark(c)));
        let apart = |c| if is_mark(c) { ' ' } else { c };
        words(rest.unwrap_or(between).chars().map(apart), within)
    };
    let left = before.map(|r| distance(r.end, hit.start));
    let right = after.map(|r| distance(hit.end, r.start));
    // Words between; next to each other is a distance of one.
    left.into_iter().chain(right).any(|between| between < within)
}

/// Counts words, at most `enough` of them; two characters of a spaceless script are one.
fn words(text: impl IntoIterator<Item = char>, enough: u32) -> u32 {
    let (mut count, mut halves, mut inside) = (0u32, 0u32, false);
    for c in text {
        if is_spaceless(c) {
            halves += 1;
            inside = false;
        } else {
            let word = is_word(c);
            count += u32::from(word && !inside);
            inside = word;
        }
        if count + halves / 2 >= enough {
            return enough;
        }
    }
    count + halves / 2
}

/// Separators between a title and the name of the outlet.
const SEPARATORS: &[&str] =
    &[" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", "｜", "_"];

/// Where a title names its outlet: its last or first part, if that is the site's name or the
/// outlet's domain, spelled with or without spaces and top-level domain.
fn own_name(title: &str, article: &Article, outlet: &str) -> Vec<Range<usize>> {
    let squeeze =
        |s: &str| -> String { fold(s).text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let site = article.site_name.as_ref().map(|s| squeeze(&s.value)).unwrap_or_default();
    let domain = squeeze(outlet);
    let label = squeeze(outlet.split('.').next().unwrap_or_default());
    let is_own = |part: &str| {
        let part = squeeze(part);
        !part.is_empty()
            && (part == site
                || part == domain
                || part == label
                // "BBC News" at bbc.co.uk: the label and one more common word.
                || label.len() >= 3
                    && part.strip_prefix(label.as_str()).is_some_and(|rest| {
                        ["news", "online", "com", "de", "tv", "sport", "live"].contains(&rest)
                    }))
    };
    let mut own = Vec::new();
    let last = SEPARATORS.iter().filter_map(|s| Some((title.rfind(s)?, s.len()))).max();
    if let Some((at, length)) = last
        && title.get(at + length..).is_some_and(is_own)
    {
        own.push(at..title.len());
    }
    let first = SEPARATORS.iter().filter_map(|s| title.find(s)).min();
    if let Some(at) = first
        && title.get(..at).is_some_and(is_own)
    {
        own.push(0..at);
    }
    own
}

/// The language that an article's mentions count under, the primary subtag in lower case: `de` of `de-AT`.
pub fn language(article: &Article) -> Option<String> {
    let declared = &article.language.as_ref()?.value;
    Some(declared.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::*;
    use proptest::prelude::*;

    fn brand(name: &str) -> Brand {
        Brand { name: name.into(), whole_word: true, ..Brand::default() }
    }

    fn meta(value: &str) -> Option<Found<String>> {
        Some(Found { value: value.into(), source: Source::Meta })
    }

    fn article(title: &str, blocks: &[(Label, &str)]) -> Article {
        Article {
            title: meta(title),
            authors: vec![],
            published: None,
            modified: None,
            language: meta("en"),
            canonical: None,
            site_name: meta("Harbour Post"),
            section: None,
            image: None,
            signals: vec![],
            page_type: PageType::Article,
            blocks: blocks
                .iter()
                .map(|(label, text)| Block {
                    text: (*text).into(),
                    label: *label,
                    probability: 1.0,
                })
                .collect(),
            text: String::new(),
            fallback: false,
            model: String::new(),
        }
    }

    fn zones(brands: &[Brand], article: &Article) -> Vec<(Option<u32>, Zone)> {
        let lexicon = Lexicon::build(brands).unwrap();
        let all = mentions(&lexicon, article, "harbourpost.example");
        all.into_iter().map(|m| (m.block, m.zone)).collect()
    }

    #[test]
    fn zone_comes_from_the_label() {
        for (label, zone) in [
            (Label::Title, Zone::Title),
            (Label::Subtitle, Zone::Title),
            (Label::Introduction, Zone::Lead),
            (Label::Paragraph, Zone::Body),
            (Label::Heading, Zone::Body),
            (Label::Caption, Zone::Caption),
            (Label::Credit, Zone::Credit),
            (Label::Comment, Zone::Comment),
            (Label::Author, Zone::Clutter),
            (Label::Date, Zone::Clutter),
            (Label::RelatedArticle, Zone::Clutter),
            (Label::None, Zone::Clutter),
            (Label::Repeated, Zone::Repeated),
        ] {
            let article = article("A ship", &[(label, "what Acme did")]);
            assert_eq!(zones(&[brand("Acme")], &article), [(Some(0), zone)], "{label:?}");
        }
    }

    #[test]
    fn a_title_counts_once() {
        fn check(title: &str, blocks: &[(Label, &str)], expect: &[(Option<u32>, Zone)]) {
            assert_eq!(zones(&[brand("Acme")], &article(title, blocks)), expect);
        }
        check("Acme grows", &[], &[(None, Zone::Title)]);
        check("Acme grows", &[(Label::Title, "Acme grows")], &[(Some(0), Zone::Title)]);
        check(
            "Acme grows",
            &[(Label::Title, "Acme grows"), (Label::Title, "ACME\u{a0}grows: Acme")],
            &[(Some(0), Zone::Title), (Some(1), Zone::Title)],
        );
        check(
            "x",
            &[(Label::Title, "Acme grows"), (Label::Title, "Acme\u{a0}grows")],
            &[(Some(0), Zone::Title), (Some(1), Zone::Clutter)],
        );
    }

    #[test]
    fn a_title_that_nobody_sees_does_not_count() {
        let unseen = |blocks: &[(Label, &str)]| {
            let signals = vec![TITLE_UNSEEN.to_owned()];
            let article = Article { signals, ..article("Acme grows", blocks) };
            zones(&[brand("Acme")], &article)
        };
        assert_eq!(unseen(&[]), [(None, Zone::Unseen)]);
        let text = [(Label::Paragraph, "what Acme did")];
        assert_eq!(unseen(&text), [(None, Zone::Unseen), (Some(0), Zone::Body)]);
    }

    /// As many credits as names: neither is looked for among all of the others.
    #[test]
    fn many_credits_take_linear_time() {
        let text = "(Reuters) ".repeat(300_000);
        let found = zones(&[brand("Reuters")], &article("", &[(Label::Paragraph, &text)]));
        assert!(!found.is_empty() && found.iter().all(|(_, zone)| *zone == Zone::Credit));
    }

    #[test]
    fn outlet_names_and_credits_do_not_count() {
        fn check(name: &str, title: &str, body: &str, expect: &[(Option<u32>, Zone)]) {
            let article = article(title, &[(Label::Paragraph, body)]);
            assert_eq!(zones(&[brand(name)], &article), expect, "{title:?} {body:?}");
        }
        check("Harbour Post", "Fire | Harbour Post", "", &[(None, Zone::Clutter)]);
        check("Harbour Post", "Harbour Post: fire", "", &[(None, Zone::Title)]);
        check("Acme", "Fire at Acme - HarbourPost", "", &[(None, Zone::Title)]);
        check(
            "Reuters",
            "x",
            "KIEL (Reuters) - It rains. Reuters grows.",
            &[(Some(0), Zone::Credit), (Some(0), Zone::Body)],
        );
        check("Acme", "x", "It rains. Photo: Acme", &[(Some(0), Zone::Credit)]);
    }

    #[test]
    fn required_words_decide() {
        fn check(within: u32, blocks: &[(Label, &str)], expect: usize) {
            let ford =
                Brand { require: vec!["car".into(), "Auto".into()], within, ..brand("Ford") };
            assert_eq!(zones(&[ford], &article("x", blocks)).len(), expect, "{within} {blocks:?}");
        }
        let far = [(Label::Paragraph, "Ford spoke of rain."), (Label::Paragraph, "A car came.")];
        check(0, &far, 1);
        check(5, &far, 0);
        check(0, &[(Label::Paragraph, "Ford spoke."), (Label::None, "car insurance")], 0);
        let near = [(Label::Paragraph, "Ford sells a car, and Ford rests far away from it.")];
        check(3, &near, 2);
        check(2, &near, 1);
        check(1, &near, 0);
        // The "s" was a word between them.
        for (text, expect) in
            [("Ford's car", 1), ("Ford’s car", 1), ("Ford＇s car", 1), ("Ford 'sold' a car", 0)]
        {
            check(1, &[(Label::Paragraph, text)], expect);
        }
        check(1, &[(Label::Paragraph, "FORD'S car")], 0);
        let text = "FORD'S CAR, FORD`S AUTO";
        let ford = Brand {
            case: CaseRule::Any,
            require: vec!["car".into(), "auto".into()],
            within: 1,
            ..brand("Ford")
        };
        assert_eq!(zones(&[ford], &article("x", &[(Label::Paragraph, text)])).len(), 2);
        // So was the number of a note.
        for text in [
            "Ford¹ car",
            "Ford ② car",
            "Fordⓡ car",
            "Ford™'s car",
            "Ford's¹ car",
            "Ford´s car",
            "Ford`s car",
            "Fordʼs car",
            "Ford¹²’s car",
            "car¹ Ford",
            "car ❸ Ford",
        ] {
            check(1, &[(Label::Paragraph, text)], 1);
        }
    }

    #[test]
    fn rows_add_up() {
        let acme = Brand { outlets: vec!["Acme.example".into()], ..brand("Acme") };
        let lexicon = Lexicon::build(&[brand("Zeta"), acme]).unwrap();
        let article =
            article("Acme", &[(Label::Paragraph, "Acme and Acme"), (Label::None, "Acme")]);
        let found = mentions(&lexicon, &article, "acme.example");
        let record = ArticleRecord {
            key: UrlKey(1),
            url: String::new(),
            final_url: String::new(),
            outlet: "acme.example".into(),
            feed: UrlKey(2),
            feed_title: None,
            backlog: true,
            first_seen: 0,
            fetched: 0,
            charset: (String::new(), String::new()),
            published: Published {
                at: 0,
                day: jiff::civil::date(1999, 1, 1),
                precision: Precision::Day,
                zone: ZoneSource::Assumed,
                source: Source::Feed,
                printed: None,
            },
            article,
            memory: None,
            sighting: Sighting::Open,
            agencies: None,
        };
        let rows = rows(&lexicon, &record, &found);
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        // Title and two in the body; the teaser is suppressed.
        assert_eq!((row.counted, row.suppressed, row.own_outlet, row.backlog), (3, 1, true, true));
        assert_eq!(row.mentions.len(), 4);
    }

    proptest! {
        #[test]
        fn offsets_slice_the_original(
            texts in prop::collection::vec("(\\PC|Acme|Café|Cafe\u{301}|[ |(©)-]|photo: ){0,20}", 1..6),
            title in "(\\PC|Acme| \\| ){0,10}",
        ) {
            let labels = [Label::Title, Label::Paragraph, Label::None, Label::Introduction];
            let blocks: Vec<(Label, &str)> =
                texts.iter().zip(labels.iter().cycle()).map(|(t, l)| (*l, t.as_str())).collect();
            let article = article(&title, &blocks);
            let lexicon = Lexicon::build(&[brand("Acme"), brand("Café")]).unwrap();
            for m in mentions(&lexicon, &article, "x.example") {
                let text = match m.block {
                    Some(block) => &article.blocks[block as usize].text,
                    None => &article.title.as_ref().unwrap().value,
                };
                let slice = text.get(m.start as usize..m.end as usize);
                prop_assert_eq!(slice, Some(m.matched.as_str()));
                prop_assert_eq!(fold(&m.matched).text, fold(&m.brand).text);
            }
        }
    }
}
