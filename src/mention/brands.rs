//! Brand lists as people write them: TOML with `[[brand]]` tables, or plain text with one name a
//! line; checked, and versioned by the hash of their content.
//!
//! Must not know: files and paths, the store.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fold::{fold, fold_cased, is_mark};
use super::lexicon::{Lexicon, LexiconError, case_matters, shown};
use crate::model::{Brand, BrandSet, Sense, hex, language_code, outlet_name, written_day};

/// Version of the matching rules (folding, boundaries, zones, inflection tables, credits, calls). Part
/// of every brand set's version: changed rules mean a recount. Whoever changes it looks at the layout of the index for
/// search, too, which folds and parts words alike.
const RULES: u32 = 6;

/// Why a brand list cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrandsError {
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    /// An empty file is a mistake more often than a wish.
    #[error("no brand is named here; to watch nothing, write `brand = []`")]
    Nothing,
    #[error(
        "its lines are numbered, and no text has a name with such a number: write one name a line and nothing else"
    )]
    Numbered,
    #[error(transparent)]
    Lexicon(#[from] LexiconError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    brand: Option<Vec<Brand>>,
}

/// Reads either form: a text with a line that opens a table or gives a key a value is TOML, so that a
/// slip in it is never watched as a brand; everything else is a list of names.
pub fn read(text: &str) -> Result<Vec<Brand>, BrandsError> {
    if is_toml(text) { read_toml(text) } else { read_list(text) }
}

fn is_toml(text: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-.\"'".contains(c);
    text.trim_start_matches('\u{feff}').lines().map(str::trim).any(|line| {
        let key = line.split_once('=').map(|(key, _)| key.trim_end());
        line.starts_with('[') || key.is_some_and(|key| !key.is_empty() && key.chars().all(bare))
    })
}

/// Can these brands be matched, and can what they are limited to be met? Asked of brands that are given: those
/// of a store stay in use, whatever later versions ask of them. One that is `watched` keeps its name, too, when it is
/// given anew: it is known by it.
pub fn check(brands: &[Brand], watched: &[Brand]) -> Result<(), LexiconError> {
    Lexicon::build(brands)?;
    let known: HashSet<&str> = watched.iter().map(|brand| brand.name.as_str()).collect();
    for brand in brands {
        let fault =
            |field, problem: String| LexiconError { brand: brand.name.clone(), field, problem };
        // Such a name looks like another's, and whoever means the one changes the other.
        let new = (!known.contains(&*brand.name)).then_some(&brand.name);
        let name = brand.name.trim();
        if new.is_some_and(|given| given != name) {
            return Err(fault("name", format!("begins or ends with a blank; write `{name}`")));
        }
        let (new, aliases, exclude) =
            (new.map_or(&[][..], std::slice::from_ref), &brand.aliases, &brand.exclude);
        for (field, words) in [("name", new), ("aliases", &aliases[..]), ("exclude", &exclude[..])]
        {
            if let Some(word) = words.iter().find(|word| word.contains(char::is_control)) {
                let problem = format!("{word:?} has a tab or another control character");
                return Err(fault(field, problem));
            }
            for word in words.iter().filter(|word| word.contains(is_mark)) {
                let left = fold_cased(word.trim_end_matches('*'));
                let left = left.trim();
                if left.chars().count() == 1 {
                    let problem = format!(
                        "`{word}` is looked for as `{left}`, without raised marks and digits in circles; write \
                         `{left}` if that is meant"
                    );
                    return Err(fault(field, problem));
                }
            }
        }
        for language in &brand.languages {
            language_code(language).map_err(|problem| fault("languages", problem))?;
        }
        for outlet in &brand.outlets {
            outlet_name(outlet).map_err(|problem| fault("outlets", problem))?;
        }
    }
    Ok(())
}

/// Reads `[[brand]]` tables; the keys are the fields of [`Brand`].
pub fn read_toml(text: &str) -> Result<Vec<Brand>, BrandsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file: File = toml::from_str(text).map_err(|e| {
        let before = e.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let problem = e.message().lines().collect::<Vec<_>>().join(" ");
        BrandsError::Line { line: before.matches('\n').count() + 1, problem }
    })?;
    let mut brands = file.brand.ok_or(BrandsError::Nothing)?;
    // As in a list.
    for brand in &mut brands {
        brand.name = brand.name.trim().to_owned();
    }
    check(&brands, &[])?;
    Ok(brands)
}

/// Does a line look like JSON, markup, a row of a table, an address, a line of a log or an item with its bullet?
/// Such a name would match nothing, and the brands that it stands for would be watched no more. `first`: nothing stands before it.
fn is_no_name(line: &str, first: bool) -> bool {
    const HEADINGS: [&str; 4] = ["name", "brand", "names", "brands"];
    let heading = || {
        let cell = line.split([',', ';', '\t']).next().unwrap_or_default();
        let cell = cell.trim_matches([' ', '"']);
        cell.len() < line.len() && HEADINGS.iter().any(|word| cell.eq_ignore_ascii_case(word))
    };
    let item = || ["- ", "* ", "+ ", "• ", "– ", "— "].iter().any(|mark| line.starts_with(mark));
    let dated = || line.get(..10).is_some_and(|day| written_day(day).is_ok());
    line.contains("://")
        || line.contains(';')
        || line.starts_with(['"', '{', '<'])
        || dated()
        || item()
        || first && heading()
}

/// Reads one name a line; empty lines and lines that begin with `#` are skipped.
pub fn read_list(text: &str) -> Result<Vec<Brand>, BrandsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut brands = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (line, name) in (1..).zip(text.lines().map(str::trim)) {
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        if let Some(first) = seen.insert(name, line) {
            let problem = format!("`{name}` stands on line {first} already");
            return Err(BrandsError::Line { line, problem });
        }
        if is_no_name(name, brands.is_empty()) {
            let problem = format!(
                "`{}` looks like JSON, markup, a table, an address, a log or an item of a list: write one \
                 name a line and nothing else; a file with [[brand]] is TOML and takes any name",
                shown(name)
            );
            return Err(BrandsError::Line { line, problem });
        }
        let brand = Brand { name: name.to_owned(), whole_word: true, ..Brand::default() };
        check(std::slice::from_ref(&brand), &[])
            .map_err(|e| BrandsError::Line { line, problem: e.to_string() })?;
        brands.push(brand);
    }
    // "1. FC Köln" is a name, where no second one follows.
    let numbered = |(n, brand): (usize, &Brand)| {
        let behind = brand.name.strip_prefix(n.to_string().as_str());
        behind.is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "))
    };
    if brands.len() > 1 && (1..).zip(&brands).all(numbered) {
        return Err(BrandsError::Numbered);
    }
    if brands.is_empty() { Err(BrandsError::Nothing) } else { Ok(brands) }
}

/// A name that counts for several brands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// As the first of them has it.
    pub name: String,
    pub brands: Vec<String>,
}

/// The names by which a word counts for more than one of these brands, as for `zenith` beside `Zenith`. That may be
/// meant, and is seldom. What else is asked of a brand (words near its name) is not looked at, nor lines in capitals, in
/// which `Zenith` and `ZENITH` are the same.
pub fn shared(brands: &[Brand]) -> Vec<Shared> {
    struct Named<'a> {
        brand: &'a Brand,
        name: &'a str,
        /// The folded letters in their case, if case matters.
        cased: Option<String>,
    }
    let mut alike: BTreeMap<String, Vec<Named<'_>>> = BTreeMap::new();
    for brand in brands {
        for name in std::iter::once(&brand.name).chain(&brand.aliases).map(|name| name.trim()) {
            let cased = fold_cased(name.trim_end_matches('*')).trim().to_owned();
            let cased = case_matters(brand.case, &cased).then_some(cased);
            alike.entry(letters(name)).or_default().push(Named { brand, name, cased });
        }
    }
    let mut shared = Vec::new();
    for names in alike.values() {
        // A name in any case meets all others, one in its own case those in the same.
        let any = names.iter().any(|named| named.cased.is_none());
        let mut cases: BTreeMap<Option<&str>, Vec<&Named<'_>>> = BTreeMap::new();
        for named in names {
            let case = named.cased.as_deref().filter(|_| !any);
            let same = cases.entry(case).or_default();
            if same.last().is_none_or(|last| last.brand.name != named.brand.name) {
                same.push(named);
            }
        }
        for mut same in cases.into_values() {
            let mut languages: HashMap<String, usize> = HashMap::new();
            for language in same.iter().flat_map(|named| &named.brand.languages) {
                *languages.entry(language.to_ascii_lowercase()).or_default() += 1;
            }
            let everywhere = same.iter().any(|named| named.brand.languages.is_empty());
            let meets = |language: &String| languages[&language.to_ascii_lowercase()] > 1;
            same.retain(|named| everywhere || named.brand.languages.iter().any(meets));
            if let [first, _, ..] = same.as_slice() {
                let brands = same.iter().map(|named| named.brand.name.clone()).collect();
                shared.push(Shared { name: first.name.to_owned(), brands });
            }
        }
    }
    shared
}

/// The names that these brands share, without those that all of them shared `before`.
pub fn newly_shared(brands: &[Brand], before: &[Brand]) -> Vec<Shared> {
    // By their letters: the brand may be gone that had the name as it was told.
    let mut known: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for Shared { name, brands } in shared(before) {
        known.entry(letters(&name)).or_default().push(brands);
    }
    let mut shared = shared(brands);
    shared.retain(|Shared { name, brands }| {
        let mut known = known.get(&letters(name)).into_iter().flatten();
        !known.any(|known| brands.iter().all(|brand| known.contains(brand)))
    });
    shared
}

/// The folded letters of a name, in no case.
fn letters(name: &str) -> String {
    fold(name.trim_end_matches('*')).text.trim().to_owned()
}

/// The version of a brand set: the first 16 hex digits of the SHA-256 of its canonical JSON
/// (brands by name, fields in the order of [`Brand`]), of what was answered about them, if anything, and
/// of the version of the matching rules.
/// Does not depend on the order of the brands.
pub fn version(brands: &[Brand], senses: &BTreeMap<String, Sense>) -> String {
    #[derive(Serialize)]
    struct Canonical<'a> {
        rules: u32,
        brands: Vec<&'a Brand>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        senses: &'a BTreeMap<String, Sense>,
    }
    let mut sorted: Vec<&Brand> = brands.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let json = serde_json::to_vec(&Canonical { rules: RULES, brands: sorted, senses })
        .expect("strings, numbers and booleans always have a JSON form");
    hex(&Sha256::digest(json)[..8])
}

/// Was this set counted by the matching rules of this program? Where nothing is watched, nothing was.
pub fn by_these_rules(set: &BrandSet) -> bool {
    set.brands.is_empty() || set.version == version(&set.brands, &set.senses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CaseRule;
    use proptest::prelude::*;

    fn written(brands: &[Brand]) -> String {
        toml::to_string(&BTreeMap::from([("brand", brands)])).unwrap()
    }

    #[test]
    fn both_forms_are_read() {
        let listed = read("\u{feff}# watch\nAcme\n\n  苹果  \nГазпром*\n").unwrap();
        let names: Vec<&str> = listed.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["Acme", "苹果", "Газпром*"]);
        assert!(listed.iter().all(|b| b.whole_word));
        let tables = read(
            "[[brand]] # one\nname = \"Acme\"\naliases = [\"ACME Ltd\"]\ncase = \"any\"\n\
             [[brand]]\nname = \"Zeta\"\nwhole_word = false\n",
        )
        .unwrap();
        assert_eq!(tables[0].aliases, ["ACME Ltd"]);
        assert_eq!((tables[0].case, tables[0].whole_word), (CaseRule::Any, true));
        assert!(!tables[1].whole_word);
        assert_eq!(read_toml(&written(&tables)), Ok(tables));
        assert_eq!(read("brand = []\n"), Ok(vec![]));
        assert_eq!(read_toml(&written(&[])), Ok(vec![]));
        // Neither a table nor a key with its value.
        let odd = read("Yahoo!\nA & B = C\nToys \"R\" Us\n").unwrap();
        assert_eq!(odd.len(), 3);
    }

    #[test]
    fn faults_name_line_or_brand() {
        fn check(text: &str, expect: &str) {
            let fault = read(text).unwrap_err().to_string();
            assert!(fault.contains(expect), "{fault}");
        }
        check("Acme\nZeta\nAcme\n", "line 3: `Acme` stands on line 1 already");
        check("Acme\n…\n", "line 2: brand `…`: name: `…` has no letter or digit");
        check("[[brand]]\nname = \"A\"\nalias = []\n", "line 3");
        check("[[brand]]\nname = \"A\"\nalias = []\n", "unknown field `alias`");
        check("[[brand]]\naliases = []\n", "missing field `name`");
        check("[[brand]]\nname = \"\"\n", "brand number 1 has no name");
        check("# ours\n[[brnad]]\nname = \"Acme\"\n", "line 2: unknown field `brnad`");
        check("\u{feff}[brand]\nname = \"Acme\"\n", "line 1: invalid type");
        check("x = 1\n", "line 1: unknown field `x`, expected `brand`");
        check("brands = [\"Acme\"]\n", "line 1: unknown field `brands`, expected `brand`");
        check("name=\"Acme\"\n", "line 1: unknown field `name`");
        check("[[brand]]\nname = \"A\"\nexclude = [\"\"]\n", "brand `A`: exclude:");
    }

    /// Such items were watched in place of the brands that they name.
    #[test]
    fn items_of_a_list_are_no_names() {
        for text in ["- Acme\n- Zeta\n", "Acme\n* Zeta\n", "• Acme\n", "– Acme\n"] {
            let fault = read(text).unwrap_err().to_string();
            assert!(fault.contains("an item of a list"), "{fault}");
        }
        assert_eq!(read("1. Acme\n2. Zeta\n"), Err(BrandsError::Numbered));
        assert_eq!(read("# ours\n1) Acme\n2) Zeta\n"), Err(BrandsError::Numbered));
        for text in ["1. FC Köln\n", "1. FC Köln\n3. Liga\n", "-Acme\n", "3M\n7-Eleven\n"] {
            assert!(read(text).is_ok(), "{text}");
        }
    }

    /// Each mention was counted for both, and nothing said so.
    #[test]
    fn names_that_count_for_several_brands_are_told() {
        fn check(list: &str, expect: &[(&str, &str)]) {
            let told = shared(&read(list).unwrap());
            let told: Vec<(String, String)> =
                told.into_iter().map(|s| (s.name, s.brands.join(" "))).collect();
            let told: Vec<_> = told.iter().map(|(name, who)| (&**name, &**who)).collect();
            assert_eq!(told, expect, "{list}");
        }
        let brand = |name: &str, fields: &str| format!("[[brand]]\nname = \"{name}\"\n{fields}\n");
        let two = |a: &str, b: &str| brand("A", a) + &brand("B", b);
        check("Zenith\nAcme\nzenith\n", &[("Zenith", "Zenith zenith")]);
        check("Pyatyorochka\nПятёрочка\nПятерочка\n", &[("Пятёрочка", "Пятёрочка Пятерочка")]);
        check("Acme*\nAcme\n", &[("Acme*", "Acme* Acme")]);
        // In their own case each is another word.
        check("Zenith\nZENITH\n", &[]);
        check("Zenith\nZENITH\nzenith\n", &[("Zenith", "Zenith ZENITH zenith")]);
        check(&two("aliases = [\"X\"]", "aliases = [\"X\"]"), &[("X", "A B")]);
        check(&two("aliases = [\"X\", \"x\"]", ""), &[]);
        check(&two("aliases = [\"X\"]", "aliases = [\"x\"]\ncase = \"exact\""), &[]);
        check(&two("aliases = [\"X\"]", "exclude = [\"X\"]"), &[]);
        let in_languages = |a: &str, b: &str| {
            let of = |l: &str| format!("aliases = [\"X\"]\nlanguages = [{l}]");
            two(&of(a), &of(b))
        };
        check(&in_languages("\"de\"", "\"fr\""), &[]);
        check(&in_languages("\"de\", \"FR\"", "\"fr\""), &[("X", "A B")]);
        check(&in_languages("\"de\"", ""), &[("X", "A B")]);
    }

    /// Who removed one of three was told of the other two as if they were new.
    #[test]
    fn names_that_were_shared_before_are_not_told_again() {
        fn check(before: &str, now: &str, expect: &[&str]) {
            let told = newly_shared(&read(now).unwrap(), &read(before).unwrap());
            let told: Vec<String> = told.into_iter().map(|s| s.brands.join(" ")).collect();
            assert_eq!(told, expect, "{before} → {now}");
        }
        check("Zenith\n", "Zenith\nzenith\n", &["Zenith zenith"]);
        check("Zenith\nzenith\n", "Zenith\nzenith\nAcme\n", &[]);
        check("Zenith\nzenith\nzeniTH\n", "Zenith\nzenith\n", &[]);
        check("Zenith\nzenith\nzeniTH\n", "zenith\nzeniTH\n", &[]);
        check("Zenith\nzenith\n", "Zenith\nzenith\nzeniTH\n", &["Zenith zenith zeniTH"]);
    }

    /// Three million letters were printed twice.
    #[test]
    fn a_message_repeats_the_beginning_of_a_long_name() {
        let fault = read(&"A".repeat(3_000)).unwrap_err().to_string();
        assert!(fault.starts_with("line 1: brand `AAA") && fault.len() < 250, "{fault}");
    }

    /// An empty list and one of comments were read as the wish to watch nothing.
    #[test]
    fn nothing_is_watched_only_where_that_is_said() {
        for text in ["", "\u{feff}", " \n\n", "# nothing\n"] {
            assert_eq!(read(text), Err(BrandsError::Nothing), "{text:?}");
            assert_eq!(read_toml(text), Err(BrandsError::Nothing), "{text:?}");
        }
    }

    /// Such a brand was watched, and counted nothing.
    #[test]
    fn what_no_article_can_meet_is_refused() {
        fn check(fields: &str, expect: &str) {
            let text = format!("[[brand]]\nname = \"A\"\n{fields}\n");
            let fault = read(&text).unwrap_err().to_string();
            assert!(fault.contains(expect), "{fault}");
        }
        check("languages = [\"zzz\"]", "languages: `zzz` is no language");
        check("languages = [\"English\"]", "languages: `English` is no language");
        check("languages = [\"de-AT\"]", "languages: `de-AT` is written `de`");
        check("languages = [\"nb\"]", "languages: `nb` is written `no`");
        check("outlets = [\"not a domain\"]", "outlets: `not a domain` is no outlet");
        check("outlets = [\"https://a.test/\"]", "outlets: `https://a.test/` is no outlet");
        check("outlets = [\"acme\"]", "outlets: `acme` is no outlet");
        check("outlets = [\"www.acme.example\"]", "`www.acme.example` belongs to `acme.example`");
        check("aliases = [\"B\\tC\"]", "aliases: \"B\\tC\" has a tab");
        let fault = read("[[brand]]\nname = \"A\\u0007\"\n").unwrap_err().to_string();
        assert!(fault.contains("control character"), "{fault}");
        check("aliases = [\"M³\"]", "aliases: `M³` is looked for as `M`, without raised marks");
        check("aliases = [\"M³*\"]", "aliases: `M³*` is looked for as `M`");
        check("exclude = [\"X™\"]", "exclude: `X™` is looked for as `X`");
        let good = "aliases = [\"M\", \"Acme²\"]\nlanguages = [\"de\", \"EN\", \"fil\"]\noutlets = [\"Acme.example\", \"127.0.0.1:80\", \
                    \"a.localhost:8080\"]";
        read(&format!("[[brand]]\nname = \"A\"\n{good}\n")).unwrap();
    }

    /// A twin of the brand was watched, and who removed the one removed the other.
    #[test]
    fn blanks_around_a_name_are_no_part_of_it() {
        for text in ["  Acme \n", "[[brand]]\nname = \" Acme\\u00a0\"\n"] {
            assert_eq!(read(text).unwrap()[0].name, "Acme", "{text}");
        }
        let given = Brand { name: "Acme ".into(), ..Brand::default() };
        let fault = super::check(&[given], &[]).unwrap_err().to_string();
        assert!(fault.contains("blank; write `Acme`"), "{fault}");
    }

    /// An answer of a server was watched as a brand.
    #[test]
    fn what_is_no_list_is_refused() {
        for line in ["{\"brands\": [\"Acme\"]}", "<html><body>502 Bad Gateway</body></html>"] {
            let fault = read(line).unwrap_err().to_string();
            assert!(fault.contains("line 1") && fault.contains("JSON, markup"), "{fault}");
        }
    }

    #[test]
    fn version_is_the_content() {
        let none = BTreeMap::new();
        let a = read("Acme\nZeta").unwrap();
        let b = read("# other\nZeta\nAcme").unwrap();
        assert_eq!(version(&a, &none), version(&b, &none));
        assert_eq!(version(&a, &none).len(), 16);
        assert_ne!(version(&a, &none), version(&a[..1], &none));
        let taught = BTreeMap::from([("Acme".to_owned(), Sense::default())]);
        assert_ne!(version(&a, &none), version(&a, &taught));
        // Pinned: stored sets are addressed by it.
        assert_eq!(version(&[], &none), "53e1d6b329953db1");
    }

    /// Texts that each rule has something to say about.
    const TEXTS: &[&str] = &[
        "HAMBURG (Reuters) – Acme² grew, said ACME’s boss. Photo: Jo Doe/Acme",
        "Acme builds ships. (AP) © 2026 Acme GmbH, (c) Jan van Acme",
        "We offer (a) tea, (b) milk and (c) Acme biscuits at noon.",
        "Follow us on Facebook and Instagram. Acme is on Facebook, too.",
        "Twitter: @acme",
        "Folgen Sie uns auf Instagram! Mehr lesen: Acme wächst",
        "Ford™'s car, a Ford ¹ ² ³ car, Ford and his many old friends' car",
        "Fords Autos; der Ford-Wagen. Fordt, Afford, FORD, ford",
        "Acme①, AcmeⓇ, Ａｃｍｅ, Ac\u{ad}me, Acmé, A\u{200b}cme, ＡＣＭＥ Ltd.",
        "Formula¹ and Formula 1, Apple Records and Apple",
        "в Газпроме, Газпрому, ГАЗПРОМ; Siemensin, Siemensille, TOYOTY, Toyota'da",
        "苹果公司和苹果。애플이 애플은 アップルの",
        "It raised $3M, says 3M; Acme`s boss. Пятерочка, بيبسى",
        "ACME GREW IN MAY, FORD SAYS IN ITS CAR. ПЯТЁРОЧКА",
        "【共同】Acme 사진=Acme, фото Acme. Foto de Acme",
    ];

    /// The rules changed, and nobody counted again what those of before had counted.
    #[test]
    fn the_rules_of_this_version_find_this() {
        use crate::mention::{calls, credit, fold, forms, inflect, is_word, mentions};
        use crate::model::credit as source;
        use crate::model::{Article, Block, Label, agency};
        let mut all = String::new();
        for c in ('\0'..='\u{ffff}').chain('\u{1f100}'..='\u{1f2ff}') {
            all += &fold_cased(&format!("a{c}b"));
            all += &fold::fold(c.encode_utf8(&mut [0; 4])).text;
            all.extend([is_mark(c), is_word(c)].map(|is| if is { '1' } else { '0' }));
        }
        let inflected = inflect::languages().map(str::to_owned).collect();
        let word = |name: &str| Brand { name: name.into(), whole_word: true, ..Brand::default() };
        let brands = [
            Brand { inflect: inflected, ..word("Toyota") },
            Brand { inflect: vec!["ru".into()], ..word("Газпром") },
            Brand { inflect: vec!["fi".into()], ..word("Siemens") },
            Brand { require: vec!["car".into(), "Auto".into()], within: 3, ..word("Ford") },
            Brand { exclude: vec!["Apple Records".into()], ..word("Apple") },
            Brand { case: CaseRule::Any, aliases: vec!["Acm*".into()], ..word("acme") },
            Brand { whole_word: false, aliases: vec!["애플".into()], ..word("苹果") },
            word("Formula 1"),
            word("3M"),
            word("Пятёрочка"),
            word("بيبسي"),
            word("Facebook"),
            word("Reuters"),
        ];
        let lexicon = Lexicon::build(&brands).unwrap();
        all += &format!("{:?}", brands.each_ref().map(forms));
        for text in TEXTS {
            let folded = fold::fold(text);
            let beside = (credit::credits(text, &folded), calls::calls(&folded));
            let block = Block { text: (*text).into(), label: Label::Paragraph, probability: 1.0 };
            let article = Article { blocks: vec![block], ..Article::default() };
            all += &format!("{beside:?} {:?}", mentions(&lexicon, &article, "post.example"));
        }
        all += &format!("{:?} {:?}", agency::AGENCIES, agency::UNRECORDED);
        all += &format!("{:?} {:?}", source::SOURCES, source::PICTURES);
        all += concat!(include_str!("calls.txt"), include_str!("notices.txt"));
        let hash = format!("{:x}", Sha256::digest(all));
        let says = "rules that have changed have another number: stores are counted again by it";
        assert_eq!((RULES, &hash[..16]), (6, "86f3927b459c1013"), "{says}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\\[\\[brand\\]\\]\n|name = \"a\"\n){0,20}") {
            let _ = read(&text);
        }
    }
}
