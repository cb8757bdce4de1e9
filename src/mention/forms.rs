//! The forms that a brand is matched by, one by one, for people who want to check a watch list.
//!
//! Must not know: how names are searched for; it spells out what is accepted.

use crate::model::Brand;

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
        for table in brand.inflect.iter().filter_map(|language| inflection(language)) {
            for suffix in table.suffixes {
                push(&mut forms, format!("{word}{suffix}"));
            }
            for prefix in table.prefixes {
                push(&mut forms, format!("{prefix}{word}"));
            }
            for (letter, endings) in table.stems {
                if let Some(stem) = word.strip_suffix(*letter) {
                    for ending in *endings {
                        push(&mut forms, format!("{stem}{ending}"));
                    }
                }
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
    use super::*;
    use crate::mention::Lexicon;

    #[test]
    fn every_form_is_matched() {
        for (name, language) in [("Volkswagen", "de"), ("Газпрома", "ru"), ("Nokia", "fi")]
        {
            let brand = Brand {
                name: name.into(),
                whole_word: true,
                inflect: vec![language.into()],
                ..Brand::default()
            };
            let listed = forms(&brand);
            assert!(listed.len() > 5, "{listed:?}");
            let lexicon = Lexicon::build(std::slice::from_ref(&brand)).unwrap();
            for form in listed {
                let text = format!("x {form} y");
                assert_eq!(lexicon.scan(&text, Some(language)).names.len(), 1, "{form}");
            }
        }
    }
}
