// The REST API, on the page's own origin.

import { TEXT } from "../words/language.js";
import { readLoginState, renewLogin } from "./renewal.js";
import { ApiError, send, silence } from "./request.js";

export { ApiError };

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @type {import("./renewal.js").Renewal} */
const NOTHING = { is: "none" };

/** The name of an event of the window: nobody is known by what the page sends. */
export const UNKNOWN_CALLER = "unknown-caller";

export function readMe() {
  return ask("/api/v1/me");
}

/** Whether there is a login here. A server that does not answer has none. */
export async function canLogIn() {
  return (await readLoginState()).available;
}

/** Throws ApiError. */
export async function logOut() {
  const answer = await send("/logout", { method: "POST" });
  if (!answer.ok) throw new ApiError(answer.status, answer.statusText);
}

/** @param {string} [sentence] why, where somebody said it */
export function tellUnknownCaller(sentence = "") {
  dispatchEvent(new CustomEvent(UNKNOWN_CALLER, { detail: sentence }));
}

/** `parameters`: those of the API, by name.
 *  @param {Record<string, string>} parameters @returns {Promise<Schemas["SessionList"]>} */
export function readSessions(parameters) {
  return ask(`/api/v1/sessions?${new URLSearchParams(parameters)}`);
}

/** What runs and what waits, whatever the list is searched for. @returns {Promise<Schemas["ActiveSessions"]>} */
export function readActive() {
  return ask("/api/v1/sessions/active");
}

/** @returns {Promise<Schemas["FilterOptions"]>} */
export function readFilterOptions() {
  return ask("/api/v1/sessions/filter-options");
}

/** As it is after the event of this number, or later.
 *  @param {string} id
 *  @param {number} atLeast
 *  @returns {Promise<import("tarsy-api").components["schemas"]["SessionDetail"]>} */
export function readSession(id, atLeast = 0) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}?at_least=${atLeast}`);
}

/** As it was after its event of this number. `atLeast`: an event that is known to be there.
 *  @param {string} id
 *  @param {number} number
 *  @param {number} atLeast
 *  @returns {Promise<Schemas["PastSession"]>} */
export function readPast(id, number, atLeast) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/at/${number}?at_least=${atLeast}`);
}

/** Its questions to models and calls of tools, without their contents.
 *  @param {string} id
 *  @returns {Promise<Schemas["SessionTrace"]>} */
export function readTrace(id) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/trace`);
}

/** `query`: where to begin, and what to search for.
 *  @param {string} sessionId
 *  @param {string} callId
 *  @param {Record<string, string>} query
 *  @returns {Promise<import("tarsy-api").components["schemas"]["ToolCallResult"]>} */
export function readResult(sessionId, callId, query) {
  return ask(`${resultPath(sessionId, callId)}?${new URLSearchParams(query)}`);
}

/** @param {string} sessionId
 *  @param {string} callId */
export function resultDownload(sessionId, callId) {
  return `${resultPath(sessionId, callId)}/download`;
}

/** @param {string} sessionId @param {string} callId */
function resultPath(sessionId, callId) {
  return `/api/v1/sessions/${encodeURIComponent(sessionId)}/tool-calls/${encodeURIComponent(callId)}/result`;
}

/** Without their tools.
 *  @returns {Promise<Schemas["McpServers"]>} */
export function readServers() {
  return ask("/api/v1/system/mcp-servers?tools=none");
}

/** With its tools and their schemas.
 *  @param {string} id
 *  @returns {Promise<Schemas["McpServer"]>} */
export function readServer(id) {
  return ask(`/api/v1/system/mcp-servers/${encodeURIComponent(id)}`);
}

/** @returns {Promise<Schemas["SystemWarnings"]>} */
export function readWarnings() {
  return ask("/api/v1/system/warnings");
}

/** The same key again asks for the same answer.
 *  @param {string} id
 *  @param {string} key
 *  @param {string} reason
 *  @returns {Promise<{ message: string }>} */
export function cancelSession(id, key, reason = "") {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/cancel`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ reason }),
  });
}

/** The investigation once more, as it was: another session. The same key again is the same one.
 *  @param {string} id
 *  @param {string} key
 *  @returns {Promise<import("tarsy-api").components["schemas"]["RerunAccepted"]>} */
export function rerunSession(id, key) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/rerun`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: "{}",
  });
}

/** The same key again is the same decision.
 *  @param {string} id
 *  @param {string} callId
 *  @param {"approve" | "deny"} decision
 *  @param {string} comment
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function decideCall(id, callId, decision, comment, key) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/approvals/${encodeURIComponent(callId)}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ decision, comment }),
  });
}

/** The same key again is the same decision.
 *  @param {string} id
 *  @param {{ decision: "extend" | "conclude", budget_id: string, comment: string }} wanted with the amounts to extend it by
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function decideBudget(id, wanted, key) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/budget`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(wanted),
  });
}

/** The same key again is the same question.
 *  @param {string} id
 *  @param {string} content
 *  @param {string} key
 *  @returns {Promise<{ accepted: boolean, message_id: string }>} */
export function askSession(id, content, key) {
  return ask(`/api/v1/sessions/${encodeURIComponent(id)}/chat/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ content }),
  });
}

/** It may have been asked already: then the same key brings the answer.
 *  @param {unknown} problem */
export function mayRepeat(problem) {
  return problem instanceof ApiError && (problem.status === 0 || problem.status >= 500);
}

/** `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws ApiError; its status is 0 when nothing that we understand answered.
 *  @param {string} path
 *  @param {RequestInit} [options]
 *  @returns {Promise<any>} */
export async function ask(path, options = {}) {
  let answer = await send(path, options);
  // It was refused before anything was done: once the login is renewed, it can be sent again.
  const renewal = answer.status === 401 ? await renewLogin(null) : NOTHING;
  if (renewal.is === "renewed") answer = await send(path, options);
  let body;
  try {
    body = await answer.json();
  } catch (problem) {
    throw silence(problem);
  }
  if (answer.status === 401) {
    tellUnknownCaller(renewal.is === "ended" ? renewal.sentence : "");
    if (await canLogIn()) throw new ApiError(401, TEXT.page.loginNeeded);
  }
  if (!answer.ok) throw new ApiError(answer.status, String(body.detail ?? answer.statusText), body.errors ?? []);
  return body;
}
