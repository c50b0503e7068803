// How it is worded that what is shown is not live.

import { TEXT } from "./language.js";
import { say } from "./say.js";
import { clockTime } from "./wording.js";

/** @param {number | null} time  in milliseconds; null where nothing was live yet */
export function asOf(time) {
  if (time === null) return TEXT.connection.notLive;
  return say(TEXT.connection.asOf, { time: clockTime(new Date(time)).slice(0, 5) });
}
