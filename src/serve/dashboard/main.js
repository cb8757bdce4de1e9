// The page: what the address says is what is shown.

import { ask, bytes, el, leave, left, link, nothing, place } from "./dom.js";
import { alerts } from "./alerts.js";
import { article } from "./article.js";
import { brands } from "./brands.js";
import { shift } from "./days.js";
import { mentions } from "./mentions.js";
import { outlets } from "./outlets.js";
import { search } from "./search.js";
import { status } from "./status.js";
import { stories } from "./stories.js";
import { dress, language, languages, speak, t } from "./words.js";

const VIEWS = { mentions, stories, search, alerts, outlets, brands, status };
const SPANS = [7, 30, 90, 365];
/** What an address says beside view, brand and days: another view begins without it. */
const OWN = ["article", "story", "diff", "day", "alert", "edit", "make", "review", "outlet", "compare", "measure", "blocks", "q", "zone", "language", "after", "open"];
const bare = Object.fromEntries(OWN.map((name) => [name, null]));
/** How long no digit of a day is typed before the days are shown, milliseconds. */
const PAUSE = 500;
/** A year before this one is being typed. */
const FIRST_YEAR = "1990";
const main = document.getElementById("main");
const form = document.getElementById("filter");
const [brand, from, to] = ["brand", "from", "to"].map((id) => document.getElementById(id));

const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** Brands and today, asked for once per drawing. */
async function setting() {
  const [set, cover] = await Promise.all([ask("brands"), ask("coverage", { limit: 1 })]);
  return { brands: set.brands.map((b) => b.name), since: set.since, today: cover.today, timezone: cover.timezone, first: cover.days[0]?.day ?? cover.today };
}

function controls(at, known, range) {
  document.getElementById("tabs").replaceChildren(...Object.keys(VIEWS).map((name) =>
    el("a", { href: link({ ...bare, view: name }), "aria-current": at.view === name ? "page" : null }, t(`view.${name}`))));
  brand.replaceChildren(el("option", { value: "" }, t("all.brands")), ...known.brands.map((name) => el("option", { value: name }, name)));
  brand.value = known.brands.includes(at.brand) ? at.brand : "";
  if (typing === null) {
    from.value = range.from;
    to.value = range.to;
  }
  document.getElementById("spans").replaceChildren(...SPANS.map((days) => {
    const first = shift(known.today, 1 - days);
    const here = range.from === first && range.to === known.today;
    return el("a", { href: link({ from: first, to: null, day: null, article: null }), "aria-current": here ? "true" : null }, t(`span.${days}`));
  }));
}

let drawing = 0;
/** What waits for the end of typing, and whether the field with the focus has changed the address. */
let typing = null;
let typed = false;

async function draw() {
  const turn = ++drawing;
  const at = { view: "mentions", ...place() };
  if (!(at.view in VIEWS)) at.view = "mentions";
  main.setAttribute("aria-busy", "true");
  let content;
  let title = t(`view.${at.view}`);
  try {
    const known = await setting();
    const range = { to: at.to || known.today };
    // The server says what is wrong with a day that is none.
    range.from = at.from || shift(isDay(range.to) ? range.to : known.today, -29);
    if (turn !== drawing) return;
    controls(at, known, range);
    const context = { ...at, ...known, ...range, brand: at.brand ?? "" };
    content = at.article ? await article(context) : await VIEWS[at.view](context);
    title = content.querySelector?.("h1")?.textContent || title;
  } catch (error) {
    content = el("p", { class: "error", role: "alert" }, error.message);
  }
  if (turn !== drawing) return;
  document.title = `${title} · crawler`;
  main.replaceChildren(content);
  main.removeAttribute("aria-busy");
  // What is used by keys has them from the beginning.
  main.querySelector("[data-first]")?.focus({ preventScroll: true });
  footer();
}

async function footer() {
  const s = await ask("status").catch(() => null);
  document.getElementById("footer").replaceChildren(...(s
    ? [t("footer", { version: s.version, n: s.entries, size: bytes(s.size), zone: s.timezone, set: s.brand_set.slice(0, 12) || "–" }), " · ", el("a", { href: "/login", click: leave }, t("login")), " · ", tongue()]
    : [nothing(t("api.silent"))]));
}

/** The choice of the page's language. */
const tongue = () => el("select", { "aria-label": t("language.choose"), change: (event) => speak(event.target.value) },
  languages.map(([tag, name]) => el("option", { value: tag, lang: tag, selected: tag === language }, name)));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  draw();
});
brand.addEventListener("change", () => {
  location.hash = link({ ...bare, q: place().q, brand: brand.value });
});
for (const input of [from, to]) {
  input.addEventListener("change", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      typing = null;
      const reversed = from.value && to.value && from.value > to.value;
      from.setCustomValidity(reversed ? t("filter.reversed") : "");
      if (reversed) return from.reportValidity();
      if (!from.value || !to.value || from.value < FIRST_YEAR) return;
      const next = link({ from: from.value, to: to.value, day: null, article: null, story: null, diff: null, after: null });
      // Who types on changes the entry of the history that the first digits made.
      if (typed) location.replace(next);
      else location.hash = next;
      typed = input === document.activeElement;
    }, PAUSE);
  });
  input.addEventListener("blur", () => {
    typed = false;
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", async () => {
  const choosing = form.contains(document.activeElement);
  const kept = document.activeElement?.dataset?.keep;
  const { scrollX, scrollY } = window;
  await draw();
  // Whoever ticks brands to compare stays at the table.
  const same = kept && [...main.querySelectorAll("[data-keep]")].find((node) => node.dataset.keep === kept);
  if (same) {
    same.focus({ preventScroll: true });
    scrollTo(scrollX, scrollY);
    return;
  }
  scrollTo(0, 0);
  // Whoever goes through the brands with the arrow keys stays in the list.
  const inside = main.contains(document.activeElement);
  if (!inside && (!choosing || document.activeElement === document.body)) main.focus({ preventScroll: true });
});
dress();
const kept = left();
if (!location.hash && kept) history.replaceState(null, "", kept);
draw();
