// Orders: what changes something. What takes long becomes a job, which is followed and can be taken back.

import { el } from "./dom.js";
import { t } from "./words.js";

/** How often a job is looked at, milliseconds. */
const LOOK = 500;

async function send(method, path, options = {}) {
  const headers = { prefer: "wait=2" };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.text !== undefined) headers["content-type"] = "text/plain";
  if (options.version) headers["if-match"] = options.version;
  const body = options.body === undefined ? options.text : JSON.stringify(options.body);
  let response;
  try {
    response = await fetch(`/api/v1/${path}${options.dry ? "?dry_run=true" : ""}`, { method, headers, body });
  } catch {
    throw new Error(t("api.silent"));
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { answer, later: response.status === 202 };
  const error = new Error(answer.error ?? t("api.status", { status: String(response.status) }));
  error.closed = response.status === 401 || response.status === 403;
  error.stale = response.status === 412;
  throw error;
}

const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

/** A job as it is now. A session that ends meanwhile does not end the job: `closed` waits for the next one. */
async function look(id, closed) {
  for (;;) {
    try {
      return (await send("GET", `jobs/${id}`)).answer;
    } catch (error) {
      if (!error.closed) throw error;
      await closed(error);
    }
  }
}

/** The values of an order's answer; `list` names them where the answer is a list. */
async function carryOut(method, path, options, follow, closed) {
  const { answer, later } = await send(method, path, options);
  if (!later) return options.list ? answer[options.list] : [answer];
  for (let job = answer; ; ) {
    if (job.state === "done") return job.answer ?? (await look(job.id, closed)).answer;
    if (job.state === "failed") throw new Error(job.error);
    if (job.state === "cancelled") throw new Error(t("api.cancelled"));
    follow(job);
    await sleep(LOOK);
    job = await look(job.id, closed);
  }
}

/**
 * A place that tells how an order goes. `give(method, path, options)` sends one and answers its values, or
 * null where it was refused, which is told; `show` shows something else there. One at a time. `options.anew`
 * reads the version anew that the order names, where what it changes has changed meanwhile.
 */
export function desk() {
  const told = el("div", { class: "told", role: "status" });
  let busy = false;
  const show = (...content) => told.replaceChildren(...content.flat(Infinity).filter(Boolean));
  const follow = (job) => show(
    el("p", {}, job.of === null ? t("order.steps", { n: job.done }) : t("order.steps.of", { done: job.done, of: job.of }), " ",
      el("button", { type: "button", click: () => send("DELETE", `jobs/${job.id}`).catch(() => {}) }, t("order.back"))),
    job.of > 0 && el("progress", { max: job.of, value: job.done, "aria-label": t("order.running") }));
  const running = () => show(el("p", { class: "quiet" }, t("order.running")));
  const closed = (error) => new Promise((done) =>
    show(el("p", { class: "error", role: "alert" }, error.message, ` ${t("order.goes.on")}`), entrance(() => done(running()))));
  const give = async (method, path, options = {}) => {
    if (busy) return null;
    busy = true;
    running();
    try {
      const values = await carryOut(method, path, options, follow, closed);
      show();
      return values;
    } catch (error) {
      const anew = error.stale && options.anew && (await options.anew().then(() => true, () => false));
      show(el("p", { class: "error", role: "alert" }, error.message, anew && ` ${t("order.anew")}`), error.closed && entrance(() => show(el("p", {}, t("order.anew")))));
      return null;
    } finally {
      busy = false;
    }
  };
  return { told, give, show };
}

/** A way in beside what has been entered, which stays on the page; whoever comes in is led on. */
function entrance(lead) {
  const token = el("input", { name: "token", type: "password", autocomplete: "current-password", size: 40 });
  const told = el("span", { role: "alert" });
  const enter = async (event) => {
    event.preventDefault();
    const answer = await fetch("/login", { method: "POST", redirect: "manual", body: new URLSearchParams({ token: token.value }) }).catch(() => null);
    if (answer?.type === "opaqueredirect") return lead();
    told.textContent = t(answer ? "login.useless" : "api.silent");
  };
  return el("form", { class: "acts", submit: enter }, el("label", {}, t("order.login"), " ", token), el("button", { type: "submit" }, t("login.title")), told);
}

/** A button. It keeps the focus while its order is under way. */
export const button = (words, act) => el("button", { type: "button", click: act }, words);

/** A button that asks once more before it acts. */
export function sure(words, act) {
  const node = button(words, () => {
    if (node.dataset.asked) return back() ?? act();
    node.dataset.asked = "yes";
    node.textContent = t("order.sure", { what: words });
  });
  const back = () => {
    delete node.dataset.asked;
    node.textContent = words;
  };
  node.addEventListener("blur", back);
  return node;
}

/** Texts of a form, by the names of its fields; of several boxes with one name a list. */
export function given(form) {
  const data = new FormData(form);
  return { text: (name) => String(data.get(name) ?? "").trim(), all: (name) => data.getAll(name).map(String), lines: (name) => String(data.get(name) ?? "").split("\n").map((line) => line.trim()).filter(Boolean), words: (name) => String(data.get(name) ?? "").split(",").map((part) => part.trim()).filter(Boolean) };
}

/** A labelled field with a line about it. */
export const field = (words, control, about) =>
  el("label", { class: "field" }, el("span", {}, words), control, about && el("small", {}, about));

/** A text field, a list of lines, a choice: `options` are [value, words]. */
export const text = (name, value, attributes = {}) => el("input", { name, value: value ?? "", dir: "auto", maxlength: 500, ...attributes });
export const lines = (name, values, rows = 3) => {
  const area = el("textarea", { name, rows, dir: "auto" });
  area.value = (values ?? []).join("\n");
  return area;
};
export const choice = (name, options, value) =>
  el("select", { name }, options.map(([at, words]) => el("option", { value: at, selected: at === value }, words)));
export const box = (name, value, words, checked) =>
  el("label", { class: "box" }, el("input", { type: "checkbox", name, value, checked }), words);
