// Drawings beside the chart of a brand: several brands compared, shares of voice, how a story spread.

import { ceiling } from "./chart.js";
import { named } from "./days.js";
import { lapse, percent, svg } from "./dom.js";
import { number, t } from "./words.js";

const WIDTH = 1040;
const LEFT = 44;
const TOP = 20;
/** Brands that can be told apart by their lines. */
export const MOST = 6;

/** Lines over the same days: `series` are {name, values}. Each has a dash and marks of its own, not a colour alone. */
export function compared(days, series, what) {
  const height = 200;
  const axis = TOP + height + 20;
  const most = ceiling(Math.max(1, ...series.flatMap((one) => one.values)));
  const step = (WIDTH - LEFT - 10) / Math.max(1, days.length - 1);
  const label = t("lines.summary", { what, from: days[0], to: days.at(-1), names: series.map((one) => one.name).join(", ") });
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${axis + 6}`, role: "img", "aria-label": label });
  for (const part of most < 2 ? [0, 1] : [0, 0.5, 1]) {
    const y = TOP + height * (1 - part);
    root.append(svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "grid" }), svg("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, number(most * part)));
  }
  const { room, name } = named(days.length);
  const every = Math.ceil(room / step);
  days.forEach((day, i) => {
    if ((days.length - 1 - i) % every === 0) root.append(svg("text", { x: LEFT + i * step, y: axis, "text-anchor": i === days.length - 1 ? "end" : "middle" }, name(day)));
  });
  series.forEach(({ name, values }, at) => {
    const points = values.map((value, i) => [LEFT + i * step, TOP + height * (1 - value / most)]);
    root.append(svg("polyline", { class: `line line-${at}`, points: points.map((point) => point.join(",")).join(" ") }));
    points.forEach(([x, y], i) => root.append(svg("circle", { class: `dot line-${at}`, cx: x, cy: y, r: 3 }, svg("title", {}, `${name}, ${days[i]}: ${number(values[i])}`))));
  });
  return root;
}

/** A sample of a line of [`compared`], for its legend. */
export const sample = (at) => svg("svg", { class: "sample", viewBox: "0 0 28 10", "aria-hidden": "true" },
  svg("line", { class: `line line-${at}`, x1: 0, x2: 28, y1: 5, y2: 5 }), svg("circle", { class: `dot line-${at}`, cx: 14, cy: 5, r: 3 }));

/** One bar a brand: `rows` are {name, share}. */
export function shares(rows) {
  const row = 26;
  const most = Math.max(...rows.map((one) => one.share ?? 0), 0.01);
  const length = (share) => ((share ?? 0) / most) * (WIDTH - 270);
  const root = svg("svg", { class: "chart bars", viewBox: `0 0 ${WIDTH} ${rows.length * row + 8}`, role: "img", "aria-label": t("shares.summary", { names: rows.map((one) => `${one.name} ${percent(one.share)}`).join(", ") }) });
  rows.forEach(({ name, share }, i) => {
    const y = i * row + 4;
    const short = name.length > 26 ? `${name.slice(0, 25)}…` : name;
    root.append(
      svg("text", { x: 190, y: y + 14, "text-anchor": "end" }, short),
      svg("rect", { x: 200, y, width: Math.max(1, length(share)), height: row - 8, rx: 2, class: "counted" }),
      svg("text", { x: 206 + length(share), y: y + 14 }, percent(share)));
  });
  return root;
}

/** How a story spread: a row for each outlet, a mark where it carried it. `members` as the API gives them. */
export function spread(members) {
  const first = members[0].at;
  const outlets = [...new Set([...members].sort((a, b) => a.at - b.at).map((member) => member.outlet))];
  const shown = outlets.slice(0, 30);
  const last = Math.max(...members.map((member) => member.at));
  const span = Math.max(1, last - first);
  const row = 22;
  const left = 210;
  const x = (at) => left + 8 + (Math.max(0, at - first) / span) * (WIDTH - left - 24);
  const height = shown.length * row;
  const label = t("spread.summary", { n: members.length, outlets: outlets.length, span: lapse(span) });
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${TOP + height + 34}`, role: "img", "aria-label": label });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const at = first + span * part;
    root.append(svg("line", { x1: x(at), x2: x(at), y1: TOP, y2: TOP + height, class: "grid" }),
      svg("text", { x: x(at), y: TOP + height + 14, "text-anchor": part === 1 ? "end" : "middle" }, part === 0 ? "0" : `+ ${lapse(span * part)}`));
  }
  shown.forEach((outlet, i) => {
    const y = TOP + i * row + row / 2;
    root.append(svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, outlet.length > 30 ? `${outlet.slice(0, 29)}…` : outlet));
    const of = members.filter((member) => member.outlet === outlet);
    root.append(svg("line", { x1: x(first), x2: x(of[0].at), y1: y, y2: y, class: "grid" }));
    for (const member of of) {
      root.append(svg("circle", { cx: x(member.at), cy: y, r: 5, class: member === members[0] ? "part" : "counted" },
        svg("title", {}, `${outlet}: + ${lapse(Math.max(0, member.at - first))}`)));
    }
  });
  const axis = shown.length < outlets.length ? t("spread.some", { shown: shown.length, all: outlets.length }) : t("spread.axis");
  root.append(svg("text", { x: left, y: TOP + height + 30 }, axis));
  return root;
}
