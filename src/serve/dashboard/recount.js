// What a change of the brands does to the counts, and what was answered about their mentions.

import { el, foreign, number, percent, table } from "./dom.js";
import { t } from "./words.js";

/** Changed counts that are shown. */
const SHOWN = 200;

/** What was answered about a brand's mentions, and how well that teaches. */
export function senses(known) {
  if (!known || known.answers === 0) return t("senses.none");
  const share = (name) => known[name] && [el("br"), t(`senses.${name}`, { share: percent(known[name].value), low: percent(known[name].low), high: percent(known[name].high) })];
  return [t("senses.answers", { n: known.answers, meant: known.meant }), share("precision"), share("recall")];
}

/** How many articles count a brand; where no number changes, others do, or each another number. */
function counting(change) {
  if (change.articles_before !== change.articles_after) {
    return `${number(change.articles_before)} → ${number(change.articles_after)}`;
  }
  return change.before === change.after ? t("recount.otherwise", { n: change.articles_after }) : number(change.articles_after);
}

/** Names that count for several brands at once. */
export const sharing = (names) => names.map(({ name, brands }) => el("p", { class: "error" }, t("brands.shared", { name, brands: brands.join(", ") })));

/** What a change of the brands does to the counts. */
export function changes(recount) {
  const found = recount.changes;
  return [
    sharing(recount.shared),
    el("p", {}, t(recount.dry_run ? "recount.would" : "recount.did", { n: found.length, articles: recount.articles })),
    found.length > 0 && table(t("recount.table"), [
      { head: t("brand"), cell: (c) => foreign(c.brand) },
      { head: t("day"), kind: "n", cell: (c) => c.day },
      { head: t("before"), kind: "n", cell: (c) => number(c.before) },
      { head: t("after"), kind: "n", cell: (c) => number(c.after) },
      { head: t("articles"), kind: "n", cell: counting },
    ], found.slice(0, SHOWN)),
    found.length > SHOWN && el("p", { class: "quiet" }, t("recount.more", { n: found.length - SHOWN })),
  ];
}
