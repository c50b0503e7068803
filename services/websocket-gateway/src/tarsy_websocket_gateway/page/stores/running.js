// How many sessions run at this moment, whatever the list is searched for: the API's answer, and live messages on top.

import { remember } from "../state/latest_numbers.js";
import { hasEnded } from "../words/wording.js";
import { signal } from "../ui.js";

/** Those of the last answer, and its last event of each. @type {ReadonlyMap<string, number>} */
let answered = new Map();
/** Those that began live, until an answer has them. @type {Set<string>} */
const begun = new Set();
/** Those that ended live, and the event: an answer that is behind still has them. @type {Map<string, number>} */
const ended = new Map();

export const running = signal(0);

/** The connection is back: an end may have come while it was lost. */
export function beginRunning() {
  begun.clear();
  count();
}

/** @param {ReadonlyMap<string, number>} found  the last event of each */
export function takeRunning(found) {
  answered = found;
  for (const id of found.keys()) begun.delete(id);
  count();
}

/** @param {string} id @param {string} status @param {number} number */
export function takeRunningStatus(id, status, number) {
  if (number < (ended.get(id) ?? 0)) return;
  if (hasEnded(status)) end(id, number);
  else if (status !== "pending") begun.add(id);
  count();
}

/** @param {string} id @param {number} number */
function end(id, number) {
  begun.delete(id);
  remember(ended, id, number);
}

function count() {
  const ids = new Set(begun);
  for (const [id, number] of answered) if (number > (ended.get(id) ?? 0)) ids.add(id);
  running.value = ids.size;
}
