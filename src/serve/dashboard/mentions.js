// Mentions of one brand per day, where they stand, and one day's articles.

import { chart, swatch } from "./chart.js";
import { covered } from "./days.js";
import { ask, askAll, dayOf, el, foreign, link, nothing, number, of, percent, place, table, tiles } from "./dom.js";
import { cells, marks, notes as noted, pinned } from "./notes.js";
import { overview } from "./overview.js";
import { saves } from "./save.js";
import { carried } from "./stories.js";
import { language, say, t, tongue, word } from "./words.js";

/** All brands, one brand, or one day. */
export function mentions(at) {
  if (at.day) return day(at);
  return at.brand ? brand(at) : overview(at);
}

/** Every day of the range with its counts, days without any included. */
async function series(at) {
  const answer = await askAll("mentions", { brand: at.brand, from: at.from, to: at.to });
  const lines = new Map(answer.lines.map((line) => [line.bucket, line]));
  const none = { mentions: 0, suppressed: 0, articles: 0, stories: 0, copies: 0, backlog: 0, own: 0 };
  const cover = await covered(at, [...lines.keys()]);
  const days = cover.map((c) => ({ ...none, ...lines.get(c.day), ...c }));
  return { days, answer };
}

const sum = (list, name) => list.reduce((n, d) => n + d[name], 0);

async function brand(at) {
  const [{ days, answer }, outlets, languages, pins, top] = await Promise.all([
    series(at), where(at, "outlet"), where(at, "language"), pinned(at),
    ask("stories", { brand: at.brand, from: at.from, to: at.to, limit: 6 }),
  ]);
  const told = (name, n) => n > 0 && t(name, { n });
  const key = (kind) => el("span", { class: "key" }, swatch("m", kind === "counted" ? "counted" : kind), t(`key.${kind}`));
  const shown = days.filter((d) => d.mentions || d.suppressed || d.articles || d.stories || d.incomplete).reverse();
  const notes = [
    t("brand.since", { day: dayOf(of(answer.watched_since, at.brand), answer.timezone) }),
    answer.outlets_since !== null && t("brand.first.feed", { day: dayOf(answer.outlets_since, answer.timezone) }),
    told("brand.provisional", days.filter((d) => d.provisional).length),
    told("brand.partial", days.filter((d) => !d.provisional && d.incomplete).length),
    told("brand.unpolled", days.filter((d) => d.coverage === null).length),
    told("brand.backlog", sum(answer.lines, "backlog")),
    told("brand.own", sum(answer.lines, "own")),
  ].filter(Boolean).join(" · ");
  const pinnedAt = marks(pins);
  const drawing = chart(days, "m", pinnedAt);
  const counts = ["mentions", "suppressed", "articles", "stories", "copies", "coverage"];
  return el("div", {},
    el("h1", { dir: "auto" }, at.brand),
    el("p", { class: "acts" }, el("a", { href: link({ view: "brands", edit: at.brand }) }, t("brands.edit")), el("a", { href: link({ view: "brands", review: at.brand }) }, t("review.title")),
      el("a", { href: `/api/v1/brands/${encodeURIComponent(at.brand)}/report.html?from=${at.from}&to=${at.to}&language=${language}`, target: "_blank", rel: "noopener", title: t("report.about") }, t("report"))),
    el("p", { class: "note" }, t("range", at)),
    tiles([
      [number(sum(answer.lines, "mentions")), t("mentions"), "", t("mentions.about")],
      [number(sum(answer.lines, "articles")), t("articles"), "", t("articles.about")],
      [number(sum(answer.lines, "stories")), t("stories"), "", t("stories.about")],
      [number(sum(answer.lines, "copies")), t("copies")],
      [number(sum(answer.lines, "suppressed")), t("not.counted"), "off", t("not.counted.about")],
    ]),
    el("figure", { tabindex: 0, "aria-label": t("chart") }, drawing, el("figcaption", {}, ["counted", "off", "light", "open", "full", "part", ...(pins.length > 0 ? ["pin"] : [])].map(key))),
    saves(`${at.brand} ${at.from} ${at.to}`, drawing, [t("day"), t("mentions"), t("not.counted"), t("articles"), t("stories"), t("copies"), t("coverage"), t("notes.title")], days.map((d) => [d.day, ...counts.map((name) => d[name]), cells(pinnedAt.get(d.day))])),
    el("p", { class: "note" }, notes),
    noted(at, pins),
    shown.length === 0
      ? nothing(t("brand.nothing"))
      : table(t("brand.daily"), [
        { head: t("day"), cell: (d) => el("a", { href: link({ day: d.day }) }, d.day) },
        { head: t("mentions"), kind: "n", cell: (d) => number(d.mentions) },
        { head: t("articles"), kind: "n", cell: (d) => number(d.articles) },
        { head: t("stories"), kind: "n", cell: (d) => number(d.stories) },
        { head: t("copies"), kind: "n", cell: (d) => number(d.copies) },
        { head: t("not.counted"), kind: "n off", cell: (d) => number(d.suppressed) },
        { head: t("coverage"), kind: "n", cell: (d) => percent(d.coverage) },
        { head: t("remarks"), unseen: true, cell: (d) => [
          d.provisional && el("span", { class: "chip warn", title: t("provisional.about") }, t("provisional")),
          d.unusual?.length > 0 && el("span", { class: "chip warn", title: d.said.map(say).join("\n") }, t("unusual")),
          d.backlog > 0 && el("span", { class: "chip plain", title: t("backlog.about") }, t("backlog", { n: d.backlog })),
        ] },
      ], shown, (d) => ({ class: d.provisional || d.incomplete ? "open" : null })),
    shown.length > 0 && el("div", { class: "pair" }, outlets, languages, later(at, "zone", t("zones.reading")), later(at, "agency", t("agencies.reading"))),
    top.stories.some((s) => s.articles > 1) && carried(t("brand.stories"), top.stories.filter((s) => s.articles > 1)));
}

/** Lines of a table that are shown without asking. */
const AT_ONCE = 12;

/** Where a brand was written about: outlets, languages, zones or agencies. */
async function where(at, by) {
  const { lines } = await askAll("mentions", { brand: at.brand, from: at.from, to: at.to, by });
  const part = (caption, some) => table(caption, [
    { head: t(by), cell: (l) => (by === "outlet" ? el("a", { href: link({ view: "outlets", outlet: l.bucket }) }, l.bucket) : by === "zone" ? word("zone", l.bucket) : called(by, l.bucket)) },
    { head: t("mentions"), kind: "n", cell: (l) => number(l.mentions) },
    { head: t("articles"), kind: "n", cell: (l) => number(l.articles) },
    { head: t("stories"), kind: "n", cell: (l) => number(l.stories) },
    { head: t("not.counted"), kind: "n off", cell: (l) => number(l.suppressed) },
  ], some);
  const rest = lines.slice(AT_ONCE);
  return el("div", {}, part(t(`by.${by}`), lines.slice(0, AT_ONCE)),
    rest.length > 0 && el("details", {}, el("summary", {}, t("more", { n: rest.length })), part(t("by.rest", { what: t(`by.${by}`) }), rest)));
}

/** The words of a line that has no name, or the name of a language; agencies are foreign words. */
function called(by, bucket) {
  const words = word("bucket", bucket);
  return words !== bucket ? words : by === "language" ? tongue(bucket) : foreign(bucket);
}

/** The same for what takes longer to read: asked only when somebody looks, or the address says so. */
function later(at, by, reading) {
  const found = el("div", {});
  const opened = (at.open ?? "").split(" ");
  const look = async (event) => {
    const others = (place().open ?? "").split(" ").filter((one) => one && one !== by);
    // The address says what is shown; going back leads to another view, not to what was closed here.
    history.replaceState(null, "", link({ open: [...others, ...(event.target.open ? [by] : [])].join(" ") }));
    if (!event.target.open || found.hasChildNodes()) return;
    found.append(nothing(reading));
    found.replaceChildren(await where(at, by).catch((error) => el("p", { class: "error" }, error.message)));
  };
  return el("details", { toggle: look, open: opened.includes(by) }, el("summary", {}, t(`by.${by}`)), found);
}

/** Most articles of a day that are shown. */
const MOST = 500;

async function day(at) {
  const answer = await ask("articles", { brand: at.brand, day: at.day, suppressed: at.brand ? true : null, after: at.after, limit: MOST });
  const lines = answer.articles;
  const counted = (a) => of(a.mentions, at.brand) ?? 0;
  const counting = at.brand ? lines.filter(counted) : [...lines];
  counting.sort((a, b) => counted(b) - counted(a));
  const rest = at.brand ? lines.filter((a) => !counted(a)) : [];
  const part = at.after || answer.next;
  const all = part && at.brand ? (await ask("mentions", { brand: at.brand, from: at.day, to: at.day })).lines[0]?.articles : null;
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ day: null, after: null }) }, at.brand ? foreign(at.brand) : t("all.brands")), ` › ${at.day}`),
    el("h1", {}, at.day),
    part && el("p", { class: "note" }, t("day.part", { n: lines.length }), " ",
      at.after && [el("a", { href: link({ after: null }) }, t("first")), " "], answer.next && el("a", { href: link({ after: answer.next }) }, t("further"))),
    el("h2", {}, all ? t("day.counted.of", { n: counting.length, all }) : t(at.brand ? "day.counted" : "n.articles", { n: counting.length })),
    counting.length ? el("ul", { class: "list" }, counting.map((a) => line(a, at.brand))) : nothing(t("day.none")),
    rest.length > 0 && [
      el("h2", {}, t("day.off", { n: rest.length })),
      el("p", { class: "note" }, t("day.off.about")),
      el("ul", { class: "list" }, rest.map((a) => line(a, at.brand, "off"))),
    ]);
}

/** One article of a list. */
export function line(a, brand, kind) {
  const names = brand ? [brand] : [...new Set([...Object.keys(a.mentions), ...Object.keys(a.suppressed)])];
  // The name alone has a direction of its own.
  const chip = (name, n, words, kind) => n > 0 && el("span", { class: kind }, !brand && [foreign(name), " "], words);
  return el("li", { class: kind },
    el("a", { class: "title", href: link({ article: a.key }), dir: "auto" }, a.title || t("no.title")),
    el("div", { class: "meta" },
      el("span", {}, a.outlet), a.language && el("span", {}, tongue(a.language)), el("span", {}, t("n.characters", { n: a.characters })),
      a.copies > 0 && el("a", { href: link({ view: "stories", story: a.story, diff: null, day: null }) }, a.original ? t("original.of", { n: a.copies }) : t("copy")),
      el("span", {}, names.map((name) => [
        chip(name, of(a.mentions, name), brand ? t("n.counted", { n: of(a.mentions, name) }) : number(of(a.mentions, name) ?? 0), "chip"),
        chip(name, of(a.suppressed, name), t("n.off", { n: of(a.suppressed, name) ?? 0 }), "chip off"),
      ]))));
}
