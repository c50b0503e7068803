// Times, and durations that grow while something runs.

import { element, write } from "../elements.js";
import { duration, moment } from "../words/wording.js";

export function timeOf(stamp) {
  const time = new Date(stamp);
  return element("time", { datetime: stamp, title: time.toLocaleString() }, moment(time, new Date()));
}

export function setDuration(node, startedAt, endedAt) {
  if (startedAt === null) write(node, "");
  else if (endedAt === null) write(node, duration(wholeSeconds(Date.now() - Date.parse(startedAt))));
  else write(node, duration(Date.parse(endedAt) - Date.parse(startedAt)));
}

/** What runs still is not told to the millisecond. The clock of the browser may be behind the server's. */
function wholeSeconds(milliseconds) {
  return Math.max(1000, Math.floor(milliseconds / 1000) * 1000);
}

export function everySecond(tell) {
  setInterval(tell, 1000);
}
