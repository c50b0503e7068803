// Where a waterfall's time axis has its ticks: at round times since the beginning.

import { placeAt, timeAtPlace, WIDTH } from "./time_scale.js";

/** @typedef {import("./time_scale.js").Scale} Scale
 *  @typedef {{ place: number, elapsed: number }} Tick  `elapsed` in milliseconds */

const MOST_TICKS = 6;
const LEAST_DISTANCE = 90;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 6, 12, 24].map((count) => count * HOUR),
];

/** Each stands apart from the one before it, also where idle time is shortened.
 *  @param {Scale} scale
 *  @returns {Tick[]} */
export function timeTicks(scale) {
  const [first] = scale;
  if (first === undefined) return [];
  const step = stepOf(scale);
  /** @type {Tick[]} */
  const ticks = [{ place: 0, elapsed: 0 }];
  for (let part = 1; part <= MOST_TICKS; part += 1) {
    const target = timeAtPlace(scale, (part * WIDTH) / MOST_TICKS) - first.from;
    const elapsed = Math.floor(target / step) * step;
    const place = Math.min(WIDTH, placeAt(scale, first.from + elapsed));
    if (place - (ticks.at(-1)?.place ?? 0) >= LEAST_DISTANCE) ticks.push({ place, elapsed });
  }
  return ticks;
}

/** By the spans in which something ran: idle time is shortened.
 *  @param {Scale} scale */
function stepOf(scale) {
  const perPlace = Math.min(...scale.map(({ from, until, left, right }) => (until - from) / (right - left)));
  const wanted = (perPlace * WIDTH) / MOST_TICKS;
  return STEPS.find((step) => step >= wanted) ?? 24 * HOUR;
}
