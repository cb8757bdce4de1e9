// Mentions per day: all brands at a glance, one brand in full, one day's articles.

import { chart, spark, swatch } from "./chart.js";
import { ask, count, el, foreign, instant, link, nothing, number, percent, table, tiles } from "./dom.js";

/** Which of the three is asked for. */
export function mentions(at) {
  if (at.day) return day(at);
  return at.brand ? brand(at) : overview(at);
}

/** Every day of the range with its counts, days without any included. */
async function series(at) {
  const [answer, cover] = await Promise.all([
    ask("mentions", { brand: at.brand, from: at.from, to: at.to, limit: 10000 }),
    ask("coverage", { from: at.from, to: at.to, limit: 4000 }),
  ]);
  const lines = new Map(answer.lines.map((line) => [line.bucket, line]));
  const none = { mentions: 0, suppressed: 0, articles: 0, stories: 0, copies: 0, backlog: 0, own: 0 };
  const days = cover.days.map((c) => ({ ...none, ...lines.get(c.day), ...c }));
  return { days, answer };
}

const sum = (list, name) => list.reduce((n, d) => n + d[name], 0);

async function overview(at) {
  const [answer, cover] = await Promise.all([
    ask("mentions", { from: at.from, to: at.to, limit: 10000 }),
    ask("coverage", { from: at.from, to: at.to, limit: 4000 }),
  ]);
  if (at.brands.length === 0) {
    return el("div", {}, el("h1", {}, "Mentions"), nothing("No brands are watched yet: crawler brands add NAME"));
  }
  const dates = cover.days.map((c) => c.day);
  const rows = at.brands.map((name) => {
    const lines = answer.lines.filter((l) => l.brand === name);
    const per = new Map(lines.map((l) => [l.bucket, l.mentions]));
    const total = (field) => sum(lines, field);
    return { name, per: dates.map((d) => per.get(d) ?? 0), mentions: total("mentions"), suppressed: total("suppressed"), articles: total("articles"), stories: total("stories") };
  });
  rows.sort((a, b) => b.mentions - a.mentions || a.name.localeCompare(b.name));
  const all = sum(rows, "articles");
  return el("div", {},
    el("h1", {}, "All brands"),
    el("p", { class: "note" }, `${at.from} to ${at.to}. Counted are mentions in titles, leads and bodies of articles; everything else on the pages is listed as not counted.`),
    answer.truncated && el("p", { class: "error" }, "Not all lines are shown: choose fewer days."),
    table("Mentions per brand", [
      { head: "brand", cell: (r) => el("a", { href: link({ brand: r.name }) }, foreign(r.name)) },
      { head: "per day", cell: (r) => spark(r.per) },
      { head: "mentions", kind: "n", cell: (r) => number(r.mentions) },
      { head: "share of voice", kind: "n", cell: (r) => percent(all > 0 ? r.articles / all : null) },
      { head: "articles", kind: "n", cell: (r) => number(r.articles) },
      { head: "stories", kind: "n", cell: (r) => number(r.stories) },
      { head: "not counted", kind: "n off", cell: (r) => number(r.suppressed) },
      { head: "watched since", kind: "n", cell: (r) => instant(answer.watched_since[r.name]).slice(0, 10) },
    ], rows));
}

async function brand(at) {
  const [{ days, answer }, outlets, languages] = await Promise.all([
    series(at), where(at, "outlet"), where(at, "language"),
  ]);
  const open = days.filter((d) => d.provisional).length;
  const partial = days.filter((d) => !d.provisional && d.coverage !== null && d.coverage < 0.999).length;
  const without = days.filter((d) => d.coverage === null).length;
  const backlog = sum(days, "backlog");
  const own = sum(days, "own");
  const key = (kind, words) => el("span", { class: "key" }, swatch("m", kind), words);
  const shown = days.filter((d) => d.mentions || d.suppressed || d.articles || d.stories || (d.coverage !== null && d.coverage < 0.999)).reverse();
  const notes = [
    `Watched since ${instant(answer.watched_since[at.brand]).slice(0, 10)}`,
    answer.outlets_since !== null && `first feed since ${instant(answer.outlets_since).slice(0, 10)}`,
    open > 0 && `${count(open, "day")} still provisional`,
    partial > 0 && `${count(partial, "day")} incompletely polled`,
    without > 0 && `${count(without, "day")} without polls`,
    backlog > 0 && `${count(backlog, "article")} from first polls (backlog)`,
    own > 0 && `${count(own, "mention")} by the brand's own outlets`,
  ].filter(Boolean).join(" · ");
  return el("div", {},
    el("h1", { dir: "auto" }, at.brand),
    tiles([
      [number(sum(days, "mentions")), "mentions", "", "In titles, leads and bodies of articles"],
      [number(sum(days, "articles")), "articles", "", "Copies included, each on its own day"],
      [number(sum(days, "stories")), "stories", "", "Copies counted once, on the original's day"],
      [number(sum(days, "copies")), "copies"],
      [number(sum(days, "suppressed")), "not counted", "off", "In captions, credits, comments, related articles and other page text"],
    ]),
    el("figure", {}, chart(days, "m"), el("figcaption", {},
      key("counted", "counted mentions; stories"), key("off", "mentions not counted"), key("light", "articles"),
      key("open", "provisional or incomplete day"), key("full", "polls succeeded"), key("part", "some polls failed"))),
    el("p", { class: "note" }, notes),
    shown.length === 0
      ? nothing("Nothing was found on these days.")
      : table("Day by day", [
        { head: "day", cell: (d) => el("a", { href: link({ day: d.day }) }, d.day) },
        { head: "mentions", kind: "n", cell: (d) => number(d.mentions) },
        { head: "articles", kind: "n", cell: (d) => number(d.articles) },
        { head: "stories", kind: "n", cell: (d) => number(d.stories) },
        { head: "copies", kind: "n", cell: (d) => number(d.copies) },
        { head: "not counted", kind: "n off", cell: (d) => number(d.suppressed) },
        { head: "coverage", kind: "n", cell: (d) => percent(d.coverage) },
        { head: "", cell: (d) => [
          d.provisional && el("span", { class: "chip warn", title: "The 48 hours in which articles of a day arrive are not over" }, "provisional"),
          d.unusual?.length > 0 && el("span", { class: "chip warn", title: d.unusual.join("\n") }, "unusual"),
          d.backlog > 0 && el("span", { class: "chip plain", title: "Came with the first poll of their feed" }, `${number(d.backlog)} backlog`),
        ] },
      ], shown, (d) => ({ class: d.provisional || (d.coverage !== null && d.coverage < 0.999) ? "open" : null })),
    shown.length > 0 && el("div", { class: "pair" }, outlets, languages, agencies(at)));
}

/** Where a brand was written about: the first dozen outlets, languages or agencies. */
async function where(at, by) {
  const { lines } = await ask("mentions", { brand: at.brand, from: at.from, to: at.to, by, limit: 1000 });
  return table(`By ${by}`, [
    { head: by, cell: (l) => l.bucket },
    { head: "mentions", kind: "n", cell: (l) => number(l.mentions) },
    { head: "articles", kind: "n", cell: (l) => number(l.articles) },
    { head: "stories", kind: "n", cell: (l) => number(l.stories) },
    { head: "not counted", kind: "n off", cell: (l) => number(l.suppressed) },
  ], lines.slice(0, 12));
}

/** Whose texts name a brand. Every article of the days is read for it: asked only when somebody looks. */
function agencies(at) {
  const found = el("div", {});
  const look = async (event) => {
    if (!event.target.open || found.hasChildNodes()) return;
    found.append(nothing("Reading the articles …"));
    found.replaceChildren(await where(at, "agency").catch((error) => el("p", { class: "error" }, error.message)));
  };
  return el("details", { toggle: look }, el("summary", {}, "By agency"), found);
}

async function day(at) {
  const answer = await ask("articles", { brand: at.brand, day: at.day, suppressed: at.brand ? true : null, limit: 500 });
  const lines = answer.articles;
  const counting = at.brand ? lines.filter((a) => a.mentions[at.brand]) : [...lines];
  counting.sort((a, b) => (b.mentions[at.brand] ?? 0) - (a.mentions[at.brand] ?? 0));
  const rest = at.brand ? lines.filter((a) => !a.mentions[at.brand]) : [];
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ day: null }) }, at.brand ? foreign(at.brand) : "All brands"), ` › ${at.day}`),
    el("h1", {}, at.day),
    answer.truncated && el("p", { class: "error" }, "Only the first 500 articles are shown."),
    el("h2", {}, at.brand ? `${count(counting.length, "article")} counted` : count(counting.length, "article")),
    counting.length ? el("ul", { class: "list" }, counting.map((a) => line(a, at.brand))) : nothing("None."),
    rest.length > 0 && [
      el("h2", {}, `${count(rest.length, "article")} not counted`),
      el("p", { class: "note" }, "The brand stands on these pages, but only outside the article's text."),
      el("ul", { class: "list" }, rest.map((a) => line(a, at.brand, "off"))),
    ]);
}

/** One article of a list. */
export function line(a, brand, kind) {
  const names = brand ? [brand] : [...new Set([...Object.keys(a.mentions), ...Object.keys(a.suppressed)])];
  return el("li", { class: kind },
    el("a", { class: "title", href: link({ article: a.key }), dir: "auto" }, a.title || "(no title)"),
    el("div", { class: "meta" },
      el("span", {}, a.outlet), a.language && el("span", {}, a.language), el("span", {}, `${number(a.characters)} characters`),
      a.copies > 0 && el("a", { href: link({ view: "stories", story: a.story, diff: null, day: null }) }, a.original ? `original of ${count(a.copies, "copy", "copies")}` : "copy"),
      el("span", {}, names.map((name) => [
        a.mentions[name] > 0 && el("span", { class: "chip", dir: "auto" }, `${brand ? "" : `${name} `}${number(a.mentions[name])}${brand ? " counted" : ""}`),
        a.suppressed[name] > 0 && el("span", { class: "chip off", dir: "auto" }, `${brand ? "" : `${name} `}${number(a.suppressed[name])} not counted`),
      ]))));
}
