// How a part of a result is described.

import { currentHit, rankOf } from "../state/result_hits.js";
import { counted, size } from "./wording.js";

export const SEARCHING = "Searching …";
export const NO_LINE_OF_THEN = "No line is of that time.";
export const EMPTY_RESULT = "The result is empty.";

/** Lines are counted from 0, as agents and summaries count them.
 *  @param {{ total: number, size: number }} extent */
export function extentWords({ total, size: bytes }) {
  return `${counted(total, "line")} (counted from 0), ${size(bytes)}, masked`;
}

/** @param {import("../state/result_hits.js").Hits} hits */
export function hitWords(hits) {
  const { count, isComplete } = hits;
  const hit = currentHit(hits);
  const late = isComplete ? "" : " The search took too long and was stopped.";
  if (hit === null) return `No line matches.${late}`;
  const known = `${isComplete ? "" : "at least "}${counted(count, "matching line")}`;
  return `Line ${lineName(hit.number)}: ${rankOf(hits).toLocaleString("en")} of ${known}.${late}`;
}

/** @param {number} number */
export function lineOfThen(number) {
  return `Lines of that time begin with line ${lineName(number)}.`;
}

/** @param {number} number */
export function lineName(number) {
  return number.toLocaleString("en");
}

/** @param {number} count
 *  @param {boolean} isReading */
export function quotedTitle(count, isReading) {
  return isReading ? "Lines that the summary quotes …" : `Lines that the summary quotes: ${count.toLocaleString("en")}`;
}

/** @param {import("../state/quoted_pieces.js").Quotation} quotation */
export function quotationWords({ text, lines, count }) {
  if (text === "") return "named by its number";
  return count > lines.length ? `${text} (in ${counted(count, "line")})` : text;
}

/** @param {number} number
 *  @param {number} byte */
export function partTitle(number, byte) {
  return `Line ${lineName(number)}, from byte ${byte.toLocaleString("en")} on`;
}
