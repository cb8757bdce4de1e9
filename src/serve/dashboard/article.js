// One article as it was read: what counted is marked in the text, what did not stands greyed where
// it stood on the page, with the reason.

import { ask, count, el, foreign, instant, link, number, outside, percent } from "./dom.js";
import { contained } from "./stories.js";

const COUNTED = new Set(["title", "lead", "body"]);
const CONTENT = new Set(["title", "subtitle", "introduction", "paragraph", "heading"]);
const WORDS = {
  "related-article": "related article", none: "other page text", caption: "caption", credit: "credit",
  comment: "comment", author: "byline", date: "date line", clutter: "outside the article",
  repeated: "printed on other pages of this outlet",
  stuffed: "more often than any article of this length",
  "other-sense": "the name stands for something else here",
};
const words = (name) => WORDS[name] ?? name;
// Longest text of left-out blocks that is shown without asking.
const FEW = 3;

export async function article(at) {
  const view = await ask(`articles/${encodeURIComponent(at.article)}`);
  const { record } = view;
  const blocks = record.article.blocks;
  const all = view.mentions.flatMap((row) => row.mentions);
  const inBlock = (index) => all.filter((m) => m.block === index);
  const title = record.article.title?.value ?? record.feed_title ?? "(no title)";
  const ofTitle = inBlock(null);
  const sheet = el("article", { class: "page", dir: "auto", lang: record.article.language?.value },
    el("h1", { dir: "auto" }, marked(title, ofTitle, at.brand)));
  let rest = [];
  const flush = () => {
    if (rest.length > 0) sheet.append(leftOut(rest));
    rest = [];
  };
  blocks.forEach((block, index) => {
    const mentions = inBlock(index);
    // The heading above already shows a title block that says the same.
    if (block.label === "title" && block.text === title && ofTitle.length === 0) {
      if (mentions.length > 0) sheet.firstChild.replaceChildren(marked(title, mentions, at.brand));
      return;
    }
    if (CONTENT.has(block.label)) {
      flush();
      sheet.append(el({ title: "h2", heading: "h2" }[block.label] ?? "p",
        { dir: "auto", class: ["introduction", "subtitle"].includes(block.label) ? "lead" : null }, marked(block.text, mentions, at.brand)));
    } else if (mentions.length > 0) {
      flush();
      sheet.append(el("div", { class: "left hit" },
        tag(block, `not counted: ${reason(block, mentions)}`),
        el("div", { dir: "auto" }, marked(block.text, mentions, at.brand))));
    } else {
      rest.push(block);
    }
  });
  flush();
  const here = at.brand ? view.mentions.find((row) => row.brand === at.brand) : null;
  return el("div", {},
    el("p", { class: "trail" },
      el("a", { href: link({ article: null, day: null }) }, at.brand ? foreign(at.brand) : "All brands"), " › ",
      el("a", { href: link({ article: null, day: record.published.day, view: "mentions" }) }, record.published.day), " › article"),
    el("div", { class: "sheet" }, sheet, el("aside", {}, ledger(view.mentions, at.brand, here), facts(record), story(view.story, record.key))),
    view.excerpts.length > 0 && contained(view.excerpts, new Set([record.key])));
}

const reason = (block, mentions) => words(block.label === "none" ? mentions[0].zone : block.label);

/** Why a block is left out; hovering tells how sure the labeler was. */
const tag = (block, words) =>
  el("span", { class: "tag", dir: "ltr", title: `probability of being article text: ${percent(block.probability)}` }, words);

/** The text with its mentions marked. Offsets are bytes of UTF-8. */
function marked(text, mentions, brand) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const part = (start, end) => decoder.decode(bytes.subarray(start, end));
  // Of overlapping mentions the chosen brand's is shown, else the first and longest.
  const mine = (m) => (m.brand === brand ? 0 : 1);
  const taken = [];
  for (const m of [...mentions].sort((a, b) => mine(a) - mine(b) || a.start - b.start || b.end - a.end)) {
    if (taken.every((t) => m.end <= t.start || m.start >= t.end)) taken.push(m);
  }
  const nodes = [];
  let at = 0;
  for (const m of taken.sort((a, b) => a.start - b.start)) {
    const counts = COUNTED.has(m.zone);
    const kind = !counts ? "off" : brand && m.brand !== brand ? "other" : null;
    const note = counts ? `${m.brand}: counted (${m.zone})` : `${m.brand}: not counted (${words(m.zone)})`;
    nodes.push(part(at, m.start), el("mark", { class: kind, title: note }, part(m.start, m.end)));
    at = m.end;
  }
  nodes.push(part(at, bytes.length));
  const fragment = document.createDocumentFragment();
  fragment.append(...nodes);
  return fragment;
}

/** A run of blocks that are not part of the article and mention nothing. */
function leftOut(blocks) {
  const labels = [...new Set(blocks.map((b) => words(b.label)))].join(", ");
  const list = blocks.map((b) => el("div", { class: "left" }, tag(b, `not part of the article: ${words(b.label)}`), foreign(b.text, "div")));
  const shortEnough = blocks.length <= FEW && blocks.every((b) => b.text.length < 160 && b.label !== "none");
  if (shortEnough) return el("div", {}, list);
  return el("details", { class: "rest" }, el("summary", { dir: "ltr" }, `${count(blocks.length, "block")} left out: ${labels}`), list);
}

/** What counted and what did not, by zone. */
function ledger(rows, brand, here) {
  const list = (here ? [here] : brand ? [] : rows).map((row) => {
    const zones = new Map();
    for (const m of row.mentions) zones.set(m.zone, (zones.get(m.zone) ?? 0) + 1);
    const part = (counted) => [...zones].filter(([zone]) => COUNTED.has(zone) === counted).map(([zone, n]) => `${words(zone)} ${number(n)}`).join(", ");
    return [
      !brand && el("dt", { dir: "auto" }, row.brand),
      el("dd", {}, el("span", { class: row.counted > 0 ? "chip" : "chip plain" }, `${number(row.counted)} counted`), " ", part(true)),
      row.suppressed > 0 && el("dd", {}, el("span", { class: "chip off" }, `${number(row.suppressed)} not counted`), " ", part(false)),
      row.own_outlet && el("dd", { class: "quiet" }, "by the brand's own outlet"),
    ];
  });
  return el("section", {}, el("h2", {}, brand ? foreign(brand) : "Mentions"),
    list.length ? el("dl", {}, list) : el("p", { class: "quiet" }, "No watched brand stands on this page."));
}

function facts(record) {
  const { article, published } = record;
  const from = (found) => found && [foreign(found.value), el("span", { class: "quiet" }, ` (${found.source})`)];
  const fact = (name, ...value) => value.some(Boolean) && [el("dt", {}, name), el("dd", {}, value)];
  return el("section", {}, el("h2", {}, "Where it comes from"), el("dl", {},
    fact("outlet", record.outlet),
    fact("page", outside(record.final_url)),
    fact("published", `${published.precision === "day" ? published.day : instant(published.at)}`, el("span", { class: "quiet" }, ` (${published.source}, zone: ${published.zone})`)),
    record.sighting === "contradicted" && fact("contradicted", "a poll of its feed after that date did not list it"),
    fact("counted on", published.day),
    article.authors.length > 0 && fact("authors", article.authors.map((a, i) => [i > 0 && ", ", foreign(a.value)])),
    record.agencies !== null && fact("agencies", record.agencies?.length > 0
      ? record.agencies.map((a, i) => [i > 0 && ", ", from(a)])
      : "none: own reporting"),
    fact("language", from(article.language)),
    fact("memory", record.memory && `${count(record.memory.texts, "text")} that the outlet prints on other pages (${number(record.memory.pages)} read before ${record.memory.before})`),
    fact("fetched", instant(record.fetched)),
    fact("encoding", `${record.charset[0]} (${record.charset[1]})`),
    fact("model", article.model.slice(0, 16), article.fallback && " (fallback)"),
    article.signals.length > 0 && fact("signals", article.signals.join(", ")),
    record.backlog && fact("backlog", "came with the first poll of its feed"),
    fact("key", el("code", {}, record.key))));
}

function story(found, key) {
  if (!found || found.members.length < 2) return null;
  const self = found.members.find((m) => m.key === key);
  const first = found.members[0];
  const sentence = first.key === key
    ? `The original of ${count(found.members.length - 1, "copy", "copies")}.`
    : `A copy; the original is by ${first.outlet}. Similarity to the nearest earlier one: ${self?.nearest ? percent(self.nearest[1]) : "–"}.`;
  return el("section", {}, el("h2", {}, "Story"), el("p", {}, sentence),
    el("a", { href: link({ view: "stories", story: found.id, diff: null, article: null, day: null }) }, "All of the story"));
}
