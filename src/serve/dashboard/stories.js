// Stories: an original and its copies, who carried them, how much later and how alike.

import { ask, count, el, foreign, instant, lapse, link, nothing, number, outside, percent, table } from "./dom.js";

export function stories(at) {
  return at.story ? one(at) : list(at);
}

async function list(at) {
  const answer = await ask("stories", { brand: at.brand, from: at.from, to: at.to, limit: 300 });
  const shared = answer.stories.filter((s) => s.articles > 1 && !s.series);
  const series = answer.stories.filter((s) => s.series);
  const single = answer.stories.length - shared.length - series.length;
  const columns = [
    { head: "story", kind: "wide", cell: (s) => el("a", { href: link({ story: s.id, diff: null }), dir: "auto" }, s.title || "(no title)") },
    { head: "original", cell: (s) => s.outlet },
    { head: "day", kind: "n", cell: (s) => s.day },
    { head: "articles", kind: "n", cell: (s) => number(s.articles) },
    { head: "outlets", kind: "n", cell: (s) => number(s.outlets) },
    { head: "within", kind: "n", cell: (s) => lapse(s.span) },
    { head: "brands", cell: (s) => s.brands.map((b) => el("span", { class: "chip", dir: "auto" }, b)) },
  ];
  return el("div", {},
    el("h1", {}, "Stories"),
    el("p", { class: "note" }, `Articles that are copies of each other are one story, counted on the day of its original. ${at.from} to ${at.to}${at.brand ? `, with ${at.brand}` : ""}.`),
    answer.truncated && el("p", { class: "error" }, "Only the 300 most carried stories are shown."),
    shared.length ? table("Carried more than once", columns, shared) : nothing("No story was carried more than once on these days."),
    series.length > 0 && el("div", { class: "series" }, table("Series: chains of changing texts, such as tickers", columns, series)),
    single > 0 && el("p", { class: "note" }, `${count(single, "more story", "more stories")} with a single article.`));
}

/** What is said of a date that our own sightings speak against. */
const CONTRADICTED = "A poll of its feed after that date did not list it";

async function one(at) {
  const { story, titles, diffs, excerpts } = await ask(`stories/${encodeURIComponent(at.story)}`, { diff: at.diff });
  const first = story.members[0];
  const rows = story.members.map((member, i) => ({ ...member, title: titles[i]?.[0], url: titles[i]?.[1] }));
  const known = new Map(rows.map((r) => [r.key, r]));
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ story: null, diff: null }) }, "Stories"), " › story"),
    foreign(rows[0]?.title || "(no title)", "h1"),
    el("p", { class: "note" }, `${count(rows.length, "article")} by ${count(new Set(rows.map((r) => r.outlet)).size, "outlet")}; the original is by ${first?.outlet}.`,
      story.series && " A series: its ends are no longer alike, or it spans more than seven days.",
      story.pattern && " Of one pattern with other articles, which are no copies of it."),
    table("Original and copies", [
      { head: "outlet", cell: (m) => m.outlet },
      { head: "title", kind: "wide", cell: (m) => [
        el("a", { href: link({ article: m.key }), dir: "auto" }, m.title || "(no title)"), " ",
        el("span", { class: m === rows[0] ? "chip" : "chip plain" }, m === rows[0] ? "original" : "copy"), " ",
        m !== rows[0] && el("a", { href: link({ diff: m.key }) }, "what it changed"),
      ] },
      { head: "published", kind: "n", cell: (m) => [instant(m.at), m.url && [el("br"), outside(m.url, "open page")]] },
      { head: "later by", kind: "n", cell: (m) => (m === rows[0] ? "" : m.sighting === "contradicted" ? el("span", { class: "chip off", title: CONTRADICTED }, "contradicted") : m.at < first.at ? "–" : lapse(m.at - first.at)) },
      { head: "similarity", kind: "n", title: "To the most similar earlier article", cell: (m) => m.nearest && [
        percent(m.nearest[1]), el("br"), el("span", { class: "quiet" }, `to ${known.get(m.nearest[0])?.outlet ?? "another"}`),
      ] },
      { head: "brands", cell: (m) => m.brands.map((b) => el("span", { class: "chip", dir: "auto" }, b)) },
    ], rows),
    diffs.map((diff) => changes(diff, known.get(diff.key))),
    excerpts.length > 0 && contained(excerpts, known));
}

/** A copy's text against the original's, sentence by sentence. */
function changes(diff, member) {
  const line = (mark, text) => el("p", { class: "change", dir: "auto" }, `${mark} ${text}`);
  let same = 0;
  const lines = [];
  const passed = () => {
    if (same > 0) lines.push(el("p", { class: "quiet" }, `… ${count(same, "sentence")} the same`));
    same = 0;
  };
  for (const change of diff.changes) {
    if (change.same !== undefined) {
      same += 1;
      continue;
    }
    passed();
    if (change.added !== undefined) lines.push(line("+", change.added));
    if (change.removed !== undefined) lines.push(line("−", change.removed));
    if (change.edited) lines.push(line("−", change.edited.was), line("+", change.edited.is));
  }
  passed();
  return el("section", {}, el("h2", {}, `What ${member?.outlet ?? "the copy"} changed`),
    el("p", { class: "note" }, `${percent(diff.taken)} of its words are the original's, ${percent(diff.kept)} of the original's are in it. `,
      el("a", { href: link({ diff: null }) }, "Hide")),
    lines);
}

/** Excerpts of the members, and longer articles that members stand in. */
export function contained(excerpts, known) {
  return table("Excerpts: parts of longer articles; they count as stories of their own", [
    { head: "", cell: (x) => (known.has(x.part) ? "stands in" : "has in it") },
    { head: "outlet", cell: (x) => x.outlet },
    { head: "title", kind: "wide", cell: (x) => el("a", { href: link({ article: known.has(x.part) ? x.whole : x.part }), dir: "auto" }, x.title || "(no title)") },
    { head: "share of its words", kind: "n", cell: (x) => percent(x.share) },
  ], excerpts);
}
