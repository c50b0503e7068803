// A re-drive of all dead letters that wait and fit: the API takes some at a time.

import { redriveLetters } from "../net/system_api.js";

/** @typedef {import("tarsy-api").components["schemas"]["Redriven"]} Redriven */
/** @typedef {import("../net/system_api.js").LetterFilter} LetterFilter */

const MOST_ROUNDS = 1000;

/** What a re-drive would do; nothing is written.
 *  @param {LetterFilter} filter
 *  @returns {Promise<Redriven[]>} */
export function previewRedrive(filter) {
  return ordered({ ...filter, dry_run: true }, () => {});
}

/** `progress` gets what has been done until now.
 *  @param {LetterFilter} filter
 *  @param {(done: Redriven[]) => void} progress
 *  @returns {Promise<Redriven[]>} */
export function redriveAll(filter, progress) {
  return ordered({ ...filter, dry_run: false }, progress);
}

/** @param {LetterFilter & { dry_run: boolean }} order
 *  @param {(done: Redriven[]) => void} progress */
async function ordered(order, progress) {
  /** @type {Redriven[]} */
  const done = [];
  /** @type {string | null} */
  let after = "";
  for (let round = 0; after !== null && round < MOST_ROUNDS; round += 1) {
    /** @type {import("tarsy-api").components["schemas"]["RedriveAnswer"]} */
    const answer = await redriveLetters({ ...order, after });
    done.push(...answer.letters);
    progress(done);
    after = answer.next;
  }
  return done;
}
