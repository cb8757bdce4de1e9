//! Gold texts with optional paragraphs: the variants a prediction may equal without error.
//!
//! Must not know: metrics, corpora, labelers.

/// With more optional paragraphs than this only "all" and "none" are tried.
const SUBSETS_UP_TO: usize = 4;

/// `text` with every string of `drop` removed once (a whole line if it is one).
pub fn without(text: &str, drop: &[&str]) -> String {
    let mut text = text.to_string();
    for o in drop {
        let mut lines: Vec<&str> = text.split('\n').collect();
        text = match lines.iter().position(|l| l == o) {
            Some(i) => {
                lines.remove(i);
                lines.join("\n")
            }
            None => text.replacen(o, " ", 1),
        };
    }
    text
}

/// The full text first, the text without any optional paragraph last.
pub fn variants(text: &str, optional: &[String]) -> Vec<String> {
    let optional: Vec<&str> =
        optional.iter().map(String::as_str).filter(|o| !o.is_empty()).collect();
    if optional.is_empty() {
        return vec![text.to_string()];
    }
    if optional.len() > SUBSETS_UP_TO {
        return vec![text.to_string(), without(text, &optional)];
    }
    let mut sets: Vec<u32> = (0..1 << optional.len()).collect();
    sets.sort_by_key(|s| s.count_ones());
    let chosen = |set: u32| -> Vec<&str> {
        (0..optional.len()).filter(|i| set >> i & 1 == 1).map(|i| optional[i]).collect()
    };
    sets.into_iter().map(|s| without(text, &chosen(s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_whole_and_substrings_leave_a_space() {
        let optional = |o: &[&str]| o.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(variants("a\nb", &[]), ["a\nb"]);
        assert_eq!(variants("a\nb\nc", &optional(&["b"])), ["a\nb\nc", "a\nc"]);
        assert_eq!(variants("a b c", &optional(&["b"])), ["a b c", "a   c"]);
        assert_eq!(variants("a\nb\nc", &optional(&["a", "c"])).len(), 4);
        assert_eq!(variants("a\nb\nc", &optional(&["a", "c"]))[3], "b");
        assert_eq!(variants("abcdef", &optional(&["a", "b", "c", "d", "e"])).len(), 2);
    }
}
