// Alerts: when somebody wants to be told, what was told, and the form that sets them.

import { ask, el, foreign, instant, link, nothing, table } from "./dom.js";
import { box, button, choice, desk, field, given, sure, text } from "./order.js";
import { t, word } from "./words.js";

/** What an alert waits for; those with a number have one by default. */
const WHEN = [["at-least", 20], ["unusual"], ["falling"], ["headline"], ["carried", 5], ["new-outlet"], ["new-language"], ["coverage", 90], ["daily"], ["weekly"]];
const path = (name) => `alerts/${encodeURIComponent(name)}`;

/** `at-least 20`: the word and its number. */
function split(when) {
  const [name, n] = when.split(" ");
  return { name, n: n === undefined ? null : Number(n) };
}

function inWords(when) {
  const { name, n } = split(when);
  return t(`when.${name}`, { n: n ?? "N" });
}

export async function alerts(at) {
  if (at.make || at.edit) {
    const [alert, { targets }] = await Promise.all([at.edit ? ask(path(at.edit)) : null, ask("targets")]);
    return editor(at, alert, targets.map((target) => target.name));
  }
  return at.alert ? one(at) : list();
}

const about = (a) => [
  a.brands.map((brand) => [el("span", { class: "chip", dir: "auto" }, brand), " "]), a.query !== null && foreign(a.query, "q"),
  a.brands.length === 0 && a.query === null && t("alert.entries"),
  a.outlet && ` ${a.outlet}`, a.language && ` ${a.language}`, a.within && ` ${t("alert.within", { time: a.within })}`,
];

const state = (a) => [
  el("span", { class: a.firing !== null ? "chip warn" : "chip plain" }, a.firing !== null ? t("alert.firing", { since: instant(a.firing) }) : t("alert.quiet")), " ",
  a.waiting > 0 && [el("span", { class: "chip plain" }, t("alert.waiting", { n: a.waiting })), " "],
  a.failed > 0 && el("span", { class: "chip warn" }, t("alert.failed", { n: a.failed })),
];

const targets = (a) => (a.to.length > 0 ? a.to.join(", ") : t("alert.kept"));

async function list() {
  const { alerts: rules } = await ask("alerts");
  return el("div", {},
    el("h1", {}, t("alerts.title")), el("p", { class: "note" }, t("alerts.note")),
    el("p", { class: "acts" }, el("a", { class: "button", href: link({ make: 1 }) }, t("alerts.add"))),
    rules.length === 0 ? nothing(t("alerts.none")) : table(t("alerts.title"), [
      { head: t("alert"), cell: (a) => el("a", { href: link({ alert: a.name }), dir: "auto" }, a.name) },
      { head: t("alert.when"), cell: (a) => inWords(a.when) },
      { head: t("about"), cell: about },
      { head: t("alert.state"), cell: state },
      { head: t("alert.last"), kind: "n", cell: (a) => instant(a.last_event) },
      { head: t("alert.to"), cell: targets },
    ], rules));
}

async function one(at) {
  const alert = await ask(path(at.alert));
  const { told, give, show } = desk();
  const test = async () => {
    const values = await give("POST", `${path(alert.name)}/test`);
    if (!values) return;
    const { deliveries } = values.at(-1);
    show(deliveries.length === 0 ? el("p", {}, t("alert.nowhere")) : delivered(deliveries));
  };
  const remove = async () => {
    if (await give("DELETE", path(alert.name))) location.hash = link({ alert: null });
  };
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ alert: null }) }, t("alerts.title")), ` › ${t("alert")}`),
    foreign(alert.name, "h1"),
    el("p", {}, inWords(alert.when), ": ", about(alert), " ", state(alert)),
    el("p", { class: "note" }, t("alert.set", { made: instant(alert.made), to: targets(alert) }), alert.quiet && ` ${t("alert.hours", { hours: alert.quiet })}`),
    el("p", { class: "acts" },
      el("a", { class: "button", href: link({ edit: alert.name }) }, t("edit")), button(t("alert.test"), test),
      el("a", { href: `/api/v1/${path(alert.name)}/feed.atom` }, t("alert.atom")), sure(t("remove"), remove)),
    told,
    el("h2", {}, t("alert.history")),
    alert.events.length === 0 ? nothing(t("alert.history.none")) : el("ul", { class: "list" }, alert.events.map(event)));
}

const delivered = (deliveries) => el("ul", { class: "why" }, deliveries.map((d) => el("li", {}, `${d.target}: `,
  d.done !== null ? t("delivery.done", { at: instant(d.done) }) : d.next !== null ? t("delivery.next", { at: instant(d.next) }) : t("delivery.given.up"),
  d.error && el("span", { class: "quiet" }, ` (${d.error})`))));

/** A box for each target, and for those that an alert has and the configuration names no more. */
const targeted = (chosen, known) => [...new Set([...known, ...chosen])].map((name) => box("to", name, name, chosen.includes(name)));

function event(e) {
  return el("li", {},
    el("p", { class: "quiet" }, `${instant(e.at)} `, el("span", { class: e.what === "fired" ? "chip warn" : "chip plain" }, word("happened", e.what))),
    foreign(e.sentence, "p"),
    e.details.length > 0 && el("ul", { class: "why" }, e.details.map((line) => foreign(line, "li"))),
    e.articles.length > 0 && el("ul", { class: "why" }, e.articles.map((a) => el("li", {}, el("a", { href: link({ view: "mentions", article: a.key, alert: null }), dir: "auto" }, a.title || t("no.title")), ` · ${a.outlet} · ${a.day}`))),
    e.deliveries.length > 0 && delivered(e.deliveries));
}

function editor(at, alert, known) {
  const { told, give } = desk();
  const now = alert ? split(alert.when) : { name: "unusual", n: null };
  const n = el("input", { name: "n", type: "number", min: 1, max: 1000000, value: now.n ?? 20 });
  const numbered = field(t("alert.number"), n);
  const when = choice("when", WHEN.map(([name]) => [name, t(`when.${name}`, { n: "N" })]), now.name);
  const fit = (event) => {
    const usual = WHEN.find(([name]) => name === when.value)[1];
    numbered.hidden = usual === undefined;
    if (event && usual !== undefined) n.value = usual;
  };
  when.addEventListener("change", fit);
  fit();
  const save = async (event) => {
    event.preventDefault();
    const form = given(event.target);
    const name = form.text("name");
    const rule = {
      when: numbered.hidden ? when.value : `${when.value} ${n.value}`, brands: form.all("brands"), query: form.text("query") || null, outlet: form.text("outlet") || null, language: form.text("language") || null,
      within: form.text("within") || null, to: form.all("to"), quiet: form.text("quiet") || null,
    };
    if (await give("PUT", path(name), { body: rule })) location.hash = link({ view: "alerts", alert: name, make: null, edit: null });
  };
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ make: null, edit: null }) }, t("alerts.title")), ` › ${t(alert ? "edit" : "alerts.add")}`),
    alert ? foreign(alert.name, "h1") : el("h1", {}, t("alerts.add")),
    alert && el("p", { class: "note" }, t("alert.keeps")),
    el("form", { class: "card", submit: save },
      field(t("alert.name"), text("name", alert?.name, { required: true, readonly: alert !== null })),
      field(t("alert.when"), when), numbered,
      el("fieldset", {}, el("legend", {}, t("brands")), at.brands.map((name) => box("brands", name, foreign(name), alert ? alert.brands.includes(name) : name === at.brand)), el("small", {}, t("alert.brands.about"))),
      field(t("alert.query"), text("query", alert?.query), t("alert.query.about")),
      field(t("outlet"), text("outlet", alert?.outlet), t("alert.outlet.about")),
      field(t("language"), text("language", alert?.language), t("alert.language.about")),
      field(t("alert.span"), text("within", alert?.within), t("alert.span.about")),
      el("fieldset", {}, el("legend", {}, t("alert.to")), targeted(alert?.to ?? [], known), el("small", {}, t(known.length > 0 ? "alert.to.about" : "alert.to.none"))),
      field(t("alert.quiet.hours"), text("quiet", alert?.quiet, { placeholder: "22:00-07:00" }), t("alert.quiet.about")),
      el("p", { class: "acts" }, el("button", { type: "submit" }, t("save.it")), el("a", { href: link({ make: null, edit: null }) }, t("cancel")))),
    told);
}
