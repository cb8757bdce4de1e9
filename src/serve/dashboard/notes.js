// Notes that people pin to days: marks below a chart, a list of them, and a form for a new one.

import { ask, el, foreign, link, table } from "./dom.js";
import { choice, desk, field, given, sure, text } from "./order.js";
import { t } from "./words.js";

/** Most notes that are shown. */
const MOST = 1_000;

/** The notes of the days that are looked at: about a brand and about all, or all there are. */
export const pinned = async (at) => (await ask("notes", { brand: at.brand, from: at.from, to: at.to, limit: MOST })).notes;

/** Texts by day, for a chart. */
export function marks(list) {
  const days = new Map();
  for (const note of list) days.set(note.day, [...(days.get(note.day) ?? []), note.text]);
  return days;
}

/** Notes in the columns of a file. */
export const cells = (texts) => (texts ?? []).join("; ");

/** The list, and the form. */
export function notes(at, list) {
  const { told, give } = desk();
  const again = () => dispatchEvent(new HashChangeEvent("hashchange"));
  const add = async (event) => {
    event.preventDefault();
    const form = given(event.target);
    const body = { day: form.text("day"), text: form.text("text"), brand: form.text("about") || null };
    if (await give("POST", "notes", { body })) again();
  };
  const remove = (note) => sure(t("remove"), async () => {
    if (await give("DELETE", `notes/${encodeURIComponent(note.id)}`)) again();
  });
  const about = at.brand ? [[at.brand, at.brand], ["", t("all.brands")]] : [["", t("all.brands")], ...at.brands.map((name) => [name, name])];
  return el("section", {},
    list.length > 0 && table(t("notes.title"), [
      { head: t("day"), cell: (note) => el("a", { href: link({ day: note.day }) }, note.day) },
      { head: t("note"), kind: "wide", cell: (note) => foreign(note.text) },
      { head: t("about"), cell: (note) => (note.brand === null ? t("all.brands") : foreign(note.brand)) },
      { head: t("note.by"), cell: (note) => foreign(note.by) },
      { head: t("orders"), unseen: true, cell: remove },
    ], list),
    el("details", {}, el("summary", {}, t("notes.add")),
      el("form", { class: "card row", submit: add },
        field(t("day"), text("day", at.to, { type: "date", required: true })),
        field(t("note"), text("text", "", { required: true, size: 30 }), t("note.about")),
        field(t("about"), choice("about", about, at.brand ?? "")),
        el("button", { type: "submit", "data-keep": "note" }, t("notes.pin")))),
    told);
}
