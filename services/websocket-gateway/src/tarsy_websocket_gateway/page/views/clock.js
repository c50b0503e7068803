// Times, and durations that grow while something runs.

import { shownNow } from "../stores/connection.js";
import { html } from "../ui.js";
import { clockTime, duration, moment } from "../words/wording.js";

/** @param {{ stamp: string }} props */
export function Time({ stamp }) {
  const time = new Date(stamp);
  return html`<time datetime=${stamp} title=${time.toLocaleString()}>${moment(time, new Date())}</time>`;
}

/** The time of day alone.
 *  @param {{ stamp: string }} props */
export function ClockTime({ stamp }) {
  const time = new Date(stamp);
  return html`<time datetime=${stamp}>${clockTime(time)}</time>`;
}

/** Empty before the start; grows until the end.
 *  @param {{ from: string | null, until: string | null }} props */
export function Took({ from, until }) {
  return html`<span class="took">${from === null ? "" : length(from, until)}</span>`;
}

/** @param {string} from
 *  @param {string | null} until */
function length(from, until) {
  if (until === null) return duration(wholeSeconds(shownNow.value - Date.parse(from)));
  return duration(Date.parse(until) - Date.parse(from));
}

/** What runs still is not given to the millisecond. The clock of the browser may be behind the server's.
 *  @param {number} milliseconds */
function wholeSeconds(milliseconds) {
  return Math.max(1000, Math.floor(milliseconds / 1000) * 1000);
}
