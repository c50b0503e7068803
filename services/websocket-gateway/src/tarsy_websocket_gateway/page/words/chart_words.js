// What charts say.

import { successRate } from "../state/outcome_rows.js";
import { factLine, number } from "./formats.js";
import { LOCALE, TEXT } from "./language.js";
import { say } from "./say.js";
import { duration } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]["SessionOutcomes"]} Outcomes */

const MONDAY = Date.UTC(2024, 0, 1);
const DAY = 86_400_000;
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: "short", timeZone: "UTC" });
const SHORT_DAY = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" });

/** @param {number} day 0 is Monday */
export function weekdayName(day) {
  return WEEKDAY.format(MONDAY + day * DAY);
}

/** @param {string} day as YYYY-MM-DD */
export function dayLabel(day) {
  return SHORT_DAY.format(Date.parse(day));
}

/** @param {number} day @param {number} hour @param {number} count */
export function hourTitle(day, hour, count) {
  const time = `${weekdayName(day)} ${String(hour).padStart(2, "0")}:00`;
  return factLine([time, say(TEXT.charts.alerts, { count })]);
}

/** @param {{ completed: number, failed: number }} outcomes */
export function rateWords(outcomes) {
  const rate = successRate(outcomes);
  return rate === null ? "" : say(TEXT.charts.success, { percent: number(Math.floor(rate)) });
}

/** @param {string} name @param {Outcomes} outcomes */
export function outcomeTitle(name, outcomes) {
  const { sessions: count, failed, cancelled } = outcomes;
  return factLine([
    name,
    say(TEXT.charts.alerts, { count }),
    rateWords(outcomes),
    failed > 0 ? say(TEXT.charts.failedCount, { count: failed }) : "",
    cancelled > 0 ? say(TEXT.charts.cancelledCount, { count: cancelled }) : "",
  ]);
}

/** @param {string} name @param {Pick<Outcomes, "p50_seconds" | "p90_seconds">} outcomes */
export function timesTitle(name, { p50_seconds: p50, p90_seconds: p90 }) {
  if (p50 === null) return factLine([name, TEXT.charts.noTimes]);
  return factLine([name, `${TEXT.charts.p50} ${timeWords(p50)}`, `${TEXT.charts.p90} ${timeWords(p90)}`]);
}

/** @param {Pick<Outcomes, "p50_seconds">} outcomes */
export function medianWords({ p50_seconds: p50 }) {
  return p50 === null ? "" : say(TEXT.charts.median, { time: timeWords(p50) });
}

/** The mean of those that have a score. @param {Pick<Outcomes, "mean_score">} outcomes */
export function scoreWords({ mean_score: mean = null }) {
  return mean === null ? "" : say(TEXT.charts.mean, { score: number(Math.round(mean)) });
}

/** @param {number | null} seconds */
export function timeWords(seconds) {
  return seconds === null ? "" : duration(seconds * 1000);
}
