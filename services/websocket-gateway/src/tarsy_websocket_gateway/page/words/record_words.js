// How the record of a session is described.

import { counted, duration } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {Schemas["ListedLlmInteraction"]} Call
 *  @typedef {import("../state/record_difference.js").Run} Run */

export const NO_CALLS = "No model was asked yet.";
export const INCOMPLETE = "This version of TARSy cannot read all events of the session: only its beginning is shown.";

/** @type {Record<string, string>} */
const TYPES = {
  iteration: "Iteration",
  forced_conclusion: "Forced conclusion",
  synthesis: "Synthesis",
  executive_summary: "Executive summary",
  chat_response: "Reply",
  summarization: "Summary of a result",
};
/** @type {Record<string, string>} */
const ROLES = { system: "System", user: "User", assistant: "Model", tool: "Tool" };

/** @param {string} type */
export function typeName(type) {
  return Object.hasOwn(TYPES, type) ? String(TYPES[type]) : type;
}

/** @param {Schemas["TracedMessage"]} message */
export function roleName({ role, tool_name: tool }) {
  const name = Object.hasOwn(ROLES, role) ? String(ROLES[role]) : role;
  return tool ? `${name} ${tool}` : name;
}

/** @param {Call} call */
export function modelName({ llm_provider: provider, model_name: model }) {
  if (model === "" || model === provider) return provider;
  return provider === "" ? model : `${model} (${provider})`;
}

/** What is not known is left out.
 *  @param {Call} call */
export function usageWords(call) {
  const read = known(call.input_tokens, "read", [
    known(call.cached_input_tokens, "from cache"),
    known(call.cache_written_tokens, "into cache"),
  ]);
  const written = known(call.output_tokens, "written", [known(call.thinking_tokens, "of thinking")]);
  return [read, written].filter(Boolean).join(", ");
}

/** @param {Call} call */
export function tookWords({ duration_ms: took, error_message: error, model_name: model }) {
  if (took !== null) return duration(took);
  return error === null && model === "" ? "no answer yet" : "";
}

/** @param {Run} run
 *  @param {boolean} hasBefore  whether there is a question before */
export function runTitle({ kind, messages }, hasBefore) {
  const count = counted(messages.length, "message");
  if (!hasBefore) return count;
  return { same: `${count} as before`, changed: `${count} changed`, new: `${count} new` }[kind];
}

/** @param {number} count */
export function removedWords(count) {
  return `${counted(count, "message")} of the call before ${count === 1 ? "is" : "are"} left out.`;
}

/** @param {boolean | null} verified */
export function verifiedWords(verified) {
  if (verified === null) return "No digest of what was sent is on record.";
  return verified
    ? "Word for word what was sent."
    : "Not word for word what was sent: another version of TARSy sent it.";
}

/** @param {Schemas["LlmInteraction"]} contents */
export function requestFacts({ llm_request: request, llm_response: response }) {
  if (request === null) return "";
  const { iteration, attempt, answer_tokens: most, is_last: isLast, native_tools: native } = request;
  const facts = [`iteration ${iteration}`, `attempt ${attempt}`];
  if (most !== null) facts.push(`at most ${counted(most, "token")} for the answer`);
  if (isLast) facts.push("to be answered in words");
  if (native.length > 0) facts.push(`the model's own tools: ${native.join(", ")}`);
  if (response !== null)
    facts.push(
      `answered with ${counted(response.text_length, "character")} and ${counted(response.tool_calls_count, "call")}`,
    );
  return facts.join(" · ");
}

/** @param {number | null} count
 *  @param {string} what
 *  @param {string[]} [parts] */
function known(count, what, parts = []) {
  if (count === null) return "";
  const inside = parts.filter(Boolean).join(", ");
  return `${count.toLocaleString("en")} ${what}${inside === "" ? "" : ` (${inside})`}`;
}
