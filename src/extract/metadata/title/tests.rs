use super::*;

#[test]
fn outlets_are_cut() {
    let check = |title: &str, others: &[&str], expect: &str| {
        let outlets = outlet_names(Some("Daily Example"), Some("www.dailyexample.co.uk"));
        let others: Vec<String> = others.iter().map(|o| squash(o)).collect();
        assert_eq!(cut(title, &outlets, &others, ""), expect, "{title}");
    };
    check("Plant opens | Daily Example", &[], "Plant opens");
    check("Plant opens - dailyexample.co.uk", &[], "Plant opens");
    check("Daily Example: plant opens", &[], "Daily Example: plant opens");
    check("Daily Example | Plant opens", &[], "Plant opens");
    check("Plant opens – The Daily Example News", &[], "Plant opens – The Daily Example News");
    check("Plant opens – Daily Example News", &[], "Plant opens");
    check("Plant opens | Business | Daily Example", &["Plant opens"], "Plant opens");
    check("Plant opens | Business | Daily Example", &[], "Plant opens");
    check("Plant opens | Plants | Daily Example", &[], "Plant opens | Plants");
    check("Kazan - a city opens", &[], "Kazan - a city opens");
    check("Plant opens", &[], "Plant opens");
    check("Daily Example", &[], "Daily Example");
    check("", &[], "");
}

#[test]
fn agreement_decides() {
    let check = |candidates: &[(&str, f32)], feed: Option<&str>, expect: Option<&str>| {
        let candidates = candidates
            .iter()
            .map(|&(text, weight)| Candidate { text: text.into(), source: Source::Html, weight })
            .collect();
        let outlets = outlet_names(Some("Daily Example"), None);
        assert_eq!(choose(candidates, feed, &outlets).map(|f| f.value).as_deref(), expect);
    };
    check(&[], None, None);
    check(
        &[("Daily Example", 2.0), ("Plant opens | Daily Example", 1.0)],
        None,
        Some("Plant opens"),
    );
    check(
        &[("Read this", 1.2), ("Plant opens", 1.0), ("Plant opens soon", 1.0)],
        None,
        Some("Plant opens"),
    );
    check(&[("Other things", 1.1), ("Plant opens", 1.0)], Some("Plant opens"), Some("Plant opens"));
}
