// One very long line of a result, part by part.

import { readResult } from "../net/api.js";
import { batch, computed, signal } from "../ui.js";
import { messageOf } from "../words/problems.js";

/** @typedef {{ byte: number, text: string, next: number | null }} Part */

export class LineParts {
  /** @type {import("@preact/signals").Signal<Part | null>} */
  part = signal(null);
  notice = signal("");
  /** Where the parts began that led here. @type {import("@preact/signals").Signal<readonly number[]>} */
  #starts;
  hasPrevious = computed(() => this.#starts.value.length > 1);
  hasNext = computed(() => this.part.value?.next != null);
  #sessionId;
  #callId;
  #number;
  #asked = 0;

  /** @param {string} sessionId
   *  @param {string} callId
   *  @param {import("../state/result_hits.js").Hit} place */
  constructor(sessionId, callId, { number, byte }) {
    this.#sessionId = sessionId;
    this.#callId = callId;
    this.#number = number;
    this.#starts = signal(byte > 0 ? [0, byte] : [0]);
  }

  /** Only the answer to the last question counts. */
  async read() {
    this.#asked += 1;
    const mine = this.#asked;
    const byte = this.#starts.value.at(-1) ?? 0;
    const query = { offset: String(this.#number), byte: String(byte), lines: "1" };
    try {
      const { lines, next } = await readResult(this.#sessionId, this.#callId, query);
      if (mine !== this.#asked) return;
      const line = lines.find(({ number }) => number === this.#number);
      batch(() => {
        this.part.value = {
          byte: line?.byte ?? byte,
          text: line?.text ?? "",
          next: next?.offset === this.#number ? next.byte : null,
        };
        this.notice.value = "";
      });
    } catch (problem) {
      if (mine === this.#asked) this.notice.value = messageOf(problem);
    }
  }

  next() {
    const to = this.part.value?.next;
    if (to == null) return;
    this.#starts.value = [...this.#starts.value, to];
    this.read();
  }

  previous() {
    if (!this.hasPrevious.value) return;
    this.#starts.value = this.#starts.value.slice(0, -1);
    this.read();
  }
}
