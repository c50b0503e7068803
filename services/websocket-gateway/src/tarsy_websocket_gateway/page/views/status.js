// A state: a pill with its word and its colour, or an icon where the word stands elsewhere already.

import { html } from "../ui.js";
import { hasEnded, isWell, statusWord, tone } from "../words/wording.js";
import { Icon } from "./icon.js";

/** @typedef {import("./icon.js").Shape} Shape */

/** @type {Record<string, Shape>} */
const SHAPES = { completed: "check", failed: "cross", timed_out: "clock", cancelled: "stop", pending: "ring" };

/** `word`: another one than the status has. `isLimited`: its analysis is less than whole, or rests on less than it should.
 *  @typedef {{ status: string, word?: string, isLimited?: boolean }} Props */

/** @param {Props} props */
export function Status({ status, word, isLimited = false }) {
  return html`<span class="status" data-tone=${shownTone(status, isLimited)}>${word ?? statusWord(status)}</span>`;
}

/** Its word is there for who hears the page, and for who points at it.
 *  @param {Props} props */
export function StatusIcon({ status, word = statusWord(status), isLimited = false }) {
  const shape =
    isLimited && status === "completed" ? "alert" : (SHAPES[status] ?? (hasEnded(status) ? "stop" : "spin"));
  return html`<span class="status" data-icon data-tone=${shownTone(status, isLimited)} title=${word}><${Icon} shape=${shape} /><span class="unseen">${word}</span></span>`;
}

/** What ended well needs no word in a list of such.
 *  @param {Props} props */
export function BriefStatus(props) {
  const { status, isLimited = false } = props;
  return isWell(status) && !isLimited ? html`<${StatusIcon} ...${props} />` : html`<${Status} ...${props} />`;
}

/** @param {string} status
 *  @param {boolean} isLimited */
function shownTone(status, isLimited) {
  return isLimited && tone(status) === "good" ? "warning" : tone(status);
}
