// Search: a form, bars per day, and the articles in context.

import { ask, el, foreign, link, nothing, number, of, outside, place, svg, table } from "./dom.js";
import { MOST, compared, sample } from "./plots.js";
import { saves } from "./save.js";
import { t } from "./words.js";

const ZONES = ["", "title", "lead", "body"];
/** Brands with a column in the table: those with most articles. */
const COLUMNS = 12;
/** Articles of a day that count a brand. */
const counted = (day, brand) => of(day?.brands ?? {}, brand) ?? 0;

export async function search(at) {
  const head = [el("h1", {}, t("search.title")), form(at)];
  if (!at.q) return el("div", {}, head, el("p", { class: "note" }, t("search.how")));
  let answer;
  try {
    answer = await ask("search", { q: at.q, zone: at.zone, outlet: at.outlet, language: at.language, brand: at.brand, from: at.from, to: at.to, after: at.after, limit: 50 });
  } catch (error) {
    return el("div", {}, head, el("p", { class: "error", role: "alert" }, error.message));
  }
  const brands = [...new Set(answer.days.flatMap((d) => Object.keys(d.brands)))].sort();
  const largest = most(answer.days, brands, COLUMNS);
  const columns = [
    { head: t("day"), cell: (d) => el("a", { href: link({ from: d.day, to: d.day, after: null }) }, d.day) },
    { head: t("found"), kind: "n", cell: (d) => number(d.articles) },
    ...brands.filter((brand) => largest.includes(brand)).map((brand) => ({ head: foreign(brand), kind: "n", cell: (d) => number(counted(d, brand)) })),
  ];
  const behind = answer.building !== null ? t("search.building", { n: answer.building }) : answer.behind > 0 && t("search.behind", { n: answer.behind });
  const drawing = answer.articles > 0 && bars(answer.days);
  return el("div", {}, head,
    el("p", { role: "status" }, `${t("n.articles", { n: answer.articles })} · ${t("range", at)}${at.brand ? ` · ${at.brand}` : ""}. `, behind),
    drawing && [
      el("h2", {}, t("search.bars")), el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing),
      saves(`${at.q} ${at.from} ${at.to}`, drawing, [t("day"), t("found"), ...brands], answer.days.map((d) => [d.day, d.articles, ...brands.map((brand) => counted(d, brand))])),
    ],
    drawing && brands.length > 0 && beside(at, answer.days, brands),
    answer.hits.length ? el("ol", { class: "hits" }, answer.hits.map(hit)) : nothing(t("search.none")),
    el("p", {}, at.after && [el("a", { href: link({ after: null }) }, t("newest")), " "], answer.next && el("a", { href: link({ after: answer.next }) }, t("older"))),
    answer.days.length > 0 && table(t("search.table"), columns, answer.days.toReversed()),
    brands.length > COLUMNS && el("p", { class: "note" }, t("search.columns", { n: COLUMNS, all: brands.length })));
}

/** The brands that most articles of these days count. */
function most(days, brands, n) {
  const sums = new Map(brands.map((brand) => [brand, days.reduce((sum, d) => sum + counted(d, brand), 0)]));
  return brands.toSorted((a, b) => sums.get(b) - sums.get(a)).slice(0, n);
}

/** What is found beside the articles that count a brand, as lines: the brands with most of them. */
function beside(at, days, brands) {
  const known = new Map(days.map((d) => [d.day, d]));
  const dates = [];
  for (let at = Date.parse(days[0].day); at <= Date.parse(days.at(-1).day); at += 86400000) dates.push(new Date(at).toISOString().slice(0, 10));
  const series = [
    // A brand may have the name that is looked for.
    { name: `${t("search.title")}: ${at.q}`, values: dates.map((day) => known.get(day)?.articles ?? 0) },
    ...most(days, brands, MOST - 1).map((brand) => ({ name: brand, values: dates.map((day) => counted(known.get(day), brand)) })),
  ];
  const lines = dates.map((day, i) => [day, ...series.map((one) => one.values[i])]);
  const drawing = compared(dates, series, t("articles"));
  return [
    el("h2", {}, t("search.beside")),
    el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing, el("figcaption", {}, series.map((one, i) => el("span", { class: "key" }, sample(i), foreign(one.name))))),
    saves(`${at.q} ${t("search.beside")} ${at.from} ${at.to}`, drawing, [t("day"), ...series.map((one) => one.name)], lines),
  ];
}

function form(at) {
  const field = (name, size) => el("label", {}, `${t(`search.${name}`)} `, el("input", { name, size, value: at[name] ?? "", maxlength: 1000, dir: "auto" }));
  const zone = el("select", { name: "zone" }, ZONES.map((value) => el("option", { value, selected: value === (at.zone ?? "") }, t(`search.zone.${value || "all"}`))));
  const go = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    location.hash = link({ view: "search", ...given, after: null, day: null, article: null });
  };
  return el("form", { class: "bar", role: "search", submit: go },
    field("q", 40), el("label", {}, `${t("search.zone")} `, zone), field("outlet", 14), field("language", 3),
    el("button", { type: "submit" }, t("search.go")));
}

function hit(line) {
  return el("li", {},
    el("a", { href: link({ article: line.key }), dir: "auto" }, line.title || t("no.title")),
    el("p", { class: "quiet" }, `${line.day} · ${line.outlet} · `, outside(line.url, t("open.page")), " ",
      Object.entries(line.mentions).map(([brand, n]) => [el("span", { class: "chip", dir: "auto" }, `${brand} ${number(n)}`), " "])),
    line.context.map((piece) => el("p", { dir: "auto" }, piece.parts.map((part) => (part.hit ? el("mark", {}, part.text) : part.text)))));
}

/** Bars for the days that have some, each a link to its day. */
function bars(days) {
  const first = Date.parse(days[0].day);
  const length = (Date.parse(days.at(-1).day) - first) / 86400000 + 1;
  const most = Math.max(...days.map((d) => d.articles));
  const step = 1000 / length;
  const label = t("search.summary", { from: days[0].day, to: days.at(-1).day, most });
  return svg("svg", { class: "chart", viewBox: "0 0 1000 108", role: "img", "aria-label": label },
    svg("text", { x: 0, y: 9 }, number(most)),
    svg("line", { x1: 0, x2: 1000, y1: 90, y2: 90, class: "grid" }),
    svg("text", { x: 0, y: 105 }, days[0].day), length > 1 && svg("text", { x: 1000, y: 105, "text-anchor": "end" }, days.at(-1).day),
    days.filter((d) => d.articles > 0).map((d) => {
      const height = Math.max(1.5, (d.articles / most) * 76);
      const x = ((Date.parse(d.day) - first) / 86400000) * step;
      return svg("rect", { x: x + step * 0.15, y: 90 - height, width: Math.max(1, step * 0.7), height, class: "counted", click: () => { location.hash = link({ ...place(), from: d.day, to: d.day, after: null }); } },
        svg("title", {}, `${d.day}: ${t("n.articles", { n: d.articles })}`));
    }));
}
