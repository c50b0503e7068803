// The REST API about the system itself: MCP servers, sessions that are set aside, dead letters, configuration.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {{ topic: string, service: string, reason: string }} LetterFilter */

const SESSIONS = "/api/v1/sessions";
const DEAD_LETTERS = "/api/v1/dead-letters";

/** Queue, projection and processes.
 *  @returns {Promise<Schemas["SystemOverview"]>} */
export function readOverview() {
  return ask("/api/v1/system/overview");
}

/** @returns {Promise<Schemas["HeldSessionList"]>} */
export function readHeldSessions() {
  return ask("/api/v1/system/held-sessions");
}

/** The same key again gets the answer on record.
 *  @param {string} id
 *  @param {"release" | "retry"} act
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function bringBack(id, act, key) {
  return ask(`${SESSIONS}/${encodeURIComponent(id)}/${act}`, { method: "POST", headers: { "Idempotency-Key": key } });
}

/** @param {string} id
 *  @param {string} reason
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function failSession(id, reason, key) {
  return ask(`${SESSIONS}/${encodeURIComponent(id)}/fail`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ reason }),
  });
}

/** Empty texts do not filter.
 *  @param {LetterFilter & { status: string, limit: string }} wanted
 *  @returns {Promise<Schemas["DeadLetterList"]>} */
export function readDeadLetters(wanted) {
  const given = Object.entries(wanted).filter(([, value]) => value !== "");
  return ask(`${DEAD_LETTERS}?${new URLSearchParams(given)}`);
}

/** With a masked beginning of its record.
 *  @param {string} id
 *  @returns {Promise<Schemas["DeadLetterDetail"]>} */
export function readDeadLetter(id) {
  return ask(`${DEAD_LETTERS}/${encodeURIComponent(id)}`);
}

/** The exact bytes, unmasked.
 *  @param {string} id
 *  @returns {Promise<Schemas["DeadLetterRaw"]>} */
export function readRawDeadLetter(id) {
  return ask(`${DEAD_LETTERS}/${encodeURIComponent(id)}/raw`);
}

/** @param {string} id
 *  @returns {Promise<Schemas["Redriven"]>} */
export function redriveLetter(id) {
  return ask(`${DEAD_LETTERS}/${encodeURIComponent(id)}/redrive`, { method: "POST" });
}

/** Some of those that wait and fit; `next` of the answer is `after` of the next order.
 *  @param {LetterFilter & { after: string, dry_run: boolean }} order
 *  @returns {Promise<Schemas["RedriveAnswer"]>} */
export function redriveLetters(order) {
  return ask(`${DEAD_LETTERS}/redrive`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(order),
  });
}

/** @returns {Promise<Schemas["EffectiveConfiguration"]>} */
export function readConfiguration() {
  return ask("/api/v1/system/config");
}

/** Templates of addresses of other systems.
 *  @returns {Promise<Schemas["LinkTemplate"][]>} */
export function readLinks() {
  return ask("/api/v1/system/config/links");
}
