// Labels for the leaves of a page, by keyboard. Every change is sent at once; what the server has is
// what is shown after a reload.

const find = (id) => document.getElementById(id);
const make = (tag, kind, text) => {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
};

let desk;
let page;
// Label of each leaf; subtrees that were labelled as a whole; what was before, for undo.
let labels = [];
let trees = [];
let before = [];
// The chosen leaves, from where they were chosen, and the element that was chosen, if one was.
let from = 0;
let to = 0;
let anchor = 0;
let element = null;
let rows = [];
let since = performance.now();
let sending = Promise.resolve();
let waiting = 0;
// Is there something on the page that the server has not?
let unsaved = false;

async function ask(path, options) {
  const answer = await fetch(path, options);
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  const error = new Error(problem.detail ?? problem.title ?? `the server answers ${answer.status}`);
  error.status = answer.status;
  throw error;
}

const read = async (path) => (await ask(path)).json();

function say(words, bad = false) {
  find("state").textContent = words;
  find("state").className = bad ? "bad" : "";
}

const entry = (id) => desk.pages.find((one) => one.id === id);

function head() {
  find("where").textContent = `${desk.corpus}, pass ${desk.pass}`;
  const done = desk.pages.filter((one) => one.state === "done").length;
  find("progress").textContent = `${done} of ${desk.pages.length} pages finished`;
  const list = find("pages");
  list.replaceChildren(...desk.pages.map((one) => {
    const option = make("option", "", `${one.state === "done" ? "✓ " : ""}${one.id} (${one.language})`);
    option.value = one.id;
    option.selected = page?.id === one.id;
    return option;
  }));
}

function keys() {
  const lines = [
    ["j k", "next, previous leaf"], ["J K", "more, fewer leaves"], ["h l", "element around, back in"],
    ["u", "undo"], ["n", "page is finished: next one"],
  ];
  const help = make("p");
  for (const [key, words] of lines) help.append(make("kbd", "", key), ` ${words}`, make("br"));
  const names = make("p");
  for (const { key, name } of desk.labels) names.append(make("kbd", "", key), ` ${name}`, make("br"));
  find("keys").replaceChildren(help, names);
}

function marks() {
  const runs = [];
  labels.forEach((label, at) => {
    const last = runs.at(-1);
    if (last?.label === label) last.to = at;
    else runs.push({ from: at, to: at, label });
  });
  return runs.filter((run) => run.label !== "none").concat(trees);
}

// Time away from the page does not count.
function clock() {
  const now = performance.now();
  if (!document.hidden) page.seconds += Math.min((now - since) / 1000, 60);
  since = now;
}

// Sends the page's labels, and says whether the server has them.
function keep(finish) {
  clock();
  const of = page;
  const done = of.done || finish;
  const state = { marks: marks(), done, seconds: Math.round(of.seconds) };
  const headers = { "content-type": "application/json" };
  const send = async () => {
    // They take the place of what was sent before them, or was read.
    const body = JSON.stringify({ ...state, revision: of.revision });
    const answer = await ask(`/pages/${encodeURIComponent(of.id)}`, { method: "PUT", headers, body });
    of.revision = answer.headers.get("crawler-revision");
    of.done = done;
    entry(of.id).state = done ? "done" : "begun";
  };
  say("saving");
  // One after the other, so that the last change is the last that arrives.
  waiting += 1;
  unsaved = true;
  sending = sending.then(send).then(
    () => {
      waiting -= 1;
      if (!waiting) {
        unsaved = false;
        say("saved");
      }
      return true;
    },
    (error) => {
      waiting -= 1;
      say(`not saved: ${error.message}`, true);
      // Somebody else has labelled the page: what they have set is there.
      if (!waiting && error.status === 409) {
        unsaved = false;
        open(of.id, `not saved: ${error.message}; these are the labels there are now`);
      }
      return false;
    },
  );
  return sending;
}

function draw() {
  const depth = [];
  const parts = [];
  let next = 0;
  const { leaves, elements } = page.tree;
  rows = leaves.map((leaf, at) => {
    while (depth.length && elements[depth.at(-1)].to < at) depth.pop();
    while (next < elements.length && elements[next].from === at) {
      const around = make("div", "around", elements[next].name);
      around.style.marginLeft = `${Math.min(depth.length, 20) * 8}px`;
      parts.push(around);
      depth.push(next);
      next += 1;
    }
    const row = make("div");
    row.id = `row-${at}`;
    row.style.marginLeft = `${Math.min(depth.length, 20) * 8}px`;
    const text = leaf.picture ? `[picture] ${leaf.text}` : leaf.text;
    row.append(make("span", "number", at), make("span", "text", text), make("span", "label"));
    row.addEventListener("click", () => choose(at, at));
    parts.push(row);
    return row;
  });
  find("tree").replaceChildren(...parts);
  rows.forEach((_, at) => paint(at));
}

function paint(at) {
  const label = labels[at];
  const kinds = [
    label !== "none" && "labelled", label === "advertisement" && label,
    page.tree.leaves[at].hidden && "hidden", at >= from && at <= to && "chosen",
  ];
  rows[at].className = kinds.filter(Boolean).join(" ");
  rows[at].lastChild.textContent = label === "none" ? "" : label;
}

function choose(first, last, around = null, fixed = first) {
  const old = [from, to];
  [from, to, element, anchor] = [first, last, around, fixed];
  for (let at = old[0]; at <= Math.min(old[1], rows.length - 1); at += 1) paint(at);
  for (let at = from; at <= to; at += 1) paint(at);
  const at = anchor === from ? to : from;
  rows[at]?.scrollIntoView({ block: "nearest" });
  // Only the name after # changes, so the page is not read again and needs no script to show the leaf.
  find("frame").src = `/frames/${encodeURIComponent(page.id)}#leaf-${at}`;
}

function move(step, more) {
  const last = labels.length - 1;
  const within = (at) => Math.max(0, Math.min(last, at));
  if (more) {
    const other = within((anchor === from ? to : from) + step);
    choose(Math.min(anchor, other), Math.max(anchor, other), null, anchor);
  } else {
    const at = within(step > 0 ? to + 1 : from - 1);
    choose(at, at);
  }
}

function climb(up) {
  const around = page.tree.elements.filter((one) => one.from <= anchor && one.to >= anchor);
  const size = (one) => one.to - one.from;
  const chosen = to - from;
  const fit = around.filter((one) => (up ? size(one) > chosen : size(one) < chosen));
  fit.sort((a, b) => (up ? size(a) - size(b) : size(b) - size(a)));
  if (fit.length) choose(fit[0].from, fit[0].to, fit[0].element, anchor);
  else if (!up) choose(anchor, anchor);
}

function set(label) {
  before.push({ labels: labels.slice(), trees: trees.slice(), from, to, element, anchor });
  if (before.length > 500) before.shift();
  for (let at = from; at <= to; at += 1) labels[at] = label;
  // What lies in it is labelled anew; a subtree around it is no longer labelled as a whole.
  trees = trees.filter((one) => one.to < from || one.from > to || one.label === label);
  if (element !== null && label === "advertisement") trees.push({ from, to, label, element });
  const last = to;
  if (to + 1 < labels.length) choose(last + 1, last + 1);
  for (let at = 0; at <= last; at += 1) paint(at);
  return keep(false);
}

function undo() {
  const last = before.pop();
  if (!last) return say("nothing to undo");
  ({ labels, trees } = last);
  rows.forEach((_, at) => paint(at));
  choose(last.from, last.to, last.element, last.anchor);
  return keep(false);
}

async function finish() {
  if (!(await keep(true))) return;
  head();
  const at = desk.pages.indexOf(entry(page.id));
  const later = [...desk.pages.slice(at + 1), ...desk.pages.slice(0, at)];
  const next = later.find((one) => one.state !== "done");
  if (next) await open(next.id);
  else say("all pages are finished");
}

async function open(id, why) {
  await sending;
  // What is not saved would be gone.
  if (unsaved && !(await keep(false))) return head();
  try {
    page = await read(`/pages/${encodeURIComponent(id)}`);
  } catch (error) {
    return say(`${id}: ${error.message}`, true);
  }
  since = performance.now();
  labels = page.tree.leaves.map(() => "none");
  for (const mark of page.marks) labels.fill(mark.label, mark.from, mark.to + 1);
  trees = page.marks.filter((mark) => mark.element !== undefined);
  [before, from, to, anchor, element] = [[], 0, 0, 0, null];
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  head();
  draw();
  if (labels.length) choose(0, 0);
  find("tree").focus();
  say(why ?? (page.done ? "finished" : ""), why !== undefined);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !page || !labels.length) return;
  const acts = {
    j: () => move(1), k: () => move(-1), J: () => move(1, true), K: () => move(-1, true),
    ArrowDown: () => move(1, event.shiftKey), ArrowUp: () => move(-1, event.shiftKey),
    h: () => climb(true), l: () => climb(false), u: undo, n: finish,
  };
  const label = desk.labels.find((one) => one.key === event.key);
  const act = acts[event.key] ?? (label && (() => set(label.name)));
  if (!act) return;
  event.preventDefault();
  act();
});

find("pages").addEventListener("change", (event) => open(event.target.value));

try {
  desk = await read("/desk");
  keys();
  const asked = decodeURIComponent(location.hash.slice(1));
  const first = desk.pages.find((one) => one.id === asked)
    ?? desk.pages.find((one) => one.state !== "done") ?? desk.pages[0];
  await open(first.id);
} catch (error) {
  say(error.message, true);
}
