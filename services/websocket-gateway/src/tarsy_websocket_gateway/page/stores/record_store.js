// The record of a session: the list of its questions to models, and the contents of those that are looked at.

import { ApiError } from "../net/request.js";
import { readLlmCall, readTrace } from "../net/record_api.js";
import { callOfStep } from "../state/record_calls.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { isLive, isLost } from "./connection.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {Schemas["LlmInteraction"]} Contents */

/** Each may have megabytes. */
const MOST_KEPT = 8;
const STEP = "#event-";

export class RecordStore {
  /** Null until it is there. @type {import("@preact/signals").Signal<Schemas["SessionTrace"] | null>} */
  trace = signal(null);
  notice = signal(/** @type {string} */ (TEXT.page.loading));
  /** The question that the address names by a step of the story; empty where it names none. */
  wanted = "";
  /** Ids of the questions that are unfolded. @type {Set<string>} */
  opened = new Set();
  /** What was asked for last stands last. @type {Map<string, Promise<Contents>>} */
  #contents = new Map();
  #asked = 0;

  /** @param {string} id  the session's */
  constructor(id) {
    this.id = id;
  }

  /** Only the last answer counts. What was read before may have been answered since. */
  async read() {
    this.#asked += 1;
    const mine = this.#asked;
    this.#contents.clear();
    try {
      const trace = await readTrace(this.id);
      if (mine !== this.#asked) return;
      if (this.trace.value === null) this.#openWanted(trace);
      this.trace.value = trace;
      this.notice.value = "";
      isLive();
    } catch (problem) {
      if (mine !== this.#asked) return;
      this.notice.value = messageOf(problem);
      if (problem instanceof ApiError && problem.status === 0) isLost();
    }
  }

  /** @param {Schemas["SessionTrace"]} trace */
  #openWanted(trace) {
    this.wanted = location.hash.startsWith(STEP) ? callOfStep(trace, location.hash.slice(STEP.length)) : "";
    if (this.wanted !== "") this.opened.add(this.wanted);
  }

  close() {
    this.#asked += 1;
    this.#contents.clear();
  }

  /** Throws ApiError.
   *  @param {string} callId */
  contentsOf(callId) {
    const found = this.#contents.get(callId) ?? readLlmCall(this.id, callId);
    this.#contents.delete(callId);
    this.#contents.set(callId, found);
    for (const oldest of [...this.#contents.keys()].slice(0, -MOST_KEPT)) this.#contents.delete(oldest);
    found.catch(() => this.#contents.delete(callId));
    return found;
  }
}
