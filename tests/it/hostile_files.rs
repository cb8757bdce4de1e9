//! Files that an operator may have from elsewhere, made to take memory: lists of feeds and brands, archives,
//! models, configurations. Each is read, or refused in a sentence, in a few times its size.

use std::io::Write as _;

use sha2::Digest as _;

use crate::hostile_documents::{MIB, filled, reads};
use crate::process::Place;

/// Address space of commands that make an engine: most of it is the stacks of its threads, MiB.
const ENGINE: usize = 2_000;
/// What these take without any input, resident, MiB.
const BASE: u64 = 120;

/// Reads a file with an engine, in so many times its size.
fn engine_reads(place: &Place, args: &[&str], name: &str, bytes: &[u8], times: usize) {
    let peak = reads(place, args, name, bytes, ENGINE);
    let bound = BASE + (times * bytes.len()).div_ceil(MIB) as u64;
    assert!(peak <= bound, "{name}: {peak} MiB, not {bound}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

#[test]
fn lists_of_feeds_take_a_few_times_their_size() {
    let place = Place::new();
    let size = 3 * MIB;
    let outlines = |part: &str| filled(size, "<opml><body>", part, "</body></opml>");
    for (name, bytes) in [
        ("folders.opml", outlines("<outline text=\"a\">")),
        ("empty.opml", outlines("<outline/>")),
        ("attributes.opml", filled(size, "<opml><body><outline ", "a b=c ", "/></body></opml>")),
        ("cut.opml", filled(size, "<opml><body><outline xmlUrl=\"", "x", "")),
        (
            "same.opml",
            filled(
                size / 8,
                "<opml><body>",
                "<outline xmlUrl=\"https://a.example/f\"/>",
                "</body></opml>",
            ),
        ),
        (
            "ampersands.opml",
            filled(size, "<opml><body><outline text=\"", "&", "\"/></body></opml>"),
        ),
        ("lines.txt", filled(size, "", "\n", "")),
        ("comments.txt", filled(size, "", "#\n", "")),
        ("words.txt", filled(MIB / 4, "", "a\n", "")),
        ("one.txt", filled(size, "", "x", "")),
        ("same.txt", filled(size / 8, "", "https://a.example/f\n", "")),
        ("wide.txt", [b"\xff\xfe".to_vec(), b"\x00\x20".repeat(size / 2)].concat()),
    ] {
        engine_reads(&place, &["seed", "FILE"], name, &bytes, 20);
    }
}

#[test]
fn lists_of_brands_take_a_few_times_their_size() {
    let place = Place::new();
    let size = MIB;
    let names: String = (0..20_000).map(|n| format!("Brand {n} of many\n")).collect();
    for (name, bytes) in [
        ("same.txt", filled(size, "", "Acme\n", "")),
        ("lines.txt", filled(size, "", "\n", "")),
        ("names.txt", names.into_bytes()),
        ("one.txt", filled(size, "", "x", "")),
        ("deep.toml", filled(size, "a=", "[", "")),
        ("dotted.toml", filled(size, "a", ".a", "=1")),
        ("tables.toml", filled(size, "", "[[brand]]\n", "")),
        ("lists.json", filled(size, "[", "[", "")),
        ("aliases.toml", filled(size, "[[brand]]\nname=\"a\"\naliases=[", "\"b\",", "]")),
    ] {
        engine_reads(&place, &["brands", "import", "FILE"], name, &bytes, 200);
    }
}

#[test]
fn configurations_take_a_few_times_their_size() {
    let place = Place::new();
    let size = MIB;
    for (name, bytes) in [
        ("deep.toml", filled(size, "a=", "[", "")),
        ("tables.toml", filled(size, "a=", "{a=", "")),
        ("dotted.toml", filled(size, "a", ".a", "=1")),
        ("headers.toml", filled(size, "[a", ".a", "]")),
        ("lines.toml", filled(size, "", "\n", "")),
        ("keys.toml", (0..80_000).map(|n| format!("a{n}=1\n")).collect::<String>().into_bytes()),
    ] {
        reads(&place, &["status", "--config", "FILE"], name, &bytes, 600);
    }
}

#[test]
fn archives_take_no_more_than_their_largest_record() {
    let place = Place::new();
    place.write("feeds.txt", "https://a.example/feed\n");
    place.run(["seed", "feeds.txt"]).good();
    let size = 3 * MIB;
    let head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/1\r\n";
    let endless = format!("{head}Content-Length: 18446744073709551615\r\n\r\n");
    let record = format!("{head}Content-Length: 0\r\n\r\n\r\n\r\n");
    let zeros = gzip(&vec![0; 64 * MIB]);
    for (name, bytes) in [
        ("line.warc", filled(size, "WARC/1.1\r\n", "x", "")),
        ("fields.warc", filled(size, head, "a: b\r\n", "\r\n")),
        ("endless.warc", filled(size, &endless, "x", "")),
        ("records.warc", filled(size, "", &record, "")),
        ("zeros.warc.gz", zeros.clone()),
        ("bomb.warc.gz", [gzip(endless.as_bytes()), zeros.repeat(4)].concat()),
        ("gzips.warc.gz", gzip(b"").repeat(100_000)),
    ] {
        engine_reads(&place, &["replay", "FILE"], name, &bytes, 10);
    }
}

/// Models are checked by a sum that anybody can make: what they claim is not believed.
#[test]
fn models_that_claim_more_than_they_hold_are_refused() {
    let place = Place::new();
    let whole = include_bytes!("../../deploy/model/trees.model");
    let (magic, body) = (&whole[..8], &whole[44..]);
    let sealed = |body: &[u8]| {
        let sum = sha2::Sha256::digest(body);
        [magic, &whole[8..12], &sum[..], body].concat()
    };
    let claims = |at: usize| {
        let huge = [0xff, 0xff, 0xff, 0xff, 0x7f];
        sealed(&[&body[..at], &huge, &body[at..]].concat())
    };
    for (name, bytes) in [
        ("whole.model", whole.to_vec()),
        ("cut.model", sealed(&body[..body.len() / 2])),
        ("first.model", claims(0)),
        ("second.model", claims(2)),
        ("later.model", claims(100)),
        ("half.model", claims(body.len() / 2)),
        ("zeros.model", sealed(&vec![0; MIB])),
        ("ones.model", sealed(&vec![0xff; MIB])),
    ] {
        reads(&place, &["model", "verify", "FILE"], name, &bytes, 600);
    }
}
