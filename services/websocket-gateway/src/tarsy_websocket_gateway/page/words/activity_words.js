// How it is worded what a running session does now.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { duration } from "./wording.js";

/** @typedef {import("../state/list_row.js").Activity} Activity */

/** What it does now. `now` is a time in milliseconds. @param {Activity} activity @param {number} now */
export function activityWords(activity, now) {
  const since = duration(Math.max(0, Math.floor((now - Date.parse(activity.since)) / 1000) * 1000));
  return factLine([stepWords(activity), doingWords(activity), since, stageWords(activity)]);
}

/** @param {Activity} activity */
function stepWords({ iteration, iteration_limit: limit }) {
  if (iteration === null) return "";
  if (limit === null) return say(TEXT.activity.step, { step: iteration });
  return say(TEXT.activity.stepOf, { step: iteration, limit });
}

/** @param {Activity} activity */
function doingWords({ agent, server, tool }) {
  if (tool !== null) return server === null ? tool : `${server}.${tool}`;
  return agent === null ? TEXT.activity.gettingReady : TEXT.activity.thinking;
}

/** @param {Activity} activity */
function stageWords({ stage, stages }) {
  return stages > 1 ? say(TEXT.activity.stage, { stage, stages }) : "";
}
