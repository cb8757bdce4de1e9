use proptest::prelude::*;

use super::*;

fn exchange<'a>(url: &'a str, body: &'a [u8], fields: &'a [(String, Vec<u8>)]) -> Exchange<'a> {
    Exchange {
        url,
        at: 1_763_000_000_123,
        address: "127.0.0.1".parse().ok(),
        request: &[],
        status: 200,
        fields,
        body,
        withheld: false,
        metadata: &[],
    }
}

fn read(path: &Path) -> Vec<Record> {
    let file = BufReader::new(File::open(path).unwrap());
    records(file, 1 << 20).unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_is_written_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let archive = Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap();
    let fields = [
        ("Content-Type".to_owned(), b"text/html".to_vec()),
        ("Content-Encoding".to_owned(), b"gzip".to_vec()),
    ];
    let body = b"<p>One\r\n\r\ntwo</p>\xff";
    let mut first = exchange("https://a.example/x?y=1#z", body, &fields);
    let sent = [("Accept".to_owned(), "text/html".to_owned())];
    let metadata = [("via", "https://a.example/feed\nInjected: yes".to_owned())];
    (first.request, first.metadata) = (&sent, &metadata);
    archive.write(&first).unwrap();
    archive.finish().unwrap();

    let files = files(dir.path()).unwrap();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let found = read(file);
    let kinds: Vec<&str> = found.iter().map(|r| r.kind.as_str()).collect();
    assert_eq!(kinds, ["warcinfo", "request", "response", "metadata"]);
    let response = &found[2];
    assert_eq!(response.uri.as_deref(), Some("https://a.example/x?y=1#z"));
    assert_eq!(response.at, Some(1_763_000_000_123));
    let answer = http(&response.block).unwrap();
    assert_eq!((answer.status, answer.body), (200, &body[..]));
    assert_eq!(answer.values("content-type").collect::<Vec<_>>(), ["text/html"]);
    assert_eq!(answer.values("content-encoding").count(), 0);
    assert_eq!(answer.values("X-Archive-Orig-Content-Encoding").collect::<Vec<_>>(), ["gzip"]);
    let request = String::from_utf8_lossy(&found[1].block);
    assert!(request.starts_with("GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: text/html"));
    let metadata = String::from_utf8_lossy(&found[3].block);
    assert_eq!(metadata, "via: https://a.example/feed Injected: yes\r\n");
}

#[test]
fn what_is_withheld_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let archive = Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap();
    archive
        .write(&Exchange { withheld: true, ..exchange("https://a.example/", b"", &[]) })
        .unwrap();
    archive.write(&exchange("https://a.example/", b"", &[])).unwrap();
    archive.finish().unwrap();
    let file = files(dir.path()).unwrap().remove(0);
    let answers = read(&file).into_iter().filter(|record| record.kind == "response");
    assert_eq!(answers.map(|record| record.truncated).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn files_end_by_size_and_day() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { file_bytes: 2_000, ..Settings::default() };
    let archive = Archive::open(dir.path(), &settings, "crawler/test").unwrap();
    let mut page = exchange("https://a.example/", b"x", &[]);
    for _ in 0..6 {
        archive.write(&page).unwrap();
    }
    page.at += crate::model::DAY;
    archive.write(&page).unwrap();
    drop(archive);
    let found = files(dir.path()).unwrap();
    assert!(found.len() >= 3, "{found:?}");
    let pages: usize =
        found.iter().map(|f| read(f).iter().filter(|r| r.kind == "response").count()).sum();
    assert_eq!(pages, 7);
}

#[test]
fn a_killed_writer_leaves_whole_records() {
    let dir = tempfile::tempdir().unwrap();
    let archive = Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap();
    archive.write(&exchange("https://a.example/1", b"one", &[])).unwrap();
    archive.write(&exchange("https://a.example/2", b"two", &[])).unwrap();
    archive.finish().unwrap();
    let path = files(dir.path()).unwrap().remove(0);
    let whole = std::fs::read(&path).unwrap();
    let records = read(&path).len();
    for cut in [1, 10, whole.len() / 2, whole.len() - 1] {
        std::fs::remove_file(&path).ok();
        std::fs::write(open_name(&path), &whole[..cut]).unwrap();
        drop(Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap());
        match files(dir.path()).unwrap().as_slice() {
            [] => assert!(cut < 400, "{cut} bytes held no record"),
            [file] => assert!(read(file).len() < records),
            more => panic!("{more:?}"),
        }
    }
}

#[test]
fn a_file_in_use_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let first = Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap();
    first.write(&exchange("https://a.example/1", b"one", &[])).unwrap();
    let second = Archive::open(dir.path(), &Settings::default(), "crawler/test").unwrap();
    assert!(files(dir.path()).unwrap().is_empty(), "nobody closed it");
    drop(second);
    first.write(&exchange("https://a.example/2", b"two", &[])).unwrap();
    drop(first);
    assert_eq!(read(&files(dir.path()).unwrap()[0]).len(), 7);
}

#[test]
fn other_files_are_named_as_what_they_are() {
    let check = |bytes: &[u8], expect: &str| {
        let error = records(bytes, 100).unwrap().find_map(Result::err);
        let error = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(expect), "{error}");
    };
    check(b"", "");
    check(b"<html>\n\n", "no version line");
    check(b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", "no Content-Length");
    check(b"WARC/1.0\r\nContent-Length: 9\r\n\r\nabc", "ends within a record");
    check(b"WARC/1.0\r\nContent-Length: 999999999999999999\r\n\r\nabc", "ends within a record");
    check(&[0x1f, 0x8b, 8, 0, 0], "after 0 records");
}

/// The block was handed out before the checksum of its gzip member was read, and its digest never compared.
#[test]
fn a_damaged_record_is_told() {
    let told = |bytes: &[u8]| -> Vec<(String, bool)> {
        let found = records(bytes, 1 << 20).unwrap().flatten();
        found.map(|record| (record.kind, record.damaged)).collect()
    };
    let kinds = |damaged: [bool; 3]| -> Vec<(String, bool)> {
        ["request", "response", "metadata"].map(str::to_owned).into_iter().zip(damaged).collect()
    };
    let body = b"<p>Acme builds a plant.</p>";
    let plain = record::of(&exchange("https://a.example/1", body, &[]));
    assert_eq!(told(&plain.concat()), kinds([false; 3]));
    let mut flipped = plain.clone();
    let at = flipped[1].windows(4).position(|w| w == b"Acme").unwrap();
    flipped[1][at] ^= 1;
    assert_eq!(told(&flipped.concat()), kinds([false, true, false]));
    // Packed as it is now, only its digest can tell.
    assert_eq!(told(&gzip(&flipped).unwrap()), kinds([false, true, false]));
    // The address is no part of the block: the checksum tells.
    let mut stored = gzip(&plain[..1]).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(&plain[1]).unwrap();
    let mut member = encoder.finish().unwrap();
    let at = member.windows(9).position(|w| w == b"a.example").unwrap();
    member[at] = b'b';
    stored.extend(member);
    assert_eq!(told(&stored), kinds([false, true, false])[..2]);
    let last = records(&stored[..], 1 << 20).unwrap().last().unwrap();
    assert!(last.unwrap_err().to_string().starts_with("after 2 records"));
    // Cut within the checksum: the record is whole, the file is not.
    let whole = gzip(&plain[..2]).unwrap();
    let cut = &whole[..whole.len() - 2];
    assert_eq!(told(cut), kinds([false; 3])[..2]);
    assert!(records(cut, 1 << 20).unwrap().last().unwrap().is_err());
    // What is broken is the member behind it, or junk behind the last one.
    for broken in [&b"\x1f\x8b\x08\xff"[..], &[0; 512], b"junk"] {
        let file = [&gzip(&plain[..2]).unwrap()[..], broken].concat();
        assert_eq!(told(&file), kinds([false; 3])[..2], "{broken:?}");
    }
    // Digests of others.
    for digest in ["sha1:AAAA", "sha256:AAAA", "nonsense"] {
        let other =
            format!("WARC/1.0\r\nWARC-Block-Digest: {digest}\r\nContent-Length: 1\r\n\r\nx");
        assert!(!told(other.as_bytes())[0].1, "{digest}");
    }
}

/// A file of pages, and where its members begin.
fn members(pages: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut file, mut begins) = (Vec::new(), Vec::new());
    for page in 0..pages {
        // Long enough that a part of it is packed by tables of its own.
        let body: String = (0..200).map(|n| format!("<p>{page} {}</p>", n * 7919 % 641)).collect();
        let url = format!("https://a.example/{page}");
        for record in record::of(&exchange(&url, body.as_bytes(), &[])) {
            begins.push(file.len());
            file.extend(gzip(&[record]).unwrap());
        }
    }
    (file, begins)
}

/// One wrong byte anywhere costs one record; all behind it were lost.
#[test]
fn a_damaged_member_ended_the_file() {
    let (file, begins) = members(4);
    let found = |bytes: &[u8]| -> Vec<Record> {
        records(bytes, 1 << 20).unwrap().map_while(Result::ok).collect()
    };
    let whole = found(&file);
    assert_eq!(whole.len(), 12);
    for (n, begin) in begins.iter().enumerate().take(11) {
        let end = begins[n + 1];
        // The head's time, system and flags say nothing of the text.
        let places = [*begin, begin + 1, begin + 2].into_iter().chain(begin + 10..end);
        for (at, flip) in places.map(|at| (at, [1, 0x80][at % 2])) {
            let mut bytes = file.clone();
            bytes[at] ^= flip;
            let found = found(&bytes);
            // A bit that nobody reads may have changed.
            let lost: Vec<usize> = (0..12).filter(|n| !found.contains(&whole[*n])).collect();
            assert!(lost.is_empty() || lost == [n], "{at} of member {n}: {lost:?} are lost");
            let told = found.iter().filter(|record| record.damaged).count();
            // Behind a whole record something may be wrong, too.
            assert!(told <= 1 && told >= lost.len(), "{at} of member {n}: {told}");
            // By chance what is unpacked goes on like another record: that one is marked, at the end of the member.
            let other = found.iter().position(|record| !record.damaged && !whole.contains(record));
            let marked = other.is_none_or(|other| found[other + 1].damaged);
            assert!(marked, "{at} of member {n} ^ {flip}: {other:?} of {found:?}");
        }
    }
    // A packed file whose beginning is gone was not one of records.
    for lost in [begins[1] + 7, 16 * 1024] {
        let mut bytes = vec![b'x'; lost.max(20 * 1024)];
        bytes.extend(&file[begins[1]..]);
        let read = records(std::io::BufReader::new(&bytes[..]), 1 << 20).unwrap();
        assert_eq!(read.map_while(Result::ok).count(), 12, "{lost}");
    }
    // Cut: what stands behind is not there.
    for cut in [begins[5] + 3, begins[5] + 60, begins[6] - 2] {
        let all: Vec<_> = records(&file[..cut], 1 << 20).unwrap().collect();
        assert!(all.last().unwrap().is_err() && all.len() >= 6, "{cut}");
    }
}

#[test]
fn places_that_look_like_members_cost_little() {
    let like: Vec<u8> = [0x1f, 0x8b, 8, 0].repeat(1 << 18);
    let (file, begins) = members(1);
    assert!(records(&like[..], 100).unwrap().all(|record| record.is_err()));
    // Behind so many of them nothing is looked for.
    let mut torn = file[..begins[1] + 20].to_vec();
    torn.extend(&like);
    torn.extend(&file[begins[1]..]);
    assert_eq!(records(&torn[..], 1 << 20).unwrap().filter_map(Result::ok).count(), 1);
    torn.splice(begins[1] + 120..begins[1] + 20 + like.len(), []);
    assert_eq!(records(&torn[..], 1 << 20).unwrap().filter_map(Result::ok).count(), 4);
}

proptest! {
    #[test]
    fn no_bytes_hurt_within_members(
        at in proptest::collection::vec((0usize..4_000, 0u8..), 1..40),
        cut in 0usize..6_000,
    ) {
        let (mut file, _) = members(3);
        for (at, byte) in at {
            let at = at % file.len();
            file[at] = byte;
        }
        file.truncate(cut);
        let found: Vec<_> = records(&file[..], 1 << 16).unwrap().collect();
        prop_assert!(found.len() <= 12);
    }

    #[test]
    fn no_bytes_hurt(bytes in proptest::collection::vec(0u8.., 0..600), head in 0..3usize) {
        let start: &[u8] = [&b""[..], b"WARC/1.1\r\n", b"HTTP/1.1 200 OK\r\n"][head];
        let bytes = [start, &bytes].concat();
        for record in records(&bytes[..], 64).unwrap().flatten() {
            prop_assert!(record.block.len() <= 64);
        }
        if let Some(answer) = http(&bytes) {
            prop_assert!(answer.body.len() < bytes.len());
        }
    }

    #[test]
    fn any_body_survives(body in proptest::collection::vec(0u8.., 0..300), status in 100u16..600) {
        let mut page = exchange("https://a.example/", &body, &[]);
        page.status = status;
        let bytes = gzip(&record::of(&page)).unwrap();
        let found: Vec<Record> = records(&bytes[..], 1 << 20).unwrap().map(Result::unwrap).collect();
        let answer = http(&found[1].block).unwrap();
        prop_assert_eq!((answer.status, answer.body), (status, &body[..]));
    }
}
