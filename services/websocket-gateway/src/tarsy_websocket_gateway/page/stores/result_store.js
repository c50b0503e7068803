// A part of a call's result: which one is wanted, and what came of the asking.

import { readResult } from "../net/api.js";
import { computed, signal } from "../ui.js";
import { messageOf } from "../words/problems.js";

/** @typedef {import("tarsy-api").components["schemas"]["ToolCallResult"]} Result
 *  @typedef {import("tarsy-api").components["schemas"]["ResultPosition"]} Position */

/** @type {Position} */
const START = { offset: 0, byte: 0 };

export class ResultStore {
  /** @type {import("@preact/signals").Signal<Result | null>} */
  found = signal(null);
  /** What is to be said instead of what was found. */
  notice = signal("");
  /** @type {import("@preact/signals").Signal<Position[]>} the pages that led here */
  #pages = signal([START]);
  #isReading = signal(false);
  hasPrevious = computed(() => !this.#isReading.value && this.#pages.value.length > 1);
  hasNext = computed(() => !this.#isReading.value && this.notice.value === "" && this.found.value?.next != null);
  #sessionId;
  #callId;
  /** @type {Record<string, string>} */
  #wanted = {};
  #asked = 0;

  /** @param {string} sessionId
   *  @param {string} callId */
  constructor(sessionId, callId) {
    this.#sessionId = sessionId;
    this.#callId = callId;
  }

  /** Only the answer to the last question counts. */
  async read() {
    this.#asked += 1;
    const mine = this.#asked;
    this.#isReading.value = true;
    this.notice.value = "Reading …";
    const { offset, byte } = this.#pages.value.at(-1) ?? START;
    const query = { offset: String(offset), byte: String(byte), ...this.#wanted };
    try {
      const found = await readResult(this.#sessionId, this.#callId, query);
      if (mine !== this.#asked) return;
      this.found.value = found;
      this.notice.value = "";
    } catch (problem) {
      if (mine === this.#asked) this.notice.value = messageOf(problem);
    }
    if (mine === this.#asked) this.#isReading.value = false;
  }

  close() {
    this.#asked += 1;
  }

  /** @param {Record<string, string>} wanted */
  search(wanted) {
    this.#wanted = wanted;
    this.#pages.value = [START];
    this.read();
  }

  on() {
    const next = this.found.value?.next;
    if (next == null) return;
    this.#pages.value = [...this.#pages.value, next];
    this.read();
  }

  back() {
    this.#pages.value = this.#pages.value.slice(0, -1);
    this.read();
  }
}
