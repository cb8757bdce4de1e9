//! Values that hide, and how sheets are cut; any text ends.

use super::*;
use proptest::prelude::*;

/// Does the last declaration of any property hide?
fn hides(style: &str) -> bool {
    let mut last = [None; Property::COUNT];
    declarations(style, Reading::All, &mut |d| last[d.property as usize] = Some(d.effect));
    last.iter().flatten().any(|effect| effect.hides())
}

#[test]
fn values_that_hide() {
    for style in [
        "display:none",
        "word-spacing: -99em",
        "content: url(x)",
        "content: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=) / 'a b'",
        "clip-path: path('M0 0')",
        "clip-path: path(evenodd, \"M 0 0 z\")",
        "clip-path: circle(5px at -99px 50%)",
        "font-size-adjust: 0",
        "clip-path: polygon(-9px -9px, -8px -9px, -8px -8px)",
        "clip-path: circle(4px at 50% 50%)",
        "color: color-mix(in srgb, transparent, transparent 30%)",
        "color: color-mix(in oklch longer hue, #f000 10%, red 0%)",
        "DISPLAY : None ;",
        "color:red;display:none",
        "display:none!important",
        "display:none ! important",
        "disp\\6c ay:n\\6Fne",
        "display:/* x */none",
        "color:url(a;b);display:none",
        "content:'a;b';display:none",
        "visibility:hidden",
        "visibility:COLLAPSE",
        "opacity:0",
        "opacity: 0.00%",
        "font-size:0",
        "font-size:0px",
        "font-size:.0em",
        "font:0/0 a",
        "text-indent:-9999px",
        "left:-99em",
        "top:-100vh",
        "clip:rect(0,0,0,0)",
        "clip: rect(1px 1px 1px 1px)",
        "clip-path: inset(50%)",
        "clip-path: inset(0 100% 0 0 round 3px)",
        "clip-path: circle(0 at 50% 50%)",
        "clip-path: ellipse(0 0)",
        "clip-path: polygon(0 0, 0 0, 0 0)",
        "opacity: -1",
        "opacity: 0e0",
        "opacity:calc(0)",
        "font-size: 0vw",
        "font-size: clamp(0px, 1px - 1px, 2px)",
        "font-size: .01em",
        "left: calc(0px - 9999px)",
        "inset: auto auto auto -9999px",
        "inset-block-start: -9999px",
        "filter: blur(2px) opacity(0%)",
        "zoom: .01",
        "transform: scale(0)",
        "transform: rotate(3deg) scale(1, 0)",
        "transform: translateX(-9999px)",
        "transform: rotateX(90deg)",
        "transform: matrix(0, 0, 0, 0, 0, 0)",
        "scale: 0",
        "translate: 0 -9999px",
        "content-visibility: hidden",
    ] {
        assert!(hides(style), "{style}");
    }
    for style in [
        "",
        "word-spacing:-.1em",
        "word-spacing:normal",
        "content:'a(b)'",
        "content:none",
        "content:counter(a)",
        "clip-path:path('M0 0L9 9V0z')",
        "clip-path:circle(99px at -9px 50%)",
        "font-size-adjust:.5",
        "font-size-adjust:none",
        "clip-path:circle(50px)",
        "clip-path:polygon(0 0, 9px 0, 9px 9px)",
        "color:color-mix(in srgb, black, white)",
        "display:block",
        "display:none;display:block",
        "display:nonesuch",
        "x-display:none",
        "display:none none",
        "display:none\u{a0}",
        "display:none\u{a0}!important",
        "--display:none",
        "content:'display:none'",
        "/*display:none*/",
        "display",
        "display:none!ie",
        "opacity:.5",
        "opacity:calc(var(--x))",
        "font-size:12px",
        "font:12px/0 a",
        "text-indent:-1em",
        "left:-1px",
        "clip:rect(0,100px,100px,0)",
        "clip-path: inset(50% -100% -100% -100%)",
        "clip-path: inset(50% 0 0 0)",
        "clip-path: polygon(0 0, 100% 0, 100% 100%)",
        "clip-path: circle(50%)",
        "filter: opacity(50%)",
        "zoom: 1",
        "transform: scale(.5)",
        "transform: scale(var(--x))",
        "transform: rotateY(0)",
        "transform: translate3d(-1280px, 0, 0)",
        "transition: transform 0s",
        "a{display:none}",
    ] {
        assert!(!hides(style), "{style}");
    }
}

/// A value that browsers do not know is no declaration; one that only they can compute may show.
#[test]
fn values_that_are_none() {
    for name in
        ["opacity", "font-size", "visibility", "display", "clip-path", "font", "text-indent"]
    {
        let hiding = match name {
            "visibility" => "hidden",
            "display" => "none",
            "clip-path" => "inset(50%)",
            "font" => "0/0 a",
            "text-indent" => "-9999px",
            _ => "0",
        };
        assert!(hides(&format!("{name}:{hiding};{name}:banana")), "{name}");
        assert!(!hides(&format!("{name}:{hiding};{name}:var(--x)")), "{name}");
    }
    assert!(hides("position:absolute;left:-999px;left:banana"));
}

#[test]
fn layers_and_nesting_are_told() {
    let mut found = Vec::new();
    rules(
        "@layer b,c.d;@layer a{.x{.y{z:w}}}.v{}@layer{.u{}}",
        WHOLE,
        Reading::All,
        |_, _| true,
        &mut |part| match part {
            Part::Layers(names) => found.push(format!("@{}", names.trim())),
            Part::Animation(name, _) => found.push(name.to_owned()),
            Part::Deep => found.push("deep".to_owned()),
            Part::Rule(r) => found.push(format!(
                "{} {} {} {} {}",
                r.selectors,
                r.layer.unwrap_or("-"),
                r.nested,
                r.holds,
                r.sure
            )),
        },
    );
    let expect = [
        "@b,c.d",
        "@a",
        ".x a 0 true true",
        ".y a 1 false true",
        ".v - 0 false true",
        // It loses against what stands in none, whatever its name.
        "@",
        ".u  0 false false",
    ];
    assert_eq!(found, expect);
}

#[test]
fn sheets_are_cut_into_rules() {
    let check = |sheet: &str, expect: &[(&str, bool, bool)]| {
        let mut found = Vec::new();
        rules(sheet, WHOLE, Reading::All, |_, _| true, &mut |part| {
            let Part::Rule(r) = part else { return };
            let hides = r.declarations.iter().any(|d| d.effect == Effect::Hides);
            found.push((r.selectors.trim().to_owned(), hides, r.sure));
        });
        let expect: Vec<_> = expect.iter().map(|&(s, h, sure)| (s.to_owned(), h, sure)).collect();
        assert_eq!(found, expect, "{sheet}");
    };
    let gone = "{display:none}";
    check(".a{b:c}", &[(".a", false, true)]);
    check(&format!("<!-- .a , .b {gone} -->"), &[(".a , .b", true, true)]);
    check(&format!("/* .x{gone} */.a{{}}.b{gone}/*"), &[(".a", false, true), (".b", true, true)]);
    check(&format!("@import url(a;b.css);.a{gone}"), &[(".a", true, true)]);
    check(&format!("@font-face{{x:url(data:,{{}})}}.a{gone}"), &[(".a", true, true)]);
    check(
        "@charset \"utf-8\";.a{b:'}'}.c{x:y;opacity:0",
        &[(".a", false, true), (".c", true, true)],
    );
    check(&format!("@media print{{.a{gone}}}.c{gone}"), &[(".c", true, true)]);
    check(&format!("@MEDIA screen and (min-width:600px){{.a{gone}}}"), &[(".a", true, true)]);
    check(&format!("@media (max-width:600px){{.a{gone}}}.c{gone}"), &[(".c", true, true)]);
    check(
        &format!("@media (hover:hover){{.a{gone}}}.c{{d}}"),
        &[(".a", true, false), (".c", false, true)],
    );
    check(
        &format!("@media print,screen{{@supports (display:grid){{.a{gone}}}}}"),
        &[(".a", true, true)],
    );
    check(&format!("@keyframes x{{from{gone}to{{c:d}}}}.a{gone}"), &[(".a", true, true)]);
    check(&format!("@supports (a:b){{.a{gone}}}"), &[]);
    check(&format!("@supports (-ms-ime-align:auto){{.a{gone}}}.b{gone}"), &[(".b", true, true)]);
    check(&format!("@scope (.b){{.a{gone}}}"), &[(".b", false, true), (".a", true, true)]);
    check(&format!("@scope (.b) to (.c){{.a{gone}}}"), &[(".a", true, false)]);
    check(&format!("@starting-style{{.a{gone}}}"), &[]);
    check(
        &format!(".a{{b;&:hover{gone}d}}.b{gone}"),
        &[(".a", false, true), ("&:hover", true, true), (".b", true, true)],
    );
    check(".a{b;&:hover{c}display:none}", &[(".a", true, true), ("&:hover", false, true)]);
    check(
        &format!(".a{{@media screen{{display:none;.b{gone}}}d}}.c{gone}"),
        &[(".a", false, true), ("&", true, true), (".b", true, true), (".c", true, true)],
    );
    check(".a{b:url(;});display:none}", &[(".a", true, true)]);
    check(".a{b:(;display:none);c:d}", &[(".a", false, true)]);
    check(".a{b:(;display:none}.c{d}", &[(".a", false, true), (".c", false, true)]);
    check("}}.a{opacity:0}", &[(".a", true, true)]);
    check("@media", &[]);
}

proptest! {
    #[test]
    fn any_sheet_ends(sheet in "[a-c.#{}();:,@/*\\\\'\"! é-]{0,120}|(@media |@import |layer\\(|supports\\(|screen|\\{|\\}|url\\(|/\\*|\\*/|display:none|;){0,40}") {
        rules(&sheet, WHOLE, Reading::All, |_, _| true, &mut |part| {
            if let Part::Rule(rule) = part {
                drop(plain(rule.selectors));
            }
        });
        declarations(&sheet, Reading::All, &mut |_| {});
        imports(&sheet, &mut |_| {});
    }

    /// A comment keeps a declaration from being read as it stands.
    #[test]
    fn declarations_with_comments_are_read_as_others(style in "((display|DISPLAY|opacity|font|font-size|font-family|text-indent|top|to|color|;| )?(:|: |;)?(none|0|-9999px|block|a/b|url\\(a;b\\)|'a;b'|!important|é)?[;} ]?){0,9}") {
        let read = |style: &str| {
            let mut found = Vec::new();
            declarations(style, Reading::All, &mut |d| found.push(d));
            found
        };
        prop_assert_eq!(read(&style), read(&format!("/**/{style}")));
        let mut rules_of = [Vec::new(), Vec::new()];
        for (sheet, found) in [format!("a,b{{{style}}}"), format!("a,b/**/{{/**/{style}}}")].iter().zip(&mut rules_of) {
            rules(sheet, WHOLE, Reading::All, |_, _| true, &mut |part| {
                if let Part::Rule(r) = part {
                    found.push((r.declarations.to_vec(), r.sure));
                }
            });
        }
        prop_assert_eq!(&rules_of[0], &rules_of[1]);
    }

    /// What is passed over is told, and hides nothing by itself.
    #[test]
    fn what_a_glance_passes_over_hides_nothing(
        name in prop::sample::select(NAMES.to_vec()),
        prefix in prop::sample::select(vec!["", "", "-webkit-", " "]),
        value in "(NONE|none|block|hidden|collapse|clear|transparent|visible|auto|inherit|nowrap|pre|normal|absolute|fixed|disc|strict|paint|#0000|#00000000|#123456|rgba\\(0,0,0,0\\)|red|scale\\(0\\)|translateX\\(-99999px\\)|rect\\(0,0,0,0\\)|inset\\(50%\\)|opacity\\(0\\)|blur\\(9px\\)|rotateX\\(90deg\\)|calc\\(0px - 9999px\\)|var\\(--a\\)|move 1s|x 90deg|small|(ex|cap)-height 0|-0(px)?|(27|68)(in|CM)|[12]\\.[0-9](px|%|q|em)|[ ]?[-+.]?[0-9.]{1,5}(e-?[0-9]{1,2})?(px|PX|%|em|rem|vw|vh|pt|q|mm|ex|in|ch|cm)?){1,2}",
        flag in prop::sample::select(vec!["", "", "!important", " ! IMPORTANT"]),
    ) {
        let style = format!("{prefix}{name}:{value}{flag}");
        let read = |reading| {
            let mut found = Vec::new();
            let passed = declaration(&style, false, reading, &mut |d| found.push(d));
            (found, passed)
        };
        let (all, _) = read(Reading::All);
        for reading in [Reading::Hiding, Reading::Uncommon, Reading::Untold] {
            let (found, passed) = read(reading);
            prop_assert!(found.iter().all(|d| all.contains(d)));
            for d in all.iter().filter(|d| !found.contains(d)) {
                prop_assert!(passed.has(d.property), "{:?} {}", d, style);
                let alone = matches!(d.effect, Effect::Hides | Effect::Gone | Effect::Far | Effect::Moves(_) | Effect::Varies(_));
                let decides = DECIDING.has(d.property) || d.property == Property::Ground;
                prop_assert!(!alone || decides, "{:?} {}", d, style);
                prop_assert!(!alone || !CUTS.has(d.property), "{:?} {}", d, style);
                let may_pass = match reading {
                    Reading::Uncommon => COMMON.has(d.property),
                    Reading::Untold => !property::UNTOLD.has(d.property),
                    _ => true,
                };
                prop_assert!(may_pass, "{:?} {}", d, style);
            }
        }
    }
}

/// The random ones above hardly ever are these.
#[test]
fn a_glance_sees_what_is_small_or_far() {
    for style in [
        "font-size:1.5px!important",
        "font-size:2.0px !important",
        "font-size:1.5%!important",
        "font-size-adjust:ex-height 0",
        "font-size-adjust:cap-height 0",
        "margin-left:27in",
        "margin:27in",
        "margin-left:68CM",
        "overflow:hidden;height:-0px",
        "overflow:hidden;max-width:-0",
    ] {
        let read = |reading| {
            let mut found = Vec::new();
            declarations(style, reading, &mut |d| found.push(d));
            found
        };
        let untold = read(Reading::Untold);
        let all = read(Reading::All);
        assert!(!all.is_empty() && all.iter().all(|d| untold.contains(d)), "{style}: {untold:?}");
    }
}

/// Properties that may be read.
const NAMES: [&str; 65] = [
    "display",
    "word-spacing",
    "content",
    "font-size-adjust",
    "visibility",
    "opacity",
    "font-size",
    "font",
    "text-indent",
    "position",
    "left",
    "inset-inline-start",
    "top",
    "right",
    "bottom",
    "inset",
    "clip",
    "clip-path",
    "filter",
    "mask",
    "mask-image",
    "transform",
    "translate",
    "scale",
    "zoom",
    "content-visibility",
    "animation",
    "animation-name",
    "animation-fill-mode",
    "color",
    "text-fill-color",
    "background",
    "background-color",
    "background-image",
    "background-clip",
    "text-shadow",
    "text-stroke",
    "letter-spacing",
    "text-security",
    "white-space",
    "rotate",
    "height",
    "block-size",
    "max-height",
    "width",
    "inline-size",
    "max-width",
    "min-height",
    "min-inline-size",
    "padding",
    "padding-top",
    "padding-inline",
    "flex",
    "flex-grow",
    "flex-basis",
    "overflow",
    "overflow-x",
    "overflow-block",
    "contain",
    "margin",
    "margin-top",
    "margin-left",
    "margin-block",
    "TOP",
    "Display",
];
