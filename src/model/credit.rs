//! Words that announce whose a text or a picture is: "By …", "Source: …", "Foto: …". Must not know where a credit stands.

use std::borrow::Cow;

/// Words that begin a line which says who wrote, lower case; a colon may follow.
pub const BY: &[&str] = &[
    "by",
    "von",
    "par",
    "por",
    "di",
    "door",
    "av",
    "af",
    "oleh",
    "author",
    "autor",
    "autorka",
    "автор",
    "written",
    "écrit",
    "tác",
    "от",
    "του",
    "της",
    "بقلم",
    "كتب",
    "מאת",
];

/// Words that do only before a colon: they mean more.
pub const BY_ANNOUNCED: &[&str] = &[
    "text",
    "texte",
    "tekst",
    "autore",
    "auteur",
    "szerző",
    "yazar",
    "yazan",
    "kirjoittaja",
    "penulis",
];

/// Does the first word say that the line says who wrote?
pub fn begins_byline(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let (word, announces) = match first.strip_suffix([':', '：']) {
        Some(word) => (word, true),
        None => (first, false),
    };
    let lower = if word.is_ascii() { word.into() } else { Cow::from(word.to_lowercase()) };
    let is_of = |list: &[&str]| list.iter().any(|by| by.eq_ignore_ascii_case(&lower));
    is_of(BY) || announces && is_of(BY_ANNOUNCED)
}

/// Words for a source, lower case; a colon follows.
pub const SOURCES: &[&str] = &[
    "source",
    "sources",
    "quelle",
    "quellen",
    "fuente",
    "fuentes",
    "fonte",
    "fonti",
    "bron",
    "kilde",
    "källa",
    "lähde",
    "źródło",
    "zdroj",
    "zdroje",
    "forrás",
    "sursa",
    "sursă",
    "izvor",
    "vir",
    "allikas",
    "šaltinis",
    "avots",
    "kaynak",
    "источник",
    "джерело",
    "източник",
    "πηγή",
    "المصدر",
    "مصدر",
    "منبع",
    "sumber",
    "nguồn",
    "स्रोत",
    "ที่มา",
    "来源",
    "來源",
    "出典",
    "출처",
];

/// Words for a picture or who made it, lower case; a colon follows.
pub const PICTURES: &[&str] = &[
    "photo",
    "photos",
    "photograph",
    "picture",
    "pictures",
    "image",
    "images",
    "illustration",
    "credit",
    "credits",
    "foto",
    "fotos",
    "bild",
    "bilder",
    "titelbild",
    "aufmacherbild",
    "beitragsbild",
    "archivbild",
    "symbolbild",
    "grafik",
    "crédit",
    "crédits",
    "imagen",
    "fotografía",
    "immagine",
    "beeld",
    "kuva",
    "fotó",
    "borítókép",
    "nyitókép",
    "címlapkép",
    "fotoğraf",
    "arkivfoto",
    "omslagsbild",
    "zdjęcie",
    "ilustrační foto",
    "фото",
    "φωτογραφία",
    "صورة",
    "תמונה",
    "צילום",
    "ảnh",
    "图片来源",
    "圖片來源",
    "图源",
    "写真",
    "画像",
    "사진",
];

/// The words with each colon that may follow.
pub fn announced(words: &[&str]) -> impl Iterator<Item = String> {
    words.iter().flat_map(|word| [":", " :", "："].map(|colon| format!("{word}{colon}")))
}
