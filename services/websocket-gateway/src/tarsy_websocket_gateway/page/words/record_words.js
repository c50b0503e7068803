// How the record of a session is described.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { duration } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {Schemas["ListedLlmInteraction"]} Call
 *  @typedef {import("../state/record_difference.js").Run} Run */

/** @type {Record<string, string>} */
const TYPES = TEXT.record.types;
/** @type {Record<string, string>} */
const ROLES = TEXT.messages.roles;

/** @param {string} type */
export function typeName(type) {
  return Object.hasOwn(TYPES, type) ? String(TYPES[type]) : type;
}

/** @param {Schemas["TracedMessage"]} message */
export function roleName({ role, tool_name: tool }) {
  const name = Object.hasOwn(ROLES, role) ? String(ROLES[role]) : role;
  return tool ? say(TEXT.messages.roleOfTool, { role: name, tool }) : name;
}

/** @param {Call} call */
export function modelName({ llm_provider: provider, model_name: model }) {
  if (model === "" || model === provider) return provider;
  return provider === "" ? model : say(TEXT.record.model, { model, provider });
}

/** What is not known is left out.
 *  @param {Call} call */
export function usageWords(call) {
  return joined([readWords(call), writtenWords(call)]);
}

/** @param {Call} call */
function readWords({ input_tokens: count, cached_input_tokens: cached, cache_written_tokens: kept }) {
  if (count === null) return "";
  const parts = joined([
    cached === null ? "" : say(TEXT.record.fromCache, { count: cached }),
    kept === null ? "" : say(TEXT.record.intoCache, { count: kept }),
  ]);
  return parts === "" ? say(TEXT.record.read, { count }) : say(TEXT.record.readWithParts, { count, parts });
}

/** @param {Call} call */
function writtenWords({ output_tokens: count, thinking_tokens: thought }) {
  if (count === null) return "";
  if (thought === null) return say(TEXT.record.written, { count });
  return say(TEXT.record.writtenWithParts, { count, parts: say(TEXT.record.ofThinking, { count: thought }) });
}

/** @param {Call} call */
export function tookWords({ duration_ms: took, error_message: error, model_name: model }) {
  if (took !== null) return duration(took);
  return error === null && model === "" ? TEXT.record.noAnswerYet : "";
}

/** @param {Run} run
 *  @param {boolean} hasBefore  whether there is a question before */
export function runTitle({ kind, messages: { length: count } }, hasBefore) {
  if (!hasBefore) return say(TEXT.messages.count, { count });
  if (kind === "same") return say(TEXT.messages.same, { count });
  return kind === "changed" ? say(TEXT.messages.changed, { count }) : say(TEXT.messages.new, { count });
}

/** @param {boolean | null} verified */
export function verifiedWords(verified) {
  if (verified === null) return TEXT.recordCall.noDigest;
  return verified ? TEXT.recordCall.verified : TEXT.recordCall.notVerified;
}

/** @param {Schemas["LlmInteraction"]} contents */
export function requestFacts({ llm_request: request, llm_response: response }) {
  if (request === null) return "";
  const { iteration, attempt, answer_tokens: most, is_last: isLast, native_tools: native } = request;
  return factLine([
    say(TEXT.recordCall.iteration, { number: iteration }),
    say(TEXT.recordCall.attempt, { number: attempt }),
    most === null ? "" : say(TEXT.recordCall.answerTokens, { tokens: say(TEXT.counts.tokens, { count: most }) }),
    isLast ? TEXT.recordCall.isLast : "",
    native.length === 0 ? "" : say(TEXT.recordCall.nativeTools, { names: native.join(", ") }),
    response === null ? "" : answeredWords(response),
  ]);
}

/** @param {NonNullable<Schemas["LlmInteraction"]["llm_response"]>} response */
function answeredWords({ text_length: characters, tool_calls_count: calls }) {
  return say(TEXT.recordCall.answered, {
    characters: say(TEXT.counts.characters, { count: characters }),
    calls: say(TEXT.counts.calls, { count: calls }),
  });
}

/** @param {number} left  characters */
export function moreWords(left) {
  return say(TEXT.recordCall.more, { characters: say(TEXT.counts.characters, { count: left }) });
}

/** @param {string[]} parts */
function joined(parts) {
  return parts.filter(Boolean).join(", ");
}
