//! Documents made to take memory: a third of the largest that are read, each of the shape that a
//! reader would suffer most from, in a process whose address space is limited. It reads them or says why
//! not; it is never ended by a failed allocation.

use std::process::Stdio;

use crate::process::{Place, end, peak_of};

pub const MIB: usize = 1 << 20;

/// `part` over and over between head and tail, up to a size.
pub fn filled(size: usize, head: &str, part: &str, tail: &str) -> Vec<u8> {
    let times = (size - head.len() - tail.len()) / part.len();
    [head, &part.repeat(times), tail].concat().into_bytes()
}

/// Runs a command on a document with so many MiB of address space, program and stacks included. Returns
/// its largest resident size, MiB, as far as it was seen.
pub fn reads(place: &Place, args: &[&str], name: &str, bytes: &[u8], limit: usize) -> u64 {
    let file = place.dir.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    let path = file.to_str().unwrap();
    let args: Vec<&str> = args.iter().map(|a| if *a == "FILE" { path } else { *a }).collect();
    let inner = place.command(&args);
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", limit * 1024));
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(place.dir.path()).stdin(Stdio::null());
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let peak = peak_of(spawned.id());
    let ended = end(spawned);
    let said = ended.err.lines().next().unwrap_or_default().to_owned();
    assert!(matches!(ended.code, Some(0..=3)), "{name}: {:?} {said}", ended.code);
    assert!(!said.contains("memory allocation"), "{name}: {said}");
    std::fs::remove_file(&file).unwrap();
    let peak = peak.join().unwrap();
    println!("{name}: {} KiB read in {peak} MiB", bytes.len() / 1024);
    peak
}

#[test]
fn feeds_take_a_few_times_their_size() {
    let place = Place::new();
    let size = 5 * MIB;
    let rss = "<rss version=\"2.0\" xmlns:m=\"http://search.yahoo.com/mrss/\"><channel>";
    let one = format!("{rss}<item><link>https://a.example/1</link><description>");
    let json = "{\"items\":[{\"url\":\"https://a.example/1\",\"content_text\":\"";
    let text = |n: usize| format!("<title>{}</title>", "t".repeat(n));
    let whole: String = (0..650)
        .map(|n| format!("<item><link>https://a.example/{n}</link>{}</item>", text(7_400)))
        .collect();
    for (name, bytes) in [
        ("lists.json", filled(size, "{\"items\":[", "[0],", "0]}")),
        ("inner.json", filled(size, "{\"items\":[{\"x\":[", "{},", "0]}]}")),
        ("head.json", filled(size, "{\"hubs\":[", "[],", "0],\"items\":[]}")),
        ("names.json", filled(size, "{\"items\":[{", "\"\":0,", "\"a\":0}]}")),
        ("deep.json", filled(size, "{\"items\":", "[", "")),
        ("cut.json", filled(size, json, "&", "")),
        ("controls.json", filled(size, json, "\u{1}", "\"}]}")),
        ("ampersands.xml", filled(size / 8, &one, "&", "</description></item></channel></rss>")),
        ("brackets.xml", filled(size, &one, "< ", "</description></item></channel></rss>")),
        ("renamed.xml", filled(size, "<RSS><channel>", "<b>x</b>", "</channel></RSS>")),
        (
            "categories.xml",
            filled(size, &format!("{rss}<item>"), "<category/>", "</item></channel></rss>"),
        ),
        (
            "links.xml",
            filled(
                size,
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>",
                "<link/>",
                "</entry></feed>",
            ),
        ),
        (
            "media.xml",
            filled(MIB, &format!("{rss}<item>"), "<m:content/>", "</item></channel></rss>"),
        ),
        ("items.xml", filled(size, rss, "<item>", "")),
        ("deep.xml", filled(size, rss, "<x>", "")),
        ("texts.xml", filled(size, rss, &whole, "</channel></rss>")),
        (
            "sitemap.xml",
            filled(
                size,
                "<urlset>",
                "<url><loc>https://a.example/1</loc><news:news/></url>",
                "</urlset>",
            ),
        ),
        (
            "index.xml",
            filled(size, "<sitemapindex>", "<sitemap><loc>https://a.example/1</loc></sitemap>", ""),
        ),
    ] {
        reads(&place, &["check", "feed", "FILE"], name, &bytes, 200);
    }
}

#[test]
fn robots_and_charsets_take_a_few_times_their_size() {
    let place = Place::new();
    let size = 500 * 1024;
    for (name, bytes) in [
        ("lines.txt", filled(size, "User-agent: *\n", "\n", "")),
        ("rules.txt", filled(size, "User-agent: *\n", "Allow:/\n", "")),
        ("octets.txt", [b"User-agent: *\nAllow: /".to_vec(), vec![0xff; size]].concat()),
        ("agents.txt", filled(size, "", "User-agent:a\n", "")),
        ("wide.txt", [b"\xff\xfe".to_vec(), b"\x00\x20".repeat(size / 2)].concat()),
    ] {
        reads(&place, &["check", "robots", "FILE", "/x"], name, &bytes, 160);
    }
    let octets = vec![0xe4; 3 * MIB];
    reads(&place, &["check", "charset", "FILE"], "octets.html", &octets, 160);
}

#[test]
fn pages_take_what_their_limits_say() {
    let place = Place::new();
    let size = 3 * MIB;
    let data = |part: &str| {
        let one = filled(2 * MIB / 3, "<script type=application/ld+json>[", part, "0]</script>");
        ["<!doctype html><p>x".as_bytes(), &one.repeat(4)].concat()
    };
    let rules: String = (0..150_000).map(|n| format!(".a{n}{{opacity:0}}")).collect();
    let sources = "<head><meta http-equiv=content-security-policy content=\"style-src ";
    let sheets = format!("\">{}<p>x", "<style nonce=z>a</style>".repeat(40_000));
    let sheet = format!("\"><style>{}</style><p>x", "a".repeat(MIB));
    let address = format!("' href='data:text/css,{}'><p>x", "a".repeat(MIB));
    for (name, bytes) in [
        ("lists.html", data("[0],")),
        ("objects.html", data("{\"\":[]},")),
        ("articles.html", data("{\"@type\":\"Article\",\"headline\":\"x\"},")),
        (
            "block.html",
            filled(3 * MIB, "<script type=application/ld+json>[", "[0],", "0]</script>"),
        ),
        ("paragraphs.html", filled(size, "<!doctype html>", "<p>a b.", "")),
        ("attributes.html", filled(size, "<!doctype html>", "<p a b c d>x", "")),
        ("text.html", filled(size, "<!doctype html><p>", "word. ", "")),
        ("marks.html", filled(size, "<!doctype html>", "<meta name=a content=b>", "<p>x")),
        ("same.html", filled(size, "<p class=a>x<style>", ".a{opacity:0}", "</style>")),
        ("rules.html", filled(size, "<p class=a>x<style>", &rules, "</style>")),
        ("selectors.html", filled(size, "<p class=a>x<style>", "a a,", ".b{opacity:0}</style>")),
        ("nested.html", filled(size, "<p class=a>x<style>", "@media screen{", "</style>")),
        ("policies.html", filled(size, sources, "'sha256-x' 'nonce-y' ", &sheets)),
        ("hashes.html", filled(size, sources, "'sha512-x' ", &sheet)),
        ("whole.html", filled(size, "<link rel=stylesheet integrity='", "sha256-x ", &address)),
    ] {
        reads(&place, &["extract", "FILE"], name, &bytes, 400);
    }
}
