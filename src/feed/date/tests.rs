//! Printed dates of many languages and what is read of them.

use super::*;
use proptest::prelude::*;

fn show(printed: &str) -> String {
    parse(printed).map_or("none".to_owned(), |s| {
        format!("{} {:?} {:?}", s.local, s.offset, s.precision).replace("Some", "")
    })
}

#[test]
fn dates() {
    let day = "2026-11-02T00:00:00 None Day";
    let naive = "2026-11-02T10:00:00 None Minute";
    let utc = "2026-11-02T10:00:00 (0) Instant";
    let cet = "2026-11-02T10:00:00 (3600) Instant";
    for (printed, expect) in [
        // RFC 2822 and its sins
        ("Mon, 02 Nov 2026 10:00:00 GMT", utc),
        ("Mon, 2 Nov 2026 10:00:00 +0100", cet),
        ("Mon, 02 Nov 2026 10:00 +0100", cet),
        ("02 Nov 26 10:00:00 CET", cet),
        ("Mon,02 Nov 2026 10:00:00 +01:00", cet),
        ("Mon, 02 November 2026 10:00:00 Z", utc),
        ("Mon, 02 Nov 2026 10:00:00 GMT+1", cet),
        ("Mon, 02 Nov 2026 10:00:00 +0100 (CET)", cet),
        ("Mon, 02 Nov 2026 10:00:00", naive),
        ("Mon, 02 Nov 2026", day),
        ("Mon Nov  2 10:00:00 UTC 2026", utc),
        ("Monday, November 2nd, 2026 10:00 AM EST", "2026-11-02T10:00:00 (-18000) Instant"),
        ("Nov 2, 2026 10:00 pm", "2026-11-02T22:00:00 None Minute"),
        ("02-Nov-2026 10:00:00", naive),
        ("Mon, 02 Nov 2026 24:00:00 GMT", "2026-11-03T00:00:00 (0) Instant"),
        ("Mon, 02 Nov 2026 10:00:60 GMT", "2026-11-02T10:00:59 (0) Instant"),
        ("Mon, 02 Nov 2026 10:00:00 IST", "2026-11-02T10:00:00 (19800) Instant"),
        // other languages
        ("Mo, 02 Nov 2026 10:00:00 +0100", cet),
        ("Di, 03 Mär 2026 10:00:00 +0100", "2026-03-03T10:00:00 (3600) Instant"),
        ("mar, 03 nov 2026 10:00:00 +0100", "2026-11-03T10:00:00 (3600) Instant"),
        ("lun., 02 nov. 2026 10:00:00 +0100", cet),
        ("2 de noviembre de 2026 10:00", naive),
        ("2 novembre 2026 10h00", naive),
        ("1er août 2026", "2026-08-01T00:00:00 None Day"),
        ("Пн, 02 ноя 2026 10:00:00 +0300", "2026-11-02T10:00:00 (10800) Instant"),
        ("2 листопада 2026", day),
        ("2 listopada 2026", day),
        ("2 Ağustos 2026", "2026-08-02T00:00:00 None Day"),
        ("2 Νοεμβρίου 2026", day),
        ("2 نوفمبر 2026", day),
        ("۲۰۲۶-۱۱-۰۲", day),
        ("2026年11月2日 10時00分", naive),
        ("2026년 11월 2일", day),
        ("2. července 2026", "2026-07-02T00:00:00 None Day"),
        ("2. června 2026", "2026-06-02T00:00:00 None Day"),
        ("2 červenec 2026", "2026-07-02T00:00:00 None Day"),
        ("st, 01 čvc 2026 10:00:00 +0200", "2026-07-01T10:00:00 (7200) Instant"),
        ("1 čvn 2026", "2026-06-01T00:00:00 None Day"),
        ("2. juuli 2026", "2026-07-02T00:00:00 None Day"),
        ("2. juuni 2026", "2026-06-02T00:00:00 None Day"),
        ("Mi, 04 Mrz 2026 10:00:00 +0100", "2026-03-04T10:00:00 (3600) Instant"),
        ("2 Maerz 2026", "2026-03-02T00:00:00 None Day"),
        ("2026-11-02 오후 10:00", "2026-11-02T22:00:00 None Minute"),
        ("2026-11-02 오전 10:00", naive),
        ("2026년 11월 2일 오후 3:05", "2026-11-02T15:05:00 None Minute"),
        ("2026年11月2日下午3:05", "2026-11-02T15:05:00 None Minute"),
        ("2026年11月2日 上午10:00", naive),
        ("2026年11月2日午後10時00分", "2026-11-02T22:00:00 None Minute"),
        // ISO 8601
        ("2026-11-02T10:00:00Z", utc),
        ("2026-11-02T10:00:00.123+01:00", cet),
        ("2026-11-02T10:00+0100", cet),
        ("2026-11-02T10:00:00 +01:00", cet),
        ("2026-11-02T10:00:00", naive),
        ("2026-11-02 10:00:00", naive),
        ("2026-11-02 10:00:00 +0100", cet),
        ("2026-11-02 10:00:00 UTC", utc),
        ("2026-11-02", day),
        ("2026/11/02 10:00", naive),
        ("20261102T100000Z", utc),
        ("20261102", day),
        ("2026-11-02T10:00:00,5Z", utc),
        ("2026-11-02T10:00:00Z+00:00", utc),
        ("2026-11-02T10:00:00+0000Z", utc),
        ("2026-11-02 10:00:00+0100Z", cet),
        ("2026-11-02T10Z", utc),
        ("2026-11-02T10", naive),
        ("20261102100000", naive),
        ("20261102100000+0100", cet),
        ("202611021000Z", utc),
        ("20261302100000", "none"),
        // numbers only
        ("Mon, 02 Nov 2026 10.00.00 GMT", utc),
        ("Monday 2 November 2026 10.00 GMT", utc),
        ("02.11.2026 10.00", naive),
        ("Nov 2,2026", day),
        ("02.11.2026 10:00", naive),
        ("02/11/2026 10:00", naive),
        ("11/25/2026", "2026-11-25T00:00:00 None Day"),
        ("11/02/2026 10:00 AM", naive),
        // none
        ("", "none"),
        ("yesterday", "none"),
        ("2026-13-02", "none"),
        ("2026-02-30", "none"),
        ("2026", "none"),
        ("10:00", "none"),
        ("0000-00-00T00:00:00Z", "none"),
        ("99999999999999999999 Nov 2026", "none"),
    ] {
        assert_eq!(show(printed), expect, "{printed}");
    }
}

#[test]
fn offsets() {
    let check = |dates: &[&str], expect: Option<i32>| {
        let stamps: Vec<Stamp> = dates.iter().filter_map(|d| parse(d)).collect();
        assert_eq!(usual_offset(&stamps), expect, "{dates:?}");
    };
    check(&["2026-11-02", "2026-11-02T10:00:00"], None);
    let (zulu, plus) = ("2026-11-02T10:00Z", "2026-11-02T10:00+01:00");
    check(&[zulu, plus, plus], Some(3_600));
}

proptest! {
    #[test]
    fn any_text_ends(text in "\\PC{0,60}") {
        parse(&text);
    }
    #[test]
    fn date_like_text_ends(text in "[0-9a-z:+./, TZ-]{0,40}") {
        parse(&text);
    }
    #[test]
    fn rfc3339_round_trip(y in 1970i16..2100, m in 1i8..13, d in 1i8..29, h in 0i8..24, off in -12i32..15) {
        let text = format!("{y:04}-{m:02}-{d:02}T{h:02}:30:00{off:+03}:00");
        let stamp = parse(&text).expect("a well-formed instant");
        prop_assert_eq!(stamp.offset, Some(off * 3600));
        prop_assert_eq!(stamp.local, civil::DateTime::new(y, m, d, h, 30, 0, 0).expect("valid"));
    }
}
