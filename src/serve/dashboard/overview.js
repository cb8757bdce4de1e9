// All brands at a glance: counts, share of voice, and up to six of them compared day by day.

import { spark } from "./chart.js";
import { between, covered, shift } from "./days.js";
import { MOST as LINES, ask, askAll, dayOf, el, foreign, link, nothing, number, of, percent, table } from "./dom.js";
import { notes, pinned } from "./notes.js";
import { MOST, compared, sample, shares } from "./plots.js";
import { saves } from "./save.js";
import { t } from "./words.js";

const MEASURES = ["mentions", "articles", "stories"];
/** Between the names of brands that an address compares: no name has a line break. */
const BETWEEN = "\n";

/** Questions that are under way at a time. */
const AT_ONCE = 6;
/** Parts of the days, at most, where one answer does not hold the lines of all brands. */
const PARTS = 32;

const sum = (list, name) => list.reduce((n, line) => n + line[name], 0);

export async function overview(at) {
  if (at.brands.length === 0) {
    return el("div", {}, el("h1", {}, t("overview.title")), nothing(t("overview.none")),
      el("p", {}, el("a", { href: link({ view: "brands", make: 1 }) }, t("brands.add"))));
  }
  const [answer, pins] = await Promise.all([counts(at), pinned(at)]);
  const dates = (await covered(at, answer.lines.map((line) => line.bucket))).map((day) => day.day);
  const rows = at.brands.map((name) => {
    const lines = answer.lines.filter((line) => line.brand === name);
    const per = Object.fromEntries(MEASURES.map((what) => {
      const found = new Map(lines.map((line) => [line.bucket, line[what]]));
      return [what, dates.map((day) => found.get(day) ?? 0)];
    }));
    const total = (what) => sum(lines, what);
    return { name, per, mentions: total("mentions"), suppressed: total("suppressed"), articles: total("articles"), stories: total("stories") };
  });
  rows.sort((a, b) => b.mentions - a.mentions || a.name.localeCompare(b.name));
  const all = sum(rows, "articles");
  for (const row of rows) row.share = all > 0 ? row.articles / all : null;
  const chosen = (at.compare ?? "").split(BETWEEN).filter((name) => at.brands.includes(name)).slice(0, MOST);
  return el("div", {},
    el("h1", {}, t("overview.title")),
    el("p", { class: "note" }, t("overview.note", { from: at.from, to: at.to })),
    chosen.length > 1 && comparison(at, dates, rows.filter((row) => chosen.includes(row.name))),
    table(t("overview.table"), [
      { head: t("brand"), cell: (r) => el("a", { href: link({ brand: r.name, compare: null }) }, foreign(r.name)) },
      { head: t("per.day"), cell: (r) => spark(r.per.mentions) },
      { head: t("mentions"), kind: "n", cell: (r) => number(r.mentions) },
      { head: t("shares.title"), kind: "n", title: t("shares.note"), cell: (r) => percent(r.share) },
      { head: t("articles"), kind: "n", cell: (r) => number(r.articles) },
      { head: t("stories"), kind: "n", cell: (r) => number(r.stories) },
      { head: t("not.counted"), kind: "n off", cell: (r) => number(r.suppressed) },
      { head: t("watched.since"), kind: "n", cell: (r) => dayOf(of(answer.watched_since, r.name), answer.timezone) },
      { head: t("compare"), cell: (r) => tick(chosen, r.name) },
    ], rows),
    all > 0 && shared(at, rows),
    notes(at, pins));
}

/** All lines of all brands. Where one answer does not hold them parts of the days are asked for: few requests, however
    many brands there are, and the lines of each part are made once. */
async function counts(at) {
  const answer = await ask("mentions", { from: at.from, to: at.to, limit: LINES });
  if (!answer.truncated) return answer;
  const days = between(at.from, at.to);
  const width = Math.max(1, Math.floor(LINES / at.brands.length), Math.ceil(days / PARTS));
  const parts = [];
  for (let i = 0; i < days; i += width) parts.push({ from: shift(at.from, i), to: shift(at.from, Math.min(i + width, days) - 1) });
  answer.lines = [];
  for (let i = 0; i < parts.length; i += AT_ONCE) {
    const some = await Promise.all(parts.slice(i, i + AT_ONCE).map((part) => askAll("mentions", part)));
    answer.lines = answer.lines.concat(...some.map(({ lines }) => lines));
  }
  return answer;
}

/** A box that takes a brand into the comparison. */
function tick(chosen, name) {
  const inside = chosen.includes(name);
  const change = () => {
    const next = inside ? chosen.filter((one) => one !== name) : [...chosen, name];
    location.hash = link({ compare: next.join(BETWEEN) });
  };
  return el("input", { type: "checkbox", checked: inside, disabled: !inside && chosen.length >= MOST, "data-keep": `compare ${name}`, "aria-label": t("compare.with", { name }), change });
}

function comparison(at, days, rows) {
  const measure = MEASURES.includes(at.measure) ? at.measure : "mentions";
  const series = rows.map((row) => ({ name: row.name, values: row.per[measure] }));
  const drawing = compared(days, series, t(measure));
  const lines = days.map((day, i) => [day, ...series.map((one) => one.values[i])]);
  const tabs = el("p", { class: "spans", role: "group", "aria-label": t("compare.measure") },
    MEASURES.map((what) => el("a", { href: link({ measure: what }), "aria-current": what === measure ? "true" : null }, t(what))),
    el("a", { href: link({ compare: null, measure: null }) }, t("compare.end")));
  return el("section", {},
    el("h2", {}, t("compare.title")), tabs,
    el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing, el("figcaption", {}, series.map((one, i) => el("span", { class: "key" }, sample(i), foreign(one.name))))),
    saves(`${t("compare.title")} ${at.from} ${at.to}`, drawing, [t("day"), ...series.map((one) => one.name)], lines),
    el("details", {}, el("summary", {}, t("compare.table", { what: t(measure) })),
      table(t("compare.table", { what: t(measure) }), [
        { head: t("day"), cell: (line) => line[0] },
        ...series.map((one, i) => ({ head: foreign(one.name), kind: "n", cell: (line) => number(line[i + 1]) })),
      ], lines.toReversed())));
}

function shared(at, rows) {
  const largest = rows.toSorted((a, b) => b.articles - a.articles);
  const drawing = shares(largest.slice(0, 20));
  return el("section", {}, el("h2", {}, t("shares.title")), el("p", { class: "note" }, t("shares.note")),
    el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing),
    saves(`${t("shares.file")} ${at.from} ${at.to}`, drawing, [t("brand"), t("articles"), t("shares.title")], largest.map((row) => [row.name, row.articles, row.share])));
}
