// One article as it was read: what counted is marked in the text, what did not stands greyed where
// it stood on the page, with the reason; and every block of the page with what the labeler took it for.

import { ask, el, foreign, instant, link, number, outside, percent, published as printed } from "./dom.js";
import { contained } from "./stories.js";
import { t, word } from "./words.js";

const COUNTED = new Set(["title", "lead", "body"]);
const CONTENT = new Set(["title", "subtitle", "introduction", "paragraph", "heading"]);
const zone = (name) => word("zone", name);
/** Reasons that are shown without asking. */
const AT_ONCE = 20;
// Longest text of left-out blocks that is shown without asking.
const FEW = 3;

export async function article(at) {
  const view = await ask(`articles/${encodeURIComponent(at.article)}`);
  const { record } = view;
  const all = view.mentions.flatMap((row) => row.mentions);
  const inBlock = (index) => all.filter((m) => m.block === index);
  const here = at.brand ? view.mentions.find((row) => row.brand === at.brand) : null;
  const every = at.blocks === "all";
  const sheet = every ? coloured(view, inBlock, at) : read(record, inBlock, at);
  return el("div", {},
    el("p", { class: "trail" },
      el("a", { href: link({ article: null, day: null }) }, at.brand ? foreign(at.brand) : t("all.brands")), " › ",
      el("a", { href: link({ article: null, day: record.published.day, view: "mentions" }) }, record.published.day), ` › ${t("article")}`),
    el("p", { class: "acts" }, el("a", { href: link({ blocks: every ? null : "all" }) }, t(every ? "blocks.text" : "blocks.all"))),
    el("div", { class: "sheet" }, sheet, el("aside", {}, ledger(view.mentions, at.brand, here), reasons(view.mentions, record, at.brand), facts(record), story(view.story, record.key))),
    view.excerpts.length > 0 && contained(view.excerpts, new Set([record.key])));
}

const titleOf = (record) => record.article.title?.value ?? record.feed_title ?? t("no.title");

/** The article, as one reads it. */
function read(record, inBlock, at) {
  const title = titleOf(record);
  const ofTitle = inBlock(null);
  const sheet = el("article", { class: "page", dir: "auto", lang: record.article.language?.value },
    el("h1", { dir: "auto" }, marked(title, ofTitle, at.brand)));
  let rest = [];
  const flush = () => {
    if (rest.length > 0) sheet.append(leftOut(rest));
    rest = [];
  };
  record.article.blocks.forEach((block, index) => {
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
        tag(block, t("block.off", { why: zone(block.label === "none" ? mentions[0].zone : block.label) })),
        el("div", { dir: "auto" }, marked(block.text, mentions, at.brand))));
    } else {
      rest.push(block);
    }
  });
  flush();
  return sheet;
}

/** Every block in the order of the page, with what it was taken for and its zone, coloured by how sure the labeler was. */
function coloured({ record, zones }, inBlock, at) {
  const shade = (block) => Math.min(4, Math.max(0, Math.floor(block.probability * 5)));
  return el("article", { class: "page blocks", dir: "auto", lang: record.article.language?.value },
    el("h1", { dir: "auto" }, marked(titleOf(record), inBlock(null), at.brand)),
    el("ol", {}, record.article.blocks.map((block, index) => el("li", { class: `${CONTENT.has(block.label) ? "in" : "out"} shade-${shade(block)}` },
      tag(block, [zone(block.label), zone(zones[index]), percent(block.probability)].join(" · ")),
      el("div", { dir: "auto" }, marked(block.text, inBlock(index), at.brand))))));
}

/** What a block was taken for; hovering tells how sure the labeler was. */
const tag = (block, words) =>
  el("span", { class: "tag", dir: "ltr", title: t("block.chance", { share: percent(block.probability) }) }, words);

/** The text with its mentions marked. Offsets are bytes of UTF-8. */
function marked(text, mentions, brand) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const part = (start, end) => decoder.decode(bytes.subarray(start, end));
  // Of overlapping mentions the chosen brand's is shown, else the first and longest.
  const mine = (m) => (m.brand === brand ? 0 : 1);
  const taken = [];
  for (const m of [...mentions].sort((a, b) => mine(a) - mine(b) || a.start - b.start || b.end - a.end)) {
    if (taken.every((other) => m.end <= other.start || m.start >= other.end)) taken.push(m);
  }
  const nodes = [];
  let at = 0;
  for (const m of taken.sort((a, b) => a.start - b.start)) {
    const counts = COUNTED.has(m.zone);
    const kind = !counts ? "off" : brand && m.brand !== brand ? "other" : null;
    const note = t(counts ? "mark.counted" : "mark.off", { brand: m.brand, zone: zone(m.zone) });
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
  const labels = [...new Set(blocks.map((b) => zone(b.label)))].join(", ");
  const list = blocks.map((b) => el("div", { class: "left" }, tag(b, t("block.left", { label: zone(b.label) })), foreign(b.text, "div")));
  const shortEnough = blocks.length <= FEW && blocks.every((b) => b.text.length < 160 && b.label !== "none");
  if (shortEnough) return el("div", {}, list);
  return el("details", { class: "rest" }, el("summary", { dir: "ltr" }, t("blocks.left", { n: blocks.length, labels })), list);
}

/** What counted and what did not, by zone. */
function ledger(rows, brand, here) {
  // Under a brand's name there are no terms to describe.
  const says = brand ? "p" : "dd";
  const list = (here ? [here] : brand ? [] : rows).map((row) => {
    const zones = new Map();
    for (const m of row.mentions) zones.set(m.zone, (zones.get(m.zone) ?? 0) + 1);
    const part = (counted) => [...zones].filter(([name]) => COUNTED.has(name) === counted).map(([name, n]) => `${zone(name)} ${number(n)}`).join(", ");
    return [
      !brand && el("dt", { dir: "auto" }, row.brand),
      el(says, {}, el("span", { class: row.counted > 0 ? "chip" : "chip plain" }, t("n.counted", { n: row.counted })), " ", part(true)),
      row.suppressed > 0 && el(says, {}, el("span", { class: "chip off" }, t("n.off", { n: row.suppressed })), " ", part(false)),
      row.own_outlet && el(says, { class: "quiet" }, t("own.outlet")),
    ];
  });
  return el("section", {}, brand ? foreign(brand, "h2") : el("h2", {}, t("mentions")),
    list.length ? el(brand ? "div" : "dl", {}, list) : el("p", { class: "quiet" }, t("ledger.none")));
}

/** Why each mention that does not count does not: where it stands, and what the block was taken for. */
function reasons(rows, record, brand) {
  const off = rows.filter((row) => !brand || row.brand === brand).flatMap((row) => row.mentions).filter((m) => !COUNTED.has(m.zone));
  if (off.length === 0) return null;
  const why = (m) => t(`why.${m.zone}`);
  const label = (m) => {
    const block = record.article.blocks[m.block];
    return block && t("why.label", { label: `${zone(block.label)} (${percent(block.probability)})` });
  };
  const line = (m) => el("li", {}, el("mark", { class: "off", dir: "auto" }, m.matched), " ", why(m), " ", el("span", { class: "quiet" }, label(m)));
  const rest = off.slice(AT_ONCE);
  return el("section", {}, el("h2", {}, t("why.title", { n: off.length })),
    el("ul", { class: "why" }, off.slice(0, AT_ONCE).map(line)),
    rest.length > 0 && el("details", {}, el("summary", {}, t("more", { n: rest.length })), el("ul", { class: "why" }, rest.map(line))));
}

function facts(record) {
  const { article, published } = record;
  const from = (found) => found && [foreign(found.value), el("span", { class: "quiet" }, ` (${word("source", found.source)})`)];
  const fact = (name, ...value) => value.some(Boolean) && [el("dt", {}, t(`fact.${name}`)), el("dd", {}, value)];
  return el("section", {}, el("h2", {}, t("facts")), el("dl", {},
    fact("outlet", record.outlet),
    fact("page", outside(record.final_url)),
    fact("published", printed(published), el("span", { class: "quiet" }, ` (${word("source", published.source)}, ${t("fact.zone", { zone: word("dated", published.zone) })})`)),
    record.sighting === "contradicted" && fact("contradicted", t("contradicted.about")),
    fact("day", published.day),
    article.authors.length > 0 && fact("authors", article.authors.map((a, i) => [i > 0 && ", ", foreign(a.value)])),
    record.agencies !== null && fact("agencies", record.agencies?.length > 0
      ? record.agencies.map((a, i) => [i > 0 && ", ", from(a)])
      : t("agencies.none")),
    fact("language", from(article.language)),
    fact("memory", record.memory && t("memory.about", { n: record.memory.texts, pages: record.memory.pages, before: record.memory.before })),
    fact("fetched", instant(record.fetched)),
    fact("encoding", `${record.charset[0]} (${record.charset[1]})`),
    fact("model", article.model.slice(0, 16), article.fallback && ` (${t("fallback")})`),
    article.signals.length > 0 && fact("signals", article.signals.map((name) => word("signal", name)).join(", ")),
    record.backlog && fact("backlog", t("backlog.about")),
    fact("key", el("code", {}, record.key))));
}

function story(found, key) {
  if (!found || found.members.length < 2) return null;
  const self = found.members.find((m) => m.key === key);
  const first = found.members[0];
  const sentence = first.key === key
    ? t("story.original", { n: found.members.length - 1 })
    : t("story.copy", { outlet: first.outlet, share: self?.nearest ? percent(self.nearest[1]) : "–" });
  return el("section", {}, el("h2", {}, t("story")), el("p", {}, sentence),
    el("a", { href: link({ view: "stories", story: found.id, diff: null, article: null, day: null }) }, t("story.all")));
}
