// A search in a result: what was found, and which hit a reader is at.

import { readResult } from "../net/api.js";
import { currentHit, firstHits, moreHits, moved } from "../state/result_hits.js";
import { batch, computed, signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { hitWords, lineOfThen } from "../words/result_words.js";

/** `byte`: where in the line; 0 for all but very long ones.
 *  @typedef {import("../state/result_hits.js").Hit} Place
 *  @typedef {{ search: string, ignoreCase: boolean, from: string, until: string }} Wanted */

export class ResultSearch {
  /** @type {import("@preact/signals").Signal<import("../state/result_hits.js").Hits | null>} */
  found = signal(null);
  notice = signal("");
  isReading = signal(false);
  hasPrevious = computed(() => !this.isReading.value && (this.found.value?.current ?? 0) > 0);
  hasNext = computed(() => !this.isReading.value && this.#hasNext());
  /** @type {import("@preact/signals").ReadonlySignal<ReadonlySet<number>>} */
  lines = computed(() => new Set(this.found.value?.hits.map(({ number }) => number)));
  #sessionId;
  #callId;
  #show;
  /** @type {Record<string, string>} */
  #query = {};
  #asked = 0;

  /** @param {string} sessionId
   *  @param {string} callId
   *  @param {(place: Place) => void} show  where a hit is */
  constructor(sessionId, callId, show) {
    this.#sessionId = sessionId;
    this.#callId = callId;
    this.#show = show;
  }

  /** The same search again goes to the next hit.
   *  @param {Wanted} wanted */
  async search(wanted) {
    const query = queryOf(wanted);
    if (this.found.value !== null && JSON.stringify(query) === JSON.stringify(this.#query)) return this.next();
    this.#query = query;
    this.found.value = null;
    if ("search" in query) await this.#ask({}, (answer) => this.#take(firstHits(answer)));
    else if ("from" in query || "until" in query) await this.#ask({ lines: "1" }, (answer) => this.#takePlace(answer));
    else this.forget();
  }

  async next() {
    const before = this.found.value;
    if (before === null || !this.hasNext.value) return;
    if (before.current + 1 < before.hits.length || before.next === null) return this.#take(moved(before, 1));
    const { offset, byte } = before.next;
    await this.#ask({ offset: String(offset), byte: String(byte) }, (answer) => this.#take(moreHits(before, answer)));
  }

  previous() {
    if (this.found.value !== null) this.#take(moved(this.found.value, -1));
  }

  /** What was asked is not shown any more. */
  forget() {
    this.#asked += 1;
    batch(() => {
      this.found.value = null;
      this.notice.value = "";
      this.isReading.value = false;
    });
  }

  #hasNext() {
    const found = this.found.value;
    return found !== null && (found.current + 1 < found.hits.length || found.next !== null);
  }

  /** @param {import("../state/result_hits.js").Hits} hits */
  #take(hits) {
    this.found.value = hits;
    this.notice.value = hitWords(hits);
    const hit = currentHit(hits);
    if (hit !== null) this.#show(hit);
  }

  /** @param {import("tarsy-api").components["schemas"]["ToolCallResult"]} answer  without a search */
  #takePlace({ lines: [first] }) {
    this.notice.value = first === undefined ? TEXT.resultSearch.noLineOfThen : lineOfThen(first.number);
    if (first !== undefined) this.#show({ number: first.number, byte: 0 });
  }

  /** Only the answer to the last question counts.
   *  @param {Record<string, string>} more
   *  @param {(answer: import("tarsy-api").components["schemas"]["ToolCallResult"]) => void} take */
  async #ask(more, take) {
    this.#asked += 1;
    const mine = this.#asked;
    this.isReading.value = true;
    this.notice.value = TEXT.resultSearch.searching;
    try {
      const answer = await readResult(this.#sessionId, this.#callId, { context: "0", ...this.#query, ...more });
      if (mine === this.#asked) take(answer);
    } catch (problem) {
      if (mine === this.#asked) this.notice.value = messageOf(problem);
    }
    if (mine === this.#asked) this.isReading.value = false;
  }
}

/** @param {Wanted} wanted
 *  @returns {Record<string, string>} */
function queryOf({ search, ignoreCase, from, until }) {
  return {
    ...(search === "" ? {} : { search, ignore_case: String(ignoreCase) }),
    ...(from === "" ? {} : { from }),
    ...(until === "" ? {} : { until }),
  };
}
