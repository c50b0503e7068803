// How a part of a result is described.

import { counted, size } from "./wording.js";

export function lineSummary({ lines, total_lines: total, size: bytes }) {
  const of = `of ${counted(total, "line")}, ${size(bytes)}`;
  if (lines.length === 0) return `There is nothing here, ${of}.`;
  const [first, last] = [lines[0].number, lines.at(-1).number];
  const what = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
  return `${what} (counted from 0) ${of}.`;
}

export function matchSummary({ matches, total_lines: total }) {
  const { count, shown, complete, first_line: first, last_line: last } = matches;
  const late = complete ? "" : " The search took too long and was stopped.";
  if (count === 0) return `No line matches, of ${counted(total, "line")}.${late}`;
  const what = `${complete ? "" : "At least "}${counted(count, "line")} ${count === 1 ? "matches" : "match"}`;
  const where = count === 1 ? "" : `, between ${first} and ${last}${times(matches)}`;
  return `${what}${where}.${shown < count ? ` ${shown} of them are shown here.` : ""}${late}`;
}

function times({ first_time: first, last_time: last }) {
  return first === null || last === null ? "" : ` (${first} to ${last})`;
}
