// The words of the page in the reader's language, and numbers and days as that language writes them.

import de from "./de.js";
import en from "./en.js";

const LANGUAGES = { en, de };
const KEPT = "crawler-language";

/** What was chosen here before, else the first language of the browser that there is. */
function preferred() {
  try {
    const kept = localStorage.getItem(KEPT);
    if (kept in LANGUAGES) return kept;
  } catch {
    // No storage: the browser's language decides.
  }
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? "en";
}

export const language = preferred();
const words = LANGUAGES[language];

/** All languages: [tag, name]. */
export const languages = Object.entries(LANGUAGES).map(([tag, known]) => [tag, known["language.name"]]);

/** Shows the page in another language from now on. */
export function speak(tag) {
  try {
    localStorage.setItem(KEPT, tag);
  } catch {
    // It is not kept, then.
  }
  location.reload();
}

const whole = new Intl.NumberFormat(language);
const plural = new Intl.PluralRules(language);

/** 12,345 */
export const number = (n) => whole.format(n);

/** The sentence of this name with its values; of a text with numbers the one that goes with `n`. */
export function t(name, values = {}) {
  const found = words[name] ?? name;
  const text = typeof found === "string" ? found : found[plural.select(values.n)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (all, key) => {
    const value = values[key];
    return value === undefined ? all : typeof value === "number" ? number(value) : String(value);
  });
}

/** The word of a fixed set, `failed(dns)` as `failed-dns`; one that has no translation is shown as the API writes it. */
export const word = (set, name) => words[`${set}.${name.replace(/[^A-Za-z0-9.]+/g, "-").replace(/-$/, "")}`] ?? name;

/** A sentence of the server in this language: `{name, values}`; clauses follow each other, an outcome is a word. */
export const say = (said) => t(said.name, Object.fromEntries(Object.entries(said.values).map(([key, value]) =>
  [key, Array.isArray(value) ? value.map(say).join("") : key === "outcome" ? word(key, value) : value])));

const tongues = new Intl.DisplayNames([language], { type: "language", fallback: "none" });

/** The name of a language by its tag: `German (de)`; what is no tag stays as it is. */
export function tongue(tag) {
  try {
    const name = tongues.of(tag);
    return name ? `${name} (${tag})` : tag;
  } catch {
    return tag;
  }
}

/** Writes the words of a document that stands without scripts, too. */
export function dress() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
}
