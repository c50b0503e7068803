// The API's answer about a session, as of an event or later. The timeline may be behind, or away: it is asked again
// after growing pauses, and meanwhile what there is is taken.

import { ApiError, mayRepeat, readSession } from "../net/api.js";
import { pauseAfter } from "../net/pauses.js";

/** @typedef {import("tarsy-api").components["schemas"]["SessionDetail"]} Detail */
/** `fails`: what the API answered instead. Nothing comes once the reader is closed.
 *  @typedef {{ takes: (detail: Detail) => void, fails: (problem: unknown) => void }} Reception */

const NOT_YET = 503;

export class DetailReader {
  /** When it was asked last, in milliseconds of the page. */
  askedAt = Number.NEGATIVE_INFINITY;
  #id;
  #reception;
  /** The latest event that somebody wants to read of. */
  #atLeast = 0;
  /** The last event of the last answer. */
  #known = 0;
  #isReading = false;
  #isClosed = false;
  #failures = 0;
  #next = 0;

  /** @param {string} id @param {Reception} reception */
  constructor(id, reception) {
    this.#id = id;
    this.#reception = reception;
  }

  /** While it is being read, or after a failure, it is not asked at once. @param {number} atLeast */
  read(atLeast) {
    this.#atLeast = Math.max(this.#atLeast, atLeast);
    if (!this.#isReading && this.#next === 0) this.#turn();
  }

  /** Asks without a pause: the server is there again. */
  readNow() {
    this.#stopWaiting();
    this.read(0);
  }

  /** No answer will have the events that were waited for. */
  forget() {
    this.#atLeast = 0;
    this.#stopWaiting();
  }

  open() {
    this.#isClosed = false;
  }

  close() {
    this.#isClosed = true;
    this.#stopWaiting();
  }

  async #turn() {
    if (this.#isClosed) return;
    this.#isReading = true;
    const asked = this.#atLeast;
    const isToBeRepeated = await this.#ask(asked);
    this.#isReading = false;
    if (isToBeRepeated) {
      this.#waitAndAsk();
    } else {
      this.#failures = 0;
      if (this.#atLeast > Math.max(asked, this.#known)) this.#turn();
    }
  }

  /** Whether it has to be asked again. @param {number} atLeast @returns {Promise<boolean>} */
  async #ask(atLeast) {
    this.askedAt = performance.now();
    let detail;
    try {
      detail = await readSession(this.#id, atLeast);
    } catch (problem) {
      if (atLeast > 0 && problem instanceof ApiError && problem.status === NOT_YET) await this.#ask(0);
      else if (!this.#isClosed) this.#reception.fails(problem);
      return mayRepeat(problem);
    }
    this.#known = detail.last_number;
    if (!this.#isClosed) this.#reception.takes(detail);
    return false;
  }

  #waitAndAsk() {
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#next = setTimeout(() => {
      this.#next = 0;
      // Nobody looks: the next look asks.
      if (document.hidden) this.#waitAndAsk();
      else this.#turn();
    }, pauseAfter(this.#failures));
  }

  #stopWaiting() {
    clearTimeout(this.#next);
    this.#next = 0;
    this.#failures = 0;
  }
}
