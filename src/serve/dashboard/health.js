// Outlets and status: what was seen, how it ended, and what wants attention.

import { ask, bytes, count, el, instant, lapse, link, nothing, number, percent, svg, table, tiles } from "./dom.js";

const share = (done, due) => (due > 0 ? done / due : null);

/** A share as a small bar with its number. */
function meter(value) {
  if (value === null) return "–";
  return [
    svg("svg", { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: value * 100, height: 8 })),
    percent(value),
  ];
}

const chips = (outcomes) => Object.entries(outcomes)
  .filter(([, n]) => n > 0)
  .sort((a, b) => b[1] - a[1])
  .map(([name, n]) => el("span", { class: name === "article" ? "chip" : name.startsWith("failed") || name === "refused" ? "chip warn" : "chip plain" }, `${name} ${number(n)}`));

export async function outlets(at) {
  const answer = await ask("outlets", { from: at.from, to: at.to, limit: 2000 });
  const lines = answer.outlets;
  return el("div", {},
    el("h1", {}, "Outlets"),
    el("p", { class: "note" }, `Entries that arrived from ${at.from} to ${at.to}, and how each of them ended. The outcomes of a row add up to its entries.`),
    answer.truncated && el("p", { class: "error" }, "Only the first 2,000 outlets are shown."),
    lines.length === 0 ? nothing("No feeds are followed yet: crawler seed FILE") : table("Outlets", [
      { head: "outlet", cell: (o) => el("a", { href: link({ view: "outlets", outlet: o.outlet }) , "aria-current": at.outlet === o.outlet ? "true" : null }, o.outlet) },
      { head: "feeds", kind: "n", cell: (o) => number(o.feeds) },
      { head: "entries", kind: "n", cell: (o) => number(o.entries) },
      { head: "outcomes", cell: (o) => chips(o.outcomes) },
      { head: "coverage", title: "Polls that succeeded, of those due", cell: (o) => meter(share(o.polls_succeeded, o.polls_due)) },
      { head: "last success", kind: "n", cell: (o) => instant(o.last_success) },
    ], lines),
    at.outlet && await feeds(at.outlet));
}

async function feeds(outlet) {
  const answer = await ask("feeds", { limit: 10000 });
  const now = Date.now();
  const rows = answer.feeds.filter((f) => !outlet || f.outlet === outlet)
    .sort((a, b) => b.failures - a.failures || a.url.localeCompare(b.url));
  if (rows.length === 0) return nothing("No feeds.");
  return table(outlet ? `Feeds of ${outlet}` : "Feeds", [
    { head: "feed", kind: "wide", cell: (f) => f.url },
    { head: "", cell: (f) => el("span", { class: f.failures > 0 ? "chip warn" : "chip plain" }, f.failures > 0 ? "failing" : f.status) },
    { head: "every", kind: "n", cell: (f) => (f.interval > 0 ? lapse(f.interval) : "–") },
    { head: "next poll", kind: "n", cell: (f) => (f.next_poll > now ? `in ${lapse(f.next_poll - now)}` : "due") },
    { head: "polls", kind: "n", cell: (f) => `${number(f.successes)} of ${number(f.polls)}` },
    { head: "last success", kind: "n", cell: (f) => instant(f.last_success) },
    { head: "why", kind: "wide", cell: (f) => f.why },
  ], rows.slice(0, 500));
}

export async function status() {
  const s = await ask("status");
  return el("div", {},
    el("h1", {}, "Status"),
    s.trouble.length > 0
      ? el("ul", { class: "trouble", "aria-label": "Trouble" }, s.trouble.map((t) => el("li", {}, t)))
      : el("p", { class: "note" }, "Nothing wants attention."),
    tiles([
      [number(s.feeds), s.feeds_failing > 0 ? `feeds, ${number(s.feeds_failing)} failing` : "feeds"],
      [number(s.outlets), "outlets"],
      [number(s.brands), "brands"],
      [percent(s.coverage_today), "of today's polls"],
      [number(s.pending), "entries pending"],
      [bytes(s.size), "on disk"],
    ]),
    el("h2", {}, `How ${count(s.entries, "entry", "entries")} ended`),
    el("p", {}, s.entries > 0 ? chips(s.outcomes) : "None yet."),
    await feeds(null),
    await decisions());
}

async function decisions() {
  const { log } = await ask("log", { limit: 50 });
  if (log.length === 0) return null;
  return table("Latest decisions", [
    { head: "when", kind: "n", cell: (d) => instant(d.at) },
    { head: "who", cell: (d) => [d.who, " ", el("span", { class: "chip plain" }, d.via)] },
    { head: "about", cell: (d) => d.what },
    { head: "decision", kind: "wide", cell: (d) => d.decision },
  ], log);
}
