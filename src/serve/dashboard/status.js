// Status: sizes, what wants attention, and who decided what.

import { ask, bytes, el, instant, number, percent, table, tiles } from "./dom.js";
import { chips, feeds } from "./outlets.js";
import { button, desk } from "./order.js";
import { say, t, word } from "./words.js";

export async function status() {
  const s = await ask("status");
  return el("div", {},
    el("h1", {}, t("status.title")),
    s.trouble.length > 0
      ? el("ul", { class: "trouble", "aria-label": t("trouble") }, s.said.map((said) => el("li", {}, say(said))))
      : el("p", { class: "note" }, t("trouble.none")),
    tiles([
      [number(s.feeds), s.feeds_failing > 0 ? t("feeds.failing", { n: s.feeds_failing }) : t("feeds")],
      [number(s.outlets), t("outlets")],
      [number(s.brands), t("brands")],
      [percent(s.coverage_today), t("polls.today")],
      [number(s.pending), t("pending")],
      [bytes(s.size), t("on.disk")],
    ]),
    el("h2", {}, t("ended", { n: s.entries })),
    el("p", {}, s.entries > 0 ? chips(s.outcomes) : t("none.yet")),
    await jobs(),
    await feeds(null),
    await decisions());
}

/** Orders under way, whoever gave them. */
async function jobs() {
  const { jobs: all } = await ask("jobs").catch(() => ({ jobs: [] }));
  const running = all.filter((job) => job.state === "running");
  if (running.length === 0) return null;
  const { told, give } = desk();
  return el("section", {}, table(t("jobs.title"), [
    { head: t("order"), cell: (job) => job.order },
    { head: t("who"), cell: (job) => job.who },
    { head: t("when"), kind: "n", cell: (job) => instant(job.at) },
    { head: t("jobs.done"), kind: "n", cell: (job) => (job.of === null ? number(job.done) : t("polls.of", { done: job.done, of: job.of })) },
    { head: t("orders"), unseen: true, cell: (job) => button(t("order.back"), () => give("DELETE", `jobs/${job.id}`)) },
  ], running), told);
}

async function decisions() {
  const { log } = await ask("log", { limit: 50 });
  if (log.length === 0) return null;
  return table(t("log.title"), [
    { head: t("when"), kind: "n", cell: (d) => instant(d.at) },
    { head: t("who"), cell: (d) => [d.who, " ", el("span", { class: "chip plain" }, word("via", d.via))] },
    { head: t("about"), cell: (d) => word("topic", d.what) },
    { head: t("decision"), kind: "wide", cell: (d) => d.decision },
  ], log);
}
