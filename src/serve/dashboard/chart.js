// Bars per day: what was counted, what was not, and how complete the day was.

import { named } from "./days.js";
import { link, percent, svg } from "./dom.js";
import { number, t } from "./words.js";

const WIDTH = 1040;
const LEFT = 44;
const TOP = 20;

/** The top of a scale: 1, 2, 4, 6, 8, 10, 20 … at or above `most`; its half is whole. */
export function ceiling(most) {
  for (let unit = 1; ; unit *= 10) {
    for (const step of [1, 2, 4, 6, 8]) if (unit * step >= most) return unit * step;
  }
}

/** Hatches are patterns of the document: one set per chart, by name. */
function hatches(id) {
  const hatch = (name, size, back, line) =>
    svg("pattern", { id: `${id}-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      back && svg("rect", { width: size, height: size, class: back }),
      svg("line", { x1: 0, y1: 0, x2: 0, y2: size, class: line }));
  return svg("defs", {}, hatch("off", 5, "hatch-back", "hatch-line"), hatch("open", 7, null, "open-line"));
}

/** A square of the legend. */
export function swatch(id, kind) {
  const fill = { off: `url(#${id}-off)`, open: `url(#${id}-open)` }[kind];
  return svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" },
    kind === "pin" ? svg("path", { d: "M7 2l6 10h-12z", class: kind }) : svg("rect", { width: 14, height: 14, class: fill ? null : kind, fill }));
}

/**
 * The chart. `days`: {day, mentions, suppressed, articles, stories, coverage, provisional, incomplete}, without
 * gaps; `pins`: notes by day, marked below. Two bands share the days: mentions (not counted ones hatched on top), and articles with the
 * stories in front. Below, a strip of coverage. Days that are incomplete are hatched behind.
 */
export function chart(days, id, pins = new Map()) {
  const upper = { top: TOP, height: 150, most: ceiling(Math.max(1, ...days.map((d) => d.mentions + d.suppressed))) };
  const lower = { top: TOP + 150 + 34, height: 84, most: ceiling(Math.max(1, ...days.map((d) => Math.max(d.articles, d.stories)))) };
  const strip = lower.top + lower.height + 10;
  const axis = strip + (pins.size > 0 ? 38 : 26);
  const step = (WIDTH - LEFT) / Math.max(1, days.length);
  const bar = Math.min(38, Math.max(1, step * 0.66));
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${axis + 6}`, role: "img", "aria-label": summary(days) }, hatches(id));
  for (const [band, title] of [[upper, t("mentions")], [lower, t("chart.lower")]]) {
    for (const part of band.most < 2 ? [0, 1] : [0, 0.5, 1]) {
      const y = band.top + band.height * (1 - part);
      root.append(svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "grid" }),
        svg("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, number(band.most * part)));
    }
    root.append(svg("text", { x: LEFT, y: band.top - 7 }, title));
  }
  root.append(svg("text", { x: LEFT - 8, y: strip + 9, "text-anchor": "end" }, t("chart.cover")));
  const { room, name } = named(days.length);
  const every = Math.ceil(room / step);
  days.forEach((d, i) => {
    const x = LEFT + i * step;
    const middle = x + step / 2;
    const column = (band, value, below, width, fill) => {
      if (value <= 0) return null;
      const height = Math.max(1.5, (value / band.most) * band.height);
      const foot = band.top + band.height - (below / band.most) * band.height;
      const paint = fill === "off" ? { fill: `url(#${id}-off)` } : { class: fill };
      return svg("rect", { x: middle - width / 2, y: foot - height, width, height, rx: Math.min(2, width / 4), ...paint });
    };
    const open = d.provisional || d.incomplete;
    root.append(svg("g", { class: "day", click: () => { location.hash = link({ day: d.day, article: null }); } },
      svg("title", {}, [describe(d), ...(pins.get(d.day) ?? [])].join("\n")),
      open && svg("rect", { x, y: TOP, width: step, height: strip + 10 - TOP, fill: `url(#${id}-open)` }),
      column(upper, d.mentions, 0, bar, "counted"),
      column(upper, d.suppressed, d.mentions, bar, "off"),
      column(lower, d.articles, 0, bar, "light"),
      column(lower, d.stories, 0, bar * 0.5, "counted"),
      covered(d, x, strip, step),
      pins.has(d.day) && svg("path", { class: "pin", d: `M${middle} ${strip + 13}l6 10h-12z` }),
      svg("rect", { x, y: TOP, width: step, height: strip + 10 - TOP, class: "hit" })));
    if ((days.length - 1 - i) % every === 0) {
      // The last one ends where the chart does: half of it would stand outside.
      const at = middle > WIDTH - room / 2 ? { x: WIDTH, "text-anchor": "end" } : { x: middle, "text-anchor": "middle" };
      root.append(svg("text", { ...at, y: axis }, name(d.day)));
    }
  });
  return root;
}

/** The cell of the coverage strip: as high as the share of polls that succeeded. */
function covered(d, x, y, step) {
  const cell = { x: x + 0.5, width: Math.max(0.5, step - 1), rx: 1 };
  if (d.coverage === null) return svg("rect", { ...cell, y: y + 4, height: 2, class: "none" });
  const height = Math.max(2, d.coverage * 10);
  return svg("rect", { ...cell, y: y + 10 - height, height, class: d.coverage < 1 ? "part" : "full" });
}

function describe(d) {
  const cover = d.coverage === null ? t("chart.unpolled") : t("chart.covered", { share: percent(d.coverage) });
  return t(d.provisional ? "chart.day.open" : "chart.day", { day: d.day, mentions: d.mentions, off: d.suppressed, articles: d.articles, stories: d.stories, cover });
}

function summary(days) {
  const sum = (name) => days.reduce((n, d) => n + d[name], 0);
  return t("chart.summary", { n: days.length, from: days[0]?.day, to: days.at(-1)?.day, mentions: sum("mentions"), off: sum("suppressed") });
}

/** A small line of bars for a table row: of more days than it has room for, several in one. */
export function spark(days) {
  const width = Math.ceil(days.length / 132);
  const values = [];
  for (let i = 0; i < days.length; i += width) values.push(days.slice(i, i + width).reduce((n, v) => n + v, 0));
  const most = Math.max(1, ...values);
  const step = 132 / Math.max(1, values.length);
  return svg("svg", { class: "spark", viewBox: "0 0 132 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    values.map((v, i) => v > 0 && svg("rect", { x: i * step, width: Math.max(0.6, step * 0.8), y: 24 - Math.max(1.5, (v / most) * 23), height: Math.max(1.5, (v / most) * 23), class: "counted" })));
}
