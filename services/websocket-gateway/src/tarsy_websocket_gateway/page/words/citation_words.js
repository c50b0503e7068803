// How a call that a text cites is named.

import { argumentLine } from "./call_arguments.js";
import { clockTime } from "./wording.js";

/** @typedef {import("../state/item_types.js").Item} Item */

const MOST_ARGUMENTS = 160;

/** @param {Item} item */
export function callName({ metadata: { server_name: server, tool_name: tool, arguments: given } }) {
  return `${server}.${tool}(${short(argumentLine(given))})`;
}

/** @param {number} number
 *  @param {Item} item */
export function citationTitle(number, item) {
  const when = item.time === null ? "" : `, ${clockTime(new Date(item.time))}`;
  return `call ${number}: ${callName(item)}${when}`;
}

/** @param {string} text */
function short(text) {
  return text.length > MOST_ARGUMENTS ? `${text.slice(0, MOST_ARGUMENTS)}…` : text;
}
