// Building blocks of the page. Text from articles only ever becomes text nodes: nothing here or in
// any other file writes markup.

import { number, t } from "./words.js";

export { number };

/** An element. `attributes`: strings become attributes, functions listeners; null is left out. */
export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** Asks the API; rejects with the server's sentence. Empty parameters are left out. */
export const ask = async (path, parameters) => (await askWhole(path, parameters)).body;

/** The same with the version of the answer, by which an order can name it. */
export async function askWhole(path, parameters) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters ?? {})) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  const text = query.toString();
  let response;
  try {
    response = await fetch(`/api/v1/${path}${text ? `?${text}` : ""}`);
  } catch {
    throw new Error(t("api.silent"));
  }
  const body = await response.json().catch(() => ({}));
  // No session, or it has ended.
  if (response.status === 401) {
    leave();
    location.assign("/login");
  }
  if (!response.ok) throw new Error(body.error ?? t("api.status", { status: String(response.status) }));
  return { body, version: response.headers.get("etag") };
}

/** Under this name the tab keeps what the address says while somebody logs in. */
const LEFT = "crawler-place";

/** Keeps what the address says: the page for logging in leads back to the bare address. */
export function leave() {
  try {
    sessionStorage.setItem(LEFT, location.hash);
  } catch {
    // No storage: it is not kept, then.
  }
}

/** What [`leave`] kept, once. */
export function left() {
  try {
    const kept = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
    return kept ?? "";
  } catch {
    return "";
  }
}

/** Most lines that one answer may have. */
export const MOST = 10_000;

/** No request asks for lines behind so many. */
const FARTHEST = 1_000_000;

/** Counts with all their lines, however many requests that takes. A line that comes between two of them moves those
    behind it: none is taken twice. */
export async function askAll(path, parameters) {
  const answer = await ask(path, { ...parameters, limit: MOST });
  const lines = new Map();
  let offset = 0;
  const take = (some) => {
    offset += some.length;
    some.forEach((line) => lines.set(`${line.brand}\n${line.bucket}`, line));
  };
  take(answer.lines);
  while (answer.truncated && offset <= FARTHEST) {
    const next = await ask(path, { ...parameters, limit: MOST, offset });
    take(next.lines);
    answer.truncated = next.truncated && next.lines.length > 0;
  }
  answer.lines = [...lines.values()];
  return answer;
}

/** The state that the address holds, as an object of strings. */
export function place() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** The address of the present state with some of it changed; null removes. */
export function link(changes) {
  const next = { ...place(), ...changes };
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(next)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  return `#${query}`;
}

/** What an object of the API has under a name that people chose: a brand may be called `constructor`. */
export const of = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** 97 %; never 100 % for less than all, nor 0 % for more than nothing. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share > 0) return "< 1 %";
  return `${rounded === 100 && share < 1 ? "> 99" : rounded} %`;
}

/** 2026-11-20 14:05 UTC */
export function instant(millis) {
  if (millis === null || millis === undefined) return "–";
  const date = new Date(millis);
  if (Number.isNaN(date.getTime())) return "–";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** When something was published: the day alone where no more was printed. */
export const published = ({ at, day, precision }) => (precision === "day" ? day : instant(at));

/** The day of an instant in the zone that the days of the counts are of: 2026-11-20 */
export function dayOf(millis, timezone) {
  if (millis === null || millis === undefined) return "–";
  try {
    const written = new Intl.DateTimeFormat("en", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" });
    const parts = Object.fromEntries(written.formatToParts(millis).map(({ type, value }) => [type, value]));
    return `${parts.year}-${parts.month}-${parts.day}`;
  } catch {
    // A zone that the browser does not know.
    return instant(millis);
  }
}

/** 45 min, 3.5 h, 2.1 days */
export function lapse(millis) {
  const minutes = millis / 60000;
  const short = (x) => number(x < 10 ? Math.round(x * 10) / 10 : Math.round(x));
  if (minutes < 1) return `${Math.round(millis / 1000)} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  if (minutes < 48 * 60) return `${short(minutes / 60)} h`;
  return t("time.days", { n: short(minutes / 60 / 24) });
}

export function bytes(n) {
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (n < 1024) return `${n < 10 && unit !== "B" ? n.toFixed(1) : Math.round(n)} ${unit}`;
    n /= 1024;
  }
  return `${n.toFixed(1)} TiB`;
}

/** Text of unknown language and direction. */
export const foreign = (text, name = "span", attributes = {}) =>
  el(name, { dir: "auto", ...attributes }, text);

/** A link to a page elsewhere; anything but http and https stays plain text. */
export function outside(url, text) {
  let parsed = null;
  try {
    parsed = new URL(url);
  } catch {
    // Not a URL: shown as it is.
  }
  if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return el("span", {}, text ?? url);
  return el(
    "a",
    { href: parsed.href, rel: "noopener noreferrer", target: "_blank", class: "outside" },
    text ?? url,
  );
}

/** A table: `columns` are {head, cell(row), kind?, unseen?}; kind "n" aligns numbers, an unseen head is read out only. */
export function table(caption, columns, rows, rowAttributes = () => ({})) {
  const head = columns.map((c) => el("th", { scope: "col", class: c.kind, title: c.title }, c.unseen ? el("span", { class: "unseen" }, c.head) : c.head));
  const body = rows.map((row) =>
    el("tr", rowAttributes(row), columns.map((c, i) =>
      i === 0 ? el("th", { scope: "row", class: c.kind }, c.cell(row)) : el("td", { class: c.kind }, c.cell(row)))));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
  );
}

/** Figures in a row: [number, words, kind, title]. */
export function tiles(list) {
  return el("dl", { class: "tiles" }, list.map(([value, words, kind, title]) =>
    el("div", { class: kind, title }, el("dt", {}, words), el("dd", {}, value))));
}

/** A sentence where there is nothing to show. */
export const nothing = (sentence) => el("p", { class: "empty" }, sentence);
