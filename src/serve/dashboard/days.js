// The days that a view looks at: each with its coverage.

import { MOST, ask } from "./dom.js";

/** Days of a range from which those before the first that has anything, and those to come, are left out. */
const LONG = 400;

/** Days of a chart from which on its labels say the year. */
const YEAR = 366;

/** How a chart names a day of so many, and how much room a label needs. */
export const named = (days) => (days < YEAR ? { room: 60, name: (day) => day.slice(5) } : { room: 110, name: (day) => day });

/** Shifts a day by so many days. */
export function shift(day, days) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** Days from the first to the last, both inclusive. */
export const between = (from, to) => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

/** How complete each day of the range is; `buckets` are the days that have lines. */
export async function covered(at, buckets) {
  let { from, to } = at;
  if (between(from, to) > LONG) {
    const days = [at.first, at.today, ...buckets].sort();
    if (from < days[0]) from = days[0] < to ? days[0] : to;
    if (to > days.at(-1)) to = days.at(-1) > from ? days.at(-1) : from;
  }
  const days = [];
  for (;;) {
    const part = await ask("coverage", { from, to, limit: MOST });
    days.push(...part.days);
    if (!part.truncated) return days;
    from = shift(days.at(-1).day, 1);
  }
}
