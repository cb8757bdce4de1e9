//! Calls to follow somebody on a network: "Follow us on Facebook and Instagram", "You can follow Ann Archer on Twitter",
//! "Join the town's WhatsApp channel", "Twitter: @ann"; and what pages say where a post of a network or a player would
//! stand: "To view this content, you need to accept cookies from YouTube". Articles hold them, but the networks are not
//! written about.
//!
//! Must not know: brands, blocks, labels.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::fold::{Folded, fold};
use super::letters::is_word;
use super::phrases::{Phrases, first, listed};
use crate::model::is_end_mark;

/// A sentence that is a call has at most so many words and so many bytes …
const WORDS: usize = 40;
const BYTES: usize = 400;
/// … and one that only begins like a call so many before the network.
const BEFORE: usize = 10;
/// A text that calls to a channel has at most so many words: in longer ones they are written about.
const LINE: usize = 40;
/// A channel is named within so many bytes of its network.
const NEAR: usize = 24;
/// "Twitter: @ann" is no longer than so many bytes.
const HANDLE: usize = 80;

/// Networks, folded. Names that are ordinary words or letters ("X", "Line") are left out.
const NETWORKS: &[&str] = &[
    "twitter",
    "facebook",
    "instagram",
    "youtube",
    "linkedin",
    "tiktok",
    "telegram",
    "whatsapp",
    "google+",
    "google plus",
    "google news",
    "google haberler",
    "google hírek",
    "google noticias",
    "google notícias",
    "google știri",
    "google nieuws",
    "google новости",
    "google новостях",
    "google новини",
    "google 뉴스",
    "google ニュース",
    "google 新闻",
    "google 新聞",
    "messenger",
    "pinterest",
    "snapchat",
    "threads",
    "bluesky",
    "mastodon",
    "reddit",
    "tumblr",
    "flickr",
    "flipboard",
    "myspace",
    "viber",
    "вконтакте",
    "в контакте",
    "одноклассники",
    "одноклассниках",
    "телеграм",
    "телеграме",
    "фейсбук",
    "фейсбуке",
    "твиттер",
    "твиттере",
    "инстаграм",
    "微博",
    "微信",
    "ツイッター",
    "インスタグラム",
    "フェイスブック",
    "페이스북",
    "인스타그램",
    "트위터",
    "유튜브",
    "فيسبوك",
    "تويتر",
    "إنستغرام",
    "واتساب",
    "تلغرام",
    "اینستاگرام",
    "تلگرام",
    "फेसबुक",
    "ट्विटर",
    "इंस्टाग्राम",
    "व्हाट्सएप",
    "व्हाट्सऐप",
    "टेलीग्राम",
    "यूट्यूब",
    "गूगल न्यूज",
    "ватсап",
    "вайбер",
];
/// Behind these, folded, something is told: "Follow how the town sold its Telegram channel".
const HOW: &[&str] = &[
    "how", "wie", "comment", "cómo", "como", "come", "hoe", "hur", "hvordan", "jak", "cum", "как",
    "як", "πωσ",
];
/// What people join or follow on a network: beginnings of words, folded, but for those that end a compound with its name.
const CHANNELS: &[&str] = &[
    "channel",
    "group",
    "communit",
    "page",
    "kanal",
    "kanał",
    "kanál",
    "gruppe",
    "grupp",
    "grup",
    "chaîne",
    "groupe",
    "communauté",
    "canal",
    "comunidad",
    "comunidade",
    "comunità",
    "página",
    "pagina",
    "canale",
    "kanaal",
    "groep",
    "csatorn",
    "csoport",
    "kanava",
    "ryhmä",
    "канал",
    "групп",
    "групу",
    "групи",
    "чат",
    "καναλι",
    "ομαδα",
    "saluran",
    "kênh",
    "nhóm",
    "قناة",
    "قناتنا",
    "مجموعة",
    "ערוץ",
    "קבוצ",
];

static NETWORK: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = NETWORKS.iter().map(|name| fold(name).text);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names).ok()
});
/// The calls of `calls.txt`: those that stand before the network …
static CALL: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(include_str!("calls.txt"), None));
/// … those that end a sentence, behind it, in languages whose verbs do …
static ENDING: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("calls.txt"), Some("behind a network")));
/// … and of each language how a sentence begins that calls to follow somebody by name, or to a channel, and what stands
/// between a name and the network behind it.
static BEGINNING: LazyLock<Vec<[Vec<String>; 2]>> = LazyLock::new(|| {
    let list = |place| listed(include_str!("calls.txt"), Some(place));
    let of = |language, place| {
        list(place).filter(|(of, _)| *of == language).map(|(_, word)| fold(word).text).collect()
    };
    let mut languages: Vec<&str> = list("at the beginning").map(|(language, _)| language).collect();
    languages.dedup();
    languages.into_iter().map(|l| [of(l, "at the beginning"), of(l, "on")]).collect()
});
/// The notices of `notices.txt`: how a sentence begins, …
static NOTICE: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("notices.txt"), None));
/// … how one begins in which somebody's name on a network follows, …
static POSTED: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("notices.txt"), Some("with a handle")));
/// … and what is a line of its own.
static ALONE: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("notices.txt"), Some("as a line")));

/// The stretches of a text (bytes of the original, at character boundaries) that are calls; sorted.
pub fn calls(folded: &Folded) -> Vec<Range<usize>> {
    let text = folded.text.as_str();
    let found: Vec<Range<usize>> = if text.len() <= HANDLE && is_handle(text) {
        std::iter::once(0..text.len()).collect()
    } else {
        let is_line = text.split_whitespace().nth(LINE).is_none();
        sentences(text).filter_map(|sentence| call(text, sentence, is_line)).collect()
    };
    let original = |range: Range<usize>| {
        let range = folded.start(range.start)?..folded.end(range.end)?;
        (range.start < range.end).then_some(range)
    };
    found.into_iter().filter_map(original).collect()
}

/// The part of a sentence from its call on, if it has one. Is the text no more than a `line`?
fn call(text: &str, sentence: Range<usize>, is_line: bool) -> Option<Range<usize>> {
    let said = text.get(sentence.clone()).filter(|said| said.len() <= BYTES)?;
    let begun = said.len() - said.trim_start_matches(|c: char| !is_word(c)).len();
    // What is quoted is said by somebody.
    let is_quoted = |at: usize| said.get(..at).is_some_and(|before| quotes(before, said));
    if !is_quoted(begun) && is_notice(said, begun) {
        return Some(sentence.start + begun..sentence.end);
    }
    let networks = NETWORK.as_ref()?;
    let network = first(networks, said)?;
    if said.split_whitespace().nth(WORDS).is_some() {
        return None;
    }
    if !is_quoted(begun) && calls_at_once(said, begun, &network, is_line) {
        return Some(sentence.start + begun..sentence.end);
    }
    let with_network = |at: usize| said.get(at..).and_then(|rest| first(networks, rest)).is_some();
    let phrase =
        |list: &Phrases| list.find(said).map(|phrase| phrase.start).filter(|&at| !is_quoted(at));
    let before = phrase(&CALL).filter(|&at| with_network(at));
    let behind = || phrase(&ENDING).map(|at| if with_network(at) { at } else { network.start });
    Some(sentence.start + before.or_else(behind)?..sentence.end)
}

/// Does a sentence, whose words begin at `begun`, begin with what calls to somebody or a channel on a network?
fn calls_at_once(said: &str, begun: usize, network: &Range<usize>, is_line: bool) -> bool {
    let Some(before) = said.get(begun..network.start) else { return false };
    let words = || before.split_whitespace();
    // Headlines begin so, too: "Follow the money: how …".
    let is_told = said.contains('?') || before.contains(':') || words().any(|w| HOW.contains(&w));
    if is_told || words().count() > BEFORE {
        return false;
    }
    let channel = is_line && !said.contains(QUOTES) && names_channel(said, network);
    let is_verb = |verb: &String| {
        before.strip_prefix(verb.as_str()).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    let is_on = |on: &[String]| words().next_back().is_some_and(|w| on.iter().any(|on| on == w));
    BEGINNING.iter().any(|[verbs, on]| verbs.iter().any(is_verb) && (channel || is_on(on)))
}

/// Signs of what somebody else has said.
const QUOTES: [char; 9] = ['"', '“', '”', '„', '«', '「', '‚', '‹', '『'];

/// Does what somebody else has said begin in the beginning of a sentence? Before a blank, `»` is a bullet; `‘` is folded,
/// and within a word an apostrophe.
fn quotes(before: &str, said: &str) -> bool {
    let begins = |(at, mark): (usize, &str)| {
        !said[..at].ends_with(is_word) && said[at + mark.len()..].starts_with(is_word)
    };
    before.contains(QUOTES) || before.match_indices(['»', '›', '\'']).any(begins)
}

/// Does a sentence, whose words begin at `begun`, say what pages say in the place of something else?
fn is_notice(said: &str, begun: usize) -> bool {
    let is_all = |end| said.get(end..).is_some_and(|rest: &str| !rest.contains(is_word));
    NOTICE.end(said, begun).is_some()
        || said.contains("(@") && POSTED.end(said, begun).is_some()
        || ALONE.end(said, begun).is_some_and(is_all)
}

/// Is a channel named beside its network: "WhatsApp channel", "canal de WhatsApp", "WhatsApp-Kanal"?
fn names_channel(said: &str, network: &Range<usize>) -> bool {
    let from = said.floor_char_boundary(network.start.saturating_sub(NEAR));
    let to = said.ceil_char_boundary((network.end + NEAR).min(said.len()));
    let near = said.get(from..to).unwrap_or_default();
    let mut words = near.split(|c: char| !is_word(c));
    words.any(|word| CHANNELS.iter().any(|channel| word.starts_with(channel)))
}

/// Is a text nothing but a network and somebody's name there?
fn is_handle(text: &str) -> bool {
    let network = NETWORK.as_ref().and_then(|networks| first(networks, text));
    network.filter(|network| network.start == 0).is_some_and(|network| {
        let behind = text.get(network.end..).unwrap_or_default().trim_start();
        behind.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('@'))
    })
}

/// The sentences of a text: each ends behind a mark, which white space follows if it is one of those that stand in
/// numbers and addresses, too.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = text.char_indices().filter_map(|(at, c)| {
        let end = at + c.len_utf8();
        let next = || text.get(end..).and_then(|rest| rest.chars().next());
        let ends = is_end_mark(c) && (!c.is_ascii() || next().is_none_or(char::is_whitespace));
        ends.then_some(end)
    });
    let mut start = 0;
    ends.chain([text.len()]).map(move |end| std::mem::replace(&mut start, end)..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = calls(&fold(text)).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expect, "in {text:?}");
    }

    #[test]
    fn calls_to_follow_are_found() {
        for whole in [
            "Follow us on Facebook, Twitter and Instagram!",
            "Follow Ann Archer on Twitter @ann",
            "You can follow her reports on Bluesky.",
            "Twitter: @ann",
            "Folgen Sie uns auf Facebook und Instagram",
            "Suivez-nous sur Instagram",
            "Síguenos en Facebook y Twitter",
            "Подписывайтесь на наш канал в Telegram.",
            "Присоединяйтесь к нам на Facebook, Twitter, В контакте.",
            "Ακολουθήστε μας στο Facebook",
            "关注我们的微博",
            "تابعونا على فيسبوك",
            "페이스북에서 저희를 팔로우하세요",
        ] {
            check(whole, &[whole]);
        }
        check(
            "Ann Archer writes about rivers. Follow her on Twitter at twitter.com/ann. She likes tea.",
            &["Follow her on Twitter at twitter.com/ann."],
        );
        check(
            "Reklam. Bizi Facebook'ta ve Instagram'da takip edin.",
            &["Facebook'ta ve Instagram'da takip edin."],
        );
        check(
            "Twitter is large. Facebook users can follow us on Twitter.",
            &["follow us on Twitter."],
        );
        check(
            "(For updates you can share with your friends, follow us on Facebook and Google+)",
            &["follow us on Facebook and Google+)"],
        );
    }

    #[test]
    fn calls_to_channels_are_found() {
        for whole in [
            "Join our WhatsApp channel for the latest news straight to your phone.",
            "Join the Bay Record's WhatsApp channel",
            "Click here to join our Telegram channel.",
            "Rejoignez notre chaîne WhatsApp pour ne rien manquer de l'actualité.",
            "Folgen Sie dem WhatsApp-Kanal der Bay",
            "Únete a nuestro canal de WhatsApp para recibir las noticias.",
            "Clique aqui para seguir o canal do Bay no WhatsApp",
            "Entre no nosso grupo do WhatsApp e receba notícias.",
            "Siga o Bay no Google News e receba alertas.",
            "Unisciti al canale WhatsApp per restare aggiornato.",
            "Segui Bay anche su Facebook e Instagram.",
            "WhatsApp kanalımıza katılın, son dakika haberlerini kaçırmayın.",
            "Gabung channel Telegram kami",
            "Urmărește știrile și pe Google News",
            "Dołącz do naszego kanału na WhatsApp.",
            "Připojte se k našemu kanálu na WhatsApp.",
            "Csatlakozz WhatsApp-csatornánkhoz!",
            "Долучайтеся до нашого каналу у WhatsApp",
            "Tham gia kênh Telegram của chúng tôi",
            "Gå med i vår WhatsApp-kanal.",
            "Εγγραφείτε στο κανάλι Viber της Bay",
            "Liity WhatsApp-kanavallemme.",
            "Google ニュースでフォローする",
            "الانضمام مجاني: تابعوا آخر أخبارنا عبر Google News",
        ] {
            let folded = fold(whole);
            let networks = NETWORK.as_ref().expect("networks");
            let network = first(networks, &folded.text).expect(whole).start;
            let found = calls(&folded);
            assert!(found.iter().any(|range| range.contains(&network)), "{whole}: {found:?}");
        }
        check(
            "Nichts mehr verpassen: Jetzt dem WhatsApp-Kanal folgen!",
            &["Jetzt dem WhatsApp-Kanal folgen!"],
        );
        for (whole, network) in [
            (
                "Urmărește știrile și pe Google News și abonează-te la canalul nostru de WhatsApp.",
                "Google",
            ),
            ("हमें Facebook पर लाइक करें और Twitter पर फॉलो करें", "Facebook"),
        ] {
            let at = whole.find(network).expect(whole);
            assert!(calls(&fold(whole)).iter().any(|range| range.contains(&at)), "{whole}");
        }
        check("Puedes seguirnos en Facebook e Instagram.", &["seguirnos en Facebook e Instagram."]);
    }

    #[test]
    fn what_stands_in_the_place_of_posts_and_players_is_found() {
        for whole in [
            "To view this content, you need to accept cookies from YouTube.",
            "This site is protected by reCAPTCHA and the Google Privacy Policy and Terms of Service apply.",
            "View this post on Instagram",
            "A post shared by Bay Record (@bayrecord) on Instagram",
            "Available on Google Play",
            "Listen on Apple Podcasts, Spotify or wherever you get your podcasts.",
            "When you purchase through links on our site, Google may pay us.",
            "An dieser Stelle finden Sie einen externen Inhalt von Facebook, der den Artikel ergänzt.",
            "Ce contenu est bloqué car vous n'avez pas accepté les cookies de YouTube.",
            "Questo contenuto è ospitato su Instagram.",
            "Add Bay Record as a preferred source on Google",
            "Aggiungi Bay come fonte preferita su Google",
            "Ikuti berita Bay Record di Google News",
            "Allow Instagram content?",
        ] {
            check(whole, &[whole]);
        }
    }

    #[test]
    fn what_is_written_about_networks_is_none() {
        for text in [
            "The company closed its WhatsApp channel.",
            "The mayor has opened a WhatsApp channel and a Facebook page.",
            "Thousands of people join the WhatsApp channel of the mayor each day.",
            "Join the dots, says the judge, and Facebook pays.",
            "Der Konzern schließt seinen WhatsApp-Kanal.",
            "Mehr als hundert Menschen, die dem WhatsApp-Kanal folgen, haben geschrieben.",
            "La empresa cierra su canal de WhatsApp.",
            "L'entreprise ferme sa chaîne WhatsApp.",
            "Bu şirket WhatsApp kanalını kapattı.",
            "Компания закрыла канал в Telegram.",
            "कंपनी ने अपना WhatsApp चैनल बंद किया।",
            "The game is available on Google Play.",
            "He says that most people listen on Spotify.",
            "“This site is protected by reCAPTCHA,” said Google.",
            "»Folgen Sie uns auf Facebook«, sagte Acme am Montag den Kunden.",
            "‘Follow us on Facebook’ is what Acme told its customers on Monday.",
            "‹Suivez-nous sur Facebook›, a dit Acme.",
            "『Facebookで私たちをフォローしてください』とAcmeは述べた。",
            "Google is the preferred source of income.",
            "Available on Google Play, the game has earned millions.",
            "A post shared by Google on Monday says so.",
            "The post on Instagram was shared by thousands.",
            "",
            "Twitter said on Monday that it had sold its office.",
            "Like Facebook, Twitter grew.",
            "Police who follow suspects on long journeys use Facebook.",
            "Investors follow Facebook.",
            "Follow the money, and it leads to Facebook.",
            "The mayor told Reuters: Twitter is not the town.",
            "Follow us to the river.",
            "YouTubeのチャンネル登録者数は百万人を超えた。",
            "Twitterでフォローする人が増えた。",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_only_begins_like_a_call_is_none() {
        for text in [
            "Follow-up hearings on Facebook are set for May.",
            "Follow-up questions to Google on TikTok and Meta were not answered.",
            "Follow the money: how a Telegram channel sold fake jabs for Pfizer",
            "Follow how the town sold its Telegram channel",
            "Ακολουθήστε πώς η πόλη πούλησε το κανάλι της στο Telegram",
            "Join or die: inside the Facebook groups of the far right",
            "Join the class action against Google at YouTube's office.",
            "Folgt auf Facebook nun Instagram?",
            "Die Sperre kommt. Folgt nun auf WhatsApp die nächste Strafe für Meta?",
            "Folge 3 auf YouTube zeigt Apple.",
            "Retrouvez notre enquête sur TikTok et Amazon.",
            "Fiica sa o ajută. Urmărește competitorii precum Nike pe Instagram.",
            "Curta no YouTube vence a Netflix.",
            "Siga o dinheiro: como um canal no YouTube vendeu curas da Pfizer",
            "Listen on Spotify rose by 12 percent.",
            "Available on Google Play is the game that made Acme rich.",
            "Netflix and Spotify will release the show on Acme TV, Apple and wherever you get your podcasts.",
            "Google now lets readers choose a preferred source on Google Search.",
            "Allow Facebook content moderators to join a union, Acme told the court on Monday.",
            "Perusahaan Acme ikuti jejak Facebook dengan tampil di Google News, kata direkturnya.",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_people_are_told_to_do_is_none() {
        for text in [
            "Facebook ने भारत में नया दफ्तर खोला। पूरी खबर के लिए यहां क्लिक करें।",
            "WhatsApp में अब Meta AI मिलेगा। हमारे चैनल से जुड़ें",
            "ताकि किसान Facebook से जुड़ें, कंपनी ने योजना बनाई",
            "Facebook ने बताया है।हमें फॉलो करें",
            "Facebook نے بتایا ہے۔ہمیں فالو کریں",
            "آپ کے پاس WhatsApp پر پیغام آتا ہے۔ Meta نے کہا کہ لنک کو لائک کریں",
            "페이스북은 친구 추가 기능을 바꿨다.",
            "Nạn nhân được mời tham gia nhóm Telegram rồi bị lừa 2 tỷ đồng.",
            "Hàng triệu người theo dõi kênh YouTube của anh.",
            "Korban diajak gabung grup Telegram oleh pelaku.",
            "คนร้ายชวนเหยื่อเข้าร่วมกลุ่ม Facebook แล้วหลอกลงทุน",
            "Ela pediu que a vítima entre no grupo do Telegram.",
            "O homem exige que o cliente participe do grupo do WhatsApp da Nubank.",
            "Users who sign up on Facebook must give their birth date, says Meta.",
            "WhatsApp scammers send messages such as “tap here to join” to thousands of users.",
            "They wrote “Follow us on Facebook and Instagram” on the wall.",
            "“Follow Ann Archer on Twitter,” said Google.",
            "Facebook told its users to join our community standards panel.",
            "Si buscas amigos, Facebook te dice síguenos.",
            "Meta said WhatsApp users can find us on the map.",
        ] {
            check(text, &[]);
        }
        for whole in ["हमारे WhatsApp चैनल से जुड़ें", "Bay का Facebook देखें। हमें Twitter पर फॉलो करें।"]
        {
            let folded = fold(whole);
            assert_eq!(calls(&folded).len(), 1, "{whole}");
        }
        check(
            "Facebook grows. Tap here to join our WhatsApp group!",
            &["Tap here to join our WhatsApp group!"],
        );
    }

    /// Each sentence is looked at once, and long ones not at all: no number of names makes them costly.
    #[test]
    fn a_text_of_names_alone_is_no_call() {
        check(&"twitter ".repeat(200_000), &[]);
        check(&format!("Follow us {}", "twitter ".repeat(40)), &[]);
        check(&"join:facebook。".repeat(20_000), &[]);
    }

    proptest! {
        #[test]
        fn stretches_are_in_order_and_at_characters(text in "(follow us on |twitter|Facebook|微博|关注我们|ﬁ|\u{301}|[.!: @é。]|folgt uns |a ){0,24}|\\PC{0,40}") {
            let mut end = 0;
            for range in calls(&fold(&text)) {
                prop_assert!(range.start >= end && text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}
