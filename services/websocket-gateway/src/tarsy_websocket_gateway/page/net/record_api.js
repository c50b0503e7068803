// The REST API about the record of a session.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** All questions to models and calls of tools, without their contents.
 *  @param {string} sessionId
 *  @returns {Promise<Schemas["SessionTrace"]>} */
export function readTrace(sessionId) {
  return ask(tracePath(sessionId));
}

/** A question to a model with all that it was given, and its answer.
 *  @param {string} sessionId
 *  @param {string} id
 *  @returns {Promise<Schemas["LlmInteraction"]>} */
export function readLlmCall(sessionId, id) {
  return ask(`${tracePath(sessionId)}/llm/${encodeURIComponent(id)}`);
}

/** The skills that it began with.
 *  @param {string} sessionId
 *  @returns {Promise<Schemas["TracedSkills"]>} */
export function readSkills(sessionId) {
  return ask(`${tracePath(sessionId)}/skills`);
}

/** @param {string} sessionId */
function tracePath(sessionId) {
  return `/api/v1/sessions/${encodeURIComponent(sessionId)}/trace`;
}
