//! The forms that a brand is matched by, one by one, for people who want to check a watch list.
//!
//! Must not know: how names are searched for; it spells out what is accepted.

use crate::model::Brand;

use super::fold::fold_cased;
use super::inflect::inflection;

/// Name and aliases of a brand with the inflections of its languages. A `*` at the end stands for
/// any ending; possessives and hyphenated compounds match without being listed.
pub fn forms(brand: &Brand) -> Vec<String> {
    let mut forms = Vec::new();
    for word in std::iter::once(&brand.name).chain(&brand.aliases) {
        push(&mut forms, word.clone());
        if word.ends_with('*') {
            continue;
        }
        // What folding leaves out of it does not stand before an ending.
        let folded = fold_cased(word);
        for table in brand.inflect.iter().filter_map(|language| inflection(language)) {
            for form in table.forms(folded.trim()) {
                push(&mut forms, form);
            }
        }
    }
    forms
}

fn push(forms: &mut Vec<String>, form: String) {
    if !forms.contains(&form) {
        forms.push(form);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::mention::Lexicon;
    use crate::mention::fold::fold;
    use crate::mention::inflect;
    use crate::model::CaseRule;

    /// "Kię" of "Kia" was listed and not accepted, "الأبلها" accepted and not listed.
    #[test]
    fn exactly_the_forms_that_are_listed_are_matched() {
        for (name, language, case) in [
            ("Volkswagen", "de", CaseRule::Smart),
            ("Газпрома", "ru", CaseRule::Smart),
            ("Nokia", "fi", CaseRule::Smart),
            ("NESTE", "fi", CaseRule::Any),
            ("Metsö", "fi", CaseRule::Smart),
            ("Tesco", "hu", CaseRule::Smart),
            ("Siemens", "hu", CaseRule::Smart),
            ("TELEKOM", "hu", CaseRule::Exact),
            ("Netflix", "hu", CaseRule::Smart),
            ("Voß", "hu", CaseRule::Any),
            ("İş Bankası", "tr", CaseRule::Any),
            ("Arma", "tr", CaseRule::Smart),
            ("Microsoft", "pl", CaseRule::Smart),
            ("Sazka", "cs", CaseRule::Smart),
            ("삼성전자", "ko", CaseRule::Smart),
            ("Kia", "pl", CaseRule::Smart),
            ("Toyota", "pl", CaseRule::Exact),
            ("TOYOTA", "pl", CaseRule::Any),
            ("TOYOTA", "pl", CaseRule::Smart),
            ("Acme™", "en", CaseRule::Smart),
            ("أبل", "ar", CaseRule::Smart),
        ] {
            let brand = Brand {
                name: name.into(),
                case,
                whole_word: true,
                inflect: vec![language.into()],
                ..Brand::default()
            };
            let listed = forms(&brand);
            assert!(listed.len() > 2, "{listed:?}");
            let lexicon = Lexicon::build(std::slice::from_ref(&brand)).unwrap();
            let matched = |form: &str| {
                let text = format!("x {form} y");
                let names = lexicon.scan(&text, Some(language)).names;
                let whole = fold_cased(form);
                let is = |part: &str| fold_cased(part) == whole.trim();
                names.iter().any(|hit| text.get(hit.start..hit.end).is_some_and(is))
            };
            for form in &listed {
                assert!(matched(form), "{form}");
            }
            let key = |form: &str| match case {
                CaseRule::Any => fold(form).text,
                _ => fold_cased(form).replace('ı', "i"),
            };
            // Whatever any table puts before it, behind it, or in the place of its last letters.
            let folded = fold_cased(name);
            let folded = folded.trim();
            let all = listed.iter().map(String::as_str).chain([folded]);
            let alike: HashSet<String> = all.map(key).collect();
            let shorter = |by: usize| {
                let cut = folded.char_indices().rev().nth(by - 1);
                cut.map_or(folded, |(at, _)| &folded[..at])
            };
            let tables: Vec<_> = inflect::languages().filter_map(inflection).collect();
            let endings = tables.iter().flat_map(|table| {
                let replaced = table.replaced.iter().flat_map(|(_, endings)| *endings);
                table.suffixes.iter().chain(table.doubled).chain(replaced)
            });
            let endings: Vec<&str> = endings.copied().chain([""]).collect();
            let prefixes = tables.iter().flat_map(|table| table.prefixes).copied().chain([""]);
            for prefix in prefixes {
                for stem in [folded, shorter(1), shorter(2)] {
                    for ending in &endings {
                        let form = format!("{prefix}{stem}{ending}");
                        let known = alike.contains(&key(&form));
                        assert_eq!(matched(&form), known, "{form} of {name}");
                    }
                }
            }
        }
    }
}
