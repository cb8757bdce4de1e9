//! Words that stand around agencies in credits, and words that make a line something else.
//!
//! Data only; must not know where a credit stands.

/// Words around an agency's name in a byline or a line of its own, in lower case, beside those of
/// [`crate::model::credit`] that announce a source or who wrote.
pub(super) const WORDS: &[&str] = &[
    "from",
    "with",
    "mit",
    "avec",
    "con",
    "com",
    "and",
    "und",
    "et",
    "the",
    "der",
    "die",
    "files",
    "writer",
    "writers",
    "sports",
    "business",
    "staff",
    "correspondent",
    "reporter",
    "agency",
    "agencies",
    "news",
    "service",
    "desk",
    "feed",
    "input",
    "inputs",
    "redaktion",
    "redaktionen",
    "redaksjonen",
    "redactie",
    "redazione",
    "redacción",
    "redação",
    "rédaction",
    "redakcja",
    "via",
    "agence",
    "agentur",
    "nachrichtenagentur",
    "agencia",
    "agenzia",
    "agência",
    "press",
    "copyright",
    "©",
    "material",
    "(c)",
];
/// What joins who wrote in a byline, in lower case, between blanks.
pub(super) const JOINS: &[&str] = &[
    "and", "und", "et", "y", "e", "en", "i", "och", "og", "ja", "ve", "dan", "и", "та", "και",
    "with", "mit", "avec", "con", "com", "met", "med", "z", "с", "με", "-",
];
/// What those who write for an agency are called behind its name, in lower case; the last of these ends it.
pub(super) const ROLES: &[&str] =
    &["writer", "writers", "correspondent", "correspondents", "reporter", "reporters"];
/// What makes a line the credit of a picture, in lower case.
pub(super) const PICTURES: &[&str] = &[
    "photo",
    "foto",
    "bild",
    "image",
    "imagen",
    "picture",
    "video",
    "getty",
    "grafik",
    "graphic",
    "illustration",
    "写真",
    "图片",
    "사진",
    "фото",
    "symbol",
    "archiv",
];
/// What announces a source beside [`crate::model::credit::SOURCES`], in lower case; a colon follows.
pub(super) const ANNOUNCES: &[&str] = &["źródło informacji", "agencies"];
/// How notes on the agencies that took part begin, in lower case.
pub(super) const NOTES: &[&str] = &[
    "brought to you by",
    "dzięki uprzejmości",
    "with inputs from",
    "with input from",
    "with agency inputs",
    "with reporting by",
    "with files from",
    "with additional reporting",
    "additional reporting by",
    "with information from",
    "mit informationen",
    "mit material",
    "mit agenturmaterial",
    "mit dpa",
    "mit afp",
    "mit reuters",
    "avec ",
    "con información de",
    "con informacion de",
    "con agencias",
    "con informazioni",
    "com informações d",
    "com agência",
    "met medewerking van",
    "по материалам",
    "за матеріалами",
    "με πληροφορίες από",
    "this article was originally published by",
    "this story was originally published by",
    "this article was first published by",
    "this story was first published by",
    "first published by",
];
/// What such notes say wherever they begin, in lower case.
pub(super) const CONTRIBUTED: &[&str] =
    &["contributed to this", "contributed reporting", "contributed to the report"];

/// How the notes of one agency begin.
pub(super) const REPORTING: [&str; 2] = ["reporting by", "writing by"];
