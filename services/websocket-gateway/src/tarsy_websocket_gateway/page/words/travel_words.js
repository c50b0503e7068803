// How it is said which moment of a session is shown.

import { clockTime } from "./wording.js";

/** @typedef {import("../stores/travel_store.js").Shown} Shown */

const INSTEAD = "This is the session as it is now.";
export const LOADING = "Loading the session as it was …";
export const PAST_QUESTION = "This is the past. Go back to now to ask.";

/** @param {Shown} shown */
export function asOfEvent({ number, time, newest }) {
  return `As of ${clockTime(new Date(time))}, ${eventWords(number, newest)}`;
}

/** @param {number} number
 *  @param {number} newest */
export function eventWords(number, newest) {
  return `event ${number.toLocaleString("en")} of ${newest.toLocaleString("en")}`;
}

/** What the slider says.
 *  @param {number | null} number  null: now
 *  @param {number} newest
 *  @param {number} time  in milliseconds */
export function sliderWords(number, newest, time) {
  if (number === null) return "Now";
  return `${eventWords(number, newest)}, ${clockTime(new Date(time))}`;
}

/** @param {string} at */
export function badNumberWords(at) {
  return `“${at.slice(0, 40)}” is not the number of an event: they count from 1. ${INSTEAD}`;
}

/** @param {number} number */
export function noEventWords(number) {
  return `This session has no event ${number}. ${INSTEAD}`;
}

/** @param {number} number
 *  @param {string} why */
export function unreadWords(number, why) {
  return `The session as it was after event ${number} cannot be shown: ${why}`;
}
