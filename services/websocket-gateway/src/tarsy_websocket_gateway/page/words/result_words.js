// How a part of a result is described.

import { counted, size } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @param {Schemas["ToolCallResult"]} found */
export function lineSummary({ lines, total_lines: total, size: bytes }) {
  const of = `of ${counted(total, "line")}, ${size(bytes)}`;
  const [first, last] = [lines[0]?.number, lines.at(-1)?.number];
  if (first === undefined) return `There is nothing here, ${of}.`;
  const what = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
  return `${what} (counted from 0) ${of}.`;
}

/** @param {Schemas["ResultMatches"]} matches
 *  @param {number} total  lines of the whole result */
export function matchSummary(matches, total) {
  const { count, shown, complete, first_line: first, last_line: last } = matches;
  const late = complete ? "" : " The search took too long and was stopped.";
  if (count === 0) return `No line matches, of ${counted(total, "line")}.${late}`;
  const what = `${complete ? "" : "At least "}${counted(count, "line")} ${count === 1 ? "matches" : "match"}`;
  const where = count === 1 ? "" : `, between ${first} and ${last}${times(matches)}`;
  return `${what}${where}.${shown < count ? ` ${shown} of them are shown here.` : ""}${late}`;
}

/** @param {Schemas["ResultMatches"]} matches */
function times({ first_time: first, last_time: last }) {
  return first === null || last === null ? "" : ` (${first} to ${last})`;
}
