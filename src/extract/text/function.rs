//! Function words: 90 to 140 for each of [`LANGUAGES`], selected by us.
//!
//! The criterion: a word that belongs to grammar and not to a subject (article, pronoun, preposition,
//! conjunction, auxiliary, particle, and adverbs of place and question), in the forms that are common
//! in news. None that names a page of a site in that language ("about", "more", "más", "suche"), for a
//! list of links must not look like running text. All lists are of comparable size, so that one bound
//! on the ratio of stop words (Ziegler & Skubacz 2007 §3.3) means the same in each language.
//!
//! Not read by the deployed model: its trees count the words of `stop`, and trees trained with these were no
//! better (docs/trials.md).
//!
//! Must not know: pages, features.

use std::sync::OnceLock;

use super::stop::{LANGUAGES, Table};

/// Words by language, separated by white space.
const LISTS: [(&str, &str); 38] = [
    ("ar", include_str!("function/ar.txt")),
    ("bg", include_str!("function/bg.txt")),
    ("ca", include_str!("function/ca.txt")),
    ("cs", include_str!("function/cs.txt")),
    ("da", include_str!("function/da.txt")),
    ("de", include_str!("function/de.txt")),
    ("el", include_str!("function/el.txt")),
    ("en", include_str!("function/en.txt")),
    ("es", include_str!("function/es.txt")),
    ("et", include_str!("function/et.txt")),
    ("fa", include_str!("function/fa.txt")),
    ("fi", include_str!("function/fi.txt")),
    ("fr", include_str!("function/fr.txt")),
    ("he", include_str!("function/he.txt")),
    ("hi", include_str!("function/hi.txt")),
    ("hr", include_str!("function/hr.txt")),
    ("hu", include_str!("function/hu.txt")),
    ("id", include_str!("function/id.txt")),
    ("it", include_str!("function/it.txt")),
    ("ja", include_str!("function/ja.txt")),
    ("ko", include_str!("function/ko.txt")),
    ("lt", include_str!("function/lt.txt")),
    ("lv", include_str!("function/lv.txt")),
    ("nl", include_str!("function/nl.txt")),
    ("no", include_str!("function/no.txt")),
    ("pl", include_str!("function/pl.txt")),
    ("pt", include_str!("function/pt.txt")),
    ("ro", include_str!("function/ro.txt")),
    ("ru", include_str!("function/ru.txt")),
    ("sk", include_str!("function/sk.txt")),
    ("sl", include_str!("function/sl.txt")),
    ("sv", include_str!("function/sv.txt")),
    ("th", include_str!("function/th.txt")),
    ("tr", include_str!("function/tr.txt")),
    ("uk", include_str!("function/uk.txt")),
    ("ur", include_str!("function/ur.txt")),
    ("vi", include_str!("function/vi.txt")),
    ("zh", include_str!("function/zh.txt")),
];

/// The one table, built at first use; bits as in [`LANGUAGES`].
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        Table::new(LISTS.iter().flat_map(|(language, words)| {
            let bit = LANGUAGES.iter().position(|l| l == language);
            bit.into_iter().flat_map(|bit| words.split_whitespace().map(move |word| (bit, word)))
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{count, is_spaceless, is_word, language, stats};
    use super::*;

    /// What navigation says, in any language.
    const NAVIGATION: &str = "home page more click about help search contact www menu login mehr seite \
        suche hilfe kontakt plus accueil aide más inicio ayuda più altro cerca início ajuda \
        meer zoeken mer sök flere søk więcej szukaj pomoc více hledat главная поиск ещё головна пошук \
        περισσότερα αρχική αναζήτηση daha ana ara hakkında beranda cari lagi المزيد الرئيسية بحث 首页 更多 \
        搜索 もっと 検索 더보기 검색 acasă caută kezdőlap keresés több etusivu haku lisää trang chủ tìm thêm \
        ค้นหา หน้าแรก בית חיפוש עוד начало търсене още početna pretraga više domov hľadať viac domov \
        iskanje več pradžia paieška daugiau sākums meklēt vairāk avaleht otsi rohkem inici cerca més خانه \
        جستجو بیشتر होम खोज ہوم تلاش مزید";

    #[test]
    fn lists_are_of_comparable_size_and_of_function_words_only() {
        let navigation: Vec<&str> = NAVIGATION.split_whitespace().collect();
        let mut listed = LISTS.map(|(language, _)| language);
        let mut all = LANGUAGES;
        all.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, all);
        for (language, list) in LISTS {
            let mut words: Vec<&str> = list.split_whitespace().collect();
            assert!((90..=140).contains(&words.len()), "{language}: {} words", words.len());
            for word in &words {
                assert_eq!(word.to_lowercase(), **word, "{language}: not in small letters");
                assert!(word.chars().all(|c| is_word(c) && !c.is_numeric()), "{language}: {word}");
                assert!(!navigation.contains(word), "{language}: {word} is navigation");
                // Longer ones are not looked for in a script without spaces.
                assert!(!word.starts_with(is_spaceless) || word.chars().count() <= 4, "{word}");
            }
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count, "{language}: a word stands twice");
        }
    }

    #[test]
    fn a_list_of_links_is_no_running_text() {
        let links = "Home About Help More";
        for list in [links, "Startseite Mehr Suche Hilfe Kontakt", "首页 更多 搜索"] {
            assert_eq!(count::by(table(), list, &[]).stop_ratio(), 0.0, "{list}");
        }
        assert_eq!(stats(links, &[]).stop_ratio(), f32::INFINITY);
    }

    #[test]
    fn every_language_knows_its_own_sentence() {
        for (expect, text) in [
            ("ar", "قال الوزير إن هذا القرار الذي صدر في العاصمة كان قد تأخر منذ عام"),
            ("cs", "Vláda se na tom dohodla už včera, ale nový zákon bude platit až od ledna"),
            ("da", "Regeringen har sagt, at den ikke vil ændre loven, før det er for sent"),
            ("de", "Die Regierung hat gesagt, dass sie das Gesetz nicht ändern will"),
            ("el", "Η κυβέρνηση είπε ότι δεν θα αλλάξει τον νόμο που ψήφισε η βουλή"),
            ("en", "The government said that it would not change the law of the land"),
            ("es", "El gobierno dijo que no va a cambiar la ley de este año"),
            ("fr", "Le gouvernement a dit qu'il ne va pas changer la loi de cette année"),
            ("id", "Pemerintah mengatakan bahwa mereka tidak akan mengubah undang-undang ini"),
            ("it", "Il governo ha detto che non cambia la legge di questo paese"),
            ("ja", "政府はこの法律を変えることはないと述べた"),
            ("ko", "정부는 이 법을 바꾸지 않을 것이라고 그 자리에서 다시 밝혔다"),
            ("nl", "De regering heeft gezegd dat zij de wet niet zal veranderen"),
            ("no", "Regjeringen har sagt at den ikke vil endre loven, men hva nå"),
            ("pl", "Rząd powiedział, że nie będzie zmieniać ustawy, która jest już w sejmie"),
            ("pt", "O governo disse que não vai mudar a lei que foi aprovada pelo senado"),
            ("ru", "Правительство сказало, что оно не будет менять закон, который был принят"),
            ("sv", "Regeringen har sagt att den inte ska ändra lagen som är från i år"),
            ("tr", "Hükümet bu yasayı değiştirmek için bir karar almadı ve bunu da söyledi"),
            ("uk", "Уряд сказав, що він не буде змінювати закон, який був ухвалений"),
            ("bg", "Правителството каза, че няма да промени закона, който беше приет"),
            ("ca", "El govern va dir que no canviarà la llei que és d'aquest any"),
            ("et", "Valitsus ütles, et see seadus ei ole veel muutunud ja on kehtiv"),
            ("fa", "دولت گفت که این قانون را تغییر نمی دهد و آن را برای مردم نگه می دارد"),
            ("fi", "Hallitus sanoi, että se ei muuta lakia, joka on ollut voimassa jo vuosia"),
            ("he", "הממשלה אמרה כי היא לא תשנה את החוק של המדינה"),
            ("hi", "सरकार ने कहा कि वह इस कानून को नहीं बदलेगी और यह लागू रहेगा"),
            (
                "hr",
                "Vlada je rekla da neće mijenjati zakon koji je već na snazi, ali tko zna što će biti",
            ),
            ("hu", "A kormány azt mondta, hogy nem változtatja meg ezt a törvényt, mert az jó"),
            ("lt", "Vyriausybė sakė, kad šis įstatymas nebus keičiamas, nes jis yra geras"),
            ("lv", "Valdība teica, ka šis likums netiks mainīts, jo tas ir labs un arī jauns"),
            ("ro", "Guvernul a spus că nu va schimba legea care este în vigoare din acest an"),
            ("sk", "Vláda povedala, že tento zákon nebude meniť, pretože je dobrý, ale čo ďalej"),
            ("sl", "Vlada je dejala, da tega zakona ne bo spremenila, ker je dober in še velja"),
            ("th", "รัฐบาลกล่าวว่าจะไม่เปลี่ยนกฎหมายนี้เพราะเป็นของทุกคนที่อยู่ในประเทศ"),
            ("ur", "حکومت نے کہا کہ وہ اس قانون کو نہیں بدلے گی اور یہ جاری رہے گا"),
            ("vi", "Chính phủ nói rằng họ sẽ không thay đổi luật này vì nó được mọi người"),
            ("zh", "政府说他们不会改变这个法律,因为它还没有通过"),
        ] {
            assert_eq!(language(text), Some(expect), "{text}");
        }
    }
}
