//! Which document types put a page into quirks mode (WHATWG HTML §13.2.6.4.1), where a table does
//! not close a paragraph.

/// Public identifiers that begin so mean quirks mode; in lower case.
const PREFIXES: &[&str] = &[
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

/// Public identifiers that mean quirks mode; in lower case.
const PUBLIC: &[&str] =
    &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// A system identifier that means quirks mode; in lower case.
const SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Public identifiers that begin so mean quirks mode without a system identifier.
const HTML_4: &[&str] =
    &["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

/// Reads what stands between `<!doctype` and `>` (WHATWG HTML §13.2.5.53–68): quirks mode?
pub(super) fn read(doctype: &str) -> bool {
    let text = doctype.trim_start_matches(is_space);
    let name = text.split(is_space).next().unwrap_or("");
    if !name.eq_ignore_ascii_case("html") {
        return true;
    }
    let rest = text[name.len()..].trim_start_matches(is_space);
    if rest.is_empty() {
        return false;
    }
    let Some(keyword) = rest.get(..6) else { return true };
    let rest = rest[6..].trim_start_matches(is_space);
    let (public, system) = if keyword.eq_ignore_ascii_case("public") {
        let Some((public, rest)) = quoted(rest) else { return true };
        let rest = rest.trim_start_matches(is_space);
        match (rest.is_empty(), quoted(rest)) {
            (true, _) => (Some(public), None),
            (false, Some((system, _))) => (Some(public), Some(system)),
            (false, None) => return true,
        }
    } else if keyword.eq_ignore_ascii_case("system") {
        let Some((system, _)) = quoted(rest) else { return true };
        (None, Some(system))
    } else {
        return true;
    };
    if system.is_some_and(|s| s.eq_ignore_ascii_case(SYSTEM)) {
        return true;
    }
    let Some(public) = public.map(str::to_ascii_lowercase) else { return false };
    let begins = |prefixes: &[&str]| prefixes.iter().any(|&prefix| public.starts_with(prefix));
    PUBLIC.contains(&public.as_str()) || begins(PREFIXES) || system.is_none() && begins(HTML_4)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0C' | '\r')
}

/// A quoted identifier at the start, and what follows it; `None` without one or without its end.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|&c| c == '"' || c == '\'')?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(doctype: &str, quirks: bool) {
        assert_eq!(read(doctype), quirks, "{doctype}");
    }

    #[test]
    fn document_types_that_mean_quirks_mode() {
        check(" html", false);
        check("HTML ", false);
        check("", true);
        check(" svg", true);
        check(" html bogus", true);
        check(" html PUBLIC \"-//W3C//DTD HTML 4.01//EN\"", false);
        check(" html PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\"", true);
        check(" html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'", true);
        check(" html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN' 'http://x/'", false);
        check(" html SYSTEM 'about:legacy-compat'", false);
        check(" html PUBLIC \"-//W3C//DTD HTML 4.01//EN", true);
    }
}
