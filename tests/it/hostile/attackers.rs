//! The attackers, one by one: what each answers. All of them lie to get other numbers, to stop the crawl,
//! or to aim it at others; none is a mere fault (those are in `faults`).

use std::fmt::Write as _;

use super::VICTIMS;
use super::honest::{Web, feed, item, story};
use crate::server::{Ask, Step, answer};
use crate::web::html;

const HTML: &str = "Content-Type: text/html; charset=utf-8";
const XML: &str = "Content-Type: application/xml";

/// One outlet that does harm on purpose.
pub struct Attacker {
    pub name: &'static str,
    /// Its answer; `None`: as an honest outlet would.
    pub reply: fn(&Ask, &Web) -> Option<Vec<Step>>,
    /// Words of the sentence with which `status` names it; `None`: it is only held off.
    pub named: Option<&'static str>,
}

/// All of them; the hub's is the first.
pub const ALL: [Attacker; 16] = [
    Attacker {
        name: "a hub pushes 2,000 invented articles of others, and of the outlet that chose it, at a time",
        reply: hub,
        named: Some("pushes more than is accepted"),
    },
    Attacker {
        name: "every address is an index of 1,000 sitemaps",
        reply: sitemaps,
        named: Some("sitemaps that are not followed"),
    },
    Attacker {
        name: "lists others' articles before they do: old dates, parameters, other ports",
        reply: early,
        named: None,
    },
    Attacker {
        name: "lists 2,000 invented articles of others, new ones at each poll",
        reply: invented,
        named: Some("beyond their budget"),
    },
    Attacker {
        name: "lists 2,000 articles of its own, new ones at each poll, none of which ends",
        reply: endless,
        named: Some("beyond their budget"),
    },
    Attacker {
        name: "lists articles of hundreds of hosts where nobody answers",
        reply: nowhere,
        named: Some("beyond their budget"),
    },
    Attacker { name: "a JSON feed of a million lists", reply: lists, named: None },
    Attacker { name: "pages of megabytes of linked data", reply: linked, named: None },
    Attacker {
        name: "pages whose canonical address is another's article",
        reply: canonical,
        named: None,
    },
    Attacker { name: "articles that redirect to others' articles", reply: redirects, named: None },
    Attacker {
        name: "a robots.txt that redirects into another's forbidden part",
        reply: robots,
        named: None,
    },
    Attacker {
        name: "asks for a pause of a day, and a Crawl-delay of a year",
        reply: pauses,
        named: None,
    },
    Attacker {
        name: "a feed that has moved for good to another's feed",
        reply: moved,
        named: None,
    },
    Attacker { name: "answers in drips, and forever", reply: drips, named: None },
    Attacker {
        name: "deep and wide pages at the limits of what is read",
        reply: heavy,
        named: None,
    },
    Attacker {
        name: "a brand 1,000 times, and another hidden in six ways",
        reply: stuffed,
        named: Some("name a brand more often"),
    },
];

fn ok(kind: &str, body: impl AsRef<[u8]>) -> Option<Vec<Step>> {
    Some(answer("200 OK", &[kind], body))
}

fn redirect(status: &str, to: &str) -> Option<Vec<Step>> {
    Some(answer(status, &[&format!("Location: {to}")], ""))
}

/// Its own articles, so that it does not speak for others.
fn own(ask: &Ask, web: &Web) -> String {
    (0..5).map(|n| item(&web.url(ask.outlet, &format!("/own-{n}.html")), "")).collect()
}

fn hub(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    match ask.path {
        "/hub" => {
            web.asked.lock().unwrap().push(ask.body.to_owned());
            Some(answer("202 Accepted", &[], ""))
        }
        "/feed.xml" => ok(
            XML,
            feed(
                &own(ask, web),
                Some((&web.url(ask.outlet, "/hub"), &web.url(ask.outlet, "/feed.xml"))),
            ),
        ),
        _ => None,
    }
}

fn sitemaps(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if ask.path == "/robots.txt" {
        return None;
    }
    let listed: String = (0..1_000)
        .map(|n| {
            let at = if n % 10 == 0 { n / 10 % VICTIMS } else { ask.outlet };
            format!("<sitemap><loc>{}/{n}</loc></sitemap>", web.url(at, ask.path))
        })
        .collect();
    ok(
        XML,
        format!(
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{listed}</sitemapindex>"
        ),
    )
}

fn early(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if ask.path != "/feed.xml" {
        return None;
    }
    let mut items = own(ask, web);
    for victim in 0..VICTIMS {
        // Those that come next, too.
        for n in 0..(web.published() + 3).min(web.plan.articles) {
            let there = web.url(victim, &story(n));
            let (address, port) = web.split(victim);
            let link = match n % 4 {
                0 => there,
                1 => format!("{there}?utm_source=far"),
                2 => format!("http://{address}:{port}/private/..{}", story(n)),
                _ => format!("http://{address}:443{}", story(n)),
            };
            items += &item(&link, "Mon, 05 Jan 2015 08:00:00 GMT");
        }
    }
    ok(XML, feed(&items, None))
}

fn invented(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if ask.path != "/feed.xml" {
        return None;
    }
    let turn = web.turn();
    let items: String = (0..2_000)
        .map(|n| item(&web.url(n % VICTIMS, &format!("/invented-{turn}-{n}.html")), ""))
        .collect();
    ok(XML, feed(&(own(ask, web) + &items), None))
}

fn endless(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    match ask.path {
        "/robots.txt" => None,
        "/feed.xml" => {
            let turn = web.turn();
            let items: String = (0..2_000)
                .map(|n| item(&web.url(ask.outlet, &format!("/more-{turn}-{n}.html")), ""))
                .collect();
            ok(XML, feed(&items, None))
        }
        _ => ok(
            HTML,
            html(web.seed(), ask.outlet, 1, "2026-11-12T08:00:00Z").replace("Acme", "Zeta"),
        ),
    }
}

fn nowhere(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if ask.path != "/feed.xml" {
        return None;
    }
    let turn = web.turn();
    let items: String = (0..2_000)
        .map(|n| item(&format!("http://127.9.{}.{}:9/{turn}.html", n / 250, n % 250 + 1), ""))
        .collect();
    ok(XML, feed(&(own(ask, web) + &items), None))
}

fn lists(ask: &Ask, _: &Web) -> Option<Vec<Step>> {
    let body = || format!("{{\"items\":[{}0]}}", "[0],".repeat(490_000));
    (ask.path == "/feed.xml").then(|| ok("Content-Type: application/feed+json", body()))?
}

fn linked(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if !ask.path.starts_with("/own-") {
        return None;
    }
    let page = html(web.seed(), ask.outlet, 1, "2026-11-12T08:00:00Z").replace("Acme", "Zeta");
    let data =
        format!("<script type=\"application/ld+json\">[{}0]</script>", "[0],".repeat(2_000_000));
    ok(HTML, page.replace("</head>", &(data + "</head>")))
}

fn canonical(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    match ask.path {
        "/feed.xml" => {
            // As many pages as the victims have articles, before those are there.
            let items: String = (0..web.plan.articles.min(40))
                .map(|n| item(&web.url(ask.outlet, &format!("/thief-{n}.html")), ""))
                .collect();
            ok(XML, feed(&items, None))
        }
        path if path.starts_with("/thief-") => {
            let n: usize = path["/thief-".len()..].trim_end_matches(".html").parse().ok()?;
            let there = web.url(n % VICTIMS, &story(n));
            let page = html(77_000 + n as u64, ask.outlet, 1, "2026-11-12T08:00:00Z")
                .replace("Acme", "Zeta");
            ok(HTML, page.replace("<head>", &format!("<head><link rel=\"canonical\" href=\"{there}\"><meta property=\"og:url\" content=\"{there}\">")))
        }
        _ => None,
    }
}

fn redirects(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    match ask.path {
        "/feed.xml" => {
            let items: String = (0..60)
                .map(|n| {
                    item(
                        &web.url(ask.outlet, &format!("/to-{n}.html")),
                        "Mon, 05 Jan 2015 08:00:00 GMT",
                    )
                })
                .collect();
            ok(XML, feed(&items, None))
        }
        path if path.starts_with("/to-") => {
            let n: usize = path["/to-".len()..].trim_end_matches(".html").parse().ok()?;
            let to = match n % 3 {
                0 => web.url(n % VICTIMS, &story(n / 3)),
                1 => web.url(n % VICTIMS, &format!("/private/{n}")),
                _ => web.url(n % VICTIMS, &format!("/nothing-{n}")),
            };
            redirect("301 Moved Permanently", &to)
        }
        _ => None,
    }
}

fn robots(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    (ask.path == "/robots.txt")
        .then(|| redirect("302 Found", &web.url(0, "/private/expensive?q=1")))?
}

fn pauses(ask: &Ask, _: &Web) -> Option<Vec<Step>> {
    match ask.path {
        "/robots.txt" => ok("Content-Type: text/plain", "User-agent: *\nCrawl-delay: 31536000\n"),
        "/feed.xml" => None,
        _ => Some(answer("503 Busy", &["Retry-After: 86400"], "")),
    }
}

fn moved(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    (ask.path == "/feed.xml")
        .then(|| redirect("301 Moved Permanently", &web.url(0, "/feed.xml")))?
}

fn drips(ask: &Ask, _: &Web) -> Option<Vec<Step>> {
    if !ask.path.starts_with("/own-") {
        return None;
    }
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    let drip = b"400\r\n".iter().copied().chain([b'x'; 0x400]).chain(*b"\r\n").collect();
    Some(vec![
        Step::Send(head.to_vec()),
        Step::Forever(drip, std::time::Duration::from_millis(100)),
    ])
}

fn heavy(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if !ask.path.starts_with("/own-") {
        return None;
    }
    let turn = web.turn();
    let body = match turn % 3 {
        0 => "<div>".repeat(600_000),
        1 => "<p a b c d>x".repeat(300_000),
        _ => format!("<p class=a>x<style>{}</style>", "a a,.b{opacity:0}".repeat(100_000)),
    };
    ok(HTML, body)
}

fn stuffed(ask: &Ask, web: &Web) -> Option<Vec<Step>> {
    if !ask.path.starts_with("/own-") {
        return None;
    }
    let today = jiff::Timestamp::now().strftime("%Y-%m-%dT00:00:00Z").to_string();
    let page = html(web.seed(), ask.outlet, 1, &today).replace("Acme", "Zeta");
    let mut more = String::new();
    for hidden in [
        "style=\"DISPLAY:NONE\"",
        "style=\"color:red;display:none\"",
        "hidden",
        "style=\"font-size:0\"",
        "style=\"opacity:0\"",
        "class=\"veiled\"",
    ] {
        let _ =
            write!(more, "<p {hidden}>Ghost said so in a statement, and Ghost said it again.</p>");
    }
    // Prose that comes back to one brand in every sentence.
    let named = " Stuffed and Stuffed said so to Stuffed, and Stuffed agreed with Stuffed.</p>";
    for _ in 0..40 {
        let page = html(web.seed(), 0, 9, &today);
        let lines = page.lines().filter(|line| line.starts_with("<p>") && line.ends_with("</p>"));
        more.extend(lines.map(|line| line.replace("</p>", named)));
    }
    let page = page.replace("</h1>", &format!("</h1>{more}"));
    ok(HTML, page.replace("</head>", "<style>.veiled{display:none}</style></head>"))
}

/// What a hub pushes at a time, of the feed of a victim that has chosen it or of its own.
pub fn delivery(web: &Web, topic: &str) -> String {
    let turn = web.turn();
    let items: String = (0..2_000)
        .map(|n| {
            let outlet =
                if topic.contains(&web.addresses[1].to_string()) { 1 } else { n % VICTIMS };
            let path = if n == 0 {
                story(turn % web.published())
            } else {
                format!("/pushed-{turn}-{n}.html")
            };
            item(&web.url(outlet, &path), "")
        })
        .collect();
    feed(&items, None)
}
