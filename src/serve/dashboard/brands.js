// The watched brands and their editor: what would change is shown before it does.

import { askWhole, dayOf, el, foreign, link, nothing, of, table } from "./dom.js";
import { button, choice, desk, field, given, lines, sure, text } from "./order.js";
import { changes, senses, sharing } from "./recount.js";
import { review } from "./review.js";
import { say, t } from "./words.js";

/** What a new brand is like. */
const NEW = { name: "", aliases: [], exclude: [], case: "smart", whole_word: true, languages: [], require: [], within: 0, inflect: [], outlets: [] };
/** How long nothing is typed before the past of a brand is estimated, milliseconds. */
const PAUSE = 400;

export async function brands(at) {
  if (at.review) return review(at);
  const { body: set, version } = await askWhole("brands");
  if (at.make) return editor(at, NEW, version);
  if (!at.edit) return list(at, set);
  const brand = set.brands.find((one) => one.name === at.edit);
  return brand ? editor(at, brand, version) : nothing(t("brands.gone"));
}

function list(at, set) {
  return el("div", {},
    el("h1", {}, t("brands.title")),
    el("p", { class: "acts" }, el("a", { class: "button", href: link({ make: 1 }) }, t("brands.add"))),
    sharing(set.shared),
    set.brands.length === 0 ? nothing(t("overview.none")) : table(t("brands.title"), [
      { head: t("brand"), cell: (b) => el("a", { href: link({ view: "mentions", brand: b.name }) }, foreign(b.name)) },
      { head: t("aliases"), kind: "wide", cell: (b) => foreign(b.aliases.join(", ")) },
      { head: t("watched.since"), kind: "n", cell: (b) => dayOf(of(set.since, b.name), at.timezone) },
      { head: t("senses"), cell: (b) => senses(of(set.senses, b.name)) },
      { head: t("orders"), unseen: true, cell: (b) => [el("a", { href: link({ edit: b.name }) }, t("edit")), " ", el("a", { href: link({ review: b.name }) }, t("review.go"))] },
    ], set.brands));
}

function editor(at, brand, version) {
  const { told, give, show } = desk();
  const guess = el("p", { class: "quiet", role: "status" });
  const path = (name) => `brands/${encodeURIComponent(name)}`;
  const read = () => {
    const form = given(card);
    return {
      // A name that is there stays as it is, blanks and all.
      name: brand.name || form.text("name"), aliases: form.lines("aliases"), exclude: form.lines("exclude"), case: form.text("case"),
      whole_word: form.text("whole_word") === "yes", languages: form.words("languages"), require: form.lines("require"),
      within: Number(form.text("within")) || 0, inflect: form.words("inflect"), outlets: form.words("outlets"),
    };
  };
  const send = async (method, dry) => {
    if (!card.reportValidity()) return;
    const now = read();
    const values = await give(method, path(now.name), { body: method === "PUT" ? now : undefined, version, dry });
    if (!values) return;
    if (dry) return show(changes(values.at(-1)));
    const told = values.at(-1).shared.length > 0;
    location.hash = method === "PUT" && !told ? link({ view: "mentions", brand: now.name, make: null, edit: null }) : link({ make: null, edit: null, brand: null });
  };
  let turn = 0;
  const estimate = async () => {
    const mine = ++turn;
    await new Promise((done) => setTimeout(done, PAUSE));
    if (mine !== turn || !read().name) return guess.replaceChildren();
    const found = await fetch(`/api/v1/brands/estimate?from=${at.from}&to=${at.to}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(read()) })
      .then((response) => (response.ok ? response.json() : null)).catch(() => null);
    if (mine === turn) guess.replaceChildren(...(found ? [t("estimate", { n: found.articles, days: found.days.length }), found.said.length > 0 ? ` (${found.said.map(say).join("; ")})` : ""] : []));
  };
  const save = (event) => {
    event.preventDefault();
    send("PUT", false);
  };
  const card = el("form", { class: "card", submit: save, input: estimate },
    field(t("brand.name"), text("name", brand.name, { required: true, readonly: brand.name !== "" })),
    field(t("aliases"), lines("aliases", brand.aliases), t("aliases.about")),
    field(t("exclude"), lines("exclude", brand.exclude), t("exclude.about")),
    field(t("require"), lines("require", brand.require), t("require.about")),
    field(t("near"), el("input", { name: "within", type: "number", min: 0, max: 10000, value: brand.within }), t("near.about")),
    field(t("case"), choice("case", ["smart", "exact", "any"].map((rule) => [rule, t(`case.${rule}`)]), brand.case)),
    el("label", { class: "box" }, el("input", { type: "checkbox", name: "whole_word", value: "yes", checked: brand.whole_word }), t("whole.word")),
    field(t("languages"), text("languages", brand.languages.join(", ")), t("languages.about")),
    field(t("inflect"), text("inflect", brand.inflect.join(", ")), t("inflect.about")),
    field(t("own.outlets"), text("outlets", brand.outlets.join(", ")), t("own.outlets.about")),
    guess,
    el("p", { class: "acts" },
      button(t("recount.dry"), () => send("PUT", true)),
      el("button", { type: "submit" }, t("save.it")),
      el("a", { href: link({ make: null, edit: null }) }, t("cancel")),
      brand.name !== "" && sure(t("brands.remove"), () => send("DELETE", false))));
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ make: null, edit: null }) }, t("brands.title")), ` › ${t(brand.name ? "edit" : "brands.add")}`),
    brand.name ? foreign(brand.name, "h1") : el("h1", {}, t("brands.add")), card, told);
}
