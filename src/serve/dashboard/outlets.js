// Outlets and their feeds: what was seen, how it ended, why they are asked or not, and what can be decided.

import { ask, el, instant, lapse, link, nothing, number, percent, svg, table } from "./dom.js";
import { button, desk, field, given, lines, sure, text } from "./order.js";
import { say, t, word } from "./words.js";

/** Most outlets of the list. */
const MOST = 2_000;
/** "Until it is resumed", as the API writes it: the largest instant there is. */
const FOREVER = 9e15;
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

/** Outcomes with their numbers, the most frequent first. */
export const chips = (outcomes) => Object.entries(outcomes)
  .filter(([, n]) => n > 0)
  .sort((a, b) => b[1] - a[1])
  .map(([name, n]) => [el("span", { class: name === "article" ? "chip" : name.startsWith("failed") || name === "refused" ? "chip warn" : "chip plain" }, `${word("outcome", name)} ${number(n)}`), " "]);

export async function outlets(at) {
  const answer = await ask("outlets", { from: at.from, to: at.to, limit: MOST });
  if (at.outlet) return outlet(at, answer.outlets.find((o) => o.outlet === at.outlet));
  const list = answer.outlets;
  return el("div", {},
    el("h1", {}, t("outlets.title")),
    el("p", { class: "note" }, t("outlets.note", at)),
    answer.truncated && el("p", { class: "error" }, t("outlets.truncated", { n: MOST })),
    list.length === 0 ? nothing(t("outlets.none")) : table(t("outlets.title"), [
      { head: t("outlet"), cell: (o) => [el("a", { href: link({ view: "outlets", outlet: o.outlet }) }, o.outlet), decided(o)] },
      { head: t("feeds"), kind: "n", cell: (o) => number(o.feeds) },
      { head: t("entries"), kind: "n", cell: (o) => number(o.entries) },
      { head: t("outcomes"), cell: (o) => chips(o.outcomes) },
      { head: t("coverage"), title: t("coverage.about"), cell: (o) => meter(share(o.polls_succeeded, o.polls_due)) },
      { head: t("last.success"), kind: "n", cell: (o) => instant(o.last_success) },
    ], list),
    adding());
}

/** What people decided about an outlet, as a line below its name. */
const decided = (o) => [
  o.blocked && t("outlet.is.blocked"),
  !o.blocked && o.paused_until > Date.now() && (o.paused_until > FOREVER ? t("outlet.is.paused") : t("outlet.is.paused.until", { until: instant(o.paused_until) })),
  o.delay !== null && t("outlet.is.delayed", { time: lapse(o.delay) }),
].filter(Boolean).map((words) => [el("br"), el("span", { class: "chip warn" }, words)]);

/** Adds feeds: of lines that are written here, or of a file of lines or OPML. */
function adding() {
  const { told, give, show } = desk();
  const add = async (event) => {
    event.preventDefault();
    const form = given(event.target);
    const file = event.target.elements.file.files[0];
    const feeds = form.lines("feeds");
    if (feeds.length === 0 && !file) return;
    const results = [];
    for (const options of [feeds.length > 0 && { body: { feeds } }, file && { text: await file.text() }].filter(Boolean)) {
      const lines = await give("POST", "feeds", { ...options, list: "lines" });
      if (!lines) return;
      results.push(...lines);
    }
    event.target.reset();
    show(table(t("feeds.results"), [
      { head: t("feed"), kind: "wide", cell: (r) => r.url || t("feeds.line", { n: r.line }) },
      { head: t("result"), cell: (r) => el("span", { class: r.result === "error" ? "chip warn" : r.result === "added" ? "chip" : "chip plain" }, word("seed", r.result)) },
      { head: t("detail"), kind: "wide", cell: (r) => r.detail },
    ], results));
  };
  return el("section", {}, el("h2", {}, t("feeds.add")),
    el("form", { class: "card", submit: add },
      field(t("feeds.urls"), lines("feeds", [], 4), t("feeds.urls.about")),
      field(t("feeds.file"), el("input", { type: "file", name: "file", accept: ".opml,.xml,.txt,text/plain,text/xml,text/x-opml" }), t("feeds.file.about")),
      el("p", { class: "acts" }, el("button", { type: "submit" }, t("feeds.add")), el("a", { href: "/api/v1/feeds.opml", download: "feeds.opml" }, t("feeds.opml")))),
    told);
}

async function outlet(at, line) {
  const [why, list] = await Promise.all([ask(`outlets/${encodeURIComponent(at.outlet)}/why`).catch((error) => ({ said: [{ name: error.message, values: {} }] })), feeds(at.outlet)]);
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ outlet: null }) }, t("outlets.title")), ` › ${t("outlet")}`),
    el("h1", { dir: "auto" }, at.outlet),
    line && [el("p", { class: "note" }, t("outlets.note", at)), el("p", {}, `${t("n.entries", { n: line.entries })} `, chips(line.outcomes))],
    el("h2", {}, t("why")), el("ul", { class: "why" }, why.said.map((said) => el("li", {}, say(said)))),
    deciding(at.outlet),
    list);
}

/** What can be decided about an outlet. */
function deciding(name) {
  const { told, give, show } = desk();
  const path = (what) => `outlets/${encodeURIComponent(name)}/${what}`;
  const length = text("for", "", { size: 6 });
  const delay = text("time", "", { size: 6 });
  const decide = async (what, body) => {
    const values = await give("POST", path(what), { body });
    const now = values?.at(-1);
    if (!now) return;
    const others = now.shared_with.filter((other) => other !== name);
    show(el("p", {}, now.blocked ? t("outlet.blocked")
      : now.paused_until !== null ? t("outlet.paused", { until: now.paused_until > FOREVER ? t("outlet.until.resumed") : instant(now.paused_until) })
        : t("outlet.asked"),
    now.delay !== null && ` ${t("outlet.delayed", { time: lapse(now.delay) })}`,
    others.length > 0 && ` ${t("outlet.shared", { names: others.join(", ") })}`));
  };
  return el("section", {}, el("h2", {}, t("orders")),
    el("form", { class: "card row", submit: (event) => event.preventDefault() },
      field(t("outlet.for"), length, t("outlet.for.about")), button(t("pause"), () => decide("pause", length.value.trim() ? { for: length.value.trim() } : {})),
      field(t("outlet.delay"), delay, t("outlet.delay.about")), button(t("outlet.delay.set"), () => decide("delay", { time: delay.value.trim() || "default" })),
      button(t("resume"), () => decide("resume")),
      el("span", { title: t("block.about") }, sure(t("block"), () => decide("block")))),
    told);
}

/** Feeds that are shown. */
const SHOWN = 500;

/** Feeds of an outlet, or all, those that fail first. */
export async function feeds(name) {
  const answer = await ask("feeds", { limit: 10000 });
  const now = Date.now();
  const rows = answer.feeds.filter((f) => !name || f.outlet === name)
    .sort((a, b) => b.failures - a.failures || a.url.localeCompare(b.url));
  if (rows.length === 0) return nothing(t("feeds.none"));
  const { told, give } = desk();
  const pausing = (feed) => {
    const node = button(t(feed.status === "paused" ? "resume" : "pause"), async () => {
      const values = await give("POST", `feeds/${feed.key}/${feed.status === "paused" ? "resume" : "pause"}`);
      if (!values) return;
      feed.status = values.at(-1).status;
      node.textContent = t(feed.status === "paused" ? "resume" : "pause");
      node.closest("tr").querySelector(".state").replaceChildren(state(feed));
    });
    return node;
  };
  const removing = (feed) => {
    const node = sure(t("remove"), async () => {
      if (await give("DELETE", `feeds/${feed.key}`)) node.closest("tr").remove();
    });
    return node;
  };
  const state = (f) => el("span", { class: f.failures > 0 ? "chip warn" : "chip plain" }, f.failures > 0 && f.status === "active" ? t("failing") : word("feed", f.status));
  return el("div", {}, table(name ? t("feeds.of", { outlet: name }) : t("feeds"), [
    { head: t("feed"), kind: "wide", cell: (f) => f.url },
    { head: t("health"), kind: "state", cell: state },
    { head: t("every"), kind: "n", cell: (f) => (f.interval > 0 ? lapse(f.interval) : "–") },
    { head: t("next.poll"), kind: "n", cell: (f) => (f.next_poll > now ? t("in", { time: lapse(f.next_poll - now) }) : t("due")) },
    { head: t("polls"), kind: "n", cell: (f) => t("polls.of", { done: f.successes, of: f.polls }) },
    { head: t("last.success"), kind: "n", cell: (f) => instant(f.last_success) },
    { head: t("why"), kind: "wide", cell: (f) => f.why },
    ...(name ? [{ head: t("orders"), unseen: true, cell: (f) => [pausing(f), " ", removing(f)] }] : []),
  ], rows.slice(0, SHOWN)), (answer.truncated || rows.length > SHOWN) && el("p", { class: "error" }, t("feeds.truncated", { n: Math.min(rows.length, SHOWN) })), told);
}
