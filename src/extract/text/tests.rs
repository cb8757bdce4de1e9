use super::*;

#[test]
fn words_are_runs_of_word_characters() {
    let check = |text: &str, expect: &[&str]| {
        let found: Vec<&str> = words(text).map(|r| &text[r]).collect();
        assert_eq!(found, expect);
    };
    check("Don't panic, 3.5 %!", &["Don", "t", "panic", "3", "5"]);
    check("Zürich – Größe", &["Zürich", "Größe"]);
    check("Газпром 株価が上昇 ABC", &["Газпром", "株価が上昇", "ABC"]);
    check("हिन्दी में", &["हिन्दी", "में"]);
    check("", &[]);
}

#[test]
fn spaceless_scripts_count_one_word_per_two_characters() {
    let check = |text: &str, words: u32| assert_eq!(stats(text, &[]).words, words, "{text}");
    check("今天天气很好", 3);
    check("今天天气", 2);
    check("iPhone手机", 2);
    check("รถยนต์", 3);
    check("one two", 2);
}

#[test]
fn sentences_end_where_readers_stop() {
    let check = |text: &str, expect: &[&str]| {
        let found: Vec<&str> = sentences(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, expect);
        assert_eq!(stats(text, &[]).sentences as usize, expect.len(), "{text}");
    };
    check("It rained. We stayed.", &["It rained.", "We stayed."]);
    check("Dr. Meyer came at 3.15 p.m. on Monday.", &["Dr. Meyer came at 3.15 p.m. on Monday."]);
    check("Am 3. Mai kam J. Roth. Er ging.", &["Am 3. Mai kam J. Roth.", "Er ging."]);
    check("“Why?” she asked. “Now!” He left", &["“Why?” she asked.", "“Now!”", "He left"]);
    check("他来了。我走了！", &["他来了。", "我走了！"]);
    check("هل جاء؟ نعم.", &["هل جاء؟", "نعم."]);
    check("Wait... what", &["Wait... what"]);
    check("no end mark", &["no end mark"]);
    check("...", &[]);
}

#[test]
fn language_is_the_one_with_most_stop_words() {
    let check = |text: &str, expect: Option<&str>| assert_eq!(language(text), expect, "{text}");
    check("The house that we have seen was not for sale at all", Some("en"));
    check("Das Haus, das wir gesehen haben, war nicht zu verkaufen", Some("de"));
    check("La maison que nous avons vue n'était pas à vendre", Some("fr"));
    check("La casa que hemos visto no estaba en venta para nosotros", Some("es"));
    check("La casa che abbiamo visto non era in vendita per noi", Some("it"));
    check("Дом, который мы видели, не был на продажу, потому что он их", Some("ru"));
    check("我们看到的那座房子并不是要出售的,因为他们还在那里", Some("zh"));
    check("私たちが見たその家は、売るためのものではありませんでした", Some("ja"));
    check("Huset som vi har sett var inte till salu för oss och dem", Some("sv"));
    check("Ten dom, który widzieliśmy, nie był na sprzedaż, bo jest ich", Some("pl"));
    check("البيت الذي رأيناه لم يكن في السوق على كل حال", Some("ar"));
    check("Xyzzy", None);
    // Half of its hash is that of "mať".
    check("8923827", None);
    assert_eq!(stop_languages("8923827"), 0);
    assert_ne!(stop_languages("mať"), 0);
}

#[test]
fn one_pass_counts_links_characters_and_cases() {
    let text = "Big News, 7 facts";
    let s = stats(text, &[4..8, 12..17]);
    assert_eq!((s.words, s.link_words, s.numbers, s.capitals, s.commas), (4, 2, 1, 2, 1));
    assert_eq!((s.chars, s.alnum), (17, 13));
}

#[test]
fn texts_are_counted_one_after_the_other() {
    let texts =
        ["The house that we have seen", "", "Das Haus, das wir gesehen haben", "的房子", "Xyzzy"];
    for count in [1, 500] {
        let mut counts = Counts::new(0);
        let texts: Vec<&str> = texts.repeat(count);
        texts.iter().for_each(|text| counts.add(text, &[], &mut Vec::new()));
        let expect: Vec<Stats> = texts.iter().map(|text| stats(text, &[])).collect();
        assert_eq!(counts.end(), expect);
    }
}

#[test]
fn words_lie_in_links_that_they_begin_in() {
    let check = |links: &[(u32, u32)], expect: u32| {
        let links: Vec<Range<u32>> = links.iter().map(|(start, end)| *start..*end).collect();
        assert_eq!(stats("one two three four", &links).link_words, expect, "{links:?}");
    };
    check(&[(0, 18)], 4);
    check(&[(0, 3), (4, 7)], 2);
    check(&[(0, 0), (1, 2), (4, 4), (4, 13)], 2);
    check(&[(1, 18)], 3);
    check(&[(18, 18)], 0);
}

/// What is behind an end mark is not read again for the next one.
#[test]
fn runs_of_marks_take_linear_time() {
    let marks = "!".repeat(1_000_000);
    let read = |text: &str| (stats(text, &[]).ends, sentences(text).len());
    assert_eq!(read(&format!("one{marks}two")), (0, 1));
    assert_eq!(read(&format!("one{marks} Two")), (1, 2));
    assert_eq!(read(&format!("one.{}", " !) ".repeat(300_000))), (1, 1));
}

#[test]
fn ratios_read_division_by_zero_as_fixed() {
    assert_eq!(ratio(1.0, 0.0), f32::INFINITY);
    assert_eq!(ratio(0.0, 0.0), 0.0);
    assert_eq!(ratio(1.0, 2.0), 0.5);
}

proptest::proptest! {
    #[test]
    fn counting_agrees_with_splitting(text in "([a-zA-Zäß]{1,9}|[0-9]{1,3}|今天|は|[.!?…。]{1,2}|[ ,_\"]|\\PC){0,40}") {
        let mut hashes = vec![7];
        let mut counts = Counts::new(1);
        counts.add(&text, &[], &mut hashes);
        let s = counts.end()[0];
        proptest::prop_assert_eq!(s, stats(&text, &[]));
        let mut expect = vec![7];
        word_hashes(&text, &mut expect);
        proptest::prop_assert_eq!(hashes, expect);
        proptest::prop_assert_eq!(s.words, count_words(&text, u32::MAX));
        proptest::prop_assert_eq!(s.words.min(2), count_words(&text, 2));
        proptest::prop_assert_eq!(s.chars as usize, text.chars().count());
        proptest::prop_assert_eq!(s.alnum as usize, text.chars().filter(|c| c.is_alphanumeric()).count());
        let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count() as u32;
        proptest::prop_assert_eq!((s.upper, s.lower), (count(char::is_uppercase), count(char::is_lowercase)));
        proptest::prop_assert!(s.stop <= s.words && s.link_words <= s.words);
        for r in sentences(&text) {
            proptest::prop_assert!(text.get(r).is_some());
        }
    }
}

proptest::proptest! {
    #[test]
    fn the_language_with_most_words_is_told(words in proptest::collection::vec(0..1_u64 << LANGUAGES.len(), 0..40)) {
        let mut hits = stop::Hits::default();
        hits.add(&words[..words.len() / 3]);
        hits.add(&words[words.len() / 3..]);
        let count = |language: usize| words.iter().filter(|&word| word >> language & 1 == 1).count() as u32;
        let most = (0..LANGUAGES.len()).map(count).max().unwrap_or(0);
        let first = (0..LANGUAGES.len()).position(|language| count(language) == most);
        proptest::prop_assert_eq!(hits.take_most(), (most, first.unwrap_or(0) as u8));
        proptest::prop_assert_eq!(hits.take_most(), (0, 0));
    }
}
