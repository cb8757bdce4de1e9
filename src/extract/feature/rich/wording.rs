//! What a block says of itself: words by which readers are addressed in many languages (offers,
//! pointers to other pages, legal notices, staff, comments), where its links lead, and how it is set.
//!
//! Must not know: the rest of the page.

use std::sync::LazyLock;

use super::{PageBlocks, RawBlock, Stats, share};
use crate::extract::dom::{Dom, Id};
use crate::extract::page::Evidence;
use crate::extract::segment::LastLink;
use crate::extract::text::word_hashes;
use crate::html::name;

pub(super) const WORDING: [&str; 20] = [
    "offering words",
    "referring words",
    "legal words",
    "staff words",
    "addressing words",
    "commenting words",
    "links to pages like this",
    "links to people",
    "links elsewhere",
    "italic",
    "bold",
    "begins bold",
    "after rule",
    "quotes",
    "in brackets",
    "begins with bullet",
    "early colon",
    "handles",
    "shouting",
    "page body words",
];

/// Kinds of words, in the order of their columns.
pub(super) const KINDS: usize = 6;

/// Single words, lower case; scripts without spaces by pairs of characters.
const WORDS: [&str; KINDS] = [
    // Offers: letters, subscriptions, channels, apps, shops.
    "newsletter newsletters subscribe subscribed subscriber subscribers subscription sign signup \
     inbox email emailing touch tip tips alerts join app apps download podcast podcasts whatsapp telegram facebook instagram twitter youtube \
     tiktok linkedin pinterest click tap here free trial offer offers donate donation premium shop \
     buy price amazon affiliate commission advertisement advertising sponsored promoted unlimited \
     abonnieren abonnement abo abonnenten klicken hier kostenlos jetzt anmelden angebot angebote \
     anzeige werbung testen spenden suscríbete suscribirse suscripción suscriptores boletín gratis \
     aquí haz clic publicidad descarga regístrate abonnez inscrivez abonnés lettre cliquez ici \
     gratuit gratuitement recevez publicité iscriviti abbonati abbonamento clicca qui gratuita \
     pubblicità assine inscreva clique aqui receba publicidade abonneer nieuwsbrief klik aanmelden \
     nyhetsbrev prenumerera nyhedsbrev abonner tilmeld klikk meld uutiskirje tilaa zapisz subskrybuj \
     kliknij darmowy reklama odebírat přihlaste iratkozzon hírlevél feliratkozás abone bülten ücretsiz \
     tıklayın подписывайтесь подписаться подпишитесь рассылку канал телеграм бесплатно реклама \
     підписуйтесь підписатися εγγραφείτε εδώ δωρεάν berlangganan langganan unduh klik đăng ký \
     구독 구독하기 무료 채널 다운로드 关注 订阅 扫码 微信 公众 下载 點擊 点击 免费 登録 購読 会員 無料 \
     اشترك النشرة تحميل اضغط تابعونا تابعنا إعلان مجانا הירשמו לחצו عضویت",
    // Pointers to other pages.
    "read more also related see watch video videos gallery photos story stories next previous \
     continue recommended trending popular latest topics mehr lesen auch weiterlesen lesetipp \
     thema themen artikel bildergalerie fotostrecke hintergrund leer más también relacionado \
     noticias lire aussi suite voir dossier leggi anche leia também mais veja saiba lees ook meer \
     bekijk läs också mer les også mere læs lue myös lisää czytaj również także więcej zobacz \
     polecamy čtěte také více olvasd továbbá kapcsolódó devamı haberi ilgili baca juga selengkapnya \
     xem thêm tin читайте также подробнее читать материалы читайте більше διαβάστε επίσης \
     περισσότερα ειδήσεις 관련기사 기사 더보기 阅读 更多 相关 推荐 新闻 延伸 詳細 関連 記事 続き 一覧 \
     اقرأ أيضا المزيد شاهد קרא עוד بیشتر بخوانید",
    // Notices of law and technique.
    "copyright rights reserved reproduction permission reproduced republished terms conditions \
     privacy policy cookie cookies consent disclaimer javascript browser enable license licensed \
     trademark trademarks alle rechte vorbehalten datenschutz nutzungsbedingungen impressum \
     haftung derechos reservados prohibida reproducción droits réservés reproduction interdite \
     mentions légales diritti riservati riproduzione riservata direitos reservados rechten \
     voorbehouden rättigheter rettigheder prawa zastrzeżone kopiowanie práva vyhrazena jogok \
     fenntartva hakları saklıdır права защищены перепечатка использование материалов δικαιώματα \
     hak cipta 무단 전재 재배포 금지 저작권자 版权 转载 声明 免责 授权 严禁 無断 転載 禁止 著作 حقوق محفوظة",
    // Staff and sources.
    "afp ap dpa apa sda reuters ansa efe lusa belga anp ritzau ntb tt stt pap čtk mti tass интерфакс \
     тасс риа укринформ upi kna epd sid bloomberg associated press agencies agenturen \
     agencias agences agenzie source sources quelle quellen fuente fuentes fonte fonti источник \
     reporter reporters editor editors editing edited journalist correspondent author writer \
     columnist contributor contributed contributing photographer reporting staff bureau freelance \
     redakteur redakteurin redaktion autor autorin korrespondent volontär periodista redactor \
     redacción autora corresponsal journaliste rédaction rédacteur correspondant auteur giornalista \
     redazione jornalista redação colunista redacteur redactie verslaggever redaktör reporter \
     journalist toimittaja dziennikarz redaktor redakce szerkesztő muhabir editör корреспондент \
     редакция редактор автор журналист кореспондент συντάκτης wartawan redaksi 기자 특파원 편집 \
     责任 编辑 记者 来源 通讯 作者 編集 記者 執筆 المحرر مراسل",
    // Who is spoken to, and who speaks.
    "you your yours we our us i my me sie ihr ihre ihnen ihrem wir uns unser unsere unseren \
     vous votre vos nous notre nos usted ustedes tu tus te nosotros nuestra nuestro nuestros voi \
     vostra noi nostra nostro você seu nós nossa nosso jij jouw je u uw wij onze du din dig vi vår \
     vårt jer jeres vores sinä teidän meidän ty twój wy wasz nasz nasze nas vy váš naše siz sizin \
     bizim вы вас ваш ваши мы наш наши нас ви ваші наші εσάς σας μας anda kami bạn 您的 我们 你的 我的 \
     皆様 私た",
    // Comments, accounts, polls.
    "comment comments commenting reply replies discussion log login logged register registered \
     password account poll vote votes rating moderated moderation kommentar kommentare kommentieren \
     diskutieren umfrage abstimmen einloggen registrieren konto comentario comentarios comentar \
     encuesta commentaire commentaires commenter connectez sondage commenti commenta accedi sondaggio \
     comentários comente enquete reacties reageer kommentera kommentarer kommenttia kommentoi \
     komentarze skomentuj zaloguj komentáře diskuse hozzászólás yorum yorumlar комментарии \
     комментарий войти зарегистрироваться коментарі σχόλια σχόλιο komentar bình luận 댓글 로그인 评论 \
     登录 发表 留言 コメ ログ تعليق تعليقات",
];

/// Word → its kinds, one bit each: open addressing by hash.
struct Table {
    /// A bit for every word, of eight for each slot: most words are told by it to be none of these.
    marks: Vec<u64>,
    slots: Vec<(u32, u8)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Vec::new();
    let mut hashes = Vec::new();
    for (kind, words) in WORDS.iter().enumerate() {
        hashes.clear();
        word_hashes(words, &mut hashes);
        table.extend(hashes.iter().map(|h| (*h, 1u8 << kind)));
    }
    table.sort_unstable();
    table.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 |= if same { next.1 } else { 0 };
        same
    });
    let mut slots = vec![(0u32, 0u8); (4 * table.len()).next_power_of_two()];
    let mask = slots.len() - 1;
    let mut marks = vec![0; slots.len() / 8];
    for (hash, kinds) in table {
        let (word, bit) = Table::mark(hash, marks.len());
        marks[word] |= bit;
        let mut at = hash as usize & mask;
        while slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = (hash, kinds);
    }
    Table { marks, slots }
});

impl Table {
    /// The place of a hash among so many words of marks, which is not that among the slots.
    #[inline]
    fn mark(hash: u32, words: usize) -> (usize, u64) {
        let high = hash.rotate_right(16) as usize;
        ((high / 64) & (words - 1), 1 << (high % 64))
    }

    #[inline]
    fn kinds(&self, hash: u32) -> u8 {
        let (word, bit) = Table::mark(hash, self.marks.len());
        if self.marks[word] & bit == 0 {
            return 0;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => return 0,
                (found, kinds) if found == hash => return kinds,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// Words of the claimed body, as a logarithm; one number for the page.
pub(super) fn claimed(evidence: &Evidence) -> f32 {
    let spaces = evidence.body.as_deref().map_or(0, |b| b.bytes().filter(|b| *b == b' ').count());
    (spaces as f32).ln_1p()
}

/// Appends the columns of a block whose words have these hashes; the shares of each kind of words.
pub(super) fn wording(
    data: &mut Vec<f32>,
    page: &PageBlocks,
    block: &RawBlock,
    stats: &Stats,
    hashes: &[u32],
    claimed: f32,
    last_link: &mut LastLink<usize>,
) -> [f32; KINDS] {
    let text = page.blocks.text_of(block);
    let mut counts = [0u32; KINDS];
    let table = &*TABLE;
    for kinds in hashes.iter().map(|h| table.kinds(*h)).filter(|k| *k != 0) {
        counts.iter_mut().enumerate().for_each(|(kind, n)| *n += u32::from(kinds >> kind & 1));
    }
    let all = hashes.len() as u32;
    let mut said = [0.0; KINDS];
    said.iter_mut().zip(counts).for_each(|(said, count)| *said = share(count, all));
    data.extend_from_slice(&said);
    data.extend_from_slice(&links(page, block, last_link));
    let first = Style::of(&page.dom, block.first);
    let same = block.first == block.last;
    let last = if same { first } else { Style::of(&page.dom, block.last) };
    let start = text.trim_start();
    let brackets =
        start.starts_with(['(', '[', '（', '【']) && text.ends_with([')', ']', '）', '】']);
    data.extend_from_slice(&[
        f32::from(first.italic && last.italic),
        f32::from(first.bold && last.bold),
        f32::from(first.bold && !last.bold),
        f32::from(after_rule(&page.dom, block.container)),
        share(stats.quotes, all).min(1.0),
        f32::from(brackets),
        f32::from(
            start.starts_with([
                '•', '·', '►', '▶', '»', '→', '›', '■', '●', '▪', '-', '–', '*', '>',
            ]),
        ),
        f32::from(stats.colons > 0 && has_early_colon(start)),
        f32::from(stats.handles > 0),
        share(stats.upper, stats.upper + stats.lower),
        claimed,
    ]);
    said
}

/// Is one of the first characters a colon or a bar?
fn has_early_colon(text: &str) -> bool {
    const CHARACTERS: usize = 40;
    let bytes = text.as_bytes();
    let found =
        memchr::memchr3_iter(b':', b'|', 0xEF, bytes.get(..4 * CHARACTERS).unwrap_or(bytes)).find(
            |&at| bytes[at] != 0xEF || text.get(at..).is_some_and(|rest| rest.starts_with('：')),
        );
    found.is_some_and(|at| {
        at < CHARACTERS || text.get(..at).is_some_and(|before| before.chars().count() < CHARACTERS)
    })
}

/// Shares of the block's text that link to pages like this one, to people and topics, and elsewhere.
fn links(page: &PageBlocks, block: &RawBlock, last: &mut LastLink<usize>) -> [f32; 3] {
    let mut sums = [0u32; 3];
    for link in page.blocks.links_of(block) {
        let kind =
            last.of(link, |id| target(&page.dom.value(id, name!("href")).unwrap_or_default()));
        sums[kind] += link.range.end - link.range.start;
    }
    let length = block.range.end - block.range.start;
    let [articles, people, others] = sums;
    [share(articles, length), share(people, length), share(others, length)]
}

/// 0: an address like an article's; 1: a person or topic; 2: anything else.
fn target(href: &str) -> usize {
    const LONGEST: usize = 300;
    /// Of each byte, whether it is a hyphen, and 16 bits further whether it is a digit.
    const COUNTS: [u32; 256] = {
        let mut counts = [0; 256];
        let mut byte = 0u8;
        while byte < 128 {
            let is_hyphen = matches!(byte, b'-' | b'_') as u32;
            counts[byte as usize] = is_hyphen | (byte.is_ascii_digit() as u32) << 16;
            byte += 1;
        }
        counts
    };
    let href = href.get(..href.len().min(LONGEST)).unwrap_or(href);
    let bytes = href.as_bytes();
    // The colon of a scheme and the first slash behind it tell nothing, and most addresses begin so.
    let start = if bytes.starts_with(b"https://") { b"https:/".len() } else { 0 };
    let mut parts = memchr::memchr2_iter(b'/', b':', &bytes[start..]).map(|at| start + at);
    if parts.any(|at| is_person(&bytes[..at], &bytes[at..])) {
        return 1;
    }
    let path = &bytes[..memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len())];
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |last| last + 1);
    let last = &path[memchr::memrchr(b'/', &path[..end]).map_or(0, |slash| slash + 1)..end];
    let counts: u32 = last.iter().map(|b| COUNTS[usize::from(*b)]).sum();
    let (hyphens, digits) = (counts & 0xFFFF, counts >> 16);
    if hyphens >= 3 || digits >= 5 { 0 } else { 2 }
}

/// Does a slash or colon, with what is before it, tell an address of people or topics?
fn is_person(before: &[u8], from: &[u8]) -> bool {
    const PATHS: [&[u8]; 12] = [
        b"/author",
        b"/autor",
        b"/auteur",
        b"/people/",
        b"/profile",
        b"/staff",
        b"/by/",
        b"/user",
        b"/tag",
        b"/topic",
        b"/thema",
        b"/category",
    ];
    /// What these begin with: most others are told by it to be none.
    const FIRST: [bool; 256] = {
        let mut first = [false; 256];
        let mut index = 0;
        while index < PATHS.len() {
            first[PATHS[index][1] as usize] = true;
            index += 1;
        }
        first
    };
    match from {
        [b':', ..] => before.ends_with(b"mailto"),
        [b'/', first, ..]
            if FIRST[usize::from(*first)] && PATHS.iter().any(|path| from.starts_with(path)) =>
        {
            true
        }
        _ => before.ends_with(b"twitter.com"),
    }
}

/// How a text node is set.
#[derive(Clone, Copy, Default)]
struct Style {
    italic: bool,
    bold: bool,
}

impl Style {
    fn of(dom: &Dom, node: Id) -> Style {
        let mut style = Style::default();
        for id in dom.ancestors(node).take(6) {
            match dom.element(id).map(|element| element.tag) {
                Some(name!("em") | name!("i") | name!("cite")) => style.italic = true,
                Some(name!("strong") | name!("b")) => style.bold = true,
                Some(
                    name!("a")
                    | name!("span")
                    | name!("u")
                    | name!("font")
                    | name!("small")
                    | name!("mark"),
                ) => {}
                _ => break,
            }
        }
        style
    }
}

/// Is the element before this one a horizontal rule? Of texts and comments between them a few may stand there: many
/// blocks of one element ask.
fn after_rule(dom: &Dom, id: Id) -> bool {
    const BETWEEN: usize = 16;
    let siblings = std::iter::successors(dom.prev_sibling(id), |node| dom.prev_sibling(*node));
    let mut elements = siblings.take(BETWEEN).filter_map(|node| dom.element(node));
    elements.next().is_some_and(|element| element.tag == name!("hr"))
}
