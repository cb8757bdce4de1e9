//! Words by which comment regions are known: the paper's, and their like in the languages served.

/// Pappas et al. 2012, footnote 2.
pub const PAPER: [&str; 6] = ["comment", "reply", "response", "user", "wrote:", "said:"];

/// The same idea in other languages: the noun on the heading of a comment section, the verb on its
/// button, `wrote:` above a comment. Stems where the ending changes; "comment" covers the French
/// and the Italian noun is its own. Words that news prose uses for anything else (answer, opinion)
/// are left out.
const OTHERS: [&str; 43] = [
    "kommentar",
    "schrieb:",
    "commentaire",
    "a écrit",
    "comentario",
    "escribió:",
    "comentário",
    "escreveu:",
    "commenti",
    "ha scritto:",
    "reacties",
    "schreef:",
    "skrev:",
    "kommentti",
    "kommentit",
    "kirjoitti:",
    "komentarz",
    "napisał:",
    "komentář",
    "napsal:",
    "комментари",
    "написал:",
    "коментар",
    "σχόλια",
    "yorumlar",
    "yorum yap",
    "hozzászólás",
    "comentarii",
    "comentaris",
    "komentari",
    "komentāri",
    "kommentaar",
    "评论",
    "回复",
    "評論",
    "回應",
    "コメント",
    "返信",
    "댓글",
    "تعليق",
    "תגובות",
    "bình luận",
    "ความคิดเห็น",
];

/// The paper's words.
pub fn paper() -> Vec<String> {
    PAPER.map(str::to_owned).to_vec()
}

/// The paper's words and those of the other languages.
pub fn all() -> Vec<String> {
    PAPER.iter().chain(&OTHERS).map(|w| (*w).to_owned()).collect()
}
