//! Any text is a brand list or an error; what is read matches any text and is written back alike.
#![no_main]

use std::collections::BTreeMap;

use crawler::mention::{Lexicon, brands, forms};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (list, text) = input;
    let Ok(read) = brands::read(list) else { return };
    let lexicon = Lexicon::build(&read).expect("what was read was checked");
    lexicon.scan(text, None);
    lexicon.scan(list, Some("de"));
    for brand in &read {
        forms(brand);
    }
    if let Ok(written) = toml::to_string_pretty(&BTreeMap::from([("brand", &read)])) {
        assert_eq!(brands::read_toml(&written).expect("what was written is read"), read);
    }
});
