//! Lines that sign by their form, and bylines of East Asia.

use super::tests::check;
use super::*;

/// "Journalist" stands behind a name in Korean, and what kind of journalist before it.
#[test]
fn journalists_of_korea() {
    let line = |printed: &str, expect: &[&str]| {
        check(Voice::Line, printed, expect);
        assert_eq!(introduces(printed), !expect.is_empty(), "{printed}");
        assert!(may_introduce(printed) || expect.is_empty());
    };
    for printed in [
        "김민수 기자",
        "김민수기자",
        "기자명 김민수 기자",
        "김민수 기자 minsu@herald.example",
        "김민수 기자 (minsu@herald.example)",
        "서울=김민수 특파원",
    ] {
        line(printed, &["김민수"]);
    }
    for printed in [
        "김민수 기자, 이영희 기자",
        "김민수·이영희 기자",
        "김민수, 이영희 기자",
        "김민수 · 이영희기자",
        "서울=김민수·이영희 기자",
    ] {
        line(printed, &["김민수", "이영희"]);
        assert!(is_list(printed, &names(printed, &[], Voice::Line)), "{printed}");
    }
    line("글·사진 김민수 기자", &["김민수"]);
    line("글=김민수 기자", &["김민수"]);
    line("유시민 기자", &["유시민"]);
    for printed in [
        "연합뉴스 기자",
        "정치부 기자",
        "전문 기자",
        "사진 기자",
        "기자",
        "방송기자",
        "신문기자",
        "정치 기자",
        "문화기자",
        "한겨레 기자",
        "정치전문 기자",
        "사진·영상 기자",
        "김민수·사진 기자",
        "김민수·이영희",
    ] {
        line(printed, &[]);
    }
    for printed in ["김민수 선임기자", "정치부 김민수 기자", "김민수 전문기자"]
    {
        check(Voice::Marked, printed, &["김민수"]);
    }
    for printed in ["방송기자", "신문기자", "서울주재 특파원"] {
        check(Voice::Marked, printed, &[]);
    }
    for sentence in ["김민수 기자 질문에 답했다", "김민수 기자회견", "사진 김민수 기자"]
    {
        assert!(!introduces(sentence), "{sentence}");
    }
}

/// Who edited, checked or took pictures stands behind the reporter, and a place behind a slash, in Chinese.
#[test]
fn reporters_in_chinese() {
    for voice in [Voice::Line, Voice::Marked] {
        let check = |printed: &str, expect: &[&str]| check(voice, printed, expect);
        check("记者:周晓棠 编辑:马立", &["周晓棠"]);
        check("作者：周晓棠 责任编辑：马立", &["周晓棠"]);
        check("記者：周曉棠　攝影：馬立", &["周曉棠"]);
        check("作者：周晓棠 来源：青岚日报", &["周晓棠"]);
        check("記者周曉棠/台北報導", &["周曉棠"]);
        check("記者周曉棠、馬立／綜合報導", &["周曉棠", "馬立"]);
        check("【記者周曉棠/台北報導】", &["周曉棠"]);
        check("【记者周晓棠/青岚报导】", &["周晓棠"]);
        check("文/周晓棠", &["周晓棠"]);
        check("编辑:马立", &[]);
        check("【編輯：馬立】", &[]);
    }
    check(Voice::Told, "記者周曉棠/台北報導", &["周曉棠"]);
    // Names that stand in brackets alone, in Japanese.
    for printed in ["【佐藤 健一】", "【佐藤　健一】"] {
        check(Voice::Line, printed, &["佐藤健一"]);
        assert!(introduces(printed) && may_introduce(printed));
    }
    check(Voice::Line, "【佐藤 健一、鈴木 花子】", &["佐藤健一", "鈴木花子"]);
    for other in
        ["【写真 一覧】", "【佐藤】", "【佐藤 健一さんの話】", "佐藤 健一", "【山田 花子 写真】"]
    {
        assert!(!introduces(other), "{other}");
    }
}

/// In Turkey an agency's reporter stands before a slash, the town and the agency.
#[test]
fn reporters_of_turkish_agencies() {
    for (printed, name) in [
        ("Deniz Karaca / YEŞİLKOY, (YHA)", "Deniz Karaca"),
        ("Deniz KARACA/YEŞİLKOY, (YHA)-", "Deniz KARACA"),
        ("Ayşe Nur YILMAZ / İSTANBUL, (DHA) –", "Ayşe Nur YILMAZ"),
    ] {
        check(Voice::Line, printed, &[name]);
        assert!(introduces(printed) && may_introduce(printed), "{printed}");
    }
    for other in [
        "Deniz Karaca / Yeşilkoy, (yha)",
        "AC/DC (AP)",
        "Deniz Karaca (YHA)",
        "Spor / YEŞİLKOY, (YHA)",
        "Gelir / Gider tablosu, (TL)",
        "Yeni Haber Merkezi / YEŞİLKOY, (YHA)",
        "Son Dakika / YEŞİLKOY (YHA) bildirdi",
    ] {
        assert!(!introduces(other) || names(other, &[], Voice::Line).is_empty(), "{other}");
    }
}

/// An outlet with the portal behind a bar that shows its articles.
#[test]
fn portals_behind_outlets() {
    for told in ["해오름뉴스 | 네이바", "연합뉴스 | 네이버", "머니투데이 | 네이버"]
    {
        let named = names(told, &[], Voice::Told);
        assert!(!named.is_empty() && named.iter().all(|name| name.desk), "{named:?}");
    }
    let named = names("연합뉴스 | 김민수", &[], Voice::Told);
    assert!(named.iter().any(|name| name.person && !name.desk && name.text == "김민수"));
}

/// "Journalist" stands before names in Chinese, behind the outlet, and labels them in head lines.
#[test]
fn journalists_of_china() {
    let line = |printed: &str, expect: &[&str]| {
        check(Voice::Line, printed, expect);
        assert_eq!(introduces(printed), !expect.is_empty(), "{printed}");
        assert!(may_introduce(printed) || expect.is_empty(), "{printed}");
    };
    for printed in [
        "山谷日报记者 王小明",
        "■ 山谷日报记者 王小明",
        "整合 山谷日报·海港点记者 王小明",
        "（记者 王小明）",
        "来源：山谷日报 作者：王小明",
        "2026-03-04 12:30 来源：山谷日报 记者：王小明 编辑：李建国",
        "山谷網記者 王小明 實習生 李建国",
        "2026年3月4日 作者：王小明",
        "（山谷日报全媒体记者 王小明）",
        "（本报记者 王小明）",
    ] {
        line(printed, &["王小明"]);
    }
    line("山谷日报记者 王小明 李建国", &["王小明", "李建国"]);
    line("来源：山谷日报 作者：王小明、李建国 责任编辑：赵海", &["王小明", "李建国"]);
    for other in [
        "山谷日报记者 最新消息",
        "新闻记者 昨日到达现场采访",
        "山谷日报记者王小明报道",
        "作者：",
        "来源：山谷日报",
        "书名：旧桥 作者：王小明",
        "书名：旧桥 作者：王小明 出版日期：2026年3月4日",
        "更多 作者：王小明",
        "来源：山谷日报 作者：管理员",
        "来源：山谷日报 作者：原创",
        "（受伤记者 刘洋）",
        "（前山谷日报记者 刘洋）",
    ] {
        assert!(!introduces(other), "{other}");
    }
    let inside = |text: &str, expect: Option<&str>| {
        let found = in_parentheses(text).map(|names| names.join(" "));
        assert_eq!(found.as_deref(), expect, "{text}");
    };
    inside("山谷新闻讯（记者 王小明）港口昨日开放。", Some("王小明"));
    inside("港口昨日开放。（总台记者 王小明 李建国）", Some("王小明 李建国"));
    inside("据山谷社电（记者 马立）港口昨日开放。", Some("马立"));
    inside("港口昨日开放。（山谷日报记者 王小明 通讯员 李建国）", Some("王小明"));
    inside("（本报记者 王小明 摄影报道）", Some("王小明"));
    for other in [
        "（记者 提问）",
        "（本报记者 现场报道）",
        "（受伤记者 刘洋）",
        "（前山谷日报记者 刘洋）",
        "（记者 管理员）",
        "（记者 格桑）",
        "（记者 王小明建国）",
    ] {
        inside(&format!("港口昨日开放。{other}"), None);
        assert_eq!(signed_by_form(other), None, "{other}");
    }
    inside("他（当时是一名记者，后来 王小明）", None);
    inside("（记者）王小明", None);
    inside("（摄影 王小明）", None);
    inside("记者 王小明", None);
}
