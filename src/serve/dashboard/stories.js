// Stories: an original and its copies, who carried them, how much later and how alike.

import { ask, el, foreign, lapse, link, nothing, number, outside, percent, published, table } from "./dom.js";
import { spread } from "./plots.js";
import { saves } from "./save.js";
import { t } from "./words.js";

/** Most stories of a list. */
const MOST = 300;

export function stories(at) {
  return at.story ? one(at) : list(at);
}

/** A table of stories. */
export const carried = (caption, list) => table(caption, [
  { head: t("story"), kind: "wide", cell: (s) => el("a", { href: link({ view: "stories", story: s.id, diff: null, day: null }), dir: "auto" }, s.title || t("no.title")) },
  { head: t("original"), cell: (s) => s.outlet },
  { head: t("day"), kind: "n", cell: (s) => s.day },
  { head: t("articles"), kind: "n", cell: (s) => number(s.articles) },
  { head: t("outlets"), kind: "n", cell: (s) => number(s.outlets) },
  { head: t("within"), kind: "n", cell: (s) => lapse(s.span) },
  { head: t("brands"), cell: (s) => s.brands.map((b) => el("span", { class: "chip", dir: "auto" }, b)) },
], list);

async function list(at) {
  const answer = await ask("stories", { brand: at.brand, from: at.from, to: at.to, after: at.after, limit: MOST });
  const shared = answer.stories.filter((s) => s.articles > 1 && !s.series);
  const series = answer.stories.filter((s) => s.series);
  const single = answer.stories.length - shared.length - series.length;
  return el("div", {},
    el("h1", {}, t("stories.title")),
    el("p", { class: "note" }, t("stories.note"), " ", t("range", at), at.brand && [" · ", foreign(at.brand)]),
    (at.after || answer.next) && el("p", { class: "note" }, t("stories.part", { n: answer.stories.length }), " ",
      at.after && [el("a", { href: link({ after: null }) }, t("first")), " "], answer.next && el("a", { href: link({ after: answer.next }) }, t("further"))),
    shared.length ? carried(t("stories.shared"), shared) : nothing(t("stories.none")),
    series.length > 0 && carried(t("stories.series"), series),
    single > 0 && el("p", { class: "note" }, t("stories.single", { n: single })));
}

async function one(at) {
  const { story, titles, precisions, diffs, excerpts } = await ask(`stories/${encodeURIComponent(at.story)}`, { diff: at.diff });
  const first = story.members[0];
  const rows = story.members.map((member, i) => ({ ...member, title: titles[i]?.[0], url: titles[i]?.[1], precision: precisions[i] }));
  const known = new Map(rows.map((r) => [r.key, r]));
  const outlets = new Set(rows.map((r) => r.outlet)).size;
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ story: null, diff: null }) }, t("stories.title")), ` › ${t("story")}`),
    foreign(rows[0]?.title || t("no.title"), "h1"),
    el("p", { class: "note" }, t("story.about", { n: rows.length, outlets, outlet: first?.outlet }),
      story.series && ` ${t("story.series")}`, story.pattern && ` ${t("story.pattern")}`),
    outlets > 1 && spreading(rows, rows[0]?.title ?? ""),
    table(t("story.table"), [
      { head: t("outlet"), cell: (m) => m.outlet },
      { head: t("title"), kind: "wide", cell: (m) => [
        el("a", { href: link({ article: m.key }), dir: "auto" }, m.title || t("no.title")), " ",
        el("span", { class: m === rows[0] ? "chip" : "chip plain" }, m === rows[0] ? t("original") : t("copy")), " ",
        m !== rows[0] && el("a", { href: link({ diff: m.key }) }, t("story.changed")),
      ] },
      { head: t("published"), kind: "n", cell: (m) => [published(m), m.url && [el("br"), outside(m.url, t("open.page"))]] },
      { head: t("later"), kind: "n", cell: (m) => (m === rows[0] ? "" : m.sighting === "contradicted" ? el("span", { class: "chip off", title: t("contradicted.about") }, t("contradicted")) : m.at < first.at ? "–" : lapse(m.at - first.at)) },
      { head: t("similarity"), kind: "n", title: t("similarity.about"), cell: (m) => m.nearest && [
        percent(m.nearest[1]), el("br"), el("span", { class: "quiet" }, t("similarity.to", { outlet: known.get(m.nearest[0])?.outlet ?? "–" })),
      ] },
      { head: t("brands"), cell: (m) => m.brands.map((b) => el("span", { class: "chip", dir: "auto" }, b)) },
    ], rows),
    diffs.map((diff) => changes(diff, known.get(diff.key))),
    excerpts.length > 0 && contained(excerpts, known));
}

function spreading(members, title) {
  const drawing = spread(members);
  return [
    el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing),
    saves(title, drawing, [t("outlet"), t("published"), t("later.hours")], members.map((m) => [m.outlet, published(m), Math.round((m.at - members[0].at) / 36_000) / 100])),
  ];
}

/** A copy's text against the original's, sentence by sentence. */
function changes(diff, member) {
  const line = (mark, text) => el("p", { class: "change", dir: "auto" }, `${mark} ${text}`);
  let same = 0;
  const lines = [];
  const passed = () => {
    if (same > 0) lines.push(el("p", { class: "quiet" }, `… ${t("story.same", { n: same })}`));
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
  return el("section", {}, el("h2", {}, t("diff.title", { outlet: member?.outlet ?? t("copy") })),
    el("p", { class: "note" }, t("diff.about", { taken: percent(diff.taken), kept: percent(diff.kept) }), " ",
      el("a", { href: link({ diff: null }) }, t("hide"))),
    lines);
}

/** Excerpts of the members, and longer articles that members stand in. */
export function contained(excerpts, known) {
  return table(t("excerpts.title"), [
    { head: t("excerpts.how"), unseen: true, cell: (x) => t(known.has(x.part) ? "excerpts.in" : "excerpts.has") },
    { head: t("outlet"), cell: (x) => x.outlet },
    { head: t("title"), kind: "wide", cell: (x) => el("a", { href: link({ article: known.has(x.part) ? x.whole : x.part }), dir: "auto" }, x.title || t("no.title")) },
    { head: t("excerpts.share"), kind: "n", cell: (x) => percent(x.share) },
  ], excerpts);
}
