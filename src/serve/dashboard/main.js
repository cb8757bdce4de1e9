// The page: what the address says is what is shown.

import { ask, bytes, count, el, link, nothing, place } from "./dom.js";
import { mentions } from "./mentions.js";
import { article } from "./article.js";
import { stories } from "./stories.js";
import { search } from "./search.js";
import { outlets, status } from "./health.js";

const VIEWS = { mentions: ["Mentions", mentions], stories: ["Stories", stories], search: ["Search", search], outlets: ["Outlets", outlets], status: ["Status", status] };
const SPANS = [["7 days", 7], ["30 days", 30], ["90 days", 90], ["1 year", 365]];
const main = document.getElementById("main");
const form = document.getElementById("filter");
const [brand, from, to] = ["brand", "from", "to"].map((id) => document.getElementById(id));

/** Shifts a day by so many days. */
function shift(day, days) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** Brands and today, asked for once per drawing. */
async function setting() {
  const [set, cover] = await Promise.all([ask("brands"), ask("coverage", { limit: 1 })]);
  return { brands: set.brands.map((b) => b.name), since: set.since, today: cover.today, first: cover.days[0]?.day ?? cover.today };
}

function controls(at, known, range) {
  document.getElementById("tabs").replaceChildren(...Object.entries(VIEWS).map(([name, [title]]) =>
    el("a", { href: link({ view: name, article: null, story: null, diff: null, day: null }), "aria-current": at.view === name ? "page" : null }, title)));
  brand.replaceChildren(el("option", { value: "" }, "All brands"), ...known.brands.map((name) => el("option", { value: name }, name)));
  brand.value = known.brands.includes(at.brand) ? at.brand : "";
  from.value = range.from;
  to.value = range.to;
  document.getElementById("spans").replaceChildren(...SPANS.map(([title, days]) => {
    const first = shift(known.today, 1 - days);
    const here = range.from === first && range.to === known.today;
    return el("a", { href: link({ from: first, to: null, day: null, article: null }), "aria-current": here ? "true" : null }, title);
  }));
}

let drawing = 0;

async function draw() {
  const turn = ++drawing;
  const at = { view: "mentions", ...place() };
  if (!(at.view in VIEWS)) at.view = "mentions";
  main.setAttribute("aria-busy", "true");
  let content;
  let title = VIEWS[at.view][0];
  try {
    const known = await setting();
    const range = { to: at.to ?? known.today };
    range.from = at.from ?? shift(range.to, -29);
    if (turn !== drawing) return;
    controls(at, known, range);
    const context = { ...at, ...known, ...range, brand: at.brand ?? "" };
    content = at.article ? await article(context) : await VIEWS[at.view][1](context);
    title = content.querySelector?.("h1")?.textContent || title;
  } catch (error) {
    content = el("p", { class: "error", role: "alert" }, error.message);
  }
  if (turn !== drawing) return;
  document.title = `${title} · crawler`;
  main.replaceChildren(content);
  main.removeAttribute("aria-busy");
  footer();
}

async function footer() {
  const s = await ask("status").catch(() => null);
  document.getElementById("footer").replaceChildren(...(s
    ? [`crawler ${s.version} · ${count(s.entries, "entry", "entries")} seen · ${bytes(s.size)} · days in ${s.timezone} · brand set ${s.brand_set.slice(0, 12) || "–"} · `, el("a", { href: "/login" }, "log in or out")]
    : [nothing("The crawler does not answer.")]));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  draw();
});
brand.addEventListener("change", () => {
  location.hash = link({ brand: brand.value, article: null, story: null, diff: null });
});
for (const input of [from, to]) {
  input.addEventListener("change", () => {
    if (from.value && to.value && from.value <= to.value) {
      location.hash = link({ from: from.value, to: to.value, day: null, article: null, story: null, diff: null });
    }
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", async () => {
  const choosing = form.contains(document.activeElement);
  await draw();
  scrollTo(0, 0);
  // Whoever goes through the brands with the arrow keys stays in the list.
  if (!choosing || document.activeElement === document.body) main.focus({ preventScroll: true });
});
draw();
