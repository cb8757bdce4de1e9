// Review: is the brand meant, or something else of its name? One key a mention; nothing is kept before one says so.

import { askWhole, el, foreign, link, nothing, outside, percent } from "./dom.js";
import { button, desk } from "./order.js";
import { changes, senses } from "./recount.js";
import { t } from "./words.js";

/** Mentions that are asked about at once. */
const MANY = 40;
const KEYS = { y: true, n: false, s: null };

export async function review(at) {
  // The version of the brand set that the questions are of stands behind the list of brands.
  const [{ body: view }, brands] = await Promise.all([
    askWhole(`brands/${encodeURIComponent(at.review)}/review`, { limit: MANY }), askWhole("brands"),
  ]);
  let { version } = brands;
  const { told, give, show } = desk();
  const answers = [];
  const asking = el("div", { class: "asking card", "data-first": true, tabindex: 0, role: "group", "aria-label": t("review.keys"), keydown: (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.toLowerCase();
    if (key in KEYS) answer(KEYS[key]);
    else if (key === "u") undo();
    else return;
    event.preventDefault();
  } });
  const answer = (meant) => {
    if (answers.length < view.mentions.length) answers.push(meant);
    draw();
  };
  const undo = () => {
    answers.pop();
    draw();
  };
  const replies = () => answers.flatMap((meant, i) => {
    const { article, block, start } = view.mentions[i];
    return meant === null ? [] : [{ article, block, start, meant }];
  });
  const anew = async () => {
    ({ version } = await askWhole("brands"));
  };
  const send = async (dry) => {
    const values = await give("POST", `brands/${encodeURIComponent(view.brand)}/review`, { body: { answers: replies() }, version, dry, anew });
    if (!values) return;
    show(changes(values.at(-1)));
    if (!dry) asking.replaceChildren(el("p", {}, el("a", { href: link({ review: null }) }, t("brands.title"))));
  };
  const draw = () => {
    const mention = view.mentions[answers.length];
    const given = replies().length;
    asking.replaceChildren(...[
      mention
        ? el("p", { class: "quiet" }, t("review.place", { at: answers.length + 1, of: view.mentions.length, given }))
        : el("p", {}, t("review.end")),
      mention && el("p", { class: "quote", dir: "auto" }, mention.before, el("mark", {}, mention.matched), mention.after),
      mention && el("p", { class: "quiet" }, foreign(mention.title), ` · ${mention.outlet} · ${mention.day} · `, outside(mention.url, t("open.page")),
        mention.probability !== null && ` · ${t("review.guess", { share: percent(mention.probability) })}`),
      el("p", { class: "acts" },
        mention && [button(`${t("review.yes")} (y)`, () => answer(true)), button(`${t("review.no")} (n)`, () => answer(false)), button(`${t("review.later")} (s)`, () => answer(null))],
        answers.length > 0 && button(`${t("review.undo")} (u)`, undo)),
      given > 0 && el("p", { class: "acts" }, button(t("recount.dry"), () => send(true)), button(t("review.save"), () => send(false))),
    ].filter(Boolean));
    if (!asking.contains(document.activeElement)) asking.focus({ preventScroll: true });
  };
  if (view.mentions.length === 0) asking.append(nothing(t("review.none")));
  else draw();
  return el("div", {},
    el("p", { class: "trail" }, el("a", { href: link({ review: null }) }, t("brands.title")), ` › ${t("review.go")}`),
    el("h1", {}, t("review.title"), " ", foreign(view.brand)),
    el("p", { class: "note" }, t("review.note"), " ", t("review.keys"), "."),
    el("p", { class: "note" }, senses(view.known)),
    asking, told);
}
