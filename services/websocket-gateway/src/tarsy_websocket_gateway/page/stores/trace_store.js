// The record of a session's calls, without their contents: read again while somebody looks and the session goes on.

import { ApiError, readTrace } from "../net/api.js";
import { signal } from "../ui.js";
import { connection } from "./connection.js";

/** @typedef {import("../state/waterfall.js").Trace} Trace */

const LOOK_EVERY_MILLISECONDS = 1000;
const PAUSE_MILLISECONDS = 3000;
/** The pause is so many times as long as the answer took: a large record is made seldom. */
const SHARE = 10;
/** The log does not keep the events any longer, or they are too many. */
const FOR_EVER = new Set([410, 422]);

export class TraceStore {
  /** @type {import("@preact/signals").Signal<Trace | null>} */
  trace = signal(null);
  problem = signal("");
  #store;
  #isReading = false;
  #isHopeless = false;
  #notBefore = 0;

  /** @param {import("./session_store.js").SessionStore} store */
  constructor(store) {
    this.#store = store;
  }

  /** Returns what ends it. */
  watch() {
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MILLISECONDS);
    this.#look();
    return () => clearInterval(looking);
  }

  #look() {
    const known = this.trace.value?.last_number ?? 0;
    const isThere = this.#store.isDeleted || (known > 0 && known >= this.#store.newest.value);
    const isQuiet = document.hidden || connection.value === "lost" || performance.now() < this.#notBefore;
    if (!isThere && !isQuiet && !this.#isReading && !this.#isHopeless) this.read();
  }

  async read() {
    this.#isReading = true;
    const began = performance.now();
    try {
      this.trace.value = await readTrace(this.#store.id);
      this.problem.value = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.#isHopeless = FOR_EVER.has(problem.status);
      this.problem.value = problem.message;
    } finally {
      const took = performance.now() - began;
      this.#notBefore = performance.now() + Math.max(PAUSE_MILLISECONDS, took * SHARE);
      this.#isReading = false;
    }
  }
}
