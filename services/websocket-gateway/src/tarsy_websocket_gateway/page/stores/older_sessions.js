// The pages of sessions that have ended, one after the other, as far as somebody scrolls.

import { signal } from "../ui.js";
import { readEnded } from "./sessions_reader.js";

/** @typedef {import("../state/list_merge.js").Answer} Answer */

const MOST_ROWS = 20_000;
export const AGAIN_MILLISECONDS = 5000;

export class OlderSessions {
  /** Whether there are some that were not read yet. */
  hasMore = signal(false);
  /** When the last one came that was read. @type {string | null} */
  #last = null;
  #count = 0;
  #isReading = false;
  #notBefore = 0;
  /** Another first page makes what is being read one of another list. */
  #turn = 0;

  /** @param {Answer} first */
  begin(first) {
    this.#beginTurn();
    this.#count = 0;
    this.#last = null;
    this.#hasRead(first);
  }

  forget() {
    this.#beginTurn();
    this.hasMore.value = false;
  }

  /** What was being read keeps nobody from reading on. */
  #beginTurn() {
    this.#turn += 1;
    this.#isReading = false;
  }

  /** One more page. `take` returns whether something of it is new. Throws ApiError, and does nothing for a while then.
   *  @param {import("../state/search_query.js").SearchQuery} query @param {(rows: Answer["rows"]) => boolean} take */
  async read(query, take) {
    if (!this.hasMore.value || this.#isReading || performance.now() < this.#notBefore) return;
    this.#isReading = true;
    const turn = this.#turn;
    try {
      await this.#readOn(query, take, turn);
    } catch (problem) {
      this.#notBefore = performance.now() + AGAIN_MILLISECONDS;
      if (turn === this.#turn) throw problem;
    } finally {
      if (turn === this.#turn) this.#isReading = false;
    }
  }

  /** @param {Parameters<OlderSessions["read"]>[0]} query @param {Parameters<OlderSessions["read"]>[1]} take
   *  @param {number} turn */
  async #readOn(query, take, turn) {
    const before = this.#last;
    for (let page = 1; ; page += 1) {
      const answer = await readEnded(query, before, page);
      if (turn !== this.#turn) return;
      const isNew = take(answer.rows);
      this.#hasRead(answer);
      // Sessions that came in the same millisecond may fill a whole page.
      if (isNew || !this.hasMore.value) return;
    }
  }

  /** @param {Answer} answer */
  #hasRead({ rows, isWhole }) {
    this.#count += rows.length;
    this.#last = rows.at(-1)?.created_at ?? this.#last;
    this.hasMore.value = !isWhole && this.#count < MOST_ROWS;
  }
}
