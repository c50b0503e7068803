// Lines of a result that its summary quotes: each piece of the summary is searched for, one after the other.

import { readResult } from "../net/api.js";
import { namedLines, piecesOf, quotationOf } from "../state/quoted_pieces.js";
import { computed, signal } from "../ui.js";

/** @typedef {import("../state/quoted_pieces.js").Quotation} Quotation */

const MOST_LINES = "5";

export class QuotedLines {
  /** @type {import("@preact/signals").Signal<readonly Quotation[]>} */
  quotations = signal([]);
  isReading = signal(false);
  /** @type {import("@preact/signals").ReadonlySignal<ReadonlySet<number>>} */
  lines = computed(() => new Set(this.quotations.value.flatMap(({ lines }) => lines)));
  #sessionId;
  #callId;
  #asked = 0;

  /** @param {string} sessionId
   *  @param {string} callId */
  constructor(sessionId, callId) {
    this.#sessionId = sessionId;
    this.#callId = callId;
  }

  /** Returns what ends it. What cannot be searched for is not marked.
   *  @param {string} summary
   *  @param {number} total  lines of the result */
  follow(summary, total) {
    this.#asked += 1;
    this.quotations.value = namedLines(summary, total).map((line) => ({ text: "", lines: [line], count: 1 }));
    this.#read(summary, this.#asked);
    return () => {
      this.#asked += 1;
    };
  }

  /** @param {string} summary
   *  @param {number} mine */
  async #read(summary, mine) {
    this.isReading.value = true;
    for (const piece of piecesOf(summary)) {
      const query = { search: piece.search, context: "0", lines: MOST_LINES };
      const answer = await readResult(this.#sessionId, this.#callId, query).catch(() => null);
      if (mine !== this.#asked) return;
      const found = answer === null ? null : quotationOf(piece, answer);
      if (found !== null) this.quotations.value = [...this.quotations.value, found];
    }
    this.isReading.value = false;
  }
}
