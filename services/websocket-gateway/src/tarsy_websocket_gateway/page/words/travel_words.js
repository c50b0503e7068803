// How it is said which moment of a session is shown.

import { TEXT } from "./language.js";
import { say } from "./say.js";
import { clockTime } from "./wording.js";

/** @typedef {import("../stores/travel_store.js").Shown} Shown */

/** @param {Shown} shown */
export function asOfEvent({ number, time, newest }) {
  return say(TEXT.travel.asOf, { time: clockTime(new Date(time)), event: eventWords(number, newest) });
}

/** @param {number} number
 *  @param {number} newest */
function eventWords(number, newest) {
  return say(TEXT.travel.event, { number, newest });
}

/** What the slider says.
 *  @param {number | null} number  null: now
 *  @param {number} newest
 *  @param {number} time  in milliseconds */
export function sliderWords(number, newest, time) {
  if (number === null) return TEXT.travel.now;
  return say(TEXT.travel.eventAt, { event: eventWords(number, newest), time: clockTime(new Date(time)) });
}

/** @param {string} at */
export function badNumberWords(at) {
  return say(TEXT.travel.badNumber, { at: at.slice(0, 40), instead: TEXT.travel.instead });
}

/** @param {number} number */
export function noEventWords(number) {
  return say(TEXT.travel.noEvent, { number: String(number), instead: TEXT.travel.instead });
}

/** @param {number} number
 *  @param {string} why */
export function unreadWords(number, why) {
  return say(TEXT.travel.unread, { number: String(number), why });
}
