//! Calls to follow somebody on a network: "Follow us on Facebook and Instagram", "You can follow Ann Archer on Twitter",
//! "Join the town's WhatsApp channel", "Twitter: @ann"; and what pages say where a post of a network or a player would
//! stand: "To view this content, you need to accept cookies from YouTube". Articles hold them, but the networks are not
//! written about.
//!
//! Must not know: brands, blocks, labels.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::fold::{Folded, fold};
use super::letters::{is_word, joined};

/// A sentence that is a call has at most so many words and, where nothing parts them, so many bytes …
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
    "telegram-канал",
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
/// What stands between a name and the network behind it.
const ON: &[&str] = &[
    "on", "at", "via", "auf", "bei", "sur", "en", "no", "na", "su", "op", "på", "w", "pe", "di",
    "στο", "στα", "в", "у", "на", "trên", "على", "عبر",
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
    "κανάλι",
    "ομάδα",
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
/// The calls of `calls.txt`: what a sentence holds …
static CALL: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("calls.txt"), None));
/// … and how one begins that calls to follow somebody by name, or to a channel.
static BEGINNING: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("calls.txt"), Some("at the beginning")));
/// The notices of `notices.txt`: how a sentence begins, …
static NOTICE: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("notices.txt"), None));
/// … what it holds, …
static NOTED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("notices.txt"), Some("anywhere")));
/// … how one begins in which somebody's name on a network follows, …
static POSTED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("notices.txt"), Some("with a handle")));
/// … and how a short line begins that has no more parts.
static ALONE: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(include_str!("notices.txt"), Some("as a line")));

/// The phrases of lines with a language, this `place` behind it, a colon, and phrases between semicolons; folded.
fn automaton(lines: &str, place: Option<&str>) -> Option<AhoCorasick> {
    let of_place = |line: &&str| {
        let key = line.split(": ").next().unwrap_or_default();
        key.split_once(", ").map(|(_, place)| place) == place
    };
    let lines = lines.lines().filter(of_place).filter_map(|line| line.split_once(": "));
    let phrases =
        lines.flat_map(|(_, phrases)| phrases.split("; ")).map(|phrase| fold(phrase).text);
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .start_kind(StartKind::Both)
        .build(phrases)
        .ok()
}

/// The stretches of a text (bytes of the original, at character boundaries) that are calls; sorted.
pub fn calls(folded: &Folded) -> Vec<Range<usize>> {
    let text = folded.text.as_str();
    let found: Vec<Range<usize>> = if text.len() <= HANDLE && is_handle(text) {
        std::iter::once(0..text.len()).collect()
    } else {
        sentences(text).filter_map(|sentence| call(text, sentence)).collect()
    };
    let original = |range: Range<usize>| {
        let range = folded.start(range.start)?..folded.end(range.end)?;
        (range.start < range.end).then_some(range)
    };
    found.into_iter().filter_map(original).collect()
}

/// The part of a sentence from its call on, if it has one.
fn call(text: &str, sentence: Range<usize>) -> Option<Range<usize>> {
    let said = text.get(sentence.clone()).filter(|said| said.len() <= BYTES)?;
    let begun = said.len() - said.trim_start_matches(|c: char| !is_word(c)).len();
    if is_notice(said, begun) {
        return Some(sentence.start + begun..sentence.end);
    }
    let networks = NETWORK.as_ref()?;
    let network = first(networks, said)?;
    if said.split_whitespace().nth(WORDS).is_some() {
        return None;
    }
    if calls_at_once(text, said, begun, &network) {
        return Some(sentence.start + begun..sentence.end);
    }
    let phrase = first(CALL.as_ref()?, said)?;
    // In some languages the call ends the sentence.
    let begins = network.start > phrase.start
        || said.get(phrase.end..).is_some_and(|rest| first(networks, rest).is_some());
    let start = if begins { phrase.start } else { network.start };
    Some(sentence.start + start..sentence.end)
}

/// Does a sentence of `text`, whose words begin at `begun`, begin with what calls to somebody or a channel on a network?
fn calls_at_once(text: &str, said: &str, begun: usize, network: &Range<usize>) -> bool {
    let verb = BEGINNING.as_ref().and_then(|verbs| begins(verbs, said, begun));
    let Some(before) = said.get(begun..network.start) else { return false };
    let on = || before.split_whitespace().next_back().is_some_and(|last| ON.contains(&last));
    let short = || text.split_whitespace().nth(LINE).is_none() && !said.contains(QUOTES);
    verb.is_some_and(|verb| verb <= before.len())
        && before.split_whitespace().count() <= BEFORE
        && (on() || short() && names_channel(said, network))
}

/// Signs of what somebody else has said.
const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '「'];

/// Does a sentence, whose words begin at `begun`, say what pages say in the place of something else? What is quoted
/// is said by somebody.
fn is_notice(said: &str, begun: usize) -> bool {
    let begins = |list: &LazyLock<Option<AhoCorasick>>| {
        list.as_ref().is_some_and(|notices| begins(notices, said, begun).is_some())
    };
    let quoted = said.get(..begun).is_some_and(|signs| signs.contains(QUOTES));
    let is_line = || said.len() <= HANDLE && !said.contains(',');
    !quoted
        && (begins(&NOTICE)
            || NOTED.as_ref().is_some_and(|notices| first(notices, said).is_some())
            || said.contains("(@") && begins(&POSTED)
            || is_line() && begins(&ALONE))
}

/// How long the phrase is that stands at a place of a sentence, if one does.
fn begins(phrases: &AhoCorasick, said: &str, at: usize) -> Option<usize> {
    let found = phrases.find(Input::new(said).span(at..said.len()).anchored(Anchored::Yes))?;
    let (own, behind) = said.split_at_checked(found.end())?;
    (!joined(own.chars().next_back(), behind.chars().next())).then_some(found.len())
}

/// Is a channel named beside its network: "WhatsApp channel", "canal de WhatsApp", "WhatsApp-Kanal"?
fn names_channel(said: &str, network: &Range<usize>) -> bool {
    let from = said.floor_char_boundary(network.start.saturating_sub(NEAR));
    let to = said.ceil_char_boundary((network.end + NEAR).min(said.len()));
    let near = said.get(from..to).unwrap_or_default();
    let mut words = near.split(|c: char| !is_word(c));
    words.any(|word| CHANNELS.iter().any(|channel| word.starts_with(channel)))
}

/// The first of these that stands for itself; onto Hangul particles are written.
fn first(names: &AhoCorasick, text: &str) -> Option<Range<usize>> {
    let is_hangul = |c: char| ('\u{AC00}'..='\u{D7A3}').contains(&c);
    names.find_iter(text).map(|hit| hit.range()).find(|range| {
        let (before, rest) = text.split_at(range.start);
        let (own, behind) = rest.split_at(range.len());
        let last = own.chars().next_back();
        !joined(before.chars().next_back(), own.chars().next())
            && (last.is_some_and(is_hangul) || !joined(last, behind.chars().next()))
    })
}

/// Is a text nothing but a network and somebody's name there?
fn is_handle(text: &str) -> bool {
    let network = NETWORK.as_ref().and_then(|networks| first(networks, text));
    network.filter(|network| network.start == 0).is_some_and(|network| {
        let behind = text.get(network.end..).unwrap_or_default().trim_start();
        behind.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('@'))
    })
}

/// The sentences of a text: each ends behind a mark that white space follows, or one of ideographs.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = text.char_indices().filter_map(|(at, c)| {
        let end = at + c.len_utf8();
        let next = || text.get(end..).and_then(|rest| rest.chars().next());
        let ends = match c {
            '.' | '!' | '?' => next().is_none_or(char::is_whitespace),
            '…' | '。' | '！' | '？' => true,
            _ => false,
        };
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

    /// Each sentence is looked at once, and long ones not at all: no number of names makes them costly.
    #[test]
    fn a_text_of_names_alone_is_no_call() {
        check(&"twitter ".repeat(200_000), &[]);
        check(&format!("Follow us {}", "twitter ".repeat(40)), &[]);
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
