// How a call that a text cites is named.

import { argumentLine } from "./call_arguments.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { clockTime, shortened } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item */

const MOST_ARGUMENTS = 160;

/** @param {Item} item */
export function callName({ metadata: { server_name: server, tool_name: tool, arguments: given } }) {
  return `${server}.${tool}(${shortened(argumentLine(given), MOST_ARGUMENTS)})`;
}

/** @param {number} number
 *  @param {Item} item */
export function citationTitle(number, item) {
  const call = { number: String(number), name: callName(item) };
  if (item.time === null) return say(TEXT.citation.title, call);
  return say(TEXT.citation.titleWithTime, { ...call, time: clockTime(new Date(item.time)) });
}

/** @param {number} number */
export function sourceName(number) {
  return say(TEXT.citation.source, { number: String(number) });
}

/** @param {number} number */
export function citationName(number) {
  return say(TEXT.citation.call, { number: String(number) });
}
