use super::*;
use proptest::prelude::*;

/// `expect`: local time, offset in minutes ("-" without), precision; empty for no date.
fn check(text: &str, language: &str, expect: &str) {
    let language = (!language.is_empty()).then_some(language);
    let got = parse(text, language).map_or(String::new(), |s| {
        let local = s.local.strftime("%Y-%m-%d %H:%M:%S");
        match (s.precision, s.offset) {
            (Precision::Day, None) => s.local.strftime("%Y-%m-%d").to_string(),
            (Precision::Minute, None) => format!("{local} -"),
            (Precision::Instant, Some(offset)) => format!("{local} {}", offset / 60),
            (precision, offset) => format!("{precision:?} with {offset:?}"),
        }
    });
    assert_eq!(got, expect, "{text} ({language:?})");
}

#[test]
fn machine_dates() {
    for (text, expect) in [
        ("2026-11-20", "2026-11-20"),
        ("2026-11-20T09:10:11Z", "2026-11-20 09:10:11 0"),
        ("2026-11-20T09:10:11.123456Z", "2026-11-20 09:10:11 0"),
        ("2026-11-20T09:10:11+01:00", "2026-11-20 09:10:11 60"),
        ("2026-11-20T09:10:11.000+0100", "2026-11-20 09:10:11 60"),
        ("2026-11-20T09:10-05:00", "2026-11-20 09:10:00 -300"),
        ("2026-11-20 09:10:11 -0500", "2026-11-20 09:10:11 -300"),
        ("2026-11-20 09:10:11", "2026-11-20 09:10:11 -"),
        ("2026-11-20T09:10:11+05:30", "2026-11-20 09:10:11 330"),
        ("2026-11-20T09:10:11+01", "2026-11-20 09:10:11 60"),
        ("20261120T091011Z", "2026-11-20 09:10:11 0"),
        ("20261120", "2026-11-20"),
        ("2026/11/20 09:10", "2026-11-20 09:10:00 -"),
        ("Fri, 20 Nov 2026 09:10:11 GMT", "2026-11-20 09:10:11 0"),
        ("Fri, 20 Nov 2026 09:10:11 +0100", "2026-11-20 09:10:11 60"),
        ("Fri, 20 Nov 26 09:10:11 EST", "2026-11-20 09:10:11 -300"),
        ("Fri Nov 20 09:10:11 2026", "2026-11-20 09:10:11 -"),
        ("Fri Nov 20 09:10:11 UTC 2026", "2026-11-20 09:10:11 0"),
        ("Fri Nov 20 2026 09:10:11 GMT+0100 (CET)", "2026-11-20 09:10:11 60"),
        ("20-Nov-26", "2026-11-20"),
        ("1795165811", "2026-11-20 09:10:11 0"),
        ("1795165811000", "2026-11-20 09:10:11 0"),
        // Only the day is meant.
        ("2026-11-20T00:00:00", "2026-11-20"),
        ("2026-11-20T00:00:00.000Z", "2026-11-20"),
        ("2026-11-20T00:00:00+02:00", "2026-11-20 00:00:00 120"),
        // No dates.
        ("", ""),
        ("2026", ""),
        ("2026-13-20", ""),
        ("2026-02-30", ""),
        ("1889-11-20", ""),
        ("2 hours ago", ""),
        ("192.168.20.26", ""),
        ("+49 30 123456", ""),
        ("99999999999999999999999999", ""),
    ] {
        check(text, "", expect);
    }
}

#[test]
fn some_dates_can_be_read_in_two_ways() {
    let check = |text: &str, language: &str, expect: Option<&str>| {
        let stamp = parse(text, Some(language)).expect("a date");
        let other = other_reading(&stamp).map(|s| s.local.strftime("%Y-%m-%d %H:%M").to_string());
        assert_eq!(other.as_deref(), expect, "{text}");
    };
    check("3/4/2026 9:10 pm", "en", Some("2026-04-03 21:10"));
    check("3/4/2026", "fr", Some("2026-03-04 00:00"));
    check("03-04-2026", "en", Some("2026-03-04 00:00"));
    check("3/3/2026", "en", None);
    check("20/4/2026", "en", None);
    check("3.4.2026", "de", None);
    check("2026-03-04", "en", None);
    check("March 4, 2026", "en", None);
}

#[test]
fn printed_dates() {
    for (language, text, expect) in [
        ("en", "November 20, 2026", "2026-11-20"),
        ("en", "Nov. 20, 2026, 9:10 a.m. ET", "2026-11-20 09:10:00 -300"),
        ("en", "July 20, 2026 at 9:10 PM EDT", "2026-07-20 21:10:00 -240"),
        ("en", "July 20, 2026 9:10 PM ET", "2026-07-20 21:10:00 -240"),
        ("en", "Published: Friday 20th November 2026, 12:05 am", "2026-11-20 00:05:00 -"),
        ("en", "20 Nov 2026 14:30 GMT", "2026-11-20 14:30:00 0"),
        ("en", "14:30, 20 NOV 2026 — Updated 15:10, 21 NOV 2026", "2026-11-20 14:30:00 -"),
        ("en", "the 1st of May, 2026", "2026-05-01"),
        ("en", "By Ann Author | Nov 20, 2026 | 3 comments", "2026-11-20"),
        ("en", "3/4/2026", "2026-03-04"),
        ("en-us", "3/4/2026", "2026-03-04"),
        ("en_GB", "3/4/2026", "2026-04-03"),
        ("en-us", "20/11/2026", "2026-11-20"),
        ("fr", "3/4/2026", "2026-04-03"),
        ("", "03.04.2026", "2026-04-03"),
        ("de", "Freitag, 20. November 2026, 14:30 Uhr", "2026-11-20 14:30:00 -"),
        ("de", "20.11.2026, 14.30 Uhr", "2026-11-20 14:30:00 -"),
        ("de", "Stand: 03.12.26 um 09:05", "2026-12-03 09:05:00 -"),
        ("de", "1. März 2026", "2026-03-01"),
        ("de", "5. Jänner 2026", "2026-01-05"),
        ("fr", "Publié le 20 novembre 2026 à 14h30", "2026-11-20 14:30:00 -"),
        ("fr", "le 1er août 2026", "2026-08-01"),
        ("fr", "20 févr. 2026", "2026-02-20"),
        ("es", "20 de noviembre de 2026", "2026-11-20"),
        ("es", "Viernes, 20 noviembre 2026, 14:30 CET", "2026-11-20 14:30:00 60"),
        ("it", "20 Novembre 2026 alle 14:30", "2026-11-20 14:30:00 -"),
        ("pt", "20 de novembro de 2026 às 14h30", "2026-11-20 14:30:00 -"),
        ("pt", "5/out/2026", "2026-10-05"),
        ("nl", "vrijdag 20 november 2026 om 14.30 uur", "2026-11-20 14:30:00 -"),
        ("nl", "20 mrt 2026", "2026-03-20"),
        ("sv", "20 november 2026 kl. 14.30", "2026-11-20 14:30:00 -"),
        ("da", "20. nov. 2026 kl. 14:30", "2026-11-20 14:30:00 -"),
        ("no", "20. desember 2026", "2026-12-20"),
        ("fi", "20. marraskuuta 2026 klo 14.30", "2026-11-20 14:30:00 -"),
        ("fi", "20.11.2026 14:30", "2026-11-20 14:30:00 -"),
        ("is", "20. nóvember 2026", "2026-11-20"),
        ("pl", "20 listopada 2026, godz. 14:30", "2026-11-20 14:30:00 -"),
        ("cs", "20. listopadu 2026", "2026-11-20"),
        ("cs", "20. 11. 2026 14:30", "2026-11-20 14:30:00 -"),
        ("cs", "1. července 2026", "2026-07-01"),
        ("sk", "1. júna 2026", "2026-06-01"),
        ("hr", "20. listopada 2026.", "2026-10-20"),
        ("hr", "20. studenoga 2026.", "2026-11-20"),
        ("sr", "20. новембар 2026.", "2026-11-20"),
        ("sl", "20. januarja 2026", "2026-01-20"),
        ("hu", "2026. november 20. 14:30", "2026-11-20 14:30:00 -"),
        ("hu", "2026.11.20. 14:30", "2026-11-20 14:30:00 -"),
        ("ro", "20 noiembrie 2026, 14:30", "2026-11-20 14:30:00 -"),
        ("bg", "20 ноември 2026 г.", "2026-11-20"),
        ("ru", "20 ноября 2026 г., 14:30 МСК", "2026-11-20 14:30:00 180"),
        ("ru", "14:30, 20 ноября 2026", "2026-11-20 14:30:00 -"),
        ("ru", "1 мая 2026 года", "2026-05-01"),
        ("uk", "20 листопада 2026, 14:30", "2026-11-20 14:30:00 -"),
        ("uk", "5 липня 2026", "2026-07-05"),
        ("el", "Παρασκευή 20 Νοέμβρη 2026", "2026-11-20"),
        ("en", "Friday, November 20, 2026 : 1530 Hrs", "2026-11-20"),
        ("ru", "Опубликовано 20 ноября 26 (14:41)", "2026-11-20 14:41:00 -"),
        ("pl", "20 Lis 26, 09:04", "2026-11-20 09:04:00 -"),
        ("el", "20 Νοεμβρίου 2026, 2:30 μ.μ.", "2026-11-20 14:30:00 -"),
        ("el", "5 Μαΐου 2026", "2026-05-05"),
        ("tr", "20 Kasım 2026 14:30", "2026-11-20 14:30:00 -"),
        ("tr", "20 KASIM 2026", "2026-11-20"),
        ("tr", "3 Ağustos 2026", "2026-08-03"),
        ("lt", "2026 m. lapkričio 20 d. 14:30", "2026-11-20 14:30:00 -"),
        ("lv", "2026. gada 20. novembris", "2026-11-20"),
        ("et", "20. november 2026", "2026-11-20"),
        ("ar", "20 نوفمبر 2026", "2026-11-20"),
        ("ar", "٢٠ نوفمبر ٢٠٢٦", "2026-11-20"),
        ("ar", "20 تشرين الثاني 2026", "2026-11-20"),
        ("ar", "20 تشرين الأول / أكتوبر 2026", "2026-10-20"),
        ("fa", "20 نوامبر 2026", "2026-11-20"),
        ("ur", "20 نومبر 2026", "2026-11-20"),
        ("he", "20 בנובמבר 2026", "2026-11-20"),
        ("hi", "20 नवंबर 2026", "2026-11-20"),
        ("bn", "২০ নভেম্বর ২০২৬", "2026-11-20"),
        ("th", "20 พฤศจิกายน 2569", "2026-11-20"),
        ("vi", "ngày 20 tháng 11 năm 2026", "2026-11-20"),
        ("id", "Jumat, 20 November 2026 14:30 WIB", "2026-11-20 14:30:00 420"),
        ("ms", "20 Ogos 2026", "2026-08-20"),
        ("sw", "20 Novemba 2026", "2026-11-20"),
        ("zh", "2026年11月20日 14:30", "2026-11-20 14:30:00 -"),
        ("zh", "2026年11月20日星期五 下午2:30", "2026-11-20 14:30:00 -"),
        ("zh", "2026-11-20 14:30:05 来源：本报", "2026-11-20 14:30:05 -"),
        ("zh", "民國115年11月20日", "2026-11-20"),
        ("ja", "2026年11月20日 14時30分", "2026-11-20 14:30:00 -"),
        ("ja", "２０２６年１１月２０日（金）午後２時３０分", "2026-11-20 14:30:00 -"),
        ("ja", "令和8年11月20日", "2026-11-20"),
        ("ko", "2026년 11월 20일 오후 2시 30분", "2026-11-20 14:30:00 -"),
        ("ko", "입력 2026.11.20. 오후 2:30", "2026-11-20 14:30:00 -"),
        // A day and month alone are of any year.
        ("en", "20 November", ""),
        ("de", "20.11.", ""),
        ("en", "He may have 20 of them, 2026 more", ""),
    ] {
        check(text, language, expect);
    }
}

#[test]
fn url_dates() {
    let check = |path: &str, expect: &str| {
        let got = in_url(path).map_or(String::new(), |s| s.local.date().to_string());
        assert_eq!(got, expect, "{path}");
    };
    check("/2026/11/20/a-title", "2026-11-20");
    check("/world/2026/nov/20/a-title", "2026-11-20");
    check("/a-title-2026-11-20.html", "2026-11-20");
    check("/news/20261120/a-title", "2026-11-20");
    check("/2026/11/a-title", "");
    check("/story/12345678/a", "");
    check("/story/3.11.2026", "");
}

#[test]
fn printed_text_is_kept() {
    let stamp = parse("Posted on: 20 November 2026, 14:30 CET by A.", Some("en"));
    assert_eq!(stamp.map(|s| s.printed), Some("20 November 2026, 14:30 CET".to_owned()));
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,120}", language in proptest::option::of("\\PC{0,8}")) {
        parse(&text, language.as_deref());
        in_url(&text);
    }

    /// Date-like rubbish reaches every branch.
    #[test]
    fn never_panics_on_fragments(
        parts in proptest::collection::vec(prop::sample::select(vec![
            "20", "2026", "1", "31", "99", ".", "-", "/", ":", " ", "nov", "mai", "年", "月", "日", "T",
            "Z", "+01", "pm", "h", "下午", "تشرين", "Uhr", "kl", "tháng", "(", "GMT", "000000000000000000000",
        ]), 0..30)
    ) {
        let text = parts.concat();
        if let Some(stamp) = parse(&text, None) {
            prop_assert!(text.contains(&stamp.printed));
            prop_assert!(YEARS.contains(&stamp.local.year()));
        }
        in_url(&text);
    }

    /// Every instant survives its ISO form.
    #[test]
    fn iso_round_trip(seconds in 631_152_000i64..4_102_444_800) {
        let at = jiff::Timestamp::from_second(seconds).expect("in range");
        let local = jiff::tz::TimeZone::UTC.to_datetime(at);
        let stamp = parse(&at.to_string(), None).expect("an ISO date");
        prop_assert_eq!(stamp.local, local);
    }
}
