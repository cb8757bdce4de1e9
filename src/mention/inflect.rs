//! Bounded inflection: what a language may put before or behind a name without its becoming
//! another word. Endings behind an apostrophe or hyphen need no table: a name ends there anyway.
//!
//! | language | behind the name | before it | final letter replaced |
//! |---|---|---|---|
//! | de | -s -es -n -en -er -ern | | |
//! | en | -s -es | | |
//! | nl sv da nb no nn | -s -en -et -ens … | | |
//! | ru uk be bg | case endings | | -а -я -о -ь … by its endings |
//! | pl cs sk hr sr sl | case endings | | -a -o by its endings |
//! | fi et | case endings, with -i- behind consonants | | |
//! | hu tr az | case endings and plural | | |
//! | ar fa | -ها | ال و ف ب ك ل وال فال بال كال لل ولل | |
//! | he | | ה ו ב ל כ מ ש and pairs of them | |
//! | ko | particles | | |
//! | es pt it fr ro | -s -es; ro -ul -ului -lui | | |
//!
//! Must not know: brands, how names are searched for.

/// What one language accepts; all lower case.
#[derive(Debug)]
pub struct Inflection {
    languages: &'static [&'static str],
    /// Accepted directly behind the name.
    pub suffixes: &'static [&'static str],
    /// Accepted directly before the name.
    pub prefixes: &'static [&'static str],
    /// Names that end in the letter may show one of the endings in its place.
    stems: &'static [(char, &'static [&'static str])],
}

/// Letters that stay at least where the final one is replaced.
const STEM: usize = 3;

impl Inflection {
    /// What is left of `name`, its case kept, without its final letter, and what may stand in the place of that.
    pub fn stems<'a>(
        &self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'static [&'static str])> {
        let last = name.char_indices().next_back();
        self.stems.iter().filter_map(move |(letter, endings)| {
            let (at, _) = last.filter(|(_, c)| c.to_lowercase().eq([*letter]))?;
            let stem = name.get(..at).filter(|stem| stem.chars().count() >= STEM)?;
            Some((stem, *endings))
        })
    }

    /// Does it accept these letters before and behind a name, one of them or both?
    pub fn accepts(&self, before: &str, behind: &str) -> bool {
        (before.is_empty() || self.prefixes.contains(&before))
            && (behind.is_empty() || self.suffixes.contains(&behind))
    }

    /// All forms of `name` that it accepts, but the name itself.
    pub fn forms(&self, name: &str) -> Vec<String> {
        let plain = NOTHING.iter().chain(self.suffixes).map(|ending| (name, *ending));
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
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["en", "fr", "es", "pt", "it", "ca"],
        suffixes: &["s", "es"],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["nl", "sv", "da", "nb", "no", "nn"],
        suffixes: &["s", "en", "et", "ens", "ets", "er", "ene", "erne", "n", "ns", "t", "ts"],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["ru", "uk", "be", "bg"],
        suffixes: &[
            "а", "у", "ом", "ем", "е", "ы", "и", "ов", "ам", "ами", "ах", "і", "ові", "ам", "ів",
            "ът", "та", "то", "те", "я", "ю",
        ],
        prefixes: NONE,
        stems: &[
            ('а', &["ы", "и", "е", "у", "ой", "ою", "і"]),
            ('я', &["и", "е", "ю", "ей", "ею", "ї", "єю"]),
            ('ь', &["я", "ю", "ем", "е", "и", "ью", "і"]),
            ('й', &["я", "ю", "ем", "е", "и", "ї", "єм"]),
        ],
    },
    Inflection {
        languages: &["pl", "cs", "sk", "hr", "sr", "bs", "sl"],
        suffixes: &[
            "a", "u", "owi", "em", "iem", "ie", "y", "i", "e", "ów", "om", "ami", "ach", "ovi",
            "ům", "ech", "ů", "om", "ima", "ov", "oma",
        ],
        prefixes: NONE,
        stems: &[
            ('a', &["y", "i", "ie", "e", "ę", "ą", "o", "u", "ou", "ě", "om"]),
            ('o', &["a", "u", "em", "om", "ie", "ě"]),
        ],
    },
    Inflection {
        languages: &["fi", "et"],
        suffixes: &[
            "n", "in", "a", "ä", "ia", "iä", "ta", "tä", "ssa", "ssä", "issa", "issä", "sta",
            "stä", "ista", "istä", "lla", "llä", "illa", "illä", "lta", "ltä", "ilta", "iltä",
            "lle", "ille", "na", "nä", "ina", "inä", "ksi", "iksi", "iin", "aan", "ään", "oon",
            "een", "t", "it", "ien", "l", "il", "le", "ile", "st", "ist", "s", "is", "ga", "iga",
            "d", "id",
        ],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["hu"],
        suffixes: &[
            "t", "et", "ot", "at", "öt", "nak", "nek", "ban", "ben", "ba", "be", "ból", "ből",
            "ról", "ről", "tól", "től", "nál", "nél", "hoz", "hez", "höz", "ra", "re", "on", "en",
            "ön", "n", "val", "vel", "ért", "k", "ok", "ek", "ök", "ig", "ként", "nál",
        ],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["tr", "az"],
        suffixes: &[
            "ı", "i", "u", "ü", "yı", "yi", "yu", "yü", "nın", "nin", "nun", "nün", "ın", "in",
            "un", "ün", "a", "e", "ya", "ye", "da", "de", "ta", "te", "dan", "den", "tan", "ten",
            "la", "le", "yla", "yle", "lar", "ler",
        ],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["ar", "fa", "ur"],
        suffixes: &["ها"],
        prefixes: &[
            "ال", "و", "ف", "ب", "ك", "ل", "وال", "فال", "بال", "كال", "لل", "ولل", "وب", "ول",
            "فل",
        ],
        stems: &[],
    },
    Inflection {
        languages: &["he"],
        suffixes: NONE,
        prefixes: &[
            "ה", "ו", "ב", "ל", "כ", "מ", "ש", "וה", "וב", "ול", "ומ", "שה", "שב", "של", "מה", "כש",
        ],
        stems: &[],
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
        ],
        prefixes: NONE,
        stems: &[],
    },
    Inflection {
        languages: &["ro"],
        suffixes: &["ul", "ului", "lui", "i", "ei", "ii"],
        prefixes: NONE,
        stems: &[('a', &["ei", "ă"])],
    },
];
