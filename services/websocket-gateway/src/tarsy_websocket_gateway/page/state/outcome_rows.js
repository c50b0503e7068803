// How sessions of some days ended, a row a day, also of those without any. No DOM, no network.

import { daysBetween } from "./usage_rows.js";

/** @typedef {import("tarsy-api").components["schemas"]["OutcomeReport"]} OutcomeReport
 *  @typedef {import("tarsy-api").components["schemas"]["OutcomesOfDay"]} OutcomesOfDay */

/** The first day first. @param {OutcomeReport} report @param {{ from: string, to: string }} span @returns {OutcomesOfDay[]} */
export function outcomesByDay(report, span) {
  const known = new Map(report.days.map((one) => [one.day, one]));
  return daysBetween(span).map((day) => known.get(day) ?? none(day));
}

/** Completed, failed, cancelled, and those that go on.
 *  @param {Omit<OutcomesOfDay, "day">} outcomes @returns {[number, number, number, number]} */
export function outcomeParts({ sessions, completed, failed, cancelled }) {
  return [completed, failed, cancelled, Math.max(0, sessions - completed - failed - cancelled)];
}

/** In percent of those that ended by themselves; null where none did. @param {{ completed: number, failed: number }} outcomes */
export function successRate({ completed, failed }) {
  return completed + failed === 0 ? null : (100 * completed) / (completed + failed);
}

/** @param {string} day @returns {OutcomesOfDay} */
function none(day) {
  return {
    day,
    sessions: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    p50_seconds: null,
    p90_seconds: null,
    scored: 0,
    mean_score: null,
  };
}
