use super::oracle;
use super::*;
use proptest::prelude::*;

const LIMITS: Limits = Limits { depth: 512, nodes: 400_000, attributes: 500_000, bytes: 10 << 20 };
const READABLE: Keep<'_> = Keep::Readable { data: "application/ld+json" };

/// Our tree, which must be html5ever's.
fn check(page: &str, expect: &str) {
    let tree = parse(page, &LIMITS, Keep::Everything);
    let ours = oracle::outline(&tree);
    assert_eq!(ours, oracle::parse(page).outline(), "{page}");
    assert!(ours.contains(expect), "{page}\n{ours}");
    assert_eq!(tree.limit, None);
}

/// Where html5ever has another tree, the standard decides.
fn check_standard(page: &str, expect: &str) {
    let ours = oracle::outline(&parse(page, &LIMITS, Keep::Everything));
    assert_ne!(ours, oracle::parse(page).outline(), "no longer a difference: {page}");
    assert!(ours.contains(expect), "{page}\n{ours}");
}

#[test]
fn broken_markup_is_mended_as_browsers_do() {
    check("a<p>b<p>c", "|   \"a\"\n|   <p>\n|    \"b\"\n|   <p>\n|    \"c\"");
    check("<b>1<p>2</b>3", "|   <b>\n|    \"1\"\n|   <p>\n|    <b>\n|     \"2\"\n|    \"3\"");
    check("<a>1<div>2<a>3", "|   <a>\n|    \"1\"\n|   <div>\n|    <a>\n|     \"2\"\n|    <a>");
    check("<table>x<tr><td>y", "|   \"x\"\n|   <table>\n|    <tbody>\n|     <tr>\n|      <td>");
    check("x<noscript><p>n</noscript>", "|   <noscript>\n|    \"<p>n\"");
    check("<noscript><!--</noscript><p>x", "|   <noscript>\n|    \"<!--\"\n|  <body>\n|   <p>");
    check("<li>1<li>2<ul><li>3</ul>4", "|   <li>\n|    \"1\"\n|   <li>\n|    \"2\"\n|    <ul>");
    check("<p>a</div></span>b", "|   <p>\n|    \"ab\"");
    check("<svg><foreignobject><p>x</svg>y", "|    <svg foreignObject>\n|     <p>\n|      \"xy\"");
    check("<frameset><frame></frameset>", "|  <frameset>\n|   <frame>");
    check("<template><td>x</template>", "|   <template>\n|    <td>\n|     \"x\"");
}

#[test]
fn tokens_are_those_of_the_standard() {
    // Found by fuzzing: a NUL in a name reads as U+FFFD.
    check("<p a\0=1 b a\u{fffd}=2 A\0=3>", "|   <p> :a\u{fffd}=\"1\" :b=\"\"\n");
    check("<p a=1 A=2 b='&amp;&copy' c=x?y=1&lt=2 d>", "|   <p> :a=\"1\" :b=\"&©\" :c=");
    check("<html a=1><body b=1><html a=2 c=3><body b=2 d=4>", "| <html> :a=\"1\" :c=\"3\"");
    check("<!-->x<!--a--!>y<?z?></ q><!w>", "|   \"x\"\n|   !\"a\"\n|   \"y\"\n|   !\"?z?\"");
    check("a\r\nb\rc<pre>\n\nd", "|   \"a\\nb\\nc\"\n|   <pre>\n|    \"\\nd\"");
    check("1 < 2 &amp; 3 &nix; 4", "\"1 < 2 & 3 &nix; 4\"");
    check("<title>a&amp;<b></title>c", "|   <title>\n|    \"a&<b>\"");
    check("<svg><![CDATA[a<b]]></svg><![CDATA[c]]>", "|    \"a<b\"\n|   !\"[CDATA[c]]\"");
    check(
        "a\0b<svg>c\0d</svg><script>e\0f</script>",
        "|   \"ab\"\n|   <svg svg>\n|    \"c\u{fffd}d\"",
    );
    check("<style><p></STYLE ><p title=\">\">x</p", "|   <p> :title=\">\"\n|    \"x\"");
}

#[test]
fn differences_from_html5ever_are_those_that_the_standard_decides() {
    // §13.2.4.2: `search` is special, so an end tag from outside does not close it.
    check_standard("<s><search></s>x", "|   <s>\n|   <search>\n|    <s>\n|    \"x\"");
    // §13.2.6.4.13: a `thead` in table scope is enough to leave a table's section.
    check_standard("<template><thead>x<tbody>", "|    <tbody>");
    // §13.2.4.2: MathML's `annotation-xml` ends a scope.
    check_standard("<h1><math><annotation-xml></h1><b>", "|     <math annotation-xml>\n|    <b>");
}

#[test]
fn what_is_never_read_is_passed_over() {
    let page = "a<script>b</script><style>c</style><svg><path d='</svg>'/></svg><iframe>d</iframe>\
                <script type=' Application/LD+json; x'>e</script><svg><p>f</svg>";
    let tree = parse(page, &LIMITS, READABLE);
    assert_eq!(tree.text_of(0), "aef");
    assert!(!tree.nodes.iter().any(|node| node.name() == name!("path")));
    assert_eq!(parse(page, &LIMITS, Keep::Everything).text_of(0), "abcdef");
}

#[test]
fn a_page_stops_at_its_limits() {
    let stops = |page: &str, limits: Limits, expect: &str| {
        let tree = parse(page, &limits, READABLE);
        assert_eq!(tree.limit.as_deref(), Some(expect));
        tree.nodes.len()
    };
    let depth = Limits { depth: 64, ..LIMITS };
    for open in ["<div>", "<b>", "<a><b>", "<math><style>"] {
        stops(&open.repeat(20_000), depth, "more than 64 elements deep");
    }
    let nodes = Limits { nodes: 1_000, ..LIMITS };
    assert!(stops(&"<p>x".repeat(10_000), nodes, "too many nodes") < 1_020);
    let many: String = (0..5_000).map(|i| format!(" a{i}")).collect();
    stops(&format!("<p{many}>"), LIMITS, "a tag of more than 4096 attributes");
    let few = Limits { attributes: 3, ..LIMITS };
    stops("<p a b><p c d>", few, "more than 3 attributes");
    stops("<p>äöü", Limits { bytes: 6, ..LIMITS }, "more than 6 bytes of text");
    let names: String = (0..70_000).map(|i| format!("<x{i}></x{i}>")).collect();
    stops(&names, LIMITS, "too many names of elements");
    // A link that nobody closes goes on in every paragraph.
    let link = format!("<a href='{}'>", "x&amp;".repeat(20_000));
    let copies = "more than 4194304 bytes of attributes in copies of tags";
    assert!(stops(&format!("<p>{link}{}", "<p>x".repeat(1_000)), LIMITS, copies) < 600);
}

#[test]
fn a_text_may_be_replaced() {
    let mut tree = parse("<p>a<p>b", &LIMITS, Keep::Everything);
    let text = tree.descend(0).find(|&id| tree.text(id) == Some("a"));
    tree.set_text(text.expect("is there"), "c");
    assert_eq!(tree.text_of(0), "cb");
}

fn piece() -> impl Strategy<Value = String> {
    let attributes = prop::sample::select(vec![
        "",
        "",
        "",
        " a=b",
        " type=hidden",
        " color=x",
        " encoding=text/html",
        "/",
        " a=1 a=2",
        " id=\"q>\"",
        " =x",
        " B='&copy&amp;'",
        " xlink:href=u viewbox=0",
    ]);
    let texts = prop::sample::select(vec![
        "x",
        " ",
        "\n",
        "&amp;",
        "&notit;",
        "&#0;",
        "&",
        "<",
        "é",
        "a b",
        "</",
        "-->",
        "\0",
        "]]>",
        "\r\n",
        "<!-- c -->",
        "<![CDATA[q]]>",
        "<!-->",
        "<!doctype x>",
        "<!doctype html>",
        "<?pi?>",
    ]);
    let names = || prop::sample::select(oracle::PIECES);
    prop_oneof![
        8 => (names(), attributes).prop_map(|(name, attributes)| format!("<{name}{attributes}>")),
        5 => names().prop_map(|name| format!("</{name}>")),
        5 => texts.prop_map(str::to_owned),
    ]
}

/// Where a page is read for its text.
#[test]
fn noscript_holds_markup_that_cannot_leave_it() {
    let check = |page: &str, expect: &str| {
        let ours = oracle::outline(&parse(page, &LIMITS, READABLE));
        assert!(ours.contains(expect), "{page}\n{ours}");
    };
    let (holder, p) = ("|   <noscript>\n", "|   <p>\n|    \"b\"");
    for inside in [
        "<!--",
        "<i title=\"",
        "<textarea>",
        "<table><td>",
        "</div></body>",
        "<noscript>",
        "<b><a>",
    ] {
        check(&format!("<body>a<noscript>{inside}</noscript><p>b"), p);
        check(&format!("<body>a<noscript>{inside}</noscript><p>b"), holder);
    }
    check("a<noscript><p>n</noscript>", "|   <noscript>\n|    <p>\n|     \"n\"");
}

proptest! {
    #[test]
    fn any_markup_has_the_tree_of_html5ever(pieces in prop::collection::vec(piece(), 0..24)) {
        let page = pieces.concat();
        let tree = parse(&page, &LIMITS, Keep::Everything);
        prop_assume!(!oracle::html5ever_differs(&tree));
        prop_assert_eq!(oracle::outline(&tree), oracle::parse(&page).outline());
    }

    #[test]
    fn links_of_any_text_are_sound(page in "(<(/?(p|b|a|table|td|svg|math|script|noscript|select|li|x)( a=b)?/?)>|<!--|-->|[a-z< &]|é){0,60}") {
        for keep in [Keep::Everything, READABLE] {
            let tree = parse(&page, &LIMITS, keep);
            for id in tree.descend(0) {
                let parent = tree.parent(id).expect("linked nodes have parents");
                prop_assert!(tree.children(parent).any(|child| child == id));
            }
        }
    }
}
