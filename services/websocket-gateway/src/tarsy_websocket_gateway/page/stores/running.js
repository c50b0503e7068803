// How many sessions run at this moment, whatever the list is searched for: the API's answer, and live messages on top.

import { hasEnded } from "../words/wording.js";
import { signal } from "../ui.js";

/** @type {Set<string>} */
let ids = new Set();

export const running = signal(0);

/** @param {string[]} found */
export function takeRunning(found) {
  ids = new Set(found);
  running.value = ids.size;
}

/** @param {string} id @param {string} status */
export function takeRunningStatus(id, status) {
  if (hasEnded(status)) ids.delete(id);
  else if (status !== "pending") ids.add(id);
  running.value = ids.size;
}
