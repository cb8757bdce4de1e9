//! Bounded inflection: what a language may put before or behind a name without its becoming
//! another word. Endings behind an apostrophe or hyphen need no table: a name ends there anyway.
//!
//! | language | behind the name | before it | its last letters replaced |
//! |---|---|---|---|
//! | de | -s -es -n -en -er -ern | | |
//! | en | -s -es | | |
//! | nl sv da nb no nn | -s -en -et -ens … | | |
//! | ru uk be bg | case endings | | -а -я -о -ь … by its endings; -ка -га -ха by -ці -зі -сі |
//! | pl cs sk hr sr sl | case endings, Serbian in either script | | -a -o -e by its endings; -at -ft -ka -ga … as they soften |
//! | fi et | case endings, with -i- behind consonants and -e- behind -e; the last vowel doubled, with -n | | |
//! | hu | case endings, with the name's last consonant for the -v- of -val | | -a -e -o lengthened, with an ending; -sz -x with -val |
//! | tr az | case endings and plural | | -sı -ları … with -nı |
//! | ar fa | -ها -هاي | ال و ف ب ك ل وال فال بال كال لل ولل | |
//! | he | | ה ו ב ל כ מ ש and pairs of them | |
//! | ko | particles, and pairs of them that make no other word of a name | | |
//! | es pt it fr ro | -s -es; ro -ul -ului -lui | | |
//!
//! Must not know: brands, how names are searched for.

use super::fold::fold;

/// What one language accepts; all folded.
#[derive(Debug)]
pub struct Inflection {
    languages: &'static [&'static str],
    /// Accepted directly behind the name.
    pub suffixes: &'static [&'static str],
    /// Those that double the name's last letter: accepted behind the letter that they begin with.
    pub doubled: &'static [&'static str],
    /// Accepted directly before the name.
    pub prefixes: &'static [&'static str],
    /// Names that end in the letters may show one of the endings in their place.
    pub replaced: &'static [(&'static str, &'static [&'static str])],
}

/// Letters that stay at least where the last ones are replaced.
const STEM: usize = 3;

impl Inflection {
    /// What is left of `name`, its case kept, without its last letters, and what may stand in the place of these.
    pub fn stems<'a>(
        &self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'static [&'static str])> {
        self.replaced.iter().filter_map(move |(letters, endings)| {
            let (at, _) = name.char_indices().rev().nth(letters.chars().count() - 1)?;
            let (stem, last) = name.split_at(at);
            let is = last.chars().flat_map(char::to_lowercase).eq(letters.chars());
            (is && stem.chars().count() >= STEM).then_some((stem, *endings))
        })
    }

    /// Does it accept these letters before and behind a name that ends in `last`, one of them or both?
    pub fn accepts(&self, before: &str, last: Option<char>, behind: &str) -> bool {
        (before.is_empty() || self.prefixes.contains(&before))
            && (behind.is_empty()
                || self.suffixes.contains(&behind)
                || last.is_some_and(|last| behind.starts_with(last))
                    && self.doubled.contains(&behind))
    }

    /// All forms of `name` that it accepts, but the name itself.
    pub fn forms(&self, name: &str) -> Vec<String> {
        let last = fold(name).text.chars().next_back();
        let doubled = self.doubled.iter().filter(|e| last.is_some_and(|last| e.starts_with(last)));
        let plain = NOTHING.iter().chain(self.suffixes).chain(doubled);
        let plain = plain.map(|ending| (name, *ending));
        let replaced = self
            .stems(name)
            .flat_map(|(stem, endings)| endings.iter().map(move |ending| (stem, *ending)));
        let written: Vec<(&str, &str)> = plain.chain(replaced).collect();
        let prefixes = NOTHING.iter().chain(self.prefixes);
        let all = prefixes.flat_map(|prefix| {
            written.iter().map(move |(stem, ending)| format!("{prefix}{stem}{ending}"))
        });
        all.skip(1).collect()
    }
}

/// Longest accepted run of letters before or behind a name, in characters.
pub const LONGEST: usize = 8;

/// The table of `language` (primary subtag), if there is one.
pub fn inflection(language: &str) -> Option<&'static Inflection> {
    TABLE.iter().find(|i| i.languages.contains(&language))
}

/// All languages that have a table, for error messages.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TABLE.iter().flat_map(|i| i.languages.iter().copied())
}

const NONE: &[&str] = &[];
const NOTHING: &[&str] = &[""];

const TABLE: &[Inflection] = &[
    Inflection {
        languages: &["de"],
        suffixes: &["s", "es", "n", "en", "er", "ern"],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[],
    },
    Inflection {
        languages: &["en", "fr", "es", "pt", "it", "ca"],
        suffixes: &["s", "es"],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[],
    },
    Inflection {
        languages: &["nl", "sv", "da", "nb", "no", "nn"],
        suffixes: &["s", "en", "et", "ens", "ets", "er", "ene", "erne", "n", "ns", "t", "ts"],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[],
    },
    Inflection {
        languages: &["ru", "uk", "be", "bg"],
        suffixes: &[
            "а", "у", "ом", "ем", "е", "ы", "и", "ов", "ам", "ами", "ах", "і", "ові", "ам", "ів",
            "ът", "та", "то", "те", "я", "ю",
        ],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[
            ("а", &["ы", "и", "е", "у", "ой", "ою", "і"]),
            ("я", &["и", "е", "ю", "ей", "ею", "ї", "єю", "і"]),
            ("ь", &["я", "ю", "ем", "е", "и", "ью", "і"]),
            ("й", &["я", "ю", "ем", "е", "и", "ї", "єм"]),
            ("ка", &["ці"]),
            ("га", &["зі"]),
            ("ха", &["сі"]),
        ],
    },
    Inflection {
        languages: &["pl", "cs", "sk", "hr", "sr", "bs", "sl"],
        suffixes: &[
            "a", "u", "owi", "em", "iem", "ie", "y", "i", "e", "ów", "om", "ami", "ach", "ovi",
            "ům", "ech", "ů", "om", "ima", "ov", "oma", "ě", "zie", "ze", "а", "у", "ом", "ем",
            "е", "и", "ов", "има",
        ],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[
            ("a", &["y", "i", "ie", "e", "ę", "ą", "o", "u", "ou", "ě", "om", "zie", "ze"]),
            ("o", &["a", "u", "em", "om", "ie", "ě"]),
            ("e", &["u", "em", "ovi", "owi"]),
            ("at", &["acie"]),
            ("et", &["ecie"]),
            ("ft", &["fcie"]),
            ("lt", &["lcie"]),
            ("ta", &["cie"]),
            ("ia", &["ií"]),
            ("ka", &["ce", "ci"]),
            ("ga", &["dze", "ze", "zi"]),
            ("а", &["е", "и", "у", "о", "ом"]),
            ("ка", &["ци"]),
            ("га", &["зи"]),
        ],
    },
    Inflection {
        languages: &["fi", "et"],
        suffixes: &[
            "n", "in", "a", "ä", "ia", "iä", "ta", "tä", "tta", "ttä", "ssa", "ssä", "issa",
            "issä", "sta", "stä", "ista", "istä", "lla", "llä", "illa", "illä", "lta", "ltä",
            "ilta", "iltä", "lle", "ille", "na", "nä", "ina", "inä", "ksi", "iksi", "iin", "t",
            "it", "ien", "i", "l", "il", "lt", "ilt", "le", "ile", "st", "ist", "s", "is", "sse",
            "isse", "ks", "iks", "ga", "iga", "d", "id",
        ],
        doubled: &[
            "an", "än", "en", "on", "ön", "un", "yn", "eseen", "essa", "essä", "esta", "estä",
            "ella", "ellä", "elta", "eltä", "elle",
        ],
        prefixes: NONE,
        replaced: &[],
    },
    Inflection {
        languages: &["hu"],
        suffixes: &[
            "t", "et", "ot", "at", "öt", "nak", "nek", "ban", "ben", "ba", "be", "ból", "ből",
            "ról", "ről", "tól", "től", "nál", "nél", "hoz", "hez", "höz", "ra", "re", "on", "en",
            "ön", "n", "val", "vel", "ért", "é", "k", "ok", "ek", "ök", "ig", "ként",
        ],
        doubled: &[
            "bal", "bel", "dal", "del", "fal", "fel", "gal", "gel", "kal", "kel", "lal", "lel",
            "mal", "mel", "nal", "nel", "pal", "pel", "ral", "rel", "sal", "sel", "szal", "szel",
            "tal", "tel", "zal", "zel",
        ],
        prefixes: NONE,
        replaced: &[
            ("sz", &["sszal", "sszel"]),
            ("x", &["xszal", "xszel"]),
            (
                "a",
                &[
                    "át", "ának", "ával", "ában", "ába", "ából", "án", "ára", "áról", "ától",
                    "ánál", "ához", "áig", "áért", "áé", "ák", "áként",
                ],
            ),
            (
                "e",
                &[
                    "ét", "ének", "ével", "ében", "ébe", "éből", "én", "ére", "éről", "étől",
                    "énél", "éhez", "éig", "éért", "éé", "ék", "éként",
                ],
            ),
            (
                "o",
                &[
                    "ót", "ónak", "óval", "óban", "óba", "óból", "ón", "óra", "óról", "ótól",
                    "ónál", "óhoz", "óig", "óért", "óé", "ók", "óként",
                ],
            ),
        ],
    },
    Inflection {
        languages: &["tr", "az"],
        suffixes: &[
            "ı", "i", "u", "ü", "yı", "yi", "yu", "yü", "nın", "nin", "nun", "nün", "ın", "in",
            "un", "ün", "a", "e", "ya", "ye", "da", "de", "ta", "te", "dan", "den", "tan", "ten",
            "la", "le", "yla", "yle", "lar", "ler", "ə", "yə", "də", "dən", "lə", "lər",
        ],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[
            // Folded, too.
            ("sı", &["sını", "sini"]),
            ("si", &["sini"]),
            ("su", &["sunu"]),
            ("sü", &["sünü"]),
            ("ları", &["larını", "larini"]),
            ("leri", &["lerini"]),
        ],
    },
    Inflection {
        languages: &["ar", "fa", "ur"],
        suffixes: &["ها", "هاي"],
        doubled: NONE,
        prefixes: &[
            "ال", "و", "ف", "ب", "ك", "ل", "وال", "فال", "بال", "كال", "لل", "ولل", "وب", "ول",
            "فل",
        ],
        replaced: &[],
    },
    Inflection {
        languages: &["he"],
        suffixes: NONE,
        doubled: NONE,
        prefixes: &[
            "ה", "ו", "ב", "ל", "כ", "מ", "ש", "וה", "וב", "ול", "ומ", "שה", "שב", "של", "מה", "כש",
        ],
        replaced: &[],
    },
    Inflection {
        languages: &["ko"],
        suffixes: &[
            "은",
            "는",
            "이",
            "가",
            "을",
            "를",
            "의",
            "에",
            "와",
            "과",
            "도",
            "로",
            "으로",
            "에서",
            "에게",
            "만",
            "까지",
            "부터",
            "이나",
            "나",
            "라는",
            "이라는",
            "에는",
            "에도",
            "측은",
            "측이",
            "측",
            "엔",
            "에만",
            "에선",
            "에서는",
            "에서도",
            "에서의",
            "에서만",
            "에겐",
            "에게는",
            "에게도",
            "에게서",
            "께서",
            "한테",
            "로는",
            "로도",
            "로서",
            "로써",
            "로부터",
            "으로는",
            "으로도",
            "으로서",
            "으로써",
            "으로부터",
            "와는",
            "와도",
            "와의",
            "과는",
            "과도",
            "과의",
            "만이",
            "만은",
            "만을",
            "만의",
            "까지도",
            "까지는",
            "부터는",
            "처럼",
            "보다",
            "보다는",
            "마저",
            "조차",
            "마다",
            "하고",
            "라고",
            "라며",
            "이라고",
            "이라며",
            "이며",
            "이고",
            "이지만",
            "이다",
            "측의",
            "측에",
            "측과",
            "측도",
            "측에서",
        ],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[],
    },
    Inflection {
        languages: &["ro"],
        suffixes: &["ul", "ului", "lui", "i", "ei", "ii"],
        doubled: NONE,
        prefixes: NONE,
        replaced: &[("a", &["ei", "ă"])],
    },
];
