// The REST API about what investigations have taught, and about sessions like another one.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {Schemas["MemoryView"]} Memory
 *  @typedef {Schemas["InjectedMemory"]} Given
 *  @typedef {{ given: Given[], taught: Memory[], similar: Schemas["SimilarSession"][] }} Lessons */

/** The newest first. `search`: words that all have to occur.
 *  @param {{ search: string, page: number }} wanted
 *  @returns {Promise<Schemas["MemoryList"]>} */
export function readMemories({ search, page }) {
  const parameters = new URLSearchParams({ page: String(page), ...(search.length > 1 ? { search } : {}) });
  return ask(`/api/v1/memories?${parameters}`);
}

/** What a session began with, what it has taught, and sessions like it.
 *  @param {string} id
 *  @returns {Promise<Lessons>} */
export async function readLessons(id) {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}`;
  const [given, taught, { sessions: similar }] = await Promise.all([
    ask(`${path}/injected-memories`),
    ask(`${path}/memories`),
    ask(`${path}/similar`),
  ]);
  // A view that fails as it is drawn begins anew, and would ask again without end.
  if (![given, taught, similar].every(Array.isArray)) throw new TypeError(path);
  return { given, taught, similar };
}

/** What is left out stays as it is.
 *  @param {string} id
 *  @param {Partial<Schemas["MemoryEdit"]>} change
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function editMemory(id, change, key) {
  return ask(`/api/v1/memories/${encodeURIComponent(id)}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(change),
  });
}

/** @param {string} id
 *  @param {string} key
 *  @returns {Promise<{ message: string }>} */
export function forgetMemory(id, key) {
  return ask(`/api/v1/memories/${encodeURIComponent(id)}`, { method: "DELETE", headers: { "Idempotency-Key": key } });
}
