//! Sheets in addresses, and how many sheets are read.

use super::tests::seen;
use super::*;
use crate::extract::dom::{Limits, parse};

#[test]
fn sheets_in_addresses() {
    let check = |head: &str, expect: &str| {
        assert_eq!(seen(&format!("{head}<p>a<p class=x>b<p>c")), expect, "{head}");
    };
    for gone in [
        "<link rel=stylesheet href='data:text/css,.x{display:none}'>",
        "<link rel='preload StyleSheet' href=' DATA:text/css;charset=utf-8,.x%7bdisplay:%6e\none}#a'>",
        "<link rel=stylesheet href=data:text/css;base64,LnggewpkaXNwbGF5Om5vbmUgfQ>",
        "<style>.x{display:block}</style><link rel=stylesheet href='data:text/css,.x{display:none}'>",
        "<style>@import 'data:text/css,.x{display:none}';</style>",
        "<style>@charset 'a';@import url( 'data:text/css,.x{display:none}' ) layer(a) screen;p{top:0}</style>",
        "<style>@import url(data:text/css;base64,LnggewpkaXNwbGF5Om5vbmUgfQ);</style>",
        "<style>@import 'data:text/css,.x{display:none}' layer supports(display:block) all;</style>",
        "<style>.x:dir(ltr){display:none}</style>",
        "<style>.x{color:color-mix(in srgb, #fff, #fefefe)}</style>",
        "<style>@import 'data:text/css,@import \\'data:text/css;base64,LnggewpkaXNwbGF5Om5vbmUgfQ\\';';</style>",
    ] {
        check(gone, "ac");
    }
    for there in [
        "<link rel=stylesheet href='data:text/plain,.x{display:none}'>",
        "<link rel=stylesheet href='data:,.x{display:none}'>",
        "<link rel=stylesheet href='data:text/css,.x{display:none}' media=print>",
        "<link rel=stylesheet href='data:text/css,.x{display:none}' disabled>",
        "<link rel='alternate stylesheet' title=a href='data:text/css,.x{display:none}'>",
        "<link rel=icon href='data:text/css,.x{display:none}'>",
        "<link rel=stylesheet href='data:text/css;base64,*'>",
        "<link rel=stylesheet href='data:text/css,.x{display:none}'><style>.x{display:block}</style>",
        "<style>@import 'data:text/css,.x{display:none}' print;</style>",
        "<style>@import 'data:text/css,.x{display:none}' supports(not (display:block));</style>",
        "<style>@import 'data:text/css,.x{display:none}';.x{display:block}</style>",
        "<style>p{top:0}@import 'data:text/css,.x{display:none}';</style>",
        "<noscript><link rel=stylesheet href='data:text/css,.x{display:none}'></noscript>",
    ] {
        check(there, "abc");
    }
}

/// Who hides a text by one rule and shows it by a weaker one, or for others, has hidden it.
#[test]
fn layers_readers_and_encodings_of_sheets_in_addresses() {
    let check = |head: &str, expect: &str| {
        assert_eq!(seen(&format!("{head}<p>a<p class=x>b<p>c")), expect, "{head}");
    };
    for gone in [
        "<style>@import 'data:text/css,p.x.x.x{display:block}' layer(a);.x{display:none}</style>",
        "<style>@import 'data:text/css,p.x.x.x{display:block}' layer;.x{display:none}</style>",
        "<style>@import 'data:text/css,}p.x.x.x{display:block}' layer(a);.x{display:none}</style>",
        "<style>@layer{p.x.x{display:block}}.x{display:none}</style>",
        "<style>@layer a.b{p.x.x{display:block}}.x{display:none}</style>",
        "<style>@layer a;@import 'data:text/css,.x{display:none}' layer(b);@layer a{.x{display:block}}</style>",
        "<link rel=stylesheet href='data:text/css;charset=utf-16le;base64,LgB4AHsAZABpAHMAcABsAGEAeQA6AG4AbwBuAGUAfQA='>",
    ] {
        check(gone, "ac");
    }
    for there in [
        "<style media='screen, print'>@import 'data:text/css,.x{display:none}' print;</style>",
        "<style>@import 'data:text/css,.x{display:none}' supports(font-tech(banana));</style>",
        "<style>@layer b,a;@import 'data:text/css,.x{display:none}' layer(b);@layer a{.x{display:block}}</style>",
        "<link rel=stylesheet type=text/x href='data:text/css,.x{display:none}'>",
        "<link rel=stylesheet href='data:text/css,@import \"x.css\";'><style>.x{color:#fff}</style>",
        "<div dir=auto><style>.x:dir(ltr){display:none}</style>",
    ] {
        check(there, "abc");
    }
}

#[test]
fn more_sheets_than_are_read() {
    for one in ["<style></style>", "<link rel=stylesheet href='data:text/css,'>"] {
        let page = |count| format!("{}<p hidden>a", one.repeat(count));
        let full = |count| of(&parse(&page(count), &Limits::default())).full;
        let most = written::MAX_SHEETS;
        assert_eq!((full(most), full(most + 1)), (false, true), "{one}");
    }
}

/// Sheets that browsers do not apply.
#[test]
fn sheets_that_are_not_applied() {
    let gone = "<style>.x{display:none}</style>";
    let shown = ".x{display:block}";
    let policy =
        |text: &str| format!("<meta http-equiv=content-security-policy content=\"{text}\">");
    let (none, some) = (policy("style-src 'none'"), policy("default-src 'unsafe-inline'"));
    for (head, body, expect) in [
        (
            format!("<style title=a></style><style title=b>{shown}</style>"),
            "<p class=x hidden>b",
            "a",
        ),
        (
            format!("<style title=a></style><style title=a>{shown}</style>"),
            "<p class=x hidden>b",
            "ab",
        ),
        (
            format!("<link rel=stylesheet title=a href=a><style title=b>{shown}</style>"),
            "<p class=x hidden>b",
            "a",
        ),
        (
            format!("<meta http-equiv=default-style content=b><style title=a>{shown}</style>"),
            "<p class=x hidden>b",
            "a",
        ),
        // What is for nobody or for browsers without scripts chooses no set.
        (
            format!(
                "<noscript><style title=b></style><meta http-equiv=default-style content=b>\
                 </noscript><style title=a>{shown}</style>"
            ),
            "<p class=x hidden>b",
            "ab",
        ),
        (format!("{none}<style>{shown}</style>"), "<p class=x hidden>b", "a"),
        (format!("{none}{gone}"), "<p class=x>b", "ab"),
        (none.clone(), "<p style='display:block' hidden>b", "a"),
        (format!("{some}{gone}"), "<p class=x>b", "a"),
        (
            format!("{}<style nonce=n>{shown}</style>", policy("style-src 'nonce-n'")),
            "<p class=x hidden>b",
            "ab",
        ),
        (
            format!("{}<style nonce=N>{shown}</style>", policy("style-src\n 'nonce-N'\n 'self'")),
            "<p class=x hidden>b",
            "ab",
        ),
        // Letters of nonces have a case, and those of other directives say nothing of styles.
        (
            format!("{}<style nonce=n>{shown}</style>", policy("style-src 'nonce-N'")),
            "<p class=x hidden>b",
            "a",
        ),
        (
            format!(
                "{}<style nonce=n>{shown}</style>",
                policy("style-src 'none';script-src 'nonce-n'")
            ),
            "<p class=x hidden>b",
            "a",
        ),
        (
            format!(
                "{}<style>{shown}</style>",
                policy("style-src\n'sha256-GKOzxTON4jIZKo5qikDe0m9p-T0fApTTNc2FSPGyuFs='")
            ),
            "<p class=x hidden>b",
            "ab",
        ),
        (
            format!(
                "{}<link rel=stylesheet href='data:text/css,{shown}'>",
                policy("style-src data:")
            ),
            "<p class=x hidden>b",
            "ab",
        ),
        (
            format!("<link rel=stylesheet integrity=sha256-AAAA href='data:text/css,{shown}'>"),
            "<p class=x hidden>b",
            "a",
        ),
        (
            "<link rel=stylesheet integrity=sha256-AAAA href='data:text/css,i{}'>".to_owned()
                + gone,
            "<p class=x>b",
            "a",
        ),
        // Rules of the document do not reach into shadow roots.
        (
            format!("<style>{shown}</style>"),
            "<div><template shadowrootmode=open><p class=x hidden>b</template></div>",
            "a",
        ),
        // What is for browsers without scripts ends at the first end tag.
        (String::new(), "<noscript><!--</noscript><div hidden><!-- --></noscript><p>b</div>", "a"),
        (String::new(), "<noscript><!--</noscript><p>b</p><!-- --></noscript>", "ab"),
    ] {
        let html = format!("<head>{head}</head><body>a{body}");
        assert_eq!(seen(&html), expect, "{html}");
    }
}
