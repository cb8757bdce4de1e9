//! Lines that sign by their form, without "by" and without a mark: journalists in Korean, names in brackets in Japanese,
//! reporters of agencies in Turkish. Must not know where a line stands.

use super::Voice;
use super::person::{ends_as_desk, is_hangul_name, is_person};
use crate::extract::metadata::text::{is_ideograph, is_kana};
use crate::extract::metadata::words::{DESK, SURNAMES, SURNAMES_OF_KOREA};

/// What a journalist is called in Korean.
const CALLED: [&str; 2] = ["기자", "특파원"];

/// What a journalist is called in Chinese …
const JOURNALIST: [&str; 2] = ["记者", "記者"];
/// … and an author.
const AUTHOR: [&str; 1] = ["作者"];

/// Whom a line names that signs by its form.
pub(in crate::extract::metadata) fn signed_by_form(line: &str) -> Option<Vec<String>> {
    if !may_sign(line) {
        return None;
    }
    let line = line.trim();
    korean_journalists(line)
        .or_else(|| in_brackets(line))
        .or_else(|| of_agency(line))
        .or_else(|| chinese_journalists(line))
        .or_else(|| labelled_in_chinese(line))
}

/// May a text sign by its form? Asked before it is made ready to be read.
pub(super) fn may_sign(text: &str) -> bool {
    let called = || CALLED.iter().chain(&JOURNALIST).chain(&AUTHOR);
    // Letters of Korea and China, and brackets of Japan; many bytes are asked at a time.
    let is_eastern = |part: &[u8]| part.iter().fold(false, |is, byte| is | (*byte >= 0xE3));
    let has = |byte: u8| memchr::memchr(byte, text.as_bytes()).is_some();
    text.as_bytes().chunks(32).any(is_eastern)
        && (called().any(|called| text.contains(called)) || text.contains('【'))
        || has(b'(') && has(b'/')
}

/// Who signs a line as journalists do in Korean: "김민수 기자" of "기자명 김민수 기자 minsu@herald.example". Of several, with
/// commas or dots between them, the last alone may be called so.
fn korean_journalists(line: &str) -> Option<Vec<String>> {
    const PLACE: usize = 12;
    // What they did: text, or text and pictures.
    const DID: [&str; 3] = ["글·사진", "글/사진", "글"];
    let line = line.trim_start_matches("기자명").trim_start();
    // "서울=김민수 기자".
    let placed = line.split_once('=').filter(|(place, _)| place.chars().count() <= PLACE);
    let line = placed.map_or(line, |(_, signed)| signed).trim_start();
    let did = DID.iter().find_map(|did| line.strip_prefix(did)?.strip_prefix(' '));
    let mut rest = did.unwrap_or(line);
    let mut names = Vec::new();
    loop {
        let end =
            rest.find(|c: char| !('\u{AC00}'..='\u{D7A3}').contains(&c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        // With a blank before what somebody is, or without.
        let called = CALLED.iter().find_map(|called| word.strip_suffix(called));
        let apart = || {
            let next = behind.strip_prefix(' ')?;
            CALLED.iter().find_map(|called| next.strip_prefix(called))
        };
        let (name, behind, is_called) = match called.filter(|name| !name.is_empty()) {
            Some(name) => (name, behind, true),
            None => match apart() {
                Some(behind) => (word, behind, true),
                None => (word, behind, false),
            },
        };
        let family = name.chars().next().is_some_and(|c| SURNAMES_OF_KOREA.contains(c));
        if !family || !is_hangul_name(name) {
            return None;
        }
        names.push(name.to_owned());
        let next = behind.trim_start();
        match next.strip_prefix([',', '·', '、']) {
            Some(more) => rest = more.trim_start(),
            // An address, and what else is no sentence.
            None if is_called
                && (next.is_empty()
                    || next.starts_with(['(', '[', '<', '|', '/'])
                    || next.split(' ').next().is_some_and(|word| word.contains('@'))) =>
            {
                return Some(names);
            }
            None => return None,
        }
    }
}

/// Who signs a line in Chinese behind the outlet and "journalist", and nothing else: "山谷日报记者 王小明 李建国", in
/// parentheses or without.
fn chinese_journalists(line: &str) -> Option<Vec<String>> {
    const OUTLET: usize = 16;
    let marks = |c: char| !c.is_alphanumeric();
    let (outlet, signed) = JOURNALIST.iter().find_map(|called| line.split_once(called))?;
    let outlet = outlet.trim_matches(marks);
    let is_named = |c: char| is_ideograph(c) || matches!(c, '·' | ' ' | '\u{3000}');
    let known = outlet.chars().count() <= OUTLET && outlet.chars().all(is_named);
    // "Journalist" alone is a word for "by".
    let apart = line.starts_with(marks) || !outlet.is_empty();
    // In parentheses it may be said of anybody.
    let known = known && (!line.starts_with(['（', '(']) || may_employ(outlet));
    if !known || !apart || !signed.starts_with([' ', '\u{3000}', ':', '：', '\u{A0}']) {
        return None;
    }
    chinese_names(signed.trim_end_matches(['）', ')', '】', ' ']), true)
}

/// Whom a text in Chinese names in parentheses behind "journalist", before its first sentence or behind the last one:
/// "山谷新闻讯（记者 王小明）", "（总台记者 王小明）".
pub(in crate::extract::metadata) fn in_parentheses(text: &str) -> Option<Vec<String>> {
    const LONG: usize = 90;
    // What either word begins with.
    memchr::memchr(0xE8, text.as_bytes())?;
    let called = JOURNALIST.iter().find_map(|called| text.find(called))?;
    let open = text[..called].rfind(['（', '('])?;
    let end = called + text[called..].find(['）', ')'])?;
    let signed = text[called..end].trim_start_matches(['记', '記', '者']);
    let fits = end - open <= LONG
        && !text[open..end].contains(['，', '。'])
        && may_employ(&text[open..called]);
    if !fits || !signed.starts_with([' ', '\u{3000}', ':', '：', '\u{A0}']) {
        return None;
    }
    chinese_names(signed, true)
}

/// May what stands before "journalist" be whom they work for: nothing, "our", or what ends as an outlet does? "受伤" ("hurt")
/// is not, nor is a former one's.
fn may_employ(before: &str) -> bool {
    const LONG: usize = 16;
    const OWN: [&str; 8] = ["本报", "本報", "本刊", "本台", "总台", "總台", "通讯员", "通訊員"];
    const ENDS: [&str; 8] = ["总台", "總台", "电视台", "電視台", "电台", "電台", "卫视", "央视"];
    const KINDS: [&str; 7] = ["全媒体", "全媒體", "首席", "特约", "特約", "实习", "實習"];
    const FORMER: [&str; 4] = ["前", "原", "时任", "時任"];
    let before = before.trim_matches(|c: char| !c.is_alphanumeric());
    let before = KINDS.iter().find_map(|kind| before.strip_suffix(kind)).unwrap_or(before);
    let is_outlet = || {
        before.chars().count() <= LONG
            && before.chars().all(|c| is_ideograph(c) && c != '的' || matches!(c, '·' | ' '))
            && !FORMER.iter().any(|former| before.starts_with(former))
            && (ends_as_desk(before) || ENDS.iter().any(|end| before.ends_with(end)))
    };
    before.is_empty() || OWN.contains(&before) || is_outlet()
}

/// Has a text the day of a date in figures: "2026-03-04", "2026年3月4日"?
fn has_day(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit() && !"-/.年月".contains(c));
    numbers.any(|date| {
        let mut parts = date.split(['-', '/', '.', '年', '月']).map(str::len);
        let mut next = |lengths: std::ops::RangeInclusive<usize>| {
            parts.next().is_some_and(|length| lengths.contains(&length))
        };
        next(4..=4) && next(1..=2) && next(1..=2)
    })
}

/// Who signs behind a label within the head line of an article, which says where it is from or of which day:
/// "来源：山谷日报 作者：王小明". Books have authors, too.
fn labelled_in_chinese(line: &str) -> Option<Vec<String>> {
    const BOOK: [&str; 6] = ["书名", "書名", "出版", "译者", "譯者", "ISBN"];
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    if !(has(&["来源", "來源"]) || has_day(line)) || has(&BOOK) {
        return None;
    }
    let labels = AUTHOR.iter().chain(&JOURNALIST);
    let signed =
        labels.filter_map(|label| line.split_once(label)).find_map(|(before, behind)| {
            let apart = before.ends_with(|c: char| !c.is_alphanumeric());
            behind.strip_prefix(['：', ':']).filter(|_| apart)
        })?;
    // Other labels stand behind it.
    let signed = signed.trim_start();
    let end = signed.find(['：', ':', '|', '｜']).map_or(signed, |at| {
        let before = &signed[..at];
        before.rfind([' ', '\u{3000}']).map_or("", |at| &before[..at])
    });
    chinese_names(end, false)
}

/// Names of ideographs that blanks or commas part; `all`: nothing but names, else the first ones.
fn chinese_names(signed: &str, all: bool) -> Option<Vec<String>> {
    const DID: [&str; 9] = ["通讯员", "通訊員", "实习", "實習", "摄影", "攝影", "报道", "文", "图"];
    // Words that begin as names do, and stand where names do.
    const NEVER: [&str; 8] = ["原创", "原創", "管理员", "管理員", "提问", "提問", "小编", "小編"];
    let mut names = Vec::new();
    let parts = signed.split([' ', '\u{3000}', '\u{A0}', '、', '，', ',', ':', '：', '/']);
    for part in parts.filter(|part| !part.is_empty()) {
        if DID.iter().any(|did| part.starts_with(did)) {
            break;
        }
        let part = JOURNALIST.iter().find_map(|called| part.strip_prefix(called)).unwrap_or(part);
        if part.is_empty() {
            continue;
        }
        if !is_person(part, Voice::Line, false) || ends_as_desk(part) || NEVER.contains(&part) {
            match all || names.is_empty() {
                true => return None,
                false => break,
            }
        }
        names.push(part.to_owned());
    }
    (!names.is_empty()).then_some(names)
}

/// Whom a line names that is nothing but names in brackets, each of them parted by a blank: "【佐藤 健一】".
fn in_brackets(line: &str) -> Option<Vec<String>> {
    const PART: usize = 3;
    let inner = line.strip_prefix('【')?.strip_suffix('】')?;
    let part = |part: &str| {
        (1..=PART).contains(&part.chars().count())
            && part.chars().all(|c| is_ideograph(c) || is_kana(c) || c == '々')
    };
    let name = |name: &str| {
        let (family, given) = name.trim().split_once([' ', '\u{3000}'])?;
        let known = family.chars().next().is_some_and(|c| SURNAMES.contains(c));
        (known && part(family) && part(given)).then(|| format!("{family}{given}"))
    };
    inner.split(['、', '・', ',', '，']).map(name).collect()
}

/// Who signs a line with the town in capitals and the agency behind it: "Deniz Karaca / İSTANBUL, (DHA)".
fn of_agency(line: &str) -> Option<Vec<String>> {
    let line = line.trim_end_matches([' ', '-', '–', '—', ':']);
    let (before, agency) = line.strip_suffix(')')?.rsplit_once('(')?;
    let (names, place) = before.trim_end_matches([' ', ',']).rsplit_once('/')?;
    let capitals = |text: &str| {
        text.contains(char::is_alphabetic)
            && text.chars().all(|c| c.is_uppercase() || matches!(c, ' ' | '.' | '-'))
    };
    let code = (2..=5).contains(&agency.chars().count()) && agency.chars().all(char::is_uppercase);
    if !code || !capitals(place) || place.split_whitespace().count() > 3 {
        return None;
    }
    let person = |name: &str| {
        let name = name.trim();
        let is_desk = |word: &str| DESK.contains(word.to_lowercase().as_str());
        (name.split(' ').all(|word| word.starts_with(char::is_uppercase))
            && is_person(name, Voice::Line, false)
            && !ends_as_desk(name)
            && !name.split(' ').any(is_desk))
        .then(|| name.to_owned())
    };
    // "Ayşe Yılmaz-Deniz Karaca".
    let several: Option<Vec<String>> = names.split(['-', '–']).map(person).collect();
    several.or_else(|| Some(vec![person(names)?]))
}
