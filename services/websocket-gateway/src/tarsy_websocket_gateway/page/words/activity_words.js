// How it is worded what a running session does now.

import { duration } from "./wording.js";

/** @typedef {import("../state/list_row.js").Activity} Activity */

/** What it does now. `now` is a time in milliseconds. @param {Activity} activity @param {number} now */
export function activityWords(activity, now) {
  const since = duration(Math.max(0, Math.floor((now - Date.parse(activity.since)) / 1000) * 1000));
  const stage = activity.stages > 1 ? `stage ${activity.stage} of ${activity.stages}` : "";
  return [stepWords(activity), doingWords(activity), since, stage].filter(Boolean).join(" · ");
}

/** @param {Activity} activity */
function stepWords({ iteration, iteration_limit: limit }) {
  if (iteration === null) return "";
  return limit === null ? `step ${iteration}` : `step ${iteration} of ${limit}`;
}

/** @param {Activity} activity */
function doingWords({ agent, server, tool }) {
  if (tool !== null) return server === null ? tool : `${server}.${tool}`;
  return agent === null ? "getting ready" : "thinking";
}
