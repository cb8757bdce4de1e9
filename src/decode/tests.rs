use super::*;
use CharsetSource::*;
use proptest::prelude::*;

/// Expectation of [`prescan::html`] on a page cut to the prescan's length: WHATWG name or "".
fn check_prescan(page: &str, expect: &str) {
    let found = prescan::html(head(page.as_bytes(), PRESCAN));
    assert_eq!(found.map_or("", |(e, _)| e.name()), expect, "{page}");
}

#[test]
fn prescan_cases() {
    for (page, expect) in [
        // charset attribute: quoting, spaces, case, slashes.
        ("<meta charset=utf-8>", "UTF-8"),
        ("<meta charset='windows-1251'>", "windows-1251"),
        ("<meta charset=\"koi8-r\">", "KOI8-R"),
        ("<META CHARSET=GBK>", "GBK"),
        ("<meta\tcharset=gbk>", "GBK"),
        ("<meta\ncharset=gbk>", "GBK"),
        ("<meta\x0ccharset=gbk>", "GBK"),
        ("<meta/charset=gbk>", "GBK"),
        ("<meta / / charset=gbk />", "GBK"),
        ("<meta charset = gbk >", "GBK"),
        ("<meta charset\t=\n'gbk'>", "GBK"),
        ("<meta charset=gbk/>", ""),
        ("<meta charset=\" gbk \">", "GBK"),
        ("<meta charset=latin1>", "windows-1252"),
        ("<meta charset=ascii>", "windows-1252"),
        ("<meta charset=iso-8859-9>", "windows-1254"),
        ("<meta charset=ks_c_5601-1987>", "EUC-KR"),
        ("<meta charset=x-sjis>", "Shift_JIS"),
        ("<meta charset=gb2312>", "GBK"),
        ("<meta charset=iso-8859-8-i>", "ISO-8859-8-I"),
        ("<meta charset=iso-2022-kr>", "replacement"),
        // A meta that was read as ASCII is not UTF-16; x-user-defined is windows-1252.
        ("<meta charset=utf-16>", "UTF-8"),
        ("<meta charset=utf-16le>", "UTF-8"),
        ("<meta charset=utf-16be>", "UTF-8"),
        ("<meta charset=x-user-defined>", "windows-1252"),
        // No encoding named: the next meta has its turn.
        ("<meta charset=utf-88>", ""),
        ("<meta charset=>", ""),
        ("<meta charset>", ""),
        ("<meta charset=nope><meta charset=big5>", "Big5"),
        ("<meta name=x content=y><meta charset=big5>", "Big5"),
        ("<meta charset=gbk><meta charset=big5>", "GBK"),
        // The first attribute of a name counts.
        ("<meta charset=gbk charset=big5>", "GBK"),
        ("<meta charset=nope charset=big5>", ""),
        // http-equiv needs its content and content its http-equiv, in any order.
        ("<meta http-equiv=content-type content='text/html; charset=euc-jp'>", "EUC-JP"),
        ("<meta content='text/html; charset=euc-jp' http-equiv='Content-Type'>", "EUC-JP"),
        ("<meta content='text/html; charset=euc-jp'>", ""),
        ("<meta http-equiv=refresh content='0; charset=euc-jp'>", ""),
        ("<meta http-equiv=content-type>", ""),
        ("<meta http-equiv=content-type content='text/html'>", ""),
        ("<meta http-equiv=content-type content='text/html; charset'>", ""),
        ("<meta http-equiv=content-type content='charset=gbk;x'>", "GBK"),
        ("<meta http-equiv=content-type content='charset = gbk x'>", "GBK"),
        ("<meta http-equiv=content-type content='charset x charset=gbk'>", "GBK"),
        ("<meta http-equiv=content-type content='charsetcharset=gbk'>", "GBK"),
        ("<meta http-equiv=content-type content='CharSet=\"gbk\"'>", "GBK"),
        ("<meta http-equiv=content-type content=\"charset='gbk'\">", "GBK"),
        ("<meta http-equiv=content-type content='charset=\"gbk'>", ""),
        ("<meta http-equiv=content-type content='charset=utf-16'>", "UTF-8"),
        ("<meta http-equiv=content-type content='charset=nope'>", ""),
        // charset beats content when it comes first, and even when it comes second.
        ("<meta charset=gbk http-equiv=content-type content='charset=big5'>", "GBK"),
        ("<meta http-equiv=content-type content='charset=big5' charset=gbk>", "GBK"),
        ("<meta content='charset=big5' charset=gbk>", "GBK"),
        // Comments.
        ("<!-- <meta charset=gbk> --><meta charset=big5>", "Big5"),
        ("<!--><meta charset=gbk>", "GBK"),
        ("<!---><meta charset=gbk>", "GBK"),
        ("<!-- -- > <meta charset=gbk>", ""),
        ("<!-- <meta charset=gbk>", ""),
        // Other tags: a meta inside an attribute value is none.
        ("<html lang=de><head><meta charset=gbk>", "GBK"),
        ("<a title='<meta charset=gbk>'><meta charset=big5>", "Big5"),
        ("<a title=\"<meta charset=gbk>", ""),
        ("</a title='<meta charset=gbk>'><meta charset=big5>", "Big5"),
        ("<metadata charset=gbk>", ""),
        ("<meta>", ""),
        ("<metacharset=gbk>", ""),
        ("<title><meta charset=gbk></title>", "GBK"),
        // Bogus comments and declarations end at the first `>`.
        ("<!doctype html><meta charset=gbk>", "GBK"),
        ("<!DOCTYPE '<meta charset=gbk>'><meta charset=big5>", "Big5"),
        ("</ <meta charset=gbk>", ""),
        ("<? <meta charset=gbk> ?><meta charset=big5>", "Big5"),
        ("< meta charset=gbk>", ""),
        ("<1><meta charset=gbk>", "GBK"),
        ("a < b <meta charset=gbk>", "GBK"),
        // Running out of bytes in the middle loses the element.
        ("<meta charset=gbk", ""),
        ("<meta charset='gbk", ""),
        ("<meta http-equiv=content-type content='charset=gbk'", ""),
        // XML declaration, weaker than any meta.
        ("<?xml version='1.0' encoding='windows-1251'?><p>", "windows-1251"),
        ("<?xml encoding = \"big5\" ?>", "Big5"),
        ("<?xml encoding='utf-16'?>", "UTF-8"),
        ("<?xml encoding='big5'?><meta charset=gbk>", "GBK"),
        ("<?xml encoding='big5'?><meta charset=nope>", "Big5"),
        ("<?xml encoding=' big5'?>", ""),
        ("<?xml encoding=big5?>", ""),
        ("<?xml encoding 'big5'?>", ""),
        ("<?xml encoding='big5\"?>", ""),
        ("<?xml encoding='big5'", ""),
        ("<?xml?><p>encoding='big5'</p>", ""),
        (" <?xml encoding='big5'?>", ""),
        ("<?XML encoding='big5'?>", ""),
        ("<\0?\0x\0m\0l\0", "UTF-16LE"),
        ("\0<\0?\0x\0m\0l", "UTF-16BE"),
    ] {
        check_prescan(page, expect);
    }
}

#[test]
fn prescan_ends_at_1024_bytes() {
    for (padding, expect) in [(1024 - 18, "GBK"), (1024 - 17, "")] {
        check_prescan(&format!("{}<meta charset=gbk>", " ".repeat(padding)), expect);
    }
}

#[test]
fn order_of_evidence() {
    let check = |bytes: &[u8], header: Option<&str>, expect: (&str, CharsetSource)| {
        let (encoding, source) = sniff(bytes, header, None);
        assert_eq!((encoding.name(), source), expect, "{header:?} {bytes:?}");
    };
    let gbk = Some("text/html; charset=gbk");
    check(b"\xEF\xBB\xBFa<meta charset=big5>", gbk, ("UTF-8", Bom));
    check(b"\xFF\xFEa\0", gbk, ("UTF-16LE", Bom));
    check(b"\xFE\xFF\0a", gbk, ("UTF-16BE", Bom));
    check(b"<meta charset=big5>", gbk, ("GBK", Header));
    check(b"<meta charset=big5>", Some("text/html; charset=nope"), ("Big5", Meta));
    check(b"<meta charset=big5>", None, ("Big5", Meta));
    check(b"<?xml encoding='big5'?>", None, ("Big5", Prolog));
    check("<p>grün".as_bytes(), None, ("UTF-8", Utf8));
    check(b"<p>plain", None, ("UTF-8", Utf8));
    check(b"", None, ("UTF-8", Utf8));
    check(b"<p>gr\xFCn und \xFCber", None, ("windows-1252", Detected));
    check(b"<\0p\0>\0a\0b\0c\0", None, ("UTF-16LE", Detected));
    check(b"\x1B$B$3$s$K$A$O\x1B(B", None, ("ISO-2022-JP", Detected));
    // A meta behind the prescan changes the encoding, as long as nothing but a guess spoke.
    let late = [" ".repeat(2000).as_bytes(), b"<meta charset=iso-8859-2>\xB1\xE6"].concat();
    check(&late, None, ("ISO-8859-2", Meta));
    check(&late, Some("text/html; charset=utf-8"), ("UTF-8", Header));
}

const RUSSIAN: &str = "Концерн объявил в пятницу, что построит новый завод под Казанью.";
const GERMAN: &str = "Über Nacht fiel in der Müritz-Gegend Schnee; die Züge fuhren später.";
const CHINESE: &str = "公司星期五宣布，将在南方建设一座新的工厂，预计明年春天投产。";
const JAPANESE: &str = "同社は金曜日、来年の春に新しい工場を建設すると発表しました。";

fn encoded(text: &str, label: &str) -> Vec<u8> {
    let encoding = Encoding::for_label(label.as_bytes()).expect("a label of ours");
    encoding.encode(text).0.into_owned()
}

#[test]
fn declared_rightly() {
    for (text, label) in [
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "iso-8859-5"),
        (RUSSIAN, "ibm866"),
        (GERMAN, "windows-1252"),
        (GERMAN, "iso-8859-2"),
        (GERMAN, "utf-8"),
        (CHINESE, "gbk"),
        (CHINESE, "gb18030"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso-2022-jp"),
        ("Το εργοστάσιο ανοίγει την άνοιξη, ανακοίνωσε η εταιρεία.", "windows-1253"),
        ("Şirket, yeni fabrikanın açılışını ilkbahara erteledi.", "windows-1254"),
        ("החברה הודיעה כי המפעל החדש ייפתח באביב.", "windows-1255"),
        ("أعلنت الشركة أن المصنع الجديد سيفتح في الربيع.", "windows-1256"),
        ("회사는 금요일 새 공장을 짓는다고 발표했다.", "euc-kr"),
        ("公司宣布將在南方建設新的工廠。", "big5"),
        ("บริษัทประกาศว่าจะสร้างโรงงานใหม่", "windows-874"),
    ] {
        let page = encoded(&format!("<p>{text}</p>"), label);
        let decoded = html(&page, Some(&format!("text/html; charset={label}")), None);
        assert_eq!(decoded.text, format!("<p>{text}</p>"), "{label}");
        assert_eq!(decoded.source, Header, "{label}");
        assert!(!decoded.replaced);
    }
}

/// A page in one encoding under a header and a meta that say others.
#[test]
fn declared_wrongly() {
    let check =
        |text: &str, actual: &str, header: &str, meta: &str, expect: (&str, CharsetSource)| {
            let meta =
                if meta.is_empty() { String::new() } else { format!("<meta charset={meta}>") };
            let page =
                format!("<html><head>{meta}</head><p>{}</p></html>", format!("{text} ").repeat(4));
            let content_type = format!("text/html; charset={header}");
            let header = (!header.is_empty()).then_some(content_type.as_str());
            let bytes = encoded(&page, actual);
            let decoded = html(&bytes, header, None);
            assert_eq!((decoded.encoding, decoded.source), expect, "{actual} as {header:?} {meta}");
            if expect.1 == Repaired {
                assert_eq!(decoded.text, page);
            }
        };
    // The bytes are UTF-8 whatever else is said.
    check(GERMAN, "utf-8", "iso-8859-1", "", ("UTF-8", Repaired));
    check(GERMAN, "utf-8", "iso-8859-1", "utf-8", ("UTF-8", Repaired));
    check(GERMAN, "utf-8", "", "iso-8859-1", ("UTF-8", Repaired));
    check(RUSSIAN, "utf-8", "windows-1251", "", ("UTF-8", Repaired));
    check(CHINESE, "utf-8", "gbk", "", ("UTF-8", Repaired));
    check(JAPANESE, "utf-8", "", "shift_jis", ("UTF-8", Repaired));
    check(RUSSIAN, "utf-8", "iso-2022-kr", "", ("UTF-8", Repaired));
    check(GERMAN, "utf-8", "utf-16", "", ("UTF-8", Repaired));
    // They are not, though it is said.
    check(RUSSIAN, "windows-1251", "utf-8", "", ("windows-1251", Repaired));
    check(RUSSIAN, "windows-1251", "utf-8", "windows-1251", ("windows-1251", Repaired));
    // The detector does not tell KOI8-R from its superset for Ukrainian.
    check(RUSSIAN, "koi8-r", "", "utf-8", ("KOI8-U", Repaired));
    check(GERMAN, "windows-1252", "utf-8", "", ("windows-1252", Repaired));
    check(CHINESE, "gbk", "utf-8", "", ("GBK", Repaired));
    check(JAPANESE, "shift_jis", "utf-8", "", ("Shift_JIS", Repaired));
    check(JAPANESE, "euc-jp", "utf-8", "euc-jp", ("EUC-JP", Repaired));
    // Another script under a server's Latin default.
    check(RUSSIAN, "windows-1251", "iso-8859-1", "windows-1251", ("windows-1251", Repaired));
    check(RUSSIAN, "windows-1251", "iso-8859-1", "", ("windows-1251", Repaired));
    check(CHINESE, "gbk", "iso-8859-1", "", ("GBK", Repaired));
    check(JAPANESE, "euc-jp", "shift_jis", "", ("EUC-JP", Repaired));
    // Where the bytes refute nothing, the standard's order stands.
    check(GERMAN, "windows-1252", "iso-8859-2", "iso-8859-1", ("ISO-8859-2", Header));
    check(GERMAN, "windows-1252", "iso-8859-1", "windows-1251", ("windows-1252", Header));
    check("plain", "ascii", "koi8-r", "utf-8", ("KOI8-R", Header));
}

#[test]
fn a_little_rubbish_does_not_change_utf8() {
    let mut page = GERMAN.repeat(3).into_bytes();
    page.push(0xFC);
    page.extend_from_slice(GERMAN.as_bytes());
    let decoded = html(&page, Some("text/html; charset=utf-8"), None);
    assert_eq!((decoded.encoding, decoded.source, decoded.replaced), ("UTF-8", Header, true));
    // A character cut off by the end of the page is no evidence against UTF-8 either.
    let cut = "Straße — über".as_bytes();
    let cut = [cut, b"\xC3"].concat();
    let decoded = html(&cut, Some("text/html; charset=iso-8859-1"), None);
    assert_eq!((decoded.encoding, decoded.source), ("UTF-8", Repaired));
}

/// One byte that a publisher's database has cut is no reason to read the rest of a page as something else.
#[test]
fn a_broken_byte_changes_no_page_whose_utf8_is_not_declared_early() {
    let greek = "Το εργοστάσιο ανοίγει την άνοιξη, ανακοίνωσε η εταιρεία.";
    let late = "x".repeat(2000);
    for text in [RUSSIAN, GERMAN, CHINESE, JAPANESE, greek] {
        for (name, head, expect) in [
            ("nothing declared", String::new(), Utf8),
            ("declared late", format!("<!--{late}--><meta charset=utf-8>"), Utf8),
            ("declared late, and wrongly", format!("<!--{late}--><meta charset=gbk>"), Utf8),
        ] {
            for broken in [b"\xFF".as_slice(), b"\xE2\x80", b"\x92"] {
                let text = text.repeat(4);
                let page = [head.as_bytes(), b"<p>", broken, text.as_bytes()].concat();
                let read = html(&page, None, None);
                assert_eq!((read.encoding, read.source), ("UTF-8", expect), "{name}: {text}");
                assert!(
                    read.text.ends_with(&format!("<p>\u{FFFD}{text}")),
                    "{name}: {}",
                    read.text
                );
                assert!(read.replaced);
            }
        }
    }
    // Much damage, but less than text: a late declaration is believed as an early one is.
    let torn = [GERMAN.replace('ü', "\u{1}").as_bytes(), RUSSIAN.as_bytes()].concat();
    let torn: Vec<u8> = torn.iter().map(|&b| if b == 1 { 0xFC } else { b }).collect();
    let torn = [torn, b"\xFC \xFC \xFC ".repeat(5)].concat();
    for filler in ["", &late] {
        let page = [b"<!--", filler.as_bytes(), b"--><meta charset=utf-8>", &torn].concat();
        let read = html(&page, None, None);
        assert_eq!((read.encoding, read.source), ("UTF-8", Meta), "{}", filler.len());
    }
    // What is not UTF-8 is not read as such, however late it is declared, and whatever is broken.
    for (text, label, expect) in [
        (RUSSIAN, "windows-1251", "windows-1251"),
        (GERMAN, "windows-1252", "windows-1252"),
        (CHINESE, "gbk", "GBK"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
    ] {
        for declared in ["utf-8", label] {
            let page = format!("<!--{late}--><meta charset={declared}><p>{}", text.repeat(9));
            let read = html(&encoded(&page, label), None, None).encoding;
            assert_eq!(read, expect, "declared {declared}");
        }
    }
}

/// A name in a link with a single `ü` is a name, too: the document's own word and its bytes agree.
#[test]
fn one_letter_refutes_a_header_where_the_document_itself_says_utf8() {
    let late = " ".repeat(2000);
    for letter in ["ü", "я", "—", "道"] {
        for header in ["iso-8859-1", "us-ascii", "windows-1251", "gbk", "shift_jis"] {
            let header = format!("text/xml; charset={header}");
            let check = |document: &str, by_feed: bool| {
                let (bytes, header) = (document.as_bytes(), Some(header.as_str()));
                let found = if by_feed { feed(bytes, header) } else { html(bytes, header, None) };
                assert_eq!(
                    (found.encoding, found.source),
                    ("UTF-8", Repaired),
                    "{header:?} {letter}"
                );
                assert_eq!(found.text, document);
            };
            let link = format!("<link>https://a.example/z{letter}rich</link>");
            check(&format!("<?xml version='1.0' encoding='UTF-8'?><rss>{link}</rss>"), true);
            check(&format!("<?xml version='1.0' encoding='UTF-8'?><html>{link}"), false);
            check(&format!("<meta charset=utf-8>{link}"), false);
            check(&format!("<head>{late}<meta charset=utf-8>{link}"), false);
        }
    }
    let header = Some("text/html; charset=iso-8859-1");
    // Nothing else speaks for UTF-8, or the bytes speak against it, or they say nothing.
    for (page, expect) in [
        ("<p>zürich".as_bytes(), "windows-1252"),
        (b"<meta charset=utf-8><p>z\xC3\xBCrich z\xFCrich", "windows-1252"),
        (b"<meta charset=utf-8><p>zurich", "windows-1252"),
    ] {
        let found = html(page, header, None);
        assert_eq!((found.encoding, found.source), (expect, Header), "{}", found.text);
    }
}

#[test]
fn feeds_and_json() {
    let check = |bytes: &[u8], header: Option<&str>, expect: (&str, CharsetSource)| {
        let decoded = xml(bytes, header);
        assert_eq!((decoded.encoding, decoded.source), expect, "{header:?} {:?}", decoded.text);
        decoded.text.into_owned()
    };
    let document = |encoding: &str, text: &str| {
        format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?><rss>{text}</rss>")
    };
    let russian = document("windows-1251", &RUSSIAN.repeat(3));
    let bytes = encoded(&russian, "windows-1251");
    assert_eq!(check(&bytes, None, ("windows-1251", Prolog)), russian);
    assert_eq!(check(&bytes, Some("text/xml; charset=utf-8"), ("windows-1251", Repaired)), russian);
    check(russian.as_bytes(), None, ("UTF-8", Repaired));
    check(document("utf-16", GERMAN).as_bytes(), None, ("UTF-8", Prolog));
    check(b"\xEF\xBB\xBF<rss/>", None, ("UTF-8", Bom));
    check("<rss>Über</rss>".as_bytes(), None, ("UTF-8", Utf8));
    check(
        &encoded(JAPANESE, "shift_jis"),
        Some("text/xml;charset=shift_jis"),
        ("Shift_JIS", Header),
    );
    let wide: Vec<u8> =
        document("utf-16", GERMAN).encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(
        check(&wide, Some("application/xml"), ("UTF-16BE", Detected)),
        document("utf-16", GERMAN)
    );

    // What declares nothing is UTF-8, in spite of a little damage or a cut (XML 1.0 §4.3.3).
    let broken = [b"<rss>\x92", GERMAN.repeat(20).as_bytes(), b"</rss>"].concat();
    let text = check(&broken, None, ("UTF-8", Utf8));
    assert!(text.starts_with("<rss>\u{FFFD}Über") && text.matches('\u{FFFD}').count() == 1);
    let broken = [b"<rss>\x92", CHINESE.repeat(5).as_bytes(), b"</rss>"].concat();
    check(&broken, None, ("UTF-8", Utf8));
    let broken = [b"<rss>\x92", "Grüße für Österreich".as_bytes(), b"</rss>"].concat();
    check(&broken, None, ("UTF-8", Utf8));
    for (text, label) in [
        ("Το εργοστάσιο ανοίγει την άνοιξη, ανακοίνωσε η εταιρεία.", "windows-1253"),
        ("บริษัทประกาศว่าจะสร้างโรงงานใหม่", "windows-874"),
        ("회사는 금요일 새 공장을 짓는다고 발표했다.", "euc-kr"),
        ("公司宣布將在南方建設新的工廠。", "big5"),
        (JAPANESE, "shift_jis"),
        (GERMAN, "windows-1252"),
    ] {
        let decoded = xml(&encoded(text, label), None).encoding;
        assert_ne!(decoded, "UTF-8", "{label}");
    }
    for cut in ["<rss>für Ü", "<rss>Ü", "<rss>a 公", "<rss>\u{1F600}"] {
        check(&cut.as_bytes()[..cut.len() - 1], None, ("UTF-8", Utf8));
    }
    check(&encoded(&GERMAN.repeat(20), "windows-1252"), None, ("windows-1252", Detected));
    check(&encoded(&RUSSIAN.repeat(20), "windows-1251"), None, ("windows-1251", Detected));
    check(&encoded(&CHINESE.repeat(20), "gbk"), None, ("GBK", Detected));
    check(&encoded(JAPANESE, "iso-2022-jp"), None, ("ISO-2022-JP", Detected));

    let check = |bytes: &[u8], header: Option<&str>, expect: (&str, CharsetSource)| {
        let decoded = feed(bytes, header);
        assert_eq!((decoded.encoding, decoded.source), expect, "{header:?} {:?}", decoded.text);
    };
    check("{\"a\":\"ü\"}".as_bytes(), Some("application/json; charset=latin1"), ("UTF-8", Utf8));
    check("\n {\"a\":\"ü\"}".as_bytes(), Some("application/json; charset=latin1"), ("UTF-8", Utf8));
    check("<a>ü</a>".as_bytes(), Some("application/xml; charset=latin1"), ("windows-1252", Header));
    check(b"\xEF\xBB\xBF{}", Some("application/json; charset=latin1"), ("UTF-8", Bom));
    check(b"{\0\"\0a\0\"\0:\x001\0}\0", None, ("UTF-16LE", Detected));
    check(b"{\"a\":\"\xFC\"}", Some("application/json; charset=latin1"), ("windows-1252", Header));
}

proptest! {
    /// Any bytes, under any header, give text and a known encoding.
    #[test]
    fn anything_decodes(
        bytes in proptest::collection::vec(any::<u8>(), 0..3000),
        header in proptest::option::of("[ -~]{0,40}"),
        tld in proptest::option::of("\\PC{0,6}"),
    ) {
        for decoded in [
            html(&bytes, header.as_deref(), tld.as_deref()),
            feed(&bytes, header.as_deref()),
            json(&bytes, header.as_deref()),
        ] {
            prop_assert!(Encoding::for_label(decoded.encoding.as_bytes()).is_some());
        }
    }

    /// Markup-like bytes reach every branch of the prescan.
    #[test]
    fn any_markup_is_prescanned(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                "<", "<meta ", "<!--", "-->", "</", "<?xml ", "charset", "=", "'", "\"", ">", "/",
                " ", "content", "http-equiv", "content-type", "gbk", ";", "encoding",
            ]), 0..40)
    ) {
        prescan::html(parts.concat().as_bytes());
    }

    /// UTF-8 with anything beyond a few signs is read as UTF-8, whatever single-byte encoding or
    /// none the server names.
    #[test]
    fn utf8_survives_every_latin_header(text in "[a-z ]{0,20}[à-ÿ]{3,20}[α-ωа-я一-龥]{3,20}") {
        for header in ["text/html; charset=iso-8859-1", "text/html; charset=windows-1250", "text/html"] {
            prop_assert_eq!(&html(text.as_bytes(), Some(header), None).text, &text);
        }
    }
}

#[test]
fn a_page_says_how_much_of_it_had_been_encoded_twice_and_a_feed_stays_as_it_is() {
    let broken = "<p>Itâ€™s over, they sayâ€¦</p>".as_bytes();
    let page = html(broken, None, None);
    assert_eq!((&*page.text, page.mended), ("<p>It’s over, they say…</p>", 2));
    assert_eq!((page.encoding, page.source), ("UTF-8", CharsetSource::Utf8));
    assert_eq!(html(page.text.as_bytes(), None, None).mended, 0);
    let feed = feed(broken, None);
    assert_eq!((feed.text.as_bytes(), feed.mended), (broken, 0));
}
