// How a submission is said.

export const PRIORITIES = /** @type {const} */ ([
  ["", "As usual"],
  ["urgent", "Urgent"],
  ["high", "High"],
  ["normal", "Normal"],
  ["low", "Low"],
]);

export const NATIVE_TOOLS = /** @type {const} */ ([
  ["google_search", "Web search"],
  ["code_execution", "Code execution"],
  ["url_context", "Reading of web pages"],
]);

/** @param {string | null} role */
export function whyNotSubmit(role) {
  return `Submitting an alert needs the role responder. Yours is ${role ?? "not known"}.`;
}

/** @param {{ kind: "json" | "text", mistake: string }} found
 *  @param {string} text */
export function kindWords({ kind, mistake }, text) {
  if (text === "") return "Any form is read: text, JSON, a log, a message.";
  if (kind === "json") return "JSON";
  return mistake === "" ? "Text" : `Text. It begins like JSON, and is none: ${mistake}`;
}

/** @param {import("tarsy-api").components["schemas"]["AlertTypeList"] | null} list
 *  @param {string} chosen */
export function chainWords(list, chosen) {
  if (list === null) return "";
  const type = chosen === "" ? list.default_alert_type : chosen;
  const found = list.alert_types.find((one) => one.type === type);
  if (found === undefined) return "No chain investigates this type.";
  return [`Chain ${found.chain_id}`, found.description].filter(Boolean).join(": ");
}

/** @param {import("tarsy-api").components["schemas"]["DefaultTools"] | null} defaults */
export function defaultToolsWords(defaults) {
  if (defaults === null) return "Those of the chain";
  const native = NATIVE_TOOLS.filter(([name]) => defaults.native_tools[name]).map(([, words]) => words.toLowerCase());
  const all = [...defaults.mcp_servers, ...native];
  return all.length === 0 ? "Those of the chain: none" : `Those of the chain: ${all.join(", ")}`;
}
