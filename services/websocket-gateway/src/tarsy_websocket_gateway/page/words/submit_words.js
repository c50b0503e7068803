// How a submission is said.

import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("../state/submission.js").NativeTool} NativeTool */

const { usual, ...PRIORITY_NAMES } = TEXT.submit.priorities;
export const PRIORITIES = /** @type {[string, string][]} */ ([["", usual], ...Object.entries(PRIORITY_NAMES)]);
export const NATIVE_TOOLS = /** @type {[NativeTool, string][]} */ (Object.entries(TEXT.tools.native));

/** @param {string | null} role */
export function whyNotSubmit(role) {
  return say(TEXT.submit.roleNeeded, { role: role ?? TEXT.submit.roleUnknown });
}

/** @param {{ kind: "json" | "text", mistake: string }} found
 *  @param {string} text */
export function kindWords({ kind, mistake }, text) {
  if (text === "") return TEXT.submit.anyForm;
  if (kind === "json") return TEXT.submit.json;
  return mistake === "" ? TEXT.submit.text : say(TEXT.submit.brokenJson, { mistake });
}

/** @param {import("tarsy-api").components["schemas"]["AlertTypeList"] | null} list */
export function defaultTypeWords(list) {
  return list === null ? TEXT.submit.defaultType : say(TEXT.submit.defaultTypeNamed, { type: list.default_alert_type });
}

/** @param {import("tarsy-api").components["schemas"]["AlertTypeList"] | null} list
 *  @param {string} chosen */
export function chainWords(list, chosen) {
  if (list === null) return "";
  const type = chosen === "" ? list.default_alert_type : chosen;
  const found = list.alert_types.find((one) => one.type === type);
  if (found === undefined) return TEXT.submit.noChain;
  const { chain_id: chain, description: about } = found;
  return about ? say(TEXT.submit.chainAbout, { chain, about }) : say(TEXT.submit.chain, { chain });
}

/** @param {import("tarsy-api").components["schemas"]["DefaultTools"] | null} defaults */
export function defaultToolsWords(defaults) {
  if (defaults === null) return TEXT.tools.ofChain;
  const native = NATIVE_TOOLS.filter(([name]) => defaults.native_tools[name]).map(([, words]) => words.toLowerCase());
  const all = [...defaults.mcp_servers, ...native];
  return all.length === 0 ? TEXT.tools.noneOfChain : say(TEXT.tools.namedOfChain, { names: all.join(", ") });
}

/** The tools of a server that were chosen: all, where none are named. @param {string[] | null | undefined} tools */
export function chosenToolsWords(tools) {
  return tools === null || tools === undefined ? TEXT.tools.all : say(TEXT.tools.count, { count: tools.length });
}
