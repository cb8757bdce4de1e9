//! An outlet's articles as a feed: RSS 2.0, RSS 1.0, Atom 1.0 (RFC 4287), JSON Feed 1.1, news
//! sitemap, and RSS as it should not be.

use std::fmt::Write;

use jiff::Timestamp;

use super::outlet::{Extra, Feed, Format, Outlet, Part};
use crate::model::escaped;

/// One line of a feed, not yet in any format.
struct Item {
    url: String,
    title: String,
    summary: String,
    date: Timestamp,
}

/// The feed document as text.
pub(super) fn render(outlet: &Outlet, feed: &Feed) -> String {
    let own = outlet.articles.iter().filter(|_| feed.articles).map(|article| Item {
        url: if feed.relative { outlet.path_of(article) } else { outlet.url_of(article) },
        title: article.title.clone(),
        summary: article.parts.iter().find_map(lead).unwrap_or_default(),
        date: article.date,
    });
    let extra = feed.extra.iter().cloned().map(|Extra { url, title, date }| Item {
        url,
        title,
        summary: String::new(),
        date,
    });
    let mut items: Vec<Item> = own.chain(extra).collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.date));
    let mut out = String::new();
    match feed.format {
        Format::Rss2 => rss2(&mut out, outlet, feed, &items),
        Format::Rss2Broken => broken(&mut out, outlet, &items),
        Format::Rss1 => rss1(&mut out, outlet, feed, &items),
        Format::Atom => atom(&mut out, outlet, feed, &items),
        Format::Json => json(&mut out, outlet, &items),
        Format::NewsSitemap => sitemap(&mut out, outlet, &items),
    }
    .unwrap_or_else(|std::fmt::Error| unreachable!("writing to a String cannot fail"));
    out
}

fn lead(part: &Part) -> Option<String> {
    match part {
        Part::Lead(text) => Some(text.clone()),
        _ => None,
    }
}

type Written = std::fmt::Result;

fn rss2(out: &mut String, outlet: &Outlet, feed: &Feed, items: &[Item]) -> Written {
    let (name, host) = (escaped(&outlet.name), &outlet.host);
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"{}\"?>\n<rss version=\"2.0\"><channel>\
         <title>{name}</title><link>http://{host}/</link><description>{name}</description>\
         <language>{}</language>",
        feed.charset, outlet.language
    )?;
    for item in items {
        writeln!(
            out,
            "<item><title>{}</title><link>{}</link><guid isPermaLink=\"false\">{host}-{}</guid>\
             <description>{}</description><pubDate>{}</pubDate></item>",
            escaped(&item.title),
            escaped(&item.url),
            item.date.as_second(),
            escaped(&item.summary),
            item.date.strftime("%a, %d %b %Y %H:%M:%S +0000")
        )?;
    }
    writeln!(out, "</channel></rss>")
}

fn broken(out: &mut String, outlet: &Outlet, items: &[Item]) -> Written {
    writeln!(
        out,
        "\n<!-- cache miss -->\n  <?xml version=\"1.0\"?>\n<rss version=\"2.0\">\n<channel>\n\
         <title>{} News & Views</title>\n<link>http://{}/?a=1&b=2</link>\n\
         <description>News & more<br>every day</description>",
        outlet.name, outlet.host
    )?;
    for item in items {
        writeln!(
            out,
            "<item>\n<title>{}</title>\n<link>{}</link>\n<description>{} &nbsp; R&D</description>\n\
             <pubDate>{}</pubDate>\n</item>",
            item.title,
            item.url,
            item.summary,
            item.date.strftime("%Y-%m-%d %H:%M:%S GMT")
        )?;
    }
    writeln!(out, "</channel>")
}

fn rss1(out: &mut String, outlet: &Outlet, feed: &Feed, items: &[Item]) -> Written {
    let (name, host) = (escaped(&outlet.name), &outlet.host);
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"{}\"?>\n\
         <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns=\"http://purl.org/rss/1.0/\">\n\
         <channel rdf:about=\"http://{host}/\"><title>{name}</title><link>http://{host}/</link>\
         <description>{name}</description><dc:language>{}</dc:language><items><rdf:Seq>",
        feed.charset, outlet.language
    )?;
    for item in items {
        write!(out, "<rdf:li rdf:resource=\"{}\"/>", escaped(&item.url))?;
    }
    writeln!(out, "</rdf:Seq></items></channel>")?;
    for item in items {
        let url = escaped(&item.url);
        writeln!(
            out,
            "<item rdf:about=\"{url}\"><title>{}</title><link>{url}</link>\
             <description>{}</description><dc:date>{}</dc:date></item>",
            escaped(&item.title),
            escaped(&item.summary),
            item.date
        )?;
    }
    writeln!(out, "</rdf:RDF>")
}

fn atom(out: &mut String, outlet: &Outlet, feed: &Feed, items: &[Item]) -> Written {
    let host = &outlet.host;
    let updated = items.first().map_or(Timestamp::UNIX_EPOCH, |item| item.date);
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"{}\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" \
         xml:lang=\"{}\" xml:base=\"http://{host}/\"><title>{}</title><id>http://{host}/</id>\
         <link rel=\"self\" href=\"{}\"/><updated>{updated}</updated>",
        feed.charset,
        outlet.language,
        escaped(&outlet.name),
        feed.path,
    )?;
    for item in items {
        let url = escaped(&item.url);
        writeln!(
            out,
            "<entry><title>{}</title><link rel=\"alternate\" type=\"text/html\" href=\"{url}\"/>\
             <id>tag:{host},2026:{}</id><published>{date}</published><updated>{date}</updated>\
             <summary>{}</summary></entry>",
            escaped(&item.title),
            item.date.as_second(),
            escaped(&item.summary),
            date = item.date
        )?;
    }
    writeln!(out, "</feed>")
}

fn json(out: &mut String, outlet: &Outlet, items: &[Item]) -> Written {
    let items: Vec<serde_json::Value> = items
        .iter()
        .map(|item| {
            serde_json::json!({
                "id": item.url,
                "url": item.url,
                "title": item.title,
                "summary": item.summary,
                "date_published": item.date.to_string(),
            })
        })
        .collect();
    let feed = serde_json::json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": outlet.name,
        "home_page_url": format!("http://{}/", outlet.host),
        "language": outlet.language,
        "items": items,
    });
    write!(out, "{feed}")
}

fn sitemap(out: &mut String, outlet: &Outlet, items: &[Item]) -> Written {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">"
    )?;
    for item in items {
        writeln!(
            out,
            "<url><loc>{}</loc><news:news><news:publication><news:name>{}</news:name>\
             <news:language>{}</news:language></news:publication>\
             <news:publication_date>{}</news:publication_date><news:title>{}</news:title>\
             </news:news></url>",
            escaped(&item.url),
            escaped(&outlet.name),
            outlet.language,
            item.date,
            escaped(&item.title)
        )?;
    }
    writeln!(out, "</urlset>")
}
