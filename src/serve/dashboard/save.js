// A chart as a file: its numbers (CSV), the drawing (SVG), a picture of it (PNG). Made here, sent nowhere.

import { el } from "./dom.js";
import { t } from "./words.js";

/** What of a drawing style sheets say; in a file it stands at each shape. */
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight"];
const SVG = "http://www.w3.org/2000/svg";
/** Pixels of a picture for each unit of the drawing. */
const SCALE = 2;

function hand(name, blob) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A cell of a CSV file (RFC 4180); one that a spreadsheet would take for a formula is marked as text. */
function cell(value) {
  const plain = value === null || value === undefined ? "" : String(value);
  const safe = typeof value !== "number" && /^[=+\-@\t\r\n＝＋－＠]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of values as CSV. */
export const csv = (head, rows) => [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** The drawing as a document of its own, on the colour of the page. */
export function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const from = [drawing, ...drawing.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const paper = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ width, height, fill: getComputedStyle(drawing.closest("figure") ?? document.body).backgroundColor })) paper.setAttribute(name, value);
  copy.insertBefore(paper, copy.firstChild);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const title = document.createElementNS(SVG, "title");
  title.textContent = drawing.getAttribute("aria-label") ?? "";
  copy.insertBefore(title, paper);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

async function png(drawing) {
  const { text, width, height } = standalone(drawing);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = el("canvas", { width: width * SCALE, height: height * SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Buttons that save a drawing and the numbers behind it under a name. */
export function saves(name, drawing, head, rows) {
  const file = name.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 80);
  const one = (ending, act) => el("button", { type: "button", "aria-label": `${t("save")}: ${ending.toUpperCase()}`, click: act }, ending.toUpperCase());
  return el("div", { class: "saves", role: "group", "aria-label": t("save") },
    one("csv", () => hand(`${file}.csv`, new Blob(["\ufeff", csv(head, rows)], { type: "text/csv;charset=utf-8" }))),
    one("svg", () => hand(`${file}.svg`, new Blob([standalone(drawing).text], { type: "image/svg+xml" }))),
    one("png", async () => hand(`${file}.png`, await png(drawing))));
}
