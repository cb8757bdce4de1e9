// Search: a form, bars per day, and the articles in context.

import { ask, count, el, link, nothing, number, outside, place, svg, table } from "./dom.js";

const ZONES = [["", "Title, lead and body"], ["title", "Title"], ["lead", "Lead"], ["body", "Body"]];

export async function search(at) {
  const head = [el("h1", {}, "Search"), form(at)];
  if (!at.q) {
    return el("div", {}, head, el("p", { class: "note" }, "Words must all be there; \"words in quotes\" stand one after the other. OR, NOT, NEAR/5, title:word, word* and parentheses can be used."));
  }
  let answer;
  try {
    answer = await ask("search", { q: at.q, zone: at.zone, outlet: at.outlet, language: at.language, brand: at.brand, from: at.from, to: at.to, after: at.after, limit: 50 });
  } catch (error) {
    return el("div", {}, head, el("p", { class: "error", role: "alert" }, error.message));
  }
  const brands = [...new Set(answer.days.flatMap((d) => Object.keys(d.brands)))].sort();
  const columns = [
    { head: "day", cell: (d) => el("a", { href: link({ from: d.day, to: d.day, after: null }) }, d.day) },
    { head: "found", kind: "n", cell: (d) => number(d.articles) },
    ...brands.map((brand) => ({ head: brand, kind: "n", cell: (d) => number(d.brands[brand] ?? 0) })),
  ];
  return el("div", {}, head,
    el("p", { role: "status" }, `${count(answer.articles, "article")} from ${at.from} to ${at.to}${at.brand ? `, of those that count ${at.brand}` : ""}. ${lag(answer)}`),
    answer.articles > 0 && bars(answer.days),
    answer.hits.length ? el("ol", { class: "hits" }, answer.hits.map(hit)) : nothing("No article has this on these days."),
    el("p", {}, at.after && [el("a", { href: link({ after: null }) }, "Newest"), " "], answer.next && el("a", { href: link({ after: answer.next }) }, "Older")),
    answer.days.length > 0 && table("Articles found per day, and articles that count each brand", columns, answer.days.toReversed()));
}

function form(at) {
  const field = (label, name, size) => el("label", {}, `${label} `, el("input", { name, size, value: at[name] ?? "", maxlength: 1000, dir: "auto" }));
  const zone = el("select", { name: "zone" }, ZONES.map(([value, title]) => el("option", { value, selected: value === (at.zone ?? "") }, title)));
  const go = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    location.hash = link({ view: "search", ...given, after: null, day: null, article: null });
  };
  return el("form", { class: "bar", role: "search", submit: go },
    field("Words", "q", 40), el("label", {}, "in ", zone), field("Outlet", "outlet", 14), field("Language", "language", 3),
    el("button", { type: "submit" }, "Search"));
}

/** How far the index is behind the store. */
function lag(answer) {
  if (answer.building !== null) return `The index is being made: ${count(answer.building, "article")} so far.`;
  return answer.behind > 0 ? `The index is ${count(answer.behind, "article")} behind.` : "";
}

function hit(line) {
  return el("li", {},
    el("a", { href: link({ article: line.key }), dir: "auto" }, line.title || "(no title)"),
    el("p", { class: "quiet" }, `${line.day} · ${line.outlet} · `, outside(line.url, "open page"), " ",
      Object.entries(line.mentions).map(([brand, n]) => [el("span", { class: "chip", dir: "auto" }, `${brand} ${number(n)}`), " "])),
    line.context.map((piece) => el("p", { dir: "auto" }, piece.parts.map((part) => (part.hit ? el("mark", {}, part.text) : part.text)))));
}

/** Bars for the days that have some, each a link to its day. */
function bars(days) {
  const first = Date.parse(days[0].day);
  const length = (Date.parse(days.at(-1).day) - first) / 86400000 + 1;
  const most = Math.max(...days.map((d) => d.articles));
  const step = 1000 / length;
  const label = `Bars of articles found from ${days[0].day} to ${days.at(-1).day}, ${number(most)} on a day at most. The table below has every number.`;
  return svg("svg", { class: "chart", viewBox: "0 0 1000 92", role: "img", "aria-label": label },
    svg("text", { x: 0, y: 9 }, number(most)),
    days.filter((d) => d.articles > 0).map((d) => {
      const height = Math.max(1.5, (d.articles / most) * 76);
      const x = ((Date.parse(d.day) - first) / 86400000) * step;
      return svg("rect", { x: x + step * 0.15, y: 90 - height, width: Math.max(1, step * 0.7), height, class: "counted", click: () => { location.hash = link({ ...place(), from: d.day, to: d.day, after: null }); } },
        svg("title", {}, `${d.day}: ${count(d.articles, "article")}`));
    }));
}
