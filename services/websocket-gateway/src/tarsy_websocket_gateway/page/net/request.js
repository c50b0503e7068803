// A request to the page's own origin, and what it throws.

import { outward } from "../base_path.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";

const SECONDS = 15;

export class ApiError extends Error {
  /** `errors`: the mistakes of a request, each with a JSON pointer to its field.
   *  @param {number} status
   *  @param {string} message
   *  @param {{ detail: string, pointer: string }[]} [errors] */
  constructor(status, message, errors = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Throws ApiError. @param {string} path @param {RequestInit} options */
export async function send(path, options) {
  try {
    return await fetch(outward(path), { ...options, cache: "no-store", signal: AbortSignal.timeout(SECONDS * 1000) });
  } catch (problem) {
    throw silence(problem);
  }
}

/** @param {unknown} problem */
export function silence(problem) {
  const why = messageOf(problem);
  return new ApiError(0, say(TEXT.page.unanswered, { why }));
}
