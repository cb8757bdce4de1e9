//! Words around the names of authors in the languages of the press. Data only; must not know how a
//! name is put together.

use std::collections::HashSet;
use std::sync::LazyLock;

/// "By" in the languages of the press, in lower case; what follows is a name.
pub(super) static BY: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "posted by|written by|reported by|published by|story by|words by|article by|by|von| \
     geschrieben von|verfasst von|veröffentlicht von|ein beitrag von|par|écrit par|publié par| \
     propos recueillis par|por|escrito por|publicado por|di|a cura di|scritto da|pubblicato da|da| \
     door|geschreven door|av|af|skrevet av|skrevet af|avtor|autor|autorka|author|authors|auteur| \
     autore|автор|авторы|текст|text|tekst|oleh|penulis|yazan|przez|od|szerző|írta|του|της|بقلم| \
     كتب|本报记者|记者|記者|作者|文/|文／|文｜|文|撰文|筆者|writer|contributor|contributors|autorin|autorin/autor| \
     autor/in|autor*in|guest post by|content by"
    .split('|').map(str::trim).collect()
});
/// What others did for an article; names behind it wrote nothing of it.
pub(super) static OTHERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "reviewed by|medically reviewed|fact checked|fact-checked|checked by|edited by|photos by| \
     photo by|photography by|photographs by|illustration by|illustrations by|illustrated by| \
     translated by|presented by|sponsored by|updated by|narrated by|produced by|hosted by| \
     recommended by|übersetzt von|fotos von|foto:|fotos:|photo:|photos:|expert review|approved by| \
     verified by"
        .split('|')
        .map(str::trim)
        .collect()
});
/// What is printed where an author belongs, but is none.
pub(super) static NOBODY: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "admin|administrator|editor|staff|author|authors|unknown|anonymous|redaktion|editorial| \
     webmaster|guest|null|none|undefined|news|true|false|contributor|default|user|super user| \
     about the author"
        .split('|')
        .map(str::trim)
        .collect()
});
/// Words of lower case within names.
pub(super) static PARTICLES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "de del della di da do dos das du des van von vom der den ter ten zu zur la le el al bin bint \
     ibn y e af av st und"
        .split_ascii_whitespace()
        .collect()
});
/// Parts of the names of desks, one word each, in lower case.
pub(super) static DESK: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "staff team desk editors editorial newsroom newsdesk redaktion onlineredaktion redactie \
     redazione redacción redacao redação rédaction redakcja redakce redaksjonen redaktionen \
     редакция редакція agencies agenturen 編集部"
        .split_ascii_whitespace()
        .collect()
});
/// What a person is beside a name, one word each, in lower case.
pub(super) static ROLES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "editor editor-in-chief writer reporter contributor correspondent columnist journalist author \
     producer manager director founder co-founder cofounder ceo cto coo cmo president senior \
     chief associate assistant freelance freelancer managing executive deputy guest professor \
     analyst specialist expert consultant strategist blogger publisher photographer redakteur \
     redakteurin journalistin autorin korrespondent korrespondentin reporterin volontär \
     volontärin chefredakteur chefredakteurin ressortleiter journaliste rédacteur rédactrice \
     redactor redactora periodista giornalista redattore dziennikarz toimittaja muhabir wartawan \
     head lead"
        .split_ascii_whitespace()
        .collect()
});
/// Words that are in no name but in much that stands where names do, in lower case.
pub(super) static NEVER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about above add advertisement all also although an any archive are article articles \
     artikel as ask at auf authors avec awareness back be been bei beitrag best bio biography \
     blog bookmark browse business but buy by can cart categories category check click close \
     comment comments compartir con condividi contact content contents contributors cookie copy \
     could credit dans datum did disclosure does donate download each eine einen email enable \
     every facebook find first follow for former free from full für get getty guide has have he \
     health her here his home how i if im image images in increase info insights instagram into \
     is it its join jump just key kommentar kommentare last latest leave leer leggi licensed \
     linkedin lire listen log login many marketing mehr menu min minute minutes mit more most \
     much must my más nach new news newsletter next nicht no not of on open option options or \
     other our over para partager people per photo photos pin place plus popular pour price \
     principles print privacy products publication published read recipe related reply report \
     reports research sale search section sections see select share she shop should sie sign skip \
     some sponsored stand start step steps strategy subscribe such sur table tags takeaways \
     teilen telegram terms than that the their them then there these they this those through tips \
     to top trial tweet twitter uhr under until up updated url very view warum was watch we wer \
     were what whatsapp when which while whose wie wir would written yes über"
        .split_ascii_whitespace()
        .collect()
});
