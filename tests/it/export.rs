//! Tables for other programs: what they hold is what the questions answer, in every format; a directory of
//! days is brought up to date and never holds half a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::Digest;

use crate::process::Place;
use crate::web::Web;

fn crawled() -> (Web, Place) {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    (web, place)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every file below a directory with its content, by its path in it.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// It ended with 0 after the first tables when nobody read what it printed.
#[test]
fn an_export_into_files_is_whole_also_where_nobody_reads_what_it_says() {
    let (_web, place) = crawled();
    for to in [&["--into", "lake"][..], &["-o", "articles.jsonl"]] {
        let mut child = place.command([&["export"], to].concat()).spawn().unwrap();
        // Closed long before the process has started to print.
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    place.run(["export", "--into", "other"]).good();
    let names = |dir: &str| files(&place.path(dir)).into_keys().collect::<Vec<_>>();
    assert_eq!(names("lake"), names("other"));
    assert_eq!(
        std::fs::read_to_string(place.path("articles.jsonl")).unwrap(),
        place.run(["export"]).good()
    );
}

#[test]
fn tables_hold_what_the_questions_answer() {
    let (_web, place) = crawled();
    let table = |name: &str| lines(&place.run(["export", "--table", name]).good());
    let articles = table("articles");
    assert_eq!(articles.len(), place.json(["articles"]).as_array().unwrap().len());
    let mentions = place.json(["mentions"]);
    let of = |rows: &[Value], name: &str| -> i64 {
        rows.iter().map(|row| row[name].as_i64().unwrap_or_else(|| panic!("{row}"))).sum()
    };
    let told = mentions["lines"].as_array().unwrap();
    let tallies = table("tallies");
    assert_eq!(tallies.len(), told.len());
    for name in ["stories", "articles", "copies", "mentions", "suppressed"] {
        assert_eq!(of(&tallies, name), of(told, name), "{name}");
    }
    let rows = table("mentions");
    assert!(!rows.is_empty());
    assert_eq!(of(&rows, "counted"), of(told, "mentions"));
    assert_eq!(of(&rows, "suppressed"), of(told, "suppressed"));
    let stories = table("stories");
    let told = place.json(["stories", "--min", "1"]);
    assert_eq!(stories.len(), told.as_array().unwrap().len());
    assert_eq!(of(&stories, "articles"), articles.len() as i64);
    let coverage = table("coverage");
    assert_eq!(of(&coverage, "entries"), place.json(["status"])["entries"].as_i64().unwrap());
    // The schema names every key that a row has, and no other.
    let schema = place.json(["export", "--schema"]);
    assert_eq!(schema["schema"], 1);
    for (name, rows) in [
        ("articles", &articles),
        ("mentions", &rows),
        ("tallies", &tallies),
        ("stories", &stories),
        ("coverage", &coverage),
    ] {
        let columns = schema["columns"].as_array().unwrap().iter();
        let columns = columns.filter(|column| column["table"] == name);
        let mut known: Vec<&str> = columns.map(|c| c["column"].as_str().unwrap()).collect();
        if name == "articles" {
            known.push("mentions");
        }
        known.sort_unstable();
        for row in rows {
            let mut keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(keys, known, "{name}");
        }
        let csv = place.run(["export", "--csv", "--table", name]).good();
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        assert_eq!(reader.records().map(Result::unwrap).count(), rows.len(), "{name}");
        let file = format!("{name}.parquet");
        place.run(["export", "--parquet", "--table", name, "-o", &file]).good();
        let bytes = std::fs::read(place.path(&file)).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    place.run(["export", "--table", "articles,stories"]).one_sentence(&["--into"]);
}

/// A name that spreadsheets, pages and terminals would act upon.
const EVIL: &str = "=HYPERLINK(\"http://a.test\")<script>alert(1)</script>";

#[test]
fn no_name_becomes_a_formula_or_markup() {
    let (_web, place) = crawled();
    place.run(["brands", "add", EVIL, "--alias", "Acme"]).good();
    let days = place.json(["mentions", "--brand", EVIL])["lines"].as_array().unwrap().len();
    assert!(days > 0);
    for args in [
        &["mentions", "--csv"][..],
        &["mentions", "--by", "outlet", "--csv"],
        &["export", "--table", "mentions", "--csv"],
        &["export", "--table", "tallies", "--csv"],
    ] {
        let csv = place.run(args).good();
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let mut met = 0;
        for row in rows.records() {
            for cell in &row.unwrap() {
                assert!(!cell.starts_with(['=', '+', '@']), "{args:?}: {cell}");
                met += usize::from(cell == format!("'{EVIL}"));
            }
        }
        assert!(met > 0, "{args:?}: {csv}");
    }
    // Files of data have it as it is, and pages as text.
    let tallies = lines(&place.run(["export", "--table", "tallies"]).good());
    assert!(tallies.iter().any(|row| row["brand"] == EVIL));
    place.run(["export", "--table", "tallies", "--parquet", "-o", "tallies.parquet"]).good();
    let file = std::fs::File::open(place.path("tallies.parquet")).unwrap();
    let read = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let brands: Vec<String> = parquet::file::reader::FileReader::get_row_iter(&read, None)
        .unwrap()
        .map(|row| {
            let row = row.unwrap();
            let named = row.get_column_iter().find(|(name, _)| *name == "brand");
            match named.map(|(_, field)| field) {
                Some(parquet::record::Field::Str(brand)) => brand.clone(),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(brands.iter().filter(|brand| *brand == EVIL).count(), days);
    let page = place.run(["report", "--brand", EVIL]).good();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
}

#[test]
fn a_directory_of_days_is_brought_up_to_date() {
    let (_web, place) = crawled();
    let keep =
        |form: &str| place.run(["export", "--into", form, &format!("--{form}"), "--json"]).good();
    for form in ["jsonl", "csv", "parquet"] {
        keep(form);
        let first = files(&place.path(form));
        assert!(first.contains_key(Path::new("manifest.json")));
        assert!(
            first.keys().all(|path| path.extension().is_some_and(|e| e == form || e == "json"))
        );
        // What the manifest says of a file is what lies there.
        let manifest: Value = serde_json::from_slice(&first[Path::new("manifest.json")]).unwrap();
        let mut files_told = 0;
        for (table, days) in manifest["tables"].as_object().unwrap() {
            for (day, told) in days.as_object().unwrap() {
                let bytes = &first[Path::new(&format!("{table}/{day}.{form}"))];
                let sum: String =
                    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
                assert_eq!(
                    (told["bytes"].as_u64(), &told["sha256"]),
                    (Some(bytes.len() as u64), &sum.into())
                );
                files_told += 1;
            }
        }
        assert_eq!(files_told, first.len() - 1);
        // Nothing has changed, so nothing is written.
        let again: Vec<Value> = serde_json::from_str(&keep(form)).unwrap();
        assert!(again.iter().all(|done| done["written"] == serde_json::json!([])), "{again:?}");
        assert_eq!(files(&place.path(form)), first);
    }
    // All days together are the whole table.
    let kept = files(&place.path("jsonl"));
    let of = |table: &str| -> String {
        kept.iter()
            .filter(|(path, _)| path.starts_with(table))
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
            .collect()
    };
    for table in ["articles", "mentions", "tallies", "stories", "coverage"] {
        assert_eq!(of(table), place.run(["export", "--table", table]).good(), "{table}");
    }
    // What is lost, cut off or left over is put right.
    let article = kept.keys().find(|path| path.starts_with("articles")).unwrap();
    std::fs::remove_file(place.path("jsonl").join(article)).unwrap();
    std::fs::write(place.path("jsonl").join("articles/2026-01-01.jsonl.begun"), "{").unwrap();
    keep("jsonl");
    assert_eq!(files(&place.path("jsonl")).get(article), kept.get(article));
    // A file that was cut off passed for unchanged.
    for form in ["csv", "parquet"] {
        let before = files(&place.path(form));
        let article = before.keys().find(|path| path.starts_with("articles")).unwrap();
        std::fs::write(place.path(form).join(article), "").unwrap();
        keep(form);
        assert_eq!(files(&place.path(form)), before);
    }
    // An earlier version did not say how long files are.
    let now = files(&place.path("csv"));
    let mut manifest: Value = serde_json::from_slice(&now[Path::new("manifest.json")]).unwrap();
    for days in manifest["tables"].as_object_mut().unwrap().values_mut() {
        for told in days.as_object_mut().unwrap().values_mut() {
            let told = told.as_object_mut().unwrap();
            told.retain(|name, _| name == "rows" || name == "digest");
        }
    }
    place.write("csv/manifest.json", manifest.to_string());
    keep("csv");
    assert_eq!(files(&place.path("csv")), now);
    // What is forgotten leaves the files.
    let outlet = place.json(["articles"])[0]["outlet"].as_str().unwrap().to_owned();
    assert!(of("articles").contains(&format!("\"outlet\":\"{outlet}\"")));
    place.run(["forget", &outlet]).good();
    keep("jsonl");
    let left = files(&place.path("jsonl"));
    for (path, bytes) in left.iter().filter(|(path, _)| path.starts_with("articles")) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(&format!("\"outlet\":\"{outlet}\"")), "{}", path.display());
    }
    // Days that are not asked for stay as they are.
    keep("csv");
    let before = files(&place.path("csv"));
    place.run(["export", "--into", "csv", "--csv", "--since", "2999-01-01"]).good();
    assert_eq!(files(&place.path("csv")), before);
    // Two kinds do not share a directory, and somebody else's is left alone.
    let check = |args: &[&str], words: &[&str]| place.run(args).one_sentence(words);
    check(&["export", "--into", "csv", "--jsonl"], &["another kind", "csv"]);
    std::fs::create_dir(place.path("theirs")).unwrap();
    place.write("theirs/thesis.txt", "x");
    check(&["export", "--into", "theirs"], &["theirs is not empty", "manifest.json"]);
}
