//! Words that stand around agencies in credits, and words that make a line something else.
//!
//! Data only; must not know where a credit stands.

/// Words around an agency's name in a byline or a line of its own, in lower case; those of [`crate::model::credit::SOURCES`], too.
pub(super) const WORDS: &[&str] = &[
    "by",
    "von",
    "par",
    "por",
    "di",
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
    "text",
    "material",
    "(c)",
    "author",
    "autor",
    "автор",
    "auteur",
];
/// What those who write for an agency are called behind its name, in lower case; the last of these ends it.
pub(super) const ROLES: &[&str] =
    &["writer", "writers", "correspondent", "correspondents", "reporter", "reporters"];
/// How a line begins that says who wrote, in lower case.
pub(super) const BY: &[&str] = &[
    "by",
    "by:",
    "von",
    "von:",
    "par",
    "por",
    "di",
    "author",
    "author:",
    "autor",
    "autor:",
    "autore:",
    "auteur:",
    "автор:",
    "text:",
    "texte:",
    "écrit",
    "szerző:",
    "yazar:",
    "kirjoittaja:",
];
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
    "com informações d",
    "com agência",
    "met medewerking van",
    "по материалам",
    "за матеріалами",
    "this article was originally published by",
    "this story was originally published by",
];
/// What such notes say wherever they begin, in lower case.
pub(super) const CONTRIBUTED: &[&str] =
    &["contributed to this", "contributed reporting", "contributed to the report"];

/// How the notes of one agency begin.
pub(super) const REPORTING: [&str; 2] = ["reporting by", "writing by"];
