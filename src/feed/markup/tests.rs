use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn shape<'a>(tokens: impl Iterator<Item = Token<'a>>) -> String {
    tokens
        .map(|t| match t {
            Token::Open { name, empty, .. } => {
                format!("<{name}{}>", if empty { "/" } else { "" })
            }
            Token::Close { name } => format!("</{name}>"),
            Token::Text(t) => format!("'{t}'"),
            Token::Cdata(t) => format!("[{t}]"),
        })
        .collect()
}

#[test]
fn tokens() {
    let check = |text: &str, expect: &str| assert_eq!(shape(Tokens::new(text)), expect, "{text}");
    check("<a><b/>x</a>", "<a><b/>'x'</a>");
    check("<?xml version='1.0'?><!-- <no> --><a>", "<a>");
    check("<!DOCTYPE x [<!ENTITY a \"b\">]><r>", "<r>");
    check("<![CDATA[a<b>]]>", "[a<b>]");
    check("<![CDATA[cut", "[cut]");
    check("1 < 2 <3 &lt;<b>", "'1 < 2 <3 &lt;'<b>");
    check("<a title=\"x > y\">t", "<a>'t'");
    check("<a title=\"forgotten>t</a><b c=\"d\">", "<a>'t'</a><b>");
    check("<a don't>t</a>", "<a>'t'</a>");
    check("<a href=\"cut", "");
    check("<a hr", "");
    check("ж<б>", "'ж<б>'");
}

/// What scripts, styles, titles and fields hold, and declarations of other readers, hide nothing that follows.
#[test]
fn tokens_of_pages() {
    let check = |text: &str, expect: &str| assert_eq!(shape(page_tokens(text)), expect, "{text}");
    check("<script>var t=\"<!--\";</script><a>", "<script></script><a>");
    check("<script>var c=\"<![CDATA[\";</script><a>", "<script></script><a>");
    check("<script><!-- <script> </script> --></script><a>", "<script></script><a>");
    check("<style>a:before{content:\"<!--\"}</STYLE ><a>", "<style></STYLE><a>");
    check("<textarea><!-- </textarea><a>", "<textarea>'<!-- '</textarea><a>");
    check("<Title>A <!-- B <a></title><a>", "<Title>'A <!-- B <a>'</title><a>");
    check("<iframe><a></iframe><xmp><a></xmp>", "<iframe></iframe><xmp></xmp>");
    check("<script/><a></script><b>", "<script/></script><b>");
    check("<titles><!-- <a> --><b></titles>", "<titles><b></titles>");
    check("<![endif]--><a>", "<a>");
    check("<!--[if IE]><a><![endif]--><b>", "<b>");
    check("<!--><a><!---><b><!-- --!><c>", "<a><b><c>");
    check("<!DOCTYPE x [<a>]><?php <b> ?><i>", "']>'' ?>'<i>");
    check("<![CDATA[a>b<c>]]>", "'b'<c>']]>'");
    check("<svg><title/><a></svg><title><b></title>", "<svg><title/><a></svg><title>'<b>'</title>");
    check("<script><a>", "<script>");
    // In feeds none of this is so.
    let feed = "<title><!-- x -->a<b></title><![CDATA[c>d]]>";
    assert_eq!(shape(Tokens::new(feed)), "<title>'a'<b></title>[c>d]");
}

#[test]
fn attribute_values() {
    let check = |inner: &str, name: &str, expect: Option<&str>| {
        assert_eq!(attribute(inner, name, 100).as_deref(), expect, "{inner}");
    };
    check(" href=\"a&amp;b\" rel='x'", "href", Some("a&b"));
    check(" HREF = a/b rel=x", "href", Some("a/b"));
    check(" hidden rel=x", "hidden", Some(""));
    check(" a=1 b=2", "c", None);
    check(" = = \" href=x", "href", None);
}

#[test]
fn plain_text() {
    let check = |html: &str, expect: &str| assert_eq!(plain(html, 200), expect, "{html}");
    check(" <p>One</p><p>two</p> ", "One two");
    check("AT&amp;amp;T &amp;eacute;t&eacute;", "AT&T été");
    check("&amp;lt;p&amp;gt;x&amp;lt;/p&amp;gt; &lt;b&gt;y&lt;/b&gt; a &lt; b", "x y a < b");
    check("a&nbsp;&#8211;&#x20AC;&#150;", "a –€–");
    check("R&D, Q&A; &unknown;", "R&D, Q&A; &unknown;");
    check("Vec<u8> <b>bold</b> <3", "Vec<u8> bold <3");
    check("<style>p{}</style>x<script>1<2</script>y", "xy");
    check("&#0;&#xD800;&#99999999;", "&#0;&#xD800;&#99999999;");
    assert_eq!(plain("ab cd ef", 5), "ab cd");
    // What page titles leave out, too.
    assert_eq!(plain("\u{202B}a\u{202C}\u{AD}b &#146;&#x200F;c", 200), "ab ’c");
}

proptest! {
    #[test]
    fn any_text_ends(text in "[<>a-c/=\"'&;!\\[\\]\\- ?#ж]{0,200}") {
        for token in Tokens::new(&text) {
            if let Token::Open { attributes: inner, .. } = token {
                attributes(inner).for_each(drop);
            }
        }
        plain(&text, 50);
    }

    /// The links of any page are those of its tree, which is the one that browsers build.
    #[test]
    fn links_of_a_page_are_those_of_its_tree(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                "<script>", "</script>", "<style>", "</style >", "<title>", "</TITLE>", "<textarea>",
                "</textarea>", "<iframe src=x>", "</iframe>", "<xmp>", "</xmp>", "<!--", "-->", "--!>",
                "<!-->", "<![CDATA[", "]]>", "<![endif]>", "<?x y ?>", "<!x>", "'", "\"", "-",
                ">", "< ", "&lt;", "</a>", "<p>", "<p/>", "LINK",
            ]), 0..40)
    ) {
        let mut page = "<body>".to_owned();
        for (n, part) in parts.iter().enumerate() {
            page += &part.replace("LINK", &format!("<a href=/{n}>"));
        }
        let limits = html::Limits { depth: 512, nodes: 10_000, attributes: 10_000, bytes: 1 << 20 };
        let tree = html::parse(page.as_str(), &limits, html::Keep::Everything);
        let anchors = tree.descend(tree.root()).filter(|id| tree.name(*id) == "a");
        let expect: BTreeSet<String> =
            anchors.filter_map(|id| tree.attr(id, "href")).map(Into::into).collect();
        let found = page_tokens(&page).filter_map(|token| match token {
            Token::Open { name: "a", attributes, .. } => attribute(attributes, "href", 9),
            _ => None,
        });
        prop_assert_eq!(found.collect::<BTreeSet<_>>(), expect, "{}", page);
    }

    #[test]
    fn a_text_is_read_as_it_was_written(text in "\\PC{0,9}[<>\"'&#;]{0,9}(amp;|lt|&#0;)?\\PC{0,9}") {
        let markup = escaped(&text);
        prop_assert!(!markup.contains(['<', '>', '"', '\'']));
        prop_assert_eq!(decode(&markup), text);
    }
}
